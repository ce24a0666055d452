"""Which list is meant, in the words of a command."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

FACTS, DISAGREEMENTS, QUESTIONS, LATENT, BENCH = LISTS = (
    *("facts", "disagreements", "questions"),
    *("latent", "bench"),
)
"""Lists that a view can name: of the screens Facts, Confusion, Review, Latent and Bench."""

QUEUES, BOARDS = (DISAGREEMENTS, QUESTIONS), (LATENT, BENCH)
"""Queues stand as they are worth deciding. A board's words say which of its lists is meant."""


@dataclass(frozen=True, slots=True)
class ListWords:
    """Which list, in the words of a command; `view` is the name of the view that it comes from.

    `blind`: what graders said of answers that one has not decided is left out.
    """

    name: str = FACTS
    where: str = ""
    sort: str = ""
    columns: tuple[str, ...] = ()
    view: str = ""
    blind: bool = False

    @property
    def options(self) -> list[str]:
        """The options of a command that shows the same rows."""
        found = ["--where", self.where] if self.where else []
        found += ["--sort", self.sort] if self.sort else []
        found += ["--columns", join_names(self.columns)] if self.columns else []
        return found + ["--blind"] * self.blind

    def title(self, viewed: "ListWords | None") -> str:
        """The name of the view that the list was, with `*` where it has been altered since."""
        if viewed is None:
            return ""
        asked = replace(self, view=viewed.view, blind=viewed.blind)
        return viewed.view + "*" * (asked != viewed)


def join_names(names: Sequence[str]) -> str:
    """Names with commas between; one that holds a comma stands in quotes."""
    import csv

    found = io.StringIO()
    csv.writer(found, lineterminator="").writerow(names)
    return found.getvalue()
