"""A request for a route, from what its OpenAPI operation says: a draft that knows what it still lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from wirespeed.diagnosis import route_patterns
from wirespeed.diagnosis.request_values import declared_value, offered_value, sample_value, texts
from wirespeed.model.request import Request, Route

Headers = tuple[tuple[str, str], ...]
Parameter = Mapping[str, Any]
Place = Literal["path", "query", "header", "cookie", "body"]

PLACEHOLDER = "…"
FORM_TYPE = "application/x-www-form-urlencoded"

_CONVERTER_SCHEMAS: dict[str, dict[str, str]] = {"uuid": {"type": "string", "format": "uuid"}}
"""What a converter demands beside the operation; the others take any sample."""


class Missing(NamedTuple):
    """Something a request needs and nobody has said."""

    place: Place
    name: str

    def __str__(self) -> str:
        return "a body" if self.place == "body" else f"{self.place} parameter {self.name}"


@dataclass(frozen=True)
class Draft:
    """A request as far as it can be built. It is complete when nothing is ``missing``."""

    method: str
    target: str
    """Encoded path and query. What has no value shows as ``{name}`` there, as ``name=…`` here."""
    headers: Headers
    missing: tuple[Missing, ...]
    body_file: str | None
    """A name for the file its body would come from, where it takes one."""

    def request(self) -> Request:
        return Request(method=self.method, path=self.target, headers=self.headers)

    def option(self) -> str:
        """The option that supplies what is missing, or that names this request."""
        options = _header_options(self.missing)
        if not options or any(missing.place not in ("header", "cookie") for missing in self.missing):
            options.insert(0, self._naming_option())
        return " ".join(options)

    def _naming_option(self) -> str:
        if self.body_file is not None:
            return f"--request {quoted(f'{self.method} {self.target}')} --body @{self.body_file}"
        if self.method == "GET":
            return f"--get {quoted(self.target)}"
        return f"--request {quoted(f'{self.method} {self.target}')}"


def draft_request(route: Route, method: str, given: Headers) -> Draft:
    """Build what can be built. ``given`` are the headers the user sends with every request: they win."""
    parameters = _parameters_by_place(route)
    in_path = _choose("path", parameters["path"], sample_value)
    in_query = _choose("query", parameters["query"], sample_value)
    in_header = _choose("header", _not_given(parameters["header"], _names(given)), declared_value)
    in_cookie = _choose("cookie", _not_given(parameters["cookie"], _cookie_names(given)), declared_value)
    body = route.operation.get("requestBody") or {}
    lacks_body = bool(body.get("required")) and method in ("GET", "HEAD")
    return Draft(
        method=method,
        target=_target(route.path, in_path, in_query),
        headers=merge_headers((*_header_pairs(in_header), *_cookie_pairs(in_cookie)), given),
        missing=(
            *(missing for choice in (in_path, in_query, in_header, in_cookie) for missing in choice.missing),
            *((Missing("body", ""),) if lacks_body else ()),
        ),
        body_file=_body_file(route.path, body)
        if body and (lacks_body or method not in ("GET", "HEAD"))
        else None,
    )


def merge_headers(headers: Headers, winning: Headers) -> Headers:
    """Both, without those of ``headers`` whose name ``winning`` has too."""
    names = _names(winning)
    return (*(pair for pair in headers if pair[0].lower() not in names), *winning)


def body_type(route: Route | None, body: bytes) -> str | None:
    """The content type of a body that came without: what the route declares, else JSON if it looks so."""
    declared = ((route.operation.get("requestBody") or {}).get("content") or {}) if route is not None else {}
    if len(declared) == 1:
        return str(next(iter(declared)))
    return "application/json" if "application/json" in declared or body.lstrip()[:1] in b'{["' else None


def quoted(text: str) -> str:
    """For a shell, always in quotes: option values with a query or a space look alike everywhere."""
    return "'" + text.replace("'", "'\\''") + "'"


class _Choice(NamedTuple):
    values: list[tuple[Parameter, tuple[str, ...]]]
    missing: list[Missing]


def _parameters_by_place(route: Route) -> dict[str, list[Parameter]]:
    places: dict[str, list[Parameter]] = {"path": [], "query": [], "header": [], "cookie": []}
    for parameter in route.operation.get("parameters") or []:
        places.setdefault(parameter["in"], []).append(parameter)
    described = {parameter["name"]: parameter for parameter in places["path"]}
    places["path"] = [
        _path_parameter(name, converter, described.get(name, {}))
        for name, converter in route_patterns.parameters(route.path)
    ]
    return places


def _path_parameter(name: str, converter: str, described: Parameter) -> Parameter:
    """What both the converter and the operation, which may know nothing of it, say of the parameter."""
    schema = {**_CONVERTER_SCHEMAS.get(converter, {}), **(described.get("schema") or {})}
    return {**described, "name": name, "in": "path", "required": True, "schema": schema}


def _choose(
    place: Place, parameters: Sequence[Parameter], pick: Callable[[Parameter], Any | None]
) -> _Choice:
    """Values for what is required; what is optional stays out unless the documentation gives an example."""
    choice = _Choice([], [])
    for parameter in parameters:
        required = bool(parameter.get("required"))
        chosen = texts(pick(parameter) if required else offered_value(parameter))
        if chosen is not None:
            choice.values.append((parameter, chosen))
        elif required:
            choice.missing.append(Missing(place, parameter["name"]))
    return choice


def _target(template: str, in_path: _Choice, in_query: _Choice) -> str:
    path = route_patterns.fill(template, {p["name"]: ",".join(chosen) for p, chosen in in_path.values})
    pairs = [pair for parameter, chosen in in_query.values for pair in _query_pairs(parameter, chosen)]
    pairs += [f"{quote(missing.name, safe='')}={PLACEHOLDER}" for missing in in_query.missing]
    return path + ("?" + "&".join(pairs) if pairs else "")


def _query_pairs(parameter: Parameter, chosen: tuple[str, ...]) -> list[str]:
    values = chosen if parameter.get("explode", True) else (",".join(chosen),)
    return [f"{quote(parameter['name'], safe='')}={quote(value, safe='')}" for value in values]


def _header_pairs(in_header: _Choice) -> Headers:
    return tuple((parameter["name"], value) for parameter, chosen in in_header.values for value in chosen)


def _cookie_pairs(in_cookie: _Choice) -> Headers:
    cookies = [f"{parameter['name']}={value}" for parameter, chosen in in_cookie.values for value in chosen]
    return (("cookie", "; ".join(cookies)),) if cookies else ()


def _header_options(missing: Sequence[Missing]) -> list[str]:
    options = [
        f"--header '{_as_written(name)}: {PLACEHOLDER}'" for place, name in missing if place == "header"
    ]
    cookies = [f"{name}={PLACEHOLDER}" for place, name in missing if place == "cookie"]
    return [*options, f"--header 'Cookie: {'; '.join(cookies)}'"] if cookies else options


def _as_written(name: str) -> str:
    return "-".join(part.capitalize() for part in name.split("-")) if name.islower() else name


def _not_given(parameters: Sequence[Parameter], names: set[str]) -> list[Parameter]:
    return [parameter for parameter in parameters if parameter["name"].lower() not in names]


def _names(headers: Headers) -> set[str]:
    return {name.lower() for name, _ in headers}


def _cookie_names(headers: Headers) -> set[str]:
    cookies = [cookie for name, value in headers if name.lower() == "cookie" for cookie in value.split(";")]
    return {cookie.partition("=")[0].strip().lower() for cookie in cookies}


def _body_file(template: str, body: Mapping[str, Any]) -> str:
    """``order.json`` for ``/orders``: a name that says what belongs in the file."""
    content = body.get("content") or {}
    if content and not any("json" in media_type for media_type in content):
        return "form.txt" if FORM_TYPE in content else "body.bin"
    words = [segment for segment in template.split("/") if re.fullmatch(r"[\w-]+", segment)]
    return re.sub(r"(?<![su])s$", "", words[-1]) + ".json" if words else "body.json"
