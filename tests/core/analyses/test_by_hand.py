"""Small cases worked out by hand from semantics section 5."""

from dataclasses import replace

import numpy as np
import pytest

from core.analyses import ANALYSES
from core.analyses.availability import AvailabilityRow, availability
from core.analyses.direction import (
    DirectionRow,
    TypedDirectionRow,
    compare_types,
    control_types,
    direction,
)
from core.analyses.direction_errors import CompositionRow, ErrorsRow, composition, errors
from core.analyses.fact_distribution import DistributionRow, dataset
from core.analyses.phrasing import PhrasingRow, phrasing
from core.analyses.popularity import PopularityRow, popularity
from core.analyses.quality import QualityRow, quality
from core.analyses.recovery import RecoveryRow, recovery
from core.analyses.thinking import (
    GroupedThinkingRow,
    ThinkingRow,
    thinking,
    thinking_by_group,
)
from core.analyses.threshold import ThresholdRow, threshold
from core.vocabulary import KNOWLEDGE, TASK_INDEX, TASKS
from tests.core.analyses.cases import Case, case
from tests.core.reference import Rule


def nobody() -> Case:
    """No fact and no model."""
    return Case([], [], [], [], [], {}, {})


def test_no_models_no_rows() -> None:
    for analysis in ANALYSES.values():
        assert list(analysis.compute(nobody().evidence())) == []


def test_a_model_that_answered_no_fact_has_rows_of_nothing() -> None:
    evidence = replace(case({"m": ["PPP PP"]}).evidence(), facts=np.array([False]))
    assert thinking(evidence) == [ThinkingRow("m", 0, None, None, None)]
    assert recovery(evidence) == [RecoveryRow("m", True, 0, None), RecoveryRow("m", False, 0, None)]
    assert errors(evidence)[0] == ErrorsRow("m", "all", 0, None, None, None)
    assert {(row.n, row.rate) for row in direction(evidence)} == {(0, None)}
    assert {(row.n, row.p, row.p_adjusted, row.significant) for row in phrasing(evidence)} == {
        (0, None, None, None)
    }
    assert {(row.count, row.share) for row in threshold(evidence)} == {(0, None)}
    assert {row.encode_rate for row in popularity(evidence)} == {None}
    assert availability(evidence) == []
    assert quality(evidence) == []


class TestPopularity:
    def test_equal_views_are_ranked_by_fact_id_as_text(self) -> None:
        ids = ["10", "9", "2", "30", "1"]
        found = case({"m": ["PFF FF", "FFF FF", "PPP PP", "PPP PP", "FFF FF"]}, [7] * 5, ids)
        bottom, _, top, unknown = popularity(found.evidence())
        assert bottom == PopularityRow("m", "bottom", 1, 0.0, None, None, None)  # fact 1
        assert top == PopularityRow("m", "top", 1, 0.0, None, None, None)  # fact 9
        assert unknown == PopularityRow("m", "unknown", 0, None, None, None, None)

    def test_a_count_of_zero_is_a_count_and_four_facts_have_no_tails(self) -> None:
        found = popularity(
            case({"m": ["PPP PP", "PFF PP", "PFF FF", "FFF PP"]}, [0, None, 5, 9]).evidence()
        )
        assert [(row.tier, row.n) for row in found] == [
            ("bottom", 0), ("middle", 3), ("top", 0), ("unknown", 1)
        ]  # fmt: skip
        assert found[1] == PopularityRow("m", "middle", 3, 2 / 3, 0.5, 0.0, 0.5)
        assert found[3] == PopularityRow("m", "unknown", 1, 1.0, 0.0, 1.0, 1.0)

    def test_tiers_are_those_of_the_whole_database_without_rejected_facts(self) -> None:
        made = case(
            {"m": ["PPP PP"] * 6}, [1, 2, 3, 4, 5, 0], rejected=[False] * 5 + [True]
        ).evidence()
        assert [row.n for row in popularity(made)] == [1, 3, 1, 0]
        two = replace(made, facts=np.array([True, True, False, False, False, False]))
        assert [row.n for row in popularity(two)] == [1, 1, 0, 0]

    def test_without_thinking_gain_is_null(self) -> None:
        row = popularity(case({"m": ["PPP", "PFF"]}).evidence())[3]
        assert row == PopularityRow("m", "unknown", 2, 1.0, 0.5, None, None)


