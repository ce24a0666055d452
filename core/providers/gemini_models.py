"""What is known of Gemini models by their names: how they think, how many answers they give."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LOWEST_BUDGET = 128
"""Thinking tokens that gemini-2.5-pro takes at least: it refuses 0."""

THINKING_ROOM = 32_768
LOW_THINKING_ROOM = 4_096
"""Tokens added to the limit where the model thinks: Gemini counts thoughts and answer together,
and an answer after long thoughts would be cut off, or never begin."""

Config = dict[str, object]
"""Fields of a thinking configuration, in the SDK's spelling."""


@dataclass(frozen=True, slots=True)
class GeminiModel:
    """How a model is asked.

    off: thinking configurations for "off", to be tried in this order: which levels a model takes
        does not follow from its name. Empty for a model that has no reasoning mode.
    on: the thinking configuration for "on"; empty likewise.
    always_thinks: thinking cannot be switched off, only be kept low; "off" then asks for the
        thoughts as well, so that a response that shows reasoning is seen to do so.
    draws: most candidates in one request.
    """

    off: tuple[Config, ...] = ()
    on: Config | None = None
    always_thinks: bool = False
    draws: int = 8

    @property
    def options(self) -> dict[str, object]:
        """The same as `Request.options`, which the recipe of a run records."""
        if self.on is None:
            return {}
        return {"thinking_off": [dict(config) for config in self.off], "thinking_on": self.on}


def look_up(model: str) -> GeminiModel:
    """What is known of a model; names that say nothing (`gemini-flash-latest`) are the newest."""
    if not model.startswith("gemini-"):
        return GeminiModel()
    version = re.match(r"gemini-(\d+)(?:\.(\d+))?", model)
    generation = (int(version[1]), int(version[2] or 0)) if version else (99, 0)
    if generation < (2, 5):
        return GeminiModel()
    if generation < (3, 0):
        return _make_budget_model(model)
    return _make_level_model(model)


def room(way: Mapping[str, Any] | None) -> int:
    """Tokens for thoughts, by the thinking configuration: none where they are off, few where they
    are kept low."""
    if not way or way.get("thinking_budget") == 0:
        return 0
    low = way.get("thinking_level") in ("MINIMAL", "LOW") or way.get("thinking_budget", -1) > 0
    return LOW_THINKING_ROOM if low else THINKING_ROOM


def _make_budget_model(model: str) -> GeminiModel:
    # A budget of -1 is the default, but for the lite models, which do not think by default.
    on: Config = {"thinking_budget": -1, "include_thoughts": True}
    if "-pro" in model:
        lowest: Config = {"thinking_budget": LOWEST_BUDGET, "include_thoughts": True}
        return GeminiModel((lowest,), on, always_thinks=True)
    return GeminiModel(({"thinking_budget": 0},), on)


def _make_level_model(model: str) -> GeminiModel:
    off: tuple[Config, ...] = tuple(
        {"thinking_level": level, "include_thoughts": True} for level in ("MINIMAL", "LOW")
    )
    on: Config = {"include_thoughts": True}
    if "-lite" in model:
        on["thinking_level"] = "HIGH"  # their default is the lowest level
    # "Multiple candidates is not enabled for this model" holds for all of them so far.
    return GeminiModel(off, on, always_thinks=True, draws=1)
