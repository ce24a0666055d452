"""Reading for the Profiles screen: counts whenever the file says something else, then the rest.

Intervals, tests, doubts and what stands on one answer take long: they are worked out once keys have
come to rest.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from textual.timer import Timer

from core.certainty.audit_report import AuditReport
from core.errors import LostkeysError
from core.results.model_comparison import Comparison, with_tests
from core.results.one_answer_facts import OneAnswerFacts, find_one_answer_facts
from core.scoring.policy import Policy
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.profiles import profile_counts, profile_doubts
from core.views.profiles.profile_counts import ProfileCounts
from core.views.profiles.profile_rows import ProfileRow, RowKind, Sure, estimate_rows
from core.views.snapshot import Snapshot
from tui.app.loader import Loader
from tui.screens.profiles.state import ProfilesState
from tui.screens.profiles.widgets import ProfilesPanes

if TYPE_CHECKING:
    from core.views.session import Session


def read_counts(
    lens: Lens, start: Lens, wanted: FactQuery, policy: str | None, session: "Session"
) -> ProfileCounts:
    """All counts under the graders of two lenses, and under those of a saved policy if given."""
    return profile_counts.read_counts(session, lens, start, wanted, policy)


def read_doubts(session: "Session") -> Mapping[str, str]:
    """For every doubtful model why."""
    return profile_doubts.read_doubts(session)


def read_audits(lens: Lens, session: "Session") -> Mapping[str, AuditReport]:
    """The newest audit of each model that is of a lens's policy and graders."""
    found: dict[str, AuditReport] = {}
    for report in session.audits.list_reports(lens):
        for model in report.evidence.frame.plan.models:
            found.setdefault(model, report)
    return found


def work_out_intervals(
    found: ProfileCounts,
    policy: Policy,
    rows: Sequence[tuple[RowKind, list[ProfileRow]]],
    session: "Session",
) -> dict[RowKind, Sure]:
    """Intervals of all rows in sight; nothing is read for them."""
    return {by: estimate_rows(found, policy, some, by) for by, some in rows}


def work_out_one_answer(found: ProfileCounts, policy: Policy, session: "Session") -> OneAnswerFacts:
    """Which facts of the only model stand on one answer; nothing is read for that."""
    return find_one_answer_facts(found.now.tally, found.now.cells, policy, 0)


def work_out_tests(plain: Comparison, session: "Session") -> Comparison:
    """A comparison with intervals and tests; nothing is read for them."""
    return with_tests(plain)


def write_policy(name: str, lens: Lens, session: "Session") -> tuple[str, Snapshot]:
    """Save the policy of a lens; gives its name as saved."""
    from core.results import saved_policies

    policy = Policy(lens.policy.tau, lens.policy.strategy, lens.policy.weight, lens.ranked)
    return session.write(lambda project: saved_policies.save(project, name, policy))


SURE_AFTER = 0.3
"""Seconds without another lens after which intervals are worked out."""


REST = 20.0
"""Seconds between two looks for what makes models doubtful."""


class _Pause:
    """Until keys have come to rest: starts anew whenever other numbers are shown."""

    def __init__(self, panes: ProfilesPanes) -> None:
        self._panes = panes
        self._timer: Timer | None = None
        self._key: object = None
        """The numbers for which something is, or soon will be, worked out."""

    def restart(self, key: object, work: Callable[[], None]) -> None:
        """Do some work for the numbers of a key once it has rested on them; none for None."""
        if key != self._key:
            self._key = key
            if self._timer is not None:
                self._timer.stop()
            self._timer = None if key is None else self._panes.set_timer(SURE_AFTER, work)


