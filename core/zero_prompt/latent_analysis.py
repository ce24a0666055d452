"""The record of a table of zero-prompt knowledge, which the command and its help follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.analyses.analysis_record import Column
from core.zero_prompt.latent_evidence import LatentEvidence

LatentRow = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class LatentTable:
    """Rows and the columns that show them."""

    compute: Callable[[LatentEvidence], Sequence[LatentRow]]
    columns: tuple[Column, ...]
    note: str = ""
    """What the numbers are, in a line."""
    nothing: str = ""
    """What else than scores is needed, for where there are scores and no rows."""


@dataclass(frozen=True, slots=True)
class LatentAnalysis:
    """An analysis: its name, the question it answers, its rows, and what else it comes to."""

    name: str
    question: str
    rows: LatentTable
    more: Mapping[str, LatentTable] = field(default_factory=dict)
    """Further tables by their keys in the JSON."""

    @property
    def tables(self) -> Mapping[str, LatentTable]:
        """All tables by their keys in the JSON."""
        return {"rows": self.rows, **self.more}

    def as_json(self, evidence: LatentEvidence) -> dict[str, object]:
        """The document of `zp-lke analyze --json`.

        `overlapping` counts the scores behind it whose options hold each other.
        """
        tables = {key: list(table.compute(evidence)) for key, table in self.tables.items()}
        return {
            "analysis": self.name,
            "setup": evidence.choice.setup.as_json(),
            "overlapping": evidence.overlapping,
            **tables,
        }
