"""Editing questions and golds: new versions, what that does to answers and grades, and undoing.

A text edited makes a new question, and the answers to the old one stop counting; a gold edited
leaves the questions and makes the grades that rest on it stale (semantics section 1). An alias only
adds: labels stay, local graders label again what it may alter, and what models said of that is out
of date. Nothing is lost: undoing brings versions, answers and grades back as they were.

What tasks share is edited for all of them: a multiple-choice task shows the text of its open
task (`Task.asks`), and the tasks of a direction share gold and options. So one edit may make
several versions; they are one step for `undo`.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import time_ns

import db.person_actions
import db.project_values
import db.question_versions
import db.reviews
from core.curation import gold_aliases
from core.curation.gold_aliases import NO_LABELS, AliasReach
from core.dataset.choice_options import OPTIONS, gold_option
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.scoring.precedence import grader_of
from core.vocabulary import TASK_INDEX, Side, Task
from db.connection import read_transaction, write_transaction
from db.person_actions import Action, ActionKind
from db.question_versions import GoldVersion, QuestionVersion, Versions
from db.reviews import EDITED, Review


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """All of a question that can be edited, as a person has it before them."""

    text: str
    gold: str
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an edit would do.

    `tasks` get a new version, the highest of which is `version`; their `answers` are set aside.
    `grades` become stale; where only aliases change none does, and `alias` says what they reach.
    `faults` are what checks in code have against it, a line each: they
    warn, they do not forbid.
    """

    tasks: tuple[Task, ...]
    version: int
    new_gold: bool
    answers: int
    grades: int
    faults: tuple[str, ...] = ()
    alias: AliasReach | None = None


@dataclass(frozen=True, slots=True)
class EditEffect:
    """What an edit, or undoing one, did to a fact (its id).

    `tasks` have another question now, `gold` is the side that has another gold, if one has.
    """

    fact: int
    task: Task
    tasks: tuple[Task, ...]
    gold: Side | None
    outlook: Outlook | None = None


@dataclass(frozen=True, slots=True)
class _Plan:
    """New texts and options by the versions that they replace, and a new gold."""

    question: QuestionVersion
    gold: GoldVersion
    draft: QuestionDraft
    renewed: Mapping[QuestionVersion, tuple[str, tuple[str, ...] | None]]
    regolded: bool
    stale: tuple[QuestionVersion, ...]

    @property
    def regraded(self) -> list[int]:
        """Questions that stay in use, and whose grades become stale."""
        return [one.id for one in self.stale if one.current and one not in self.renewed]

    @property
    def touched(self) -> list[int]:
        """Questions in use that are faulty if this puts them right: all but for an alias."""
        others = self.regraded if self.draft.gold != self.gold.text else []
        return sorted([*(old.id for old in self.renewed), *others])


def read_draft(project: OpenProject, question: int) -> QuestionDraft:
    """A question as it is. Raises `LostkeysError` where it is not in use."""
    now, gold, _ = _read_versions(project.connection, question)
    return QuestionDraft(now.text, gold.text, gold.aliases, now.choices)


def preview_edit(
    project: OpenProject, question: int, draft: QuestionDraft, seen: QuestionDraft | None = None
) -> Outlook:
    """What an edit would do. Raises as `edit` does."""
    with read_transaction(project.connection):
        plan = _plan(project.connection, question, draft, seen)
        return _outlook(project.connection, plan)


@dataclass(frozen=True, slots=True)
class EditReach:
    """`answers` are set aside by another text of a question, `grades` stale by another gold."""

    answers: int
    grades: int
    alias: AliasReach = NO_LABELS


NO_REACH = EditReach(0, 0)


def measure_edit(project: OpenProject, question: int) -> EditReach:
    """What edits of a question would reach. Raises `LostkeysError` where it is not in use."""
    connection = project.connection
    now, gold, versions = _read_versions(connection, question)
    used = [one for one in versions if one.current]
    beside = [one for one in used if one.task.side is gold.side]
    return EditReach(
        db.question_versions.count_answers(
            connection, [one.id for one in used if one.task.asks is now.task.asks]
        ),
        db.question_versions.count_grades(connection, [one.id for one in beside]),
        gold_aliases.measure_change(connection, [one.id for one in beside if not one.choices]),
    )


