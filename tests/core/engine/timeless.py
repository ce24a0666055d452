"""An event loop in which nobody waits: time jumps to whatever is due next."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.DefaultSelector):
    """Waits only for files that are ready, and for threads that are at work."""

    def __init__(self) -> None:
        super().__init__()
        self.passed = 0.0
        self.works: Callable[[], bool] = lambda: False

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        found = super().select(0)
        while not found and self.works():
            found = super().select(0.001)
        if not found:
            self.passed += timeout
        return found


class Timeless(asyncio.SelectorEventLoop):
    """Its `time` counts what would have been waited; begins at 1,000."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return 1_000.0 + self._jumping.passed

    def mind(self, works: Callable[[], bool]) -> None:
        """Let no time pass while a thread is at work."""
        self._jumping.works = works


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine function in such a loop."""
    with asyncio.Runner(loop_factory=Timeless) as runner:
        return runner.run(main())


def mind(works: Callable[[], bool]) -> None:
    """Let no time pass in the running loop while a thread is at work."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Timeless)
    loop.mind(works)
