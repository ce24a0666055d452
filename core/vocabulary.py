"""The field's vocabulary: tasks, labels and profiles under the names used everywhere.

A leaf that imports nothing of the project, so every package may import it.
Source: Calderon et al., table 1 (tasks), section 4 (labels, profiles).
"""

from enum import IntEnum, StrEnum


class Side(StrEnum):
    """Which of a fact's two entities an answer names."""

    OBJECT = "object"
    SUBJECT = "subject"


class Task(StrEnum):
    """The ten tasks, in the order in which they are listed, numbered and drawn."""

    COMPLETION = "completion"
    CONTEXTUAL = "contextual"
    DIRECT = "direct"
    DIRECT_NATURAL = "direct_natural"
    REVERSE = "reverse"
    REVERSE_NATURAL = "reverse_natural"
    MC_DIRECT = "mc_direct"
    MC_DIRECT_NATURAL = "mc_direct_natural"
    MC_REVERSE = "mc_reverse"
    MC_REVERSE_NATURAL = "mc_reverse_natural"

    @property
    def side(self) -> Side:
        """The entity that is this task's gold answer."""
        return Side.SUBJECT if "reverse" in self else Side.OBJECT

    @property
    def is_choice(self) -> bool:
        """Whether the task is multiple choice."""
        return self.startswith("mc_")

    @property
    def asks(self) -> "Task":
        """The open task whose question text this task shows (itself unless multiple choice)."""
        return Task(self.removeprefix("mc_"))


TASKS = tuple(Task)
TASK_INDEX = {task: index for index, task in enumerate(TASKS)}
ENCODING = (Task.COMPLETION, Task.CONTEXTUAL)
KNOWLEDGE = (Task.DIRECT, Task.DIRECT_NATURAL, Task.REVERSE, Task.REVERSE_NATURAL)
VERIFICATION = tuple(task for task in TASKS if task.is_choice)


class Label(StrEnum):
    """A grader's judgement of one response."""

    CORRECT = "CORRECT"
    INCORRECT = "INCORRECT"
    PARTIALLY = "PARTIALLY"
    OTHER = "OTHER"


LABELS = tuple(Label)


class Outcome(IntEnum):
    """What grading one response came to, as stored: a label (1 to 4) or why there is none."""

    CORRECT = 1
    INCORRECT = 2
    PARTIALLY = 3
    OTHER = 4
    UNPARSED = 5
    REFUSED = 6
    ERROR = 7
    UNSURE = 8

    @classmethod
    def from_label(cls, label: Label) -> "Outcome":
        """The stored form of a label."""
        return cls[label.value]


class Profile(StrEnum):
    """A fact's knowledge profile for one model, in the order of the paper's table 2."""

    ENCODING_FAILURE = "encoding_failure"
    RECALL_FAILURE = "recall_failure"
    DIRECT_RECALL = "direct_recall"
    RECALL_WITH_THINKING = "recall_with_thinking"
    INFERENCE_WITHOUT_ENCODING = "inference_without_encoding"


PROFILES = tuple(Profile)


class NoProfile(StrEnum):
    """Why a fact has no profile for a model."""

    DIRECT_INFERENCE = "direct_inference"
    EXCLUDED_NAN = "excluded_nan"
    INCOMPLETE = "incomplete"


CODES: dict[str, str] = {
    Profile.DIRECT_RECALL: "DR",
    Profile.RECALL_WITH_THINKING: "RT",
    Profile.INFERENCE_WITHOUT_ENCODING: "IE",
    Profile.RECALL_FAILURE: "RF",
    Profile.ENCODING_FAILURE: "EF",
    NoProfile.EXCLUDED_NAN: "NA",
    NoProfile.DIRECT_INFERENCE: "DI",
    NoProfile.INCOMPLETE: "··",
}
"""Two letters for each verdict, from known to unknown, then those without a profile."""

CODE_ORDER = ("DR", "RT", "IE", "RF", "EF", "EK", "E-", "-K", "--", "NA", "DI", "··")
"""All codes as they are listed: with a profile, with thinking not measured, with neither."""


class Strategy(StrEnum):
    """How questions that cannot be graded exclude facts (Calderon et al., appendix C.1)."""

    PAIR = "pair"
    FACT = "fact"
    PARTIAL = "partial"


ENTITY_TYPES = (
    "PERSON",
    "ORGANIZATION",
    "LOCATION",
    "EVENT",
    "WORK_OF_ART",
    "PRODUCT",
    "ORGANISM",
    "SUBSTANCE",
    "DATE",
    "NUMERIC_VALUE",
    "CONDITION",
    "TITLE",
    "LANGUAGE",
    "GROUP",
    "LAW",
    "IDEA",
    "CLASSIFICATION",
    "IDENTIFIER",
    "OTHER",
)


UNIFORM, STRATIFIED = "random", "stratified"
"""Kinds of samples, as they are stored."""


class QueueKind(StrEnum):
    """What a queue holds."""

    SUSPICIOUS = "suspicious"
    RANDOM = UNIFORM
    STRATIFIED = STRATIFIED
    STAGE = "changed by a stage"
    EDITED = "edited"