def edit(
    project: OpenProject,
    name: str,
    question: int,
    draft: QuestionDraft,
    seen: QuestionDraft | None = None,
) -> EditEffect:
    """Make what differs from the question as it is new versions, in one step.

    `seen` is the question as the person had it before them: what they left so stays as it is
    now, and what somebody else has changed meanwhile is not written over.

    The questions that are others then count as reviewed by this person, as edited; a new alias
    alone is no fault of the question and no review.
    Raises `UsageError` for no proper name or draft or where nothing differs, `LostkeysError`
    where the question is not in use any more, or a part was changed by two.
    """
    author, at = grader_of(name), time_ns() // 1_000_000
    connection = project.connection
    with write_transaction(connection):
        plan = _plan(connection, question, draft, seen)
        outlook = _outlook(connection, plan)
        before, after = _carry_out(connection, plan)
        fact = plan.question.fact
        first = db.person_actions.record(
            connection, Action(author, ActionKind.EDIT, fact, None, before, after, at)
        )
        db.person_actions.begin_decision(connection, first)
        for key in plan.touched:
            _count_as_edited(connection, author, key, at, first)
    side = plan.gold.side if plan.regolded else None
    return EditEffect(fact, plan.question.task, outlook.tasks, side, outlook)


def edit_question(project: OpenProject, name: str, question: int, text: str) -> EditEffect:
    """Give a question, and those that show the same text, another text."""
    return edit(project, name, question, replace(read_draft(project, question), text=text))


def edit_gold(
    project: OpenProject, name: str, question: int, gold: str, aliases: Sequence[str] | None = None
) -> EditEffect:
    """Give the questions of a direction another gold; its aliases stay unless others are given."""
    draft = replace(read_draft(project, question), gold=gold)
    if aliases is not None:
        draft = replace(draft, aliases=tuple(aliases))
    return edit(project, name, question, draft)


def accept_alias(project: OpenProject, name: str, question: int, answer: str) -> EditEffect:
    """Let another text be as good as the gold.

    Raises `UsageError` for one that is accepted but for case and punctuation.
    """
    draft = read_draft(project, question)
    return edit(project, name, question, replace(draft, aliases=(*draft.aliases, answer)))


def take_back(project: OpenProject, action: Action) -> tuple[EditEffect, bool]:
    """Undo an edit inside a transaction; says what it was about, and whether it was undone.

    It is left alone where something that it brought is not in use any more.
    """
    connection = project.connection
    old, new = action.before, action.after
    assert isinstance(old, Versions)
    assert isinstance(new, Versions)
    found = [db.question_versions.question(connection, key) for key in new.questions]
    golds = [db.question_versions.gold(connection, key) for key in new.golds]
    there = [one for one in found if one is not None and one.current]
    sides = [one.side for one in golds if one is not None and one.current]
    restored = len(there) == len(found) and len(sides) == len(golds)
    if restored:
        for before, after in zip(old.questions, new.questions, strict=True):
            db.question_versions.use(connection, "question", after, before)
        for before, after in zip(old.golds, new.golds, strict=True):
            db.question_versions.use(connection, "gold", after, before)
            _change_grades(connection, after, before)
        db.project_values.count_edit(connection)
    tasks = tuple(sorted((one.task for one in there), key=TASK_INDEX.__getitem__))
    side = sides[0] if sides else None
    return EditEffect(action.target, _first_task(tasks, side), tasks, side), restored


def read_edit(project: OpenProject, action: Action) -> EditEffect:
    """What an action edited."""
    new = action.after
    assert isinstance(new, Versions)
    found = (db.question_versions.question(project.connection, key) for key in new.questions)
    golds = (db.question_versions.gold(project.connection, key) for key in new.golds)
    tasks = tuple(sorted((one.task for one in found if one), key=TASK_INDEX.__getitem__))
    side = next((one.side for one in golds if one), None)
    return EditEffect(action.target, _first_task(tasks, side), tasks, side)


def _first_task(tasks: Sequence[Task], side: Side | None) -> Task:
    """A task to name an undone edit by."""
    if tasks:
        return tasks[0]
    return Task.REVERSE if side is Side.SUBJECT else Task.DIRECT


