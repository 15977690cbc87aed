"""Reading the dispatch function of a ``BaseHTTPMiddleware``: is it one that pure ASGI can do step by step?

It is where it does something, calls the next app once, sets headers, and returns that response; or returns a
response of its own before. Everything else, such as reading a body, is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from .bindings import bindings_of
from .meaning import response_class
from .names import names_used
from .tree import Tree
from .values import Refused
from .walking import Ancestors, body_nodes, walk

RESERVED = frozenset({"scope", "receive", "send", "message"})
_READ_ONLY = frozenset(
    {"app", "auth", "base_url", "client", "cookies", "headers", "method", "path_params"}
    | {"query_params", "scope", "session", "state", "url", "url_for", "user"}
)
Change = tuple[int, int, str]
"""(start, end, new text), in the order of the text."""


@dataclass(frozen=True)
class Region:
    """Statements that move, with the comments among them."""

    start: int
    end: int
    statements: tuple[cst.CSTNode, ...]


@dataclass(frozen=True)
class Dispatch:
    function: cst.FunctionDef
    around: Ancestors
    owner: str | None
    """``self``, for a method."""
    request: str
    call_next: str
    response: str | None
    docstring: cst.SimpleStatementLine | None
    before: Region
    after: Region
    remark: str
    """The comment behind the line that calls the next app."""

    @property
    def uses_request(self) -> bool:
        used = [node for region in (self.before, self.after) for node in region.statements]
        return any(_is_name(node, self.request) for node in _inner(used) if not self._is_in_call_next(node))

    def _is_in_call_next(self, node: cst.CSTNode) -> bool:
        calls = (each for each in _inner(self.before.statements) if self.passes_on(each))
        return any(node is inner for call in calls for inner, _ in walk(call))

    def passes_on(self, node: cst.CSTNode | None) -> bool:
        """Whether it is ``await call_next(request)``."""
        return (
            isinstance(node, cst.Await)
            and isinstance(node.expression, cst.Call)
            and _is_name(node.expression.func, self.call_next)
            and len(node.expression.args) == 1
            and _is_name(node.expression.args[0].value, self.request)
        )


def read_dispatch(tree: Tree, function: cst.FunctionDef, around: Ancestors, *, method: bool) -> Dispatch:
    """Raises Refused where it does what cannot be carried over statement by statement."""
    names = [parameter.name.value for parameter in function.params.params]
    owner = names.pop(0) if method and names else None
    if len(names) != 2 or function.asynchronous is None or not isinstance(function.body, cst.IndentedBlock):
        raise Refused("it is not written as async def with a request and call_next")
    statements = list(function.body.body)
    docstring = statements.pop(0) if _is_docstring(statements[0]) else None
    request, call_next = names
    number, response = _main(statements, request, call_next)
    if response is not None and not _returns(statements[-1], response):
        raise Refused(f"{response} is not what it returns at its end")
    last = len(statements) - 1 if response is not None else number
    main, final = statements[number], statements[last]
    start = tree.span(docstring).end if docstring else tree.span(function.body).start
    start = start if docstring else _first_line(tree, start)
    dispatch = Dispatch(
        function,
        around,
        owner,
        request,
        call_next,
        response,
        docstring if isinstance(docstring, cst.SimpleStatementLine) else None,
        Region(start, tree.begin(main), tuple(statements[:number])),
        Region(tree.span(main).end, tree.begin(final), tuple(statements[number + 1 : last])),
        _comment(main),
    )
    _check(tree, dispatch)
    behind = tree.text[tree.span(final).end : tree.span(function).end]
    if "#" in behind or (response is not None and _comment(final)):
        raise Refused("a comment stands behind its last return")
    return dispatch


def changes(tree: Tree, dispatch: Dispatch, headers: str, status: str) -> tuple[list[Change], list[Change]]:
    """What is written otherwise before and after the next app: returns there, uses of the response here."""
    before = [
        change for node, inside in _placed(dispatch.before) for change in _early(tree, dispatch, node, inside)
    ]
    after = []
    for node, inside in _placed(dispatch.after):
        if isinstance(node, cst.Attribute) and _is_name(node.value, dispatch.response):
            stored = isinstance(inside[-1], cst.AssignTarget | cst.AugAssign) and node.attr.value != "headers"
            new = headers if node.attr.value == "headers" else 'message["status"]' if stored else status
            after.append((*tree.span(node), new))
    if {'message["status"]', status} <= {new for *_, new in after}:
        raise Refused("it reads the status that it sets")
    return before, after


def _first_line(tree: Tree, colon: int) -> int:
    """Behind the line on which a body's block begins."""
    end = tree.text.find("\n", colon)
    return end + 1


def _main(statements: Sequence[cst.CSTNode], request: str, call_next: str) -> tuple[int, str | None]:
    """(number of the statement that calls the next app, the variable it gives its response to)."""
    for number, statement in enumerate(statements):
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            continue
        small = statement.body[0]
        value = getattr(small, "value", None)
        if not _calls(value, request, call_next):
            continue
        if isinstance(small, cst.Return) and number == len(statements) - 1:
            return number, None
        target = _target(small)
        if target is not None:
            return number, target
    raise Refused(f"await {call_next}({request}) is not a statement of its own in it")


def _calls(node: object, request: str, call_next: str) -> bool:
    if not isinstance(node, cst.Await) or not isinstance(node.expression, cst.Call):
        return False
    call = node.expression
    return _is_name(call.func, call_next) and [_is_name(arg.value, request) for arg in call.args] == [True]


def _target(statement: cst.CSTNode) -> str | None:
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0].target
    elif isinstance(statement, cst.AnnAssign):
        target = statement.target
    else:
        return None
    return target.value if isinstance(target, cst.Name) else None


