"""A card shows one disagreement whole: texts, labels with reasons, samples, consequences, twins."""

from collections.abc import Iterator
from contextlib import closing

import pytest

import db.grades
from core.project import OpenProject
from core.views import label_effects
from core.views.disagreements.disagreement_card import DisagreementCard
from core.views.disagreements.disagreement_filter import DisagreementFilter
from core.views.session import Session
from core.vocabulary import LABELS, Label, Outcome, Task
from db.connection import write_transaction
from tests.core.making import OBJECT, OPTIONS, Row, a_fact, put_facts, put_rows
from tests.core.views.making import A, B, chances, given, lens_of

C, WRONG = Outcome.CORRECT, Outcome.INCORRECT
BOTH = {A: C, B: WRONG}


@pytest.fixture
def slots(project: OpenProject) -> list[int]:
    """Answers to one fact: by two models, thinking off and on, some of them the same."""
    put_facts(project, [a_fact("f0", page_title="Tartu")])
    direct, mc = Task.DIRECT, Task.MC_DIRECT
    return put_rows(
        project,
        [
            Row("f0", direct, "m", False, 0, BOTH, "Tartu"),
            Row("f0", direct, "m", False, 1, {A: C, B: C}, " Tartu\n"),
            Row("f0", direct, "m", False, 2, BOTH, "Tartu."),
            Row("f0", direct, "m", True, 0, {A: WRONG}, "It is so.\nAnswer: Tartu"),
            Row("f0", direct, "n", False, 5, BOTH, "Tartu"),
            Row("f0", Task.DIRECT_NATURAL, "m", False, 0, BOTH, "Tartu"),
            Row("f0", mc, "m", False, 0, BOTH, "A", shown=0),
            Row("f0", mc, "m", False, 1, BOTH, "A", shown=23),
            Row("f0", mc, "m", False, 2, BOTH, " A", shown=0),
            Row("f0", Task.COMPLETION, "m", False, 0, BOTH, "of cafe\u0301"),
            Row("f0", Task.COMPLETION, "m", False, 1, BOTH, "of caf\u00e9"),
            Row("f0", Task.CONTEXTUAL, "m", False, 0, {A: C, B: WRONG, "human:mira": WRONG}, ""),
        ],
    )


@pytest.fixture
def looking(project: OpenProject, slots: list[int]) -> Iterator[Session]:
    with closing(Session(project.path)) as session:
        session.open(lens_of("n", a=A, b=B))
        session.name = "mira"
        yield session


def card_of(session: Session, slot: int) -> DisagreementCard:
    found = session.confusions.card(slot)
    assert found is not None
    return found


def test_what_was_asked_and_answered(looking: Session, slots: list[int]) -> None:
    card = card_of(looking, slots[3])
    assert (card.heading.title, card.task, card.model) == ("Tartu", Task.DIRECT, "m")
    assert (card.thinking, card.sample, card.slot) == (True, 0, slots[3])
    assert (card.question, card.gold, card.context) == ("f0 direct?", OBJECT, None)
    assert (card.text, card.answer) == ("It is so.\nAnswer: Tartu", "Tartu")
    assert card.span is not None
    assert card.text[slice(*card.span)] == "Tartu"
    assert (card.a.label, card.b.label, card.b.grader) == (Label.INCORRECT, None, B)
    assert [mark.label for mark in card.marks] == [Label.INCORRECT]


def test_left_context_stands_where_it_matters(looking: Session, slots: list[int]) -> None:
    completion, contextual = card_of(looking, slots[9]), card_of(looking, slots[11])
    assert completion.context == completion.question == "f0 completion?"
    assert (contextual.context, contextual.question) == ("f0 completion?", "f0 contextual?")


def test_labels_with_reasons_and_ones_own(
    looking: Session, project: OpenProject, slots: list[int]
) -> None:
    versions = {version.name: version.plane for version in project.graders()}
    with write_transaction(project.connection):
        db.grades.insert_rationales(project.connection, versions[B], [(slots[0], "not so")])
    card = card_of(looking, slots[0])
    assert (card.a.grader, card.a.version, card.a.label) == (A, "1", Label.CORRECT)
    assert (card.b.label, card.b.rationale, card.a.rationale) == (Label.INCORRECT, "not so", None)
    assert (card.own, card.note) == (None, None)
    looking.set_label(slots[0], Label.OTHER, "mine")
    card = card_of(looking, slots[0])
    assert (card.own, card.note) == (Label.OTHER, "mine")


def test_the_newest_version_speaks(
    looking: Session, project: OpenProject, slots: list[int]
) -> None:
    put_rows(project, [Row("f0", Task.REVERSE, "m", False, 0, {f"{B}#2": WRONG, f"{B}#1": C})])
    with write_transaction(project.connection):
        (second,) = [one.plane for one in project.graders() if one.version == "2"]
        db.grades.insert(project.connection, second, [(slots[0], int(C), None)])
    looking.refresh()
    card = card_of(looking, slots[0])
    assert (card.b.version, card.b.label) == ("2", Label.CORRECT)


def test_twins(looking: Session, slots: list[int]) -> None:
    """The same text to the same question, in whatever setting; nothing else."""
    card = card_of(looking, slots[0])
    assert [twin.slot for twin in card.twins] == [slots[1], slots[3], slots[4]]
    first, _, last = card.twins
    assert (first.a, first.b, first.own) == (Label.CORRECT, Label.CORRECT, None)
    assert (last.model, last.thinking, last.sample) == ("n", False, 5)
    assert card.offered == tuple(twin.slot for twin in card.twins)
    looking.set_label(slots[1], Label.CORRECT)
    assert card_of(looking, slots[0]).offered == (slots[3], slots[4])
    assert [twin.own for twin in card_of(looking, slots[0]).twins] == [Label.CORRECT, None, None]


def test_twins_in_another_form_of_unicode(looking: Session, slots: list[int]) -> None:
    assert card_of(looking, slots[9]).offered == (slots[10],)


def test_the_same_letter_for_another_option_is_no_twin(looking: Session, slots: list[int]) -> None:
    card = card_of(looking, slots[6])
    assert card.shown is not None
    assert sorted(card.shown) == sorted(OPTIONS[Task.MC_DIRECT.side])
    assert card.offered == (slots[8],)


def test_an_answer_that_is_gone(looking: Session, slots: list[int]) -> None:
    assert looking.confusions.card(slots[0] + 900) is None
    assert looking.confusions.card(1) is None


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_consequences_are_those_of_the_snapshot(project: OpenProject, seed: int) -> None:
    chances(project, seed, facts=10, people=False)
    with closing(Session(project.path)) as session:
        session.open(lens_of("m", a=A, b=B))
        queue = session.confusions.queue(DisagreementFilter())
        assert len(queue) > 50
        for place in range(len(queue)):
            row = queue.row(place)
            card = card_of(session, row.slot)
            assert (card.a.label, card.b.label) == (row.a, row.b)
            assert card.consequences == label_effects.list_consequences(
                session.project, session.snapshot, row.slot
            )
            for label in LABELS:
                found = card.consequence(label)
                assert found is not None
                assert found.label is label
            mark = card.marks[card.sample]
            assert (mark.label, mark.a, mark.b) == (row.a, row.a, row.b)
            one = card.consequence(given(row.b))
            assert one is not None
            assert (one.before, one.after) == (row.before, row.after)
            assert one.g == (None if row.g_after is None else pytest.approx(row.g_after))
