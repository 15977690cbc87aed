"""Going through a module's nodes with what they stand in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import libcst as cst

Ancestors = tuple[cst.CSTNode, ...]
"""What a node stands in, outermost first."""

_SPACE = (cst.BaseParenthesizableWhitespace, cst.TrailingWhitespace, cst.EmptyLine, cst.Newline, cst.Comment)
_OWN_SCOPE = (cst.FunctionDef, cst.ClassDef, cst.Lambda)


def walk(node: cst.CSTNode, ancestors: Ancestors = ()) -> Iterator[tuple[cst.CSTNode, Ancestors]]:
    """The node and all below it, in the order of the text; whitespace and comments are left out."""
    yield node, ancestors
    inside = (*ancestors, node)
    for child in node.children:
        if not isinstance(child, _SPACE):
            yield from walk(child, inside)


def own_nodes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all that runs with it: bodies of functions, classes and lambdas in it are left out."""
    yield node
    for child in node.children:
        if not isinstance(child, (*_SPACE, *_OWN_SCOPE)):
            yield from own_nodes(child)


def body_nodes(function: cst.FunctionDef) -> Iterator[cst.CSTNode]:
    """What runs when the function is called."""
    yield from own_nodes(function.body)


def scopes_of(ancestors: Ancestors, node: cst.CSTNode) -> Ancestors:
    """The functions and classes in whose bodies a node stands; decorators and defaults are outside."""
    path = [*ancestors, node]
    return tuple(
        outer
        for outer, inner in pairwise(path)
        if isinstance(outer, cst.FunctionDef | cst.ClassDef) and inner is outer.body
    )


def names_in(nodes: Sequence[cst.CSTNode]) -> frozenset[str]:
    """All words that stand for something: names, attributes, keywords."""
    found = (inner for node in nodes for inner, _ in walk(node))
    return frozenset(node.value for node in found if isinstance(node, cst.Name))


def call_name(call: cst.Call) -> str:
    """``add`` of ``tools.add(…)``; empty where what is called has no name."""
    called = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    return called.value if isinstance(called, cst.Name) else ""
