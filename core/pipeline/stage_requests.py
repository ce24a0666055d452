"""How the stages of building ask their model: requests, and the version of all that matters."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import prompts
from core.pipeline.grounding import GroundedQuestion, GroundingSource
from core.pipeline.stage import OffFormatError, Stage, View
from core.providers.base import Request
from core.providers.capabilities import Capabilities
from prompts.reply_shape import ReplyForm, ShapeError

CODE = "code"
"""The version of what no model had a part in."""

TRIES = 3
"""Times that a unit is asked about: once, and twice more where the reply is off its format."""

WARMER = (0.0, 0.6, 1.0)
"""Temperatures of the tries: the same words again would bring the same reply."""

MODEL, SEARCH = "model", "grounding"
"""The channels: the model of the stages, and whom grounded questions go to."""


@dataclass(frozen=True, slots=True)
class StageModel:
    """A model as it is asked: what is known of it, and the temperature it takes if not 0."""

    model: str
    known: Capabilities
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes the requests of all stages.

    `search` is the stage model of the grounding (that of the stages for a local one). `folder` may
    hold templates of the user's own.
    """

    stage_model: StageModel
    search: StageModel
    grounding: GroundingSource
    folder: Path | None = None
    _versions: dict[str, str] = field(default_factory=dict)

    def channel(self, stage: Stage) -> str:
        """The channel of a stage; one for both where the model is the same."""
        other = stage.grounded and self.search.model != self.stage_model.model
        return SEARCH if other else MODEL

    def form(self, stage: Stage) -> ReplyForm:
        """The form in which a stage's replies are asked for."""
        held = self.stage_model.known.replies == "schema" and not stage.grounded
        if not held or stage.prompt is None:
            return "text"
        shape = prompts.load(stage.prompt, self.folder, "schema").reply
        return "text" if shape is None else "schema"

    def read_shape(self, stage: Stage, text: str) -> Any:
        """What a reply in the form `schema` says. Raises `OffFormatError`."""
        assert stage.prompt is not None
        shape = prompts.load(stage.prompt, self.folder, "schema").reply
        assert shape is not None, "a stage without a shape is asked for text"
        try:
            return shape.read_reply(text)
        except ShapeError as error:
            raise OffFormatError(str(error)) from None

    def version(self, stage: Stage) -> str:
        """The version of a stage: its prompt, its model, how that is asked, its grounding."""
        if stage.name not in self._versions:
            self._versions[stage.name] = self._version(stage)
        return self._versions[stage.name]

    def _version(self, stage: Stage) -> str:
        if stage.prompt is None and not stage.grounded:
            return CODE
        stage_model, options, template = self.stage_model, {}, stage.prompt or ""
        form = self.form(stage)
        if stage.grounded:
            asked = self.grounding.ask("?")
            stage_model, options, template = self.search, dict(asked.options), asked.template
        recipe = {
            "prompt": prompts.load(template, self.folder, form).hash,
            "model": stage_model.model,
            "temperature": stage_model.temperature,
            "options": {**stage_model.known.options, **options},
            "thinking": stage_model.known.thinking,
            **({"replies": form} if form == "schema" else {}),
        }
        text = json.dumps(recipe, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def build_question(self, stage: Stage, view: View) -> GroundedQuestion:
        """What a stage asks of a unit. In the thread that owns the connection."""
        inputs = stage.inputs(view) if stage.inputs is not None else {}
        if stage.grounded:
            return self.grounding.ask(inputs["question"])
        assert stage.prompt is not None
        return GroundedQuestion(stage.prompt, inputs)

    def request(
        self, stage: Stage, asked: GroundedQuestion, tries: int, form: ReplyForm = "text"
    ) -> Request:
        """The request for it; each further try has more room, and is warmer."""
        stage_model = self.search if stage.grounded else self.stage_model
        prompt = prompts.load(asked.template, self.folder, form)
        thinks = {"thinking": True} if stage_model.known.thinking == "native" else {}
        room = stage.room.count_tokens(sum(map(len, asked.inputs.values())))
        return Request(
            n=1,
            max_tokens=room << tries,
            temperature=stage_model.temperature or WARMER[tries],
            top_p=1.0,
            messages=prompt.render(**asked.inputs),
            options={**stage_model.known.options, **thinks, **asked.options},
            schema=None if prompt.reply is None else prompt.reply.schema,
        )
