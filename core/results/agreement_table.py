"""Two graders' labels crossed in one table: agreement, kappa, alpha, each with its interval.

Source: Cohen (1960); Krippendorff's alpha for nominal data; semantics section 6.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.stats.cluster_intervals import agreement_interval, alpha_interval, kappa_interval
from core.stats.intervals import Interval
from core.vocabulary import LABELS

Matrix = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two graders' labels of the same responses, crossed: rows A, columns B, shape (4, 4).

    Or what is right and not right of two models on the same facts, shape (2, 2). `clusters` has
    the same by fact, shape (facts, 4, 4): what is said of one fact hangs together, so intervals
    take facts for what was drawn. None: each response stands for itself.
    """

    matrix: Matrix
    clusters: Matrix | None = None

    @property
    def n(self) -> int:
        """Responses labelled by both."""
        return int(self.matrix.sum())

    @property
    def agreement(self) -> float | None:
        """Share of responses with the same label; None without responses."""
        return int(np.trace(self.matrix)) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where chance alone would agree always."""
        n, observed = self.n, self.agreement
        if observed is None:
            return None
        chance = int(self.matrix.sum(axis=1) @ self.matrix.sum(axis=0))
        if chance == n * n:
            return None
        expected = chance / n**2
        return (observed - expected) / (1 - expected)

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha (nominal); None where no disagreement is to be expected."""
        n, observed = self.n, self.agreement
        if observed is None:
            return None
        values = self.matrix.sum(axis=1) + self.matrix.sum(axis=0)
        unlike = (2 * n) ** 2 - int((values * values).sum())
        if unlike == 0:
            return None
        return 1 - (1 - observed) * (2 * n) * (2 * n - 1) / unlike

    @property
    def intervals(self) -> dict[str, Interval | None]:
        """95 % intervals of agreement, kappa and alpha; None where there is none."""
        return {
            "agreement_interval": agreement_interval(self.matrix, self.clusters),
            "kappa_interval": kappa_interval(self.matrix, self.clusters),
            "alpha_interval": alpha_interval(self.matrix, self.clusters),
        }

    def as_json(self) -> dict[str, object]:
        """The keys of `confusion --json` for one table."""
        return {
            "n": self.n,
            "matrix": {
                a: {b: int(self.matrix[row, column]) for column, b in enumerate(LABELS)}
                for row, a in enumerate(LABELS)
            },
            "agreement": self.agreement,
            "kappa": self.kappa,
            "alpha": self.alpha,
            **self.intervals,
            "scope": "graded",
        }
