"""Log probabilities of options, and responses, between rows and the database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import db.model_rows
import db.option_scores
import db.relations
from core.dataset.seeded_order import key_of
from core.errors import UsageError
from core.project import OpenProject
from core.scoring.latent_verdicts import ZERO_PROMPT
from core.specs.file_specs import ImportWords
from core.transfer.import_report import ImportReport
from core.transfer.row_source import RowSource
from core.transfer.row_values import (
    MOST,
    RowError,
    find_double,
    quote,
    read_json,
    text,
    whole_number,
)
from core.zero_prompt import score_writer
from core.zero_prompt.examples import parse_injection
from core.zero_prompt.response_check import MOST_TOKENS
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.score_writer import GradedScore, texts_of
from core.zero_prompt.scores import is_overlapping, is_usable
from core.zero_prompt.stored_relations import StoredRelation, read_relations
from core.zero_prompt.stored_scores import key_of_series, setup_of
from core.zero_prompt.training_split import Triple
from db.connection import write_transaction
from db.option_scores import (
    RESPONSE_TOKENS,
    RESPONSES,
    OptionList,
    OptionNumbers,
    ScoreSeries,
    SeriesKey,
    StoredScore,
)

OVERLAP = "the options' probabilities sum above 1: some begin others; kept, and counted apart"


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A row: the fact, the series, options (the gold first) with log probabilities, a response.

    `options` is None where they have no texts, and empty where there are no log probabilities.
    """

    fact_id: str
    key: SeriesKey
    options: tuple[str, ...] | None
    logprobs: tuple[float | None, ...]
    response: str | None


def setup_in(row: Mapping[str, Any], options: int) -> Setup:
    """The setup that a row names. Raises `RowError`."""
    inject = text(row, "inject") or None
    try:
        inject = inject and str(parse_injection(inject))
    except UsageError as error:
        raise RowError(str(error)) from None
    return Setup(
        text(row, "form") or ZERO_PROMPT,
        whole_number(row, "n", None),
        whole_number(row, "seed", 0, -MOST),
        whole_number(row, "order", 0),
        inject,
        options,
        _tokens(row),
    )


def _tokens(row: Mapping[str, Any]) -> int:
    """How far a model went on, as a row says. Raises `RowError`."""
    tokens = whole_number(row, "tokens", RESPONSE_TOKENS)
    if not 1 <= tokens <= MOST_TOKENS:
        raise RowError(f"tokens is {tokens:,}, not 1 to {MOST_TOKENS}")
    return tokens


