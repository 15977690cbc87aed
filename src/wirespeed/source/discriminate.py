"""``Annotated[A | B, Field(discriminator="kind")]`` for a union that Pydantic tells apart by trying.

The union is looked for where the route's type names it: in the type itself, in an alias of the module, in a
field of one of its models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from .bindings import bindings_of
from .edit import Edit, Need, Replace
from .meaning import meaning
from .names_at import NamesAt
from .references import mentions
from .routes import keyword_argument, route_decorators
from .spot import FileEdit, Imports, Spot
from .tree import Tree
from .values import FunctionAt, Refused
from .walking import Ancestors, call_name, walk

_UNION = frozenset({"typing.Union", "typing_extensions.Union"})
_ANNOTATED = ("typing", "typing_extensions")
_LITERAL = frozenset({"typing.Literal", "typing_extensions.Literal"})
_CHECKS = frozenset({"isinstance", "issubclass"})


def discriminate(spot: Spot) -> Iterator[FileEdit]:
    """For the route or model that begins on the line; ``spot.name`` is the field.

    Raises Refused where no union of models that have the field is seen.
    """
    if spot.name is None:
        raise Refused("the field that discriminates is not known")
    tree, search = spot.tree, _Search(spot.tree, spot.name)
    for expression, statement in _types_there(spot):
        search.look_into(expression, statement)
    if not search.found:
        raise Refused(f"no union of models that have a field {spot.name} is seen in its type")
    replaced, needs = list[Replace](), tuple[Need, ...]()
    for union, statement in search.found:
        written, needed = _wrapped(tree, union, statement, spot.name)
        replaced += written
        needs += needed
    yield spot.path, Edit(tree.text, replaced=tuple(replaced), needs=needs, note=search.note)


def _types_there(spot: Spot) -> list[tuple[cst.BaseExpression, cst.CSTNode]]:
    """Types, each with the statement of the module that it stands in."""
    tree, model = spot.tree, spot.class_there()
    if model is not None:
        return [(field.annotation.annotation, model) for field in _fields(model)]
    function = tree.function(FunctionAt(spot.line))
    models = [keyword_argument(call, "response_model") for call in route_decorators(function)]
    types = [each.value for each in models if each is not None]
    if not types and function.node.returns is not None:
        types = [function.node.returns.annotation]
    return [(each, function.top_statement) for each in types]


class _Search:
    """``found``: unions, each with the statement of the module that it stands in."""

    def __init__(self, tree: Tree, field: str) -> None:
        self.found: list[tuple[cst.BaseExpression, cst.CSTNode]] = []
        self.note: str | None = None
        self._tree, self._field = tree, field
        self._seen = set[str]()

    def look_into(self, expression: cst.BaseExpression, statement: cst.CSTNode) -> None:
        members = _members(self._tree, expression)
        if members and self._can_be_told_apart(members):
            self.found.append((expression, statement))
            return
        if isinstance(expression, cst.Name):
            self._follow(expression.value)
        elif isinstance(expression, cst.Subscript):
            for element in expression.slice:
                if isinstance(element.slice, cst.Index):
                    self.look_into(element.slice.value, statement)
        elif members:
            for member in members:
                self.look_into(member, statement)

    def _follow(self, name: str) -> None:
        """To an alias or a model that the module itself defines."""
        if name in self._seen:
            return
        self._seen.add(name)
        for statement in self._tree.module.body:
            if isinstance(statement, cst.ClassDef) and statement.name.value == name:
                for field in _fields(statement):
                    self.look_into(field.annotation.annotation, statement)
            elif (value := _alias_of(statement, name)) is not None:
                before = len(self.found)
                self.look_into(value, statement)
                if len(self.found) > before:
                    self._take_alias(name)

    def _take_alias(self, name: str) -> None:
        for _, inside in mentions(self._tree, name):
            if any(isinstance(node, cst.Call) and call_name(node) in _CHECKS for node in inside):
                raise Refused(f"{name} is used with isinstance, which takes no Annotated")
        self.note = f"whatever else uses {name} is told apart by {self._field} as well"

    def _can_be_told_apart(self, members: Sequence[cst.BaseExpression]) -> bool:
        """Classes of other files are taken at the caller's word."""
        models = [member for member in members if not _is_none(member)]
        return len(models) > 1 and all(self._has_literal(model) for model in models)

    def _has_literal(self, model: cst.BaseExpression) -> bool:
        if not isinstance(model, cst.Name):
            return isinstance(model, cst.Attribute)
        bound = [each for each in bindings_of(self._tree, self._tree.module) if each.name == model.value]
        if not bound or any(each.value is not None for each in bound):
            return False
        classes = [
            each
            for each in self._tree.module.body
            if isinstance(each, cst.ClassDef) and each.name.value == model.value
        ]
        return not classes or any(_pins(self._tree, each, self._field) for each in classes)


