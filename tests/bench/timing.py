"""Timing that can be trusted a little: best of several, baseline and subject in turn."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """Seconds a run took at best, for a subject and the baseline beside it."""

    what: str
    subject: float
    baseline: float
    against: str

    @property
    def ratio(self) -> float:
        """How many times faster the subject is than the baseline."""
        return self.baseline / self.subject

    def __str__(self) -> str:
        return (
            f"{self.what}: {1000 * self.subject:,.2f} ms; {self.against}: "
            f"{1000 * self.baseline:,.2f} ms; {self.ratio:.2f} times as fast"
        )


def best(run: Callable[[], object]) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(
    what: str,
    subject: Callable[[], object],
    against: str,
    baseline: Callable[[], object],
    runs: int,
) -> Measured:
    """Run subject and baseline in turn and keep the best of each."""
    pairs = [(best(subject), best(baseline)) for _ in range(runs)]
    return Measured(what, min(a for a, _ in pairs), min(b for _, b in pairs), against)
