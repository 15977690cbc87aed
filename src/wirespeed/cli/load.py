from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli._command import command
from wirespeed.cli.options import (
    OUTPUT,
    SUBJECT,
    EnvOption,
    FolderOption,
    JsonOption,
    NoSaveOption,
    PrepareOption,
)

if TYPE_CHECKING:
    from wirespeed.model.plan import RequestWishes

REQUESTS, PACE = "Requests", "Pace"

EXAMPLES = """
wirespeed load http://127.0.0.1:8000/users
wirespeed load http://127.0.0.1:8000 --get '/users x9' --request 'POST /users' --body @user.json
wirespeed load http://127.0.0.1:8000/users --rate 500 -d 30s
wirespeed load http://127.0.0.1:8000/users --rate 100..2000 --slo 'p99<50ms'
wirespeed load https://localhost:8443/ --insecure -c 200 -n 100000 --processes 2
wirespeed load main:app --get /users --workers 2
wirespeed load http://127.0.0.1:8000/users --json > load.json
"""


def load(
    target: Annotated[
        str,
        typer.Argument(
            metavar="URL|APP",
            show_default=False,
            help="A server that is running: http://, https:// or http+unix://%2Fpath%2Fto%2Fsocket/. "
            "Or an app (main:app, main.py), which is then started behind its server.",
        ),
    ],
    connections: Annotated[
        int, typer.Option("-c", "--connections", metavar="N", rich_help_panel=PACE, help="Requests at once.")
    ] = 50,
    requests: Annotated[
        int | None,
        typer.Option(
            "-n", "--requests", metavar="N", rich_help_panel=PACE, help="How many, instead of how long."
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            "-d", "--duration", metavar="DURATION", rich_help_panel=PACE, help="How long. Default: 10s."
        ),
    ] = None,
    rate: Annotated[
        str | None,
        typer.Option(
            "--rate",
            metavar="N|LOW..HIGH",
            rich_help_panel=PACE,
            help="Requests a second that fall due whether or not there are answers; latency then counts from "
            "that moment. A range is searched for the highest rate that meets --slo.",
        ),
    ] = None,
    poisson: Annotated[
        bool,
        typer.Option(
            "--poisson",
            rich_help_panel=PACE,
            help="With --rate: due at random times instead of evenly spaced.",
        ),
    ] = False,
    slo: Annotated[
        str | None,
        typer.Option(
            "--slo",
            metavar="'p99<50ms'",
            rich_help_panel=PACE,
            help="Exit with 1 unless this percentile of the latencies stays below.",
        ),
    ] = None,
    timeout: Annotated[
        str,
        typer.Option(metavar="DURATION", rich_help_panel=PACE, help="How long an answer may take."),
    ] = "30s",
    connect_timeout: Annotated[
        str,
        typer.Option(metavar="DURATION", rich_help_panel=PACE, help="How long connecting may take."),
    ] = "10s",
    processes: Annotated[
        int,
        typer.Option(
            metavar="N",
            rich_help_panel=PACE,
            help="Processes of the load generator, where one core is too slow.",
        ),
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", rich_help_panel=PACE, help="Fixes every random order. Default: a fresh one."
        ),
    ] = None,
    get: Annotated[
        list[str] | None,
        typer.Option(
            "--get",
            metavar="PATH",
            rich_help_panel=REQUESTS,
            help="Get this instead of the URL's path; repeatable. '/a x3' counts three times.",
        ),
    ] = None,
    request: Annotated[
        list[str] | None,
        typer.Option(
            "--request",
            metavar="'METHOD PATH'",
            rich_help_panel=REQUESTS,
            help="Send this request; repeatable, and with ' x3' as for --get.",
        ),
    ] = None,
    body: Annotated[
        list[str] | None,
        typer.Option(
            "--body",
            metavar="TEXT|@FILE|@-",
            rich_help_panel=REQUESTS,
            help="Body of a --request: one for each POST, PUT and PATCH, in their order.",
        ),
    ] = None,
    header: Annotated[
        list[str] | None,
        typer.Option(
            "-H",
            "--header",
            metavar="'NAME: VALUE'",
            rich_help_panel=REQUESTS,
            help="Sent with every request.",
        ),
    ] = None,
    unix: Annotated[
        str | None,
        typer.Option(
            "--unix", metavar="PATH", rich_help_panel=REQUESTS, help="Unix socket to connect to instead."
        ),
    ] = None,
    insecure: Annotated[
        bool, typer.Option("--insecure", rich_help_panel=REQUESTS, help="Do not verify certificates.")
    ] = False,
    remote: Annotated[
        bool,
        typer.Option(
            "--remote", rich_help_panel=REQUESTS, help="The target is on another machine, and I may load it."
        ),
    ] = False,
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="NAME",
            rich_help_panel=SUBJECT,
            help="uvicorn (default), granian or hypercorn.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            rich_help_panel=SUBJECT,
            help="Worker processes of the server. Default: 1.",
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            rich_help_panel=SUBJECT,
            help="Interpreter or environment of the app. Default: as for advise.",
        ),
    ] = None,
    folder: FolderOption = ".",
    env: EnvOption = None,
    prepare: PrepareOption = None,
    json: JsonOption = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            metavar="hdr|hey|wrk",
            rich_help_panel=OUTPUT,
            help="Print as HdrHistogram's logs, hey or wrk do, for scripts that read those.",
        ),
    ] = None,
    no_save: NoSaveOption = False,
    *,
    from_file: RequestWishes,
) -> int:
    """Put load on a server, and tell what became of every request.

    Without --rate every connection sends its next request when it has an answer (a closed loop): it shows
    what the server can do at most. With --rate requests fall due by a schedule (an open loop): it shows the
    latencies that clients see at that rate, stalls included. Only GETs are sent unless --request says more,
    and only to this machine unless --remote does.
    """
    from wirespeed.cli import load_run
    from wirespeed.cli.load_plan import LoadOptions, load_order

    order = load_order(
        LoadOptions(
            target=target,
            connections=connections,
            requests=requests,
            duration=duration,
            rate=rate,
            poisson=poisson,
            slo=slo,
            timeout=timeout,
            connect_timeout=connect_timeout,
            processes=processes,
            seed=seed,
            gets=tuple(get or ()),
            named=tuple(request or ()),
            bodies=tuple(body or ()),
            headers=tuple(header or ()),
            unix=unix,
            insecure=insecure,
            remote=remote,
            server=server,
            workers=workers,
            python=python,
            folder=folder,
            env=tuple(env or ()),
            prepare=prepare,
            ready=from_file,
        )
    )
    return load_run.measure(order, layout=load_run.chosen_layout(output, as_json=json), save=not no_save)


COMMAND = command(load, EXAMPLES)
