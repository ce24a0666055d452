"""Makes estimates: counts what is missing, measures the texts that would be sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import db.model_rows
import db.question_rows
import db.responses
from core.alignment.trials import find_trial_slots, rubric_of
from core.estimates.estimate import NONE, Estimate, EstimatePart, QuantityRange
from core.estimates.job_history import History, StageUsage
from core.estimates.request_counts import (
    TaskRequests,
    count_questions_to_grade,
    count_requests,
    count_to_grade,
    plan_of,
)
from core.estimates.text_lengths import Frame, Texts, frame
from core.graders.answer_text import answer_in
from core.graders.grader_record import JUDGE, is_model, model_of
from core.graders.grader_table import SURE, reads_choice, weigher
from core.grading.answer_selection import AnswerSelection
from core.grading.grader_probe import version_now
from core.grading.grading_prompt import MOST_ANSWERS
from core.grading.prompt_rubric import PromptRubric
from core.pricing.prices import BYTES_PER_TOKEN, MESSAGE_TOKENS, NOTHING, Price, price_of
from core.project import OpenProject
from core.providers.base import Request
from core.providers.model_names import parse
from core.sampling.arm_form import ArmForm
from core.sampling.found_capabilities import known_now
from core.sampling.recipe import NATIVE, Recipe, template_for
from core.sampling.recipe_settings import limit_of
from core.sampling.sample_plan import (
    Plan,
    check_plan,
    drop_unaskable,
    find_unprofiled_facts,
    known_for,
)
from core.sampling.sample_requests import stage_of
from core.scoring.precedence import CHOICE
from core.specs.answer_specs import ReplyWord
from core.vocabulary import TASK_INDEX, TASKS, Task

if TYPE_CHECKING:
    from core.specs.answer_specs import AnsweringSpec, GradingSpec


# How much a grader leaves to the models after it, measured on a sample of the answers here.

QUESTIONS = 200
"""Questions whose answers are looked at: about a second."""

_NOBODY = 0
"""The id of no grader: every answer is looked at."""


@dataclass(frozen=True, slots=True)
class CascadeShare:
    """The shares of answers, and of questions by any of their answers, that are left."""

    answers: float
    questions: float


def measure_rest(project: OpenProject, grader: str, sure: float) -> CascadeShare:
    """What a grader would be less sure of than `sure`; all where there is nothing to look at."""
    answers, questions = [0, 0], [0, 0]
    for unsure in _look(project, grader, sure):
        answers[0] += sum(unsure)
        answers[1] += len(unsure)
        questions[0] += any(unsure)
        questions[1] += 1
    if not answers[1]:
        return CascadeShare(1.0, 1.0)
    return CascadeShare(answers[0] / answers[1], questions[0] / questions[1])


def _look(project: OpenProject, grader: str, sure: float) -> Iterator[list[bool]]:
    """Of each question in a sample that has answers: which of them are left."""
    weigh, connection, index = weigher(grader), project.connection, project.index
    columns = [TASK_INDEX[task] for task in TASKS if not task.is_choice]
    there = index.questions[~index.rejected][:, columns].ravel()
    there = there[there > 0]
    chosen = np.random.default_rng(1).permutation(there)[:QUESTIONS].tolist()
    recipes = db.model_rows.recipes(connection)
    thinking = {key: on for key, (_, on) in db.model_rows.settings(connection).items()}
    for key, question in db.question_rows.read_current(connection, chosen).items():
        texts = [
            answer_in(one, thinking[one.setting], recipes.get(one.setting))
            for one in db.responses.find_ungraded(connection, key, _NOBODY)
        ]
        seen = {
            text: weigh(question.text, question.gold.texts, text).surety < sure
            for text in dict.fromkeys(texts)
        }
        if texts:
            yield [seen[text] for text in texts]


FRAME_TOKENS = 4
"""Tokens that a message takes beside its text, about."""

SLACK = 0.1
"""By how much a mean of other questions may be off."""

UNMEASURED = 0.25
"""By how much prompts may have more tokens than their bytes say, before a model was asked."""

LEAST_OF_LIMIT = 0.125
"""Share of its token limit that a plain answer takes at the least; at the most it takes all."""

STEPS_OF_LIMIT = QuantityRange(0.05, 0.25)
"""The same of an answer that is reasoned step by step."""

THOUGHTS = QuantityRange(100, 2_000)
"""Tokens of thoughts in an answer of a model that reasons by itself."""

LEAST_CURTAILED = 0.45
"""Share of the answers after which all profiles were decided in a simulation over 1,585 facts
(semantics section 7)."""

RUBRIC_SIZE = 4_000
"""Bytes that a grader is sent beside question, gold and answer."""

LABEL_TOKENS = QuantityRange(15, 45)
"""Tokens of a label with its reason."""

JUDGE_TOKENS = QuantityRange(1, 3)
"""Tokens of yes or no."""


class Estimator:
    """Estimates for one project after another; texts are measured once for its facts.

    For one thread: the one that owns the project.
    """

    def __init__(self) -> None:
        self._texts = Texts()

    def estimate(self, project: OpenProject, spec: "AnsweringSpec | GradingSpec") -> Estimate:
        """What a spec would take. Raises `UsageError` as the run itself would."""
        from core.specs.answer_specs import GradingSpec

        if isinstance(spec, GradingSpec):
            self._texts.take(project)
            return self._estimate_grading(project, spec)
        return self.estimate_plan(project, spec, plan_of(project, spec))

    def estimate_plan(self, project: OpenProject, spec: "AnsweringSpec", plan: Plan) -> Estimate:
        """What a plan would take that stands for a spec. Raises as `estimate`."""
        self._texts.take(project)
        recipe, history = check_plan(project, plan), History(project.connection)
        plan = drop_unaskable(plan, recipe)
        draws = known_for(project.connection, plan).draws
        stages = [
            _Stage(spec, recipe, draws, on, list(count_requests(project, plan, on)), self._texts,
                   history.find_answering(spec.model, on, plan.mode), plan.form)
            for on in plan.thinking
        ]  # fmt: skip
        answers = sum(stage.answers for stage in stages)
        drawn = QuantityRange(answers * LEAST_CURTAILED if spec.curtailed else answers, answers)
        parts, graded = [stage.part() for stage in stages if stage.answers], 0
        for name in spec.graders:
            waiting, _ = count_to_grade(project, name, plan, _version(project, name, spec.prompts))
            coming = sum(stage.answers_for(name) for stage in stages)
            graded += waiting + coming
            if is_model(name):
                todo = QuantityRange(waiting + coming, waiting + coming)
                each = spec.samples * len(stages)
                questions = QuantityRange(todo.low / each, todo.high / spec.samples)
                parts.append(self._estimate_model(project, name, todo, questions, history))
        seconds = _seconds(stages)
        return Estimate(
            questions=sum(stage.questions for stage in stages),
            here=sum(stage.here for stage in stages),
            answers=drawn,
            graded=graded,
            parts=tuple(parts),
            unprofiled=find_unprofiled_facts(project, plan),
            seconds=seconds,
            rate=answers / spec.samples / seconds if seconds else None,
            batch=spec.via == "batch",
            out=sum(stage.out for stage in stages),
        )

    def _estimate_grading(self, project: OpenProject, spec: "GradingSpec") -> Estimate:
        parts, done, history = list[EstimatePart](), 0, History(project.connection)
        left: dict[str, int] = {}
        selection = AnswerSelection(spec.where, spec.models, spec.tasks, spec.size, spec.seed)
        tried, rubric = find_trial_slots(project, spec), rubric_of(project, spec)
        rest, spared = CascadeShare(1.0, 1.0), 0
        if spec.cascade:
            rest = measure_rest(project, spec.graders[0], spec.sure or SURE)
        for name in spec.graders:
            version = _version(project, name, spec.prompts, spec.effort, spec.replies, rubric)
            slots = tried
            if slots is None:
                slots = selection.find_slots(project, reads_choice(name))
            waiting, graded = count_to_grade(project, name, version=version, slots=slots)
            if is_model(name):
                spared += waiting - round(waiting * rest.answers)
                waiting = round(waiting * rest.answers)
            left[name], done = waiting, done + graded
            if is_model(name) and waiting:
                every = count_questions_to_grade(project, name, version=version, slots=slots)
                questions = round(every * rest.questions)
                asked = QuantityRange(questions, max(questions, waiting / MOST_ANSWERS))
                todo = QuantityRange(waiting, waiting)
                more = 0 if rubric is None else rubric.size
                parts.append(self._estimate_model(project, name, todo, asked, history, more))
        labels = tuple(left.items())
        return Estimate(
            0, 0, NONE, sum(left.values()), done, tuple(parts), _grading_seconds(left, history),
            spared=spared, labels=labels,
        )  # fmt: skip

    def _estimate_model(
        self,
        project: OpenProject,
        grader: str,
        answers: QuantityRange,
        questions: QuantityRange,
        history: History,
        more: int = 0,
    ) -> EstimatePart:
        """What grading takes: a request for all answers to a question; of a judge, for each.

        `more`: bytes of a rubric.
        """
        model, is_judge = model_of(grader), grader.startswith(JUDGE)
        used = history.find_grading(model, f"grade {grader}")
        requests = QuantityRange(questions.low, answers.high) if is_judge else questions
        labels = JUDGE_TOKENS if is_judge else LABEL_TOKENS
        mean = sum(map(self._texts.mean, TASKS)) / len(TASKS)
        each = (mean + RUBRIC_SIZE + more) / BYTES_PER_TOKEN
        tokens = QuantityRange(requests.low * labels.low, answers.high * labels.high)
        if known_now(project.connection, model).thinking == NATIVE:
            tokens += QuantityRange(requests.low * THOUGHTS.low, requests.high * THOUGHTS.high)
        if used is not None:
            requests = _scale_range(answers, used.requests_each)
            each = used.input_each + more / BYTES_PER_TOKEN
            tokens = _scale_range(answers, used.output_each)
        into = QuantityRange(requests.low * each, requests.high * each)
        price = price_of(model)
        first = (price or NOTHING).cost(round(each), round(tokens.high / max(1, requests.high)))
        return _part(f"grade {model}", model, price, requests, into, tokens, first)


@dataclass
class _Stage:
    """The answers of one setting: what they take of the model."""

    spec: "AnsweringSpec"
    recipe: Recipe
    draws: int
    thinking: bool
    cells: Sequence[TaskRequests]
    texts: Texts
    used: StageUsage | None
    form: ArmForm | None = None

    @cached_property
    def answers(self) -> int:
        """Answers that are missing."""
        return sum(each.answers for each in self.cells)

    def answers_for(self, grader: str) -> int:
        """Those of them that a grader reads: `choice` multiple choice, every other one the rest."""
        chosen = grader == CHOICE
        return sum(each.answers for each in self.cells if each.task.is_choice == chosen)

    @property
    def questions(self) -> int:
        """Questions of this setting."""
        return sum(each.questions.size for each in self.cells)

    @property
    def here(self) -> int:
        """Those of them that lack nothing."""
        return sum(int(np.count_nonzero(each.missing + each.out == 0)) for each in self.cells)

    @property
    def out(self) -> int:
        """Answers that are out in files."""
        return sum(int(each.out.sum()) for each in self.cells)

    def part(self) -> EstimatePart:
        """What the stage takes, and what that costs."""
        spec, price = self.spec, price_of(self.spec.model)
        requests, into = self._count_sent()
        least = LEAST_CURTAILED if spec.curtailed else 1.0
        out = self._output()
        return _part(
            stage_of(self.thinking, "" if self.form is None else str(self.form.mode)),
            spec.model,
            price,
            QuantityRange(requests.low * least, requests.high),
            QuantityRange(into.low * least, into.high),
            QuantityRange(out.low * least, out.high),
            self._cheapest_cost(price or NOTHING),
            spec.via == "batch",
        )

    def _count_sent(self) -> tuple[QuantityRange, QuantityRange]:
        """Requests, and tokens of their prompts.

        As a range before the model has been asked: a server may give one answer to a request.
        """
        count, tokens = self._count_in(self.draws)
        if self.used is None:
            most, each = self._count_in(1 if self._may_answer_singly else self.draws)
            return QuantityRange(count, most), QuantityRange(tokens, each * (1 + UNMEASURED))
        if count:  # a server may have given one answer at a time
            more = max(1.0, self.used.requests_each * self.answers / count)
            count, tokens = count * more, tokens * more
        low, high = tokens * (1 - SLACK), tokens * (1 + SLACK)
        return QuantityRange(count, count), QuantityRange(low, high)

    def _count_in(self, draws: int) -> tuple[float, float]:
        """Requests of up to so many answers each, and tokens of their prompts."""
        requests = tokens = 0.0
        for each in self.cells:
            around, count = self._frame(each.task), each.requests(draws)
            size = float((count * (self.texts.count_bytes(each.questions) + around.size)).sum())
            sent = float(count.sum())
            requests += sent
            tokens += size / self._bytes_per_token + sent * around.messages * FRAME_TOKENS
        return requests, tokens

    @property
    def _may_answer_singly(self) -> bool:
        """Whether it is a server of which nobody knows how many answers a request gets."""
        name = parse(self.spec.model)
        return name.host is not None and not name.is_openai

    @cached_property
    def _bytes_per_token(self) -> float:
        """As measured: what a request for the same tasks holds, by the tokens that it took."""
        if self.used is None or not self.used.input_each or not self.used.tasks:
            return BYTES_PER_TOKEN
        tasks = self.used.tasks
        size = sum(self.texts.mean(task) + self._frame(task).size for task in tasks) / len(tasks)
        return min(10.0, max(1.0, size / self.used.input_each))

    def _output(self) -> QuantityRange:
        """Tokens of all answers, thoughts included."""
        if self.used is not None:
            return _scale_range(QuantityRange(self.answers, self.answers), self.used.output_each)
        return sum((self._guess_output(each) for each in self.cells), NONE)

    def _guess_output(self, cells: TaskRequests) -> QuantityRange:
        """Tokens of a task's answers, from the limit that they have."""
        template = template_for(cells.task, self.thinking, self.recipe)
        most = limit_of(self.recipe, cells.task, template) * cells.answers
        if template.endswith("_steps"):
            return QuantityRange(STEPS_OF_LIMIT.low * most, STEPS_OF_LIMIT.high * most)
        found = QuantityRange(LEAST_OF_LIMIT * most, float(most))
        if self.thinking and self.recipe.thinking == NATIVE:
            found += QuantityRange(THOUGHTS.low * cells.answers, THOUGHTS.high * cells.answers)
        return found

    def _cheapest_cost(self, price: Price) -> float:
        """The most that the cheapest request can cost."""
        if price.is_free:
            return 0.0
        found = []
        for each in self.cells:
            requests, waits = each.requests(self.draws), each.missing > 0
            if waits.any():
                around = self._frame(each.task)
                size = int(self.texts.count_bytes(each.questions[waits]).min()) + around.size
                n = int((each.missing[waits] // requests[waits]).min())
                found.append(
                    price.most(self._request(each.task, n, size + MESSAGE_TOKENS * around.messages))
                )
        return min(found, default=0.0)

    def _request(self, task: Task, n: int, length: int) -> Request:
        """A request for a task, of so many bytes."""
        template = template_for(task, self.thinking, self.recipe)
        options = dict(self.recipe.options)
        if self.recipe.thinking == NATIVE:
            options["thinking"] = self.thinking
        limit = limit_of(self.recipe, task, template)
        return Request(n, limit, 1.0, 1.0, text="x" * length, options=options)

    def _frame(self, task: Task) -> Frame:
        folder = Path(self.spec.prompts) if self.spec.prompts else None
        return frame(task, self.thinking, self.recipe, folder, self.form)


def _version(
    project: OpenProject,
    name: str,
    folder: str | None,
    effort: str | None = None,
    replies: ReplyWord = "auto",
    rubric: PromptRubric | None = None,
) -> str | None:
    """The version of a model as a grader; None where that is not known, and for all others."""
    if not is_model(name):
        return None
    path = Path(folder) if folder else None
    return version_now(project.connection, name, path, effort, replies, rubric)


def _part(
    stage: str,
    model: str,
    price: Price | None,
    requests: QuantityRange,
    into: QuantityRange,
    out: QuantityRange,
    first: float,
    batch: bool = False,
) -> EstimatePart:
    cost = None
    if price is not None:
        cost = QuantityRange(
            price.cost(round(into.low), round(out.low), batch),
            price.cost(round(into.high), round(out.high), batch),
        )
    free = price is not None and price.is_free
    return EstimatePart(stage, model, requests, into, out, cost, first, free)


def _scale_range(count: QuantityRange, each: float) -> QuantityRange:
    """So many times a mean, which may be off."""
    return QuantityRange(count.low * each * (1 - SLACK), count.high * each * (1 + SLACK))


def _grading_seconds(left: Mapping[str, int], history: History) -> float | None:
    """How long models would take for so many labels each; None where the rate of one is not known.

    Graders that are no models take next to no time.
    """
    seconds = 0.0
    for name, count in left.items():
        if is_model(name) and count:
            used = history.find_grading(model_of(name), f"grade {name}")
            if used is None or not used.rate:
                return None
            seconds += count / used.rate
    return seconds


def _seconds(stages: Sequence[_Stage]) -> float | None:
    """How long the stages would take at the rates of the last job; None where one has none."""
    found = 0.0
    for stage in stages:
        if stage.answers:
            rate = stage.used.rate if stage.used is not None else None
            if rate is None:
                return None
            found += stage.answers / rate
    return found or None
