"""A budget that is never overdrawn: what a request can cost is set aside before it is sent."""

import math

from core.errors import LostkeysError

CENT = 0.01


class OverBudgetError(LostkeysError):
    """What is to be done costs more than may be spent."""


class Budget:
    """US dollars that may be spent; `limit` None sets no bound. For one thread.

    `reserve` before a request is sent, `settle` when it has ended, with what it did cost (0 where
    nothing is charged). What was reserved and not settled counts as spent.
    """

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self.limit = limit
        self.spent = spent
        self.reserved = 0.0
        self._open = 0

    def reserve(self, cost: float) -> bool:
        """Set aside what a request can cost; False where that is no longer there."""
        if self.limit is not None and cost > 0 and self.spent + self.reserved + cost > self.limit:
            return False
        self.reserved += cost
        self._open += 1
        return True

    def settle(self, reserved: float, cost: float) -> None:
        """A request has ended: what was set aside for it is free again, what it cost is spent."""
        self._open -= 1
        self.reserved = max(0.0, self.reserved - reserved) if self._open else 0.0
        self.spent += cost


def dollars(amount: float) -> str:
    """An amount as people write it: `$3.10`, and below a cent two digits, as `$0.0042`."""
    if amount == 0 or amount >= CENT:
        return f"${amount:,.2f}" if amount else "$0"
    return f"${amount:.{1 - math.floor(math.log10(amount))}f}"
