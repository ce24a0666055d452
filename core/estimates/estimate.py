"""What a run will ask for and about what it will cost, before anything is sent.

Counts are exact. Tokens come from the texts that will be sent and from what earlier jobs used;
where there are none, from stated assumptions, as a range.
"""

from dataclasses import dataclass

from core.errors import UsageError
from core.scoring.missing_pairs import MissingPairs


@dataclass(frozen=True, slots=True)
class QuantityRange:
    """A quantity between two bounds."""

    low: float
    high: float

    def __add__(self, other: "QuantityRange") -> "QuantityRange":
        """Both together."""
        return QuantityRange(self.low + other.low, self.high + other.high)


NONE = QuantityRange(0, 0)


@dataclass(frozen=True, slots=True)
class EstimatePart:
    """What one stage needs of one model; `cost` in US dollars, None where no price is known.

    `first` is the most that its cheapest request can cost. `free`: it runs here.
    """

    stage: str
    model: str
    requests: QuantityRange
    input_tokens: QuantityRange
    output_tokens: QuantityRange
    cost: QuantityRange | None
    first: float
    free: bool

    @property
    def grades(self) -> bool:
        """Whether it grades answers rather than draws them."""
        return self.stage.startswith("grade")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A run before it starts.

    questions: question by setting. here: those of them that have all their answers already.
    answers: answers that are missing, the low bound where sampling is curtailed. graded: labels
    that graders have to give, and grades_here those that they have given already (grading alone).
    labels: those that each of several graders has to give, by its name.
    unprofiled: what the facts lack where all are drawn for profiles that none of them can have.
    seconds, rate (questions a second): as the last job with this model; None where there was none.
    out: answers that lack and are not asked for: plans in files ask for them.
    spared: answers that a cascade does not ask a model about, as a sample of them says.
    """

    questions: int
    here: int
    answers: QuantityRange
    graded: int = 0
    grades_here: int = 0
    parts: tuple[EstimatePart, ...] = ()
    seconds: float | None = None
    rate: float | None = None
    batch: bool = False
    spared: int = 0
    out: int = 0
    labels: tuple[tuple[str, int], ...] = ()
    unprofiled: MissingPairs | None = None

    @property
    def requests(self) -> QuantityRange:
        """Requests to models, grading included."""
        return sum((part.requests for part in self.parts), NONE)

    @property
    def input_tokens(self) -> QuantityRange:
        """Tokens in."""
        return sum((part.input_tokens for part in self.parts), NONE)

    @property
    def output_tokens(self) -> QuantityRange:
        """Tokens out, thoughts included."""
        return sum((part.output_tokens for part in self.parts), NONE)

    @property
    def unpriced(self) -> tuple[str, ...]:
        """Models whose price is not known."""
        return tuple(dict.fromkeys(part.model for part in self.parts if part.cost is None))

    @property
    def cost(self) -> QuantityRange | None:
        """US dollars, None where a price is missing."""
        costs = [part.cost for part in self.parts if part.cost is not None]
        return sum(costs, NONE) if len(costs) == len(self.parts) else None

    @property
    def first(self) -> float:
        """US dollars without which nothing at all can be asked."""
        return min((part.first for part in self.parts), default=0.0)


def check_budget(estimate: Estimate, max_cost: float | None) -> str | None:
    """A line of warning where a run cannot be finished within a budget, else None.

    Raises `OverBudgetError` where not even its first request can be paid, and `UsageError` where
    a price is missing, so that no budget could be kept.
    """
    from core.pricing.budget import OverBudgetError, dollars

    if max_cost is None or not estimate.parts:
        return None
    if estimate.unpriced:
        raise UsageError(
            f"no price is known of {estimate.unpriced[0]}, so a budget cannot be kept: "
            "add it to prices.toml beside the settings, or leave the budget out"
        )
    cost = estimate.cost
    assert cost is not None
    if estimate.first > max_cost:
        raise OverBudgetError(
            f"a budget of {dollars(max_cost)} does not pay for the first request, which can cost "
            f"{dollars(estimate.first)}: give more"
        )
    if cost.low > max_cost:
        return (
            f"a budget of {dollars(max_cost)} is less than the {dollars(cost.low)} that this "
            "takes at the least: it will stop there, and what is done is kept"
        )
    return None
