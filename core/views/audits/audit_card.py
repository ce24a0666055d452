"""The answer of an audit that is decided next, blind; and of a settled fact what was said."""

from collections.abc import Iterator
from dataclasses import dataclass

import db.model_rows
import db.question_rows
import db.responses
from core.certainty.audit_evidence import AuditEvidence
from core.certainty.fact_answers import FactAnswer, FactAnswers
from core.graders.answer_text import answer_in
from core.project import OpenProject
from core.scoring.verdicts import CELLS
from core.views.entity_spans import SourceText, source
from core.views.snapshot import Heading
from core.vocabulary import CODE_ORDER, ENCODING, LABELS, Label, Task
from db.slot_ids import unpack


@dataclass(frozen=True, slots=True)
class AuditCell:
    """One question of a fact in one setting: one's labels so far, over all models audited.

    `asked` are the different answers that are to be decided now; `here`: the open one is of it.
    """

    task: Task
    thinking: bool
    labels: tuple[Label, ...]
    asked: int
    here: bool


@dataclass(frozen=True, slots=True)
class AuditCard:
    """An answer to decide: nothing of what graders or profiles say, nor who answered.

    `fact` is the fact's id. `context` is the left context, where the task is of it. `text` is the
    whole response, `answer` what graders see of it. `alike` counts the other answers that are
    decided with it; `asked` are the slots to decide now, one for each text. Of the fact's `answers`
    `read` different ones are decided, which are `labelled` answers.
    """

    fact: int
    heading: Heading
    slot: int
    task: Task
    thinking: bool
    question: str
    context: str | None
    gold: str
    aliases: tuple[str, ...]
    text: str
    answer: str
    source: SourceText
    alike: int
    asked: tuple[int, ...]
    cells: tuple[AuditCell, ...]
    read: int
    labelled: int
    answers: int

    @property
    def left(self) -> int:
        """Answers to decide, then the fact is settled, as far as can be known."""
        return len(self.asked)


@dataclass(frozen=True, slots=True)
class DecidedAnswer:
    """An answer of a settled fact: who gave it, one's label of it, and the graders'."""

    model: str
    task: Task
    thinking: bool
    answer: str
    own: Label
    graded: Label | None
    alike: int


@dataclass(frozen=True, slots=True)
class SettledFact:
    """A fact that is settled: nothing of it is hidden any more.

    `states` has of each model the code as labelled and as graded.
    """

    fact: int
    heading: Heading
    states: tuple[tuple[str, str, str], ...]
    answers: tuple[DecidedAnswer, ...]


def read_card(
    project: OpenProject,
    fact: int,
    heading: Heading,
    answers: FactAnswers,
    slot: int | None,
    read: int,
) -> AuditCard | None:
    """The card of a fact (its id): of one of its slots if that is undecided, else of the next.

    None where nothing is to be decided. `read` counts the different answers decided.
    """
    asked = answers.next_answers()
    every = {one.slot: one for one in answers.answers if not one.label}
    here = every.get(slot) if slot is not None else None
    if here is None and asked:
        here = asked[0]
    if here is None:
        return None
    _, setting, _ = unpack(here.slot)
    task, thinking = CELLS[here.cell]
    questions = {one.task: one for one in db.question_rows.questions(project.connection, [fact])}
    asked_of, stored = questions[task], db.responses.read_responses(project.connection, [here.slot])
    model = db.model_rows.settings(project.connection)[setting][0]
    recipe = db.model_rows.recipe_of(project.connection, model)
    texts = {name: one.text for name, one in questions.items()}
    golds = db.question_rows.golds(project.connection, fact)
    return AuditCard(
        fact,
        heading,
        here.slot,
        task,
        thinking,
        asked_of.text,
        texts.get(Task.COMPLETION) if task in ENCODING else None,
        asked_of.gold.text,
        asked_of.gold.aliases,
        stored[0].text,
        answer_in(stored[0], thinking, recipe).strip(),
        source(texts, golds, heading.subject, heading.object),
        sum(one.key == here.key and not one.label for one in answers.answers) - 1,
        tuple(one.slot for one in asked),
        tuple(_cells(answers, asked, here)),
        read,
        sum(one.label > 0 for one in answers.answers),
        len(answers.answers),
    )


def _cells(answers: FactAnswers, asked: list[FactAnswer], here: FactAnswer) -> Iterator[AuditCell]:
    """The cells in which something is decided or asked for."""
    for cell, (task, thinking) in enumerate(CELLS):
        labels = tuple(
            LABELS[one.label - 1] for one in answers.answers if one.cell == cell and one.label
        )
        wanted = sum(one.cell == cell for one in asked)
        if labels or wanted or here.cell == cell:
            yield AuditCell(task, thinking, labels, wanted, here.cell == cell)


def read_settled(
    project: OpenProject,
    evidence: AuditEvidence,
    place: int,
    heading: Heading,
    answers: FactAnswers,
) -> SettledFact:
    """What was said of a settled fact (its place in the audit)."""
    frame, connection = evidence.frame, project.connection
    first: dict[tuple[int, str], FactAnswer] = {}
    counts: dict[tuple[int, str], int] = {}
    for one in answers.answers:
        if one.label:
            first.setdefault(one.key, one)
            counts[one.key] = counts.get(one.key, 0) + 1
    stored = {
        one.slot: one
        for one in db.responses.read_responses(connection, [one.slot for one in first.values()])
    }
    recipes = {name: db.model_rows.recipe_of(connection, name) for name in frame.plan.models}
    decided = []
    for key, one in first.items():
        model, (task, thinking) = frame.plan.models[one.model], CELLS[one.cell]
        text = answer_in(stored[one.slot], thinking, recipes[model]).strip()
        graded = LABELS[one.graded - 1] if 0 < one.graded <= len(LABELS) else None
        own = LABELS[one.label - 1]
        decided.append(DecidedAnswer(model, task, thinking, text, own, graded, counts[key] - 1))
    states = tuple(
        (model, CODE_ORDER[evidence.states[at, place]], CODE_ORDER[frame.graded[at, place]])
        for at, model in enumerate(frame.plan.models)
    )
    return SettledFact(int(project.index.ids[frame.facts[place]]), heading, states, tuple(decided))
