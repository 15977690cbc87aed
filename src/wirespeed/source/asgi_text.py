"""The text of a pure ASGI middleware, written round the statements of a dispatch function."""

from __future__ import annotations

from collections.abc import Sequence

from .dispatch import Change, Dispatch, Region, changes
from .edit import Need
from .names import names_used
from .spot import Imports, free_name
from .tree import Tree

_REQUEST = ("starlette.requests", "fastapi", "fastapi.requests")


class AsgiText:
    """``indent`` is that of the methods; ``needs`` are complete when everything is written."""

    def __init__(self, tree: Tree, dispatch: Dispatch, imports: Imports, indent: str) -> None:
        self.needs: tuple[Need, ...] = ()
        self._tree, self._dispatch, self._imports = tree, dispatch, imports
        self._indent, self._unit = indent, tree.module.default_indent
        self._own = dispatch.owner or "self"
        used = names_used(dispatch.function)
        self._headers, self._status = free_name("headers", used), free_name("status_code", used)
        self._sender = free_name("send_changed", used)
        self._before, self._after = changes(tree, dispatch, self._headers, self._status)

    def docstring(self, depth: int = 0) -> str:
        """Of the dispatch function: 0 deep for the class, 1 for its ``__call__``."""
        statement = self._dispatch.docstring
        if statement is None:
            return ""
        start, end = self._tree.begin(statement), self._tree.span(statement).end
        return self._moved(Region(start, end, (statement,)), [], depth)

    def initial(self) -> str:
        app = self._type("ASGIApp")
        return self._lines((0, f"def __init__(self, app: {app}) -> None:"), (1, "self.app = app"))

    def call(self, docstring: str = "") -> str:
        """The whole method, from the indent of its ``async def`` to its last line end."""
        scope, receive, send = (self._type(name) for name in ("Scope", "Receive", "Send"))
        head = f"async def __call__({self._own}, scope: {scope}, receive: {receive}, send: {send}) -> None:"
        text = self._lines((0, head)) + docstring + self._pass_through() + self._request() + self._earlier()
        has_after = bool(self._dispatch.after.statements)
        if has_after:
            text += "\n" + self._changed_send() + "\n"
        sent = self._sender if has_after else "send"
        return text + self._lines(
            (1, f"await {self._own}.app(scope, receive, {sent}){self._dispatch.remark}")
        )

    def _pass_through(self) -> str:
        return self._lines(
            (1, 'if scope["type"] != "http":'),
            (2, f"await {self._own}.app(scope, receive, send)"),
            (2, "return"),
        )

    def _request(self) -> str:
        if not self._dispatch.uses_request:
            return ""
        name, needs = self._imports.of_any(_REQUEST, "Request")
        self.needs += needs
        return self._lines((1, f"{self._dispatch.request} = {name}(scope)"))

    def _earlier(self) -> str:
        text = self._moved(self._dispatch.before, self._before, 1)
        if not self._dispatch.after.statements:
            text += self._moved(self._dispatch.after, [], 1)
        return text

    def _changed_send(self) -> str:
        message = self._type("Message")
        lines = [(1, f"async def {self._sender}(message: {message}) -> None:")]
        lines.append((2, 'if message["type"] == "http.response.start":'))
        used = {new for *_, new in self._after}
        if self._headers in used:
            name, needs = self._imports.of("starlette.datastructures", "MutableHeaders")
            self.needs += needs
            lines.append((3, f"{self._headers} = {name}(scope=message)"))
        if self._status in used:
            lines.append((3, f'{self._status} = message["status"]'))
        after = self._moved(self._dispatch.after, self._after, 3)
        return self._lines(*lines) + after + self._lines((2, "await send(message)"))

    def _type(self, name: str) -> str:
        local, needs = self._imports.of("starlette.types", name)
        self.needs += needs
        return local

    def _lines(self, *lines: tuple[int, str]) -> str:
        return "".join(f"{self._indent}{self._unit * depth}{line}\n" for depth, line in lines)

    def _moved(self, region: Region, made: Sequence[Change], depth: int) -> str:
        """The statements with what changes in them, and with another indent."""
        text, done = "", region.start
        for start, end, new in made:
            text, done = text + self._tree.text[done:start] + new, end
        text += self._tree.text[done : max(done, region.end)]
        own = self._tree.indent_of(self._tree.begin(self._dispatch.function.body.body[0]))
        lines = text.replace("\r\n", "\n").strip("\n").rstrip().split("\n")
        if lines == [""]:
            return ""
        indent = self._indent + self._unit * depth
        return "".join(indent + line.removeprefix(own) + "\n" if line.strip() else "\n" for line in lines)