class TestThinkingAndRecovery:
    def test_one_fact_of_each_profile_and_the_excluded_ones(self) -> None:
        made = case(
            {"m": ["FFF FF", "PFF FF", "PPP FF", "PFP PP", "FFF PP", "FPP PP", "NPP PP", "PP- PP"]}
        ).evidence()
        assert thinking(made) == [ThinkingRow("m", 3, 1 / 3, 1 / 3, 2 / 3)]
        assert recovery(made) == [
            RecoveryRow("m", True, 2, 0.5),
            RecoveryRow("m", False, 2, 0.5),
        ]

    def test_models_without_thinking_have_no_rows(self) -> None:
        made = case({"plain": ["PFF"], "thinker": ["PFF PP"]}).evidence()
        assert [row.model for row in thinking(made)] == ["thinker"]
        assert [row.model for row in recovery(made)] == ["thinker", "thinker"]
        assert {row.model for row in threshold(made)} == {"thinker"}


class TestDirection:
    def test_one_gradable_question_decides_and_none_leaves_the_row(self) -> None:
        cells = {
            ("m", 0, "reverse", False): (0, 0, 0, 8),
            ("m", 0, "mc_direct", False): (8, 0, 0, 0),
            ("m", 0, "mc_direct_natural", False): (4, 4, 0, 0),
            ("m", 1, "mc_reverse", False): (0, 0, 8, 0),
        }
        found = direction(case({"m": ["PFP", "FPF"]}, cells=cells).evidence())
        rates = {(row.kind, row.direction, row.given): (row.n, row.rate) for row in found}
        assert rates == {
            ("generation", "direct", "encoded"): (1, 0.0),
            ("generation", "direct", "all"): (2, 0.5),
            ("generation", "reverse", "encoded"): (1, 1.0),
            ("generation", "reverse", "all"): (2, 0.5),
            ("verification", "direct", "encoded"): (1, 0.0),
            ("verification", "direct", "all"): (1, 0.0),
            ("verification", "reverse", "encoded"): (0, None),
            ("verification", "reverse", "all"): (0, None),
        }
        assert not any(row.thinking for row in found)

    def test_thinking_has_its_own_rows(self) -> None:
        found = direction(case({"m": ["PFF PF"]}).evidence())
        assert found[8] == DirectionRow("m", True, "generation", "direct", "encoded", 1, 1.0)
        assert found[10] == DirectionRow("m", True, "generation", "reverse", "encoded", 1, 0.0)


def test_errors_say_which_pair_fails() -> None:
    made = case({"m": ["PFP", "PPF", "FFF", "PPP", "PFF"]}).evidence()
    assert errors(made) == [
        ErrorsRow("m", "all", 4, 0.25, 0.25, 0.5),
        ErrorsRow("m", "encoded", 3, 1 / 3, 1 / 3, 1 / 3),
    ]


