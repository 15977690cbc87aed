"""Known findings: what a baseline holds, what it marks, and what a file on disk may have in it."""

import json
from pathlib import Path

import pytest

from wirespeed.cli.advise_run import failed_checks
from wirespeed.diagnosis.known import baseline_of, marked
from wirespeed.errors import UsageError
from wirespeed.model.advice import Advice, Endpoint
from wirespeed.model.baseline import Baseline, KnownFinding
from wirespeed.report.view import advice_view
from wirespeed.store.baseline_file import read_baseline, write_baseline

ADVICE = Advice.model_validate_json((Path(__file__).parents[1] / "data" / "advice.json").read_bytes())
EVERY = {"rules": ("WS",), "ignored_rules": ()}


def with_endpoint(**changes: object) -> Advice:
    """The advice with its first endpoint that has a recommended remedy, changed."""
    (endpoint, *_) = [each for each in ADVICE.endpoints if any(arm.recommended for arm in each.arms)]
    return ADVICE.model_copy(update={"endpoints": (endpoint.model_copy(update=changes),)})


def moved(endpoint: Endpoint) -> str:
    return f"{(endpoint.source or '').rpartition(':')[0]}:9999"


def test_what_is_in_the_baseline_fails_no_check_and_is_shown_as_known() -> None:
    advice = with_endpoint()
    known = marked(advice, baseline_of(advice), **EVERY)

    assert list(failed_checks(advice, ["WS"]))
    assert list(failed_checks(known, ["WS"])) == []
    assert any("known" in span.text for span in advice_view(known).totals)


def test_a_finding_is_known_on_whatever_line_it_stands() -> None:
    advice = with_endpoint()
    elsewhere = with_endpoint(source=moved(advice.endpoints[0]))

    assert all(each.known for each in marked(elsewhere, baseline_of(advice), **EVERY).endpoints[0].findings)


@pytest.mark.parametrize("change", [{"method": "HEAD"}, {"path": "/other"}, {"source": "other.py:1"}])
def test_a_finding_elsewhere_is_a_new_one(change: dict[str, str]) -> None:
    found = marked(with_endpoint(**change), baseline_of(with_endpoint()), **EVERY)

    assert not any(each.known for each in found.endpoints[0].findings)


def test_what_is_no_longer_found_is_said() -> None:
    before = with_endpoint()
    after = with_endpoint(findings=(), arms=())
    code, path = before.endpoints[0].findings[0].code, before.endpoints[0].path

    (note,) = set(marked(after, baseline_of(before), **EVERY).notes) - set(after.notes)
    assert note.startswith("no longer found, though the baseline has it: ")
    assert f"{code} on GET {path}" in note


def test_nothing_is_gone_that_was_not_looked_for() -> None:
    baseline = baseline_of(with_endpoint())
    unasked = marked(with_endpoint(findings=(), arms=()), baseline, rules=("WS999",), ignored_rules=())
    failed = marked(with_endpoint(findings=(), arms=(), conclusion="failed"), baseline, **EVERY)

    assert (unasked.notes, failed.notes) == (ADVICE.notes, ADVICE.notes)


def test_what_a_comment_ignores_is_in_no_baseline_and_fails_nothing() -> None:
    advice = with_endpoint()
    found = [each.model_copy(update={"ignored": "for us"}) for each in advice.endpoints[0].findings]
    ignored = with_endpoint(findings=tuple(found), arms=())

    assert baseline_of(ignored).findings == ()
    assert any("ignored by comments" in span.text for span in advice_view(ignored).totals)
    assert list(failed_checks(ignored, ["WS"])) == []


# On disk


def finding(rule: str, path: str = "/a") -> KnownFinding:
    return KnownFinding(rule=rule, method="GET", path=path, file="main.py")


def test_a_baseline_is_read_as_it_was_written_and_has_a_line_for_each_finding(tmp_path: Path) -> None:
    baseline = Baseline(findings=(finding("WS101"), finding("WS203", "/é")))
    write_baseline(baseline, tmp_path / "known.json")

    lines = (tmp_path / "known.json").read_text().splitlines()
    assert read_baseline(tmp_path / "known.json") == baseline
    assert sum('"rule"' in line for line in lines) == 2


def test_the_same_findings_make_the_same_file(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_baseline(baseline_of(ADVICE), tmp_path / name)
    reversed_ = ADVICE.model_copy(update={"endpoints": ADVICE.endpoints[::-1]})
    write_baseline(baseline_of(reversed_), tmp_path / "three")

    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


def test_no_findings_make_a_baseline_too(tmp_path: Path) -> None:
    write_baseline(Baseline(findings=()), tmp_path / "known.json")

    assert read_baseline(tmp_path / "known.json").findings == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read"),
        ("", "not JSON"),
        ("[]", "names no format"),
        ('{"format": "wirespeed/baseline/2", "findings": []}', "has the format 'wirespeed/baseline/2'"),
        ('{"format": "wirespeed/baseline/1"}', "findings: Field required"),
        ('{"format": "wirespeed/baseline/1", "findings": [{"rule": 1}]}', "findings.0.rule"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "known.json").write_text(content)

    with pytest.raises(UsageError) as refused:
        read_baseline(tmp_path / "known.json")
    assert message in refused.value.message


def test_a_baseline_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_baseline(Baseline(findings=()), tmp_path / "missing" / "known.json")


def test_a_merge_conflict_is_pointed_out(tmp_path: Path) -> None:
    write_baseline(Baseline(findings=(finding("WS101"),)), tmp_path / "known.json")
    text = (tmp_path / "known.json").read_text()
    (tmp_path / "known.json").write_text(text.replace('"findings"', '<<<<<<< HEAD\n"findings"'))

    with pytest.raises(UsageError, match="line 3"):
        read_baseline(tmp_path / "known.json")
    assert json.loads(text)["findings"][0]["rule"] == "WS101"
