"""How the stages of building ask their model: requests, and the version of all that matters."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import prompts
from core.pipeline.grounding import GroundedQuestion, Grounding
from core.pipeline.stage import Stage, View
from core.providers.base import Request
from core.providers.capabilities import Capabilities

CODE = "code"
"""The version of what no model had a part in."""

TRIES = 3
"""Times that a unit is asked about: once, and twice more where the reply is off its format."""

WARMER = (0.0, 0.6, 1.0)
"""Temperatures of the tries: the same words again would bring the same reply."""

MODEL, SEARCH = "model", "grounding"
"""The lanes: the model of the stages, and whom grounded questions go to."""


@dataclass(frozen=True, slots=True)
class StageModel:
    """A model as it is asked: what is known of it, and the temperature it takes if not 0."""

    model: str
    known: Capabilities
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes the requests of all stages.

    `search` is the voice of the grounding (that of the stages for a local one). `folder` may hold
    templates of the user's own.
    """

    voice: StageModel
    search: StageModel
    grounding: Grounding
    folder: Path | None = None
    _versions: dict[str, str] = field(default_factory=dict)

    def lane(self, stage: Stage) -> str:
        """The lane of a stage; one for both where the model is the same."""
        other = stage.grounded and self.search.model != self.voice.model
        return SEARCH if other else MODEL

    def version(self, stage: Stage) -> str:
        """The version of a stage: its prompt, its model, how that is asked, its grounding."""
        if stage.name not in self._versions:
            self._versions[stage.name] = self._version(stage)
        return self._versions[stage.name]

    def _version(self, stage: Stage) -> str:
        if stage.prompt is None and not stage.grounded:
            return CODE
        voice, options, template = self.voice, {}, stage.prompt or ""
        if stage.grounded:
            asked = self.grounding.ask("?")
            voice, options, template = self.search, dict(asked.options), asked.template
        recipe = {
            "prompt": prompts.load(template, self.folder).hash,
            "model": voice.model,
            "temperature": voice.temperature,
            "options": {**voice.known.options, **options},
            "thinking": voice.known.thinking,
        }
        text = json.dumps(recipe, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:10]

    def asked(self, stage: Stage, view: View) -> GroundedQuestion:
        """What a stage asks of a unit. In the thread that owns the connection."""
        inputs = stage.inputs(view) if stage.inputs is not None else {}
        if stage.grounded:
            return self.grounding.ask(inputs["question"])
        assert stage.prompt is not None
        return GroundedQuestion(stage.prompt, inputs)

    def request(self, stage: Stage, asked: GroundedQuestion, tries: int) -> Request:
        """The request for it; each further try has more room, and is warmer."""
        voice = self.search if stage.grounded else self.voice
        prompt = prompts.load(asked.template, self.folder)
        thinks = {"thinking": True} if voice.known.thinking == "native" else {}
        room = stage.room.of(sum(map(len, asked.inputs.values())))
        return Request(
            n=1,
            max_tokens=room << tries,
            temperature=voice.temperature or WARMER[tries],
            top_p=1.0,
            messages=prompt.render(**asked.inputs),
            options={**voice.known.options, **thinks, **asked.options},
        )
