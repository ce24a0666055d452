"""Facts that were imported without all of their tasks: only those are made.

With a model they go through the stages that make them; without one, what can be made by rule is.
"""

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import dropwhile, takewhile

from rapidfuzz import fuzz

import db.candidates
import db.facts
from core.graders.lexical.dates import dates
from core.graders.lexical.english import FUNCTION_WORDS
from core.graders.lexical.folded_text import stem
from core.graders.lexical.quantities import quantities
from core.pipeline import code_checks, fact_assembly, sentence_splitter, text_match
from core.pipeline.build_scope import FACTS
from core.pipeline.stage import KeptUnit, UnitKind
from core.pipeline.stage_table import BY_NAME, STAGES
from core.pipeline.step_writer import Steps
from core.pipeline.unit_progress import UnitProgress, is_given, read_progress
from core.vocabulary import Side, Task
from db.build_steps import UNCHECKED
from db.connection import write_transaction
from db.facts import Fact

# Tasks made without a model: contextual questions, and choices from other facts' answers.

DISTRACTORS = 3
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_DIGITS = re.compile(r"\d+")
_VALUED = ("DATE", "NUMERIC_VALUE")
_LETTERS = re.compile(r"[^\W\d_]+")
_FAR = math.inf
_ASKING = frozenset({"what", "which", "who", "whom", "whose"})
_SAYS_NOTHING = FUNCTION_WORDS | {"name", "first", "last", "one", "many", "much", "type", "kind"}


@dataclass(frozen=True)
class FactSide:
    """One side of a fact: its text, entity type and aliases, the fact's category, its question."""

    text: str
    type: str
    category: str
    question: str
    aliases: tuple[str, ...] = ()

    @property
    def golds(self) -> list[str]:
        """The answer and its aliases."""
        return [self.text, *self.aliases]

    @cached_property
    def key(self) -> str:
        """What answers have in common that read the same."""
        return text_match.key(self.text)

    @cached_property
    def form(self) -> str:
        """What makes two answers of one type look alike, such as a date's grain or a unit."""
        folded = _THOUSANDS.sub("", text_match.fold(self.text))
        if self.type == "NUMERIC_VALUE":
            return _DIGITS.sub("0", folded)
        if self.type == "DATE":
            return _DIGITS.sub(_year_or_day, _LETTERS.sub("a", folded))
        return "name" if any(map(str.isupper, self.text)) else "term"

    @cached_property
    def kind(self) -> frozenset[str]:
        """Words for what it is: those that its question asks with ("which river"), its last one."""
        asked = iter(text_match.split_words(self.question))
        after = dropwhile(lambda word: word not in _ASKING, asked)
        noun = dropwhile(lambda word: word in _SAYS_NOTHING, after)
        named = takewhile(lambda word: word not in FUNCTION_WORDS, noun)
        return frozenset(stem(word) for word in [*named, *self.key.split()[-1:]])

    @cached_property
    def value(self) -> float | None:
        """The year of a date (days as parts of it), the logarithm of a number's size, or None."""
        folded = text_match.fold(self.text)
        if self.type == "DATE":
            found = [date for date in dates(folded) if date.first is not None]
            return None if not found else _year(found[0].first, found[0].month, found[0].day)
        if self.type == "NUMERIC_VALUE" and (numbers := quantities(folded)):
            return math.log1p(abs(float(numbers[0].value)))
        return None

    def distance(self, other: "FactSide") -> float:
        """How far another answer of the same type is: in value, else in length and letters."""
        if self.type in _VALUED:
            if self.value is None or other.value is None:
                return _FAR
            return abs(self.value - other.value)
        longer = abs(len(self.key.split()) - len(other.key.split()))
        return longer + 1 - fuzz.ratio(self.key, other.key) / 100


class Pool:
    """The answers on one side of all facts, from which distractors are taken."""

    def __init__(self, answers: Iterable[FactSide]) -> None:
        """Answers that read the same count once, in each category."""
        self._of_type: dict[str, dict[tuple[str, str], FactSide]] = defaultdict(dict)
        for answer in answers:
            if answer.key:
                self._of_type[answer.type].setdefault((answer.key, answer.category), answer)

    def choices(self, gold: FactSide) -> list[str] | None:
        """The gold answer and the three other answers of its type that are nearest in kind.

        Those of the same form come first, then those that are asked for by the same word, then
        those of the same category (but for dates and numbers), then the closest; the same facts
        always give the same choices. None where fewer than three others will do.
        """
        question = gold.question
        taken: list[str] = []
        for other in self._nearest(gold):
            if text_match.contains(question, other.text) or text_match.contains(
                gold.text, other.text
            ):
                continue
            if any(
                code_checks.names_gold(question, [one], other.text) for one in [*gold.golds, *taken]
            ):
                continue
            taken.append(other.text)
            if len(taken) == DISTRACTORS:
                return [gold.text, *taken]
        return None

    def _nearest(self, gold: FactSide) -> Iterator[FactSide]:
        others = self._of_type.get(gold.type, {}).values()
        yield from sorted(
            (other for other in others if other.key != gold.key),
            key=lambda other: (
                other.form != gold.form,
                not other.kind & gold.kind,
                other.category != gold.category and gold.type not in _VALUED,
                gold.distance(other),
                other.key,
                other.text,
            ),
        )


