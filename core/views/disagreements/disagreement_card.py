"""One disagreement as a person decides it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

import db.grades
import db.model_rows
import db.question_rows
import db.responses
import db.reviews
import db.tags_and_notes
from core.curation.question_edits import NO_REACH, EditReach, QuestionDraft, measure_edit
from core.dataset import choice_options
from core.graders.answer_text import answer_in, is_step_by_step, normalise_answer, place_of
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL
from core.views import label_effects
from core.views.answer_marks import AnswerMark, rank_graders
from core.views.cell_marks import marks_by_cell
from core.views.disagreements.latest_labels import find_labels, own_planes
from core.views.entity_spans import Span
from core.views.label_effects import Consequence
from core.views.lens import Lens
from core.views.snapshot import Heading, Snapshot
from core.vocabulary import ENCODING, LABELS, TASKS, Label, Task
from db.question_rows import StoredQuestion
from db.responses import StoredResponse
from db.slot_ids import unpack
from db.tags_and_notes import ANSWER


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a grader version said of an answer; the label is None if it said nothing readable.

    `outdated`: it was said before an alias was accepted, which may make it another label.
    """

    grader: str
    version: str
    label: Label | None
    rationale: str | None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class IdenticalAnswer:
    """An answer to the same question with the same text (semantics section 7)."""

    slot: int
    model: str
    thinking: bool
    sample: int
    a: Label | None
    b: Label | None
    own: Label | None


@dataclass(frozen=True, slots=True)
class PersonRemark:
    """What a person said before: a label or a verdict, perhaps with a note, at a time.

    `at` is in milliseconds, 0 where unknown. `model` is whose same answer it is about; None where
    it is this answer, or the question. `outdated`: a label from before an alias was accepted.
    """

    name: str
    at: int
    label: Label | None = None
    verdict: str | None = None
    note: str = ""
    model: str | None = None
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class DisagreementCard:
    """One answer on which A and B differ.

    `fact` is the fact's id. `context` is the left context, where the task is of it: for
    `completion` the question is nothing else. `text` is the whole response and `answer` what
    graders see of it, which stands at `span` in it (None if nowhere); `shown` are the options A
    to D of multiple choice. `marks` are all samples of the question in this setting, the answer's
    own among them at `sample`. `consequences` says what each of the four labels would do now, in
    the order of `LABELS`; `own` and `note` are what this person said. `twins` are the other
    answers that are the same, by model, setting and sample.
    """

    lens: Lens
    slot: int
    fact: int
    heading: Heading
    task: Task
    model: str
    thinking: bool
    sample: int
    question: str
    context: str | None
    gold: str
    aliases: tuple[str, ...]
    text: str
    answer: str
    span: Span | None
    shown: tuple[str, ...] | None
    a: Opinion
    b: Opinion
    own: Label | None
    note: str | None
    marks: tuple[AnswerMark, ...]
    consequences: tuple[Consequence, ...]
    twins: tuple[IdenticalAnswer, ...]
    key: int = 0
    """The question's id."""
    choices: tuple[str, ...] | None = None
    reach: EditReach = NO_REACH
    flagged: bool = False
    remarks: tuple[PersonRemark, ...] = ()
    """What people said of this answer, the same answers and the question, newest first."""
    tags: tuple[str, ...] = ()

    @property
    def draft(self) -> QuestionDraft:
        """The question as it can be edited."""
        return QuestionDraft(self.question, self.gold, self.aliases, self.choices)

    @property
    def offered(self) -> tuple[int, ...]:
        """Slots of the same answers that one has not labelled: what a decision may cover too."""
        return tuple(twin.slot for twin in self.twins if twin.own is None)

    def consequence(self, label: Label) -> Consequence | None:
        """What a label would do; None where nobody can say."""
        return next((one for one in self.consequences if one.label is label), None)


def read_card(
    project: OpenProject, snapshot: Snapshot, slot: int, name: str | None
) -> DisagreementCard | None:
    """The card of an answer under a snapshot's lens; None where the answer is gone."""
    key, setting, _ = unpack(slot)
    facts, columns = np.nonzero(snapshot.index.questions == key)
    settings = db.model_rows.settings(project.connection)
    if not facts.size or setting not in settings:
        return None
    place, task = int(facts[0]), TASKS[int(columns[0])]
    return _Reader(project, snapshot, place, task, settings, name).card(slot)


