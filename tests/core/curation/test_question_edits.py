"""Editing questions and golds: what counts afterwards, and that undoing restores everything."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import db.fact_names
import db.facts
import db.integrity
import db.question_versions
import db.reviews
from core.curation import label_writer, question_edits, question_reviews, undo_history
from core.dataset import choice_options
from core.errors import LostkeysError, UsageError
from core.graders import stored_answers
from core.graders.lexical import VERSION
from core.project import OpenProject
from core.scoring.policy import Policy
from core.views import fact_search
from core.vocabulary import TASKS, Label, Outcome, Side, Task
from db.connection import write_transaction
from tests.core.making import (
    OBJECT,
    OPTIONS,
    Row,
    a_fact,
    new_project,
    put_facts,
    put_rows,
    question_keys,
)

LEXICAL = Policy(graders=("lexical",))


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Two facts with two answers to each question, labelled by a program and by a person."""
    with new_project(tmp_path / "p.db") as made:
        put_answers(made)
        yield made


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The same as a file."""
    path = tmp_path_factory.mktemp("edits") / "p.db"
    with new_project(path) as made:
        put_answers(made)
    return path.read_bytes()


def put_answers(project: OpenProject) -> None:
    put_facts(project, [a_fact("f1"), a_fact("f2")])
    shown = choice_options.encode(OPTIONS[Side.OBJECT], OPTIONS[Side.OBJECT])
    put_rows(
        project,
        [
            Row(
                fact,
                task,
                "m",
                thinking,
                sample,
                {"choice" if task.is_choice else f"lexical#{VERSION}": Outcome.CORRECT},
                text="A" if task.is_choice else f"answer {sample}",
                shown=shown if task.is_choice else None,
            )
            for fact in ("f1", "f2")
            for task in TASKS
            for thinking in (False, True)
            for sample in range(2)
        ],
    )


def key_of(project: OpenProject, task: Task, fact: str = "f1") -> int:
    """The id of the question in use."""
    return question_keys(project.connection)[fact, task]


def edit_choices(
    project: OpenProject, key: int, choices: tuple[str, ...]
) -> question_edits.EditEffect:
    """Give the multiple-choice questions of a direction other options."""
    draft = replace(question_edits.read_draft(project, key), choices=choices)
    return question_edits.edit(project, "ann", key, draft)


def table(project: OpenProject, name: str) -> list[tuple[Any, ...]]:
    """All rows of a table."""
    return sorted(project.connection.execute(f"SELECT * FROM {name}").fetchall(), key=str)


def everything(project: OpenProject) -> dict[str, list[tuple[Any, ...]]]:
    """What an undone edit must leave as it was (what it made stays, out of use)."""
    connection = project.connection
    found = {
        name: table(project, name)
        for name in ("grade", "remark", "response", "stale_grade", "review", "fact")
    }
    for name in ("question", "gold"):
        rows = connection.execute(f"SELECT * FROM {name} WHERE current ORDER BY id").fetchall()
        found[name] = rows
    return found


def counted(project: OpenProject, task: Task, fact: str = "f1") -> int:
    """How many labels count for a question with thinking off."""
    project.refresh()
    tally = project.tally(project.ranks(LEXICAL), ["m"])
    place = project.index.fact_ids.index(fact)
    return int(tally.labels[0, :, TASKS.index(task), place].sum())


def sound(project: OpenProject) -> bool:
    """Whether nothing is wrong with the file by any check."""
    connection = project.connection
    return not db.integrity.faults(connection) and not db.integrity.grids_are_stale(connection)


def test_an_edited_question_is_asked_anew_and_so_is_its_multiple_choice(
    project: OpenProject,
) -> None:
    key = key_of(project, Task.DIRECT)
    outlook = question_edits.preview_edit(
        project, key, question_edits.QuestionDraft("which town?", OBJECT)
    )
    assert outlook.tasks == (Task.DIRECT, Task.MC_DIRECT)
    assert (outlook.version, outlook.answers, outlook.grades) == (2, 8, 0)
    done = question_edits.edit_question(project, "ann", key, "which town?")
    assert done.tasks == (Task.DIRECT, Task.MC_DIRECT)
    assert counted(project, Task.DIRECT) == counted(project, Task.MC_DIRECT) == 0
    assert counted(project, Task.REVERSE) == counted(project, Task.DIRECT_NATURAL) == 2
    assert counted(project, Task.DIRECT, "f2") == 2
    fact = next(db.facts.read_facts(project.connection, ["f1"]))
    assert fact.questions[Task.DIRECT].text == fact.questions[Task.MC_DIRECT].text == "which town?"
    assert fact.questions[Task.MC_DIRECT].choices == OPTIONS[Side.OBJECT]
    assert len(table(project, "response")) == 80
    assert len(table(project, "stale_grade")) == 0
    assert sound(project)


@pytest.mark.parametrize(
    "draft",
    [
        question_edits.QuestionDraft("which town?", OBJECT),
        question_edits.QuestionDraft("f1 direct?", "Pärnu"),
        question_edits.QuestionDraft("f1 direct?", OBJECT, ("Dorpat",)),
        question_edits.QuestionDraft("which town?", "Narva", ("Narwa",)),
    ],
)
def test_undoing_an_edit_restores_everything(
    project: OpenProject, draft: question_edits.QuestionDraft
) -> None:
    label_writer.set_label(project, "ann", slot_of(project, Task.DIRECT), Label.OTHER, "why not")
    before = everything(project)
    question_edits.edit(project, "ann", key_of(project, Task.DIRECT), draft)
    assert everything(project) != before
    assert sound(project)
    undone = undo_history.undo(project, "ann")
    assert undone is not None
    assert undone.restored
    assert everything(project) == before
    assert counted(project, Task.DIRECT) == 2
    assert sound(project)
    undone = undo_history.undo(project, "ann")
    assert undone is not None
    assert undone.restored


def slot_of(project: OpenProject, task: Task) -> int:
    """The first answer to a question."""
    row = project.connection.execute(
        "SELECT min(id) FROM response WHERE question = ?", (key_of(project, task),)
    ).fetchone()
    return int(row[0])


def test_another_gold_makes_grades_stale_and_goes_into_the_options(project: OpenProject) -> None:
    slot = slot_of(project, Task.DIRECT)
    label_writer.set_label(project, "ann", slot, Label.CORRECT, "mine")
    done = question_edits.edit_gold(project, "ann", key_of(project, Task.DIRECT), "Pärnu")
    assert done.gold is Side.OBJECT
    assert done.tasks == (Task.MC_DIRECT, Task.MC_DIRECT_NATURAL)
    for task in TASKS:
        assert counted(project, task) == (0 if task.side is Side.OBJECT else 2)
    fact = next(db.facts.read_facts(project.connection, ["f1"]))
    assert fact.questions[Task.MC_DIRECT].choices == ("Pärnu", *OPTIONS[Side.OBJECT][1:])
    stale = project.connection.execute(
        "SELECT outcome, rationale FROM stale_grade JOIN grader ON grader.id = grader "
        "WHERE response = ? AND name = 'human:ann'",
        (slot,),
    ).fetchall()
    assert stale == [(1, "mine")]


def test_a_gold_that_is_an_option_already_needs_no_other_options(project: OpenProject) -> None:
    done = question_edits.edit_gold(project, "ann", key_of(project, Task.DIRECT), "narva")
    assert done.tasks == ()
    assert counted(project, Task.MC_DIRECT) == 0
    stored_answers.grade(project, "choice")
    project.refresh()
    tally = project.tally(project.ranks(LEXICAL), ["m"])
    assert tally.labels[0, :, TASKS.index(Task.MC_DIRECT), 0].tolist() == [0, 2, 0, 0]


def test_an_alias_leaves_multiple_choice_and_labels_correct_alone(project: OpenProject) -> None:
    done = question_edits.accept_alias(project, "ann", key_of(project, Task.DIRECT), " answer 1 ")
    assert done.tasks == ()
    assert all(counted(project, task) == 2 for task in TASKS)
    assert table(project, "review") == []
    assert stored_answers.grade(project, "lexical") == 0


def test_grades_made_after_an_edit_go_aside_when_it_is_undone(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    before = table(project, "grade")
    question_edits.edit_gold(project, "ann", key, "answer 1")
    stored_answers.grade(project, "lexical")
    assert table(project, "grade") != before
    undo_history.undo(project, "ann")
    assert table(project, "grade") == before
    assert len(table(project, "stale_grade")) == 16
    assert sound(project)


def test_what_cannot_be_edited_is_refused_in_one_line(project: OpenProject) -> None:
    key, mc = key_of(project, Task.DIRECT), key_of(project, Task.MC_DIRECT)
    for text in ("", "  \n", "half \ud800"):
        with pytest.raises(UsageError):
            question_edits.edit_question(project, "ann", key, text)
    for gold in ("", "\ud800"):
        with pytest.raises(UsageError):
            question_edits.edit_gold(project, "ann", key, gold)
    with pytest.raises(UsageError, match="as it was"):
        question_edits.edit(project, "ann", key, question_edits.read_draft(project, key))
    with pytest.raises(UsageError, match="as it was"):
        question_edits.accept_alias(project, "ann", key, OBJECT)
    with pytest.raises(UsageError, match="four different"):
        edit_choices(project, mc, ("a", "b", "c", "A"))
    question_edits.edit_question(project, "ann", key, "which town?")
    for gone in (key, mc, 10**6):
        with pytest.raises(LostkeysError, match="not in use"):
            question_edits.edit_question(project, "ann", gone, "which?")
    assert sound(project)


def test_options_are_edited_for_both_phrasings(project: OpenProject) -> None:
    mc = key_of(project, Task.MC_DIRECT_NATURAL)
    options = (OBJECT, "Valga", "Võru", "Põlva")
    done = edit_choices(project, mc, options)
    assert done.tasks == (Task.MC_DIRECT, Task.MC_DIRECT_NATURAL)
    fact = next(db.facts.read_facts(project.connection, ["f1"]))
    assert fact.questions[Task.MC_DIRECT].choices == options
    assert counted(project, Task.DIRECT) == 2
    draft = question_edits.read_draft(project, key_of(project, Task.MC_DIRECT))
    outlook = question_edits.preview_edit(
        project,
        key_of(project, Task.MC_DIRECT),
        question_edits.QuestionDraft(draft.text, draft.gold, (), ("a", "b", "c", "d")),
    )
    assert any("option" in fault or "gold" in fault for fault in outlook.faults)


def test_an_edit_is_left_alone_where_another_has_been_made_on_it(project: OpenProject) -> None:
    question_edits.edit_question(project, "ann", key_of(project, Task.DIRECT), "which town?")
    question_edits.edit_question(project, "bob", key_of(project, Task.DIRECT), "what town?")
    before = everything(project)
    undone = undo_history.undo(project, "ann")
    assert undone is not None
    assert not undone.restored
    assert everything(project) == before
    for name in ("bob",):
        undone = undo_history.undo(project, name)
        assert undone is not None
        assert undone.restored
    assert next(db.facts.read_facts(project.connection, ["f1"])).questions[Task.DIRECT].text == (
        "which town?"
    )


def test_grades_of_a_question_out_of_use_follow_the_gold_too(project: OpenProject) -> None:
    """Ann edits the question, Bob the gold; when Ann's edit is undone, old grades do not count."""
    question_edits.edit_question(project, "ann", key_of(project, Task.DIRECT), "which town?")
    question_edits.edit_gold(
        project, "bob", key_of(project, Task.DIRECT_NATURAL), "Pärnu", ("Pernau",)
    )
    undone = undo_history.undo(project, "ann")
    assert undone is not None
    # Bob's options stand on Ann's question, so hers is left alone as a whole.
    assert not undone.restored
    undo_history.undo(project, "bob")
    assert counted(project, Task.DIRECT_NATURAL) == 2
    assert sound(project)