class TestPhrasing:
    def test_exact_test_and_adjustment(self) -> None:
        """Six facts pass in one wording only: p = 2 / 64; the other open pair has p = 1."""
        cells = {("m", fact, "direct_natural", False): (0, 8, 0, 0) for fact in range(6)}
        rows = phrasing(case({"m": ["PPP"] * 7}, cells=cells).evidence())
        # Two of four rows could be tested; m (1 + 1/2) / rank = 3 for the smaller p.
        assert rows[0] == PhrasingRow("m", False, "direct", 7, 6, 0, 2 / 64, 6 / 64, False)
        assert rows[1] == PhrasingRow("m", False, "reverse", 7, 0, 0, 1.0, 1.0, False)
        assert [(row.pair, row.n, row.p) for row in rows[2:]] == [
            ("mc_direct", 0, None),
            ("mc_reverse", 0, None),
        ]

    def test_excluded_facts_count_and_one_wording_alone_does_not(self) -> None:
        cells = {
            ("m", 0, "direct", False): (1, 7, 0, 0),
            ("m", 1, "direct", False): (0, 0, 8, 0),
        }
        row = phrasing(case({"m": ["NPP", "NPP"]}, cells=cells).evidence())[0]
        assert (row.n, row.only_verbatim, row.only_natural) == (1, 0, 1)

    def test_enough_facts_make_it_significant(self) -> None:
        cells = {("m", fact, "direct", False): (0, 8, 0, 0) for fact in range(12)}
        row = phrasing(case({"m": ["PPP"] * 12}, cells=cells).evidence())[0]
        assert row.p == pytest.approx(2**-11)
        assert row.p_adjusted == pytest.approx(3 * 2**-11)
        assert row.significant


def test_threshold_judges_anew() -> None:
    cells = {("m", 0, task, False): (5, 3, 0, 0) for task in ("completion", "contextual")}
    found = threshold(case({"m": ["PPP PP", "PFF FF"]}, cells=cells).evidence())
    assert found[:2] == [
        ThresholdRow("m", 0, "encoding_failure", 0, 0.0),
        ThresholdRow("m", 0, "recall_failure", 1, 0.5),
    ]
    recall = {row.tau: (row.count, row.share) for row in found if row.profile == "direct_recall"}
    # Above 0.5 the first fact is not encoded, though known: direct inference, in no share.
    assert recall == {
        0: (1, 0.5), 0.25: (1, 0.5), 0.5: (1, 0.5), 0.75: (0, 0.0), 0.9: (0, 0.0), 0.99: (0, 0.0)
    }  # fmt: skip
    failure = [row.share for row in found if row.profile == "recall_failure"]
    assert failure == [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]


class TestAvailability:
    def test_the_larger_of_equally_common_numbers_of_labels(self) -> None:
        cells = {
            ("m", 0, "completion", False): (1, 1, 0, 0),
            ("m", 1, "completion", False): (0, 1, 1, 1),
            ("m", 2, "completion", False): (2, 0, 0, 0),
            ("m", 3, "completion", False): (2, 0, 0, 1),
        }
        made = case({"m": ["---"] * 5}, cells=cells).evidence()
        assert availability(made) == [
            AvailabilityRow("m", False, "completion", 1, 2, 0.5),
            AvailabilityRow("m", False, "completion", 2, 2, 0.5),
            AvailabilityRow("m", False, "completion", 3, 2, 0.0),
        ]

    def test_encoding_drawn_with_thinking_has_rows(self) -> None:
        cells = {("m", 0, "contextual", True): (1, 0, 0, 0)}
        made = case({"m": ["--- --"]}, cells=cells).evidence()
        assert availability(made) == [AvailabilityRow("m", True, "contextual", 1, 1, 1.0)]


class TestQuality:
    def test_everyone_with_labels_must_fail(self) -> None:
        cells = {
            ("a", 0, "direct", True): (4, 4, 0, 0),
            ("a", 1, "direct", True): (5, 4, 0, 0),
            ("a", 2, "mc_direct", False): (0, 1, 0, 0),
        }
        made = case({"a": ["PFN --", "PFN --", "-N- --"], "b": ["PFF", "PFF", "---"]}, cells=cells)
        assert quality(made.evidence()) == [
            QualityRow("fact 0", ["direct", "direct_natural"]),
            QualityRow("fact 1", ["direct_natural"]),
            QualityRow("fact 2", ["mc_direct"]),
        ]

    def test_half_is_the_bound_whatever_tau_is(self) -> None:
        made = case({"m": ["PPP"]}, cells={("m", 0, "direct", False): (5, 3, 0, 0)})
        assert quality(replace(made, rule=Rule("0.9", "pair")).evidence()) == []
        half = case({"m": ["PPP"]}, cells={("m", 0, "direct", False): (4, 4, 0, 0)})
        assert quality(replace(half, rule=Rule("0", "pair")).evidence()) == [
            QualityRow("fact 0", ["direct"])
        ]

    def test_rejected_facts_are_left_out(self) -> None:
        made = case({"m": ["FFF", "FFF"]}, rejected=[True, False]).evidence()
        assert quality(made) == [QualityRow("fact 1", [str(task) for task in TASKS[:6]])]


