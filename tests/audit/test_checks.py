"""What each check finds, in real outputs where a tool here can make them, and where it keeps quiet."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from wirespeed.audit.checks import Check, Missing, NotApplicable, all_checks
from wirespeed.model.audit import Asked, AuditedFile, Finding, LatencyFigures, Percentile, ToolRun

One = Callable[..., AuditedFile]
Run = Callable[..., ToolRun]
Latency = Callable[..., LatencyFigures]
Severities = Callable[[AuditedFile], dict[str, str]]


def examined(check: str, run: ToolRun) -> list[Finding] | Missing | NotApplicable:
    examine = all_checks()[check].examine
    assert examine is not None
    return examine(run)


def found(check: str, run: ToolRun) -> list[tuple[str, str]]:
    """Severities and problems; a check that cannot be made is no answer here."""
    answer = examined(check, run)
    assert isinstance(answer, list), answer
    return [(finding.severity, finding.problem) for finding in answer]


def only(findings: Iterable[Finding], check: str) -> Finding:
    (finding,) = (finding for finding in findings if finding.check == check)
    return finding


def test_a_sound_run_passes_every_check_that_applies(run: Run) -> None:
    assert [
        check.name for check in all_checks().values() if check.examine and examined(check.name, run()) == []
    ] == [
        "hidden-errors",
        "counts",
        "littles-law",
        "left-out",
        "censored-maximum",
        "backfilled",
        "few-samples",
    ]


@pytest.mark.parametrize(
    "check", [check for check in all_checks().values() if check.examine], ids=lambda c: c.name
)
def test_of_a_run_that_says_nothing_no_check_says_it_is_fine(check: Check) -> None:
    empty = ToolRun(tool="x", layout="x")
    answer = examined(check.name, empty)

    assert isinstance(answer, Missing | NotApplicable)


# hidden-errors


@pytest.mark.parametrize(
    "name", ["errors.hey.txt", "errors.wrk.txt", "errors.ab.txt", "errors.autocannon.json"]
)
def test_one_500_in_twenty_is_found_with_every_tool(name: str, one: One) -> None:
    finding = only(one(f"real/{name}").findings, "hidden-errors")

    assert finding.severity == "misleading"
    assert finding.figures["share"] == pytest.approx(0.05, abs=0.002)


@pytest.mark.parametrize("name", ["closes.wrk.txt", "closes.ab.txt", "closes.autocannon.json"])
def test_one_reset_connection_in_fifty_is_found_where_the_tool_shows_it(name: str, one: One) -> None:
    finding = only(one(f"real/{name}").findings, "hidden-errors")

    assert finding.figures["share"] == pytest.approx(0.02, abs=0.005)


@pytest.mark.parametrize("name", ["refused.hey.txt", "refused.autocannon.json"])
def test_where_nobody_listens_every_request_failed_and_nothing_was_timed(name: str, one: One) -> None:
    file = one(f"real/{name}")

    assert only(file.findings, "hidden-errors").figures["share"] == 1.0
    assert len(file.findings) == 1
    assert (file.run.latency.mean_s, file.run.latency.max_s) == (None, None)


def test_the_rate_of_good_answers_stands_beside_a_headline_that_counts_failures(run: Run) -> None:
    assert found("hidden-errors", run(refused=2000)) == [
        (
            "misleading",
            "2,000 of 10,000 requests failed (20 %): 2,000 answers that say no. The headline says 1,000/s; "
            "good answers came at 800/s.",
        )
    ]


def test_a_rare_failure_is_doubtful_only(run: Run) -> None:
    assert found("hidden-errors", run(unanswered={"EOF": 5}))[0][0] == "doubtful"


def test_refusals_alone_do_not_say_that_every_request_was_answered(run: Run) -> None:
    assert examined("hidden-errors", run(unanswered=None)) == Missing("how many requests got no answer")


def test_redirects_are_no_failures(run: Run) -> None:
    assert found("hidden-errors", run(statuses={"302": 10_000})) == []


# counts


def test_requests_that_were_asked_for_and_never_ran_are_missed(run: Run) -> None:
    severity, problem = found("counts", run(asked=Asked(requests=50_000)))[0]

    assert (severity, problem) == ("misleading", "50,000 requests were asked for, 10,000 ran.")


def test_hey_rounds_the_number_of_requests_down(one: One) -> None:
    assert only(one("real/rounded-down.hey.txt").findings, "counts").problem == (
        "1,000 requests were asked for, 990 ran."
    )


def test_statuses_that_do_not_add_up_are_doubtful(run: Run) -> None:
    assert found("counts", run(statuses={"200": 9000}))[0][0] == "doubtful"


@pytest.mark.parametrize("counted", [{"answered": 9000}, {"answered": 12_000}])
def test_a_rate_must_make_the_count_in_its_time(run: Run, counted: dict[str, int]) -> None:
    assert found("counts", run(**counted))[0][0] == "doubtful"


def test_a_rate_that_counts_failures_adds_up_with_them(run: Run) -> None:
    assert found("counts", run(answered=8000, unanswered={"EOF": 2000})) == []
    assert found("counts", run(answered=10_000, unanswered={"EOF": 2000})) == []


def test_a_request_under_way_on_each_connection_at_the_end_is_no_loss(run: Run) -> None:
    assert found("counts", run(sent=10_010)) == []
    assert found("counts", run(sent=12_000))[0][0] == "misleading"


# littles-law


@pytest.mark.parametrize(("connections", "alarm"), [(10, False), (12, False), (8, True), (20, True)])
def test_ten_connections_cannot_do_other_than_rate_times_latency(
    run: Run, connections: int, alarm: bool
) -> None:
    assert bool(found("littles-law", run(connections=connections))) == alarm


def test_rounding_of_the_mean_is_granted(run: Run, latency: Latency) -> None:
    rounded = latency(mean_s=0.012, resolution_s=0.002)

    assert found("littles-law", run(latency=rounded)) == []


def test_autocannons_latencies_after_reset_connections_are_impossible(one: One) -> None:
    finding = only(one("real/closes.autocannon.json").findings, "littles-law")

    assert finding.severity == "misleading"
    assert "but there are only 20 connections" in finding.problem


def test_connections_that_stood_still_are_missed(one: One) -> None:
    finding = only(one("real/stall.wrk.txt").findings, "littles-law")

    assert finding.severity == "doubtful"


def test_idle_connections_are_a_note_where_a_rate_may_have_been_set(run: Run) -> None:
    assert found("littles-law", run(connections=50, open_loop=None))[0][0] == "note"
    assert isinstance(examined("littles-law", run(connections=50, open_loop=True)), NotApplicable)


def test_the_last_answers_of_a_short_run_leave_connections_idle(run: Run) -> None:
    short = run(answered=40, duration_s=0.06, requests_per_s=666.7)

    assert found("littles-law", short) == []


# left-out, censored-maximum


def test_wrks_late_answers_are_missing_from_its_latencies(one: One) -> None:
    file = one("real/stall.wrk.txt")

    assert only(file.findings, "left-out").figures["late"] == file.run.late
    assert only(file.findings, "censored-maximum").severity == "misleading"


def test_heys_millionth_answer_is_the_last_with_a_time(run: Run, latency: Latency) -> None:
    long = run(answered=2_000_000, latency=latency(samples=1_000_000))

    assert found("left-out", long) == [("doubtful", "1,000,000 of 2,000,000 answers (50 %) have no time.")]


def test_wrk2s_calibration_is_a_note(one: One, severities: Severities) -> None:
    assert severities(one("documented/clean.wrk2.txt"))["left-out"] == "note"


@pytest.mark.parametrize("name", ["errors.k6-export.json", "errors.vegeta.json"])
def test_failures_that_are_timed_like_answers_are_found(name: str, one: One) -> None:
    assert only(one(f"documented/{name}").findings, "left-out").severity == "misleading"


@pytest.mark.parametrize("name", ["timeouts.hey.txt", "timeouts.autocannon.json"])
def test_requests_given_up_make_the_maximum_a_lower_bound(name: str, one: One) -> None:
    assert "is only a lower bound" in only(one(f"real/{name}").findings, "censored-maximum").problem


def test_percentiles_beyond_the_requests_given_up_are_lower_bounds_too(run: Run) -> None:
    _, problem = found("censored-maximum", run(unanswered={"time-outs": 500}, timeouts=500))[0]

    assert problem.endswith("so the maximum of 30 ms is only a lower bound, and so is p99.")


def test_a_time_out_is_named_only_as_far_as_it_is_known(one: One) -> None:
    told = only(one("real/timeouts.hey.txt").findings, "censored-maximum")
    guessed = only(one("real/timeouts.autocannon.json").findings, "censored-maximum")

    assert "the time-out of 1 s and" in told.problem
    assert "the time-out (10 s unless told otherwise)" in guessed.problem


@pytest.mark.parametrize("name", ["timeouts.k6-handle-summary.json", "timeouts.vegeta.json"])
def test_a_maximum_at_the_time_out_is_no_answer(name: str, one: One) -> None:
    assert only(one(f"documented/{name}").findings, "censored-maximum").severity == "doubtful"


# backfilled


def test_samples_that_autocannon_made_up_are_counted(one: One) -> None:
    file = one("real/rate.autocannon.json")
    finding = only(file.findings, "backfilled")

    assert finding.severity == "misleading"
    assert finding.figures == {"samples": file.run.latency.samples, "requests": file.run.answered}


def test_samples_that_wrk_made_up_show_in_an_impossible_mean(one: One, severities: Severities) -> None:
    file = one("real/stall-in-time.wrk.txt")

    assert severities(file)["backfilled"] == "misleading"
    assert "littles-law" not in severities(file), "one cause, one alarm"


def test_a_slow_percentile_of_wrk_is_a_mixture(one: One, severities: Severities) -> None:
    assert severities(one("real/errors.wrk.txt")).get("backfilled") in (None, "note")


def test_wrks_percentiles_above_twice_the_interval_are_named(run: Run, latency: Latency) -> None:
    slow = latency(percentiles=(Percentile(share=0.5, value_s=0.01), Percentile(share=0.99, value_s=0.5)))

    ((severity, problem),) = found("backfilled", run(tool="wrk", latency=slow))
    assert severity == "note"
    assert problem.startswith("p99 rests in part on samples that wrk makes up")


def test_wrk2_adds_nothing(one: One) -> None:
    assert "backfilled" not in {finding.check for finding in one("documented/overloaded.wrk2.txt").findings}


# few-samples


@pytest.mark.parametrize(("answers", "named"), [(19, "p50, p99"), (20, "p99"), (999, "p99"), (1000, None)])
def test_a_percentile_needs_ten_samples_beyond_it(
    run: Run, latency: Latency, answers: int, named: str | None
) -> None:
    problems = [problem for _, problem in found("few-samples", run(latency=latency(samples=answers)))]

    assert [problem.partition(":")[0] for problem in problems] == ([named] if named else [])


def test_made_up_samples_do_not_count(run: Run, latency: Latency) -> None:
    few = run(answered=200, latency=latency(samples=50_000))

    assert "200 answers are too few" in found("few-samples", few)[0][1]


def test_high_percentiles_that_a_tool_always_prints_are_a_note(one: One, severities: Severities) -> None:
    assert severities(one("documented/clean.oha.json")) == {"few-samples": "note"}
    assert severities(one("documented/few.oha.json")) == {"few-samples": "doubtful"}


# per-thread, rate-not-reached, ignored-options


def test_the_rate_of_the_only_thread_is_the_total(one: One) -> None:
    assert "per-thread" in one("real/clean-c1.wrk.txt").passed


def test_one_divided_by_the_rate_is_no_latency(one: One) -> None:
    assert "no request took that long" in only(one("real/clean-c50.ab.txt").findings, "per-thread").problem


def test_a_rate_that_was_told_is_compared_with_the_one_reached(one: One, severities: Severities) -> None:
    assert "rate-not-reached" in one("documented/clean.vegeta.json", rate_per_s=500).passed
    assert severities(one("documented/clean.vegeta.json", rate_per_s=800))["rate-not-reached"] == "misleading"


def test_a_rate_that_nobody_told_stays_unknown(one: One) -> None:
    unknown = {cannot.check: cannot.missing for cannot in one("documented/clean.vegeta.json").cannot_tell}

    assert unknown["rate-not-reached"] == "the rate that was asked for"


def test_dropped_iterations_of_k6_are_load_that_was_not_sent(one: One, severities: Severities) -> None:
    assert severities(one("documented/dropped.k6-handle-summary.json"))["rate-not-reached"] == "misleading"


def test_wrk2s_latencies_show_requests_that_waited_to_be_sent(one: One, severities: Severities) -> None:
    assert severities(one("documented/overloaded.wrk2.txt"))["rate-not-reached"] == "doubtful"


def test_hey_told_its_options_after_the_url_did_not_read_them(one: One, severities: Severities) -> None:
    assert severities(one("real/options-after-url.hey.txt"))["ignored-options"] == "misleading"


# The pages


@pytest.mark.parametrize("check", all_checks().values(), ids=lambda check: check.name)
def test_every_check_has_a_page_that_says_what_it_means_how_it_decides_and_what_to_do(check: Check) -> None:
    page = check.page

    assert page.startswith(f"# {check.name}: ")
    for part in ("**Formula", "**Severity**", "**What to do**"):
        assert part in page


def test_every_check_is_found_by_its_name(one: One) -> None:
    file = one("published/4-async-def.wrk.txt")

    assert {finding.check for finding in file.findings} <= set(all_checks())
    assert {cannot.check for cannot in file.cannot_tell} <= set(all_checks())
