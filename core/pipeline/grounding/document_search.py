"""Grounding in the imported documents: the passages that fit go with the question to the model."""

import re
import sqlite3
from dataclasses import dataclass

import db.documents
import db.passage_search
from core.pipeline.grounding.grounding_source import GroundedQuestion
from core.pipeline.stage import OffFormatError
from core.providers.base import CitedSource, Draw
from db.passage_search import FoundPassage
from prompts.template import quote_text

TEMPLATE = "grounded-local"
PASSAGES, LONGEST = 5, 1_500
"""Passages that go with a question, and characters of each."""

NONE = "(no passage fits)"

_CITED = re.compile(r"\s*\[\s*(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\s*\]")


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """Retrieval over the passages of a project, by BM25. Needs neither key nor network."""

    model: str
    connection: sqlite3.Connection

    @property
    def notes(self) -> tuple[str, ...]:
        """That there is nothing to look in, where that is so."""
        if db.documents.count(self.connection):
            return ()
        return (
            "no documents to ground answers in: import some, or ground with gemini or openai "
            "(--grounding)",
        )

    def ask(self, question: str) -> GroundedQuestion:
        """The question with the passages that fit it best, numbered from 1."""
        found = db.passage_search.find(self.connection, question, PASSAGES, LONGEST)
        listed = "\n".join(_line(number, one) for number, one in enumerate(found, 1))
        return GroundedQuestion(
            TEMPLATE,
            {"question": quote_text(question), "passages": listed or NONE},
            sources=tuple(CitedSource(one.title, f"document:{one.key}") for one in found),
        )

    def read_answer(
        self, draw: Draw, asked: GroundedQuestion
    ) -> tuple[str, tuple[CitedSource, ...]]:
        """As `GroundingSource.read_answer`; a number that no passage has is no citation."""
        text = _CITED.sub("", draw.text).strip()
        if not text:
            raise OffFormatError("the grounded answer is empty")
        numbers = [
            int(number) for cited in _CITED.findall(draw.text) for number in re.split("[,;]", cited)
        ]
        cited = dict.fromkeys(one for one in numbers if 0 < one <= len(asked.sources))
        return text, tuple(asked.sources[number - 1] for number in cited)


def _line(number: int, found: FoundPassage) -> str:
    return f"Passage {number}, from {quote_text(found.title)}: {quote_text(found.text)}"
