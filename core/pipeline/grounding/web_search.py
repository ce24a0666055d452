"""Grounding in a web search that the model's own service does."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.pipeline.grounding.grounding_source import GroundedQuestion
from core.pipeline.stage import OffFormatError
from core.providers.base import CitedSource, Draw
from prompts.template import quote_text

TEMPLATE = "grounded-search"

_LINK = re.compile(r"\[([^\][]*)\]\((https?://[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
_CITATION = re.compile(rf"\s*\(\s*{_LINK.pattern}(?:\s*[,;]\s*{_LINK.pattern})*\s*\)")


@dataclass(frozen=True, slots=True)
class WebSearch:
    """A model that may search; `options` are those of its requests."""

    model: str
    options: Mapping[str, object] = field(default_factory=lambda: {"search": True})

    @property
    def notes(self) -> tuple[str, ...]:
        """None."""
        return ()

    def ask(self, question: str) -> GroundedQuestion:
        """The question by itself."""
        return GroundedQuestion(TEMPLATE, {"question": quote_text(question)}, self.options)

    def read_answer(
        self, draw: Draw, asked: GroundedQuestion
    ) -> tuple[str, tuple[CitedSource, ...]]:
        """As `GroundingSource.read_answer`; citations are taken out, other links kept as text.

        A source may come without a title: its address stands for it.
        """
        text = _LINK.sub(r"\1", _CITATION.sub("", draw.text)).strip()
        if not text:
            raise OffFormatError("the grounded answer is empty")
        return text, tuple(CitedSource(one.title or one.uri, one.uri) for one in draw.sources)
