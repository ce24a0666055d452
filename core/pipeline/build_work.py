"""The work that takes units through the stages of building.

What waits is asked of the file. A unit goes on as soon as it is ready: what follows from a reply
is claimed in the transaction that stores it and is asked before anything else, so that facts come
out early. Stopping at any moment loses nothing that was stored, and starting again goes on.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import db.build_steps
import db.leases
from core.engine.lease_holder import LeaseHolder
from core.engine.run_counters import RunCounters, StageCounts
from core.engine.work_source import ItemResult
from core.pipeline import downsample
from core.pipeline.build_scope import DOWNSAMPLE, BuildScope, before
from core.pipeline.funnel import tell
from core.pipeline.stage import DroppedUnit, End, OffFormatError, Stage, describe_kept
from core.pipeline.stage_requests import TRIES, Asker
from core.pipeline.stage_runner import StageRequest, StageResult, StageRunner, claim_of
from core.pipeline.stage_table import BY_NAME
from core.pipeline.step_writer import Steps
from core.pipeline.unit_progress import UnitProgress, read_progress
from core.project import OpenProject
from core.providers.base import CitedSource, Draw, Reply
from db.connection import write_transaction

BLOCK = 32
"""Units that are looked at in one transaction."""

LONGEST_QUOTE = 160
"""Characters of a reply that is quoted in the log."""

LOSES, LEAST, REASONS = 0.9, 10, 3
"""The share of its units above which a stage is told of that loses them, the fewest units that this
is seen by, and the reasons that are named."""

REFUSED, OFF_FORMAT = "the model refused", "off format"
"""Reasons of failures, for people; what was wrong follows them."""


@dataclass(frozen=True, slots=True)
class BuildTarget:
    """How many candidates go on from `downsample` (None: all), and the seed of the draw."""

    count: int | None = None
    seed: int = 0


ALL = BuildTarget()


class BuildWork:
    """A `Work` over the stages. All of it runs in the thread that owns the connection.

    asker: None where no model is to be asked, which leaves what needs one to wait. The stages of
    the scope have to be declared in the counters (`core.pipeline.funnel.tell`). job: the id of its
    row.
    """

    def __init__(
        self,
        project: OpenProject,
        scope: BuildScope,
        asker: Asker | None,
        lease_holder: LeaseHolder,
        counters: RunCounters,
        target: BuildTarget = ALL,
        job: int | None = None,
    ) -> None:
        self._connection, self._scope, self._asker = project.connection, scope, asker
        self._lease_holder, self._counters, self._target = lease_holder, counters, target
        self._steps = Steps(self._connection, job)
        self._follower = StageRunner(
            self._connection,
            scope.stages,
            asker,
            lease_holder,
            self._steps,
            target.count is not None,
        )
        self._place, self._past, self._held, self._fell_back = 0, 0, False, False
        self._before = {name: _count_over(one) for name, one in counters.stages.items()}
        self._kept, self._lost = Counter[str](), defaultdict[str, Counter[str]](Counter)
        self._told: set[str] = set()

    # As `Work`

    def next(self, most: int) -> Sequence[StageRequest] | None:
        """Up to about `most` requests, claimed, for the deepest stages first."""
        asks: list[StageRequest] = []
        while len(asks) < most:
            if self._place == len(self._follower.stages):
                self._place = self._past = 0
                if asks or not self._sample():
                    break
            asks += self._block(self._follower.stages[self._place])
        held, self._held = self._held, False
        return asks or ([] if held else None)

    def take_all(
        self, replies: Sequence[tuple[StageRequest, Reply]]
    ) -> list[ItemResult[StageRequest]]:
        """Store what stages came to by these replies, and claim what follows."""
        return [self._take(ask, reply.draws[0]) for ask, reply in replies]

    def fail(self, item: StageRequest, reason: str, refused: bool) -> ItemResult[StageRequest]:
        """The request failed for good: the unit failed at this stage, and can be asked again.

        One that had a schema is asked as text first where it was refused.
        """
        if refused and item.form == "schema":
            assert self._asker is not None
            if not self._fell_back:
                self._fell_back, model = True, self._asker.stage_model.model
                said = f"{model} refused a schema and was asked as text: {reason}"
                self._counters.say("warn", said)
            request = self._asker.request(item.of, item.asked, item.tries)
            return ItemResult([replace(item, request=request, form="text")])
        return self._fail(item, f"{REFUSED}: {reason}" if refused else reason, None)

    def settle(self) -> bool:
        """Let code decide a block of what waits, without a model; False once all was looked at."""
        if self._place == len(self._follower.stages):
            self._place = self._past = 0
            return self._sample()
        self._block(self._follower.stages[self._place])
        return True

    def let_go(self) -> None:
        """Give up what was claimed and is not asked any more. Inside a transaction."""
        for stage in self._follower.stages:
            self._lease_holder.release(claim_of(stage), self._find_waiting(stage))

    # Finding what waits

    def _block(self, stage: Stage) -> list[StageRequest]:
        """Look at the next units that wait for a stage; the one before it follows at its end."""
        waiting: list[int] = []
        if not self._follower.is_whole(stage):
            waiting = self._find_waiting(stage, self._past, BLOCK)
        if len(waiting) < BLOCK:
            self._place, self._past = self._place + 1, 0
        else:
            self._past = waiting[-1]
        if not waiting:
            return []
        result = StageResult()
        with write_transaction(self._connection):
            for unit in waiting:
                found = read_progress(self._connection, stage.of, unit)
                others = self._follower.waits(found) - {stage.name}
                self._follower.follow(found, result, others)
        self._note_held(stage, waiting, result)
        self._count(stage, result)
        return result.asks

    def _find_waiting(self, stage: Stage, past: int = 0, most: int = -1) -> list[int]:
        return db.build_steps.find_waiting(
            self._connection,
            stage.name,
            before(stage.name),
            self._scope.paragraphs,
            past,
            most,
            self._scope.set_name,
        )

    def _note_held(self, stage: Stage, waiting: Sequence[int], result: StageResult) -> None:
        """Remember whether others are busy with what waits here."""
        got = {ask.unit for ask in result.asks if ask.of is stage}
        rest = [unit for unit in waiting if unit not in got]
        claims = db.leases.find_claims(self._connection, claim_of(stage), rest)
        self._held |= any(lease != self._lease_holder.lease.id for lease in claims.values())

    def _count(self, stage: Stage, result: StageResult) -> None:
        """Count what was decided without a request; units of this stage had waited."""
        for one in result.list_deltas(stage):
            self._note(one.stage, one.done, one.dropped, one.reason)
            waited = -1 if one.stage == stage.name else 0
            self._counters.add(one.stage, one.waiting + waited + one.dropped, one.done)
            if one.dropped:
                self._counters.drop(one.stage, one.dropped, one.reason)

    def _sample(self) -> bool:
        """Draw the candidates that go on, once nothing before waits; gives whether it did."""
        stage = BY_NAME[DOWNSAMPLE]
        if stage not in self._scope.stages or not self._follower.is_whole(stage):
            return False
        assert self._target.count is not None
        count, seed = self._target.count, self._target.seed
        with write_transaction(self._connection):
            waiting = self._find_waiting(stage)
            if not waiting and not downsample.find_passed_over(self._connection, count):
                return False
            if any(self._find_waiting(BY_NAME[one], most=1) for one in _earlier(stage)):
                return False
            downsample.draw(self._connection, self._steps, waiting, count, seed)
        tell(self._connection, self._scope, self._counters)
        return True

    # Taking in replies

    def _take(self, ask: StageRequest, draw: Draw) -> ItemResult[StageRequest]:
        stage, found = ask.of, read_progress(self._connection, ask.of.of, ask.unit)
        if not found.waits_for(stage):  # dropped or redone meanwhile
            self._lease_holder.release(claim_of(stage), [ask.unit])
            return ItemResult(done=1)
        try:
            end, sources = self._read_reply(ask, draw, found)
        except OffFormatError as error:
            return self._again(ask, draw, f"{OFF_FORMAT}: {error}")
        assert self._asker is not None
        result, others = StageResult(), self._follower.waits(found)
        version = self._asker.version(stage)
        self._follower.store(stage, found, end, version, result, draw.text, sources)
        self._lease_holder.release(claim_of(stage), [ask.unit])
        self._follower.follow(found, result, others)
        also = result.list_deltas(stage)
        for one in also:
            self._note(one.stage, one.done, one.dropped, one.reason)
        if isinstance(end, DroppedUnit):
            self._note(stage.name, 0, 1, end.reason, draw.text)
            self._tell_latest(stage, end.reason)
            return ItemResult(result.asks, dropped=1, reason=end.reason, also=also)
        self._note(stage.name, 1)
        self._tell_latest(stage, describe_kept(end))
        return ItemResult(result.asks, done=1, also=also)

    def _read_reply(
        self, ask: StageRequest, draw: Draw, found: UnitProgress
    ) -> tuple[End, tuple[CitedSource, ...]]:
        assert self._asker is not None
        assert ask.of.read is not None
        if draw.finish == "content_filter" or not draw.text.strip():
            raise OffFormatError("the reply is empty")
        if draw.finish == "length" and ask.form == "schema":
            raise OffFormatError("the reply is cut off")
        text, sources = draw.text, draw.sources
        if ask.of.grounded:
            text, sources = self._asker.grounding.read_answer(draw, ask.asked)
        said = self._asker.read_shape(ask.of, text) if ask.form == "schema" else text
        return ask.of.read(said, found.view), sources

    def _again(self, ask: StageRequest, draw: Draw, reason: str) -> ItemResult[StageRequest]:
        """Ask once more while there are tries; then the unit has failed."""
        assert self._asker is not None
        tries = ask.tries + 1
        if tries == TRIES:
            return self._fail(ask, reason, draw.text)
        request = self._asker.request(ask.of, ask.asked, tries, ask.form)
        return ItemResult([replace(ask, request=request, tries=tries)])

    def _fail(self, ask: StageRequest, reason: str, raw: str | None) -> ItemResult[StageRequest]:
        assert self._asker is not None
        stage, found = ask.of, read_progress(self._connection, ask.of.of, ask.unit)
        self._lease_holder.release(claim_of(stage), [ask.unit])
        if not found.waits_for(stage):
            return ItemResult(done=1)
        result, others = StageResult(), self._follower.waits(found)
        self._steps.fail(stage, found, self._asker.version(stage), reason, raw)
        self._follower.follow(found, result, others)
        self._note(stage.name, 0, 1, reason, raw or "")
        self._tell_latest(stage, reason)
        return ItemResult(result.asks, failed=1, reason=reason, also=result.list_deltas(stage))

    # Telling what comes of units

    def _tell_latest(self, stage: Stage, what: str) -> None:
        """Say what came of a unit: `entities 3 of 12: no entity`."""
        name, counts = stage.name, self._counters.stages[stage.name]
        over = self._before.get(name, 0) + self._kept[name] + self._lost[name].total()
        total = max(over, _count_over(counts) + counts.waiting + counts.running)
        self._counters.note_latest(f"{name} {over:,} of {total:,}: {what}")

    def _note(
        self, stage: str, kept: int = 0, lost: int = 0, reason: str = "", reply: str = ""
    ) -> None:
        """Count what a stage keeps and loses, and say so once where it loses nearly all.

        `reply`: what the model said of the unit that is lost.
        """
        self._kept[stage] += kept
        reasons = self._lost[stage]
        if not lost:
            return
        reasons[reason] += lost
        total = self._kept[stage] + reasons.total()
        if stage in self._told or total < LEAST or reasons.total() <= LOSES * total:
            return
        self._told.add(stage)
        most = ", ".join(f"{count:,} {why}" for why, count in reasons.most_common(REASONS))
        said = f"{stage} has lost {reasons.total():,} of {total:,}: {most}"
        quoted = " ".join(reply.split())[:LONGEST_QUOTE]
        self._counters.say("warn", f'{said}; one reply ({reason}): "{quoted}"' if quoted else said)


def _count_over(counts: StageCounts) -> int:
    """Units that a stage has come to an end with."""
    return counts.done + counts.dropped + counts.failed


def _earlier(stage: Stage) -> list[str]:
    names = list(BY_NAME)
    return names[: names.index(stage.name)]
