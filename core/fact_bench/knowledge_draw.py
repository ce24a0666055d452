"""Which zero-shot answers are needed to choose exemplars by what a model knows, and no others.

The choice is the same as if the model had been asked about every training triple.
"""

from collections.abc import Mapping, Sequence

from core.fact_bench.counterfactuals import assign_counterfactuals
from core.fact_bench.exemplars import line_up
from core.modes import ArmMode, Knowing
from db.prepared_triples import SetTriple


def find_needed(
    train: Sequence[SetTriple], mode: ArmMode, seed: int, known: Mapping[int, bool]
) -> list[SetTriple]:
    """Triples that the choice hangs on and of which nobody knows whether they are known.

    What would be chosen if all of them counted would be chosen still if others of them did not:
    a line only moves up. So each of these has to be asked; once none is left the choice stands.
    """
    there = [one for one in train if not one.rejected]
    others = assign_counterfactuals(there, seed)
    needed: dict[int, SetTriple] = {}
    for knows, count in _wanted(mode).items():
        line = line_up([one for one in there if known.get(one.fact, knows) is knows], others, seed)
        for one in line[:count]:
            if one.fact not in known:
                needed[one.fact] = one
    return list(needed.values())


def _wanted(mode: ArmMode) -> dict[bool, int]:
    """How many exemplars a mode takes of those that are known, and of those that are not."""
    if mode.knowing is Knowing.MIXED:
        return {True: -(-mode.shots // 2), False: mode.shots // 2}
    return {} if mode.knowing is None else {mode.knowing is Knowing.KNOWN: mode.shots}
