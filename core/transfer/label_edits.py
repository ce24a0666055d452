"""People's labels as edits of the scores that they differ from, in logs of Inspect.

An edit has a value of the score's own kind: letters, words, booleans or numbers. What a kind
cannot say, such as OTHER as a number, is left out and reported.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import db.grades
import db.response_sources
from core.errors import UsageError
from core.exchange.score_labels import ScoreReader
from core.project import OpenProject
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.vocabulary import Label, Outcome
from db.response_sources import ResponseSource, SourceScore

INSPECT = "inspect"
"""The format of the logs whose scores can be edited."""

EDIT_COLUMNS = (
    *("log", "eval_id", "sample_id", "epoch", "uuid"),
    *("score", "value", "was", "author", "reason", "timestamp"),
)

Kind = Mapping[Label, Any]
"""What a kind of score says for a label; labels that it cannot say are absent."""

LETTERS: Kind = dict(zip(Label, "CIPN", strict=True))
_BOOLEANS: Kind = {Label.CORRECT: True, Label.INCORRECT: False}
_NUMBERS: Kind = {Label.CORRECT: 1, Label.INCORRECT: 0, Label.PARTIALLY: 0.5}
_TEXTS: tuple[Kind, ...] = (
    LETTERS,
    {label: str(label) for label in Label},
    *(
        {Label.CORRECT: right, Label.INCORRECT: wrong}
        for right, wrong in (("yes", "no"), ("true", "false"), ("pass", "fail"))
    ),
    {label: str(value) for label, value in _NUMBERS.items()},
)


@dataclass(frozen=True, slots=True)
class LabelEdit:
    """A score that a person's label differs from; of a score that is a dict, one `part` of it.

    `text` is the answer as it was imported, `at` the label's time in milliseconds.
    """

    source: ResponseSource
    score: str
    part: str | None
    label: Label
    value: Any
    was: Any
    author: str
    reason: str | None
    at: int | None

    @property
    def name(self) -> str:
        """The score as it is called here."""
        return _name(self.score, self.part)

    def as_row(self) -> dict[str, Any]:
        """The edit as a line of a file."""
        time = None if self.at is None else datetime.fromtimestamp(self.at / 1000, UTC)
        return {
            "log": self.source.file.name,
            "eval_id": self.source.file.eval_id,
            "sample_id": self.source.sample_id,
            "epoch": self.source.epoch,
            "uuid": self.source.uuid,
            "score": self.name,
            "value": self.value,
            "was": self.was,
            "author": self.author,
            "reason": self.reason,
            "timestamp": time and time.isoformat(timespec="milliseconds"),
        }


@dataclass(slots=True)
class LabelEdits:
    """Edits of one score, and people's labels that its kind of value cannot say."""

    score: str
    edits: list[LabelEdit] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """A line each."""


def find_edits(
    project: OpenProject,
    score: str | None = None,
    graders: Sequence[str] | None = None,
    wanted: Callable[[int], bool] = lambda slot: True,
) -> LabelEdits:
    """The newest label of each answer out of a log of Inspect, where a score says otherwise.

    `graders` are people whose labels alone count, in this order; None: anybody's. `wanted` says
    of a slot whether it is looked at. Raises
    `UsageError` for one who is no person, and where it is not clear which score is meant.
    """
    connection = project.connection
    sources = {
        one.response: one for one in db.response_sources.read_log_sources(connection, INSPECT)
    }
    by_people = {
        slot: one
        for slot, one in _people(project, graders).items()
        if slot in sources and wanted(slot)
    }
    scores = [one for one in db.response_sources.scores(connection) if one.response in sources]
    touched = {sources[slot].file for slot in by_people}
    chosen = _choose(score, scores, {one for one in sources if sources[one].file in touched})
    said = {one.response: one for one in scores if _name(one.score, one.part) == chosen}
    files = {sources[slot].file for slot in said}
    usual = next((kind for one in said.values() if (kind := find_kind(one.value))), LETTERS)
    found = LabelEdits(chosen)
    for slot, (author, label, at, reason) in by_people.items():
        if files and sources[slot].file not in files:
            continue  # a score of other logs
        there = said.get(slot)
        was = None if there is None or _is_unscored(there.value) else there.value
        value = (find_kind(was) or usual).get(label)
        if there is not None and (value == was or _label(project, there) is label):
            continue
        source = sources[slot]
        if value is None:
            found.left_out.append(
                f"{source.file.name}, {source.sample_id}/{source.epoch}: {chosen} has no value "
                f"for {label} by {author}"
            )
            continue
        name, part = (there.score, there.part) if there else (chosen, None)
        found.edits.append(LabelEdit(source, name, part, label, value, was, author, reason, at))
    return found


