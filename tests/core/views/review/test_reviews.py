"""Queues, cards and samples of a session over a small project."""

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import db.question_rows
import db.reviews
from core.analyses.analysis_evidence import Evidence
from core.analyses.quality import quality
from core.curation import question_reviews, undo_history
from core.curation.question_edits import QuestionDraft
from core.dataset import choice_options
from core.errors import UsageError
from core.project import OpenProject
from core.views.review import question_samples
from core.views.review.question_samples import Strata
from core.views.review.review_queue import QueueRequest, ReviewStatus
from core.views.review.review_service import Reviews
from core.views.session import Session
from core.vocabulary import TASKS, Outcome, QueueKind, Side, Task
from tests.core.making import OBJECT, OPTIONS, Row, a_fact, cell, new_project, put_facts, put_rows

C, I = Outcome.CORRECT, Outcome.INCORRECT  # noqa: E741
STRONG = ("m1", "m2", "m3", "m4", "m5")
CATEGORIES = ("Arts", "Arts", "History", "")


def written(path: Path, right: dict[tuple[str, Task], int]) -> Path:
    """Four facts; `right` says how many of five models are right where not all are.

    Models that are wrong say `Narva` to direct questions.
    """
    facts = [
        a_fact(f"f{number}", category=category, views=number)
        for number, category in enumerate(CATEGORIES)
    ]
    with new_project(path) as project:
        put_facts(project, facts)
        rows = [
            row
            for fact in facts
            for task in TASKS
            if not task.is_choice
            for place, model in enumerate(STRONG)
            for row in cell(
                fact.fact_id,
                task,
                model,
                False,
                [C if place < right.get((fact.fact_id, task), 5) else I] * 2,
            )
        ]
        put_rows(
            project,
            [
                Row(
                    **{
                        **{name: getattr(row, name) for name in row.__dataclass_fields__},
                        "text": OBJECT if row.grades["lexical"] is C else "Narva",
                    }
                )
                for row in rows
            ],
        )
    return path


BAD = {("f0", Task.DIRECT): 0, ("f2", Task.REVERSE): 1, ("f3", Task.DIRECT): 0,
       ("f3", Task.CONTEXTUAL): 0, ("f1", Task.DIRECT): 2}  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    """A session of Ann's."""
    with closing(Session(written(tmp_path / "p.db", BAD))) as made:
        made.name = "ann"
        made.open()
        yield made


def rows_of(session: Session, wanted: QueueRequest) -> list[tuple[str, str, int, int]]:
    """Fact, task, fails and of, in order."""
    opened = Reviews(session).queue(wanted)
    rows = [opened.row(place) for place in range(len(opened))]
    ids = session.snapshot.index.fact_ids
    return [(ids[row.fact], str(row.task), row.fails, row.of) for row in rows]


def test_suspicious_questions_are_those_that_all_fail_the_surest_first(session: Session) -> None:
    assert rows_of(session, QueueRequest()) == [
        ("f3", "contextual", 5, 5),
        ("f3", "direct", 5, 5),
        ("f0", "direct", 5, 5),
        ("f2", "reverse", 4, 5),
    ]


def test_facts_flagged_are_those_of_the_analysis(session: Session) -> None:
    snapshot = session.snapshot
    evidence = Evidence(
        snapshot.index,
        snapshot.tally,
        snapshot.verdicts,
        snapshot.lens.policy,
        ~snapshot.index.rejected,
    )
    reviews = Reviews(session)
    assert reviews.quality().flagged == len(quality(evidence)) == 2
    assert (reviews.quality().facts, reviews.quality().rejected) == (4, 0)
    opened = reviews.queue(QueueRequest())
    _, snapshot = reviews.reject(opened.questions[0], "unclear")
    assert snapshot.index.rejected.tolist() == [False, False, False, True]
    after = reviews.quality()
    assert (after.flagged, after.rejected, after.reviewed) == (2, 1, 1)
    again = reviews.queue(QueueRequest())
    assert again.questions == opened.questions
    assert again.row(0).standing.verdict == "rejected"
    assert again.find_undecided() == 1
    session.undo()
    assert reviews.quality().rejected == 0
    assert not session.snapshot.index.rejected.any()


