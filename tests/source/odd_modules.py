"""Modules as nobody formats them, for Hypothesis: routes whose decorators break lines and hold comments
wherever Python lets them.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

CLASS = "response_class=ORJSONResponse"
OPTIONS = ("response_model_exclude_none=True", 'response_model_exclude={\n"a",  # not )\n}')
OTHERS = ('tags=["a", "),"]', "name='#1'", "deprecated = True", "responses={404: {\n}}")

HEADS = (
    "",
    '"""Docs."""\n',
    "#!/usr/bin/env python\n# About, and\n\n# more\n",
    '"""Docs\n\n@app.get("/no", response_class=ORJSONResponse)\ndef no():\n"""\n\n',
)
TYPING = (
    "",
    "from typing import Any\n\n",
    "from typing import (Annotated,\n  cast)\n",
    "import typing as t\n",
    "from typing import TypedDict as Rows\n",
)
CLASSES = (
    "from fastapi.responses import ORJSONResponse, JSONResponse\n",
    "from fastapi.responses import (  # all\n    JSONResponse,\n    ORJSONResponse,  # fast\n)\n",
    "from fastapi.responses import JSONResponse\nfrom fastapi.responses import ORJSONResponse # fast\n",
    "from fastapi.responses import JSONResponse, \\\n  ORJSONResponse\n",
    "from fastapi.responses import ORJSONResponse as ORJSONResponse\n",
    "from starlette.responses import HTMLResponse as ORJSONResponse\n",
)
FILLERS = (
    'x = """\n@app.get("/fake", response_class=ORJSONResponse)\ndef fake():\n"""\n',
    "# a comment (\n",
    "y = [1,\n  2]  \n",
    "z = 1; w = 2\n",
    "\n\x0c\n",
    "if True: pass\n",
    "f = f'{1!r:>{10}} #'\n",
    "try:\n    import orjson\nexcept ImportError: orjson = None\n",
    "class Other: pass\n\n\n\n",
    "print(ORJSONResponse)\n",
)
PARAMETERS = ("()", "( )", "(a=1, b=')')", "(\n    a: int = 1,  # )\n)", "(*, a=(1, 2)) ")
BODIES = (
    ":\n{0}return []\n",
    ": return []\n",
    " :  # :\n\n{0}# first\n{0}return [1,\n2]\n",
    ":\n{0}'''Doc.'''\n",
)


@dataclass(frozen=True)
class Endpoint:
    name: str
    has_class: bool
    options: tuple[str, ...]
    """Names of its serialization options."""


@dataclass(frozen=True)
class OddModule:
    text: str
    endpoints: tuple[Endpoint, ...]


@st.composite
def odd_modules(draw: st.DrawFn) -> OddModule:
    future = draw(st.sampled_from(["", "from __future__ import annotations\n"]))
    parts = [draw(st.sampled_from(HEADS)), future]
    parts += draw(st.permutations([draw(st.sampled_from(TYPING)), draw(st.sampled_from(CLASSES))]))
    parts.append("import fastapi\n\napp = fastapi.FastAPI()\n")
    endpoints = []
    for number in range(draw(st.integers(1, 3))):
        parts += draw(st.lists(st.sampled_from(FILLERS), max_size=2))
        endpoint, text = draw(_endpoints(f"endpoint_{number}"))
        endpoints.append(endpoint)
        parts.append(draw(st.sampled_from(["", "\n\n", "# about the route\n"])) + text)
    parts += draw(st.lists(st.sampled_from(FILLERS), max_size=1))
    text = "".join(parts)
    text = text if draw(st.booleans()) else text.rstrip("\n")
    return OddModule(text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))), tuple(endpoints))


@st.composite
def _endpoints(draw: st.DrawFn, name: str) -> tuple[Endpoint, str]:
    indent = draw(st.sampled_from(["    ", "\t", "  "]))
    given = draw(st.lists(st.sampled_from([CLASS, *OPTIONS, *OTHERS]), unique=True))
    decorator = f"@app.get{draw(_argument_lists([repr('/' + name), *given]))}\n"
    below = draw(st.sampled_from(["", "# between\n", "@staticmethod\n", "@fastapi.cached(1)  # x\n"]))
    header = draw(st.sampled_from(["def ", "async  def "])) + name + draw(st.sampled_from(PARAMETERS))
    function = decorator + below + header + draw(st.sampled_from(BODIES)).format(indent)
    around = draw(st.sampled_from(["", f"def make_{name}():", f"class Of_{name}:", "if app:  # yes"]))
    options = tuple(each.partition("=")[0] for each in given if each in OPTIONS)
    endpoint = Endpoint(name, CLASS in given, options)
    if not around:
        return endpoint, function
    return endpoint, around + "\n" + "".join(indent + line for line in function.splitlines(keepends=True))


@st.composite
def _argument_lists(draw: st.DrawFn, arguments: list[str]) -> str:
    separators = st.sampled_from([", ", ",", " , ", ",\n        ", ",  # why, (\n  ", ",\n# ),\n ", "\n,"])
    text = draw(st.sampled_from(["(", "( ", "(\n    ", "(  # open\n"])) + arguments[0]
    for argument in arguments[1:]:
        text += draw(separators) + argument
    return text + draw(st.sampled_from(["", ","])) + draw(st.sampled_from([")", " )", "\n)", "  # end\n)"]))
