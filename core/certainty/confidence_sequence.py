"""Intervals that hold at every look, so that one may stop when they are narrow enough.

Against every candidate r on a grid somebody bets as facts are settled; a candidate is out once
the stake has grown by 1 / alpha, or once the facts left cannot lead to it. Facts are drawn without
replacement and by weight. Source: Waudby-Smith and Ramdas (2020, 2024), betting without
replacement; Shekhar, Xu, Lipton, Liang and Ramdas (2023), for draws by weight.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

STEPS = 1_000
"""Candidates lie this many to 1."""

_CAUTION = 0.8
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class NumberSpan:
    """Where a number can lie, and the extremes of a - r b of one fact: `top` - r and `low` - r.

    A share has (a, b) of (1, 1), (0, 1) or (0, 0); with `outside` also (1, 0); a gap has (-1, 1).
    """

    gap: bool = False
    outside: bool = False

    @property
    def grid(self) -> Floats:
        """The candidates."""
        start = -STEPS if self.gap else 0
        return np.arange(start, STEPS + 1) / STEPS

    def extremes(self, grid: Floats) -> tuple[Floats, Floats]:
        """Least and greatest a - r b for each candidate."""
        most = np.ones_like(grid) if self.outside else 1 - grid
        return (-1.0 if self.gap else 0.0) - grid, most


class ConfidenceSequence:
    """Several numbers over the same count of facts, of one span each, looked at together.

    Arrays have shape (numbers,); the grid of candidates is common. `levels` are the chances of
    error; `low` and `high` have shape (levels, numbers).
    """

    def __init__(
        self,
        spans: Sequence[NumberSpan],
        totals: tuple[Floats, Floats],
        facts: int,
        weight: float | Floats,
        levels: Sequence[float] = (0.05,),
    ) -> None:
        """`totals` are sums of a and b of the graders over all facts, `weight` is that of w."""
        self.grid = spans[0].grid
        many = len(spans)
        shape = (many, len(self.grid))
        limits = [span.extremes(self.grid) for span in spans]
        self._least, self._most = (np.stack(part) for part in zip(*limits, strict=True))
        self._total = tuple(np.asarray(part, np.float64).copy() for part in totals)
        self._left = tuple(part.copy() for part in self._total)
        self._facts = facts
        self._weight = np.broadcast_to(np.asarray(weight, np.float64), (many,)).copy()
        self._seen = 0
        self._sum, self._squares = np.zeros(shape), np.zeros(shape)
        self._wealth, self._peak = np.ones(shape), np.ones(shape)
        self._inside = np.ones(shape, np.bool_)
        self._levels = tuple(levels)
        self.low = np.full((len(levels), many), self.grid[0])
        self.high = np.full((len(levels), many), self.grid[-1])
        self._look()

    def spread(self, number: int, many: int) -> "ConfidenceSequence":
        """One number as it stands, so many times over: each goes on by itself."""

        def repeat(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
            return rows[number : number + 1].repeat(many, axis=0)

        fresh = copy(self)
        for name in ("_least", "_most", "_weight", "_sum", "_squares", "_wealth", "_peak"):
            setattr(fresh, name, repeat(getattr(self, name)))
        fresh._inside = repeat(self._inside)
        fresh._total = tuple(repeat(part) for part in self._total)
        fresh._left = tuple(repeat(part) for part in self._left)
        fresh.low, fresh.high = repeat(self.low.T).T, repeat(self.high.T).T
        return fresh

    def add(
        self,
        truth: tuple[Floats, Floats],
        graded: tuple[Floats, Floats],
        weight: float | Floats,
    ) -> None:
        """Take in one more fact of each number: (a, b) by the person and by the graders."""
        grid, left, weight = self.grid, self._facts, np.asarray(weight, np.float64)
        change = tuple(new - old for new, old in zip(truth, graded, strict=True))
        scale = (self._weight / left)[:, None]
        wanted = self._needed_sums() / left
        value = (change[0][:, None] - grid * change[1][:, None]) * scale
        value = value / (weight[:, None] if weight.ndim else weight)
        self._bet(value, wanted, (self._most - self._least) * scale)
        self._total = tuple(part + new for part, new in zip(self._total, change, strict=True))
        self._left = tuple(part - old for part, old in zip(self._left, graded, strict=True))
        self._weight = self._weight - weight
        self._facts -= 1
        self._seen += 1
        self._look()

    def _needed_sums(self) -> Floats:
        """What the differences of the facts left must sum to, if a candidate is the number."""
        a, b = self._total
        found: Floats = self.grid * b[:, None] - a[:, None]
        return found

    def _bet(self, value: Floats, wanted: Floats, top: Floats) -> None:
        seen = self._seen
        mean = self._sum / (5 + seen)
        spread = (0.5 + self._squares) / (5 + seen)
        edge = mean - wanted
        stake = edge / (spread + edge * edge)
        below, above = (np.maximum(one, _SLACK) for one in (top - wanted, top + wanted))
        stake = np.clip(stake, -_CAUTION / below, _CAUTION / above)
        with np.errstate(over="ignore", under="ignore"):
            self._wealth *= np.maximum(1 + stake * (value - wanted), 0)
        np.maximum(self._peak, self._wealth, out=self._peak)
        self._sum += value
        self._squares += (value - mean) ** 2

    def _look(self) -> None:
        """Narrow the intervals to the candidates left, a step wider; exact at the end."""
        a, b = self._left
        rest = a[:, None] - self.grid * b[:, None]
        wanted, facts = self._needed_sums(), self._facts
        self._inside &= (wanted >= facts * self._least - rest - _SLACK) & (
            wanted <= facts * self._most - rest + _SLACK
        )
        for place, level in enumerate(self._levels):
            there = self._inside & (self._peak < 1 / level)
            some = there.any(axis=1)
            first = self.grid[there.argmax(axis=1)] - 1 / STEPS
            last = self.grid[-1 - there[:, ::-1].argmax(axis=1)] + 1 / STEPS
            low = np.where(some, np.maximum(self.low[place], first), self.low[place])
            high = np.where(some, np.minimum(self.high[place], last), self.high[place])
            self.low[place], self.high[place] = low, high
        if not facts:
            self._end()

    def _end(self) -> None:
        a, b = self._total
        known = b > 0
        exact = a[known] / b[known]
        self.low[:, known], self.high[:, known] = exact, exact