def test_a_card_tells_what_models_say_instead(session: Session) -> None:
    reviews = Reviews(session)
    opened = reviews.queue(QueueRequest())
    card = reviews.card(opened.questions[2])
    assert card is not None
    assert (card.task, card.gold, card.version, card.gold_version) == (Task.DIRECT, OBJECT, 1, 1)
    assert [(one.text, one.times) for one in card.models] == [("Narva", 2)] * 5
    assert card.agreed is not None
    assert (card.agreed.text, card.agreed.models, card.agreed.of) == ("Narva", 5, 5)
    assert {one.task for one in card.others} == set(TASKS) - {Task.DIRECT}
    assert card.aside == 10
    assert (card.category, card.views) == ("Arts", 0)
    assert (card.made, card.grounded) == ((), ())
    assert reviews.card(10**6) is None
    right = reviews.card(int(session.snapshot.index.questions[1, TASKS.index(Task.REVERSE)]))
    assert right is not None
    assert right.agreed is None


def test_an_edited_question_stays_in_its_queue_and_shows_what_it_became(session: Session) -> None:
    reviews = Reviews(session)
    opened = reviews.queue(QueueRequest())
    key = opened.questions[2]
    edited, snapshot = reviews.edit(key, QuestionDraft("which town?", OBJECT))
    assert edited.tasks == (Task.DIRECT, Task.MC_DIRECT)
    assert snapshot.edited.tolist() == [True, False, False, False]
    now = reviews.mark_queue(opened)
    assert now.row(2).standing.verdict == "edited"
    assert now.done == 1
    card = reviews.card(key)
    assert card is not None
    assert (card.queued, card.text, card.version, card.aside) == (key, "which town?", 2, 0)
    assert card.edits == ("f0 direct?", "which town?")
    assert [row[:2] for row in rows_of(session, QueueRequest(QueueKind.EDITED))] == [
        ("f0", "direct"),
        ("f0", "mc_direct"),
    ]
    session.undo()
    assert rows_of(session, QueueRequest(QueueKind.EDITED)) == []
    assert reviews.mark_queue(opened).done == 0
    assert not session.snapshot.edited.any()


def test_a_sample_is_kept_and_grows_by_what_comes_next(session: Session) -> None:
    reviews = Reviews(session)
    assert len(reviews.queue(QueueRequest(QueueKind.RANDOM))) == 0
    sample, _ = reviews.sample(8, seed=3)
    first = reviews.queue(QueueRequest(QueueKind.RANDOM)).questions
    assert len(set(first)) == 8
    assert sample.spec["of"] == {"": 40}
    reviews.sample(5)
    assert reviews.queue(QueueRequest(QueueKind.RANDOM)).questions == first
    reviews.sample(40)
    every = reviews.queue(QueueRequest(QueueKind.RANDOM)).questions
    assert every[:8] == first
    assert sorted(every) == sorted(session.snapshot.index.questions.ravel().tolist())
    found = reviews.rates(reviews.queue(QueueRequest(QueueKind.RANDOM)))
    assert (found.whole.chosen, found.whole.size) == (40, 40)


def test_edited_questions_stay_what_was_sampled(session: Session) -> None:
    reviews = Reviews(session)
    reviews.sample(40, seed=3)
    opened = reviews.queue(QueueRequest(QueueKind.RANDOM))
    key = int(session.snapshot.index.questions[0, TASKS.index(Task.DIRECT)])
    reviews.edit(key, QuestionDraft("which town?", OBJECT))
    found = reviews.rates(reviews.mark_queue(opened))
    assert (found.whole.edited, found.whole.decided) == (2, 2)
    assert reviews.sample(41)[0].spec["of"] == {"": 40}
    assert len(reviews.queue(QueueRequest(QueueKind.RANDOM))) == 40


