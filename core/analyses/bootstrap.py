"""How much the share of passed questions varies with the number of answers drawn.

Source: Calderon et al., appendix C.4, figure 18. A resample draws labels question by question,
and each question's outcome is independent given its label counts. So questions with the same
counts share one exact chance to pass, and a resample is one binomial draw for each such kind.
That does not hold for statistics that join several tasks of a fact, such as profiles.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from core.analyses.analysis_evidence import AnalysisRow, Evidence
from core.analyses.analysis_record import AnalysisOption, AnalysisRecord, Column, ColumnKind
from core.analyses.curtailed_models import ALL, OFF, count_open
from core.errors import UsageError
from core.results.pass_chances import Kinds, resampled_chances
from core.scoring.question_states import FAIL, PASS, states
from core.vocabulary import TASK_INDEX, Strategy, Task

TASKS = (Task.COMPLETION, Task.CONTEXTUAL, Task.DIRECT, Task.REVERSE)
RESAMPLES = 1_000
MOST_RESAMPLES = 100_000
SEED = 1
PERCENTILES = (5, 95)

KEPT = 4096
"""Rows kept from before: those of 13 models under ten policies; a few kilobytes each."""

Spread = tuple[float | None, float | None, float | None, float | None]
"""Mean, 5th and 95th percentile and their difference; None without any question."""


@dataclass(frozen=True, slots=True)
class BootstrapRow(AnalysisRow):
    """The share of passed questions with k answers each, over all resamples.

    `n` counts the questions gradable in the full data; the others are None without any.
    """

    model: str
    task: str
    k: int
    n: int
    mean: float | None
    p5: float | None
    p95: float | None
    width: float | None

    def as_json(self) -> dict[str, object]:
        """The row without `n`, which semantics section 5 does not print."""
        row = AnalysisRow.as_json(self)
        del row["n"]
        return row


def bootstrap(evidence: Evidence) -> list[BootstrapRow]:
    """Resample every model's answers without thinking, for k = 1 to the most drawn.

    A row depends on the seed, its model, task and k, not on what else is computed. Raises
    `UsageError` for a size above the most drawn.
    """
    options = evidence.options
    tasks, seed = options.get("tasks", TASKS), options.get("seed", SEED)
    resamples = options.get("resamples", RESAMPLES)
    kinds, members = kinds_of(evidence, tasks)
    most = _count_most_drawn(evidence, tasks)
    sizes = options.get("sizes", range(1, most + 1))
    if max(sizes, default=0) > most:
        raise UsageError(f"--sizes {max(sizes)}: no question here has more than {most} answers")
    chances = [resampled_chances(kinds, size, evidence.policy) for size in sizes]
    rows = []
    for place, model in enumerate(evidence.tally.models):
        name = zlib.crc32(model.encode())
        for number, task in enumerate(tasks):
            many = members[place, number]
            for k, chance in zip(sizes, chances, strict=True):
                there = many > 0
                own = many[there].tobytes(), chance[there].tobytes()
                spread = _spread(*own, resamples, (seed, name, TASK_INDEX[task], k))
                rows.append(BootstrapRow(model, str(task), k, int(many.sum()), *spread))
    return rows


def _count_most_drawn(evidence: Evidence, tasks: Sequence[Task]) -> int:
    rows = evidence.tally.rows[:, 0]
    drawn = evidence.tally.drawn[rows[rows >= 0]][:, [TASK_INDEX[task] for task in tasks]]
    return int(drawn[..., evidence.facts].max(initial=0))


def kinds_of(
    evidence: Evidence, tasks: Sequence[Task] = TASKS
) -> tuple[Kinds, npt.NDArray[np.int64]]:
    """The kinds of gradable questions, and how many of each, shape (models, tasks, kinds)."""
    rows = evidence.tally.rows[:, 0]
    shape = (len(rows), len(tasks), int(np.count_nonzero(evidence.facts)))
    counts = np.zeros((4, *shape), np.int64)
    asked = evidence.tally.labels[rows[rows >= 0]][:, :, [TASK_INDEX[task] for task in tasks]]
    counts[:, rows >= 0] = asked[..., evidence.facts].transpose(1, 0, 2, 3)
    if evidence.policy.strategy is not Strategy.PARTIAL:
        # Neither counts then, so they need not be told apart.
        counts[3] += counts[2]
        counts[2] = 0
    gradable = (states(counts, evidence.policy) & (PASS | FAIL)) != 0
    bounds = (int(counts.max(initial=0)) + 1,) * 4
    used, codes = np.unique(
        np.ravel_multi_index(tuple(counts[:, gradable]), bounds), return_inverse=True
    )
    group = np.arange(shape[0] * shape[1]).reshape(*shape[:2], 1)
    place = np.broadcast_to(group, shape)[gradable] * used.size + codes
    members = np.bincount(place, minlength=shape[0] * shape[1] * used.size)
    return np.stack(np.unravel_index(used, bounds)), members.reshape(*shape[:2], used.size)


@lru_cache(maxsize=KEPT)
def _spread(many: bytes, chance: bytes, resamples: int, seed: tuple[int, ...]) -> Spread:
    """Mean, percentiles and width of the share that passes, `many` questions of each kind.

    Kept, so that what other questions, models and settings come to is not drawn again.
    """
    of, chances = np.frombuffer(many, np.int64), np.frombuffer(chance, np.float64)
    if not of.size:
        return None, None, None, None
    open_ones = (chances > 0) & (chances < 1)
    shape = (int(np.count_nonzero(open_ones)), resamples)
    random = np.random.default_rng(seed)
    drawn = random.binomial(of[open_ones, None], chances[open_ones, None], shape)
    shares = (drawn.sum(axis=0) + of[chances >= 1].sum()) / of.sum()
    low, high = (float(one) for one in np.percentile(shares, PERCENTILES))
    return float(shares.mean()), low, high, high - low


def _count_lacking(evidence: Evidence, place: int) -> int:
    return count_open(evidence, place, evidence.options.get("tasks", TASKS), OFF)


def read_tasks(text: str) -> tuple[Task, ...]:
    """Tasks by their names."""
    names = [one.strip() for one in text.split(",")]
    unknown = next((one for one in names if one not in set(map(str, Task))), None)
    if unknown is not None:
        raise UsageError(f"--tasks {unknown}: choose from {', '.join(map(str, Task))}")
    return tuple(dict.fromkeys(map(Task, names)))


def read_sizes(text: str) -> tuple[int, ...]:
    """Numbers of answers, from the least."""
    found = [one.strip() for one in text.split(",")]
    if not all(re.fullmatch("[1-9][0-9]{0,3}", one) for one in found):
        raise UsageError(f"--sizes {text}: give numbers of answers, such as 1,2,4,8")
    return tuple(sorted(set(map(int, found))))


def read_resamples(text: str) -> int:
    """A number of resamples."""
    if not re.fullmatch("[1-9][0-9]{0,6}", text) or int(text) > MOST_RESAMPLES:
        raise UsageError(f"--resamples {text}: give a whole number from 1 to {MOST_RESAMPLES:,}")
    return int(text)


def read_seed(text: str) -> int:
    """A seed."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise UsageError(f"--seed {text}: give a whole number, such as 1")
    return int(text)


RECORD = AnalysisRecord(
    "bootstrap",
    "how sure the figures are with fewer answers a question",
    bootstrap,
    (
        Column("model"),
        Column("task"),
        Column("k", ColumnKind.COUNT, "answers"),
        Column("n", ColumnKind.COUNT),
        Column("mean", ColumnKind.SHARE, "mean %"),
        Column("p5", ColumnKind.SHARE, "p5 %"),
        Column("p95", ColumnKind.SHARE, "p95 %"),
        Column("width", ColumnKind.SHARE, "width %"),
    ),
    note="width: from percentile 5 to 95",
    unmeasured="bootstrap has its own intervals: p5 to p95, over the answers drawn",
    recorded={"seed": SEED, "resamples": RESAMPLES},
    options=(
        AnalysisOption(
            "tasks", "tasks to resample [completion,contextual,direct,reverse]", read_tasks
        ),
        AnalysisOption("sizes", "numbers of answers, such as 1,2,4 [1 to the most]", read_sizes),
        AnalysisOption("resamples", f"resamples [{RESAMPLES:,}]", read_resamples),
        AnalysisOption("seed", f"seed of the resamples [{SEED}]", read_seed),
    ),
    lacking=_count_lacking,
    lacking_reason=ALL,
)
