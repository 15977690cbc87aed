"""The decorators that make a function an endpoint, and the keywords they give."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from .comma_list import CommaList, Item
from .edit import Drop, Edit
from .names import names_used
from .tree import Function, Tree
from .values import Refused

_METHODS = frozenset({"api_route", "delete", "get", "head", "options", "patch", "post", "put", "trace"})


def route_decorators(function: Function) -> list[cst.Call]:
    """``@router.get(…)`` and its siblings, from the top."""
    expressions = [decorator.decorator for decorator in function.node.decorators]
    return [call for call in expressions if isinstance(call, cst.Call) and _makes_route(call)]


def refuse_loop(function: Function) -> None:
    """Raises Refused where the function is one of many that the same lines make."""
    if any(isinstance(node, cst.For | cst.While) for node in function.around):
        raise Refused("the route is made in a loop, and others with it")


def keyword_argument(call: cst.Call, keyword: str) -> cst.Arg | None:
    return next((arg for arg in call.args if arg.keyword and arg.keyword.value == keyword), None)


def has_double_star(call: cst.Call) -> bool:
    return any(arg.star == "**" for arg in call.args)


def drop_argument(tree: Tree, call: cst.Call, argument: cst.Arg) -> Drop:
    listed = CommaList(
        items=tuple(_item(tree, each) for each in call.args),
        open=tree.span(call.whitespace_before_args).start,
        close=tree.span(call.args[-1]).end,
    )
    return Drop(listed, _item(tree, argument), names_used(argument.value))


def drop_keywords(tree: Tree, function: Function, keywords: Sequence[str]) -> Edit:
    """Raises Refused where one of them is not there, or not the same for all routes of the function."""
    calls = route_decorators(function)
    if not calls:
        raise Refused("no decorator of it makes a route")
    return Edit(tree.text, drops=tuple(drop for keyword in keywords for drop in _drops(tree, calls, keyword)))


def _drops(tree: Tree, calls: Sequence[cst.Call], keyword: str) -> list[Drop]:
    found = [keyword_argument(call, keyword) for call in calls]
    if not any(found):
        stars = any(map(has_double_star, calls))
        raise Refused(f"its decorator does not name {keyword}" + (", but has **options" if stars else ""))
    given = [(call, argument) for call, argument in zip(calls, found, strict=True) if argument is not None]
    if len(given) < len(calls) or len({tree.source(argument.value) for _, argument in given}) > 1:
        raise Refused(f"it has several routes, which differ in {keyword}")
    return [drop_argument(tree, call, argument) for call, argument in given]


def _makes_route(call: cst.Call) -> bool:
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in _METHODS


def _item(tree: Tree, argument: cst.Arg) -> Item:
    end = tree.span(argument.value).end
    comma = argument.comma
    stop = tree.span(comma.whitespace_after).start if isinstance(comma, cst.Comma) else end
    return Item(tree.span(argument).start, end, stop)