def test_strata_give_the_same_number_while_they_have_it(session: Session) -> None:
    reviews = Reviews(session)
    reviews.sample(27, Strata.CATEGORY, seed=4)
    opened = reviews.queue(QueueRequest(QueueKind.STRATIFIED, Strata.CATEGORY))
    assert Counter(opened.strata) == {"Arts": 9, "History": 9, "unknown": 9}
    assert set(Counter(opened.strata[:6]).values()) == {2}
    reviews.sample(35, Strata.CATEGORY)
    opened = reviews.queue(QueueRequest(QueueKind.STRATIFIED, Strata.CATEGORY))
    assert Counter(opened.strata) == {"Arts": 15, "History": 10, "unknown": 10}
    assert [one.size for one in reviews.rates(opened).strata] == [20, 10, 10]
    assert len(reviews.queue(QueueRequest(QueueKind.STRATIFIED, Strata.TASK))) == 0


def test_samples_favour_no_question(session: Session) -> None:
    """Over 400 seeds each of 40 questions is among the first 10 about 100 times."""
    with OpenProject(session.path, "write") as project:
        seen: Counter[int] = Counter()
        for seed in range(400):
            sample = question_samples.draw_sample(project, 10, seed=seed)
            seen.update(
                one.question for one in db.reviews.read_sample(project.connection, sample.id)
            )
    counts = np.array([seen[key] for key in session.snapshot.index.questions.ravel().tolist()])
    assert counts.sum() == 4_000
    # Chi-square with 39 degrees of freedom stays under 72.1 in 999 of 1,000 cases.
    assert float(((counts - 100) ** 2 / 100).sum()) < 72.1


def test_nothing_to_sample_is_said(tmp_path: Path) -> None:
    with new_project(tmp_path / "e.db") as project:
        with pytest.raises(UsageError, match="no question"):
            question_samples.draw_sample(project, 5)
        for n in (0, -1, 10**6):
            with pytest.raises(UsageError, match="choose"):
                question_samples.draw_sample(project, n)


def test_the_next_one_is_the_next_without_a_verdict_and_skipped_ones_come_last(
    session: Session,
) -> None:
    reviews = Reviews(session)
    opened = reviews.queue(QueueRequest())
    reviews.skip(opened.questions[1])
    reviews.accept(opened.questions[2])
    now = reviews.mark_queue(opened)
    assert [now.find_undecided(place) for place in (-1, 0, 2, 3)] == [0, 3, 3, 0]
    for place in (0, 3):
        reviews.accept(opened.questions[place])
    now = reviews.mark_queue(opened)
    assert now.find_undecided(0) == 1
    reviews.accept(opened.questions[1])
    assert reviews.mark_queue(opened).find_undecided() is None


def test_multiple_choice_answers_are_told_by_their_options(tmp_path: Path) -> None:
    options = OPTIONS[Side.OBJECT]
    orders = [options, tuple(reversed(options))]
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact("f1", [Task.MC_DIRECT])])
        put_rows(
            project,
            [
                Row("f1", Task.MC_DIRECT, model, False, sample, {"choice": I},
                    "ABCD"[order.index("Narva")], choice_options.encode(order, options))
                for model in STRONG[:2]
                for sample, order in enumerate(orders)
            ],
        )  # fmt: skip
    with closing(Session(tmp_path / "p.db")) as session:
        session.open()
        reviews = Reviews(session)
        key = db.question_rows.questions(session.project.connection)[0].id
        card = reviews.card(key)
        assert card is not None
        assert [(one.text, one.times) for one in card.models] == [("Narva", 2)] * 2
        assert card.agreed is not None
        assert card.agreed.models == 2


