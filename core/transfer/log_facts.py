"""Which question each row of a log asks; facts that are new are added."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import db.facts
import db.question_rows
from core.exchange.log_columns import LogColumns
from core.project import OpenProject
from core.transfer.response_keys import QUESTIONS_KEPT, QuestionKeys
from core.transfer.row_values import quote
from core.vocabulary import Side, Task
from db.facts import Fact
from db.question_rows import Question, dump_texts

Ints = npt.NDArray[np.int64]

DIRECT, MC_DIRECT = str(Task.DIRECT), str(Task.MC_DIRECT)

Known = dict[str, tuple[int, int]]
"""A question's id and the identity of what it asks, by fact_id."""

_UNKNOWN = (0, None)


@dataclass(slots=True)
class AskedQuestions:
    """The questions (ids) that rows ask, with fact_id and task of each."""

    ids: list[int]
    fact_ids: list[str]
    tasks: list[str]


class LogFacts:
    """The facts that rows of a log ask, as far as they have been met."""

    def __init__(self, project: OpenProject) -> None:
        self._connection = project.connection
        self._keys = QuestionKeys(project.connection)
        self._newest = 0
        self._known: Mapping[str, Known] = {DIRECT: {}, MC_DIRECT: {}}

    def begin(self) -> None:
        """Note what is there; at the start of each transaction."""
        self._newest = db.question_rows.find_last_question(self._connection)

    def is_made(self, questions: Ints) -> npt.NDArray[np.bool_]:
        """Which questions (ids) this transaction has made: they are there for sure."""
        return questions > self._newest

    def find_questions(self, block: LogColumns, refused: dict[int, str]) -> "AskedQuestions":
        """The question that each row asks; of one that is `refused` whatever it may be.

        A sample that names a question that is here, by fact and task, asks that one. Rows whose
        fact is there and another are added to `refused`. In a transaction.
        """
        known, names, identities = self._known[DIRECT], block.fact_ids, _identities(block)
        if len(known) >= QUESTIONS_KEPT:
            for one in self._known.values():
                one.clear()
        if any(block.ours) or any(block.choices) or len(set(names)) < len(names):
            return self._find_each(block, identities, refused)
        if known.keys().isdisjoint(names):
            made = self._add(block, names, range(len(names)), identities)
            if len(made) == len(names):
                return AskedQuestions(list(made), names, [DIRECT] * len(names))
        found = [known.get(name, _UNKNOWN) for name in names]
        if [identity for _, identity in found] != identities:
            return self._find_each(block, identities, refused)
        return AskedQuestions([key for key, _ in found], names, [DIRECT] * len(names))

    def _find_each(
        self, block: LogColumns, identities: Sequence[int], refused: dict[int, str]
    ) -> "AskedQuestions":
        """The same of rows that may be anything."""
        tasks = [MC_DIRECT if choices else DIRECT for choices in block.choices]
        found = AskedQuestions([0] * len(tasks), list(block.fact_ids), tasks)
        new: dict[str, int] = {}
        for row, ours in enumerate(block.ours):
            if ours is not None and self._keys.has((ours[0], ours[1])):
                found.fact_ids[row], tasks[row] = ours
                found.ids[row] = self._keys[ours[0], ours[1]]
            elif found.fact_ids[row] not in self._known[tasks[row]]:
                new.setdefault(found.fact_ids[row], row)
        self._add(block, list(new), list(new.values()), identities)
        for row, (name, task) in enumerate(zip(found.fact_ids, tasks, strict=True)):
            if found.ids[row]:
                continue
            question, identity = self._known[task].get(name, _UNKNOWN)
            if identity == identities[row]:
                found.ids[row] = question
            else:
                refused[row] = self._difference(block, row, task)
        return found

    def _add(
        self,
        block: LogColumns,
        names: Sequence[str],
        rows: Sequence[int],
        identities: Sequence[int],
    ) -> range:
        """Add the facts of rows, but those that are there; all are known from now on.

        Gives the questions that were made.
        """
        golds = [block.golds[row] for row in rows]
        aliases = [block.aliases[row] for row in rows]
        ids = db.facts.add_absent(self._connection, names, golds)
        if None in ids:
            there = [name for name, key in zip(names, ids, strict=True) if key is None]
            for fact in db.facts.read_facts(self._connection, there):
                self._remember(fact)
            new = [place for place, key in enumerate(ids) if key is not None]
            names, rows = [names[one] for one in new], [rows[one] for one in new]
            golds, aliases = [golds[one] for one in new], [aliases[one] for one in new]
        facts = [key for key in ids if key is not None]
        db.facts.add_objects(self._connection, facts, golds, aliases)
        return self._add_questions(block, facts, names, rows, identities)

    def _add_questions(
        self,
        block: LogColumns,
        facts: Sequence[int],
        names: Sequence[str],
        rows: Sequence[int],
        identities: Sequence[int],
    ) -> range:
        """Add the questions of new facts; multiple choice has the plain question beside it."""
        add, texts = db.question_rows.add_questions, [block.questions[row] for row in rows]
        if not any(block.choices):
            ids = add(self._connection, facts, DIRECT, texts)
            found = zip(ids, [identities[row] for row in rows], strict=True)
            self._known[DIRECT].update(zip(names, found, strict=True))
            return ids
        asked: list[tuple[int, str, Task, Question, int]] = []
        for fact, name, row in zip(facts, names, rows, strict=True):
            text, choices = block.questions[row], block.choices[row]
            plain = _identity(text, block.golds[row], block.aliases[row], None)
            asked.append((fact, name, Task.DIRECT, Question(text), plain))
            if choices:
                a, b, c, d = choices
                one = Question(text, (a, b, c, d))
                asked.append((fact, name, Task.MC_DIRECT, one, identities[row]))
        ids = add(
            self._connection,
            [fact for fact, *_ in asked],
            [str(task) for _, _, task, _, _ in asked],
            [one.text for _, _, _, one, _ in asked],
            [db.question_rows.store_choices(name, task, one) for _, name, task, one, _ in asked],
        )
        for question, (_, name, task, _, identity) in zip(ids, asked, strict=True):
            self._known[str(task)][name] = question, identity
        return ids

    def _remember(self, fact: Fact) -> None:
        gold = fact.golds.get(Side.OBJECT)
        for task in (Task.DIRECT, Task.MC_DIRECT):
            asked = fact.questions.get(task)
            if gold is not None and asked is not None:
                aliases = dump_texts(gold.aliases)
                identity = _identity(asked.text, gold.text, aliases, asked.choices)
                question = self._keys[fact.fact_id, str(task)]
                self._known[str(task)][fact.fact_id] = question, identity

    def _difference(self, block: LogColumns, row: int, task: str) -> str:
        """Why a row is of another fact than the one of its id."""
        name = block.fact_ids[row]
        fact = next(iter(db.facts.read_facts(self._connection, [name])))
        asked = fact.questions.get(Task(task)) or fact.questions.get(Task.DIRECT)
        gold, told = fact.golds.get(Side.OBJECT), (block.golds[row], block.aliases[row])
        if asked is None or asked.text != block.questions[row]:
            what = "question"
        elif gold is None or (gold.text, dump_texts(gold.aliases)) != told:
            what = "gold"
        else:
            what = "list of options"
        way = "a prefix (--prefix) gives these another id"
        return f"fact {quote(name)} is there with another {what}: {way}"


def _identities(block: LogColumns) -> list[int]:
    """What each row asks, as a number."""
    told = block.questions, block.golds, block.aliases
    if not any(block.choices):
        return list(map(hash, zip(*told, [None] * len(block.golds), strict=True)))
    return list(map(_identity, *told, block.choices))


def _identity(question: str, gold: str, aliases: str, choices: Iterable[str] | None) -> int:
    """Equal for rows that ask the same; options may stand in any order."""
    return hash((question, gold, aliases, frozenset(choices) if choices else None))
