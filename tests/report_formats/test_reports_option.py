"""``--report``: what it refuses before anything is measured, and where its texts go."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cli.reports import Reports, chosen_reports, write_reports
from wirespeed.errors import UsageError
from wirespeed.model.advice import Advice
from wirespeed.model.comparison import Comparison
from wirespeed.model.load import Load


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def chosen(*texts: str, as_json: bool = False, environ: dict[str, str] | None = None) -> Reports:
    return chosen_reports(texts, Advice, Path(), as_json=as_json, environ=environ or {})


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (("pdf=x",), "--report names no format: 'pdf'"),
        (("junit",), "--report junit names no file"),
        (("junit=",), "--report junit= names no file"),
        (("github",), "needs the environment variable GITHUB_STEP_SUMMARY, which is not set"),
        (("junit=-", "sarif=-"), "the reports junit and sarif would both be on stdout"),
        (("junit=.",), ". is a folder"),
        (("junit=a", "sarif=a"), "two reports would be written to a"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(texts: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        chosen(*texts)
    assert message in refused.value.message
    assert refused.value.advice


@pytest.mark.parametrize("report", ["markdown=-", "github"])
def test_json_and_a_report_cannot_share_stdout(report: str) -> None:
    with pytest.raises(UsageError, match="both print on stdout"):
        chosen(report, as_json=True, environ={"GITHUB_STEP_SUMMARY": "summary.md"})


def test_a_format_that_cannot_show_such_documents_names_those_that_can() -> None:
    with pytest.raises(
        UsageError, match="sarif has no form for a document of the kind comparison"
    ) as refused:
        chosen_reports(["sarif=x"], Comparison, Path(), as_json=False)
    assert refused.value.advice is not None and "markdown" in refused.value.advice
    with pytest.raises(UsageError, match="no form for a document of the kind load"):
        chosen_reports(["markdown=x"], Load, Path(), as_json=False)


def test_without_the_option_nothing_is_written_not_even_on_github(
    design: Advice, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    write_reports(design, chosen_reports(None, Advice, Path(), as_json=False))
    assert (list(tmp_path.iterdir()), capfdbinary.readouterr().out) == ([], b"")


def test_each_report_goes_to_its_file_and_folders_are_made(design: Advice, tmp_path: Path) -> None:
    write_reports(design, chosen("junit=out/ci/junit.xml", "markdown=comment.md"))
    assert (tmp_path / "out" / "ci" / "junit.xml").read_text().startswith("<?xml")
    assert (tmp_path / "comment.md").read_text().startswith("<!-- wirespeed:advice users:app -->")


def test_on_stdout_there_is_the_report_and_nothing_else(
    design: Advice, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    reports = chosen("junit=-")
    write_reports(design, reports)
    assert reports.fill_stdout
    assert capfdbinary.readouterr().out.startswith(b"<?xml")


def test_on_github_annotations_are_printed_and_the_summary_is_added_to(
    design: Advice, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# Of another step\n")
    reports = chosen("github", environ={"GITHUB_STEP_SUMMARY": str(summary)})
    write_reports(design, reports)

    assert not reports.fill_stdout, "the report for people stays on stdout, too"
    assert capfdbinary.readouterr().out.startswith(b"::warning title=WS101 GET /untyped")
    assert summary.read_text().startswith("# Of another step\n<!-- wirespeed:advice users:app -->\n### ")


def test_with_a_file_github_needs_no_variable_and_leaves_the_summary_alone(
    design: Advice, tmp_path: Path
) -> None:
    write_reports(design, chosen("github=annotations.txt"))
    assert (tmp_path / "annotations.txt").read_text().startswith("::warning ")
    assert [path.name for path in tmp_path.iterdir()] == ["annotations.txt"]


def test_a_report_that_cannot_be_written_does_not_keep_the_others_from_being(
    design: Advice, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"a report could not be written \(file: ") as failed:
        write_reports(design, chosen("junit=file/junit.xml", "markdown=comment.md"))
    assert failed.value.advice == "`wirespeed report latest` makes it from the record."
    assert (tmp_path / "comment.md").exists()


def test_files_are_named_from_the_root_of_the_repository(design: Advice, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "services" / "users").mkdir(parents=True)
    reports = chosen_reports(["github=-"], Advice, tmp_path / "services" / "users", as_json=False)
    place = reports.setting.checkout.place("users.py:31")
    assert place is not None and place.uri == "services/users/users.py"
