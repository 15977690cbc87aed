"""What a report says first, what it says at all, and what it never claims."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from wirespeed.model.advice import Advice, Arm, Difference, HotFrame, ParallelEstimate, Phases, ThroughServer
from wirespeed.model.request import Skipped
from wirespeed.model.verdict import Estimate, Verdict
from wirespeed.report.arms import arm_view, edit_lines
from wirespeed.report.endpoints import conclusion_span, endpoint_name, full_view
from wirespeed.report.order import Standing, entries, standing
from wirespeed.report.skipped import skipped_views
from wirespeed.report.tree import ArmView, EndpointView, FoldView
from wirespeed.report.view import advice_view

Build = Callable[..., Any]
MARGIN = 0.02
DIFF = "--- a/deps.py\n+++ b/deps.py\n@@ -3,1 +3,1 @@\n-def settings():\n+async def settings():\n"


@pytest.fixture
def view_of(make_endpoint: Build) -> Callable[[Arm], ArmView]:
    return lambda arm: arm_view(arm, make_endpoint("GET /x", 1_000_000, arm), MARGIN)


def names(told: tuple[EndpointView | FoldView, ...]) -> list[str]:
    return [entry.name for entry in told if isinstance(entry, EndpointView)]


class TestOrder:
    def test_what_saves_most_comes_first_and_what_needs_nothing_last(
        self, make_advice: Build, make_endpoint: Build, make_arm: Build
    ) -> None:
        told = entries(
            make_advice(
                make_endpoint("GET /fast", conclusion="fast"),
                make_endpoint("GET /acts", conclusion="unsafe"),
                make_endpoint("GET /broken", None, conclusion="failed"),
                make_endpoint("GET /query", 900_000_000),
                make_endpoint("GET /unsure", conclusion="undecided"),
                make_endpoint("GET /catch", 800_000_000, make_arm("-> Any", 0.1, fidelity="different")),
                make_endpoint("GET /large-ratio", 100_000, make_arm("-> A", 0.05, recommended=True)),
                make_endpoint("GET /large-saving", 9_000_000, make_arm("-> B", 0.5, recommended=True)),
            )
        )
        assert names(told) == [
            "GET /large-saving",
            "GET /large-ratio",
            "GET /catch",
            "GET /unsure",
            "GET /query",
            "GET /broken",
            "GET /acts",
            "GET /fast",
        ]

    def test_a_recommended_arm_stands_above_a_faster_one_with_other_bytes(
        self, make_endpoint: Build, make_arm: Build
    ) -> None:
        endpoint = make_endpoint(
            "GET /x",
            1_000_000,
            make_arm("slow", 1.4, verdict="slower"),
            make_arm("other bytes", 0.1, fidelity="different"),
            make_arm("safe", 0.3, recommended=True),
        )
        (finding,) = full_view(endpoint, MARGIN).findings
        assert [arm.name for arm in finding.arms] == ["safe", "other bytes", "slow"]

    def test_advice_that_nothing_refuted_is_not_folded_among_fast_endpoints(
        self, make_endpoint: Build, make_finding: Build
    ) -> None:
        endpoint = make_endpoint("GET /x", conclusion="fast", findings=(make_finding("WS405"),))
        assert standing(endpoint) is Standing.ELSEWHERE

    def test_many_fast_endpoints_are_told_in_one_sentence(
        self, make_advice: Build, make_endpoint: Build
    ) -> None:
        fast = [make_endpoint(f"GET /{n}", 1000 * n, fast_path=True, conclusion="fast") for n in range(12)]
        (fold,) = entries(make_advice(*fast))
        assert isinstance(fold, FoldView)
        assert fold.headline.text == "12 endpoints are on the fast path, nothing to gain"
        assert len(fold.names) + fold.more == 12

    def test_many_failures_of_one_status_are_told_together_with_one_note_as_example(
        self, make_advice: Build, make_endpoint: Build
    ) -> None:
        failed = [
            make_endpoint(f"GET /{n}", None, status=404, conclusion="failed", note=f"name it with --get /{n}")
            for n in range(30)
        ]
        (fold,) = entries(make_advice(*failed))
        assert isinstance(fold, FoldView)
        assert fold.headline.text == "30 endpoints answered 404"
        assert fold.hint == "for example GET /0: name it with --get /0"

    def test_what_each_acting_get_did_is_told_of_each(self, make_advice: Build, make_endpoint: Build) -> None:
        acting = [
            make_endpoint(f"GET /{n}", conclusion="unsafe", note=f"it wrote a file ({n}.json)")
            for n in range(6)
        ]
        views = [entry for entry in entries(make_advice(*acting)) if isinstance(entry, EndpointView)]
        told = [view.conclusion.text for view in views if view.conclusion]
        assert told == [f"called once: it wrote a file ({n}.json)" for n in range(6)]

    def test_where_an_arm_is_inconclusive_nobody_says_that_no_remedy_helps(
        self, make_endpoint: Build, make_arm: Build
    ) -> None:
        endpoint = make_endpoint("GET /x", 1000, make_arm("-> Any", 0.97, verdict="inconclusive"))
        assert standing(endpoint) is Standing.UNDECIDED
        assert conclusion_span(endpoint).text == "no remedy is proven to help"

    def test_a_single_endpoint_is_never_folded_away(self, make_advice: Build, make_endpoint: Build) -> None:
        told = entries(make_advice(*(make_endpoint(f"GET /{n}") for n in range(11))))
        assert len(names(told)) == 11

    def test_one_edit_that_helps_many_endpoints_is_told_once(
        self, make_advice: Build, make_endpoint: Build, make_arm: Build
    ) -> None:
        arm = make_arm("async def", 0.8, code="WS203", kind="code", edit=DIFF, recommended=True)
        told = entries(make_advice(*(make_endpoint(f"GET /{n}", 1_000_000, arm) for n in range(5))))
        assert names(told) == ["5 endpoints"]

    def test_the_same_annotation_on_many_endpoints_is_not_one_change(
        self, make_advice: Build, make_endpoint: Build, make_arm: Build
    ) -> None:
        told = entries(
            make_advice(
                *(
                    make_endpoint(
                        f"GET /{n}", 1000, make_arm("async def", 0.8, edit=f"+{n}", recommended=True)
                    )
                    for n in range(5)
                )
            )
        )
        assert len(names(told)) == 5

    def test_an_endpoint_keeps_its_own_remedy_beside_a_shared_one(
        self, make_advice: Build, make_endpoint: Build, make_arm: Build
    ) -> None:
        shared = make_arm("without M", 0.8, code="WS301", kind="app", recommended=True)
        own = make_arm("-> list[User]", 0.1, recommended=True)
        told = entries(
            make_advice(
                make_endpoint("GET /own", 1_000_000, shared, own),
                *(make_endpoint(f"GET /{n}", 1_000_000, shared) for n in range(3)),
            )
        )
        assert names(told) == ["GET /own", "4 endpoints"]
        first = told[0]
        assert isinstance(first, EndpointView)
        assert [finding.code for finding in first.findings] == ["WS101"]


class TestArms:
    def test_an_inconclusive_arm_names_no_winner(self, view_of: Build, make_arm: Build) -> None:
        view = view_of(make_arm("-> Any", 0.97, interval=(0.93, 1.02), verdict="inconclusive"))
        assert view.outcome.text == "inconclusive: between 2.0 % slower and 7.0 % faster"
        assert (view.time, view.interval, view.recommended) == ("", "", False)

    def test_a_slower_arm_says_from_what_to_what(self, view_of: Build, make_arm: Build) -> None:
        assert view_of(make_arm("-> Any", 1.57, verdict="slower")).outcome.text == "slower: 1.00 → 1.57 ms"

    def test_an_equivalent_arm_is_no_difference_beyond_the_margin(
        self, view_of: Build, make_arm: Build
    ) -> None:
        assert (
            view_of(make_arm("-> Any", 0.99, verdict="equivalent")).outcome.text == "no difference beyond 2 %"
        )

    def test_an_arm_that_was_not_measured_says_why(self, view_of: Build, make_arm: Build) -> None:
        view = view_of(make_arm("-> Any", None, verdict="inconclusive", reason="the budget ended"))
        assert (view.outcome.text, view.remarks) == ("not measured: the budget ended", ())

    def test_an_arm_left_out_for_its_bytes_shows_which(self, view_of: Build, make_arm: Build) -> None:
        reason = "not measured: clients would see different values"
        differences = (Difference(at="$.price", baseline=12.5, arm="12.5"),)
        view = view_of(make_arm("-> A", None, verdict="invalid", reason=reason, differences=differences))
        assert (view.outcome.text, view.differences) == (reason, ('$.price: 12.5 → "12.5"',))

    def test_of_many_arms_left_out_some_are_shown_and_the_rest_counted(
        self, make_endpoint: Build, make_arm: Build
    ) -> None:
        arms = [
            make_arm(f"-> A{n}", None, verdict="invalid", reason="not measured: slower") for n in range(9)
        ]
        view = full_view(make_endpoint("GET /x", 1000, *arms), MARGIN)
        assert sum(len(finding.arms) for finding in view.findings) == 2
        assert "7 more changes not measured" in [remark.text for remark in view.remarks]

    def test_an_invalid_arm_shows_no_figure(self, view_of: Build, make_arm: Build) -> None:
        view = view_of(make_arm("-> Any", 0.2, verdict="invalid", reason="answered above the route"))
        assert (view.outcome.text, view.time, view.interval) == ("invalid: answered above the route", "", "")

    def test_bytes_that_only_the_captured_answers_vouch_for_are_told_as_such(
        self, view_of: Build, make_arm: Build
    ) -> None:
        told = [view_of(make_arm("-> A", 0.5, safe_by=by)).remarks[0].text for by in ("type", "values")]
        assert told == ["identical bytes", "identical bytes (in the answers captured)"]

    def test_the_first_differing_paths_are_shown_and_the_rest_counted(
        self, view_of: Build, make_arm: Build
    ) -> None:
        differences = tuple(Difference(at=f"$[{n}].price", baseline=12.5, arm="12.5") for n in range(9))
        view = view_of(make_arm("-> A", 0.5, fidelity="different", differences=differences))
        assert view.differences[0] == '$[0].price: 12.5 → "12.5"'
        assert view.differences[-1] == "… 6 more paths"

    def test_a_gain_that_only_many_requests_at_once_show_says_so(
        self, view_of: Build, make_arm: Build
    ) -> None:
        parallel = ParallelEstimate(n=20, ratio=0.1, interval=(0.09, 0.11))
        view = view_of(make_arm("def", 1.0, interval=(0.99, 1.01), parallel=parallel, recommended=True))
        assert view.outcome.text == "10.0× faster with 20 at once"

    def test_a_harm_that_only_many_requests_at_once_show_is_not_hidden(
        self, view_of: Build, make_arm: Build
    ) -> None:
        parallel = ParallelEstimate(n=20, ratio=6.0, interval=(5.8, 6.2))
        view = view_of(make_arm("async def", 0.91, parallel=parallel))
        assert ("with 20 at once: 6.00× slower", "bad") in [(r.text, r.role) for r in view.remarks]

    def test_only_recommended_arms_show_their_edit(self, view_of: Build, make_arm: Build) -> None:
        shown = [view_of(make_arm("-> A", 0.5, edit="x = 1", recommended=r)).edit for r in (True, False)]
        assert [len(lines) for lines in shown] == [1, 0]

    def test_a_diff_stands_below_its_place_in_the_file(self, make_arm: Build) -> None:
        edit = "--- a/users.py\n+++ b/users.py\n@@ -29,2 +30,2 @@\n-def f():\n+def f() -> A:\n     pass\n"
        lines = edit_lines(make_arm("-> A", 0.5, edit=edit))
        assert [(line.text, line.role) for line in lines] == [
            ("users.py:30", "muted"),
            ("-def f():", "bad"),
            ("+def f() -> A:", "good"),
            ("     pass", "code"),
        ]

    def test_removed_lines_that_look_like_a_file_header_are_shown(self, make_arm: Build) -> None:
        edit = "--- a/q.py\n+++ b/q.py\n@@ -1,2 +1,1 @@\n--- a comment in SQL\n SELECT 1\n"
        assert "--- a comment in SQL" in [line.text for line in edit_lines(make_arm("x", 0.5, edit=edit))]

    def test_a_long_edit_is_cut_and_the_rest_counted(self, make_arm: Build) -> None:
        arm = make_arm("-> A", 0.5, edit="\n".join(f"line {n}" for n in range(50)))
        assert edit_lines(arm)[-1].text == "… 35 more lines"
        assert len(edit_lines(arm, every_line=True)) == 50

    def test_the_response_path_is_shown_where_the_endpoint_hides_it(
        self, make_endpoint: Build, make_arm: Build
    ) -> None:
        arm = make_arm("-> A", 0.83, response_path={"ratio": 0.064, "interval": (0.06, 0.07)})
        endpoint = make_endpoint("GET /x", 52_000_000, arm, response_path_ns=9_400_000)
        remarks = [remark.text for remark in arm_view(arm, endpoint, MARGIN).remarks]
        assert "response path 9.40 → 0.60 ms" in remarks

    @pytest.mark.parametrize("ratio", [0.0, -0.1, math.inf, math.nan])
    def test_an_impossible_figure_breaks_no_report(
        self, ratio: float, view_of: Build, make_arm: Build
    ) -> None:
        for verdict in Verdict:
            view_of(make_arm("-> A", 1.0, verdict=verdict).model_copy(update={"whole": impossible(ratio)}))


def impossible(ratio: float) -> Estimate:
    return Estimate(ratio=ratio, interval=(ratio, ratio))


class TestNames:
    def test_a_long_request_is_called_by_its_route(self, make_endpoint: Build) -> None:
        sent = "GET /orders/00000000-0000-4000-8000-000000000000/items?page=2"
        assert endpoint_name(make_endpoint(sent, path="/orders/{order_id}/items")) == (
            "GET /orders/{order_id}/items?page=2"
        )

    def test_a_short_request_is_called_as_it_was_sent(self, make_endpoint: Build) -> None:
        assert endpoint_name(make_endpoint("GET /orders/7", path="/orders/{order_id}")) == "GET /orders/7"

    def test_installed_packages_are_named_without_the_environment_they_lie_in(
        self, make_endpoint: Build, make_arm: Build
    ) -> None:
        inside = "venv/lib/python3.12/site-packages/"
        frame = HotFrame(share=0.9, where=f"{inside}lib/core.py:59 run")
        endpoint = make_endpoint(
            "GET /x", 1000, make_arm("-> A", 0.5), source=f"{inside}app/main.py:7", hot_frame=frame
        )
        assert full_view(endpoint, MARGIN).source == "app/main.py:7"
        assert conclusion_span(endpoint).text == "no remedy helps: 90 % is in run (lib/core.py:59)"


class TestConclusions:
    def test_without_a_frame_the_largest_phase_is_named(self, make_endpoint: Build) -> None:
        phases = Phases(
            layers={"GZipMiddleware": 700_000},
            routing=10_000,
            dependencies=90_000,
            endpoint=100_000,
            validation=0,
            serialization=50_000,
            rendering=50_000,
        )
        told = conclusion_span(make_endpoint("GET /x", 1_000_000, phases_ns=phases))
        assert told.text == "no remedy helps: 70 % is the middleware GZipMiddleware"

    def test_phases_of_no_duration_are_no_crash(self, make_endpoint: Build) -> None:
        nothing = Phases(
            layers={}, routing=0, dependencies=0, endpoint=0, validation=0, serialization=0, rendering=0
        )
        assert conclusion_span(make_endpoint("GET /x", 0, phases_ns=nothing)).text.startswith(
            "no remedy helps"
        )

    @pytest.mark.parametrize(
        ("conclusion", "status", "note", "told"),
        [
            ("unsafe", 200, "it wrote a file (a.json)", "called once: it wrote a file (a.json)"),
            ("failed", 401, "needs a token", "answered 401: needs a token"),
            ("failed", None, "no answer within 10 s", "failed: no answer within 10 s"),
            ("failed", 500, None, "answered 500"),
            ("undecided", 200, "14 more rounds would decide", "undecided: 14 more rounds would decide"),
        ],
    )
    def test_each_conclusion_says_what_happened(
        self, make_endpoint: Build, conclusion: str, status: int | None, note: str | None, told: str
    ) -> None:
        endpoint = make_endpoint("GET /x", conclusion=conclusion, status=status, note=note)
        assert conclusion_span(endpoint).text == told

    def test_two_findings_of_one_code_are_both_told(
        self, make_endpoint: Build, make_arm: Build, make_finding: Build
    ) -> None:
        arm = make_arm("async def", 0.9, code="WS203", recommended=True)
        endpoint = make_endpoint("GET /x", 1000, arm, findings=(make_finding("WS203"), make_finding("WS203")))
        views = full_view(endpoint, MARGIN).findings
        assert [(view.code, len(view.arms)) for view in views] == [("WS203", 0), ("WS203", 1)]


class TestSkipped:
    def test_routes_are_grouped_by_reason_with_the_option_that_helps(self) -> None:
        skipped = [
            Skipped(
                method="POST", path=f"/{n}", reason="may change something", option=f"--request 'POST /{n}'"
            )
            for n in range(9)
        ]
        (fold,) = skipped_views(skipped)
        assert fold.headline.text == "9 may change something"
        assert fold.hint == "for example --request 'POST /0'"
        assert len(fold.names) + fold.more == 9

    def test_rare_reasons_are_counted(self) -> None:
        skipped = [Skipped(method="GET", path=f"/{n}", reason=f"reason {n}", option=None) for n in range(9)]
        assert skipped_views(skipped)[-1].headline.text == "5 for 5 other reasons"
        assert len(skipped_views(skipped, everything=True)) == 9


class TestHeaderAndTotals:
    def test_a_report_that_stopped_early_says_so(self, make_advice: Build) -> None:
        warnings = [warning.text for warning in advice_view(make_advice(complete=False)).warnings]
        assert "Stopped early: this is what was measured until then." in warnings

    def test_a_remedy_of_many_endpoints_counts_once(
        self, make_advice: Build, make_endpoint: Build, make_arm: Build
    ) -> None:
        arm = make_arm("without M", 0.5, kind="app", recommended=True)
        view = advice_view(make_advice(*(make_endpoint(f"GET /{n}", 1000, arm) for n in range(6))))
        assert "1 remedy" in [total.text for total in view.totals]

    def test_the_option_that_unfolds_is_named_only_where_something_is_folded(
        self, design: Advice, big: Advice
    ) -> None:
        told = [advice_view(advice, option_for_everything="--all").legend for advice in (design, big)]
        assert [any("--all" in line for line in legend) for legend in told] == [False, True]


class TestThroughTheServer:
    def test_both_figures_stand_on_a_line_of_their_own(self, view_of: Build, make_arm: Build) -> None:
        through = ThroughServer(
            server="uvicorn",
            workers=1,
            rounds=5,
            alone=Estimate(ratio=0.5, interval=(0.4, 0.625)),
            loaded=ParallelEstimate(n=50, ratio=0.25, interval=(0.2, 0.3125)),
            contradicts=False,
        )
        told = view_of(make_arm("-> A", 0.2, recommended=True, served=through)).served
        assert (
            told.text
            == "through uvicorn: alone 2.00× faster [1.60, 2.50], 50 connections 4.00× faster [3.20, 5.00]"
        )

    def test_an_open_interval_names_no_winner_and_a_contradiction_is_marked(
        self, view_of: Build, make_arm: Build
    ) -> None:
        through = ThroughServer(
            server="granian",
            workers=2,
            rounds=5,
            alone=Estimate(ratio=0.99, interval=(0.95, 1.03)),
            loaded=ParallelEstimate(n=50, ratio=2.0, interval=(1.8, 2.2)),
            contradicts=True,
        )
        told = view_of(make_arm("-> A", 0.2, served=through)).served
        assert told.role == "bad"
        assert told.text.startswith(
            "through granian with 2 workers: alone between 3.0 % slower and 5.0 % faster"
        )

    def test_what_was_not_measured_says_why(self, view_of: Build, make_arm: Build) -> None:
        through = ThroughServer(
            server="uvicorn",
            workers=1,
            rounds=0,
            alone=None,
            loaded=None,
            contradicts=False,
            reason="no time",
        )
        told = view_of(make_arm("-> A", 0.2, recommended=True, served=through)).served
        assert told.text == "through uvicorn: not measured: no time"