def logprob(value: object) -> float | None:
    """A log probability as a file may have it; None for none. Raises `RowError`."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RowError(f"logprobs has {quote(value)}, not a number or null")
    try:
        return float(value)
    except OverflowError:
        return np.inf


class FactTriples:
    """The triples of a project by the ids of their facts, rejected ones too."""

    def __init__(self, project: OpenProject) -> None:
        rows = [one for one in db.relations.relations(project.connection) if one.name]
        self._found: dict[str, tuple[StoredRelation, Triple]] = {
            one.id: (relation, one)
            for relation in read_relations(project, rows, rejected=True)
            for one in relation.relation.rows
        }
        self._keys: dict[str, str] = {}

    def find(self, fact_id: str) -> tuple[StoredRelation, Triple]:
        """A triple and its relation. Raises `RowError` for a fact that is none."""
        found = self._found.get(fact_id)
        if found is None:
            raise RowError(f"unknown fact {quote(fact_id)}: import its triples first")
        return found

    def key(self, text: str) -> str:
        """A text as it is compared; most texts come many times."""
        found = self._keys.get(text)
        if found is None:
            found = self._keys[text] = key_of(text)
        return found

    def gold_place(self, fact_id: str, options: Sequence[str]) -> int:
        """Where the gold stands among options. Raises `RowError` where they cannot be those."""
        relation, triple = self.find(fact_id)
        gold = self.key(triple.object)
        keys = [self.key(one) for one in options]
        if keys.count(gold) != 1:
            times = "is not" if gold not in keys else "stands twice"
            raise RowError(f"the gold {quote(triple.object)} {times} among the options")
        right = relation.relation.subjects[key_of(triple.subject)]
        for key, option in zip(keys, options, strict=True):
            if key != gold and key in right:
                raise RowError(f"option {quote(option)} is another right object")
        return keys.index(gold)


def parse(row: Mapping[str, Any], triples: FactTriples) -> ScoreRow:
    """The score in a row of `zp-scores`. Raises `RowError`."""
    fact_id, model = text(row, "id"), text(row, "model")
    if not fact_id or not model:
        raise RowError(f"missing: {'model' if fact_id else 'id'}")
    triples.find(fact_id)
    options, logprobs = _list(row, "options"), _list(row, "logprobs")
    response = row.get("response")
    if response is not None and not isinstance(response, str):
        raise RowError(f"response is {quote(response)}, not a text")
    if (options is None) != (logprobs is None):
        raise RowError(f"missing: {'options' if options is None else 'logprobs'}")
    if options is None or logprobs is None:
        if response is None:
            raise RowError("neither options with logprobs nor a response")
        return ScoreRow(fact_id, key_of_series(model, setup_in(row, RESPONSES)), (), (), response)
    if len(options) != len(logprobs):
        raise RowError(f"{len(options):,} options with {len(logprobs):,} logprobs")
    if wrong := [one for one in options if not isinstance(one, str)]:
        raise RowError(f"options has {quote(wrong[0])}, not a text")
    if (twice := find_double(options)) is not None:
        raise RowError(f"option {quote(twice)} stands twice")
    numbers = [logprob(one) for one in logprobs]
    gold = triples.gold_place(fact_id, options)
    key = key_of_series(model, setup_in(row, len(options)))
    if key.tokens != RESPONSE_TOKENS:
        raise RowError(f"options beside tokens {key.tokens}: give such a response a row of its own")
    return ScoreRow(fact_id, key, _move_first(options, gold), _move_first(numbers, gold), response)


def _move_first(values: Sequence[Any], place: int) -> tuple[Any, ...]:
    """Values with that of one place in front."""
    return (values[place], *values[:place], *values[place + 1 :])


def _list(row: Mapping[str, Any], key: str) -> list[Any] | None:
    value = row.get(key)
    if value is None or value == "":
        return None
    found = read_json(value, key)
    if not isinstance(found, list) or not found:
        raise RowError(f"{key} is {quote(value)}, not a list")
    return found


@dataclass(slots=True)
class _FreshScores:
    """What a batch brings to a series."""

    added: dict[int, GradedScore] = field(default_factory=dict)
    changed: dict[int, GradedScore] = field(default_factory=dict)


class ScoreRows:
    """Takes the rows of one file, batch by batch."""

    def __init__(
        self, project: OpenProject, source: RowSource, report: ImportReport, words: ImportWords
    ) -> None:
        self._project = project
        self._report = report
        self._cells = source.cells
        self._triples = FactTriples(project)
        self._numbers: OptionNumbers | None = None

    def land(self, rows: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Add what is new in these rows, in one transaction."""
        batch = []
        for line, row in rows:
            try:
                if self._cells and row.get("response") == "":
                    row = {**row, "response": None}  # noqa: PLW2901
                batch.append((line, parse(row, self._triples)))
            except RowError as error:
                self._report.refuse(line, str(error))
        self.store(batch)

    def store(self, batch: Sequence[tuple[int, ScoreRow]]) -> None:
        """Keep what is new of rows with their lines, in one transaction; the rest is counted."""
        connection = self._project.connection
        with write_transaction(connection):
            if self._numbers is None:
                self._numbers = OptionNumbers(connection)
            lists = _Lists(self._project, self._numbers, {self._fact(row) for _, row in batch})
            ids = {one.key: one.id for one in db.option_scores.read_series(connection)}
            by_key: dict[SeriesKey, list[tuple[int, ScoreRow]]] = {}
            for line, row in batch:
                by_key.setdefault(row.key, []).append((line, row))
            for key, mine in by_key.items():
                fresh = self._sift(mine, ids.get(key, 0), lists)
                if fresh.added or fresh.changed:
                    model = db.model_rows.ensure_model(connection, key.model)
                    series = db.option_scores.ensure_series(connection, key, model)
                    score_writer.write(
                        self._project,
                        series,
                        list(fresh.added.values()),
                        list(fresh.changed.values()),
                    )

    def _fact(self, row: ScoreRow) -> int:
        relation, _ = self._triples.find(row.fact_id)
        return relation.facts[row.fact_id]

    def _sift(
        self, rows: Sequence[tuple[int, ScoreRow]], series: int, lists: "_Lists"
    ) -> _FreshScores:
        facts = {self._fact(row) for _, row in rows}
        there = db.option_scores.scores_at(self._project.connection, series, facts)
        fresh = _FreshScores()
        for line, row in rows:
            fact = self._fact(row)
            old = there.get(fact)
            new = lists.score(fact, row)
            merged, clash = _merge(old, new)
            if clash is not None:
                self._report.refuse(line, clash)
                continue
            self._report.count(merged is not old)
            if new.logprobs is not None and is_overlapping(new.logprobs):
                self._report.told.add(OVERLAP, line)
            if merged is old or merged is None:
                continue
            there[fact] = merged
            _, triple = self._triples.find(row.fact_id)
            graded = GradedScore(merged, (triple.object, *triple.aliases))
            is_new = old is None or fact in fresh.added
            (fresh.added if is_new else fresh.changed)[fact] = graded
        return fresh


