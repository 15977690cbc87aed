"""Returning the value instead of a response built by hand, or instances instead of their dumps.

Status and headers go through the ``Response`` that FastAPI injects. Responses that tell of an error, and
those of other kinds, stay as they are: FastAPI passes them on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from .annotate import says_response
from .edit import Edit, Replace
from .hand_built import HandBuilt, read_hand_built, status_code
from .injected import Injected, existing_response, injected_response
from .names import names_used
from .references import MAKES_ROUTE, refuse_other_uses
from .routes import keyword_argument, refuse_loop, route_decorators
from .spot import FileEdit, Spot
from .tree import Function, Tree
from .undump import Undumping, unwrap
from .values import Refused
from .walking import Ancestors, body_nodes, walk

_NO_BODY = frozenset({204, 205, 304})


def return_value(spot: Spot) -> Iterator[FileEdit]:
    """Raises Refused where no response can be taken away, or one of them does what a route cannot."""
    tree, function = spot.tree, spot.function()
    _refuse_unless_endpoint(spot, function)
    undumping = Undumping(tree, function)
    sites = [site for site in _sites(undumping) if _is_success(site.built)]
    if not sites:
        raise Refused("it returns no JSON response that it builds by hand")
    existing_response(tree, function)
    replaced = [gap for site in sites for gap in _bare(undumping, site.built)]
    settings = [(site, _settings(tree, function, site.built)) for site in sites]
    injected = injected_response(tree, function) if any(lines for _, lines in settings) else None
    if injected is not None:
        replaced += [_before(tree, site, injected, lines) for site, lines in settings if lines]
        replaced += injected.replaced
    replaced += _without_annotation(tree, function)
    yield spot.path, Edit(tree.text, replaced=tuple(replaced), needs=injected.needs if injected else ())


def return_instances(spot: Spot) -> Iterator[FileEdit]:
    """Raises Refused where nothing that is returned is seen to be dumped."""
    tree, function = spot.tree, spot.function()
    _refuse_unless_endpoint(spot, function)
    undumping = Undumping(tree, function)
    gaps = [gap for value, _ in _returned(function) for gap in undumping.strip(value)]
    if not gaps:
        raise Refused("nothing that it returns is seen to be dumped")
    yield spot.path, Edit(tree.text, replaced=tuple(dict.fromkeys(gaps)))


def _refuse_unless_endpoint(spot: Spot, function: Function) -> None:
    refuse_loop(function)
    routes = route_decorators(function)
    if not routes:
        raise Refused("no decorator of it makes a route")
    if others := [each for each in function.node.decorators if each.decorator not in routes]:
        raise Refused(f"its decorator @{spot.tree.source(others[0].decorator)} may rely on what it returns")
    if any(isinstance(node, cst.Yield) for node in body_nodes(function.node)):
        raise Refused("it is a generator")
    why = ", where another value may not do"
    refuse_other_uses(spot, function.node, function.around, MAKES_ROUTE, why)


class _Site:
    """A response, and the statement that builds it with what that stands in."""

    def __init__(self, built: HandBuilt, statement: cst.CSTNode, parent: cst.CSTNode) -> None:
        self.built, self.statement, self.parent = built, statement, parent


def _sites(undumping: Undumping) -> Iterator[_Site]:
    for value, ancestors in _returned(undumping.function):
        statement, parent = ancestors[-1], ancestors[-2]
        if isinstance(value, cst.Name) and (made := undumping.made_for(value)) is not None:
            value = made
            statement, parent = _statement_of(undumping.function, made)
        built = read_hand_built(undumping.tree, value, undumping.scope)
        if built is not None:
            yield _Site(built, statement, parent)


def _returned(function: Function) -> Iterator[tuple[cst.BaseExpression, Ancestors]]:
    """What the function itself returns, and what that stands in."""
    own = set(body_nodes(function.node))
    for node, ancestors in walk(function.node):
        if isinstance(node, cst.Return) and node in own and node.value is not None:
            yield node.value, (*ancestors, node)


def _statement_of(function: Function, value: cst.BaseExpression) -> tuple[cst.CSTNode, cst.CSTNode]:
    return next(
        (node, ancestors[-1])
        for node, ancestors in walk(function.node)
        if isinstance(node, cst.Assign) and node.value is value
    )


def _is_success(built: HandBuilt) -> bool:
    """A status that is computed counts as one; fidelity is measured."""
    return built.code is None or (200 <= built.code < 300 and built.code not in _NO_BODY)


def _bare(undumping: Undumping, built: HandBuilt) -> Iterator[Replace]:
    yield from unwrap(undumping.tree, built.call, built.content)
    yield from undumping.strip(built.content)


def _settings(tree: Tree, function: Function, built: HandBuilt) -> list[str]:
    """What is to be set on the injected response, as what follows its name."""
    lines = []
    if (status := _status_to_set(tree, function, built)) is not None:
        lines.append(f".status_code = {status}")
    lines += [f".headers[{tree.source(key)}] = {tree.source(value)}" for key, value in built.headers]
    return lines


def _status_to_set(tree: Tree, function: Function, built: HandBuilt) -> str | None:
    """None where the route answers with that status by itself."""
    given = [keyword_argument(call, "status_code") for call in route_decorators(function)]
    declared = {200 if each is None else status_code(each.value) for each in given}
    if built.code is not None and declared == {built.code}:
        return None
    return "200" if built.status is None else tree.source(built.status)


def _before(tree: Tree, site: _Site, injected: Injected, lines: Sequence[str]) -> Replace:
    at = tree.span(site.statement).start
    on_one_line = isinstance(site.parent, cst.SimpleStatementSuite)
    between = "; " if on_one_line else "\n" + tree.indent_of(at)
    text = "".join(f"{injected.name}{line}{between}" for line in lines)
    return Replace(at, at, text)


def _without_annotation(tree: Tree, function: Function) -> list[Replace]:
    returns = function.node.returns
    if returns is None:
        return []
    if says_response(tree, function):
        end = tree.span(returns.annotation).end
        start = len(tree.text[: tree.text.rindex("->", 0, end)].rstrip())
        return [Replace(start, end, "", names_used(returns.annotation))]
    if any(name.endswith("Response") for name in names_used(returns.annotation)):
        raise Refused(f"its return annotation names a response: -> {tree.source(returns.annotation)}")
    return []
