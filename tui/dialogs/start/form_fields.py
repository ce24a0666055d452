"""The fields of the Start dialog's form: for each thing to do, and the options that they have."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from core.sampling.recipe_settings import EFFORTS
from core.vocabulary import ENCODING, KNOWLEDGE

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


DRAWING = (Field.DO, Field.MODEL, Field.CHECK, Field.LABEL, Field.THINKING)


OF_LOGS = (Field.LABEL, Field.PREFIX, Field.CORRECT_AT)


ABOUT = (Field.FACTS, Field.TASKS, Field.ANSWERS)


OF_SCORES = (Field.EXAMPLES, Field.OPTIONS, Field.TOKENS)
"""What the tests of scores take."""


SETTINGS = (Field.TEMPERATURE, Field.EFFORT, Field.LIMIT)
"""What a recipe is given, which else is as the label began."""


TO_GRADE = (Field.MODELS, Field.FACTS, Field.TASKS, Field.SAMPLE, Field.SEED)
"""Which of the responses are graded."""


GROUPS: Mapping[Do, tuple[tuple[Field, ...], ...]] = {
    Do.RUN: (DRAWING, ABOUT, SETTINGS, (Field.GRADER, Field.BUDGET)),
    Do.SAMPLE: (DRAWING, ABOUT, SETTINGS, (Field.BUDGET,)),
    Do.GRADE: ((Field.DO,), TO_GRADE, (Field.GRADER, Field.EFFORT, Field.BUDGET)),
    Do.SCORE: (
        (Field.DO, Field.MODEL, Field.LABEL),
        (Field.SET, Field.RELATIONS, Field.TEST, *OF_SCORES, Field.FACTS),
        (Field.BUDGET,),
    ),
    Do.BENCH: (
        (Field.DO, Field.MODEL, Field.CHECK, Field.LABEL),
        (Field.SET, Field.MODES, Field.KNOWN_BY, Field.FACTS),
        (Field.GRADER, Field.BUDGET),
    ),
    Do.BUILD: (
        (Field.DO, Field.DOCUMENTS),
        (Field.BY, Field.MODEL, Field.GROUNDING, Field.TARGET),
        (Field.BUDGET,),
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
}
"""The options of fields that always have the same."""


PLACES = {
    Field.CHECK: "unchecked",
    Field.THINKING: "thinking",
    Field.FACTS: "facts",
    Field.TASKS: "tasks",
    Field.BY: "ruled",
    Field.TEST: "test",
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
