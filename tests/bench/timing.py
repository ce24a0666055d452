"""Timing that can be trusted a little: best of several, baseline and subject in turn.

Every run does all of its work: what the program keeps from one call to the next is dropped first.
`BENCH_CLOCK=cpu` in the environment counts processor time instead of seconds: other programs that
keep the machine busy count for little then. Programs that were started and have ended count.
"""

import os
import resource
import sys
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


def read_processor_time() -> float:
    """Seconds that processors spent on this program and on those that it started and waited for."""
    whole = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in whole)


CLOCKS = {"cpu": read_processor_time, "wall": time.perf_counter}
CLOCK = CLOCKS[os.environ.get("BENCH_CLOCK", "wall")]

ROOMS = ("core", "db", "prompts", "tui")


def empty_caches() -> None:
    """Drop what the program's functions keep from calls before (`functools.lru_cache`)."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in ROOMS:
            for held in list(vars(module).values()):
                clear = getattr(held, "cache_clear", None)
                if callable(clear):
                    clear()


def best(run: Callable[[], object], clock: Callable[[], float] = CLOCK) -> float:
    """Seconds of one run, with nothing kept from the runs before.

    They are those of a watch, or of the processor where the environment says so.
    """
    empty_caches()
    start = clock()
    run()
    return clock() - start


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