class _Reader:
    """Reads what a card shows of one question."""

    def __init__(
        self,
        project: OpenProject,
        snapshot: Snapshot,
        place: int,
        task: Task,
        settings: Mapping[int, tuple[str, bool]],
        name: str | None,
    ) -> None:
        self._project, self._snapshot, self._place, self._task = project, snapshot, place, task
        self._fact = int(snapshot.index.ids[place])
        self._settings, self._name = settings, name
        self._recipes = db.model_rows.recipes(project.connection)
        self._ranks = rank_graders(project, snapshot.lens)

    def card(self, slot: int) -> DisagreementCard | None:
        """The card of one of the question's answers."""
        project, task = self._project, self._task
        texts = {
            one.task: one for one in db.question_rows.questions(project.connection, [self._fact])
        }
        question = texts[task]
        answered = {
            one.slot: one
            for one in db.responses.read_question_responses(project.connection, question.id)
        }
        if slot not in answered:
            return None
        response = answered[slot]
        model, thinking, sample = self._read_setting(slot)
        answer, completion = self._answer(response), texts.get(Task.COMPLETION)
        steps = is_step_by_step(response.text, thinking, self._recipe(slot))
        a, b, own = self._opinions(question.id, slot)
        twins = self._twins(response, answered.values())
        marks = self._marks(model, thinking)
        return DisagreementCard(
            lens=self._snapshot.lens,
            slot=slot,
            fact=self._fact,
            heading=self._snapshot.headings[self._place],
            task=task,
            model=model,
            thinking=thinking,
            sample=sample,
            question=question.text,
            context=completion.text if completion and task in ENCODING else None,
            gold=question.gold.text,
            aliases=question.gold.aliases,
            text=response.text,
            answer=answer.strip(),
            span=place_of(answer, response.text, steps),
            shown=_decode_options(question, response),
            a=a,
            b=b,
            own=own.label,
            note=own.rationale,
            marks=marks,
            consequences=label_effects.list_consequences(
                project, self._snapshot, slot, self._name, marks
            ),
            twins=twins,
            key=question.id,
            tags=db.tags_and_notes.tags_of(project.connection, ANSWER, [slot]).get(slot, ()),
            choices=question.choices,
            reach=measure_edit(project, question.id),
            flagged=bool(self._snapshot.index.flagged[self._place]),
            remarks=self._remarks(question.id, slot, twins),
        )

    def _read_setting(self, slot: int) -> tuple[str, bool, int]:
        _, setting, sample = unpack(slot)
        return (*self._settings[setting], sample)

    def _recipe(self, slot: int) -> Mapping[str, object] | None:
        return self._recipes.get(unpack(slot)[1])

    def _answer(self, response: StoredResponse) -> str:
        _, setting, _ = unpack(response.slot)
        return answer_in(response, self._settings[setting][1], self._recipes.get(setting))

    def _marks(self, model: str, thinking: bool) -> tuple[AnswerMark, ...]:
        cells = marks_by_cell(self._project, self._snapshot, self._place, [self._task], model)
        return cells[self._task, thinking]

    def _opinions(self, question: int, slot: int) -> tuple[Opinion, Opinion, Opinion]:
        """What A, B and the person said of an answer."""
        project, setting = self._project, unpack(slot)[1]
        lens, versions = self._snapshot.lens, {one.plane: one for one in project.graders()}
        rows = {
            plane: (outcome, rationale)
            for key, plane, outcome, _, rationale in db.grades.read_in_setting(
                project.connection, question, setting
            )
            if key == slot
        }
        outdated = db.grades.find_outdated(project.connection, question)

        def opinion(name: str | None, planes: Sequence[int]) -> Opinion:
            for plane in planes:
                outcome, rationale = rows.get(plane, (0, None))
                if 0 < outcome <= LAST_LABEL and plane in versions:
                    version = versions[plane]
                    label, old = LABELS[outcome - 1], (slot, plane) in outdated
                    return Opinion(version.name, version.version, label, rationale, old)
            return Opinion(name or "", "", None, None)

        a, b = (rank.planes if rank else () for rank in self._ranks.a_and_b)
        mine = own_planes(project, self._name)
        return opinion(lens.a, a), opinion(lens.b, b), opinion(self._name, mine)

    def _remarks(
        self, question: int, slot: int, twins: Sequence[IdenticalAnswer]
    ) -> tuple[PersonRemark, ...]:
        """What people said; one's own label of this answer stands elsewhere."""
        connection, mine = self._project.connection, own_planes(self._project, self._name)
        versions = {one.plane: one.name for one in self._project.graders()}
        models = {twin.slot: twin.model for twin in twins} | {slot: None}
        outdated = db.grades.find_outdated(connection, question)
        found = [
            PersonRemark(
                versions[plane].removeprefix(HUMAN_PREFIX),
                at or 0,
                LABELS[outcome - 1],
                note=note or "",
                model=models[key],
                outdated=(key, plane) in outdated,
            )
            for key, plane, outcome, at, note in db.grades.read_grades(connection, question)
            if key in models
            and versions.get(plane, "").startswith(HUMAN_PREFIX)
            and 0 < outcome <= LAST_LABEL
            and not (key == slot and plane in mine)
        ]
        for one in db.reviews.read_reviews(connection, [question]):
            said, name = one.review, one.author.removeprefix(HUMAN_PREFIX)
            verdict = " ".join(part for part in (said.verdict, said.reason) if part)
            found.append(PersonRemark(name, said.at, None, verdict or None, said.note))
        return tuple(sorted(found, key=lambda one: -one.at))

    def _twins(
        self, response: StoredResponse, others: Iterable[StoredResponse]
    ) -> tuple[IdenticalAnswer, ...]:
        wanted, lettered = normalise_answer(self._answer(response)), self._task.is_choice
        slots = [
            one.slot
            for one in others
            if one is not response
            and not (lettered and one.shown != response.shown)  # a letter means what it stood for
            and normalise_answer(self._answer(one)) == wanted
        ]
        a, b = (rank.planes if rank else () for rank in self._ranks.a_and_b)
        planes = (a, b, own_planes(self._project, self._name))
        labels = [
            find_labels(self._project, one, np.array(slots, np.int64)).tolist() for one in planes
        ]
        return tuple(
            IdenticalAnswer(
                slot, *self._read_setting(slot), *(LABELS[one - 1] if one else None for one in row)
            )
            for slot, *row in zip(slots, *labels, strict=True)
        )


def _decode_options(question: StoredQuestion, response: StoredResponse) -> tuple[str, ...] | None:
    if question.choices is None or response.shown is None:
        return None
    return choice_options.decode(response.shown, question.choices)
