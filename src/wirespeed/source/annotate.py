"""Giving an endpoint function its return type.

The type was measured as the endpoint's module sees names once it is loaded. The edit is refused where the
same names would mean something else, or nothing yet, at the function's place in the file.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Sequence

import libcst as cst

from .bindings import STAR, Binding, bindings_of, names_bound_around
from .edit import Edit, Return
from .names import ImportedName, defined_name, imported_names, names_used, rename_all
from .routes import has_double_star, keyword_argument, route_decorators
from .tree import Function, Tree, tree_of
from .values import FunctionAt, Refused, TypeSource


def annotate(source: str, function: FunctionAt, annotation: TypeSource) -> Edit:
    """Give the function a return type, with the imports and definitions that it lacks.

    Raises Refused where the function has one or its route a ``response_model``, and where a name of the type
    cannot be relied on at that place.
    """
    tree = tree_of(source)
    found = tree.function(function)
    _refuse_where_typed(tree, found)
    above, room = tree.top(found.top_statement)
    names = _Names(tree, found, above)
    wanted, aliases = names.sort_out(imported_names(annotation.imports))
    local = rename_all(annotation, aliases)
    names.check(local, [name.bound for name in wanted])
    needed = TypeSource(local.expression, tuple(name.line for name in wanted), local.definitions)
    at = _behind_parameters(tree, found)
    return Edit(source, returns=(Return(at, above, needed, names.taken(wanted), room),))


def _refuse_where_typed(tree: Tree, function: Function) -> None:
    if function.node.returns is not None:
        raise Refused(f"it has a return annotation: -> {tree.source(function.node.returns.annotation)}")
    if any(_names_overload(decorator.decorator) for decorator in function.node.decorators):
        raise Refused("it is an overload, not the function that runs")
    for call in route_decorators(function):
        if keyword_argument(call, "response_model") is not None:
            raise Refused("its decorator has a response_model")
        if has_double_star(call):
            raise Refused("the options that its decorator gives by ** may hold a response_model")


def _names_overload(expression: cst.BaseExpression) -> bool:
    name = expression.attr if isinstance(expression, cst.Attribute) else expression
    return isinstance(name, cst.Name) and name.value == "overload"


def _behind_parameters(tree: Tree, function: Function) -> int:
    """The body begins right behind the colon; what may stand before that is whitespace."""
    space = tree.span(function.node.whitespace_before_colon)
    colon = tree.span(function.node.body).start - 1
    return colon - (space.end - space.start)


class _Names:
    """What names mean at one function."""

    def __init__(self, tree: Tree, function: Function, above: int) -> None:
        self._module = bindings_of(tree, tree.module)
        self._hidden = names_bound_around(tree, function.around) | _type_parameters(function)
        self._begin = tree.begin(function.node)
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
                self._check(name, self._above)
        for name in sorted(names_used(source.expression) - new):
            if name in self._hidden:
                raise Refused(f"{name} means something else where the function stands")
            self._check(name, self._begin)

    def _check(self, name: str, before: int) -> None:
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


def _type_parameters(function: Function) -> frozenset[str]:
    parameters = function.node.type_parameters
    return frozenset(each.param.name.value for each in parameters.params) if parameters else frozenset()