def _choose(asked: str | None, scores: Sequence[SourceScore], touched: Collection[int]) -> str:
    """The score that is edited: the one that logs have of which people labelled answers (slots)."""
    if asked is not None:
        return asked
    if not scores:
        raise UsageError(
            "no log of Inspect with scores was imported: name a new score with --score"
        )
    there = scores if not touched else [one for one in scores if one.response in touched]
    names = list(dict.fromkeys(_name(one.score, one.part) for one in there))
    if len(names) > 1 and touched:
        raise UsageError(f"these logs have several scores: choose with --score {', '.join(names)}")
    if not names:
        raise UsageError("the logs of these labels have no scores: name a new one with --score")
    return names[0]


def _name(score: str, part: str | None) -> str:
    return score if part is None else f"{score}.{part}"


def _is_unscored(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def find_kind(value: Any) -> Kind | None:
    """The kind of values that a score has; None for one that is no grade."""
    if isinstance(value, bool):
        return _BOOLEANS
    if isinstance(value, int | float) and not _is_unscored(value):
        return _NUMBERS
    if not isinstance(value, str):
        return None
    word = value.strip()
    for kind in _TEXTS:
        if word.lower() in (str(one).lower() for one in kind.values()):
            return kind if word in kind.values() else _match_case(kind, word)
    return _TEXTS[-1] if word.replace(".", "", 1).isdigit() else LETTERS


def _match_case(kind: Kind, word: str) -> Kind:
    """The kind in the letter case of a word, where that is plain."""
    change = next((one for one in (str.lower, str.upper, str.title) if one(word) == word), str)
    return {label: change(value) for label, value in kind.items()}


def _label(project: OpenProject, score: SourceScore) -> Label | None:
    """What a score says as it stands.

    What an import was told of numbers between 0 and 1, and of words, only its grader's label says.
    """
    read = ScoreReader().read_score(score.value).label
    told = isinstance(score.value, float) and 0 < score.value < 1
    if read is not None and not told:
        return Label(read)
    import numpy as np

    outcome = int(project.grids.at(score.grader, np.array([score.response], np.int64))[0])
    return Label(Outcome(outcome).name) if 0 < outcome <= len(Label) else None


Said = tuple[str, Label, int | None, str | None]
"""Author, label, time in milliseconds, reason."""


def _people(project: OpenProject, graders: Sequence[str] | None) -> dict[int, Said]:
    """The newest label of each response by a person, or by the first of these who has one."""
    asked = None if graders is None or PEOPLE in graders else list(graders)
    if asked is not None and (others := [one for one in asked if not one.startswith(HUMAN_PREFIX)]):
        raise UsageError(f"{others[0]} is no person: edits are people's, as in --grader human:NAME")
    ranks = {name: place for place, name in enumerate(reversed(asked or ()))}
    found: dict[int, tuple[int, Said]] = {}
    for slot, grader, outcome, at, reason in db.grades.read_by_prefix(
        project.connection, HUMAN_PREFIX
    ):
        if asked is not None and grader not in ranks:
            continue
        rank = ranks.get(grader, 0)
        if slot not in found or rank >= found[slot][0]:
            label = Label(Outcome(outcome).name)
            found[slot] = rank, (grader.removeprefix(HUMAN_PREFIX), label, at, reason)
    return {slot: said for slot, (_, said) in found.items()}
