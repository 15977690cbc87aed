"""What names mean where a function stands: which of a type's or an edit's names can be relied on there."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

import libcst as cst

from .bindings import STAR, Binding, bindings_of, names_bound_around
from .names import ImportedName, defined_name, names_used
from .tree import Tree
from .values import Refused, TypeSource


class NamesAt:
    """What names mean at one function or class, or at another statement where that is None.

    ``around`` is what it stands in; the lines of its top statement begin at ``above``.
    """

    def __init__(
        self,
        tree: Tree,
        node: cst.FunctionDef | cst.ClassDef | None,
        around: Sequence[cst.CSTNode],
        above: int,
    ) -> None:
        self._module = bindings_of(tree, tree.module)
        self._hidden = names_bound_around(tree, around) | _type_parameters(node)
        self._begin = tree.begin(node) if node else above
        self._above = above

    def sort_out(self, wanted: Sequence[ImportedName]) -> tuple[list[ImportedName], dict[str, str]]:
        """(imports the file lacks, the names under which it has the others where those differ)."""
        lacking, aliases = [], {}
        for name in wanted:
            known = self._known_as(name)
            if known is None:
                lacking.append(name)
            elif known != name.bound:
                aliases[name.bound] = known
        return lacking, aliases

    def taken(self, wanted: Sequence[ImportedName]) -> frozenset[str]:
        """Names that cannot be given to anything new, save to the very imports that bind them elsewhere."""
        same = {(name.module, name.name) for name in wanted}
        names = {binding.name for binding in self._module if binding.imported not in same}
        return self._hidden | names

    def check(self, source: TypeSource, imported: Sequence[str]) -> None:
        """Raises Refused for a name that means something else at the function, or nothing yet."""
        new = {*imported, *map(defined_name, source.definitions)}
        for definition in source.definitions:
            for name in sorted(names_used(definition) - new):
                self.check_name(name, self._above)
        for name in sorted(names_used(source.expression) - new):
            if name in self._hidden:
                raise Refused(f"{name} means something else where the function stands")
            self.check_name(name, self._begin)

    def check_name(self, name: str, before: int) -> None:
        """The same for a name of the module's that is used at the offset ``before``."""
        bound = [binding for binding in self._module if binding.name == name]
        real = [binding for binding in bound if not binding.for_checkers]
        if any(binding.offset >= before for binding in real):
            raise Refused(f"{name} is bound further down in the file")
        if real or (not bound and (hasattr(builtins, name) or self._has_star_import(before))):
            return
        if bound:
            raise Refused(f"{name} is imported for type checkers only")
        raise Refused(f"{name} is not seen to be defined in the file")

    def _has_star_import(self, before: int) -> bool:
        return any(binding.name == STAR and binding.offset < before for binding in self._module)

    def _known_as(self, wanted: ImportedName) -> str | None:
        """Raises Refused where the file avoids this import at run time: it may be circular."""
        same = [each for each in self._module if each.imported == (wanted.module, wanted.name)]
        for binding in same:
            if not binding.for_checkers and self._is_reliable(binding):
                return binding.name
        if any(binding.for_checkers for binding in self._namesakes(same, wanted)):
            raise Refused(f"{wanted.name} is imported for type checkers only")
        return None

    def _namesakes(self, same: Sequence[Binding], wanted: ImportedName) -> Iterator[Binding]:
        yield from same
        yield from (each for each in self._module if each.name == wanted.bound)

    def _is_reliable(self, binding: Binding) -> bool:
        """Bound above the function, to nothing else anywhere, and not hidden."""
        others = [each for each in self._module if each.name == binding.name and not each.for_checkers]
        return binding.name not in self._hidden and all(
            each.imported == binding.imported and each.offset < self._above for each in others
        )


def _type_parameters(node: cst.FunctionDef | cst.ClassDef | None) -> frozenset[str]:
    parameters = node.type_parameters if node else None
    return frozenset(each.param.name.value for each in parameters.params) if parameters else frozenset()