def test_another_person_s_verdict_counts_and_one_s_own_is_told(session: Session) -> None:
    reviews = Reviews(session)
    opened = reviews.queue(QueueRequest())
    reviews.accept(opened.questions[0])
    session.name = "bob"
    reviews.reject(opened.questions[0], "too old")
    now = reviews.mark_queue(opened).row(0).standing
    assert (now.verdict, now.reason, now.author, now.own) == (
        "rejected", "too old", "human:bob", "rejected",
    )  # fmt: skip
    session.name = "ann"
    assert reviews.mark_queue(opened).row(0).standing.own == "accepted"
    card = reviews.card(opened.questions[0])
    assert card is not None
    assert [one.author for one in card.reviews] == ["human:ann", "human:bob"]
    assert card.rejected


def test_what_another_program_says_is_taken_in(session: Session) -> None:
    session.refresh()
    key = session.reviews.queue(QueueRequest()).questions[0]
    with OpenProject(session.path, "write") as other:
        question_reviews.accept(other, "bea", key)
    assert session.refresh() is not None
    assert session.reviews.queue(QueueRequest()).row(0).standing.author == "human:bea"
    with OpenProject(session.path, "write") as other:
        question_reviews.note(other, "bea", key, "sure")
    assert session.refresh() is not None
    card = session.reviews.card(key)
    assert card is not None
    assert card.reviews[0].review.note == "sure"
    with OpenProject(session.path, "write") as other:
        undo_history.undo(other, "bea")
        undo_history.undo(other, "bea")
    assert session.refresh() is not None
    assert session.refresh() is None
    assert session.reviews.queue(QueueRequest()).row(0).standing.verdict is None


def test_facts_that_come_after_a_sample_are_in_what_it_grows_by(session: Session) -> None:
    reviews = session.reviews
    first = reviews.sample(10, seed=3)[0]
    drawn = reviews.queue(QueueRequest(QueueKind.RANDOM)).questions
    with OpenProject(session.path, "write") as other:
        put_facts(other, [a_fact(f"new{number}") for number in range(6)])
    session.refresh()
    assert reviews.queue(QueueRequest(QueueKind.RANDOM)).questions == drawn
    grown = reviews.sample(40)[0]
    assert grown.id == first.id
    queue = reviews.queue(QueueRequest(QueueKind.RANDOM))
    assert queue.questions[:10] == drawn
    assert len(queue) == 40
    assert sum(grown.spec["of"].values()) == int((session.snapshot.index.questions > 0).sum())
    assert any(row.heading.title and row.fact >= 4 for row in map(queue.row, range(10, 40)))
    assert reviews.rates(queue).whole.size == sum(grown.spec["of"].values())


def test_what_is_said_of_a_question_shows_at_once_and_skipping_undecides_nothing(
    session: Session,
) -> None:
    opened = Reviews(session).queue(QueueRequest())
    accepted = opened.mark_place(0, ReviewStatus("accepted"))
    assert accepted.find_undecided() == 1
    assert accepted.mark_place(0, ReviewStatus("skipped")).row(0).standing.verdict == "accepted"
    assert opened.mark_place(0, ReviewStatus("skipped")).row(0).standing.verdict == "skipped"
    assert opened.find_undecided() == 0


def test_what_others_say_meanwhile_is_marked_once_it_is_taken_in(session: Session) -> None:
    reviews = Reviews(session)
    opened = reviews.queue(QueueRequest())
    with OpenProject(session.path, "write") as other:
        question_reviews.accept(other, "bea", opened.questions[1])
        question_reviews.skip(other, "bea", opened.questions[0])
    session.refresh()
    marked = reviews.mark_queue(opened)
    said = [marked.row(place).standing for place in range(2)]
    assert [(one.verdict, one.own) for one in said] == [("skipped", None), ("accepted", None)]
    session.name = "bea"
    assert [reviews.mark_queue(opened).row(at).standing.own for at in range(2)] == [
        "skipped",
        "accepted",
    ]
