"""How far several graders agree: every two of them, and all together.

Source: Krippendorff's alpha for nominal data and any number of graders (Hayes and Krippendorff,
2007); semantics section 6 for two.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import numpy as np
import numpy.typing as npt

from core.dataset.subsets import Mask
from core.errors import UsageError
from core.project import OpenProject
from core.results.agreement_table import Agreement
from core.results.disagreements import places_of
from core.scoring.policy import Policy
from core.scoring.precedence import HUMAN_PREFIX
from core.vocabulary import LABELS, TASKS, Task
from db.label_grids import Cells

Votes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RaterPanel:
    """Several graders: `pairs` has every two of them, in the order of `graders`.

    `n` counts the responses that two or more have labelled, over which `alpha` is taken; alpha is
    None where no disagreement is to be expected.
    """

    graders: tuple[str, ...]
    n: int
    alpha: float | None
    pairs: Mapping[tuple[str, str], Agreement]

    def as_json(self) -> dict[str, object]:
        """The document of `confusion --json` for more than two graders."""
        return {
            "graders": list(self.graders),
            "n": self.n,
            "alpha": self.alpha,
            "pairs": [
                {
                    "a": a,
                    "b": b,
                    "n": table.n,
                    "agreement": table.agreement,
                    "kappa": table.kappa,
                    "alpha": table.alpha,
                    **table.intervals,
                }
                for (a, b), table in self.pairs.items()
            ],
        }


def list_graders(project: OpenProject) -> list[str]:
    """Names of all graders with labels here, people last."""
    names = {version.name for version in project.graders()}
    return sorted(names, key=lambda name: (name.startswith(HUMAN_PREFIX), name))


def convene(
    project: OpenProject,
    graders: Sequence[str],
    models: Sequence[str],
    facts: Mask,
    tasks: Sequence[Task] = TASKS,
) -> RaterPanel:
    """Compare the labels of several graders.

    Raises `UsageError` for fewer than two, one named twice, or one that has labelled nothing.
    """
    if len(graders) < 2:
        there = ", ".join(graders) or "no grader"
        raise UsageError(f"{there} alone is nothing to compare: grade with another one first")
    again = [name for place, name in enumerate(graders) if name in graders[:place]]
    if again:
        raise UsageError(f"{again[0]} is named twice: name every grader once")
    side = len(LABELS) + 1
    places = places_of(project, facts, tasks)
    shape = (facts.size, side, side)
    crossed = {pair: np.zeros(shape, np.int64) for pair in combinations(graders, 2)}
    votes = np.zeros((len(graders) + 1, len(LABELS) + 2), np.int64)
    questions = np.flatnonzero(places.task >= 0)
    start = places.fact[questions] * side * side
    for labels in _settings(project, graders, models, questions):
        for a, b in crossed:
            both = start + (labels[a] * np.uint8(side) + labels[b])
            crossed[a, b] += np.bincount(both.ravel(), minlength=np.prod(shape)).reshape(shape)
        votes += count_votes(list(labels.values()))
    tables = {
        pair: Agreement(table.sum(axis=0), table)
        for pair, table in ((pair, table[:, 1:, 1:]) for pair, table in crossed.items())
    }
    return RaterPanel(tuple(graders), int(votes[2:, 0].sum()), alpha_of(votes), tables)


def alpha_of(votes: Votes) -> float | None:
    """Krippendorff's alpha, nominal; None where no disagreement is to be expected.

    `votes[m]` is about the responses with m labels: how many these are, how often each of the
    labels was given, and last the sum of their squared label counts.
    """
    values = votes[2:, 1:-1].sum(axis=0)
    n = int(values.sum())
    expected = n * n - sum(int(one) ** 2 for one in values)
    if expected == 0:
        return None
    observed = sum(
        (
            Fraction(int(row[0]) * m * m - int(row[-1]), m - 1)
            for m, row in enumerate(votes)
            if m > 1
        ),
        Fraction(0),
    )
    return float(1 - observed * (n - 1) / expected)


def count_votes(labels: Sequence[Cells]) -> Votes:
    """What `alpha_of` needs to know of these responses; the arrays are of one shape."""
    kinds = range(1, len(LABELS) + 1)
    given = [sum((one == kind).astype(np.uint8) for one in labels) for kind in kinds]
    counts = np.stack([np.asarray(one, np.int64).ravel() for one in given])
    size = counts.sum(axis=0)
    columns = [np.ones_like(size), *counts, (counts * counts).sum(axis=0)]
    found = [np.bincount(size, column, len(labels) + 1) for column in columns]
    return np.stack(found, axis=1).round().astype(np.int64)


def _settings(
    project: OpenProject,
    graders: Sequence[str],
    models: Sequence[str],
    questions: npt.NDArray[np.intp],
) -> Iterator[dict[str, Cells]]:
    """Setting by setting each grader's labels of these questions, 0 for none."""
    ranks = {name: project.ranks(Policy(graders=(name,))) for name in graders}
    choice = project.choice_questions()
    for (model, _), setting in project.setting_ids().items():
        if model not in models:
            continue
        found = {name: project.labels(rank, setting, choice) for name, rank in ranks.items()}
        samples = max((len(cells) for cells in found.values() if cells is not None), default=0)
        room = {name: np.zeros((samples, questions.size), np.uint8) for name in found}
        for name, cells in found.items():
            if cells is not None:
                known = questions < cells.shape[1]
                room[name][: len(cells), known] = cells[:, questions[known]]
        yield room
