"""Reading a JSON response that an endpoint builds by hand: its content, status and headers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import libcst as cst

from .bindings import look_up
from .meaning import meaning, response_class
from .tree import Tree
from .values import Refused
from .walking import Ancestors, call_name

_JSON_CLASSES = frozenset({"JSONResponse", "ORJSONResponse", "UJSONResponse"})
_PARAMETERS = ("content", "status_code", "headers", "media_type", "background")
_DUMPERS = frozenset({"json.dumps", "orjson.dumps", "ujson.dumps", "simplejson.dumps", "rapidjson.dumps"})
_AS_STARLETTE_DOES = frozenset({"ensure_ascii", "separators", "allow_nan"})
_JSON = "application/json"


@dataclass(frozen=True, eq=False)
class HandBuilt:
    """``content`` is the value before it was encoded; ``headers`` are names and values as written."""

    call: cst.Call
    content: cst.BaseExpression
    status: cst.BaseExpression | None
    headers: tuple[tuple[cst.BaseExpression, cst.BaseExpression], ...]

    @property
    def code(self) -> int | None:
        """None where the status is not written out."""
        return 200 if self.status is None else status_code(self.status)


def read_hand_built(tree: Tree, call: cst.BaseExpression, scope: Ancestors) -> HandBuilt | None:
    """None for what is no JSON response of a known class.

    Raises Refused for one that a route cannot give for the endpoint.
    """
    if not isinstance(call, cst.Call):
        return None
    name = response_class(tree, call.func, scope)
    if name not in _JSON_CLASSES and name != "Response":
        return None
    given = _arguments(call)
    media_type = given.get("media_type")
    is_json = media_type is None or _text(media_type) == _JSON
    content = given.get("content")
    if name == "Response":
        content = _encoded(tree, content, scope) if media_type is not None and is_json else None
        if content is None:
            return None
    if not is_json or content is None:
        raise Refused(f"its {name} has {'no content' if content is None else 'a media type of its own'}")
    if "background" in given:
        raise Refused("its response has a background task, which the route would not start")
    return HandBuilt(call, content, given.get("status_code"), _headers(tree, given.get("headers"), scope))


def status_code(expression: cst.BaseExpression) -> int | None:
    """Of ``201`` and of ``status.HTTP_201_CREATED``."""
    if isinstance(expression, cst.Integer):
        return expression.evaluated_value
    name = expression.attr if isinstance(expression, cst.Attribute) else expression
    found = re.match(r"HTTP_(\d{3})_", name.value) if isinstance(name, cst.Name) else None
    return int(found.group(1)) if found else None


def _arguments(call: cst.Call) -> Mapping[str, cst.BaseExpression]:
    if any(arg.star for arg in call.args):
        raise Refused("its response is given arguments by * or **")
    given = {
        arg.keyword.value if arg.keyword else name: arg.value
        for arg, name in zip(call.args, (*_PARAMETERS, *[""] * len(call.args)), strict=False)
    }
    if unknown := set(given) - set(_PARAMETERS):
        raise Refused(f"its response is given {min(unknown)}")
    return given


def _encoded(tree: Tree, content: cst.BaseExpression | None, scope: Ancestors) -> cst.BaseExpression | None:
    """``x`` of ``json.dumps(x)`` and of ``x.model_dump_json()``; None for other bytes."""
    if not isinstance(content, cst.Call):
        return None
    if (
        isinstance(content.func, cst.Attribute)
        and content.func.attr.value == "encode"
        and len(content.args) < 2
    ):
        return _encoded(tree, content.func.value, scope)
    called = meaning(tree, content.func, scope)
    if called in _DUMPERS and content.args and content.args[0].keyword is None:
        for arg in content.args[1:]:
            option = arg.keyword.value if arg.keyword else "more than one value"
            if option not in _AS_STARLETTE_DOES:
                raise Refused(f"{call_name(content)} is given {option}, which the route would not apply")
        return content.args[0].value
    if isinstance(content.func, cst.Attribute) and content.func.attr.value == "model_dump_json":
        if any(arg.keyword is None or arg.keyword.value != "by_alias" for arg in content.args):
            raise Refused("model_dump_json is given options that the route would not apply")
        return content.func.value
    return None


def _headers(
    tree: Tree, headers: cst.BaseExpression | None, scope: Ancestors
) -> tuple[tuple[cst.BaseExpression, cst.BaseExpression], ...]:
    if isinstance(headers, cst.Name) and headers.value != "None":
        bound = look_up(tree, headers.value, scope)
        headers = bound[0].value if len(bound) == 1 and isinstance(bound[0].value, cst.Dict) else headers
        if isinstance(headers, cst.Dict) and _is_changed(tree, bound[0].name):
            raise Refused(f"{bound[0].name}, which its headers come from, may be changed before")
    if headers is None or (isinstance(headers, cst.Name) and headers.value == "None"):
        return ()
    if not isinstance(headers, cst.Dict):
        raise Refused("the headers of its response are not written out as a dict")
    pairs = []
    for element in headers.elements:
        if not isinstance(element, cst.DictElement):
            raise Refused("the headers of its response are not written out one by one")
        if (_text(element.key) or "").lower() in ("content-type", "content-length"):
            raise Refused("its headers have a content type or length of their own")
        pairs.append((element.key, element.value))
    return tuple(pairs)


def _is_changed(tree: Tree, name: str) -> bool:
    """Whether more becomes of a variable than that it is made and read once or more as a whole."""
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*(\[|\.|\|=)", tree.text) is not None


def _text(expression: cst.BaseExpression) -> str | None:
    if not isinstance(expression, cst.SimpleString):
        return None
    value = expression.evaluated_value
    return value if isinstance(value, str) else None
