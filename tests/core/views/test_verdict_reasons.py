"""Reasons in words, and that they hold exactly when the verdicts say so."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.project import OpenProject
from core.scoring.policy import Policy
from core.scoring.verdicts import CELLS, NO_PROFILE, VERDICTS
from core.views import fact_view
from core.views.fact_case import FactCase, LabelChange, part_of
from core.views.verdict_reasons import PARTS, explain_verdict, format_g, format_tau, task_words
from core.vocabulary import ENCODING, KNOWLEDGE, LABELS, TASK_INDEX, TASKS, Strategy, Task
from tests.core import reference
from tests.core.views.making import chances, lenses, snapshot_of

Labels = dict[tuple[Task, bool], tuple[int, int, int, int]]

PASSING: Labels = dict.fromkeys(CELLS, (7, 1, 0, 0))


def case(
    counts: Labels,
    policy: Policy | None = None,
    tasks: tuple[Task, ...] = TASKS,
    thinks: bool = True,
    drawn: int = 8,
) -> FactCase:
    cells = np.zeros((2, len(LABELS), len(TASKS)), np.int64)
    for (task, on), labels in counts.items():
        cells[int(on), :, TASK_INDEX[task]] = labels
    exists = np.array([task in tasks for task in TASKS])
    return FactCase(
        cells, np.full((2, len(TASKS)), drawn), exists, (True, thinks), policy or Policy()
    )


def words(of: FactCase) -> dict[str, str]:
    return {one.name: one.words for one in explain_verdict(of, of.verdict())}


def holds(of: FactCase) -> list[bool | None]:
    return [one.holds for one in explain_verdict(of, of.verdict())]


def test_a_fact_that_is_recalled() -> None:
    of = case(
        {
            **PASSING,
            (Task.COMPLETION, False): (8, 0, 0, 0),
            (Task.DIRECT_NATURAL, False): (6, 1, 1, 0),
        }
    )
    assert holds(of) == [True, True, True]
    assert words(of) == {
        "E": "completion 1.00, contextual .88",
        "K0": "all four pass, lowest direct natural .86",
        "KT": "all four pass, lowest direct .88",
    }


def test_a_fact_that_is_not_recalled_even_at_the_threshold_itself() -> None:
    of = case(
        {
            **PASSING,
            (Task.REVERSE, False): (1, 7, 0, 0),
            (Task.REVERSE_NATURAL, False): (0, 7, 0, 1),
            (Task.REVERSE_NATURAL, True): (4, 4, 0, 0),
        }
    )
    assert of.verdict().code == "RF"
    assert holds(of) == [True, False, False]
    assert words(of)["K0"] == "reverse .13, reverse natural .00"
    assert words(of)["KT"] == "reverse natural .50, not above .50"


def test_only_the_encoding_question_that_passes_has_decided() -> None:
    of = case({**PASSING, (Task.CONTEXTUAL, False): (1, 7, 0, 0)})
    assert words(of)["E"] == "completion .88"
    both = {(task, False): (1, 7, 0, 0) for task in ENCODING}
    assert words(case({**PASSING, **both}))["E"] == "completion .13, contextual .13"


def test_questions_without_a_gradable_answer() -> None:
    of = case({**PASSING, (Task.DIRECT, False): (0, 0, 0, 8)})
    assert holds(of) == [True, True, True]
    assert words(of)["K0"] == (
        "all three pass, lowest direct natural .88; no gradable answer: direct"
    )
    pair = {(task, False): (0, 0, 3, 5) for task in KNOWLEDGE[:2]}
    excluded = case({**PASSING, **pair})
    assert excluded.verdict().code == "NA"
    assert holds(excluded) == [None, None, None]
    assert words(excluded) == {
        "E": "completion .88, contextual .88",
        "K0": "no gradable answer: direct, direct natural",
        "KT": "all four pass, lowest direct .88",
    }
    weighed = case({**PASSING, **pair}, Policy(strategy=Strategy.PARTIAL))
    assert weighed.verdict().code == "DR"
    assert words(weighed)["K0"] == "all four pass, lowest direct .51"


def test_one_question_alone_excludes_under_the_strict_strategy() -> None:
    counts = {**PASSING, (Task.REVERSE, True): (0, 0, 0, 1)}
    assert holds(case(counts)) == [True, True, True]
    strict = case(counts, Policy(strategy=Strategy.FACT))
    assert strict.verdict().code == "NA"
    assert words(strict)["KT"] == "no gradable answer: reverse"


def test_a_pair_of_one_question() -> None:
    tasks = tuple(task for task in TASKS if task not in (Task.CONTEXTUAL, Task.REVERSE_NATURAL))
    of = case({**PASSING, (Task.REVERSE, False): (0, 0, 0, 8)}, tasks=tasks)
    assert words(of)["K0"] == "no gradable answer: reverse"
    assert words(of)["E"] == "completion .88"
    assert words(case(PASSING, tasks=tasks))["K0"] == "all three pass, lowest direct .88"


def test_incomplete_facts_say_what_is_missing() -> None:
    bare = {**PASSING, (Task.REVERSE, False): (0, 0, 0, 0)}
    assert words(case(bare))["K0"] == "no labels yet: reverse"
    assert words(case(bare, drawn=0))["K0"] == "not answered yet: reverse"
    assert holds(case(bare)) == [None, None, None]
    none = case({}, drawn=0)
    assert words(none)["E"] == "not answered yet: completion, contextual"
    assert words(none)["KT"] == (
        "not answered yet: direct, direct natural, reverse, reverse natural"
    )
    tasks = tuple(task for task in TASKS if "reverse" not in task)
    assert words(case(PASSING, tasks=tasks))["K0"] == "the fact has no reverse question"
    assert words(case(PASSING, tasks=KNOWLEDGE))["E"] == (
        "the fact has no completion or contextual question"
    )


def test_thinking_that_was_not_measured() -> None:
    of = case({**PASSING, (Task.DIRECT, False): (0, 8, 0, 0)}, thinks=False)
    assert of.verdict().code == "E-"
    assert of.verdict().name is None
    assert holds(of) == [True, False, None]
    assert words(of)["KT"] == "thinking not measured"


@pytest.mark.parametrize(
    ("g", "printed"),
    [
        (Fraction(0), ".00"),
        (Fraction(1), "1.00"),
        (Fraction(7, 8), ".88"),
        (Fraction(1, 8), ".13"),
        (Fraction(1, 200), ".01"),
        (Fraction(199, 200), "1.00"),
        (Fraction(1, 3), ".33"),
        (Fraction(2, 3), ".67"),
        (None, "–"),
    ],
)
def test_grades_are_printed_with_two_decimals(g: Fraction | None, printed: str) -> None:
    assert format_g(None if g is None else float(g)) == printed


@given(st.integers(0, 4000), st.integers(1, 4000))
def test_grades_are_rounded_half_up_as_fractions(over: int, under: int) -> None:
    g = Fraction(min(over, under), under)
    hundredths = int(g * 100 + Fraction(1, 2))
    assert format_g(float(g)) == ("1.00" if hundredths == 100 else f".{hundredths:02}")


@pytest.mark.parametrize(
    ("tau", "printed"),
    [(0.5, ".50"), (0.0, ".00"), (0.99, ".99"), (0.125, ".125"), (1e-5, ".00001")],
)
def test_thresholds_are_printed_as_chosen(tau: float, printed: str) -> None:
    assert format_tau(tau) == printed


def test_tasks_are_read_without_underscores() -> None:
    assert [task_words(task) for task in TASKS][5:8] == [
        "reverse natural",
        "mc direct",
        "mc direct natural",
    ]


def test_parts_are_the_cells_that_decide() -> None:
    cells = {(task, thinking): part for part, tasks, thinking in PARTS for task in tasks}
    assert set(cells) == set(CELLS)
    for task in TASKS:
        for thinking in (False, True):
            assert part_of(task, thinking) == cells.get((task, thinking))


COUNTS = st.one_of(
    st.sampled_from([(8, 0, 0, 0), (0, 8, 0, 0), (4, 4, 0, 0), (0, 0, 0, 8), (0, 0, 8, 0)]),
    st.tuples(*[st.integers(0, 3)] * 4),
)


@pytest.mark.slow
@given(
    st.fixed_dictionaries(dict.fromkeys(CELLS, COUNTS)),
    st.sets(st.sampled_from(TASKS), min_size=6),
    st.booleans(),
    st.sampled_from(["0", "0.25", "0.5", "0.75", "0.99"]),
    st.sampled_from(list(Strategy)),
)
@settings(max_examples=300, deadline=None)
def test_verdicts_and_reasons_are_those_of_the_definitions(
    counts: Labels, tasks: set[Task], thinks: bool, tau: str, strategy: Strategy
) -> None:
    of = case(counts, Policy(float(tau), strategy), tuple(t for t in TASKS if t in tasks), thinks)
    wanted = reference.verdict(
        [str(task) for task in tasks],
        {(str(task), on): labels for (task, on), labels in counts.items()},
        thinks,
        reference.Rule(tau, strategy),
    )
    assert VERDICTS[of.verdict().number] == wanted.name
    assert holds(of) == [wanted.e, wanted.k0, wanted.kt]
    assert all(words(of).values())
    for (task, on), labels in counts.items():
        g = reference.grade(labels, reference.Rule(tau, strategy))
        assert of.grade(task, on) == g
        assert of.passes(g) == (None if g is None else g > Fraction(tau))


@pytest.mark.slow
@given(
    st.fixed_dictionaries(dict.fromkeys(CELLS, COUNTS)),
    st.sampled_from(CELLS),
    st.sampled_from(LABELS),
    st.sampled_from(LABELS),
)
@settings(max_examples=200, deadline=None)
def test_a_change_is_weighed_as_if_it_had_been_made(
    counts: Labels, cell: tuple[Task, bool], old: str, new: str
) -> None:
    one, other = (next(label for label in LABELS if label == name) for name in (old, new))
    before = list(counts[cell])
    before[LABELS.index(one)] += 1
    after = list(before)
    after[LABELS.index(one)] -= 1
    after[LABELS.index(other)] += 1
    of = case({**counts, cell: (before[0], before[1], before[2], before[3])})
    then = case({**counts, cell: (after[0], after[1], after[2], after[3])})
    change = LabelChange(*cell, one, other)
    assert of.verdicts([(change,), ()]) == [then.verdict(), of.verdict()]
    assert of.grade(*cell, change) == then.grade(*cell)


@pytest.mark.slow
@pytest.mark.parametrize("thinking", [True, False])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_view_says_what_the_snapshot_says(
    project: OpenProject, seed: int, thinking: bool
) -> None:
    chances(project, seed, thinking=thinking)
    seen = set()
    for lens in lenses():
        snapshot = snapshot_of(project, lens)
        found = snapshot.verdicts
        for place, fact in enumerate(snapshot.index.ids.tolist()):
            view = fact_view.read_fact(project, snapshot, fact)
            assert view is not None
            assert view.code == snapshot.code(place) == view.codes[0]
            assert view.profile == VERDICTS[found.verdict[0, place]]
            seen.add(view.code)
            parts = [one.holds for one in view.reasons]
            if view.code in ("NA", "··"):
                assert parts == [None, None, None]
                continue
            assert parts[:2] == [found.encodes[0, place], found.knows[0, place]]
            measured = found.verdict[0, place] != NO_PROFILE
            assert parts[2] == (found.knows_thinking[0, place] if measured else None)
    assert seen >= {"NA", "··", "DR", "RF", "EF"} if thinking else {"NA", "··", "EK", "E-", "--"}
