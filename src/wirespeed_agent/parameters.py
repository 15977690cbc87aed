"""A route's parameters in OpenAPI's words, taken from FastAPI's own fields rather than from its schema.

The schema of the app leaves out hidden routes and may be replaced by the user; the fields are what validates.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List

GROUPS = (
    ("path_params", "path"),
    ("query_params", "query"),
    ("header_params", "header"),
    ("cookie_params", "cookie"),
)


def operation(effective: Any) -> Dict[str, Any]:
    """``{"parameters": […], "requestBody": …}`` of a route with these settings, references resolved."""
    parameters: Dict[Any, Dict[str, Any]] = {}
    for dependant in _flatten(effective.dependant):
        for group, where in GROUPS:
            for field in getattr(dependant, group, ()):
                for parameter in _parameters_of(field, where):
                    parameters.setdefault((where, parameter["name"]), parameter)
    result: Dict[str, Any] = {"parameters": list(parameters.values())}
    if getattr(effective, "body_field", None) is not None:
        result["requestBody"] = _request_body(effective.body_field)
    return result


def _request_body(field: Any) -> Dict[str, Any]:
    from fastapi import params

    # File is a kind of Form: the narrower one first.
    kinds = ((params.File, "multipart/form-data"), (params.Form, "application/x-www-form-urlencoded"))
    info = type(field.field_info)
    media_type = next((media for kind, media in kinds if issubclass(info, kind)), "application/json")
    return {"required": _is_required(field), "content": {media_type: {}}}


def _flatten(dependant: Any) -> Iterator[Any]:
    yield dependant
    for below in dependant.dependencies:
        yield from _flatten(below)


def _parameters_of(field: Any, where: str) -> List[Dict[str, Any]]:
    from pydantic import BaseModel

    annotation: Any = getattr(field.field_info, "annotation", None)
    schema = _schema_of(field)
    # Asked of its type: before Python 3.11 isinstance takes list[int] for a class, and issubclass raises.
    if issubclass(type(annotation), type) and issubclass(annotation, BaseModel):
        # A model of query, header or cookie parameters: each of its fields is a parameter of its own.
        required = set(schema.get("required", ()))
        properties = schema.get("properties", {})
        return [_parameter(name, where, name in required, below) for name, below in properties.items()]
    parameter = _parameter(str(field.alias), where, where == "path" or _is_required(field), schema)
    _add_examples(parameter, field.field_info)
    return [parameter]


def _parameter(name: str, where: str, required: bool, schema: Dict[str, Any]) -> Dict[str, Any]:
    return {"name": name, "in": where, "required": required, "schema": schema}


def _is_required(field: Any) -> bool:
    """FastAPI had ``field.required`` until it left Pydantic 1 behind."""
    required = getattr(field, "required", None)
    return bool(field.field_info.is_required() if required is None else required)


def _add_examples(parameter: Dict[str, Any], info: Any) -> None:
    named = getattr(info, "openapi_examples", None)
    if isinstance(named, dict) and named:
        parameter["examples"] = {str(key): plain(value) for key, value in named.items()}
    example = getattr(info, "example", None)
    # Unset is an object of FastAPI's or Pydantic's own, another one in every few versions.
    if example is not None and not type(example).__module__.startswith(("fastapi.", "pydantic")):
        parameter["example"] = plain(example)


def _schema_of(field: Any) -> Dict[str, Any]:
    """JSON schema of one parameter; an empty one, anything goes, for types that cannot tell theirs."""
    from pydantic import TypeAdapter

    try:
        adapter = getattr(field, "_type_adapter", None) or TypeAdapter(field.field_info.annotation)
        schema = adapter.json_schema()
    # Arbitrary objects have none, and types of the user's own may fail in their own ways.
    except Exception:
        return {}
    examples = getattr(field.field_info, "examples", None)
    if examples and "examples" not in schema:
        schema["examples"] = plain(examples)
    resolved = resolve(schema, schema.get("$defs", {}), ())
    assert isinstance(resolved, dict)
    resolved.pop("$defs", None)
    return resolved


def resolve(node: Any, definitions: Dict[str, Any], open_names: Any) -> Any:
    """``node`` with every ``$ref`` replaced by what it names; a recursive one ends as an empty schema."""
    if isinstance(node, list):
        return [resolve(item, definitions, open_names) for item in node]
    if not isinstance(node, dict):
        return node
    name = str(node.get("$ref", "")).rpartition("/")[2]
    if name:
        if name in open_names or name not in definitions:
            return {}
        siblings = {key: value for key, value in node.items() if key != "$ref"}
        target = resolve(definitions[name], definitions, (*open_names, name))
        return {**target, **resolve(siblings, definitions, open_names)}
    return {key: resolve(value, definitions, open_names) for key, value in node.items() if key != "$defs"}


def plain(value: Any) -> Any:
    """``value`` as JSON can carry it."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value, fallback=str)
