"""``audit`` as an outline: read every output, ask every check, compare the files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wirespeed import __version__
from wirespeed.audit.checks import Check, Missing, NotApplicable, all_checks
from wirespeed.audit.reading import read_run
from wirespeed.audit.repeats import differences, group_of, repeats
from wirespeed.errors import UsageError
from wirespeed.model.audit import Asked, Audit, AuditedFile, CannotTell, Finding, ToolRun


@dataclass(frozen=True, slots=True)
class Output:
    """What a load tool printed."""

    name: str
    content: bytes
    label: str | None = None


def audit(outputs: Sequence[Output], asked: Asked, format_name: str | None = None) -> Audit:
    """What the outputs support. ``asked`` counts where an output does not say. Raises ``UsageError``."""
    runs = [completed(read_run(output.content, output.name, format_name), asked) for output in outputs]
    _refuse_copies(outputs)
    files = [audited(output, run) for output, run in zip(outputs, runs, strict=True)]
    groups = repeats((file.group, file.run) for file in files) if len(files) > 1 else []
    found = differences(groups)
    return Audit(
        created=datetime.now(UTC),
        wirespeed=__version__,
        files=tuple(files),
        groups=tuple(groups),
        differences=tuple(found),
        findings=tuple(
            finding
            for check in all_checks().values()
            if check.compare is not None
            for finding in check.compare(groups, found)
        ),
    )


def _refuse_copies(outputs: Sequence[Output]) -> None:
    """A copy would count as a repeat that agrees to the last digit, and hide how much repeats differ."""
    names: dict[bytes, str] = {}
    for output in outputs:
        if output.content in names:
            raise UsageError(
                f"{output.name} is the same output as {names[output.content]}: one run, not two",
                advice="Name every run once, and run the tool again for a repeat.",
            )
        names[output.content] = output.name


def completed(run: ToolRun, asked: Asked) -> ToolRun:
    """The run with what the user says was asked for, where the output itself does not say."""
    told = run.asked.model_dump()
    said = {name: value for name, value in asked.model_dump().items() if value and not told[name]}
    merged = run.asked.model_copy(update=said)
    open_loop = True if said.get("rate_per_s") and run.open_loop is None else run.open_loop
    return run.model_copy(
        update={
            "asked": merged,
            "connections": run.connections or merged.connections,
            "timeout_s": merged.timeout_s or run.timeout_s,
            "open_loop": open_loop,
        }
    )


def audited(output: Output, run: ToolRun) -> AuditedFile:
    """One output, and what each check says of it."""
    findings: list[Finding] = []
    cannot_tell: list[CannotTell] = []
    passed: list[str] = []
    for check in all_checks().values():
        examined = _examined(check, run)
        if isinstance(examined, Missing):
            cannot_tell.append(CannotTell(check=check.name, missing=examined.what))
        elif isinstance(examined, list):
            findings += examined
            passed += [check.name] if not examined else []
    return AuditedFile(
        name=output.name,
        group=group_of(output.label, run, output.name),
        run=run,
        findings=tuple(sorted(findings, key=lambda finding: _WEIGHT[finding.severity])),
        cannot_tell=tuple(cannot_tell),
        passed=tuple(passed),
    )


_WEIGHT = {"misleading": 0, "doubtful": 1, "note": 2}


def _examined(check: Check, run: ToolRun) -> list[Finding] | Missing | NotApplicable:
    return NotApplicable() if check.examine is None else check.examine(run)
