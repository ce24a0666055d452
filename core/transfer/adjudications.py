"""What people decided, when, between whom, and what they had said before: out and in again."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

import db.model_rows
import db.person_actions
import db.question_rows
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, LAST_LABEL
from core.transfer.row_values import RowError, quote
from core.vocabulary import LABELS, Outcome
from db.person_actions import Action, ActionKind, GraderPair, LabelRecord
from db.slot_ids import slot

Place = tuple[int, int]
"""A response's slot and the grader version of a person."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """One change of a person's label, and whether it was undone."""

    before: LabelRecord | None
    after: LabelRecord | None
    at: int
    undone: bool
    between: GraderPair | None

    def as_json(self) -> dict[str, Any]:
        """An entry of `history`."""
        entry = {
            "at": format_time(self.at),
            "before": _label_as_json(self.before),
            "after": _label_as_json(self.after),
            "undone": self.undone,
        }
        return entry if self.between is None else {**entry, "between": _graders(self.between)}


def changes(project: OpenProject) -> dict[Place, list[Adjudication]]:
    """What people changed, by response and grader version, in the order of time."""
    found = defaultdict(list)
    for undone, one in db.person_actions.label_changes(project.connection):
        assert one.grader is not None
        assert one.before is None or isinstance(one.before, LabelRecord)
        assert one.after is None or isinstance(one.after, LabelRecord)
        change = Adjudication(one.before, one.after, one.at, undone, one.between)
        found[one.target, one.grader].append(change)
    return found


def times(project: OpenProject) -> dict[Place, set[int]]:
    """When people changed their labels, by response and grader version."""
    return {place: {one.at for one in known} for place, known in changes(project).items()}


def read_rows(
    project: OpenProject, facts: Iterable[int], models: Iterable[str]
) -> Iterator[dict[str, Any]]:
    """People's labels of current questions of these facts, as rows of `DECISION_COLUMNS`.

    Facts come in the order given, then tasks, models by name, thinking, samples, people by name.
    A label that was taken back is no decision any more.
    """
    history = changes(project)
    settings = db.model_rows.settings(project.connection)
    wanted = set(models)
    places = _labelled_by_people(project)
    for question in db.question_rows.questions(project.connection, list(facts)):
        here = [
            (*settings[setting], sample, name, place)
            for setting, sample, name, place in places.get(question.id, ())
            if settings[setting][0] in wanted
        ]
        for model, thinking, sample, name, place in sorted(here):
            said = db.person_actions.label(project.connection, *place)
            if said is not None:
                yield {
                    "fact_id": question.fact_id,
                    "task": question.task.value,
                    "model": model,
                    "thinking": thinking,
                    "sample": sample,
                    "grader": name,
                    **_describe_label(said, history.get(place, [])),
                }


def _labelled_by_people(project: OpenProject) -> dict[int, list[tuple[int, int, str, Place]]]:
    """(setting, sample, person, place) of what people labelled, by question id."""
    newest = {one.name: one.plane for one in project.graders() if one.name.startswith(HUMAN_PREFIX)}
    found = defaultdict(list)
    for name, plane in newest.items():
        for setting in project.grids.settings(plane):
            cells = project.grids.cells(plane, setting)
            assert cells is not None
            for sample, question in np.argwhere((cells > 0) & (cells <= LAST_LABEL)).tolist():
                place = slot(question, setting, sample), plane
                found[question].append((setting, sample, name, place))
    return found


def _describe_label(said: LabelRecord, history: list[Adjudication]) -> dict[str, Any]:
    """What a row says of a label as it stands."""
    between = next((one.between for one in reversed(history) if _decides(one, said)), None)
    sides = {} if between is None else _graders(between)
    return {
        "label": _name(said.outcome),
        "rationale": said.note,
        "at": None if said.at is None else format_time(said.at),
        "grader_a": sides.get("a"),
        "label_a": sides.get("label_a"),
        "grader_b": sides.get("b"),
        "label_b": sides.get("label_b"),
        "blind": sides.get("blind"),
        "history": [change.as_json() for change in history] or None,
    }


def _decides(change: Adjudication, said: LabelRecord) -> bool:
    """Whether a change set this label between two graders; notes that came later alter neither."""
    after = change.after
    return (
        not change.undone
        and change.between is not None
        and after is not None
        and (after.outcome, after.at) == (said.outcome, said.at)
    )


def _graders(between: GraderPair) -> dict[str, Any]:
    return {
        "a": between.a,
        "b": between.b,
        "label_a": _name(between.said_a),
        "label_b": _name(between.said_b),
        "blind": between.blind,
    }


def _label_as_json(said: LabelRecord | None) -> dict[str, Any] | None:
    if said is None:
        return None
    time = None if said.at is None else format_time(said.at)
    return {"label": _name(said.outcome), "note": said.note, "at": time}


def _name(outcome: int) -> str | None:
    return Outcome(outcome).name if outcome else None


def format_time(at: int) -> str:
    """A time in milliseconds as ISO 8601 in UTC, such as 2026-03-01T12:00:00.250Z."""
    time = _EPOCH + timedelta(milliseconds=at)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def time_of(value: object) -> int | None:
    """The milliseconds of such a time, None where there is none. Raises `RowError`."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        if time is not None and time.tzinfo is not None and time.astimezone(UTC) >= _EPOCH:
            return (time - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):  # as 9999-12-31T23:59:59-05:00, too late to be written
        pass
    raise RowError(f"at is {quote(value)}, not a time such as 2026-03-01T12:00:00.250Z")


def history_of(value: object) -> list[Adjudication]:
    """The changes in a row's `history`. Raises `RowError` for anything else."""
    if value is None:
        return []
    try:
        if isinstance(value, list):
            return [_change(entry) for entry in value]
    except (KeyError, TypeError, AttributeError):
        pass
    raise RowError(f"history is {quote(value)}, not a list of changes as it is exported")


def _change(entry: Any) -> Adjudication:
    at, undone, sides = time_of(entry["at"]), entry["undone"], entry.get("between")
    if at is None or type(undone) is not bool:
        raise TypeError
    between = None
    if sides is not None:
        graders = sides["a"], sides["b"]
        if not all(isinstance(one, str) for one in graders) or type(sides["blind"]) is not bool:
            raise TypeError
        labels = (_outcome(sides["label_a"]), _outcome(sides["label_b"]))
        between = GraderPair(*graders, *labels, sides["blind"])
    return Adjudication(
        _read_label(entry["before"]), _read_label(entry["after"]), at, undone, between
    )


def _read_label(entry: Any) -> LabelRecord | None:
    if entry is None:
        return None
    outcome, note = _outcome(entry["label"]), entry.get("note")
    if not outcome or not isinstance(note, str | None):
        raise TypeError
    return LabelRecord(outcome, time_of(entry.get("at")), note)


def _outcome(label: object) -> int:
    """The outcome of a label, or of what else a grader came to; 0 for nothing."""
    if label is None:
        return 0
    if label in Outcome.__members__:
        return int(Outcome[str(label)])
    raise RowError(f"unknown label {quote(label)} in history: labels are {', '.join(LABELS)}")


def add(project: OpenProject, place: Place, history: Iterable[Adjudication]) -> None:
    """Note changes that came with a file; nobody's undoing takes them back. In a transaction."""
    slot_, plane = place
    for one in history:
        action = Action(
            db.person_actions.ELSEWHERE,
            ActionKind.LABEL,
            slot_,
            plane,
            one.before,
            one.after,
            one.at,
            between=one.between,
        )
        key = db.person_actions.record(project.connection, action)
        if one.undone:
            db.person_actions.mark_undone(project.connection, key)
