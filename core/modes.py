"""Modes in which a model is asked about triples, and arms: a model in one mode.

FACT-BENCH, sections 3 to 5: zero-shot, few-shot, recite before the answer, a passage to read,
and exemplars that the model knows, does not know, or that are counterfactual.
"""

import re
from enum import StrEnum
from typing import NamedTuple

from core.errors import UsageError

MARK = "#"
"""What stands between a model and its mode in the label of an arm."""

MOST_SHOTS = 100
SHUFFLE = "shuffle"
RESTATED = "-restated"


class AskingWay(StrEnum):
    """What a prompt holds beside the question."""

    ZERO_SHOT = "zero-shot"
    READING = "reading"
    FEW_SHOT = "few-shot"
    RECITE = "recite"


class ExemplarKnowledge(StrEnum):
    """What a model knows of its exemplars: all of them, none, or every other one."""

    KNOWN = "known"
    UNKNOWN = "unknown"
    MIXED = "mixed"


_SHOTS = re.compile(
    r"(?P<recite>recite-)?(?P<shots>[1-9]\d{0,2})-shot"
    r"(?::(?P<condition>[a-z-]+)|(?P<restated>-restated))?",
    re.ASCII,
)
_CONDITIONS = {
    SHUFFLE: (None, True),
    **{one.value: (one, False) for one in ExemplarKnowledge},
    **{f"{one}-{SHUFFLE}": (one, True) for one in ExemplarKnowledge},
}
MODES = (
    f"modes are zero-shot, reading, K-shot, recite-K-shot, recite-K-shot-restated and "
    f"K-shot:CONDITION, with K from 1 to {MOST_SHOTS} and CONDITION one of {', '.join(_CONDITIONS)}"
)
"""What may be asked for, as errors and help say it."""


class ArmMode(NamedTuple):
    """How the questions of an arm are asked.

    `shots` is how many exemplars are shown, 0 without any. `knowing` is None where what the model
    knows has no say in them; `shuffled`: they are shown with counterfactual answers; `restated`:
    what they recite is the triple itself as a sentence.
    """

    way: AskingWay
    shots: int = 0
    knowing: ExemplarKnowledge | None = None
    shuffled: bool = False
    restated: bool = False

    def __str__(self) -> str:
        """The mode as it is written, which `parse_mode` reads."""
        if not self.shots:
            return self.way.value
        recite = f"{AskingWay.RECITE}-" if self.recites else ""
        condition = f":{self.condition}" if self.condition else ""
        return f"{recite}{self.shots}-shot{condition}{RESTATED if self.restated else ''}"

    @property
    def condition(self) -> str:
        """What stands after the colon; empty where nothing does."""
        return "-".join(filter(None, (self.knowing, SHUFFLE if self.shuffled else "")))

    @property
    def recites(self) -> bool:
        """Whether the model says what it knows before it answers."""
        return self.way is AskingWay.RECITE

    @property
    def shuffle(self) -> "ArmMode":
        """The same mode with counterfactual answers."""
        return self._replace(shuffled=True)

    @property
    def plain(self) -> "ArmMode":
        """The same mode with true answers."""
        return self._replace(shuffled=False)


ZERO_SHOT, READING = ArmMode(AskingWay.ZERO_SHOT), ArmMode(AskingWay.READING)


def parse_mode(text: str) -> ArmMode:
    """The mode that a text names. Raises `UsageError` for one that there is not."""
    mode = _find_mode(text)
    if mode is None:
        raise UsageError(f"no mode {text}: {MODES}")
    return mode


def _find_mode(text: str) -> ArmMode | None:
    for mode in (ZERO_SHOT, READING):
        if text == mode.way:
            return mode
    found = _SHOTS.fullmatch(text)
    if found is None or int(found["shots"]) > MOST_SHOTS:
        return None
    shots, condition = int(found["shots"]), found["condition"]
    if found["recite"]:
        restated = found["restated"] is not None
        return None if condition else ArmMode(AskingWay.RECITE, shots, restated=restated)
    if found["restated"]:
        return None
    if condition is None:
        return ArmMode(AskingWay.FEW_SHOT, shots)
    there = _CONDITIONS.get(condition)
    return there and ArmMode(AskingWay.FEW_SHOT, shots, *there)


class Arm(NamedTuple):
    """A model in one mode; `base` is the label of the model."""

    base: str
    mode: ArmMode

    def __str__(self) -> str:
        """The label of the arm, which `find_arm` reads."""
        return f"{self.base}{MARK}{self.mode}"


def find_arm(label: str) -> Arm | None:
    """The arm that a label of responses names; None where it is a model in no mode."""
    base, mark, text = label.rpartition(MARK)
    mode = _find_mode(text) if mark and base else None
    return None if mode is None else Arm(base, mode)


def is_arm(label: str) -> bool:
    """Whether a label is that of an arm."""
    return find_arm(label) is not None
