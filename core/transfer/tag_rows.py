"""Tags and standing notes as rows of a file of labels.

A label's row has the tags that its grader put on the answer. What has no such row is a row of its
own without label: of an answer, a question (no model) or a fact (no task). `note` is a note that
belongs to no label.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

import db.model_rows
import db.question_rows
import db.tags_and_notes
from core.alignment.tag_counts import clean_tag
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX
from core.transfer.response_keys import ResponseKeys
from core.transfer.row_values import RowError, quote
from core.vocabulary import TASKS
from db.label_grids import DRAWN
from db.slot_ids import QUESTION_SHIFT, unpack
from db.tags_and_notes import ANSWER, FACT, QUESTION, PlacedTag, StandingNote

TAG_COLUMNS = ("tags", "note")

Said = tuple[list[PlacedTag], list[StandingNote]]
"""Tags and notes of a row."""

_Key = tuple[str, int, str]
"""Kind, target, author."""


def join_tags(
    project: OpenProject, facts: list[int], models: list[str], rows: Iterable[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Rows of labels with tags and standing notes, then what is of no label among them.

    `facts` are ids; answers are those of these models.
    """
    left = _read_all(project)
    keys = ResponseKeys(project.connection, make=False)
    for row in rows:
        found = None
        if row["grader"].startswith(HUMAN_PREFIX):
            found = left.pop((ANSWER, keys.slot(row), row["grader"]), None)
        yield {**row, **(found or dict.fromkeys(TAG_COLUMNS))}
    names = db.model_rows.settings(project.connection)
    places = {int(fact): place for place, fact in enumerate(project.index.ids.tolist())}
    questions = project.index.questions
    at, columns = np.nonzero(questions)
    asked = dict(
        zip(
            questions[at, columns].tolist(),
            zip(at.tolist(), columns.tolist(), strict=True),
            strict=True,
        )
    )
    chosen = {places[fact] for fact in facts}
    for (kind, target, author), said in left.items():
        row = dict.fromkeys(("fact_id", "task", "model", "thinking", "sample"))
        place = places.get(target) if kind == FACT else None
        if kind != FACT:
            question = target >> QUESTION_SHIFT if kind == ANSWER else target
            place, column = asked[question]
            row["task"] = str(TASKS[column])
        if kind == ANSWER:
            _, setting, row["sample"] = unpack(target)
            row["model"], row["thinking"] = names[setting]
            if row["model"] not in models:
                continue
        if place in chosen:
            row["fact_id"] = project.index.fact_ids[place]
            yield {**row, "grader": author, "label": None, "rationale": None, **said}


def _read_all(project: OpenProject) -> dict[_Key, dict[str, Any]]:
    found: dict[_Key, dict[str, Any]] = defaultdict(lambda: {"tags": None, "note": None})
    for one in db.tags_and_notes.read_tagged(project.connection):
        row = found[one.kind, one.target, one.author]
        row["tags"] = [*(row["tags"] or ()), one.tag]
    for note in db.tags_and_notes.read_notes(project.connection):
        found[note.kind, note.target, note.author]["note"] = note.text
    return dict(found)


class TagRows:
    """Takes tags and notes out of the rows of a file of labels."""

    def __init__(self, project: OpenProject, keys: ResponseKeys) -> None:
        self._project, self._keys = project, keys

    def read_row(
        self, row: Mapping[str, Any], at: int
    ) -> tuple[list[PlacedTag], list[StandingNote]]:
        """What a row says beside its label, set at a time where it does not say when.

        Raises `RowError` for tags, notes or authors that are none, or a target that is not there.
        """
        tags, note, author = row.get("tags"), row.get("note"), row.get("grader")
        if not tags and not note:
            return [], []
        if not isinstance(author, str) or not author.startswith(HUMAN_PREFIX):
            raise RowError(f"grader is {quote(author)}: tags and notes are of a person")
        if note is not None and not isinstance(note, str):
            raise RowError(f"note is {quote(note)}, not a text")
        kind, target = self._find_target(row)
        made = [PlacedTag(kind, target, tag, author, at) for tag in _read_tags(tags or [])]
        notes = [StandingNote(kind, target, author, note, at)] if note else []
        return made, notes

    def is_new(self, tags: list[PlacedTag], notes: list[StandingNote]) -> bool:
        """Whether any of it is not there. Raises `RowError` for a note that differs there."""
        connection = self._project.connection
        new = any(
            db.tags_and_notes.find_tag(connection, one.kind, one.target, one.tag) is None
            for one in tags
        )
        for one in notes:
            there = db.tags_and_notes.find_note(connection, one.kind, one.target, one.author)
            if there is not None and there.text != one.text:
                raise RowError("another note of this person is there, and is kept")
            new = new or there is None
        return new

    def land(self, tags: list[PlacedTag], notes: list[StandingNote]) -> None:
        """Write it. In a transaction."""
        for tag in tags:
            db.tags_and_notes.set_tag(self._project.connection, tag)
        for note in notes:
            db.tags_and_notes.set_note(self._project.connection, note)

    def _find_target(self, row: Mapping[str, Any]) -> tuple[str, int]:
        if row.get("sample") is not None:
            slot = self._keys.slot(row)
            if not self._project.grids.at(DRAWN, np.array([slot]))[0]:
                raise RowError("no such response: import the responses first")
            return ANSWER, slot
        fact_id = row.get("fact_id")
        if row.get("task") is not None:
            return QUESTION, self._keys.questions[fact_id, row["task"]]  # type: ignore[index]
        try:
            place = self._project.index.fact_ids.index(str(fact_id))
        except ValueError:
            raise RowError(f"unknown fact {quote(fact_id)}: import its facts first") from None
        return FACT, int(self._project.index.ids[place])


def _read_tags(tags: Any) -> list[str]:
    """A list of tags, or in a table JSON of one, or tags with commas between."""
    found = tags
    if isinstance(tags, str):
        try:
            found = json.loads(tags) if tags.lstrip().startswith("[") else tags.split(",")
        except ValueError:
            raise RowError(f"tags is {quote(tags)}, not a list") from None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise RowError(f"tags is {quote(tags)}, not a list of texts")
    try:
        return [clean_tag(one) for one in found]
    except UsageError as error:
        raise RowError(str(error)) from None
