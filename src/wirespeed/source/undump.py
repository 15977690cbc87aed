"""Taking away what turns models into dicts before FastAPI does: ``jsonable_encoder``, ``model_dump``.

Only what surrounds a value goes; the value itself stays as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from .bindings import look_up
from .edit import Replace
from .meaning import meaning
from .names import names_used
from .syntax import parsed
from .tree import Function, Tree
from .values import Refused
from .walking import body_nodes, names_in, walk

_ENCODER = "fastapi.encoders.jsonable_encoder"
_DUMPS = frozenset({"model_dump", "dict"})
_MAKES_LIST = frozenset({"builtins.list", "builtins.sorted"})


@dataclass(frozen=True)
class Undumping:
    """The values of one function."""

    tree: Tree
    function: Function

    @property
    def scope(self) -> tuple[cst.CSTNode, ...]:
        return (*self.function.around, self.function.node)

    def strip(self, value: cst.BaseExpression, *, tight: bool = False) -> Iterator[Replace]:
        """What goes from an expression. Raises Refused where a dump has options that FastAPI would not apply.

        ``tight``: something that binds stronger than ``if`` stands beside it.
        """
        if isinstance(value, cst.Name):
            yield from self._strip_name(value)
        elif isinstance(value, cst.Call):
            yield from self._strip_call(value, tight=tight)
        elif isinstance(value, cst.ListComp):
            yield from self._strip_comprehension(value)
        elif isinstance(value, cst.DictComp):
            yield from self.strip(value.value)
        elif isinstance(value, cst.IfExp):
            yield from self.strip(value.body, tight=True)
            yield from self.strip(value.orelse, tight=True)
        elif isinstance(value, cst.List | cst.Tuple):
            for item in value.elements:
                if isinstance(item, cst.Element):
                    yield from self.strip(item.value)
        elif isinstance(value, cst.Dict):
            for pair in value.elements:
                if isinstance(pair, cst.DictElement):
                    yield from self.strip(pair.value)

    def _strip_call(self, call: cst.Call, *, tight: bool) -> Iterator[Replace]:
        if meaning(self.tree, call.func, self.scope) == _ENCODER:
            value = _only_argument(call, "obj", "jsonable_encoder")
            yield from unwrap(self.tree, call, value, tight=tight)
            yield from self.strip(value, tight=tight)
        elif isinstance(call.func, cst.Attribute) and call.func.attr.value in _DUMPS:
            _refuse_options(call)
            yield from unwrap(self.tree, call, call.func.value)

    def _strip_comprehension(self, listed: cst.ListComp) -> Iterator[Replace]:
        gaps = list(self.strip(listed.elt))
        if gaps and _is_each(listed) and self._is_list(listed.for_in.iter):
            yield from unwrap(self.tree, listed, listed.for_in.iter)
        else:
            yield from gaps

    def _strip_name(self, name: cst.Name) -> Iterator[Replace]:
        """Where a variable is made for this one use, or filled by ``append``."""
        made = self.made_for(name)
        if made is not None:
            yield from self.strip(made)
            return
        for appended in self._appended(name):
            yield from self.strip(appended)

    def made_for(self, name: cst.Name) -> cst.BaseExpression | None:
        """What a variable of the function holds, if it is assigned once and used at ``name`` only."""
        mentions = [node for node, _ in walk(self.function.node) if _is_named(node, name.value)]
        value = self._only_value(name)
        return value if len(mentions) == 2 and name in mentions else None

    def _only_value(self, name: cst.Name) -> cst.BaseExpression | None:
        bound = look_up(self.tree, name.value, self.scope)
        inside = self.tree.span(self.function.node.body)
        if len(bound) != 1 or not inside.start <= bound[0].offset < inside.end:
            return None
        assigned = [
            node
            for node in body_nodes(self.function.node)
            if isinstance(node, cst.Assign) and node.value is bound[0].value
        ]
        plain = len(assigned) == 1 and len(assigned[0].targets) == 1
        return bound[0].value if plain and isinstance(assigned[0].targets[0].target, cst.Name) else None

    def _appended(self, name: cst.Name) -> list[cst.BaseExpression]:
        """The arguments of ``rows.append(…)``, if that and ``name`` is all that becomes of ``rows = []``."""
        value = self._only_value(name)
        if not isinstance(value, cst.List) or value.elements:
            return []
        appended = [
            node.args[0].value
            for node in body_nodes(self.function.node)
            if isinstance(node, cst.Call) and _is_append(node, name.value)
        ]
        mentions = [node for node, _ in walk(self.function.node) if _is_named(node, name.value)]
        return appended if len(mentions) == len(appended) + 2 else []

    def _is_list(self, value: cst.BaseExpression) -> bool:
        if isinstance(value, cst.List | cst.ListComp):
            return True
        if isinstance(value, cst.Call):
            return meaning(self.tree, value.func, self.scope) in _MAKES_LIST
        if not isinstance(value, cst.Name):
            return False
        bound = look_up(self.tree, value.value, self.scope)
        if len(bound) != 1 or bound[0].value is None or isinstance(bound[0].value, cst.Name):
            return False
        return self._is_list(bound[0].value)


def unwrap(
    tree: Tree, whole: cst.BaseExpression, kept: cst.BaseExpression, *, tight: bool = False
) -> list[Replace]:
    """What stands around ``kept`` in ``whole`` goes. Raises Refused where that has a comment."""
    outer, inner = tree.span(whole), tree.span(kept)
    gone = [(outer.start, inner.start), (inner.end, outer.end)]
    if any("#" in tree.text[start:end] for start, end in gone):
        raise Refused("a comment or a # stands in what would go")
    text = tree.text[inner.start : inner.end]
    loose = tight and isinstance(kept, cst.IfExp | cst.Lambda)
    brackets = ("(", ")") if loose or not _stands_alone(text) else ("", "")
    names = names_used(whole)
    return [Replace(*span, text, names) for span, text in zip(gone, brackets, strict=True)]


def _stands_alone(text: str) -> bool:
    """Whether it is one expression wherever it is put, line breaks included."""
    try:
        parsed(text, "eval")
    except SyntaxError:
        return False
    return True


def _only_argument(call: cst.Call, keyword: str, name: str) -> cst.BaseExpression:
    extra = [arg.keyword.value for arg in call.args if arg.keyword and arg.keyword.value != keyword]
    if extra:
        raise Refused(f"{name} is given {extra[0]}, which the route would not apply")
    if len(call.args) != 1 or call.args[0].star:
        raise Refused(f"the arguments of {name} are not one value")
    return call.args[0].value


def _refuse_options(call: cst.Call) -> None:
    """Options that the route does not apply by itself; aliases it does use."""
    for arg in call.args:
        option = arg.keyword.value if arg.keyword else "arguments that are not named"
        by_alias = isinstance(arg.value, cst.Name) and arg.value.value == "True"
        if option != "mode" and not (option == "by_alias" and by_alias):
            assert isinstance(call.func, cst.Attribute)
            raise Refused(f"{call.func.attr.value} is given {option}, which the route would not apply")


def _is_each(listed: cst.ListComp) -> bool:
    """``[x.model_dump() for x in …]``: every item, and nothing else of it."""
    loop = listed.for_in
    plain = not loop.ifs and loop.inner_for_in is None and loop.asynchronous is None
    return (
        plain
        and isinstance(listed.elt, cst.Call)
        and isinstance(listed.elt.func, cst.Attribute)
        and isinstance(listed.elt.func.value, cst.Name)
        and isinstance(loop.target, cst.Name)
        and listed.elt.func.value.value == loop.target.value
        and loop.target.value not in names_in([loop.iter])
    )


def _is_named(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _is_append(call: cst.Call, name: str) -> bool:
    return (
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "append"
        and _is_named(call.func.value, name)
        and len(call.args) == 1
    )
