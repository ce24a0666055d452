"""What a run would take: requests, and tokens that a model reads, those that it has cached."""

from core.project import OpenProject
from core.providers.capabilities import Capabilities
from core.providers.logprobs.option_scorer import OptionScorer, ScoreCost
from core.providers.logprobs.option_tree import OptionTree
from core.zero_prompt.fact_work import FactWork
from core.zero_prompt.place_work import PlaceWork
from core.zero_prompt.score_plan import POSITIONS, RESPONSE, ScorePart, ScorePlan

UNSTORED = 0
"""The series of a part that is only counted."""

MOST_COUNTED = 100
"""Facts of a part whose tokens are counted; the rest take as many, on average."""


async def cost_of(
    project: OpenProject, plan: ScorePlan, scorer: OptionScorer, known: Capabilities
) -> ScoreCost:
    """What log probabilities of a plan take, in the order in which they would be asked for.

    Tokens come of the model's own tokeniser; nothing is scored and nothing is written.
    """
    found = ScoreCost()
    before: OptionTree | None = None
    for part in plan.parts:
        if part.test != RESPONSE and part.left:
            counted, before = await _cost_of_part(project, plan, part, scorer, known, before)
            found += counted
    return found


async def _cost_of_part(
    project: OpenProject,
    plan: ScorePlan,
    part: ScorePart,
    scorer: OptionScorer,
    known: Capabilities,
    before: OptionTree | None,
) -> tuple[ScoreCost, OptionTree | None]:
    work = (
        PlaceWork(project, part, plan.label)
        if part.test == POSITIONS
        else FactWork(project, part, known, UNSTORED)
    )
    found, keys = ScoreCost(), work.keys[:MOST_COUNTED]
    for key in keys:
        request = work.item(0, key).request
        tree = await scorer.plan(request.text or "", request.continuations)
        found += scorer.cost(tree, before)
        before = tree
    return _scale_cost(found, len(work.keys), len(keys)), before


def _scale_cost(cost: ScoreCost, wanted: int, counted: int) -> ScoreCost:
    """The cost of so many, of which some were counted."""
    return ScoreCost(
        *(round(one * wanted / counted) for one in (cost.requests, cost.tokens, cost.cached))
    )