class _Lists:
    """Lists of options of some facts: those that are there, and those that rows bring."""

    def __init__(self, project: OpenProject, numbers: OptionNumbers, facts: set[int]) -> None:
        self._connection = project.connection
        self._numbers = numbers
        self._found: dict[tuple[int, int, tuple[int, ...] | None], OptionList] = {}
        for one in db.option_scores.lists_of(self._connection, facts):
            self._keep(one)

    def _keep(self, one: OptionList) -> None:
        sought = None if one.texts is None else tuple(sorted(one.texts))
        self._found.setdefault((one.fact, one.length, sought), one)

    def score(self, fact: int, row: ScoreRow) -> StoredScore:
        """A row's score, its log probabilities in the order of the list that they are of."""
        if not row.logprobs:
            return StoredScore(fact, None, None, row.response)
        with np.errstate(over="ignore"):
            logprobs = np.array(
                [np.nan if one is None else one for one in row.logprobs], np.float64
            ).astype(np.float32)
        if row.options is None:
            found = self._ensure(fact, len(row.logprobs), None)
            return StoredScore(fact, found.id, logprobs, row.response)
        numbers = tuple(self._numbers[one] for one in row.options)
        found = self._ensure(fact, len(numbers), numbers)
        if found.texts is not None and found.texts != numbers:
            place = {number: at for at, number in enumerate(numbers)}
            logprobs = logprobs[[place[number] for number in found.texts]]
        return StoredScore(fact, found.id, logprobs, row.response)

    def _ensure(self, fact: int, length: int, numbers: tuple[int, ...] | None) -> OptionList:
        sought = None if numbers is None else tuple(sorted(numbers))
        found = self._found.get((fact, length, sought))
        if found is None:
            key = db.option_scores.insert_list(self._connection, fact, length, numbers)
            found = OptionList(key, fact, length, numbers)
            self._keep(found)
        return found


def _merge(old: StoredScore | None, new: StoredScore) -> tuple[StoredScore | None, str | None]:
    """What becomes of a score (`old` itself where nothing does), or why the row cannot land.

    Log probabilities take the place of those that failed.
    """
    if old is None:
        return new, None
    if new.response is not None and old.response not in (None, new.response):
        return None, "this score is there with another response, which is kept"
    response = new.response if old.response is None else old.response
    merged = replace(old, response=response) if response != old.response else old
    if new.logprobs is None or _is_same(old, new):
        return merged, None
    failed = old.logprobs is None or not is_usable(old.logprobs.tolist())
    if failed and (old.logprobs is None or is_usable(new.logprobs.tolist())):
        return replace(merged, option_list=new.option_list, logprobs=new.logprobs), None
    what = "other options" if old.option_list != new.option_list else "other numbers"
    return None, f"this score is there with {what}, which are kept"


def _is_same(old: StoredScore, new: StoredScore) -> bool:
    return (
        old.option_list == new.option_list
        and old.logprobs is not None
        and new.logprobs is not None
        and old.logprobs.tobytes() == new.logprobs.tobytes()
    )


def export_rows(project: OpenProject, models: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """All scores as rows of `zp-scores`, series by series; options without texts are left out.

    Where both tests were made of a fact, its response stands in the row of its options.
    """
    connection = project.connection
    texts = db.option_scores.option_texts(connection)
    lists = {one.id: one for one in db.option_scores.lists_of(connection)}
    names = dict(zip(project.index.ids.tolist(), project.index.fact_ids, strict=True))
    tested: dict[SeriesKey, list[ScoreSeries]] = {}
    for series in db.option_scores.read_series(connection):
        if models is None or series.key.model in models:
            tested.setdefault(_without_options(series.key), []).append(series)
    for alike in tested.values():
        alone = {
            one.fact: one.response
            for series in alike
            if series.key.options == RESPONSES
            for one in db.option_scores.scores_of(connection, series.id)
        }
        told: set[int] = set()
        for series in sorted(alike, key=lambda one: one.key.options == RESPONSES):
            setup = setup_of(series.key).as_json()
            for one in db.option_scores.scores_of(connection, series.id):
                if series.key.options == RESPONSES and one.fact in told:
                    continue
                row = {
                    **setup,
                    "id": names[one.fact],
                    "model": series.key.model,
                    "options": None,
                    "logprobs": None,
                    "response": one.response,
                }
                named = lists[one.option_list] if one.option_list else None
                if named is not None and named.texts is not None and one.logprobs is not None:
                    row["options"] = texts_of(named, texts)
                    row["logprobs"] = [_number(value) for value in one.logprobs.tolist()]
                    if one.response in (None, alone.get(one.fact)) and one.fact in alone:
                        row["response"] = alone[one.fact]
                        told.add(one.fact)
                if row["options"] is not None or one.response is not None:
                    yield row


def _without_options(key: SeriesKey) -> SeriesKey:
    """The series of the responses alone, under the same setup."""
    return replace(key, options=RESPONSES)


def _number(value: float) -> float | None:
    """A log probability as files have it: what is no number is null."""
    return value if np.isfinite(value) else None
