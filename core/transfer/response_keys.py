"""From the natural key of a response (fact_id, task, model, thinking, sample) to its slot."""

import re
import sqlite3
from collections.abc import Iterable, Mapping
from typing import Any

import db.model_rows
import db.question_rows
from core.transfer.row_values import RowError, quote, read_json
from core.vocabulary import TASKS
from db.slot_ids import MAX_SAMPLE, slot

_WORDS = {"true": True, "1": True, "on": True, "false": False, "0": False, "off": False}
_DIGITS = re.compile("[0-9]{1,9}")


QUESTIONS_KEPT = 500_000
"""Questions that are known at a time: those of a million facts would take gigabytes."""


class QuestionKeys(dict[tuple[str, str], int]):
    """Question ids by (fact_id, task), read when a fact is first asked for.

    Looking up one that is not there raises `RowError`.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def has(self, key: tuple[str, str]) -> bool:
        """Whether a question is there."""
        return key in self or key[1] in self._read_questions(key[0])

    def __missing__(self, key: tuple[object, object]) -> int:
        fact_id, task = key
        if task not in TASKS:
            raise RowError(f"unknown task {quote(task)}: tasks are {', '.join(TASKS)}")
        name = str(fact_id) if type(fact_id) is int else fact_id
        there = self._read_questions(name) if isinstance(name, str) else {}
        if task in there:
            return there[str(task)]
        if there:
            raise RowError(f"fact {quote(name)} has no task {task}")
        raise RowError(f"unknown fact {quote(name)}: import its facts first")

    def _read_questions(self, fact_id: str) -> Mapping[str, int]:
        """Ids of the questions of a fact by task; they are known from now on."""
        found = db.question_rows.question_ids(self._connection, fact_id)
        if len(self) >= QUESTIONS_KEPT:
            self.clear()
        self.update({(fact_id, task): question for task, question in found.items()})
        return found


class QuestionOptions(dict[int, tuple[str, ...] | None]):
    """The options of questions by their ids, read when first asked for; None without any."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def __missing__(self, question: int) -> tuple[str, ...] | None:
        if len(self) >= QUESTIONS_KEPT:
            self.clear()
        self[question] = db.question_rows.options_of(self._connection, question)
        return self[question]


class SettingKeys(dict[tuple[str, bool], int]):
    """Setting ids by (model, thinking); one that is not there is made, or raises `RowError`.

    It is made inside a transaction.
    """

    def __init__(self, connection: sqlite3.Connection, make: bool) -> None:
        super().__init__({name: key for key, name in db.model_rows.settings(connection).items()})
        self._connection = connection
        self._make = make

    def __missing__(self, key: tuple[str, bool]) -> int:
        model, thinking = key
        _check_model(model)
        if not self._make:
            mode = "on" if thinking else "off"
            raise RowError(f"no responses of {quote(model)} with thinking {mode} here")
        self[key] = db.model_rows.ensure_setting(self._connection, model, thinking)
        return self[key]


class SettingPlaces(dict[tuple[str, bool], int]):
    """Places of (model, thinking) in the order of their coming; a bad model raises `RowError`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection
        self._names: list[tuple[str, bool]] = []
        self._ids: dict[int, int] = {}

    def __missing__(self, key: tuple[str, bool]) -> int:
        _check_model(key[0])
        self._names.append(key)
        self[key] = len(self._names) - 1
        return self[key]

    def find_id(self, place: int) -> int:
        """The id of a setting, made where it is new. In a transaction."""
        if place not in self._ids:
            name = self._names[place]
            self._ids[place] = db.model_rows.ensure_setting(self._connection, *name)
        return self._ids[place]


class AnswerKeys:
    """What names a response in a file, read without writing: settings have no ids yet."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.questions = QuestionKeys(connection)
        self.settings = SettingPlaces(connection)


class ResponseKeys:
    """The questions and settings of a database, by the names that files use."""

    def __init__(
        self, connection: sqlite3.Connection, make: bool, questions: QuestionKeys | None = None
    ) -> None:
        """`make` says whether a setting that is new is made.

        `questions` are those of the database, where somebody looks them up already.
        """
        self.questions = QuestionKeys(connection) if questions is None else questions
        self._settings = SettingKeys(connection, make)

    def setting(self, model: str, thinking: bool) -> int:
        """The id of a setting. Raises `RowError`."""
        return self._settings[model, thinking]

    def slot(self, row: Mapping[str, Any]) -> int:
        """The slot of a row. Raises `RowError`, `KeyError` or `TypeError`: see `explain_misfit`."""
        check_draws((row["thinking"],), (row["sample"],))
        question = self.questions[row["fact_id"], row["task"]]
        setting = self._settings[row["model"], row["thinking"]]
        return slot(question, setting, row["sample"])


def check_draws(thinking: Iterable[object], samples: Iterable[object]) -> None:
    """Raise `RowError` where a row does not say whether a model thought, or which sample it is."""
    for value in thinking:
        if type(value) is not bool:
            raise RowError(_explain_value("thinking", value, "true or false"))
    for value in samples:
        if type(value) is not int or not 0 <= value <= MAX_SAMPLE:
            raise RowError(_explain_value("sample", value, f"a whole number up to {MAX_SAMPLE}"))


def check_texts(values: Iterable[object], key: str) -> None:
    """Raise `RowError` where one of the values that rows have under a key is no text."""
    for value in values:
        if type(value) is not str:
            raise RowError(_explain_value(key, value, "a text"))


def _check_model(model: object) -> None:
    if not isinstance(model, str) or not model.strip():
        raise RowError(f"model is {quote(model)}, not a name")


def explain_misfit(row: Mapping[str, Any], needs: Iterable[str], error: Exception) -> str:
    """Why a row is no row of its format, given the error it led to, in words for people."""
    missing = [key for key in needs if row.get(key) in (None, "")]
    if missing:
        return f"missing: {', '.join(missing)}"
    if isinstance(error, RowError):
        return str(error)
    wrong = [key for key in needs if isinstance(row[key], list | dict)]
    if wrong:
        return _explain_value(wrong[0], row[wrong[0]], "a single value")
    return _explain_value("grades", row.get("grades"), "labels by grader")


def parse_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table, whose cells may be text, with values as what they stand for.

    Empty cells are none, except for the text of a response. Raises `RowError`.
    """
    cells = {key: cell for key, cell in row.items() if cell != "" or key == "response"}
    thinking, sample = cells.get("thinking"), cells.get("sample")
    if isinstance(thinking, str):
        cells["thinking"] = _WORDS.get(thinking.strip().lower(), thinking)
    if isinstance(sample, str) and _DIGITS.fullmatch(sample.strip()):
        cells["sample"] = int(sample)
    for key in ("grades", "shown_order", "history"):
        if key in cells:
            cells[key] = read_json(cells[key], key)
    return cells


def truth_of(value: Any, key: str = "thinking") -> bool:
    """Whether a model was thinking, or the like, as a table says it. Raises `RowError`."""
    found = _WORDS.get(value.strip().lower()) if isinstance(value, str) else value
    if found in (0, 1) and isinstance(found, bool | int | float):
        return bool(found)
    raise RowError(_explain_value(key, value, "true or false"))


def _explain_value(key: str, value: object, wanted: str) -> str:
    return f"{key} is {quote(value)}, not {wanted}"
