"""The fields of the Start dialog's form: for each thing to do, and the options that they have."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from core.sampling.recipe_settings import EFFORTS
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.vocabulary import ENCODING, KNOWLEDGE
from core.zero_prompt.examples import parse_injection
from tui.text.typed_number import parse_counts

SIX = (*ENCODING, *KNOWLEDGE)
"""The tasks that profiles follow from."""


class Do(StrEnum):
    """What can be started."""

    RUN = "run"
    SAMPLE = "sample"
    GRADE = "grade"
    SCORE = "zp-lke"
    BENCH = "fact-bench"
    BUILD = "build"
    IMPORT = "import"
    EXPORT = "export"


class Field(StrEnum):
    """A row of the form, by the word at its left."""

    DO = "do"
    DOCUMENTS = "documents"
    BY = "made by"
    MODEL = "model"
    CHECK = "check"
    LABEL = "kept as"
    THINKING = "thinking"
    TEMPERATURE = "temperature"
    EFFORT = "effort"
    LIMIT = "limit"
    MODELS = "models"
    SET = "set"
    RELATIONS = "relations"
    EXAMPLES = "examples"
    OPTIONS = "options"
    TEST = "test"
    TOKENS = "tokens"
    MODES = "modes"
    KNOWN_BY = "known by"
    FACTS = "facts"
    TASKS = "tasks"
    ANSWERS = "answers"
    SAMPLE = "sample"
    SEED = "seed"
    GRADER = "grader"
    GROUNDING = "grounding"
    TARGET = "target"
    BUDGET = "budget"
    WHAT = "what"
    FILE = "file"
    PREFIX = "prefix"
    CORRECT_AT = "correct at"
    REPORT = "report"
    ORDER = "order"
    FORM = "form"
    INJECT = "inject"
    SPLIT = "split"
    SURE = "sure"
    CASCADE = "cascade"
    REPLIES = "replies"
    UNTIL = "until"
    ONLY = "only"
    REDO = "redo"
    PARAGRAPHS = "paragraphs"
    MORE = "fields"
    COMPLETION = "completion"
    QUESTIONS = "questions"
    ENDPOINT = "endpoint"
    VIA = "via"
    RAW = "raw"
    TIMEOUT = "timeout"
    IN_FLIGHT = "in flight"


DRAWING = (Field.DO, Field.MODEL, Field.CHECK, Field.LABEL, Field.THINKING)


OF_LOGS = (Field.LABEL, Field.PREFIX, Field.CORRECT_AT)


ABOUT = (Field.FACTS, Field.TASKS, Field.ANSWERS)


OF_SCORES = (Field.EXAMPLES, Field.OPTIONS, Field.TOKENS)
"""What the tests of scores take."""


SETTINGS = (Field.TEMPERATURE, Field.EFFORT, Field.LIMIT)
"""What a recipe is given, which else is as the label began."""


TO_GRADE = (Field.MODELS, Field.FACTS, Field.TASKS, Field.SAMPLE, Field.SEED)
"""Which of the responses are graded."""


REQUESTS = (Field.TIMEOUT, Field.IN_FLIGHT)
"""How requests are sent."""

ENGINE = (Field.VIA, Field.RAW, *REQUESTS)

ENDPOINTS = (Field.COMPLETION, Field.QUESTIONS)


GROUPS: Mapping[Do, tuple[tuple[Field, ...], ...]] = {
    Do.RUN: (
        *(DRAWING, ABOUT, SETTINGS, (Field.GRADER, Field.BUDGET)),
        (Field.MORE, *ENDPOINTS, *ENGINE),
    ),
    Do.SAMPLE: (
        *(DRAWING, ABOUT, SETTINGS, (Field.BUDGET,)),
        (Field.MORE, *ENDPOINTS, *ENGINE),
    ),
    Do.GRADE: (
        (Field.DO,),
        TO_GRADE,
        (Field.GRADER, Field.SURE, Field.CASCADE, Field.EFFORT, Field.REPLIES, Field.BUDGET),
        (Field.MORE, *REQUESTS),
    ),
    Do.SCORE: (
        (Field.DO, Field.MODEL, Field.LABEL),
        (Field.SET, Field.RELATIONS, Field.FACTS, Field.TEST, *OF_SCORES),
        (Field.SEED, Field.ORDER, Field.FORM, Field.INJECT),
        (Field.BUDGET,),
        (Field.MORE, Field.CHECK, *REQUESTS),
    ),
    Do.BENCH: (
        (Field.DO, Field.MODEL, Field.CHECK, Field.LABEL),
        (Field.SET, Field.SPLIT, Field.FACTS, Field.MODES, Field.KNOWN_BY),
        (Field.GRADER, Field.BUDGET),
        (Field.MORE, Field.ENDPOINT, *ENGINE),
    ),
    Do.BUILD: (
        (Field.DO, Field.DOCUMENTS),
        (Field.BY, Field.MODEL, Field.GROUNDING, Field.TARGET),
        (Field.BUDGET,),
        (
            *(Field.MORE, Field.PARAGRAPHS, Field.SEED, Field.UNTIL, Field.ONLY, Field.REDO),
            *(Field.REPLIES, *REQUESTS),
        ),
    ),
    Do.IMPORT: ((Field.DO,), (Field.FILE, *OF_LOGS, Field.REPORT)),
    Do.EXPORT: ((Field.DO,), (Field.WHAT, Field.FACTS, Field.FILE)),
}
"""The fields of each thing to do, in groups with a blank line between them."""


THINKING = ((False, True), (False,), (True,))


UNSET = "not set"
"""The option that leaves an effort, or the grader of what is known, as it is by itself."""


KNOWING = ("known", "mixed")
"""Words in modes whose exemplars are chosen by what the model knows (`unknown` among them)."""


POSITIONS = "positions"


TESTS = (("choice",), ("response",), ("choice", "response"), (POSITIONS,))
"""The tests that each option of the field stands for."""


WHATS = ("facts", "responses", "labels", "runs", "profiles", "adjudications")


TYPED: Mapping[Field, str] = {
    Field.FACTS: "random",
    Field.ANSWERS: "samples",
    Field.TEMPERATURE: "temperature",
    Field.SAMPLE: "size",
    Field.SEED: "seed",
    Field.EXAMPLES: "examples",
    Field.OPTIONS: "choices",
    Field.TOKENS: "tokens",
    Field.TARGET: "wanted",
    Field.BUDGET: "budget",
}
"""Fields into which a number is typed where they stand, and under which name the form has it."""


DECIMAL = (Field.BUDGET, Field.TEMPERATURE)
"""Those of them whose number may have a point."""


SAME: Mapping[Field, Sequence[str]] = {
    Field.DO: tuple(map(str, Do)),
    Field.CHECK: ("stop", "go on as it is"),
    Field.THINKING: ("off and on", "off", "on"),
    Field.EFFORT: (UNSET, *EFFORTS),
    Field.BY: ("a model", "rules alone"),
    Field.WHAT: WHATS,
    Field.TEST: ("choice", "response", "both", POSITIONS),
    Field.MORE: ("usual", "all"),
}
"""The options of fields that always have the same."""


PLACES = {
    Field.CHECK: "unchecked",
    Field.THINKING: "thinking",
    Field.FACTS: "facts",
    Field.TASKS: "tasks",
    Field.BY: "ruled",
    Field.TEST: "test",
    Field.MORE: "more",
}
"""Fields of which the form has the place of the option, and under which name."""


WORDS = {
    Field.EFFORT: "effort",
    Field.KNOWN_BY: "known_by",
    Field.GROUNDING: "grounding",
    Field.WHAT: "what",
}
"""Fields of which the form has the option itself, and under which name."""


ALL, LISTED, AT_RANDOM = range(3)


EVERY, PROFILES, CHOSEN = range(3)


LOCAL = "local"


GROUNDINGS = (LOCAL, "gemini", "openai")


DOCUMENTS = "documents"
"""The format of files to build from."""


NAMED = "a model"
"""The grader that is named: a model, as a rule."""


# Fields that are attributes of the spec which a form begins with.


class Further(NamedTuple):
    """A field that stands for an attribute of the spec which the form begins with.

    `words` are its options with what the spec has for each. Without any a line is typed: `asks` is
    the question, `read` gives the value of what is typed and raises `UsageError` or `ValueError`,
    and `usual` is shown for the value that the spec has by itself. `folded`: it is seen only among
    all fields, or where it is not as usual.
    """

    attribute: str
    words: Mapping[str, Any] = {}
    asks: str = ""
    read: Callable[[str], Any] = str
    usual: str = ""
    folded: bool = True


MOST_SECONDS = 86_400


def read_seconds(text: str) -> float:
    """Seconds above 0, up to a day. Raises `ValueError`."""
    seconds = float(text)
    if not 0 < seconds <= MOST_SECONDS:
        raise ValueError(f"{text} is not in the range 0<x<={MOST_SECONDS}")
    return seconds


def read_count(text: str, least: int = 1) -> int:
    """One whole number. Raises `ValueError`."""
    (count,) = parse_counts([text.strip()], least)
    return count


def read_sure(text: str) -> float:
    """How sure a grader has to be, from 0 to 1. Raises `ValueError`."""
    sure = float(text)
    if not 0 <= sure <= 1:
        raise ValueError(f"{text} is no number from 0 to 1")
    return sure


def read_names(text: str) -> tuple[str, ...]:
    """Names with commas between them, each once."""
    return tuple(dict.fromkeys(filter(None, (one.strip() for one in text.split(",")))))


def read_injections(text: str) -> tuple[str, ...]:
    """Injections with commas between them. Raises `UsageError` for one that is none."""
    return tuple(str(parse_injection(one)) for one in read_names(text))


def read_numbers(least: int) -> Callable[[str], tuple[int, ...]]:
    """A reader of whole numbers with commas between them, none below `least`."""
    return lambda text: parse_counts(read_names(text), least)


def read_stage(text: str) -> str:
    """The name of a stage of a build. Raises `UsageError` where there is none."""
    from core.pipeline.build_scope import find_stage

    return find_stage(text.strip()).name


YES = {"no": False, "yes": True}

_WORDS = {one: one for one in ("auto", "raw", "chat")}
_REPLIES = Further("replies", {one: one for one in ("auto", "schema", "text")})
_REQUESTS = {
    Field.TIMEOUT: Further(
        "timeout",
        asks="Seconds after which a request times out and is sent again; empty: not set:",
        read=read_seconds,
        usual="by the token limit and by how long others took",
    ),
    Field.IN_FLIGHT: Further(
        "in_flight",
        asks="The most requests in flight at once; empty: not set:",
        read=read_count,
        usual="as many as the model takes",
    ),
}
_ENGINE = {
    Field.VIA: Further("via", {one: one for one in ("requests", "batch")}),
    Field.RAW: Further("raw", YES),
    **_REQUESTS,
}
_DRAWING = {
    Field.COMPLETION: Further("completion", _WORDS),
    Field.QUESTIONS: Further("questions", _WORDS),
    **_ENGINE,
}

FURTHER: Mapping[Do, Mapping[Field, Further]] = {
    Do.RUN: _DRAWING,
    Do.SAMPLE: _DRAWING,
    Do.GRADE: {
        Field.SURE: Further(
            "sure",
            asks="Leave responses of which form is less sure than this, from 0 to 1; empty: none:",
            read=read_sure,
            usual="not set",
            folded=False,
        ),
        Field.CASCADE: Further("cascade", YES, folded=False),
        Field.REPLIES: _REPLIES,
        **_REQUESTS,
    },
    Do.SCORE: {
        Field.SEED: Further(
            "seeds",
            asks="Seeds of the choice of examples, with commas:",
            read=read_numbers(-(2**63)),
            folded=False,
        ),
        Field.ORDER: Further(
            "orders",
            asks="Orders of the examples, with commas; 0 is the order in which they were chosen:",
            read=read_numbers(0),
            folded=False,
        ),
        Field.FORM: Further(
            "forms",
            asks=f"Forms of the input, with commas: {ZERO_PROMPT}, or of zp-templates:",
            read=read_names,
            folded=False,
        ),
        Field.INJECT: Further(
            "injects",
            asks="Altered examples, with commas, such as incorrect:40:block; empty: none:",
            read=read_injections,
            usual="none",
            folded=False,
        ),
        Field.CHECK: Further("unchecked", {"first": False, "go on as it is": True}),
        **_REQUESTS,
    },
    Do.BENCH: {
        Field.SPLIT: Further(
            "split",
            {UNSET: None, **{one: one for one in ("eval", "subset", "train", "all")}},
            folded=False,
        ),
        Field.ENDPOINT: Further("endpoint", _WORDS),
        **_ENGINE,
    },
    Do.BUILD: {
        Field.PARAGRAPHS: Further("paragraphs", {one: one for one in ("auto", "first", "all")}),
        Field.SEED: Further(
            "seed", asks="Seed of the target:", read=lambda text: read_count(text, -(2**63))
        ),
        Field.UNTIL: Further(
            "until",
            asks="Stop after this stage; empty: go through all:",
            read=read_stage,
            usual="the end",
        ),
        Field.ONLY: Further(
            "only",
            asks="Run only this stage; empty: run all:",
            read=read_stage,
            usual="every stage",
        ),
        Field.REDO: Further(
            "redo",
            asks="Run this stage again where its prompt or model has changed; empty: none:",
            read=read_stage,
            usual="none",
        ),
        Field.REPLIES: _REPLIES,
        **_REQUESTS,
    },
}
"""These fields for each thing to do, with the words of its command."""

BASES: Mapping[Do, str] = {
    Do.RUN: "answered",
    Do.SAMPLE: "answered",
    Do.GRADE: "graded",
    Do.SCORE: "scored",
    Do.BENCH: "arms",
    Do.BUILD: "again",
}
"""Under which name the form has the spec that it begins with."""
