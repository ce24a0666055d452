"""What a unit can do next: code decides at once, and what a model is to be asked is claimed."""

import sqlite3
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

import db.candidates
from core.engine.lease_holder import LeaseHolder
from core.engine.work_source import StageDelta
from core.pipeline import fact_assembly
from core.pipeline.build_scope import FACTS, by_model
from core.pipeline.grounding import GroundedQuestion
from core.pipeline.stage import DroppedUnit, End, KeptUnit, Stage, UnitKind
from core.pipeline.stage_requests import CODE, Asker
from core.pipeline.step_writer import Steps
from core.pipeline.triple_assembly import ask_triple, is_asked
from core.pipeline.unit_progress import UnitProgress, read_progress
from core.providers.base import CitedSource, Request
from db.build_steps import OF_TRIPLES
from prompts.reply_shape import ReplyForm

REPEATED = "same text as an earlier passage"


@dataclass(frozen=True, slots=True, eq=False)
class StageRequest:
    """One stage's request about one unit. An `Item` of the engine."""

    of: Stage
    unit: int
    asked: GroundedQuestion
    channel: str
    request: Request
    tries: int = 0
    form: ReplyForm = "text"

    @property
    def stage(self) -> str:
        """The stage that counts it."""
        return self.of.name

    @property
    def things(self) -> int:
        """One unit."""
        return 1


@dataclass
class StageResult:
    """What following units came to: what is to be asked, and what code decided."""

    asks: list[StageRequest] = field(default_factory=list)
    decided: list[StageDelta] = field(default_factory=list)

    def list_deltas(self, stage: Stage) -> list[StageDelta]:
        """What it means for the stages; what is asked of others than this waits there anew."""
        new = [StageDelta(ask.stage, waiting=1) for ask in self.asks if ask.of is not stage]
        return [*self.decided, *new]


class StageRunner:
    """Follows units through some stages. All of it inside the caller's transaction.

    asker: None where no model is to be asked. steps: writes down what stages come to. sampled:
    whether fewer candidates are wanted than there are, so that `downsample` has to see them all.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        stages: Sequence[Stage],
        asker: Asker | None,
        lease_holder: LeaseHolder,
        steps: Steps,
        sampled: bool,
    ) -> None:
        self._connection, self._asker, self._lease_holder = connection, asker, lease_holder
        self._steps, self._sampled = steps, sampled
        self._repeated = db.candidates.find_repeated(connection)
        self.stages = [
            stage for stage in reversed(stages) if asker is not None or not by_model(stage)
        ]
        """Those that can take units, the deepest first."""

    def is_whole(self, stage: Stage) -> bool:
        """Whether a stage waits for all units."""
        return stage.whole and self._sampled

    def waits(self, found: UnitProgress) -> set[str]:
        """The stages that a unit waits for."""
        return {stage.name for stage in self.stages if found.waits_for(stage)}

    def follow(
        self, found: UnitProgress, result: StageResult, others: Set[str] = frozenset()
    ) -> None:
        """Have every stage take a unit that can, but for `others`, which had waited before."""
        stages = [one for one in self.stages if one.of is found.of and one.name not in others]
        while any(found.waits_for(one) and self._decide(one, found, result) for one in stages):
            continue
        for stage in stages:
            if by_model(stage) and found.waits_for(stage):
                self._claim(stage, found, result)

    def store(
        self,
        stage: Stage,
        found: UnitProgress,
        end: End,
        version: str,
        result: StageResult,
        raw: str | None = None,
        sources: Sequence[CitedSource] = (),
    ) -> None:
        """Write down what a stage came to, and follow the candidates that came of it."""
        for key in self._steps.store(stage, found, end, version, raw, sources):
            self.follow(read_progress(self._connection, UnitKind.CANDIDATE, key), result)
        if stage.name in OF_TRIPLES and isinstance(end, KeptUnit):
            ask_triple(self._connection, self._steps, found, version)

    def _decide(self, stage: Stage, found: UnitProgress, result: StageResult) -> bool:
        """Let a stage take a unit without a request, where it can; gives whether it did."""
        if stage.name in OF_TRIPLES and is_asked(self._connection, stage, found):
            self._steps.give(stage, found)
            return True
        missing = found.lacks(stage)
        if missing is not None:
            self._steps.close(stage, found, f"the fact has no {missing}")
            return True
        if by_model(stage) or self.is_whole(stage):
            return False
        end = self._decide_by_code(stage, found)
        self.store(stage, found, end, CODE, result)
        if isinstance(end, DroppedUnit):
            result.decided.append(StageDelta(stage.name, dropped=1, reason=end.reason))
        else:
            result.decided.append(StageDelta(stage.name, done=1))
        return True

    def _decide_by_code(self, stage: Stage, found: UnitProgress) -> End:
        if stage.name == FACTS:
            return fact_assembly.write(self._connection, found)
        if found.of is UnitKind.PASSAGE and found.unit.id in self._repeated:
            return DroppedUnit(REPEATED)
        return KeptUnit() if stage.decide is None else stage.decide(found.view)

    def _claim(self, stage: Stage, found: UnitProgress, result: StageResult) -> None:
        if self._asker is not None and self._lease_holder.claim(claim_of(stage), [found.unit.id]):
            asked = self._asker.build_question(stage, found.view)
            form = self._asker.form(stage)
            request = self._asker.request(stage, asked, 0, form)
            channel = self._asker.channel(stage)
            result.asks.append(StageRequest(stage, found.unit.id, asked, channel, request, 0, form))


def claim_of(stage: Stage) -> str:
    """Under what the units are claimed that a stage is busy with."""
    return f"build {stage.name}"
