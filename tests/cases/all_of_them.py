"""The cases as parts of one app, below their numbers, so that one start shows what is said of each of them.

Left out are those whose faults wirespeed has no rule for.
"""

import importlib
from pathlib import Path

from fastapi import FastAPI

WITHOUT_A_RULE = {"08", "12"}

app = FastAPI()
for file in sorted(Path(__file__).parent.glob("[0-9]*.py")):
    number = file.name[:2]
    if number not in WITHOUT_A_RULE:
        app.mount(f"/{number}", importlib.import_module(file.stem).app)
