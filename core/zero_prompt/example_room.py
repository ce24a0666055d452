"""How many examples fit where inputs were refused as too long for a model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.project import OpenProject
from core.providers.base import UnanswerableError
from core.providers.capabilities import Capabilities
from core.providers.logprobs.option_scorer import OptionScorer
from core.zero_prompt.examples import parse_injection
from core.zero_prompt.fact_work import FactWork
from core.zero_prompt.score_plan import POSITIONS, RESPONSE, ScorePart, ScorePlan

UNSTORED = 0
"""The series of a part of which nothing is stored."""


async def room_of(
    project: OpenProject,
    plan: ScorePlan,
    refused: Mapping[int, Sequence[int]],
    scorer: OptionScorer,
    known: Capabilities,
) -> list[str]:
    """What would fit of the parts of a plan, in a line each; none where nothing would.

    `refused` are keys of inputs that were refused, by the part's number. Outside of any
    transaction. Raises as `OptionScorer.score`, but for another refusal.
    """
    lines = []
    for number, keys in refused.items():
        part = plan.parts[number]
        name, n = part.relation.name, part.setup.n
        if part.test == RESPONSE:
            continue
        if part.test == POSITIONS:
            if fit := min(keys):
                lines.append(f"{name}: {n:,} places do not fit: --length {fit} would do")
            continue
        found = await _find_most(project, part, keys[0], scorer, known)
        if found is not None:
            lines.append(f"{name}: {n:,} examples do not fit: --examples {found} would do")
    return lines


async def _find_most(
    project: OpenProject, part: ScorePart, key: int, scorer: OptionScorer, known: Capabilities
) -> int | None:
    """The most examples with which the input of a fact fits; None where none does."""
    altered = part.setup.inject
    low, high = (0 if altered is None else parse_injection(altered).count), part.setup.n
    found = None
    while low < high:  # what has `high` examples does not fit
        middle = (low + high) // 2
        fewer = replace(part, setup=replace(part.setup, n=middle))
        if await _fits(FactWork(project, fewer, known, UNSTORED), key, scorer):
            found, low = middle, middle + 1
        else:
            high = middle
    return found


async def _fits(work: FactWork, key: int, scorer: OptionScorer) -> bool:
    request = work.item(0, key).request
    text, longest = request.text or "", [max(request.continuations, key=len)]
    try:
        await scorer.plan(text, longest)
        if not scorer.exact:  # a server's tokeniser takes more than its model
            await scorer.score(text, longest)
    except UnanswerableError:
        return False
    return True
