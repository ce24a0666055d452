"""What every source of grounded answers is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from core.providers.base import CitedSource, Draw


@dataclass(frozen=True, slots=True)
class GroundedQuestion:
    """A question as it is asked: the template with its inputs, and the options of the request.

    `sources` are those that the prompt itself holds, in the order of their numbers.
    """

    template: str
    inputs: Mapping[str, str]
    options: Mapping[str, object] = field(default_factory=dict)
    sources: tuple[CitedSource, ...] = ()


class GroundingSource(Protocol):
    """A source of grounded answers. `model` is whom to ask."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know before anything is asked, in lines."""

    def ask(self, question: str) -> GroundedQuestion:
        """How to ask a question. In the thread that owns the project's connection."""

    def read_answer(
        self, draw: Draw, asked: GroundedQuestion
    ) -> tuple[str, tuple[CitedSource, ...]]:
        """The answer without its marks of citation, and the sources that it cites.

        Raises `OffFormatError` where it says nothing.
        """