def test_rejected_facts_are_nowhere() -> None:
    """A rejected fact changes no row of any analysis."""
    pattern = {"m": ["PFF PP", "PPP PP", "FPF FF"]}
    without = case(pattern, [5, None, 3]).evidence()
    with_one = case(
        {"m": [*pattern["m"], "FFF PP"]}, [5, None, 3, 4], rejected=[False] * 3 + [True]
    ).evidence()
    for name, analysis in ANALYSES.items():
        assert list(analysis.compute(without)) == list(analysis.compute(with_one)), name


def test_errors_are_made_of_recall_and_encoding_failures() -> None:
    # Facts: known; stored, found by thinking; stored, not found; not stored, worked out; neither.
    evidence = case({"m": ["PPP PP", "PFF PP", "PFF FF", "FFF PP", "FFF FF"]}).evidence()
    assert composition(evidence) == [
        CompositionRow("m", False, 4, 2, 2, 0.5),
        CompositionRow("m", True, 2, 1, 1, 0.5),
    ]
    off = case({"m": ["PFF", "FFF", "FFF", "PPP"]}).evidence()
    assert composition(off) == [CompositionRow("m", False, 3, 1, 2, 1 / 3)]
    assert composition(case({"m": ["PPP"]}).evidence()) == [
        CompositionRow("m", False, 0, 0, 0, None)
    ]


def test_thinking_by_popularity_and_by_direction() -> None:
    # Views 1 to 5: tiers of one fact each, but for three in the middle.
    patterns = ["PFF PP", "PPF PP", "PFP FF", "FFF PP", "PPP FF"]
    rows = thinking_by_group(case({"m": patterns, "off": ["PPP"] * 5}, [1, 2, 3, 4, 5]).evidence())
    assert rows == [
        GroupedThinkingRow("m", "popularity", "bottom", 1, 0.0, 1.0, 1.0),
        GroupedThinkingRow("m", "popularity", "middle", 2, 0.0, 0.5, 0.5),
        GroupedThinkingRow("m", "popularity", "top", 1, 1.0, 0.0, 1.0),
        GroupedThinkingRow("m", "direction", "direct", 4, 0.5, 0.25, 0.75),
        GroupedThinkingRow("m", "direction", "reverse", 4, 0.5, 0.5, 1.0),
    ]


