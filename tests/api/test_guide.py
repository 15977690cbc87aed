"""The examples of docs/python-api.md, run one by one as a reader would."""

import re
import subprocess
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "python-api.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
POST = """

@app.post("/orders")
def order(order: dict):
    return order
"""


@pytest.fixture
def project(folder: Path) -> Path:
    """The app in a repository of its own."""
    with (folder / "main.py").open("a") as file:
        file.write(POST)
    identity = ("-c", "user.name=somebody", "-c", "user.email=somebody@localhost")
    for arguments in (("init", "-q"), ("add", "main.py"), (*identity, "commit", "-q", "-m", "The app")):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs(example: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)

    exec(compile(example, "python-api.md", "exec"), {})

    assert not (project / ".wirespeed").exists()
