"""The arms of a set: which models in which modes have answered its questions."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

import db.arms
from core.dataset.subsets import Mask
from core.errors import UsageError
from core.fact_bench.arm_scores import find_answered
from core.fact_bench.bench_triples import BenchTriples
from core.modes import Arm, ArmMode, AskingWay, find_arm, parse_mode
from core.project import OpenProject

_WAYS = (AskingWay.ZERO_SHOT, AskingWay.FEW_SHOT, AskingWay.RECITE, AskingWay.READING)


@dataclass(frozen=True, slots=True)
class BenchArm:
    """An arm with answers; `setting` is the id of that of its answers.

    `exemplars` are ids of the facts that were sent; an arm that was imported has none.
    """

    arm: Arm
    setting: int
    exemplars: frozenset[int] = field(default=frozenset())

    @property
    def label(self) -> str:
        """The label of its answers."""
        return str(self.arm)

    @property
    def model(self) -> str:
        """The label of its model."""
        return self.arm.base

    @property
    def mode(self) -> ArmMode:
        """How its questions are asked."""
        return self.arm.mode

    def exemplar_mask(self, triples: BenchTriples) -> Mask:
        """Which triples were sent."""
        if not self.exemplars:
            return np.zeros(len(triples), np.bool_)
        return np.isin(triples.facts, list(self.exemplars))


def list_arms(project: OpenProject, set_name: str, triples: BenchTriples) -> list[BenchArm]:
    """The arms that have answered any triple of a set, by model and mode."""
    stored = db.arms.read_set_arms(project.connection, set_name)
    found = []
    for (label, thinking), setting in project.setting_ids().items():
        arm = None if thinking else find_arm(label)
        if arm is not None and find_answered(project, triples, setting).any():
            sent = stored[label].exemplars if label in stored else ()
            found.append(BenchArm(arm, setting, frozenset(one.fact for one in sent)))
    return sorted(found, key=lambda one: (one.model, _place_of(one.mode)))


def _place_of(mode: ArmMode) -> tuple[object, ...]:
    """Where a mode stands among others: a shuffled one follows its plain one."""
    return _WAYS.index(mode.way), mode.knowing or "", mode.shots, mode.shuffled, mode.restated


def choose_arms(
    arms: Sequence[BenchArm], models: Iterable[str] | None, modes: Iterable[str] | None
) -> list[BenchArm]:
    """Arms of these models (or labels) in these modes; raises `UsageError` for others."""
    wanted = None if models is None else set(models)
    known = {name for one in arms for name in (one.model, one.label)}
    for name in sorted((wanted or set()) - known):
        there = ", ".join(dict.fromkeys(one.model for one in arms)) or "none yet"
        raise UsageError(f"no arm of a model named {name}: models with arms are {there}")
    of_modes = None if modes is None else {parse_mode(mode) for mode in modes}
    return [
        one
        for one in arms
        if (wanted is None or one.model in wanted or one.label in wanted)
        and (of_modes is None or one.mode in of_modes)
    ]


def choose_arm(arms: Sequence[BenchArm], label: str) -> BenchArm:
    """The arm of a label; raises `UsageError` where there is none."""
    for one in arms:
        if one.label == label:
            return one
    there = ", ".join(one.label for one in arms) or "none yet"
    raise UsageError(f"no arm {label}: arms are {there}")
