"""How many more facts an interval takes to be narrow enough, and proof of it on one's own data."""

from dataclasses import dataclass

import numpy as np

from core.certainty.audit_frame import AuditFrame
from core.certainty.audit_order import Floats, order_facts
from core.certainty.confidence_sequence import ConfidenceSequence, NumberSpan
from core.certainty.state_numbers import StateNumber, States

RUNS = 40
"""Futures that a plan looks at."""
REHEARSALS = 200
_IMAGINED = 10
_FAITH = {1: 0.97, 3: 0.5}
"""How many of the imagined facts keep the graders' state, by weight."""


def foresee(
    frame: AuditFrame,
    model: int,
    number: StateNumber,
    truth: States,
    within: float,
    bets: ConfidenceSequence,
) -> Floats:
    """How many more facts it takes until a number of a model (its place) is so narrow, by future.

    `truth` (audited,) are the states of the facts audited so far, `bets` the sequence that has
    taken them in, `RUNS` times over. The rest are drawn from what they say of facts of the same
    weight and graded state, and from ten imagined ones.
    """
    audited, seed = len(truth), frame.plan.seed
    graded, parted = frame.graded[model], frame.parted[model]
    futures = np.stack(
        [
            _imagine(frame, graded, parted, truth, np.random.default_rng([seed, audited, run]))
            for run in range(RUNS)
        ]
    )
    return facts_needed(number, bets, futures, graded[audited:], frame.weights[audited:], within)


def _imagine(
    frame: AuditFrame,
    graded: States,
    parted: States,
    truth: States,
    rng: np.random.Generator,
) -> States:
    """States of the facts that are not audited, drawn from belief."""
    audited = len(truth)
    found = graded[audited:].copy()
    weights = frame.weights
    kinds = np.unique(graded).tolist()
    for weight in np.unique(weights[audited:]).tolist():
        for state in np.unique(graded[audited:][weights[audited:] == weight]).tolist():
            like = (weights[audited:] == weight) & (graded[audited:] == state)
            seen = truth[(weights[:audited] == weight) & (graded[:audited] == state)]
            draws = rng.integers(0, len(seen) + _IMAGINED, int(like.sum()))
            other = parted[audited:][like]
            if weight == 1:
                other = rng.choice(kinds, int(like.sum())).astype(np.uint8)
            stays = rng.random(int(like.sum())) < _FAITH[int(weight)]
            new = np.where(stays, np.uint8(state), other)
            if len(seen):
                new = np.where(draws < len(seen), seen[np.minimum(draws, len(seen) - 1)], new)
            found[like] = new
    return found


def facts_needed(
    number: StateNumber,
    bets: ConfidenceSequence,
    truth: States,
    graded: States,
    weights: Floats,
    within: float,
) -> Floats:
    """After how many of the facts to come each of several audits is narrow enough.

    `truth` (audits, facts) are their states to come; `graded` and `weights` (facts,) all share.
    """
    many, facts = truth.shape
    own, person = number.parts(graded), number.parts(truth)
    needed = np.full(many, float(facts))
    found = (bets.high[0] - bets.low[0]) / 2 <= within
    needed[found] = 0
    for place in range(facts):
        if found.all():
            break
        shared = tuple(np.full(many, part[place]) for part in own)
        bets.add((person[0][:, place], person[1][:, place]), (shared[0], shared[1]), weights[place])
        fresh = ~found & ((bets.high[0] - bets.low[0]) / 2 <= within)
        needed[fresh], found = place + 1, found | fresh
    return needed


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What audits came to in which a grader played the person, one number of one model.

    `held` and `held_at_stop` are shares of audits; `graded` and `truth` the number by the graders
    and by the player; `facts` how many each audit took.
    """

    graded: float | None
    truth: float | None
    held: float
    held_at_stop: float
    facts: Floats

    def quantile(self, share: float) -> int:
        """Facts that sufficed in this share of the audits."""
        return int(np.quantile(self.facts, share, method="higher"))


def rehearse(
    frame: AuditFrame, model: int, number: StateNumber, player: States, within: float
) -> Rehearsal:
    """200 audits of a frame, each of a seed of its own, until the number is narrow enough.

    `player` (facts,) are the states by the grader who plays the person.
    """
    orders = np.array(
        [
            order_facts(frame.fact_ids, frame.weights.astype(int).tolist(), frame.plan.seed + run)
            for run in range(REHEARSALS)
        ]
    )
    own = number.parts(frame.graded[model][orders])
    person = number.parts(player[orders])
    weights = frame.weights[orders]
    a, b = (float(part[0].sum()) for part in person)
    truth = a / b if b else 0.0
    bets = _sequence(number, own, weights)
    narrow = (bets.high[0] - bets.low[0]) / 2 <= within
    needed = np.where(narrow, 0.0, float(len(frame)))
    held = np.ones(REHEARSALS, np.bool_)
    at_stop = np.ones(REHEARSALS, np.bool_)
    for place in range(len(frame)):
        if narrow.all():
            break
        _add(bets, person, own, weights, place)
        inside = (bets.low[0] - 1e-9 <= truth) & (truth <= bets.high[0] + 1e-9)
        fresh = ~narrow & ((bets.high[0] - bets.low[0]) / 2 <= within)
        held &= inside | narrow
        at_stop[fresh], needed[fresh] = inside[fresh], place + 1
        narrow = narrow | fresh
    own_a, own_b = (float(part[0].sum()) for part in own)
    return Rehearsal(
        own_a / own_b if own_b else None,
        truth if b else None,
        float(held.mean()),
        float(at_stop.mean()),
        needed,
    )


def _sequence(
    number: StateNumber, own: tuple[Floats, Floats], weights: Floats
) -> ConfidenceSequence:
    many, facts = weights.shape
    totals = (own[0].sum(axis=1), own[1].sum(axis=1))
    spans = [NumberSpan(outside=not number.within)] * many
    return ConfidenceSequence(spans, totals, facts, weights.sum(axis=1))


def _add(
    bets: ConfidenceSequence,
    person: tuple[Floats, Floats],
    own: tuple[Floats, Floats],
    weights: Floats,
    place: int,
) -> None:
    bets.add(
        (person[0][:, place], person[1][:, place]),
        (own[0][:, place], own[1][:, place]),
        weights[:, place],
    )