def contextual(left_context: str, direct: str, golds: Sequence[str]) -> str | None:
    """The finished sentences of a left context and the direct question after them.

    None where there is no finished sentence, or the answer stands in the result.
    """
    context = sentence_splitter.drop_unfinished(left_context)
    question = f"{context} {direct}"
    if not context or code_checks.holds_answer(question, golds):
        return None
    return question


def _year_or_day(number: re.Match[str]) -> str:
    return "0000" if len(number[0]) > 2 else "0"


def _year(year: int | None, month: int | None, day: int | None) -> float:
    return (year or 0) + ((month or 1) - 1) / 12 + ((day or 1) - 1) / 372


FALLBACK = "fallback"
"""The version of what was made by rule."""

BLOCK = 200
"""Facts in one transaction."""


class IncompleteFacts:
    """The imported facts of a project as units. For the thread that owns the connection."""

    def __init__(self, connection: sqlite3.Connection, job: int | None) -> None:
        self._connection, self._steps = connection, Steps(connection, job)

    def prepare(self) -> Iterator[int]:
        """Make facts that lack tasks units, block by block; gives how many, after each block."""
        lacking = db.candidates.lacking_facts(self._connection)
        for start in range(0, len(lacking), BLOCK):
            block = lacking[start : start + BLOCK]
            with write_transaction(self._connection):
                for fact in block:
                    self._prepare(db.candidates.insert_lacking(self._connection, fact))
            yield len(block)

    def _prepare(self, unit: int) -> None:
        found = read_progress(self._connection, UnitKind.CANDIDATE, unit)
        for stage in STAGES:
            if stage.of is UnitKind.CANDIDATE and is_given(stage, found):
                self._steps.give(stage, found)

    def fall_back(self) -> Iterator[int]:
        """Make by rule what can be, block by block; gives how many tasks, after each block.

        Choices come from the facts that are there, so that the same facts give the same choices.
        """
        units = db.candidates.find_imported(self._connection)
        pools: dict[Side, Pool] = {}
        for start in range(0, len(units), BLOCK):
            made = 0
            with write_transaction(self._connection):
                for unit in units[start : start + BLOCK]:
                    found = read_progress(self._connection, UnitKind.CANDIDATE, unit)
                    if any(name not in found.steps for name in RULED):
                        pools = pools or self._pools()
                        made += self._fall_back(found, pools)
            yield made

    def _pools(self) -> dict[Side, Pool]:
        stored = list(db.facts.read_facts(self._connection))
        return {side: Pool(_answers(stored, side)) for side in Side}

    def _fall_back(self, found: UnitProgress, pools: dict[Side, Pool]) -> int:
        """What can be made for one fact by rule; gives how many tasks."""
        assert found.fact is not None
        before = len(found.fact.questions)
        for name in RULED:
            value = None if name in found.steps else _value(name, found.fact, pools)
            if value is not None:
                stage = BY_NAME[name]
                self._steps.store(stage, found, value, FALLBACK)
                for one in STAGES:
                    if one.task == stage.task and one.name not in found.steps:
                        self._steps.give(one, found, UNCHECKED)
        made = len(fact_assembly.questions_of(found)) - before
        if made > 0:
            self._steps.note(
                BY_NAME[FACTS], found, fact_assembly.write(self._connection, found), FALLBACK
            )
        return max(0, made)


RULED = {"contextual": Side.OBJECT, "choices-direct": Side.OBJECT, "choices-reverse": Side.SUBJECT}
"""The stages for which there is a rule, and the side of the answer."""

ASKED = {Side.OBJECT: Task.DIRECT, Side.SUBJECT: Task.REVERSE}


def _value(stage: str, fact: Fact, pools: dict[Side, Pool]) -> KeptUnit | None:
    side = RULED[stage]
    gold, question = fact.golds.get(side), fact.questions.get(ASKED[side])
    if gold is None or question is None:
        return None
    if stage == "contextual":
        context = fact.questions.get(Task.COMPLETION)
        made = context and contextual(context.text, question.text, gold.texts)
        return KeptUnit({"question": made}) if made else None
    choices = pools[side].choices(_answer(fact, side))
    return None if choices is None else KeptUnit({"choices": choices})


def _answers(stored: list[Fact], side: Side) -> Iterator[FactSide]:
    for fact in stored:
        if side in fact.golds and ASKED[side] in fact.questions:
            yield _answer(fact, side)


def _answer(fact: Fact, side: Side) -> FactSide:
    kind = fact.object_type if side is Side.OBJECT else fact.subject_type
    gold, question = fact.golds[side], fact.questions[ASKED[side]]
    return FactSide(gold.text, kind, fact.category, question.text, gold.aliases)
