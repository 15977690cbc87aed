"""A pure ASGI middleware in the place of a ``BaseHTTPMiddleware``, statement by statement.

What ran before the next app runs before it; what ran when its response had begun runs when its first message
passes, and sets headers there. The middleware stays where it was among the others.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from .asgi_text import AsgiText
from .dispatch import Dispatch, read_dispatch
from .edit import Edit, Replace
from .meaning import meaning
from .names import names_used
from .references import mentions, refuse_other_uses
from .spot import FileEdit, Spot, imports_at
from .tree import Function, Tree
from .values import Refused
from .walking import Ancestors, call_name, names_in, walk

_BASE = "starlette.middleware.base.BaseHTTPMiddleware"
_ADDS = frozenset({"add_middleware", "Middleware"})


def pure_asgi(spot: Spot) -> Iterator[FileEdit]:
    """For the function or class there. Raises Refused where its dispatch does what cannot be carried over."""
    for node, ancestors in walk(spot.tree.module):
        if isinstance(node, cst.ClassDef) and _is_meant(spot, node):
            yield spot.path, _of_class(spot, node, ancestors[1:])
            return
    yield spot.path, _of_function(spot, spot.function())


def _is_meant(spot: Spot, node: cst.ClassDef) -> bool:
    """The class or its dispatch begins on the line."""
    dispatch = _methods(node).get("dispatch")
    lines = spot.tree.header_lines
    return spot.line in lines(node) or (dispatch is not None and spot.line in lines(dispatch))


def _methods(node: cst.ClassDef) -> dict[str, cst.FunctionDef]:
    return {each.name.value: each for each in node.body.body if isinstance(each, cst.FunctionDef)}


def _of_function(spot: Spot, function: Function) -> Edit:
    tree, node = spot.tree, function.node
    adding = _adding(spot, function)
    dispatch = read_dispatch(tree, node, function.around, method=False)
    start, end = tree.begin(node), tree.span(node).end
    _refuse_comments(tree, start, dispatch)
    indent = tree.indent_of(start)
    text = AsgiText(tree, dispatch, imports_at(tree, function), indent + tree.module.default_indent)
    name = spot.free_in_module(_class_name(function.name))
    docstring = text.docstring()
    methods = text.initial() + "\n" + text.call()
    whole = f"class {name}:\n{docstring}" + ("\n" if docstring else "") + methods
    if isinstance(adding, cst.Call):
        start_of, end_of = tree.span(adding.args[0]).start, tree.span(adding.args[1].value).end
        added = [Replace(start_of, end_of, name, names_used(adding))]
    else:
        between = "\n" if indent else "\n\n"
        added, whole = [], f"{whole}{between}{indent}{adding}.add_middleware({name})\n"
    header = [*node.decorators, node.params, *([node.returns] if node.returns else [])]
    return Edit(
        tree.text,
        replaced=(*added, Replace(start + len(indent), end, whole, names_in(header))),
        needs=text.needs,
    )


def _class_name(function: str) -> str:
    words = "".join(word[:1].upper() + word[1:] for word in function.split("_"))
    return words.removesuffix("Middleware") + "Middleware"


def _adding(spot: Spot, function: Function) -> cst.Call | str:
    """The ``add_middleware(BaseHTTPMiddleware, dispatch=…)`` there is; or ``app`` of ``@app.middleware``."""
    tree, decorators = spot.tree, function.node.decorators
    if not decorators:
        return _added_with(tree, function)
    call = decorators[0].decorator
    if len(decorators) > 1 or not isinstance(call, cst.Call) or call_name(call) != "middleware":
        raise Refused("it has other decorators than one of middleware")
    if not isinstance(call.func, cst.Attribute):
        raise Refused("it is not seen which app it belongs to")
    refuse_other_uses(spot, function.node, function.around, (), ", where a function is expected")
    return tree.source(call.func.value)


def _added_with(tree: Tree, function: Function) -> cst.Call:
    uses = [inside for node, inside in mentions(tree, function.name) if node is not function.node.name]
    call = uses[0][-2] if len(uses) == 1 and _is_dispatch_argument(uses[0]) else None
    if not isinstance(call, cst.Call):
        raise Refused("it is not seen to be added once, as the dispatch of a BaseHTTPMiddleware")
    if len(call.args) != 2 or call_name(call) not in _ADDS or meaning(tree, call.args[0].value) != _BASE:
        raise Refused("it is added with other options than dispatch")
    return call


def _is_dispatch_argument(inside: Ancestors) -> bool:
    arg = inside[-1]
    return isinstance(arg, cst.Arg) and arg.keyword is not None and arg.keyword.value == "dispatch"


def _of_class(spot: Spot, node: cst.ClassDef, around: Ancestors) -> Edit:
    tree, methods = spot.tree, _methods(node)
    _refuse_odd_class(spot, node, around, methods)
    method = methods["dispatch"]
    dispatch = read_dispatch(tree, method, (*around, node), method=True)
    start = tree.begin(method)
    _refuse_comments(tree, start, dispatch)
    indent = tree.indent_of(start)
    text = AsgiText(tree, dispatch, imports_at(tree, Function(method, (*around, node))), indent)
    made = methods.get("__init__")
    initial = "" if made else text.initial() + "\n"
    whole = initial + text.call(text.docstring(1))
    header = [method.params, *([method.returns] if method.returns else [])]
    replaced = [
        _without_base(tree, node),
        *([] if made is None else [_own_app(tree, made)]),
        Replace(start + len(indent), tree.span(method).end, whole.removeprefix(indent), names_in(header)),
    ]
    return Edit(tree.text, replaced=tuple(replaced), needs=text.needs)


def _refuse_odd_class(
    spot: Spot, node: cst.ClassDef, around: Ancestors, methods: dict[str, cst.FunctionDef]
) -> None:
    tree = spot.tree
    if [meaning(tree, base.value, around) for base in node.bases] != [_BASE] or "dispatch" not in methods:
        raise Refused("it is no class with BaseHTTPMiddleware as its only base and a dispatch of its own")
    if node.keywords or node.decorators or methods["dispatch"].decorators or "__call__" in methods:
        raise Refused("its class or its dispatch is decorated, or made with options")
    if any(
        isinstance(inside[-1], cst.Attribute) for _, inside in mentions(tree, "dispatch")
    ) or "dispatch_func" in names_in([node]):
        raise Refused("its dispatch is used otherwise")
    refuse_other_uses(spot, node, around, _ADDS, ", where it may have to be a BaseHTTPMiddleware")


def _without_base(tree: Tree, node: cst.ClassDef) -> Replace:
    assert isinstance(node.lpar, cst.LeftParen)
    assert isinstance(node.rpar, cst.RightParen)
    start, end = tree.span(node.lpar).start, tree.span(node.rpar).end
    return Replace(start, end, "", names_used(node.bases[0].value))


def _own_app(tree: Tree, initial: cst.FunctionDef) -> Replace:
    """``self.app = app`` for ``super().__init__(app)``."""
    owner = initial.params.params[0].name.value if initial.params.params else "self"
    for node, inside in walk(initial.body):
        if isinstance(node, cst.Call) and tree.source(node.func) == "super().__init__":
            if len(node.args) != 1 or node.args[0].star or not isinstance(inside[-1], cst.Expr):
                raise Refused("its __init__ gives BaseHTTPMiddleware more than the app")
            return Replace(*tree.span(node), f"{owner}.app = {tree.source(node.args[0].value)}")
    raise Refused("its __init__ does not call that of BaseHTTPMiddleware in a way that can be followed")


def _refuse_comments(tree: Tree, start: int, dispatch: Dispatch) -> None:
    body = tree.begin(dispatch.docstring) if dispatch.docstring else dispatch.before.start
    if "#" in tree.text[start:body]:
        raise Refused("a comment stands in its header, which would go")
