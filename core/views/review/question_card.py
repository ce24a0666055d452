"""One question as a person looks it over."""

from collections.abc import Mapping
from dataclasses import dataclass

import db.build_steps
import db.question_rows
import db.question_versions
import db.reviews
from core.project import OpenProject
from core.views.entity_spans import SourceText, source
from core.views.review import question_samples, strong_answers
from core.views.review.question_samples import Strata
from core.views.review.strong_answers import AgreedAnswer, ModelAnswer
from core.views.review.strong_models import FailureCounts
from core.views.snapshot import Heading, Snapshot
from core.vocabulary import TASK_INDEX, TASKS, Task
from db.build_steps import Step
from db.question_rows import StoredQuestion
from db.question_versions import QuestionVersion
from db.reviews import AuthoredReview


@dataclass(frozen=True, slots=True)
class OtherQuestion:
    """Another question of the fact: `fails` of `of` models fail it."""

    task: Task
    text: str
    fails: int
    of: int


@dataclass(frozen=True, slots=True)
class Link:
    """A page that a grounded answer rests on."""

    title: str
    uri: str


@dataclass(frozen=True, slots=True)
class Version:
    """The question as one stage of building left it.

    `verdict` is `kept`, `dropped` (for `reason`) or `failed`; `aside` says that the stage was
    redone since.
    """

    stage: str
    question: str
    verdict: str
    reason: str
    aside: bool


@dataclass(frozen=True, slots=True)
class GroundedAnswer:
    """What a model answered to the question when it could search, and from what sources."""

    stage: str
    answer: str
    verdict: str
    reason: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class QuestionCard:
    """A question, as it is in use now, with all that tells whether it is a good one.

    `queued` is the id by which it was asked for, `question` the one in use. `source` is the text
    of the fact with its entities marked. `edits` are its texts so far, oldest first, the one in
    use among them; `aside` answers go aside if its text is edited, `grades` become stale if its
    gold is. `views` is None where unknown.
    """

    queued: int
    question: int
    fact: int
    place: int
    heading: Heading
    task: Task
    version: int
    text: str
    choices: tuple[str, ...] | None
    gold: str
    gold_version: int
    aliases: tuple[str, ...]
    source: SourceText
    models: tuple[ModelAnswer, ...]
    agreed: AgreedAnswer | None
    fails: int
    of: int
    others: tuple[OtherQuestion, ...]
    made: tuple[Version, ...]
    grounded: tuple[GroundedAnswer, ...]
    edits: tuple[str, ...]
    reviews: tuple[AuthoredReview, ...]
    aside: int
    grades: int
    category: str
    views: int | None
    tier: str
    rejected: bool


def read_card(
    project: OpenProject, snapshot: Snapshot, failing: FailureCounts, queued: int
) -> QuestionCard | None:
    """The card of a question (the id of any version); None where the snapshot has it no more."""
    connection = project.connection
    asked = db.question_versions.question(connection, queued)
    place = None if asked is None else snapshot.place(asked.fact)
    if asked is None or place is None:
        return None
    versions = [
        one
        for one in db.question_versions.questions(connection, asked.fact)
        if one.task is asked.task
    ]
    stored = {one.task: one for one in db.question_rows.questions(connection, [asked.fact])}
    if asked.task not in stored:
        return None
    return _card(project, snapshot, failing, place, stored, versions, queued, asked.task)


def _card(
    project: OpenProject,
    snapshot: Snapshot,
    failing: FailureCounts,
    place: int,
    stored: Mapping[Task, StoredQuestion],
    versions: list[QuestionVersion],
    queued: int,
    task: Task,
) -> QuestionCard:
    connection, index, heading = project.connection, snapshot.index, snapshot.headings[place]
    question, column = stored[task], TASK_INDEX[task]
    gold = next(
        one
        for one in db.question_versions.golds(connection, question.fact)
        if one.current and one.side is task.side
    )
    models = strong_answers.read_answers(project, snapshot, place, question, failing.models)
    side = [one.id for one in stored.values() if one.task.side is task.side]
    views = int(index.views[place])
    steps = db.build_steps.steps_of_fact(connection, question.fact)
    golds = db.question_rows.golds(connection, question.fact)
    texts = {one.task: one.text for one in stored.values()}
    return QuestionCard(
        queued=queued,
        question=question.id,
        fact=question.fact,
        place=place,
        heading=heading,
        task=task,
        version=next(one.version for one in versions if one.current),
        text=question.text,
        choices=question.choices,
        gold=gold.text,
        gold_version=gold.version,
        aliases=gold.aliases,
        source=source(texts, golds, heading.subject, heading.object),
        models=models,
        agreed=strong_answers.find_agreed(question, models),
        fails=int(failing.fails[column, place]),
        of=int(failing.of[column, place]),
        others=_list_others(failing, place, stored, task),
        made=_list_versions(steps, task),
        grounded=_list_grounded(steps, task),
        edits=tuple(one.text for one in versions),
        reviews=tuple(db.reviews.read_reviews(connection, [one.id for one in versions])),
        aside=db.question_versions.count_answers(connection, [question.id]),
        grades=db.question_versions.count_grades(connection, side),
        category=index.categories[place],
        views=None if views < 0 else views,
        tier=question_samples.strata(index, Strata.TIER)[place],
        rejected=bool(index.rejected[place]),
    )


def _list_others(
    failing: FailureCounts, place: int, stored: Mapping[Task, StoredQuestion], task: Task
) -> tuple[OtherQuestion, ...]:
    return tuple(
        OtherQuestion(
            one,
            stored[one].text,
            int(failing.fails[column, place]),
            int(failing.of[column, place]),
        )
        for column, one in enumerate(TASKS)
        if one in stored and one is not task
    )


_WAYS: Mapping[Task, tuple[str, ...]] = {
    Task.CONTEXTUAL: ("contextual",),
    Task.DIRECT: ("direct", "specify-direct", "minimize-direct"),
    Task.DIRECT_NATURAL: ("direct", "specify-direct", "minimize-direct", "natural-direct"),
    Task.REVERSE: ("reverse", "specify-reverse", "minimize-reverse"),
    Task.REVERSE_NATURAL: ("reverse", "specify-reverse", "minimize-reverse", "natural-reverse"),
}
"""The stages that a question goes through, by its task."""


def _list_versions(steps: list[Step], task: Task) -> tuple[Version, ...]:
    """A question's way through the stages that write or change it, in their order."""
    way = _WAYS.get(task.asks, ())
    mine = [one for one in steps if one.stage in way and "question" in one.value]
    return tuple(
        Version(one.stage, str(one.value["question"]), one.verdict, one.reason, one.aside)
        for one in sorted(mine, key=lambda one: (way.index(one.stage), one.id))
    )


def _list_grounded(steps: list[Step], task: Task) -> tuple[GroundedAnswer, ...]:
    """What was answered with search to the question of a task, and what was made of it."""
    name = task.asks.value.replace("_", "-")
    judged = {one.stage: one for one in steps if not one.aside}
    found = []
    for step in steps:
        if step.stage != f"ground-{name}" or step.aside:
            continue
        verdict = judged.get(f"filter-{name}", step)
        links = tuple(Link(one.get("title", ""), one.get("uri", "")) for one in step.sources)
        answer = str(step.value.get("answer", ""))
        found.append(GroundedAnswer(step.stage, answer, verdict.verdict, verdict.reason, links))
    return tuple(found)