def _check(tree: Tree, dispatch: Dispatch) -> None:
    function = dispatch.function
    used = names_used(function.body)
    if clash := used & (RESERVED | ({"self"} if dispatch.owner is None else frozenset())):
        raise Refused(f"it uses the name {min(clash)}, which ASGI needs")
    for node in body_nodes(function):
        if isinstance(node, cst.Global | cst.Nonlocal | cst.Yield):
            raise Refused("it has a global, nonlocal or yield")
    for region in (dispatch.before, dispatch.after):
        _refuse_long_texts(tree, region)
        for node, inside in _placed(region):
            _check_request(tree, dispatch, node, inside)
    for node, inside in _placed(dispatch.before):
        if dispatch.response and _is_name(node, dispatch.response):
            raise Refused(f"{dispatch.response} is bound more than once in it")
        if _is_name(node, dispatch.call_next) and not any(dispatch.passes_on(each) for each in inside):
            raise Refused(f"{dispatch.call_next} is used otherwise on line {_line(tree, node)}")
    for node, inside in _placed(dispatch.after):
        _check_after(tree, dispatch, node, inside)
    _refuse_shared_names(tree, dispatch)


def _check_request(tree: Tree, dispatch: Dispatch, node: cst.CSTNode, inside: Ancestors) -> None:
    if not _is_name(node, dispatch.request) or any(dispatch.passes_on(each) for each in inside):
        return
    parent = inside[-1]
    if not isinstance(parent, cst.Attribute) or parent.value is not node:
        raise Refused(f"the request is handed on, or bound again, on line {_line(tree, node)}")
    if parent.attr.value not in _READ_ONLY:
        raise Refused(f"it uses request.{parent.attr.value}, which may need the body")


def _check_after(tree: Tree, dispatch: Dispatch, node: cst.CSTNode, inside: Ancestors) -> None:
    if isinstance(node, cst.Return) and not any(isinstance(each, cst.FunctionDef) for each in inside):
        raise Refused(f"it returns something else on line {_line(tree, node)}")
    if _is_name(node, dispatch.call_next):
        raise Refused(f"{dispatch.call_next} is used again on line {_line(tree, node)}")
    if not _is_name(node, dispatch.response):
        return
    parent = inside[-1]
    if not isinstance(parent, cst.Attribute) or parent.value is not node:
        raise Refused(f"the response is handed on, or bound again, on line {_line(tree, node)}")
    if parent.attr.value not in ("headers", "status_code"):
        raise Refused(f"it uses {dispatch.response}.{parent.attr.value}, which pure ASGI does not have")
    if parent.attr.value == "headers" and isinstance(inside[-2], cst.AssignTarget):
        raise Refused("it replaces all headers of the response")


def _refuse_shared_names(tree: Tree, dispatch: Dispatch) -> None:
    """A variable that is set before and again after would be two, in two functions."""
    bound = bindings_of(tree, dispatch.function)
    after = {each.name for each in bound if dispatch.after.start <= each.offset < dispatch.after.end}
    before = {each.name for each in bound if each.offset < dispatch.after.start}
    if both := after & before:
        raise Refused(f"{min(both)} is bound before and after the next app is called")


def _refuse_long_texts(tree: Tree, region: Region) -> None:
    for node in _inner(region.statements):
        if isinstance(node, cst.SimpleString | cst.FormattedString) and "\n" in tree.source(node):
            raise Refused(f"a text of several lines cannot move (line {_line(tree, node)})")


def _early(tree: Tree, dispatch: Dispatch, node: cst.CSTNode, inside: Ancestors) -> Iterator[Change]:
    """``return JSONResponse(…)`` and ``return await call_next(request)`` before the next app is called."""
    if not isinstance(node, cst.Return) or any(isinstance(each, cst.FunctionDef) for each in inside):
        return
    value, span = node.value, tree.span(node)
    between = "; " if isinstance(inside[-1], cst.SimpleStatementSuite) else "\n" + tree.indent_of(span.start)
    if dispatch.passes_on(value):
        sent = f"{dispatch.owner or 'self'}.app"
    elif isinstance(value, cst.Call) and _is_response(tree, dispatch, value):
        sent = tree.source(value)
    else:
        raise Refused(f"what it returns on line {_line(tree, node)} is not seen to be a response")
    yield span.start, span.end, f"await {sent}(scope, receive, send){between}return"


def _is_response(tree: Tree, dispatch: Dispatch, call: cst.Call) -> bool:
    return response_class(tree, call.func, (*dispatch.around, dispatch.function)) is not None


def _placed(region: Region) -> Iterator[tuple[cst.CSTNode, Ancestors]]:
    for statement in region.statements:
        yield from walk(statement)


def _inner(statements: Collection[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    return (node for statement in statements for node, _ in walk(statement))


def _is_name(node: object, name: str | None) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _is_docstring(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and len(statement.body) == 1
        and isinstance(statement.body[0], cst.Expr)
        and isinstance(statement.body[0].value, cst.SimpleString | cst.ConcatenatedString)
    )


def _returns(statement: cst.CSTNode, name: str) -> bool:
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and len(statement.body) == 1
        and isinstance(statement.body[0], cst.Return)
        and _is_name(statement.body[0].value, name)
    )


def _comment(statement: cst.CSTNode) -> str:
    assert isinstance(statement, cst.SimpleStatementLine)
    comment = statement.trailing_whitespace.comment
    return f"  {comment.value}" if comment else ""


def _line(tree: Tree, node: cst.CSTNode) -> int:
    return tree.line_number(tree.span(node).start)
