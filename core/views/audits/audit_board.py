"""An audit as a screen shows it: what is asked for, the numbers, the facts up to the present."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.certainty.audit_estimates import AuditedNumber
from core.certainty.audit_frame import AuditPlan
from core.certainty.audit_report import AuditReport
from core.certainty.state_numbers import find_number
from core.dataset.subsets import Mask
from core.views.audits.audit_card import AuditCard, SettledFact
from core.vocabulary import Profile

WITHIN = 0.03
"""Half the width that a number is to have where nobody has said another one."""

ABOUT = str(Profile.RECALL_FAILURE)
"""The number that is watched where nobody has said another one."""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """Which audit is looked at, and what of it.

    Without a `name` it is the newest that is open. `about` is the number that is to be known to
    within `within`. `put_off` are facts (by fact_id) that others go before; `chosen` is the fact
    looked at, `slot` the answer of it; without these the next.
    """

    name: str | None = None
    about: str = ABOUT
    within: float = WITHIN
    put_off: tuple[str, ...] = ()
    chosen: str | None = None
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class AuditBoard:
    """One audit as it stands. Facts are by their places in its order.

    `names` are the audits of the file that can be chosen. `settled` and `decisions` are (facts,),
    `ids` those of the facts in the file. `frontier` is the first fact that is neither settled nor
    put off, None where there is none; `place` is the one looked at, of which there is a `card` to
    decide, or what was said (`fact`). `lefts` says how many answers are left of facts that are not
    settled. `per_minute` are decisions in this sitting; `pace` is how many a fact takes.
    """

    request: AuditRequest
    names: tuple[str, ...]
    report: AuditReport
    closed: bool
    settled: Mask
    decisions: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int64]
    frontier: int | None
    place: int | None
    card: AuditCard | None
    fact: SettledFact | None
    lefts: dict[int, int]
    per_minute: float | None
    pace: float

    @property
    def plan(self) -> AuditPlan:
        """How it was drawn."""
        return self.report.evidence.frame.plan

    @property
    def listed(self) -> int:
        """How many facts are listed: up to the present one. What comes after is not told."""
        return len(self.settled) if self.frontier is None else self.frontier + 1

    @property
    def put_off(self) -> int:
        """How many facts were put off and are not settled."""
        return len(self.lefts) - (self.frontier is not None)

    def numbers_of(self, model: str) -> dict[str, AuditedNumber]:
        """The numbers of a model, by name."""
        return {name: one for (of, name), one in self.report.numbers.items() if of == model}

    def watched_number(self, model: str) -> str:
        """The number of a model that is to be known."""
        thinking = self.plan.thinking[self.plan.models.index(model)]
        return self.request.about if find_number(self.request.about, thinking) else "encodes"

    def place_of(self, fact: int) -> int | None:
        """The place of a fact (its id)."""
        found = np.flatnonzero(self.ids == fact)
        return int(found[0]) if found.size else None