def test_an_edit_counts_as_reviewed_and_takes_a_rejection_back(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    question_reviews.reject(project, "ann", key, question_reviews.RejectReason.UNCLEAR)
    project.refresh()
    assert project.index.rejected.tolist() == [True, False]
    question_edits.edit_question(project, "ann", key, "which town?")
    project.refresh()
    assert project.index.rejected.tolist() == [False, False]
    said = {one.question: one.review.verdict for one in db.reviews.reviews(project.connection)}
    assert said[key] == "edited"
    assert len(said) == 2
    undo_history.undo(project, "ann")
    project.refresh()
    assert project.index.rejected.tolist() == [True, False]
    said = {one.question: one.review.verdict for one in db.reviews.reviews(project.connection)}
    assert said == {key: "rejected"}


def test_a_discarded_answer_takes_its_stale_grades_along(project: OpenProject) -> None:
    import db.responses

    slot = slot_of(project, Task.DIRECT)
    question_edits.accept_alias(project, "ann", key_of(project, Task.DIRECT), "Dorpat")
    with write_transaction(project.connection):
        db.responses.set_aside(project.connection, [slot], "test")
        db.responses.insert(project.connection, [(slot, "another", None)])
    undo_history.undo(project, "ann")
    assert project.connection.execute(
        "SELECT count(*) FROM grade WHERE response = ?", (slot,)
    ).fetchone() == (0,)
    assert sound(project)


def test_other_programs_notice_an_edit_that_is_undone(project: OpenProject) -> None:
    question_edits.edit_question(project, "ann", key_of(project, Task.DIRECT), "which town?")
    question_edits.edit_question(project, "bob", key_of(project, Task.REVERSE), "which land?")
    with OpenProject(project.path, "read") as other:
        before = other.index.questions.copy()
        undone = undo_history.undo(project, "ann")
        assert undone is not None
        assert undone.restored
        assert other.refresh()
        assert (other.index.questions != before).sum() == 2


EDITS = st.lists(
    st.tuples(
        st.sampled_from(TASKS),
        st.sampled_from(["", "which town?", "what land?", "who?"]),
        st.sampled_from(["", "Pärnu", "narva", "Latvia", "TARTU", "answer 1"]),
        st.sampled_from([(), ("Dorpat",), ("answer 0", "Pernau")]),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(EDITS)
def test_any_edits_are_undone_one_by_one(
    stored: bytes, edits: list[tuple[Task, str, str, tuple[str, ...], bool]]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "p.db"
        path.write_bytes(stored)
        with OpenProject(path, "write") as project:
            edit_and_undo(project, edits)


def edit_and_undo(
    project: OpenProject, edits: list[tuple[Task, str, str, tuple[str, ...], bool]]
) -> None:
    before = [everything(project)]
    for task, text, gold, aliases, grade in edits:
        now = question_edits.read_draft(project, key_of(project, task))
        draft = question_edits.QuestionDraft(
            text or now.text, gold or now.gold, aliases, now.choices
        )
        try:
            question_edits.edit(project, "ann", key_of(project, task), draft)
        except UsageError:  # nothing is changed
            continue
        before.append(everything(project))
        assert sound(project)
        if grade:
            stored_answers.grade(project, "exact")
    before.pop()
    while before:
        undone = undo_history.undo(project, "ann")
        assert undone is not None
        assert undone.restored
        assert sound(project)
        state, expected = everything(project), before.pop()
        for name in ("question", "gold", "review", "fact", "response"):
            assert state[name] == expected[name]
        mine = project.connection.execute("SELECT id FROM grader WHERE name = 'exact'").fetchone()
        others = mine[0] if mine else None
        for name in ("grade", "remark"):
            assert [row for row in state[name] if row[1] != others] == [
                row for row in expected[name] if row[1] != others
            ]
    assert undo_history.undo(project, "ann") is None


def test_search_finds_what_is_in_use(project: OpenProject) -> None:
    def found(words: str) -> bool:
        list(fact_search.catch_up(project))
        hits = fact_search.search(project, words)
        return hits is not None and bool(len(hits.facts))

    assert not found("quagmire")
    question_edits.edit_question(project, "ann", key_of(project, Task.DIRECT), "which quagmire?")
    assert found("quagmire")
    question_edits.edit_gold(project, "ann", key_of(project, Task.DIRECT), "Zanzibar")
    assert found("Zanzibar")


def test_what_was_left_as_it_was_seen_stays_as_another_made_it(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    seen = question_edits.read_draft(project, key)
    question_edits.edit_gold(project, "bea", key, "Dorpat", ["Yuryev"])
    asked = question_edits.QuestionDraft("which town?", seen.gold, seen.aliases, seen.choices)
    assert question_edits.preview_edit(project, key, asked, seen).new_gold is False
    question_edits.edit(project, "ann", key, asked, seen)
    now = question_edits.read_draft(project, key_of(project, Task.DIRECT))
    assert (now.text, now.gold, now.aliases) == ("which town?", "Dorpat", ("Yuryev",))


@pytest.mark.parametrize(
    ("part", "mine"), [("gold", "Narva"), ("aliases", ("Pernau",))], ids=["gold", "aliases"]
)
def test_what_two_have_changed_is_not_written_over(
    project: OpenProject, part: str, mine: Any
) -> None:
    key = key_of(project, Task.DIRECT)
    seen = question_edits.read_draft(project, key)
    question_edits.edit_gold(project, "bea", key, "Dorpat", ["Yuryev"])
    before = everything(project)
    with pytest.raises(LostkeysError, match="edited meanwhile"):
        question_edits.edit(project, "ann", key, replace(seen, **{part: mine}), seen)
    assert everything(project) == before


def test_lists_name_a_fact_by_its_gold_as_edited(project: OpenProject) -> None:
    key = key_of(project, Task.DIRECT)
    first = db.fact_names.headings(project.connection)
    question_edits.accept_alias(project, "ann", key, "Dorpat")
    assert db.fact_names.headings(project.connection) == first
    question_edits.edit_gold(project, "ann", key, "Narva")
    assert [one[2] for one in db.fact_names.headings(project.connection)] == ["Narva", first[1][2]]
    undo_history.undo(project, "ann")
    assert db.fact_names.headings(project.connection) == first


HOSTILE = [
    "[/red]",
    "\x1b[31m",
    "\u202egnikib",
    "👩\u200d👩\u200d👧 🇪🇪",
    "a" * 10_000,
    "?\n\n\ta\r\n",
    "\x00?",
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_kept_to_the_letter_and_undone(project: OpenProject, text: str) -> None:
    before = everything(project)
    key = key_of(project, Task.DIRECT)
    draft = question_edits.QuestionDraft(text, text, (f"{text} 2",))
    question_edits.edit(project, "ann", key, draft)
    now = question_edits.read_draft(project, key_of(project, Task.DIRECT))
    assert (now.text, now.gold, now.aliases) == (text, text.strip(), (f"{text} 2".strip(),))
    question_reviews.note(project, "ann", key_of(project, Task.DIRECT), text)
    assert sound(project)
    undo_history.undo(project, "ann")
    undo_history.undo(project, "ann")
    assert everything(project) == before
