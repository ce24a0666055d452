"""Figures of small cases worked out by hand."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

from core.analyses import (
    availability,
    bootstrap,
    direction,
    direction_errors,
    phrasing,
    popularity,
    quality,
    recovery,
    thinking,
    threshold,
)
from core.analyses.analysis_evidence import AnalysisRow, Evidence, Rates
from core.analyses.bootstrap import BootstrapRow
from core.analyses.phrasing import PhrasingRow
from core.analyses.thinking import GroupedThinkingRow, measure_groups
from core.figures import method_figures, profile_figures, recall_figures, thinking_figures
from core.figures.figure import Panel, PanelKind, Point
from core.figures.figure_scope import facts_of
from core.figures.series import BY_PROFILE, KNOWN, SharePoints
from core.results.agreement_table import Agreement
from core.scoring.verdicts import summarise
from tests.core.analyses.cases import case

Measure = Callable[[Evidence], Iterable[tuple[AnalysisRow, Rates]]]

EVERY = ["FFF FF", "PFF FF", "PPP FF", "PFP PP", "FFF PP", "FPP PP", "NPP PP", "PP- PP"]
"""One fact of each profile, then direct inference, not gradable, incomplete."""


def measured(
    evidence: Evidence, measure: Measure, intervals: bool = False
) -> tuple[list[tuple[AnalysisRow, Rates]], SharePoints]:
    items = list(measure(evidence))
    rates = [rate for _, own in items for rate in own.values()]
    return items, SharePoints.from_shares(evidence, rates, intervals)


def values(panel: Panel) -> list[list[float | None]]:
    return [[point.value for point in row.points] for row in panel.rows]


def counts(panel: Panel) -> list[list[int | None]]:
    return [[point.n for point in row.points] for row in panel.rows]


class TestProfiles:
    def panel(self, patterns: dict[str, Sequence[str]], intervals: bool = False) -> Panel:
        evidence = case(patterns).evidence()
        models = dict(zip(patterns, summarise(evidence.verdicts, evidence.facts), strict=True))
        rates = dict(zip(patterns, profile_figures.shares_of(evidence), strict=True))
        every = [rate for own in rates.values() for rate in own.values()]
        return profile_figures.stacks(
            models, rates, SharePoints.from_shares(evidence, every, intervals)
        )

    def test_each_profile_once_from_known_to_unknown(self) -> None:
        panel = self.panel({"m": EVERY})
        assert panel.kind is PanelKind.STACK
        assert [series.mark for series in panel.series] == ["DR", "RT", "IE", "RF", "EF"]
        assert values(panel) == [[0.2] * 5]
        assert counts(panel) == [[5] * 5]
        (row,) = panel.rows
        split = "not gradable 14.3 %, direct inference 14.3 % of all complete facts; 1 incomplete"
        assert (row.model, row.excluded, row.note) == ("m", 2, split)
        assert row.of_series["recall_failure"] == "profile:recall_failure"
        known = [point.value or 0 for point in row.points[: panel.sums]]
        assert sum(known) == pytest.approx(0.6)

    def test_without_thinking_there_is_no_share_and_the_row_says_so(self) -> None:
        panel = self.panel({"on": ["PPP PP"], "off": ["PPP"]})
        assert values(panel) == [[1, 0, 0, 0, 0], [None] * 5]
        assert [row.note for row in panel.rows] == ["", profile_figures.UNMEASURED]
        assert panel.rows[1].of_series == {}

    def test_intervals_are_those_of_the_shares(self) -> None:
        evidence = case({"m": EVERY}).evidence()
        panel = self.panel({"m": EVERY}, intervals=True)
        (own,) = profile_figures.shares_of(evidence)
        for series, point in zip(BY_PROFILE, panel.rows[0].points, strict=True):
            assert (point.low, point.high) == own[series.name].interval
            assert point.low is not None
            assert point.low <= 0.2 <= (point.high or 0)

    def test_trends_go_from_the_least_to_the_most_known(self) -> None:
        patterns = {"a": ["PPP PP", "PFF FF"], "b": ["PFF FF", "FFF FF"], "c": ["FFF PP", "PPP PP"]}
        evidence = case(patterns).evidence()
        models = dict(zip(patterns, summarise(evidence.verdicts, evidence.facts), strict=True))
        panel = profile_figures.lines(models)
        assert list(panel.steps) == ["b", "a", "c"]
        assert panel.rows[0].name == "known with a profile"
        assert values(panel)[0] == [0, 0.5, 1]
        assert values(panel)[1:] == [
            [0, 0.5, 0.5],  # direct recall
            [0, 0, 0],
            [0, 0, 0.5],  # inference
            [0.5, 0.5, 0],  # recall failure
            [0.5, 0, 0],
        ]
        assert KNOWN == 3

    def test_a_panel_a_model_a_row_a_threshold(self) -> None:
        items, marker = measured(
            case({"m": ["PPP PP", "PFF FF"]}).evidence(), threshold.measure_rows
        )
        (panel,) = profile_figures.panels_by_threshold(items, marker)
        assert [row.name for row in panel.rows] == [
            "τ 0", "τ 0.25", "τ 0.5", "τ 0.75", "τ 0.9", "τ 0.99"
        ]  # fmt: skip
        assert values(panel) == [[0.5, 0, 0, 0.5, 0]] * 6  # g is 1 or 0 everywhere
        assert panel.rows[0].of_series["direct_recall"] == "number:0"
        assert panel.rows[0].of_series["encoding_failure"] == ""


class TestWhyRecallFails:
    def test_rare_against_popular(self) -> None:
        patterns = ["FFF FF", "PFF PP", "PPP PP", "PPP PP", "PPP PP"]
        evidence = case({"m": patterns}, [1, 2, 3, 4, 5]).evidence()
        items, marker = measured(evidence, popularity.measure_rows)
        stored = recall_figures.panel_by_tier(items, "encode_rate", "stored", marker, {"m": 3})
        assert values(stored) == [[0.0, 1.0]]
        assert stored.rows[0].gap == 1.0
        assert stored.rows[0].excluded == 3
        assert stored.rows[0].of_series == {"bottom": "", "top": "number:4"}
        recalled = recall_figures.panel_by_tier(items, "recall_rate", "recalled", marker, {})
        assert values(recalled) == [[None, 1.0]]
        assert counts(recalled) == [[0, 1]]
        assert recalled.rows[0].gap is None

    def test_no_views_at_all_are_empty_tiers(self) -> None:
        items, marker = measured(case({"m": ["PPP PP"]}).evidence(), popularity.measure_rows)
        panel = recall_figures.panel_by_tier(items, "encode_rate", "stored", marker, {})
        assert values(panel) == [[None, None]]

    def test_stored_facts_in_either_direction(self) -> None:
        evidence = case({"m": ["PPF PP", "PPP PP", "FPF PP"]}).evidence()  # the last is not stored
        items, marker = measured(evidence, direction.measure_rows)
        panel = recall_figures.panel_by_way(items, "generation", "open", marker, {})
        assert [series.name for series in panel.series] == ["reverse", "direct"]
        assert values(panel) == [[0.5, 1.0]]
        assert counts(panel) == [[2, 2]]
        assert panel.rows[0].of_series == {"reverse": "number:1", "direct": "number:0-1"}
        choice = recall_figures.panel_by_way(items, "verification", "choice", marker, {})
        assert values(choice) == [[None, None]]  # no such question

    def test_which_direction_fails(self) -> None:
        evidence = case({"m": ["PFP PP", "PPF PP", "FFF PP", "PPP PP"]}).evidence()
        items, marker = measured(evidence, direction_errors.measure_rows)
        everything = recall_figures.panel_by_failure(items, "all", "all", marker, {})
        assert [point.value for point in everything.rows[0].points] == pytest.approx([1 / 3] * 3)
        stored = recall_figures.panel_by_failure(items, "encoded", "stored", marker, {})
        assert values(stored) == [[0.5, 0.5, 0.0]]
        assert stored.rows[0].of_series["only_reverse"] == "number:1"

    def test_wordings_carry_their_tests(self) -> None:
        rows = [
            PhrasingRow("m", False, "direct", 20, 9, 1, 0.021, 0.04, True),
            PhrasingRow("m", True, "direct", 10, 0, 0, 1.0, 1.0, False),
            PhrasingRow("n", False, "direct", 90, 80, 1, 1e-9, 0.0002, True),
            PhrasingRow("m", True, "reverse", 0, 0, 0),
        ]
        direct = recall_figures.panel_by_wording(rows, "direct", "direct")
        assert [row.name for row in direct.rows] == ["m off", "m on", "n off"]
        assert values(direct)[:2] == [[0.05, 0.45], [0.0, 0.0]]
        assert direct.rows[0].gap == pytest.approx(0.4)
        assert [row.note for row in direct.rows] == [
            "p 0.040 adjusted, significant",
            "p 1.000 adjusted",
            "p < 0.001 adjusted, significant",
        ]
        reverse = recall_figures.panel_by_wording(rows, "reverse", "reverse")
        assert values(reverse) == [[None, None]]
        assert reverse.rows[0].note == ""

    def test_wordings_of_a_case(self) -> None:
        rows = phrasing.phrasing(case({"m": ["PPP PP"]}).evidence())
        for name in recall_figures.PAIRS:
            assert len(recall_figures.panel_by_wording(rows, name, name).rows) == 2  # off and on


class TestThinking:
    PATTERNS = ("PFP PP", "PFF PF", "PPP FF", "FFF PP")
    """Stored: found by thinking, half found, known; and one that is not stored (ids from 0)."""

    def test_gain_of_stored_facts(self) -> None:
        items, marker = measured(case({"m": self.PATTERNS}).evidence(), thinking.measure_rows)
        panel = thinking_figures.gains(items, marker)
        assert values(panel) == [[1 / 3, pytest.approx(2 / 3)]]
        assert panel.rows[0].of_series == {"base": "number:2", "total": "number:0,2"}

    def test_by_direction_a_fact_counts_as_known_without_or_with_thinking(self) -> None:
        evidence = case({"m": self.PATTERNS, "off": ["PPP"] * 4}).evidence()
        items, marker = measured(evidence, measure_groups)
        items = [item for item in items if item[0].as_json()["by"] == "direction"]
        assert [row for row, _ in items] == [
            GroupedThinkingRow("m", "direction", "direct", 3, 1 / 3, 2 / 3, 1.0),
            GroupedThinkingRow("m", "direction", "reverse", 3, 2 / 3, 0.0, 2 / 3),
        ]
        off = thinking_figures.panel_by_way(items, "base", "off", marker)
        on = thinking_figures.panel_by_way(items, "total", "on", marker)
        assert values(off) == [[2 / 3, 1 / 3]]
        assert values(on) == [[2 / 3, 1.0]]
        assert on.rows[0].of_series == {"reverse": "number:0,2", "direct": "number:0-2"}

    def test_recovered_by_whether_it_is_stored(self) -> None:
        evidence = case({"m": [*self.PATTERNS, "FFF FF"]}).evidence()
        items, marker = measured(evidence, recovery.measure_rows)
        panel = thinking_figures.recovered_panel(items, marker)
        assert values(panel) == [[0.5, 0.5]]
        assert panel.rows[0].of_series == {"not": "number:3", "stored": "number:0"}
        assert panel.rows[0].gap == 0.0


class TestMethod:
    def test_two_graders_crossed(self) -> None:
        table = np.diag([6, 2, 1, 0]).astype(np.int64)
        table[0, 1] = 1
        panel = method_figures.matrix_panel(Agreement(table), "a", "b")
        assert panel.title == "a down, b across"
        assert panel.rows[0].points == [Point(0.6, n=6), Point(0.1, n=1), *[Point(0, n=0)] * 2]
        assert sum(value or 0 for row in values(panel) for value in row) == pytest.approx(1)

    def test_widths_stand_a_model_a_line_a_task_a_panel(self) -> None:
        rows = [
            BootstrapRow(model, task, k, 9, 0.5, 0.4, 0.6, width)
            for task in ("direct", "reverse")
            for model, widths in {"a": (0.2, 0.1), "b": (0.04, 0.02)}.items()
            for k, width in enumerate(widths, start=1)
        ]
        panels = method_figures.widths(rows)
        assert [panel.title for panel in panels] == [
            "direct: width in points",
            "reverse: width in points",
        ]
        assert list(panels[0].steps) == ["k 1", "k 2"]
        assert values(panels[0]) == [[0.2, 0.1], [0.04, 0.02]]
        assert {panel.high for panel in panels} == {0.2}

    def test_widths_of_questions_that_cannot_be_graded_are_empty(self) -> None:
        rows = bootstrap.bootstrap(case({"m": ["NNN"]}).evidence())
        for panel in method_figures.widths(rows):
            assert {value for row in values(panel) for value in row} == {None}
            assert panel.high > 0

    def test_available_lines_of_fewer_answers_end_early(self) -> None:
        made = case({"m": ["PPP PP"]})
        items, marker = measured(made.evidence(), availability.measure_rows)
        shorter = [
            (row, own)
            for row, own in items
            if not (isinstance(row, availability.AvailabilityRow) and row.thinking and row.k > 2)
        ]
        panels = method_figures.available_panels(shorter, marker)
        assert [len(row.points) for panel in panels for row in panel.rows] == [
            len(panel.steps) for panel in panels for _ in panel.rows
        ]
        direct = next(panel for panel in panels if panel.title.startswith("direct:"))
        assert values(direct) == [[1.0] * 8, [1.0, 1.0, *[None] * 6]]

    def test_failed_questions_are_shares_of_those_there_are(self) -> None:
        evidence = case({"m": ["PFP PF", "PFF FF"]}).evidence()
        rates = method_figures.failures(quality.quality(evidence), evidence)
        panel = method_figures.failed_panel(
            rates, SharePoints.from_shares(evidence, rates.values(), False)
        )
        found = {row.name: (row.points[0].value, row.points[0].n, row.facts) for row in panel.rows}
        assert found["completion"] == (0.0, 2, "")
        assert found["direct"] == (0.5, 2, "number:1")
        assert found["reverse"] == (0.5, 2, "number:1")
        assert found["mc direct"] == (None, 0, "")


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 facts"), (1, "1 fact"), (2150, "2,150 facts")]
)
def test_a_caption_counts_one_fact_and_many(number: int, words: str) -> None:
    assert facts_of(number) == words
