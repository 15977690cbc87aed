"""From what was tried to the document, and from the documents of several workers to one."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from wirespeed import __version__
from wirespeed.model.advice import Difference, Finding
from wirespeed.model.suite import (
    SuiteAdvice,
    SuiteConclusion,
    SuiteEndpoint,
    SuiteGain,
    SuiteRemedy,
)

from .estimating import SHOWN_FROM, Gain
from .kept import Endpoint
from .measuring import Outcome
from .trials import Remedy, Tried
from .watching import Watch

PACKAGES = ("fastapi", "starlette", "pydantic")
IN_ORDER: tuple[SuiteConclusion, ...] = ("remedy", "other bytes", "unmeasured", "small", "fast", "nothing")


def document(
    watch: Watch, outcome: Outcome, place: Callable[[Endpoint], str | None], budget_s: float
) -> SuiteAdvice:
    """What the suite showed, the largest gain first."""
    told = [_endpoint(each, place(each.endpoint)) for each in outcome.tried]
    notes = [note for note in (watch.failure, outcome.note) if note]
    if watch.unwatched:
        notes.append(f"{watch.unwatched} requests could not be watched")
    if watch.kept.refused:
        notes.append(f"{watch.kept.refused} requests went to more endpoints than are kept")
    return SuiteAdvice(
        created=datetime.now(UTC),
        wirespeed=__version__,
        estimates="none"
        if outcome.note and not any(each.was_measured for each in outcome.tried)
        else "one process",
        shown_from=SHOWN_FROM,
        python=platform.python_version(),
        packages=_packages(),
        budget_s=budget_s,
        elapsed_s=outcome.elapsed_s,
        complete=outcome.note is None,
        notes=tuple(notes),
        endpoints=tuple(sorted(told, key=_reading_order)),
    )


def merged(documents: Sequence[SuiteAdvice]) -> SuiteAdvice:
    """One listing of what several workers saw. Raises ValueError without documents."""
    if not documents:
        raise ValueError("there is nothing to merge")
    groups: dict[tuple[str, str, str | None], list[SuiteEndpoint]] = {}
    for each in documents:
        for endpoint in each.endpoints:
            groups.setdefault((endpoint.method, endpoint.path, endpoint.source), []).append(endpoint)
    return documents[0].model_copy(
        update={
            "workers": len(documents),
            "notes": tuple(dict.fromkeys(note for each in documents for note in each.notes)),
            "endpoints": tuple(sorted(map(_one, groups.values()), key=_reading_order)),
        }
    )


def _one(parts: Sequence[SuiteEndpoint]) -> SuiteEndpoint:
    told = min(parts, key=lambda each: IN_ORDER.index(each.conclusion))
    return told.model_copy(
        update={
            "tests": sum(each.tests for each in parts),
            "requests": sum(each.requests for each in parts),
            "body_bytes": max(each.body_bytes for each in parts),
        }
    )


def _reading_order(endpoint: SuiteEndpoint) -> tuple[int, float, str, str]:
    gain = min((each.whole.ratio for each in endpoint.remedies), default=1.0)
    return IN_ORDER.index(endpoint.conclusion), gain, endpoint.path, endpoint.method


def _endpoint(tried: Tried, source: str | None) -> SuiteEndpoint:
    endpoint, conclusion = tried.endpoint, _conclusion(tried)
    return SuiteEndpoint(
        method=endpoint.key.method,
        path=endpoint.key.path,
        source=source,
        tests=endpoint.tests,
        requests=endpoint.requests,
        first_test=endpoint.first_test,
        status=endpoint.status,
        body_bytes=endpoint.body_bytes,
        fast_path=endpoint.fast_path,
        conclusion=conclusion,
        note=_note(tried, conclusion),
        findings=tuple(
            Finding(code=rule.code, problem=rule.problem, evidence=evidence)
            for rule, evidence in tried.findings
        ),
        remedies=tuple(map(_remedy, tried.remedies)),
    )


def _conclusion(tried: Tried) -> SuiteConclusion:
    if tried.remedies:
        keeps = any(each.seen.fidelity == "identical" for each in tried.remedies)
        return "remedy" if keeps else "other bytes"
    if tried.endpoint.fast_path:
        return "fast"
    if tried.reason is not None and (tried.findings or tried.endpoint.may_be_unseen):
        return "unmeasured"
    return "small" if tried.findings else "nothing"


def _note(tried: Tried, conclusion: SuiteConclusion) -> str | None:
    endpoint = tried.endpoint
    if conclusion == "unmeasured":
        return tried.reason
    if conclusion != "nothing":
        return None
    if not endpoint.successes:
        return "no test had a successful answer of it"
    return endpoint.stream


def _remedy(remedy: Remedy) -> SuiteRemedy:
    annotation, estimated = remedy.change.annotation, remedy.estimated
    return SuiteRemedy(
        name=remedy.change.name,
        code=remedy.change.code,
        fidelity=remedy.seen.fidelity,
        differences=tuple(Difference.model_validate(each) for each in remedy.seen.differences),
        imports=() if annotation is None else tuple(annotation.imports),
        definitions=() if annotation is None else tuple(annotation.definitions),
        whole=_gain(estimated.whole),
        response_path=_gain(estimated.response_path),
        before_ns=estimated.before_ns,
        after_ns=estimated.after_ns,
    )


def _gain(gain: Gain) -> SuiteGain:
    return SuiteGain(ratio=gain.ratio, spread=gain.spread)


def _packages() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        if name in sys.modules:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = str(getattr(sys.modules[name], "__version__", "unknown"))
    return found
