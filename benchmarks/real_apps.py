"""Advises four open-source FastAPI apps, each in an environment of its own, within the default budget.

    python benchmarks/real_apps.py FOLDER [NAME]...

FOLDER keeps the environments, made with uv on first use (a gigabyte in all). The apps serve made-up or
shipped data.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from advise import advise, tell

MAKE_RASTER = """
import sys
import numpy, rasterio
from rasterio.transform import from_bounds
size = 1024
y, x = numpy.mgrid[0:size, 0:size] / size
bands = numpy.stack([128 + 100 * numpy.sin(9 * x), 128 + 100 * numpy.cos(7 * y), 255 * x * y]).astype("uint8")
shape = dict(driver="GTiff", width=size, height=size, count=3, dtype="uint8", crs="EPSG:3857", tiled=True,
             transform=from_bounds(1e6, 5e6, 1.4e6, 5.4e6, size, size), blockxsize=256, blockysize=256)
with rasterio.open(sys.argv[1], "w", **shape) as raster:
    raster.write(bands)
    raster.build_overviews([2, 4])
"""


@dataclass(frozen=True)
class App:
    """One app: what to install, how to find it, and what it needs to run alone."""

    packages: tuple[str, ...]
    import_string: str
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    script: str | None = None
    """Run once in the app's folder, with ``data.tif`` as its argument."""
    options: tuple[str, ...] = ()


APPS = {
    "optimade": App(
        ("optimade[server]",),
        "optimade.server.main:app",
        env={
            "OPTIMADE_DATABASE_BACKEND": "mongomock",
            "OPTIMADE_INSERT_TEST_DATA": "true",
            "OPTIMADE_CONFIG_FILE": "{folder}/optimade.json",
        },
        files={"optimade.json": "{}"},
    ),
    "bioregistry": App(
        ("bioregistry[web]",),
        "bioregistry.app.wsgi:app",
        env={"HOME": "{folder}", "PYSTOW_HOME": "{folder}/pystow"},
    ),
    "titiler": App(
        ("titiler.application", "uvicorn"),
        "titiler.application.main:app",
        env={"GDAL_NUM_THREADS": "1", "GDAL_DISABLE_READDIR_ON_OPEN": "EMPTY_DIR"},
        script=MAKE_RASTER,
        options=tuple(
            option
            for path in ("info", "info.geojson", "statistics", "preview.png", "WebMercatorQuad/tilejson.json")
            for option in ("--get", f"/cog/{path}?url=data.tif")
        ),
    ),
    "prefect": App(
        ("prefect",),
        "prefect.server.api.server:create_app",
        env={
            "PREFECT_HOME": "{folder}/home",
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
            "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
            "PREFECT_API_DATABASE_CONNECTION_URL": "sqlite+aiosqlite:///{folder}/home/prefect.db",
            "PREFECT__SERVER_WEBSERVER_ONLY": "true",
        },
    ),
}


def environment(folder: Path, app: App) -> Path:
    """The interpreter of the app's own environment, made where it is missing."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run(["uv", "venv", "-q", "--python", "3.12", str(folder / "venv")], check=True)
        subprocess.run(["uv", "pip", "install", "-q", "--python", str(python), *app.packages], check=True)
    for name, content in app.files.items():
        (folder / name).write_text(content)
    if app.script is not None and not (folder / "data.tif").exists():
        subprocess.run([str(python), "-c", app.script, "data.tif"], cwd=folder, check=True)
    return python


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    home = Path(sys.argv[1]).absolute()
    for name in sys.argv[2:] or APPS:
        app, folder = APPS[name], home / name
        (folder / "home").mkdir(parents=True, exist_ok=True)
        python = environment(folder, app)
        settings = {key: value.format(folder=folder) for key, value in app.env.items()}
        options = ["--python", str(python), *app.options]
        for key, value in settings.items():
            options += ["--env", f"{key}={value}"]
        tell(name, *advise(app.import_string, folder, options))
        sys.stdout.flush()


if __name__ == "__main__":
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    main()
