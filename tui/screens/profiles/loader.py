"""What the Profiles screen has the db worker read, work out and write."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.certainty.audit_report import AuditReport
from core.results.model_comparison import Comparison, with_tests
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles import profile_counts, profile_doubts
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowGrouping, Sure, sure_of
from core.views.snapshot import Snapshot

if TYPE_CHECKING:
    from core.views.session import Session


def read_counts(
    lens: Lens, start: Lens, wanted: FactQuery, policy: str | None, session: "Session"
) -> ProfileCounts:
    """All counts under the graders of two lenses, and under those of a saved policy if given."""
    return profile_counts.read(session, lens, start, wanted, policy)


def read_doubts(session: "Session") -> Mapping[str, str]:
    """For every doubtful model why."""
    return profile_doubts.read(session)


def read_audits(lens: Lens, session: "Session") -> Mapping[str, AuditReport]:
    """The newest audit of each model that is of a lens's policy and graders."""
    found: dict[str, AuditReport] = {}
    for report in session.audits.of_lens(lens):
        for model in report.evidence.frame.plan.models:
            found.setdefault(model, report)
    return found


def work_out_intervals(
    found: ProfileCounts,
    policy: Policy,
    rows: Sequence[tuple[RowGrouping, list[ProfileRow]]],
    session: "Session",
) -> dict[RowGrouping, Sure]:
    """Intervals of all rows in sight; nothing is read for them."""
    return {by: sure_of(found, policy, some, by) for by, some in rows}


def work_out_tests(plain: Comparison, session: "Session") -> Comparison:
    """A comparison with intervals and tests; nothing is read for them."""
    return with_tests(plain)


def write_policy(name: str, lens: Lens, session: "Session") -> tuple[str, Snapshot]:
    """Save the policy of a lens; gives its name as saved."""
    from core.results import saved_policies

    policy = Policy(lens.policy.tau, lens.policy.strategy, lens.policy.weight, lens.ranked)
    return session.write(lambda project: saved_policies.save(project, name, policy))
