"""A language model as a grader: its name, its recipe, and the requests that it is asked with."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import db.grades
import db.project_values
import prompts
from core.errors import UsageError
from core.graders.grader_record import JUDGE, model_of
from core.grading import grading_prompt
from core.grading.prompt_rubric import PromptRubric
from core.providers.base import Request
from core.providers.capabilities import Capabilities
from core.providers.model_names import GGUF, label_of
from core.sampling.recipe import find_weights
from core.sampling.recipe_settings import set_effort
from core.specs.answer_specs import ReplyWord
from prompts.reply_shape import ReplyForm, ReplyShape

TOKENS, TOKENS_EACH = 64, 96
"""Room of a reply, and of each label with its reason in it."""

VERSION_LENGTH = 10
"""Hex digits of a version."""


@dataclass(frozen=True, slots=True)
class GraderRecipe:
    """Everything about how a grader is asked that could change what it says.

    `thinking` is whether the model's own reasoning mode is used; a grader that has one thinks
    (Calderon et al., section 4). `prompts` maps the templates to their hashes. `replies`: the form
    in which labels are asked for. `rubric`: the version of what a person adds to the prompts.
    `weights` is the file of a model that is named by its path; `model` is its label then.
    """

    model: str
    temperature: float
    thinking: bool
    prompts: Mapping[str, str]
    options: Mapping[str, object] = field(default_factory=dict)
    top_p: float = 1.0
    most_answers: int = grading_prompt.MOST_ANSWERS
    longest_answer: int = grading_prompt.LONGEST_ANSWER
    replies: ReplyForm = "text"
    rubric: str | None = None
    weights: object = None

    def as_json(self) -> dict[str, Any]:
        """The recipe as it is kept: replies as text, the only form once, are not named.

        Nor are rubric and weights where there are none.
        """
        unsaid = {"replies": "text", "rubric": None, "weights": None}
        return {
            name: value
            for name, value in asdict(self).items()
            if name not in unsaid or value != unsaid[name]
        }

    @property
    def text(self) -> str:
        """The recipe as it is kept, as JSON."""
        return json.dumps(self.as_json(), sort_keys=True, ensure_ascii=False)

    @property
    def version(self) -> str:
        """The version of a grader of this recipe."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:VERSION_LENGTH]


@dataclass(frozen=True, slots=True)
class ModelGrader:
    """One version of a grader. `folder` may hold templates of the user's own."""

    name: str
    recipe: GraderRecipe
    folder: Path | None = None
    rubric: PromptRubric | None = None

    @property
    def is_judge(self) -> bool:
        """Whether it says yes or no to one answer at a time (FACT-BENCH, section 3)."""
        return self.name.startswith(JUDGE)

    @property
    def stage(self) -> str:
        """The name of the stage that counts its gradings."""
        return f"grade {self.name}"

    @property
    def most_answers(self) -> int:
        """Answers in one request."""
        return 1 if self.is_judge else self.recipe.most_answers

    def template(self, completion: bool) -> str:
        """The template for answers to a question, or for continuations of a text."""
        if self.is_judge:
            return grading_prompt.JUDGE
        return grading_prompt.COMPLETION if completion else grading_prompt.ANSWER

    def shape(self, completion: bool, count: int) -> ReplyShape:
        """The shape of a reply about so many answers, where the form is `schema`."""
        shape = grading_prompt.shape_of(self.template(completion), count, self.folder)
        assert shape is not None, "a grader without a shape is asked for text"
        return shape

    def request(
        self,
        completion: bool,
        text: str,
        golds: Sequence[str],
        answers: Sequence[str],
        form: ReplyForm,
    ) -> Request:
        """The request that asks for the labels of these answers to a question or text."""
        template = self.template(completion)
        recipe = self.recipe
        schema = self.shape(completion, len(answers)).schema if form == "schema" else None
        asked = grading_prompt.messages(template, text, golds, answers, self.folder, form)
        if self.rubric is not None:
            asked = self.rubric.extend(asked, template, form, self.folder)
        return Request(
            n=1,
            max_tokens=TOKENS + TOKENS_EACH * len(answers),
            temperature=recipe.temperature,
            top_p=recipe.top_p,
            messages=asked,
            options={**recipe.options, **({"thinking": True} if recipe.thinking else {})},
            schema=schema,
        )


def grader_for(
    name: str,
    known: Capabilities,
    temperature: float = 0.0,
    folder: Path | None = None,
    effort: str | None = None,
    replies: ReplyWord = "auto",
    rubric: PromptRubric | None = None,
) -> ModelGrader:
    """The grader of a name as it is asked.

    known: what is known of its model. temperature: 0, or what the model takes in its place.
    effort: how hard it is to think, None for what it does unasked. replies: in what form it is
    asked for labels; without a shape in a template of the user's, as text. `rubric`: what a person
    adds. Raises `UsageError` where the model takes no effort, for `schema` without a shape, and for
    a rubric of a judge.
    """
    if rubric is not None and name.startswith(JUDGE):
        raise UsageError(f"{name} takes no rubric: name a grader llm:MODEL")
    templates = (
        (grading_prompt.JUDGE,)
        if name.startswith(JUDGE)
        else (grading_prompt.ANSWER, grading_prompt.COMPLETION)
    )
    options = dict(known.options)
    if effort is not None:
        options = set_effort(model_of(name), known.thinking, options, effort)
    form = known.replies if replies == "auto" else replies
    for one in templates if form == "schema" else ():
        if prompts.load(one, folder, form).reply is None:
            if replies == "schema":
                raise UsageError(
                    f"--replies schema: the template {one} declares no shape of its reply: add "
                    "`reply` to it, or leave --replies out"
                )
            form = "text"
    model = model_of(name)
    recipe = GraderRecipe(
        model=label_of(model),
        temperature=temperature,
        thinking=known.thinking == "native",
        prompts={one: prompts.load(one, folder, form).hash for one in templates},
        options=options,
        replies=form,
        rubric=None if rubric is None else rubric.version,
        weights=find_weights(model) if model.startswith(GGUF) else None,
    )
    return ModelGrader(name, recipe, folder, rubric)


def register_grader(connection: sqlite3.Connection, grader: ModelGrader) -> int:
    """The id of a grader's version, with its recipe kept. Inside a transaction."""
    version = grader.recipe.version
    name = f"recipe of {grader.name}#{version}"
    db.project_values.set_value(connection, name, grader.recipe.text)
    return db.grades.ensure_grader(connection, grader.name, version)
