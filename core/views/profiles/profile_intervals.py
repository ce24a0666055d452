"""How sure the numbers of rows are: 90 % intervals by the bootstrap over facts."""

from collections.abc import Mapping, Sequence

from core.results.share_intervals import Sureness, sureness
from core.scoring.policy import Policy
from core.scoring.verdicts import Verdicts, judge
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowGrouping, facts_of

Sure = Mapping[str, Sureness]
"""The intervals of each row, by its name."""


def sure_of(
    material: ProfileCounts, policy: Policy, rows: Sequence[ProfileRow], by: RowGrouping
) -> Sure:
    """Intervals of all rows, all of the same resamples. This takes a moment."""
    if not rows:
        return {}
    tally = material.now.tally
    found = judge(material.now.cells, tally.thinks(), policy, tally.skipping(policy))
    if by is RowGrouping.MODELS:
        by_model = sureness(found, [material.facts], material.facts)
        return {row.name: by_model[row.place][0] for row in rows}
    one = slice(rows[0].place, rows[0].place + 1)
    alone = Verdicts(
        found.verdict[one],
        found.encodes[one],
        found.knows[one],
        found.knows_thinking[one],
        found.thinking[one],
    )
    subsets = [facts_of(material, row, by) for row in rows]
    parts = sureness(alone, subsets, material.facts)[0]
    return {row.name: part for row, part in zip(rows, parts, strict=True)}
