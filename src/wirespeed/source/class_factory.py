"""An async factory for a class that is a dependency, since FastAPI calls every class in a thread."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from .bindings import bindings_of
from .edit import Edit, Placed, Replace
from .import_lines import ImportLine, import_lines
from .meaning import meaning
from .names import names_used
from .references import DEPENDS, homes_of, refers_to
from .spot import FileEdit, Spot
from .tree import Tree, tree_of
from .values import Refused
from .walking import Ancestors, call_name, names_in, scopes_of, walk

_ANNOTATED = frozenset({"typing.Annotated", "typing_extensions.Annotated"})
_IsClass = Callable[[cst.Name, Ancestors], bool]


def factory_of_class(spot: Spot) -> Iterator[FileEdit]:
    """``async def get_paging(…) -> Paging`` below the class, and in its place wherever that is depended on.

    Raises Refused where the class's parameters are not written out, or nothing depends on it.
    """
    tree, found = spot.tree, spot.class_there()
    assert found is not None
    name = found.name.value
    factory = spot.free_in_module(f"get_{_snake(name)}")
    text = _factory(tree, found, factory)
    uses = _uses(tree, factory, lambda node, inside: refers_to(tree, node, inside, found))
    if any(use.start < tree.span(found).end for use in uses):
        raise Refused(f"{name} is used above its definition")
    elsewhere = list(_elsewhere(spot, name, factory))
    if not uses and not elsewhere:
        raise Refused(f"no Depends of {name} is found")
    yield spot.path, _below(tree, found, factory, text, uses)
    yield from elsewhere


def _factory(tree: Tree, found: cst.ClassDef, factory: str) -> str:
    name, initial = found.name.value, _initial(found)
    parameters = initial.params
    if found.decorators or initial.decorators:
        raise Refused(f"{name} is decorated")
    stars = (parameters.star_arg, parameters.star_kwarg)
    if parameters.posonly_params or any(isinstance(star, cst.Param) for star in stars):
        raise Refused(f"the parameters of {name} are not all named")
    given = [*parameters.params[1:], *parameters.kwonly_params]
    names = [parameter.name.value for parameter in given]
    hidden = {binding.name for binding in bindings_of(tree, found)} & names_used(parameters)
    if hidden or {name, factory} & set(names):
        raise Refused(f"its parameters use names of {name} itself")
    call = ", ".join(f"{each}={each}" for each in names)
    indent = tree.module.default_indent
    written = _behind_self(tree, parameters, indent)
    return f"async def {factory}({written}) -> {name}:\n{indent}return {name}({call})"


def _initial(found: cst.ClassDef) -> cst.FunctionDef:
    methods = [
        node
        for node in found.body.body
        if isinstance(node, cst.FunctionDef) and node.name.value == "__init__"
    ]
    if len(methods) != 1 or not methods[0].params.params:
        raise Refused(f"{found.name.value} does not write its parameters out in an __init__")
    return methods[0]


def _behind_self(tree: Tree, parameters: cst.Parameters, indent: str) -> str:
    comma = parameters.params[0].comma
    if not isinstance(comma, cst.Comma):
        return ""
    text = tree.text[tree.span(comma.whitespace_after).start : tree.span(parameters).end]
    return text.lstrip(" \t").replace("\r\n", "\n").replace(f"\n{indent}", "\n")


def _below(tree: Tree, found: cst.ClassDef, factory: str, text: str, uses: Sequence[Replace]) -> Edit:
    body = list(tree.module.body)
    following = body[body.index(found) + 1 :]
    if not following:
        at = len(tree.text)
        line_end = "" if tree.text.endswith(("\n", "\r")) else "\n"
        last = Replace(at, at, f"{line_end}\n\n{text}\n")
        return Edit(tree.text, replaced=(*uses, last))
    above, room = tree.top(following[0])
    return Edit(tree.text, replaced=tuple(uses), placed=(Placed(above, factory, text, room),))


def _elsewhere(spot: Spot, name: str, factory: str) -> Iterator[FileEdit]:
    homes = homes_of(spot.project.root / spot.path)
    for path, text in spot.project.others_with(name, besides=spot.path):
        tree = tree_of(text)
        for line in import_lines(tree):
            for alias in _importing(line, name, homes):
                edit = _use_imported(tree, alias, factory)
                if edit is not None:
                    yield path, edit


def _importing(line: ImportLine, name: str, homes: frozenset[str]) -> list[cst.ImportAlias]:
    if not isinstance(line.node, cst.ImportFrom) or line.module.rpartition(".")[2] not in homes:
        return []
    return [alias for alias in line.aliases if alias.evaluated_name == name]


def _use_imported(tree: Tree, alias: cst.ImportAlias, factory: str) -> Edit | None:
    """None where nothing there depends on it, or the factory's name is another's."""
    local = alias.evaluated_alias or alias.evaluated_name
    uses = _uses(tree, factory, lambda node, _: node.value == local)
    if not uses or factory in names_in([tree.module]):
        return None
    at = tree.span(alias.asname or alias.name).end
    return Edit(tree.text, replaced=(*uses, Replace(at, at, f", {factory}")))


def _uses(tree: Tree, factory: str, is_class: _IsClass) -> list[Replace]:
    found = (_use(tree, node, ancestors, factory, is_class) for node, ancestors in walk(tree.module))
    return [use for use in found if use is not None]


def _use(
    tree: Tree, node: cst.CSTNode, ancestors: Ancestors, factory: str, is_class: _IsClass
) -> Replace | None:
    """For a ``Depends`` that depends on the class: what makes it depend on the factory."""
    if not isinstance(node, cst.Call) or call_name(node) not in DEPENDS:
        return None
    first = node.args[0] if node.args else None
    if first is not None and (first.keyword is None or first.keyword.value == "dependency"):
        if isinstance(first.value, cst.Name) and is_class(first.value, ancestors):
            return Replace(*tree.span(first.value), factory)
        return None
    typed = _type_beside(tree, node, ancestors)
    if isinstance(typed, cst.Name) and is_class(typed, ancestors):
        at = tree.span(node.whitespace_before_args).start
        return Replace(at, at, factory + (", " if node.args else ""))
    return None


def _type_beside(tree: Tree, call: cst.Call, ancestors: Ancestors) -> cst.BaseExpression | None:
    """``Paging`` in ``paging: Paging = Depends()`` and in ``Annotated[Paging, Depends()]``."""
    parent = ancestors[-1]
    if isinstance(parent, cst.Param) and parent.default is call and parent.annotation is not None:
        return parent.annotation.annotation
    if not (isinstance(parent, cst.Index) and isinstance(subscript := ancestors[-3], cst.Subscript)):
        return None
    if meaning(tree, subscript.value, scopes_of(ancestors, call)) not in _ANNOTATED:
        return None
    first = subscript.slice[0].slice
    return first.value if isinstance(first, cst.Index) else None


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