def _read_versions(
    connection: sqlite3.Connection, question: int
) -> tuple[QuestionVersion, GoldVersion, list[QuestionVersion]]:
    """A question in use, its gold, and all versions of the fact's questions."""
    now = db.question_versions.question(connection, question)
    if now is None or not now.current:
        raise LostkeysError("this question is not in use any more: it was edited meanwhile")
    gold = next(
        one
        for one in db.question_versions.golds(connection, now.fact)
        if one.current and one.side is now.task.side
    )
    return now, gold, db.question_versions.questions(connection, now.fact)


def _plan(
    connection: sqlite3.Connection,
    question: int,
    wanted: QuestionDraft,
    seen: QuestionDraft | None = None,
) -> _Plan:
    now, gold, versions = _read_versions(connection, question)
    if seen is not None:
        wanted = _rebase_draft(
            wanted, seen, QuestionDraft(now.text, gold.text, gold.aliases, now.choices)
        )
    draft = _clean_draft(wanted)
    gold_aliases.check_aliases(draft.gold, draft.aliases, gold)
    regolded = (draft.gold, draft.aliases) != (gold.text, gold.aliases)
    renewed = {
        one: fresh
        for one in versions
        if one.current
        for fresh in [_renew_question(one, now, gold, draft)]
        if fresh != (one.text, one.choices)
    }
    if not renewed and not regolded:
        named = [one for one in wanted.aliases if one.strip()]
        why = "already accepted" if len(named) > len(draft.aliases) else "nothing is changed"
        raise UsageError(f"{why}: the question is as it was")
    stale = tuple(_find_resting(versions, gold, draft.gold)) if regolded else ()
    return _Plan(now, gold, draft, renewed, regolded, stale)


def _rebase_draft(wanted: QuestionDraft, seen: QuestionDraft, now: QuestionDraft) -> QuestionDraft:
    """What differs from what was seen, on the question as it is now."""
    parts = {"text": "question", "gold": "gold", "aliases": "aliases", "choices": "options"}
    changed = [part for part in parts if getattr(wanted, part) != getattr(seen, part)]
    for part in changed:
        if getattr(seen, part) != getattr(now, part):
            raise LostkeysError(f"the {parts[part]} was edited meanwhile: close it and look again")
    return replace(now, **{part: getattr(wanted, part) for part in changed})


def _renew_question(
    one: QuestionVersion, edited: QuestionVersion, gold: GoldVersion, draft: QuestionDraft
) -> tuple[str, tuple[str, ...] | None]:
    """Text and options of a question of the fact after the edit of one."""
    shares = one.task.asks is edited.task.asks and draft.text != edited.text
    text = draft.text if shares else one.text
    if one.choices is None or one.task.side is not edited.task.side:
        return text, one.choices
    choices = one.choices
    if edited.choices is not None and draft.choices is not None:
        choices = draft.choices if draft.choices != edited.choices else choices
    return text, _with_gold(choices, gold.text, draft.gold)


def _with_gold(choices: tuple[str, ...], before: str, after: str) -> tuple[str, ...]:
    """Options in which the new gold stands, in the place of the old one unless it is there."""
    if _option(choices, after) is not None:
        return choices
    held = _option(choices, before)
    return tuple(after if one == held else one for one in choices)


def _option(choices: Sequence[str], gold: str) -> str | None:
    try:
        return gold_option(choices, gold)
    except LostkeysError:
        return None


def _find_resting(
    versions: Sequence[QuestionVersion], gold: GoldVersion, other: str
) -> Iterator[QuestionVersion]:
    """Those versions, of any age, whose grades are stale once `other` stands for a gold.

    A multiple-choice label rests on which option is the gold, and on no alias.
    """
    for one in versions:
        if one.task.side is gold.side and (
            one.choices is None or _option(one.choices, gold.text) != _option(one.choices, other)
        ):
            yield one


def _clean_draft(draft: QuestionDraft) -> QuestionDraft:
    """A draft without outer white space and without aliases said twice. Raises `UsageError`."""
    gold = draft.gold.strip()
    aliases = [one.strip() for one in draft.aliases]
    choices = None if draft.choices is None else tuple(one.strip() for one in draft.choices)
    for what, text in (("question", draft.text), ("gold", gold)):
        if not text.strip():
            raise UsageError(f"the {what} is empty: write one, or leave it as it was")
    for text in (draft.text, gold, *aliases, *(choices or ())):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UsageError("there is half a character in it, which cannot be kept: retype it")
    if choices is not None and len({one.casefold() for one in choices if one}) != OPTIONS:
        raise UsageError("the options are not four different texts: each is needed once")
    kept = dict.fromkeys(one for one in aliases if one and one != gold)
    return QuestionDraft(draft.text, gold, tuple(kept), choices)


