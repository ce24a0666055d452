"""Facts between rows and the database."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import db.facts
from core.dataset import choice_options
from core.project import OpenProject
from core.transfer.choice_columns import Four, options
from core.transfer.file_formats import (
    ANSWERS,
    FACT_COLUMNS,
    FACT_TEXTS,
    OPTIONAL_COLUMNS,
    QUESTIONS,
)
from core.transfer.import_report import ImportReport
from core.transfer.row_values import RowError, page_created, quote, read_json, text, views
from core.vocabulary import TASKS, Side, Task
from db.facts import Fact
from db.foreign_key_checks import write_unchecked
from db.question_rows import Gold, Question, StoredQuestion

FACTS_AT_ONCE = 2_000
"""Facts that go into a transaction: each has ten questions, as a rule."""

DATASET_COLUMNS = ("id", "input", "target", "choices", "metadata")

_DIRECTION = {Side.OBJECT: "direct", Side.SUBJECT: "reverse"}


def parse(row: Mapping[str, Any]) -> Fact:
    """The fact in a row of the `wikiprofile` or `facts` format. Raises `RowError`."""
    fact_id = text(row, "fact_id")
    if not fact_id:
        raise RowError("missing: fact_id")
    plain = {key: text(row, key) for key in FACT_TEXTS}
    answers = {key: text(row, key) for key in ANSWERS}
    asked = {Task(key): text(row, key) for key in QUESTIONS}
    if not any(answers.values()):
        raise RowError(f"no answer: one of {', '.join(ANSWERS)} is needed")
    if not any(asked.values()):
        raise RowError(f"no question: one of {', '.join(QUESTIONS)} is needed")
    golds = {side: gold for side in Side if (gold := _gold(side, answers, asked)).text}
    for side, direction in _DIRECTION.items():
        named = _aliases(row, f"{direction}_aliases")
        if named is not None and side in golds:
            golds[side] = Gold(golds[side].text, named)
    four = {
        side: options(row.get(key), key, golds[side].text if side in golds else "")
        for side, direction in _DIRECTION.items()
        for key in [f"{direction}_choices"]
    }
    return Fact(
        fact_id=fact_id,
        views=views(row.get("gbc"), "gbc"),
        golds=golds,
        questions=_questions(asked, four),
        page_created=page_created(row.get("page_created")),
        **plain,
    )


def _aliases(row: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    """The other names that a row gives a gold; None where it says nothing of them."""
    value = row.get(key)
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    found = read_json(value, key)
    if not isinstance(found, list) or not all(
        isinstance(one, str) and one.strip() for one in found
    ):
        raise RowError(f"{key} is {quote(value)}, not a list of texts")
    return tuple(dict.fromkeys(one.strip() for one in found))


def _imply_aliases(gold: Gold, entity: str) -> tuple[str, ...]:
    """The aliases of a gold of which a row says nothing: the entity, where that is another."""
    return (entity,) if entity and entity != gold.text else ()


def _gold(side: Side, answers: Mapping[str, str], asked: Mapping[Task, str]) -> Gold:
    """The gold of one side; empty where the row gives none and no question needs it.

    An entity that no question asks for stays an entity: so a row without its answer column is
    written as it was read.
    """
    key = f"{_DIRECTION[side]}_answer"
    answer, entity = answers[key], answers[side.value]
    needed = [task for task, question in asked.items() if question and task.side is side]
    if answer:
        return Gold(answer, _imply_aliases(Gold(answer), entity))
    if needed and not (answer or entity):
        raise RowError(f"{needed[0]} has no answer: {key} or {side.value} is needed")
    return Gold(entity if needed else "")


def _questions(asked: Mapping[Task, str], four: Mapping[Side, Four | None]) -> dict[Task, Question]:
    found = {}
    for task in TASKS:
        question = asked[task.asks]
        if question and not task.is_choice:
            found[task] = Question(question)
        elif question and (choices := four[task.side]):
            found[task] = Question(question, choices)
    return found


def as_row(fact: Fact) -> dict[str, Any]:
    """A fact under the columns of the format; missing texts are `""`, missing views None.

    Aliases are there only where they are not those that the other columns imply.
    """
    row: dict[str, Any] = dict.fromkeys((*FACT_COLUMNS, *OPTIONAL_COLUMNS), "")
    row.update({key: getattr(fact, key) for key in FACT_TEXTS})
    row.update({"fact_id": fact.fact_id, "gbc": fact.views, "page_created": fact.page_created})
    row.update({f"{_DIRECTION[side]}_answer": gold.text for side, gold in fact.golds.items()})
    for side, gold in fact.golds.items():
        if gold.aliases != _imply_aliases(gold, getattr(fact, side.value)):
            aliases = json.dumps(gold.aliases, ensure_ascii=False)
            row[f"{_DIRECTION[side]}_aliases"] = aliases
    for task, question in fact.questions.items():
        if question.choices is None:
            row[task.value] = question.text
        else:
            row[f"{_DIRECTION[task.side]}_choices"] = json.dumps(
                question.choices, ensure_ascii=False
            )
    return row


def dataset_rows(questions: Iterable[StoredQuestion]) -> Iterator[dict[str, Any]]:
    """Questions as a data set of Inspect: a sample each, with options as sample 0 sees them.

    A sample says whose question it is: a log of its answers lands on that fact.
    """
    for one in questions:
        row: dict[str, Any] = {"id": f"{one.fact_id}/{one.task}", "input": one.text}
        if one.choices is None:
            row["target"] = one.gold.text if not one.gold.aliases else list(one.gold.texts)
        else:
            gold = choice_options.gold_option(one.choices, one.gold.text)
            shown = choice_options.shown_order(one.choices, gold, one.seed or 0, 0)
            row |= {"target": "ABCD"[shown.index(gold)], "choices": list(shown)}
        yield row | {"metadata": {"fact_id": one.fact_id, "task": str(one.task)}}


class Facts:
    """Takes the rows of one file, batch by batch."""

    def __init__(self, project: OpenProject, report: ImportReport) -> None:
        self._connection = project.connection
        self._report = report

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add the facts that are new, in one transaction; those there must be the same."""
        batch = self._report.parse_each(rows, parse)
        with write_unchecked(self._connection):
            db.facts.insert(self._connection, self._find_fresh(batch))

    def _find_fresh(self, batch: Sequence[tuple[int, Fact]]) -> list[Fact]:
        ids = [fact.fact_id for _, fact in batch]
        known = {fact.fact_id: as_row(fact) for fact in db.facts.read_facts(self._connection, ids)}
        fresh = []
        for line, fact in batch:
            row = as_row(fact)
            there = known.setdefault(fact.fact_id, row)
            said = [key for key in row if row[key] or key not in OPTIONAL_COLUMNS]
            differ = [key for key in said if row[key] != there[key]]
            if differ:
                self._report.refuse(
                    line,
                    f"fact {quote(fact.fact_id)} is there with another {', '.join(differ)}: "
                    "the first is kept",
                )
                continue
            self._report.count(there is row)
            if there is row:
                fresh.append(fact)
        return fresh