class TestTypes:
    """Direct against reverse with the type of the answer held fixed."""

    def typed(self) -> Case:
        # Ten facts with a date as object and a person as subject, ten the other way round, and
        # one whose types are rare. Direct: 8 dates of 10 and 4 persons of 10 are known. Reverse:
        # 5 persons of 10 and 1 date of 10.
        first = ["PPP"] * 5 + ["PPF"] * 3 + ["PFF"] * 2
        second = ["PPP"] + ["PPF"] * 3 + ["PFF"] * 6
        return replace(
            case({"m": [*first, *second, "PPP"]}),
            object_types=["DATE"] * 10 + ["PERSON"] * 10 + ["LAW"],
            subject_types=["PERSON"] * 10 + ["DATE"] * 10 + [""],
        )

    def test_rows_have_the_type_of_the_answer_in_each_direction(self) -> None:
        evidence = replace(self.typed().evidence(), options={"by": "answer_type"})
        found = {
            (row.direction, row.answer_type): (row.n, row.rate)
            for row in direction(evidence)
            if isinstance(row, TypedDirectionRow)
            if (row.kind, row.given) == ("generation", "all")
        }
        assert found == {
            ("direct", "DATE"): (10, 0.8),
            ("direct", "LAW"): (1, 1.0),
            ("direct", "PERSON"): (10, 0.4),
            ("reverse", "DATE"): (10, 0.1),
            ("reverse", "PERSON"): (10, 0.5),
            ("reverse", "unknown"): (1, 1.0),
        }

    def test_gaps_are_of_types_with_ten_facts_in_both(self) -> None:
        evidence = replace(self.typed().evidence(), options={"by": "answer_type"})
        rows = [row for row in compare_types(evidence) if row.kind == "generation"]
        assert [(row.given, row.answer_type) for row in rows] == [
            (given, name) for given in ("encoded", "all") for name in ("DATE", "PERSON")
        ]
        dates, persons = rows[2:]
        assert (dates.n_direct, dates.n_reverse, dates.direct, dates.reverse) == (10, 10, 0.8, 0.1)
        assert dates.gap == pytest.approx(0.7)
        assert persons.gap == pytest.approx(-0.1)

    def test_the_mean_gap_over_types_has_an_interval(self) -> None:
        evidence = replace(self.typed().evidence(), options={"by": "answer_type"})
        row = next(
            row for row in control_types(evidence) if (row.kind, row.given) == ("generation", "all")
        )
        assert row.types == 2
        assert row.gap == pytest.approx(0.3)
        # Each fact is in both types: as a date directly and as a person in reverse, or so turned.
        first = [(0.2, 0.5)] * 5 + [(0.2, -0.5)] * 3 + [(-0.8, -0.5)] * 2
        second = [(0.6, 0.9)] + [(0.6, -0.1)] * 3 + [(-0.4, -0.1)] * 6
        spread = sum(((a - b) / 10 / 2) ** 2 for a, b in first + second) ** 0.5
        reach = 1.959963984540054 * spread
        assert row.interval == pytest.approx((0.3 - reach, 0.3 + reach))

    def test_without_types_there_is_nothing_to_control(self) -> None:
        made = case({"m": ["PPP"] * 9}).evidence()
        rows = control_types(replace(made, options={"by": "answer_type"}))
        assert {(row.types, row.gap, row.interval) for row in rows} == {(0, None, None)}


def test_facts_by_topic_type_year_and_views() -> None:
    made = replace(
        case({"m": ["PPP"] * 4}, [0, 7, 950, None]),
        object_types=["PRODUCT", "WORK_OF_ART", "DATE", ""],
        years=[2004, -1, 2001, 2004],
    )
    rows = dataset(made.evidence())
    assert [row for row in rows if row.what == "object_group"] == [
        DistributionRow("object_group", "ARTIFACT", 2, 0.5),
        DistributionRow("object_group", "DATE", 1, 0.25),
        DistributionRow("object_group", "unknown", 1, 0.25),
    ]
    years = [(row.group, row.n) for row in rows if row.what == "year"]
    assert years == [("2001", 1), ("2004", 2), ("unknown", 1)]
    views = [(row.group, row.n) for row in rows if row.what == "views"]
    assert views == [("0", 1), ("1-9", 1), ("100-999", 1), ("unknown", 1)]
    for what in ("category", "subject_type", "object_type", "object_group", "year", "views"):
        assert sum(row.n for row in rows if row.what == what) == 4


def test_questions_of_some_tasks_are_judged_as_all_are() -> None:
    evidence = case({"m": ["PPP PP", "FFN PF"], "n": ["NPF FP", "PP NP"]}).evidence()
    places = [TASK_INDEX[task] for task in KNOWLEDGE]
    some = evidence.questions(tasks=KNOWLEDGE)
    assert np.array_equal(some, evidence.questions()[:, places])
    assert evidence.questions(tasks=KNOWLEDGE) is some, "what is judged once is kept"
    lower = replace(evidence.policy, tau=0.0)
    assert np.array_equal(
        evidence.questions(lower, KNOWLEDGE), evidence.questions(lower)[:, places]
    )