def _outlook(connection: sqlite3.Connection, plan: _Plan) -> Outlook:
    tasks = sorted((old.task for old in plan.renewed), key=TASK_INDEX.__getitem__)
    renewed = [old.id for old in plan.renewed]
    alias, regraded = None, plan.regraded
    if plan.regolded and plan.draft.gold == plan.gold.text:
        before, after = plan.gold.aliases, plan.draft.aliases
        alias, regraded = gold_aliases.measure_change(connection, regraded, before, after), []
    return Outlook(
        tuple(tasks),
        max((old.version + 1 for old in plan.renewed), default=plan.question.version),
        plan.regolded,
        db.question_versions.count_answers(connection, renewed),
        db.question_versions.count_grades(connection, regraded),
        tuple(_faults(connection, plan)),
        alias,
    )


def _faults(connection: sqlite3.Connection, plan: _Plan) -> Iterator[str]:
    """What code has against the questions that an edit makes or gives another gold."""
    from core.pipeline import code_checks

    draft, fact = plan.draft, plan.question.fact
    now = {one.task: one for one in db.question_versions.questions(connection, fact) if one.current}
    context = now.get(Task.COMPLETION)
    known = db.question_versions.golds(connection, fact)
    objects = [one.text for one in known if one.current and one.side is Side.OBJECT]
    if plan.gold.side is Side.OBJECT:
        objects = [draft.gold]
    fresh = plan.renewed.get(plan.question, (draft.text, plan.question.choices))
    text, choices = fresh
    yield from code_checks.faults(
        plan.question.task,
        text,
        (draft.gold, *draft.aliases),
        left_context=None if context is None else context.text,
        object=objects[0] if objects else None,
        choices=choices,
    )


def _carry_out(connection: sqlite3.Connection, plan: _Plan) -> tuple[Versions, Versions]:
    """Make the new versions; gives ids of those that went out of use, and that came."""
    questions = {
        old.id: db.question_versions.renew_question(connection, old, *fresh)
        for old, fresh in plan.renewed.items()
    }
    golds = {}
    if plan.regolded:
        gold, draft = plan.gold, plan.draft
        golds[gold.id] = db.question_versions.renew_gold(
            connection, gold, draft.gold, draft.aliases
        )
        _change_grades(connection, gold.id, golds[gold.id])
    db.project_values.count_edit(connection)
    return (
        Versions(tuple(questions), tuple(golds)),
        Versions(tuple(questions.values()), tuple(golds.values())),
    )


def _change_grades(connection: sqlite3.Connection, left: int, taken: int) -> None:
    """Let the grades of a gold (ids) fit the one that is in use instead.

    Where their texts differ, grades made for one go aside and those made for the other come back;
    where only their aliases do, grades stay, and what an alias may alter is made again.
    """
    old, new = (db.question_versions.gold(connection, key) for key in (left, taken))
    assert old is not None
    assert new is not None
    versions = db.question_versions.questions(connection, old.fact)
    stale = [one.id for one in _find_resting(versions, old, new.text)]
    if old.text == new.text:
        gold_aliases.change_labels(connection, old, new, stale)
        return
    db.question_versions.set_stale(connection, left, stale)
    db.question_versions.restore(
        connection, taken, [one.id for one in versions if one.task.side is old.side]
    )


def _count_as_edited(
    connection: sqlite3.Connection, author: str, question: int, at: int, decision: int
) -> None:
    before = db.reviews.review(connection, question, author)
    after = Review(EDITED, "", before.note if before else "", at)
    db.reviews.set_review(connection, question, author, after)
    if before is not None and before.verdict == db.reviews.REJECTED:
        db.reviews.settle_rejection(connection, question)
    db.person_actions.record(
        connection, Action(author, ActionKind.REVIEW, question, None, before, after, at, decision)
    )