def _members(tree: Tree, expression: cst.BaseExpression) -> list[cst.BaseExpression]:
    """Of ``Union[A, B]`` and ``A | B``; empty for what is no union."""
    if isinstance(expression, cst.BinaryOperation) and isinstance(expression.operator, cst.BitOr):
        sides = (expression.left, expression.right)
        return [member for side in sides for member in _members(tree, side) or [side]]
    if isinstance(expression, cst.Subscript) and meaning(tree, expression.value) in _UNION:
        indices = [element.slice for element in expression.slice]
        return [index.value for index in indices if isinstance(index, cst.Index)]
    return []


def _pins(tree: Tree, model: cst.ClassDef, field: str) -> bool:
    """Whether the class has the field, and where it writes it out pins literals in it."""
    own = [
        each for each in _fields(model) if isinstance(each.target, cst.Name) and each.target.value == field
    ]
    if own:
        annotation = own[-1].annotation.annotation
        return isinstance(annotation, cst.Subscript) and meaning(tree, annotation.value) in _LITERAL
    return bool(model.bases)


def _fields(model: cst.ClassDef) -> list[cst.AnnAssign]:
    lines = [line for line in model.body.body if isinstance(line, cst.SimpleStatementLine)]
    return [each for line in lines for each in line.body if isinstance(each, cst.AnnAssign)]


def _alias_of(statement: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    for part in parts:
        targets: Sequence[cst.CSTNode] = ()
        if isinstance(part, cst.Assign):
            targets = [each.target for each in part.targets]
        elif isinstance(part, cst.AnnAssign | cst.TypeAlias):
            targets = [part.target if isinstance(part, cst.AnnAssign) else part.name]
        if any(isinstance(each, cst.Name) and each.value == name for each in targets):
            return part.value if isinstance(part, cst.Assign | cst.AnnAssign | cst.TypeAlias) else None
    return None


def _is_none(expression: cst.BaseExpression) -> bool:
    return isinstance(expression, cst.Name) and expression.value == "None"


def _wrapped(
    tree: Tree, union: cst.BaseExpression, statement: cst.CSTNode, field: str
) -> tuple[list[Replace], tuple[Need, ...]]:
    if _is_annotated(tree, union, statement):
        raise Refused("the union has annotations already")
    above, _ = tree.top(statement)
    definition = statement if isinstance(statement, cst.FunctionDef | cst.ClassDef) else None
    imports = Imports(NamesAt(tree, definition, (), above), above)
    annotated, needs = imports.of_any(_ANNOTATED, "Annotated")
    named_field, needs_field = imports.of("pydantic", "Field")
    start, end = tree.span(union)
    return [
        Replace(start, start, f"{annotated}["),
        Replace(end, end, f', {named_field}(discriminator="{field}")]'),
    ], (*needs, *needs_field)


def _is_annotated(tree: Tree, union: cst.BaseExpression, statement: cst.CSTNode) -> bool:
    inside: Ancestors = next(found for node, found in walk(statement) if node is union)
    subscript = inside[-3] if len(inside) > 2 and isinstance(inside[-1], cst.Index) else None
    return isinstance(subscript, cst.Subscript) and (meaning(tree, subscript.value) or "").endswith(
        ".Annotated"
    )