class ProfileLoader:
    """Has read what a state lacks, and shows it in the panes. What comes too late is dropped."""

    def __init__(self, state: ProfilesState, panes: ProfilesPanes) -> None:
        self._state, self._panes = state, panes
        self.counts = Loader(panes, lambda: panes.telling)
        self._resting: Timer | None = None
        self._intervals, self._one_answer = _Pause(panes), _Pause(panes)
        self._tests, self._audits = _Pause(panes), _Pause(panes)

    # Counts

    def request_counts(self, lens: Lens | None = None) -> None:
        """Have all counts read; what is shown stays until they are there."""
        app, now = self._panes.base.lostkeys, self._state
        lens, start = lens or app.lens, app.start_lens
        if lens is None or start is None:
            return
        now.awaited = True
        work = partial(read_counts, lens, start, now.wanted, now.policy)
        self.counts.load("profiles", work, self._take_counts, self._miss_counts)

    def _take_counts(self, found: ProfileCounts) -> None:
        self._state.take_counts(found)
        self._panes.base.paint()
        self._read_doubts()

    def end_waiting(self) -> None:
        """Nothing is read that is waited for."""
        self._state.awaited = False
        self.counts.stop()

    def _miss_counts(self, error: LostkeysError) -> None:
        self._state.awaited = False

    def _say_trouble(self, error: LostkeysError) -> None:
        self._state.awaited = False
        self.counts.fail(error)

    # Doubts

    def _read_doubts(self) -> None:
        """Have doubts read where there are other answers; not too often, as that takes long."""
        now = self._state
        if now.material is None or not now.lack_doubts() or self._resting is not None:
            return
        now.doubts_of = now.material.answers
        self._resting = self._panes.set_timer(REST, self._rest)
        app = self._panes.base.lostkeys
        app.ask("doubts", read_doubts, self._take_doubts, _skip, patient=True)

    def _rest(self) -> None:
        self._resting = None
        self._read_doubts()

    def _take_doubts(self, found: Mapping[str, str]) -> None:
        self._state.doubts = found
        self._panes.base.paint()

    # Intervals and tests

    def work_out_soon(self) -> None:
        """Have audits, intervals, tests made that are to be seen, once keys have come to rest."""
        now, lens = self._state, self._panes.base.lostkeys.lens
        if lens is not None and now.material is not None and now.lack_audits(lens):
            self._audits.restart(now.audits_for, partial(self._read_audits, lens))
        self._intervals.restart(now.sure_of, self._work_out_intervals)
        self._one_answer.restart(now.one_answer_of, self._work_out_one_answer)
        self._tests.restart(now.tested_of, self._work_out_tests)

    def _read_audits(self, lens: Lens) -> None:
        take = partial(self._take_audits, lens)
        work = partial(read_audits, lens)
        self._panes.base.lostkeys.ask("audits", work, take, _skip, patient=True)

    def _take_audits(self, lens: Lens, found: Mapping[str, AuditReport]) -> None:
        had = self._state.audited
        self._state.audited = lens.policy, found
        if found or (had is not None and had[1]):
            self._panes.base.paint()

    def _work_out_intervals(self) -> None:
        now, panes = self._state, self._panes
        found, shown, lens = now.material, now.shown, panes.base.lostkeys.lens
        if found is None or shown is None or lens is None:
            return
        upper, below = now.upper_kind(panes.has_breakdown), now.lower_kind(panes.has_breakdown)
        rows = [(upper, shown.list_rows(upper))]
        if panes.has_breakdown and below is not None:
            rows.append((below, shown.groups))
        work = partial(work_out_intervals, found, lens.policy, rows)
        take = partial(self._take_intervals, now.sure_of)
        panes.base.lostkeys.ask("sure", work, take, self._say_trouble, patient=True)

    def _take_intervals(self, key: object, found: dict[RowKind, Sure]) -> None:
        if self._state.take_intervals(key, found):
            self._panes.base.paint()

    def _work_out_one_answer(self) -> None:
        now, lens = self._state, self._panes.base.lostkeys.lens
        if now.material is not None and lens is not None:
            work = partial(work_out_one_answer, now.material, lens.policy)
            take = partial(self._take_one_answer, now.one_answer_of)
            self._panes.base.lostkeys.ask("one answer", work, take, self._say_trouble, patient=True)

    def _take_one_answer(self, key: object, found: OneAnswerFacts) -> None:
        if self._state.take_one_answer(key, found):
            self._panes.paint_segment()

    def _work_out_tests(self) -> None:
        now = self._state
        if now.crossed is not None:
            work = partial(work_out_tests, now.crossed.found)
            take = partial(self._take_tests, now.tested_of)
            self._panes.base.lostkeys.ask("tests", work, take, self._say_trouble, patient=True)

    def _take_tests(self, key: object, found: Comparison) -> None:
        if self._state.take_tests(key, found):
            self._panes.base.paint()


def _skip(error: LostkeysError) -> None:
    """Doubts are read again when there are more answers."""
