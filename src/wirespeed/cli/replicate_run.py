"""``wirespeed replicate`` behind its options: the order, measuring, printing, and the exit code."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter

from wirespeed.cli.commands import CHECK_FAILED, INTERRUPTED
from wirespeed.cli.failures import tell, warn
from wirespeed.cli.output import print_json
from wirespeed.cli.replicate_progress import watching
from wirespeed.cli.values import chosen_seed
from wirespeed.errors import MeasurementInvalid, RecordNotSaved
from wirespeed.model.record import Record
from wirespeed.model.replication import ClaimVerdict, Replication
from wirespeed.replicate.catalog import all_suites, chosen
from wirespeed.replicate.experiments import Effort
from wirespeed.replicate.requirements import require
from wirespeed.replicate.results import Result
from wirespeed.replicate.run import Order, Outcome, replicate
from wirespeed.report.replication import print_replication
from wirespeed.report.terminal import make_console
from wirespeed.store import records
from wirespeed.store.machine_check import pairings_of
from wirespeed.store.replication_state import StepStore
from wirespeed.subject.machine import environment


def list_suites(*, as_json: bool) -> int:
    suites = all_suites()
    if as_json:
        listing = [{"name": name, "summary": suite.summary} for name, suite in suites.items()]
        print_json(json.dumps({"suites": listing}, ensure_ascii=False).encode())
        return 0
    width = max(map(len, suites))
    for name, suite in suites.items():
        print(f"{name:<{width}}  {suite.summary}")
    return 0


def order_of(names: Sequence[str], *, quick: bool, seed: int | None) -> Order:
    """The order behind the options; raises ``UsageError`` for suites that are not there, or lack packages."""
    suites = chosen(names)
    require(suites)
    pairings = pairings_of(environment(None), os.environ)
    return Order(suites, Effort(quick, chosen_seed(seed), pairings), Path(sys.executable))


def measure(order: Order, *, strict: bool, fresh: bool, as_json: bool, save: bool) -> int:
    """Replicate, and return the exit code. Without ``save``, an interrupted run leaves nothing behind."""
    kept: StepStore[Result] = StepStore(Path.cwd(), TypeAdapter(Result))
    if fresh:
        kept.forget()
    with watching(sys.stderr) as watcher:
        outcome = replicate(order, _Memory(kept, writes=save), watcher)
    document = outcome.document
    if as_json:
        print_json(document.to_json())
    else:
        print_replication(document, make_console(sys.stdout))
    if not document.complete:
        if save:
            tell("What is measured is kept: the same command goes on from here.")
        return INTERRUPTED
    kept.forget()
    if save:
        _save(outcome)
    return exit_code(document, strict=strict)


def exit_code(document: Replication, *, strict: bool) -> int:
    """The first that applies. Who is strict is told when a claim has no verdict."""
    verdicts = {claim.verdict for suite in document.suites for claim in suite.claims}
    if not document.complete:
        return INTERRUPTED
    if verdicts == {ClaimVerdict.CANNOT_TELL}:
        return MeasurementInvalid.exit_code
    return CHECK_FAILED if strict and verdicts != {ClaimVerdict.HOLDS} else 0


class _Memory:
    """Steps are remembered from interrupted runs; where they cannot be kept, measuring goes on without."""

    def __init__(self, store: StepStore[Result], *, writes: bool) -> None:
        self._store = store
        self._writes = writes

    def recall(self, key: str) -> Result | None:
        return self._store.recall(key)

    def keep(self, key: str, result: Result) -> None:
        if not self._writes:
            return
        try:
            self._store.keep(key, result)
        except RecordNotSaved as error:
            self._writes = False
            warn(error.message, error.advice)


def _save(outcome: Outcome) -> None:
    try:
        path = records.save(
            Record(kind="replication", document=outcome.document, evidence=outcome.evidence), Path.cwd()
        )
    except RecordNotSaved as error:
        warn(error.message, error.advice)
    else:
        tell(f"The record is in {path}")
