"""The record of a table of FACT-BENCH, which the command and its help follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.analyses.analysis_record import Column, ColumnKind
from core.fact_bench.arm_results import JUDGE, METRICS
from core.fact_bench.bench_evidence import BenchEvidence

BenchRow = Mapping[str, object]

FIGURE_COLUMNS = (
    Column("n", ColumnKind.COUNT),
    Column("missing", ColumnKind.COUNT),
    Column("em", ColumnKind.SHARE, "EM"),
    Column("em_low", ColumnKind.SHARE, "from"),
    Column("em_high", ColumnKind.SHARE, "to"),
    Column("f1", ColumnKind.SHARE, "F1"),
    Column("em_raw", ColumnKind.SHARE, "EM raw"),
    Column("f1_raw", ColumnKind.SHARE, "F1 raw"),
    Column("judge", ColumnKind.SHARE),
    Column("judge_n", ColumnKind.COUNT, "judged"),
)
"""The columns of an arm's figures."""

FIGURE_NOTE = (
    "% of n answers; from, to: 95 % interval of EM (Wilson); raw: of the whole response; "
    "judge: % of the judged"
)


NO_ARMS = (
    "No arms of this kind: `lostkeys fact-bench run --model M --mode MODE` makes some, "
    "`lostkeys import` of responses of `MODEL#MODE` brings some."
)


@dataclass(frozen=True, slots=True)
class BenchTable:
    """A table: its name, the question it answers, its rows, and how they are shown."""

    name: str
    question: str
    compute: Callable[[BenchEvidence], Sequence[BenchRow]]
    columns: tuple[Column, ...]
    note: str = ""
    """What the numbers are, in a line.

    `{metric}` stands for what arms are compared by, `{known_by}` for the grader of what is known.
    """
    by_metric: bool = False
    """Whether it compares arms by a metric of choice."""
    default_mode: str = ""
    """The mode that it is of where none is named, empty for all."""
    lacking: str = ""
    """What is said where it has no rows, empty for what all tables say."""

    def describe(self, evidence: BenchEvidence) -> str:
        """What the numbers are, with the metric of pairs and whose labels say what is known."""
        said = self.note.replace("{metric}", METRICS[evidence.metric])
        return said.replace("{known_by}", evidence.known_by)

    def explain_lack(self, evidence: BenchEvidence) -> str:
        """Why it has no rows under a choice, and what brings some."""
        modes = dict.fromkeys(str(one.mode) for one in evidence.every_arm)
        if self.default_mode and not evidence.choice.modes and modes:
            return f"No arm is {self.default_mode}: `--mode` shows {', '.join(modes)}."
        return self.lacking or NO_ARMS

    def explain_uncounted(self, evidence: BenchEvidence, rows: Sequence[BenchRow]) -> str:
        """Why no triple counts in some of its pairs of arms; empty where each has some."""
        if not self.by_metric or evidence.metric != JUDGE or all(row["n"] for row in rows):
            return ""
        return (
            f"n is 0 where {evidence.judge} labelled no triple in both arms: "
            f"`lostkeys grade --grader {evidence.judge}` labels them."
        )

    def as_json(self, evidence: BenchEvidence) -> dict[str, object]:
        """The document of `fact-bench table --json`."""
        return {"table": self.name, **evidence.head(), "rows": list(self.compute(evidence))}
