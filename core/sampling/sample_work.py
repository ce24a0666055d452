"""The work that fills a plan's missing slots, fact by fact.

What is missing is asked of the database, so stopping at any moment loses nothing that was
answered and starting again goes on. Who asks for what is settled by claims, cell by cell: two
programs never ask for the same slot. An answer is graded as it is written down.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

import db.facts
import db.failures
import db.label_grids
import db.leases
import db.question_rows
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters
from core.engine.work_source import ItemResult
from core.errors import LostkeysError
from core.graders import grader_table, stored_answers
from core.project import OpenProject
from core.providers.base import Reply
from core.sampling import missing_slots
from core.sampling.missing_slots import Cell, FactSlots
from core.sampling.response_store import Answered, ResponseStore
from core.sampling.sample_plan import (
    NO_WAY,
    Plan,
    check_plan,
    count_missing,
    count_missing_by_fact,
    count_slots,
    drop_unaskable,
    known_for,
)
from core.sampling.sample_progress import SampleProgress
from core.sampling.sample_requests import SampleRequest, asks_for, stage_of
from core.specs.file_specs import FilesSpec
from core.specs.stored_specs import from_json
from db.connection import write_transaction
from db.plan_ranges import OpenPlan
from db.slot_ids import unpack
from db.stored_values import read_time

CLAIMED = "answer"
"""The stage under which cells are claimed."""

BLOCK = 12
"""Facts that are read and claimed in one transaction."""

FOLD_EVERY = 200
"""Calls for more after which the label grids are folded if it is time to."""

GRADED_AT_ONCE = 20
"""Facts of which older answers are graded in one go."""

IN_BATCH = "asked for in a batch"


OUT_IN = "out in "
"""How the reason begins why slots are left that are in request files."""


def out_in(plan: OpenPlan) -> str:
    """Why slots of a plan that is out are left, for people."""
    spec = from_json(plan.spec)
    folder = spec.folder if isinstance(spec, FilesSpec) else ""
    return f"{OUT_IN}{folder} since {read_time(plan.at).astimezone():%d %b %H:%M}"


@dataclass(slots=True)
class _OpenFact:
    """A fact that is being asked about: its cells by key, with the samples of each open ask."""

    about: str
    cells: dict[int, set[tuple[int, ...]]] = field(default_factory=dict)


@dataclass(slots=True)
class _AskResult:
    """What an ask came to: whether its cell is closed, and what was given to be asked next."""

    closed: bool
    further: list[SampleRequest]


class SampleWork:
    """A `Work` of one plan. All of it runs in the thread that owns the project's connection."""

    in_rounds = False
    """Whether a fact is looked at again once all that was asked about it has come."""

    def __init__(
        self,
        project: OpenProject,
        plan: Plan,
        lease_holder: LeaseHolder,
        counters: RunCounters,
        graders: Iterable[str] = (),
        on_fact: Callable[[int], object] = lambda fact: None,
        job: int | None = None,
        curtailed: str | None = None,
    ) -> None:
        """Register the plan in the database and declare its stages.

        `graders` are built-in ones; `on_fact` is told the id of each fact that is through: all
        its slots are filled or failed, and committed. `job` and `curtailed` are noted with the
        runs (`db.sampling_runs`).
        Raises `UsageError` where the plan cannot be drawn under its label.
        """
        self.recipe = check_plan(project, plan)
        self.project, self.plan, self.counters = (
            project,
            drop_unaskable(plan, self.recipe),
            counters,
        )
        if self.plan is not plan:
            counters.say("warn", f"completion with thinking on is left out: {NO_WAY}")
        plan = self.plan
        self._lease_holder, self._connection, self._on_fact = (
            lease_holder,
            project.connection,
            on_fact,
        )
        with write_transaction(self._connection):
            self._storing = ResponseStore(project, plan, self.recipe, graders, job, curtailed)
        self._ids = project.index.ids[plan.facts]
        self._rejected = frozenset(project.index.ids[plan.facts & project.index.rejected].tolist())
        self._lacking = (
            np.sum([count_missing_by_fact(project, plan, on) for on in plan.thinking], axis=0) > 0
        )
        self._draws = known_for(self._connection, plan).draws
        self._place = self._calls = 0
        self._again: dict[int, None] = {}
        self._open: dict[int, _OpenFact] = {}
        self._given_up: set[int] = set()
        self._given: dict[tuple[int, tuple[int, ...]], _AskResult] = {}
        self._through: dict[int, None] = {}
        self._ungraded: deque[tuple[str, list[int]]] | None = None
        self._teller = SampleProgress(project, plan, counters, self._storing)

    @property
    def reasoned(self) -> int:
        """How many answers showed reasoning though thinking was off."""
        return self._teller.reasoned

    @property
    def settings(self) -> Mapping[bool, int]:
        """Ids of the settings that are drawn, by thinking."""
        return self._storing.settings

    def next(self, most: int) -> Sequence[SampleRequest] | None:
        """Up to about `most` asks, claimed; empty while others hold what is left; None at the end.

        Outside of any transaction.
        """
        self._tell()
        self._calls += 1
        if not self._calls % FOLD_EVERY:
            db.label_grids.fold_if_due(self._connection)
        asks: list[SampleRequest] = []
        while len(asks) < most and self._place < self._ids.size:
            asks += self._advance()
        if len(asks) < most and self._place >= self._ids.size:
            asks += self._look_again(most)
        return asks or ([] if self._again else None)

    def take_all(
        self, replies: Sequence[tuple[SampleRequest, Reply]]
    ) -> list[ItemResult[SampleRequest]]:
        """Write down the answers to asks. Inside a transaction.

        It may be called again for the same ones where that transaction was undone.
        """
        answered: list[Answered] = [(ask, reply.draws[: ask.things]) for ask, reply in replies]
        stored = self._storing.store(answered)
        asks = [ask for ask, _ in answered]
        if all(map(self._is_open, asks)):
            about = [self._open[ask.question.fact].about for ask in asks]
            self._teller.note_answers(list(zip(asks, about, strict=True)), stored)
        stale = {id(ask) for ask in stored.stale}
        came = [0 if id(ask) in stale else len(draws) for ask, draws in answered]
        rests = [None if id(ask) in stale else ask.rest(len(draws)) for ask, draws in answered]
        further = self._give_back(asks, rests, {ask.question.fact for ask in stored.stale})
        return [ItemResult(*one) for one in zip(further, came, strict=True)]

    def fail(self, item: SampleRequest, reason: str, refused: bool) -> ItemResult[SampleRequest]:
        """Note that an ask failed for good. Inside a transaction."""
        self._storing.fail(item.slots, reason)
        self._given_up.update(item.slots)
        if self._is_open(item):
            self._teller.note_failure(item)
        (further,) = self._give_back([item], [None], set())
        return ItemResult(further, failed=item.things, reason=reason)

    def restore(self, slots: Sequence[int]) -> SampleRequest | None:
        """The ask that once went out for these slots of a cell; None if it is out of date.

        For replies that come later than the program lives that asked. Inside a transaction.
        """
        question, setting, _ = unpack(slots[0])
        now = db.question_rows.read_current(self._connection, [question]).get(question)
        thinking = {setting: on for on, setting in self.settings.items()}.get(setting)
        if now is None or thinking is None:
            return None
        samples = tuple(unpack(one)[2] for one in slots)
        ask = next(self._asks(Cell(now, setting, thinking, samples), samples), None)
        if ask is not None:
            about, _ = db.facts.read_subjects(self._connection, [now.fact])[now.fact]
            self._note(about, ask)
        return ask

    def choose(self, fact: FactSlots) -> Mapping[int, Sequence[int]]:
        """What to ask about a fact now: samples by the keys of its cells. Nothing: it is through.

        Inside a transaction.
        """
        return {cell.key: cell.missing for cell in fact.cells}

    def complete(self) -> bool:
        """Whether all of the plan is there. Of a project that is up to date."""
        return not count_missing(self.project, replace(self._plan_now(), only_failed=False))

    def grade_rest(self) -> bool:
        """Grade some of the plan's answers that were there before and have no label yet.

        Gives whether there may be more of them. Outside of any transaction.
        """
        if self._ungraded is None:
            self.project.refresh()
            self._ungraded = deque(self._blocks_to_grade())
        if not self._ungraded:
            return False
        name, facts = self._ungraded[0]
        settings = self.settings.values()
        self._teller.note_grades(
            name, stored_answers.grade(self.project, name, facts, settings=settings)
        )
        self._ungraded.popleft()
        return bool(self._ungraded)

    def close(self) -> None:
        """Say what is left to say, and finish the run if it is complete. Outside of transactions.

        To be called when the engine has stopped, however it stopped.
        """
        self._tell()
        self.project.refresh()
        self._teller.end(self._plan_now())
        if self.complete():
            with write_transaction(self._connection):
                self._storing.finish()
        db.label_grids.fold_if_due(self._connection)

    def _advance(self) -> list[SampleRequest]:
        """Ask for what the next facts lack."""
        place, block = self._place, list[int]()
        while place < self._ids.size and len(block) < BLOCK:
            fact = int(self._ids[place])
            if self._lacking[place]:
                block.append(fact)
            else:
                self._through[fact] = None
            place += 1
        asks = self._visit_new(block)
        self._place = place  # only now: where the database was locked, this is called again
        return asks

    def _look_again(self, most: int) -> list[SampleRequest]:
        """Ask for what others were busy with and have left."""
        asks: list[SampleRequest] = []
        facts = list(self._again)
        while facts and len(asks) < most:
            block, facts = facts[:BLOCK], facts[BLOCK:]
            asks += self._visit_new(block)
        return asks

    def _visit_new(self, facts: Sequence[int]) -> list[SampleRequest]:
        if not facts:
            return []
        with write_transaction(self._connection):
            return self._visit(facts)

    def _visit(self, facts: Sequence[int]) -> list[SampleRequest]:
        """Claim what is to be asked about these facts now. Inside a transaction."""
        found = missing_slots.read_facts(
            self._connection, self.plan, self.settings, facts, self._rejected
        )
        asks: list[SampleRequest] = []
        for one in facts:
            self._again.pop(one, None)
        for fact in found:
            self._leave_out(fact)
            asks += self._ask_about(fact)
            if fact.id not in self._open and fact.id not in self._again:
                self._through[fact.id] = None
        return asks

    def _ask_about(self, fact: FactSlots) -> Iterator[SampleRequest]:
        ours = self._open[fact.id].cells if fact.id in self._open else {}
        wanted = {
            key: left
            for key, samples in self.choose(fact).items()
            if key not in ours
            and (left := [one for one in samples if key + one not in self._given_up])
        }
        got = set(self._lease_holder.claim(CLAIMED, wanted)) if wanted else set()
        if len(got) < len(wanted):
            self._leave(fact, {key: wanted[key] for key in wanted.keys() - got})
        for cell in fact.cells:
            if cell.key in got:
                for ask in self._asks(cell, wanted[cell.key]):
                    self._note(fact.about, ask)
                    yield ask

    def _asks(self, cell: Cell, samples: Sequence[int]) -> Iterator[SampleRequest]:
        """Requests for samples of a claimed cell; none where they cannot even be made."""
        try:
            yield from asks_for(
                cell.question,
                cell.setting,
                cell.thinking,
                samples,
                self.recipe,
                self._draws,
                self.plan.prompts,
                self.plan.form,
            )
        except LostkeysError as error:
            slots = [cell.key + sample for sample in samples]
            db.failures.record_failure(self._connection, slots, str(error))
            self._given_up.update(slots)
            self._teller.fail_unaskable(
                stage_of(cell.thinking, self.plan.mode), len(slots), str(error)
            )
            self._lease_holder.release(CLAIMED, [cell.key])

    def _leave_out(self, fact: FactSlots) -> None:
        """Leave what is in request files; of a plan that is being written, what it will leave."""
        for cell in fact.cells:
            for plan, samples in cell.out:
                slots = {cell.key + sample for sample in samples} - self._given_up
                if not plan.is_out:
                    self._again[fact.id] = None
                elif slots:
                    self._given_up |= slots
                    self.counters.drop(
                        stage_of(cell.thinking, self.plan.mode), len(slots), out_in(plan)
                    )

    def _leave(self, fact: FactSlots, wanted: Mapping[int, Sequence[int]]) -> None:
        """Leave cells to those who have claimed them, to be looked at again; batches take long."""
        holders = db.leases.find_claims(self._connection, CLAIMED, list(wanted))
        if any(lease is not None for lease in holders.values()):
            self._again[fact.id] = None
        for cell in fact.cells:
            if cell.key in wanted and holders.get(cell.key, 0) is None:
                slots = [cell.key + sample for sample in wanted[cell.key]]
                self._given_up.update(slots)
                self.counters.drop(stage_of(cell.thinking, self.plan.mode), len(slots), IN_BATCH)

    def _note(self, about: str, ask: SampleRequest) -> None:
        open_fact = self._open.setdefault(ask.question.fact, _OpenFact(about))
        open_fact.cells.setdefault(ask.cell, set()).add(ask.samples)

    def _is_open(self, ask: SampleRequest) -> bool:
        fact = self._open.get(ask.question.fact)
        return fact is not None and ask.samples in fact.cells.get(ask.cell, ())

    def _give_back(
        self, asks: Sequence[SampleRequest], rests: Sequence[SampleRequest | None], stale: set[int]
    ) -> list[Sequence[SampleRequest]]:
        """Asks have come back, with a rest to be asked for still; gives what is to be asked next.

        `stale` facts have changed meanwhile. Cells that nothing is open of are released.
        """
        fresh = [self._is_open(ask) or _key(ask) not in self._given for ask in asks]
        for ask, rest, is_new in zip(asks, rests, fresh, strict=True):
            if is_new:
                self._given[_key(ask)] = self._take_back(ask, rest)
        given = [self._given[_key(ask)] for ask in asks]
        self._lease_holder.release(
            CLAIMED, [ask.cell for ask, one in zip(asks, given, strict=True) if one.closed]
        )
        last = {ask.question.fact: one for ask, one in zip(asks, given, strict=True)}
        new = {ask.question.fact for ask, is_new in zip(asks, fresh, strict=True) if is_new}
        for fact, one in last.items():
            if fact in new:
                one.further += self._find_next(fact, fact in stale)
            else:  # the transaction with the claims was undone
                self._lease_holder.claim(CLAIMED, {ask.cell for ask in one.further})
        return [one.further for one in given]

    def _take_back(self, ask: SampleRequest, rest: SampleRequest | None) -> "_AskResult":
        fact = self._open.get(ask.question.fact)
        samples = set() if fact is None else fact.cells.get(ask.cell, set())
        samples.discard(ask.samples)
        if rest is not None:
            self._note("" if fact is None else fact.about, rest)
            return _AskResult(False, [rest])
        if samples:
            return _AskResult(False, [])
        if fact is not None:
            fact.cells.pop(ask.cell, None)
        return _AskResult(True, [])

    def _find_next(self, fact: int, is_stale: bool) -> list[SampleRequest]:
        """What is to be asked about a fact of which something has come back."""
        state = self._open.get(fact)
        if state is not None and not state.cells:
            del self._open[fact]
        if is_stale or (self.in_rounds and fact not in self._open):
            return self._visit([fact])
        if fact not in self._open and fact not in self._again:
            self._through[fact] = None
        return []

    def _tell(self) -> None:
        """Tell of the facts that are through. What was given is committed, now that this runs."""
        self._given.clear()
        through, self._through = self._through, {}
        for fact in through:
            self._on_fact(fact)

    def _plan_now(self) -> Plan:
        """The plan in a project that may have got more facts meanwhile."""
        return replace(self.plan, facts=np.isin(self.project.index.ids, self._ids))

    def _blocks_to_grade(self) -> Iterator[tuple[str, list[int]]]:
        """Facts with answers that a grader has not seen, some at a time."""
        plan = replace(self._plan_now(), only_failed=False)
        for name, version in self._storing.graders.items():
            reads_choice = grader_table.builtin(name).reads_choice
            unseen = np.zeros(self._ids.size, np.int64)
            for on in plan.thinking:
                _, drawn = count_slots(self.project, plan, on, db.label_grids.DRAWN, reads_choice)
                _, graded = count_slots(self.project, plan, on, version, reads_choice)
                unseen += (drawn - graded).sum(axis=1)
            facts = iter(self._ids[unseen > 0].tolist())
            while block := list(islice(facts, GRADED_AT_ONCE)):
                yield name, block


def _key(ask: SampleRequest) -> tuple[int, tuple[int, ...]]:
    return ask.cell, ask.samples
