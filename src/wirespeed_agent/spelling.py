"""How source in the endpoint's module can name an object: bare, through a module it has, or by a new import.

Only what is really there is trusted: a name counts when it leads to the very object, read from ``__dict__``s,
so no module ``__getattr__`` and no descriptor of a user's class runs.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import types
from typing import Any, Iterable, Iterator, Mapping, Sequence, Union, get_args, get_origin

_UNION_TYPE = getattr(types, "UnionType", object())
_ABSENT = object()
HAS_UNION_OPERATOR = sys.version_info[:2] >= (3, 10)


class Spelling:
    """Names usable in one module once ``imports`` are at its top. Each name is claimed for one thing only."""

    def __init__(self, namespace: Mapping[str, object]) -> None:
        self.imports: list[str] = []
        # The app may be running; its globals may change.
        self._namespace = namespace = dict(namespace)
        self._taken = {*namespace, *vars(builtins), *keyword.kwlist}
        self._names: dict[int, str] = {}
        for name, found in namespace.items():
            if not name.startswith("__"):
                self._names.setdefault(id(found), name)

    def spell(self, target: object, module: str, qualname: str) -> str | None:
        """Source for ``target``, known as ``module.qualname``; None where no name leads to it."""
        return (
            self._bare(target, qualname)
            or self._through_a_module(target, module, qualname)
            or self._by_import(target, module, qualname)
        )

    def spell_class(self, kind: type) -> str | None:
        """Source for a class, by its own account of where it is defined; generic models with parameters."""
        generic = kind.__dict__.get("__pydantic_generic_metadata__") or {}
        if generic.get("args") and id(kind) not in self._names:
            return self._generic(kind, generic["origin"], generic["args"])
        return self.spell(kind, kind.__module__, kind.__qualname__)

    def spell_typing(self, name: str, module: str = "typing") -> str:
        """Source for ``typing.NAME``, or the same of a module like it."""
        text = self.spell(vars(sys.modules[module])[name], module, name)
        assert text is not None, f"{module}.{name} can be imported under a free name"
        return text

    def union(self, members: Iterable[str]) -> str:
        """``A | B`` in the notation this interpreter evaluates; repeated members once, None last."""
        distinct = list(dict.fromkeys(members))
        named = [member for member in distinct if member != "None"]
        optional = len(named) < len(distinct)
        if HAS_UNION_OPERATOR or len(distinct) == 1:
            return " | ".join([*named, "None"] if optional else named)
        return self._typing_union(named, optional)

    def claim(self, wanted: str) -> str:
        """``wanted``, or with a number behind it where the name has another meaning already."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name)
        return name

    def _typing_union(self, named: Sequence[str], optional: bool) -> str:
        text = named[0] if len(named) == 1 else f"{self.spell_typing('Union')}[{', '.join(named)}]"
        return f"{self.spell_typing('Optional')}[{text}]" if optional else text

    def _bare(self, target: object, qualname: str) -> str | None:
        if walk(self._namespace, qualname) is target:
            return qualname
        if qualname not in self._namespace and vars(builtins).get(qualname) is target:
            return qualname
        return self._names.get(id(target))

    def _through_a_module(self, target: object, module: str, qualname: str) -> str | None:
        """Through a module that is at hand: the one that defines ``target``, or a package around it."""
        for name, found in self._namespace.items():
            if type(found) is types.ModuleType and not name.startswith("__"):
                for path in _paths_below(found.__name__, module, qualname):
                    if walk(vars(found), path) is target:
                        return f"{name}.{path}"
        return None

    def _by_import(self, target: object, module: str, qualname: str) -> str | None:
        source = sys.modules.get(module)
        if source is None or module == "__main__" or walk(vars(source), qualname) is not target:
            return None
        top, dot, rest = qualname.partition(".")
        outermost = vars(source)[top]
        name = self._names.get(id(outermost))
        if name is None:
            name = self.claim(
                top if top not in self._taken else camel(module.rpartition(".")[2]) + camel(top)
            )
            self._names[id(outermost)] = name
            self.imports.append(f"from {module} import {top}" + (f" as {name}" if name != top else ""))
        return name + dot + rest

    def _generic(self, kind: type, origin: Any, args: tuple[object, ...]) -> str | None:
        try:
            if origin[args if len(args) > 1 else args[0]] is not kind:
                return None
        except Exception:  # a user's own __class_getitem__ may want anything
            return None
        return self._subscript(self.spell_class(origin), args)

    def _subscript(self, name: str | None, args: tuple[object, ...]) -> str | None:
        parameters = [self._parameter(arg) for arg in args]
        if name is None or None in parameters:
            return None
        return f"{name}[{', '.join(str(parameter) for parameter in parameters)}]"

    def _parameter(self, arg: object) -> str | None:
        """Only what reads back the same: a model of ``List[X]`` is another class than one of ``list[X]``."""
        if arg is None or arg is type(None):
            return "None"
        if arg is Any:
            return self.spell_typing("Any")
        if arg is Ellipsis:
            return "..."
        origin = get_origin(arg)
        if origin is _UNION_TYPE:
            members = [self._parameter(member) for member in get_args(arg)]
            return None if None in members else " | ".join(map(str, members))
        if origin is Union:
            return self._subscript(self.spell_typing("Union"), get_args(arg))
        if type(arg) is types.GenericAlias:
            return self._subscript(self._parameter(origin), get_args(arg))
        return self.spell_class(arg) if isinstance(arg, type) and origin is None else None


def walk(names: Mapping[str, object], path: str) -> object:
    """What the dotted ``path`` leads to, through modules and classes only."""
    found: object = _ABSENT
    for part in path.split("."):
        found = names.get(part, _ABSENT)
        is_scope = type(found) is types.ModuleType or issubclass(type(found), type)
        names = vars(found) if is_scope else {}
    return found


def camel(text: str) -> str:
    """``page_items`` → ``PageItems``; what cannot stand in a name is left out."""
    return "".join(word[0].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", text))


def _paths_below(container: str, module: str, qualname: str) -> Iterator[str]:
    if module == container:
        yield qualname
    elif module.startswith(container + "."):
        yield qualname
        yield f"{module[len(container) + 1 :]}.{qualname}"
