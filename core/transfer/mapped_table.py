"""A table of any columns as facts with their answers and labels."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.exchange.score_labels import OUTSIDE, ScoreReader
from core.transfer.column_map import (
    GRADES,
    RATIONALE,
    RESPONSE,
    TableMapping,
    absent_column,
    as_text,
    gold_texts,
    make_fact_id,
)
from core.transfer.fact_rows import parse
from core.transfer.file_formats import ALIAS_COLUMNS, FACT_COLUMNS
from core.transfer.response_keys import truth_of
from core.transfer.row_source import ROWS_AT_ONCE, BadRow, Row, RowSource
from core.transfer.row_values import NO_MODEL, RowError, quote
from core.vocabulary import Task
from db.slot_ids import MAX_SAMPLE

FACT, ANSWER, RATIONALES = "fact", "answer", "rationales"
"""Keys of a row: the fact as its format has it, the response likewise, texts by grader."""

_FACT_TARGETS = (*FACT_COLUMNS, *ALIAS_COLUMNS)


@dataclass(slots=True)
class _TablePass:
    """One way through the table: samples by fact and model, values that are no labels."""

    samples: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)


class MappedTable(RowSource):
    """The rows of another file, each a fact and, where responses are mapped, an answer to it.

    A fact without an id gets one by what it says; answers without a sample are counted by fact
    and model. A grader with a number outside 0 to 1 anywhere in the file is none.
    """

    def __init__(
        self,
        source: RowSource,
        mapping: TableMapping,
        scores: ScoreReader,
        told: Sequence[str] = (),
    ) -> None:
        """`told` is said of it. Raises `UsageError` where a column is not there."""
        super().__init__(source.path, source.words)
        self.unit, self.tabular, self.cells = source.unit, source.tabular, source.cells  # type: ignore[misc]
        self._source, self._mapping, self._scores, self._told = source, mapping, scores, told
        self._outside: Counter[str] = Counter()
        self._reasons: Counter[tuple[str, str]] = Counter()
        if source.tabular:
            mapping.check_columns(source.keys(), source.path)

    def keys(self) -> Sequence[str]:
        """What is mapped."""
        return list(self._mapping.sources)

    @property
    def notices(self) -> Sequence[str]:
        """How the table is read."""
        return (*self._source.notices, *self._told)

    @property
    def mapping(self) -> Sequence[tuple[str, str]]:
        """Targets and their columns."""
        return [(one, " or ".join(many)) for one, many in self._mapping.sources.items()]

    @property
    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels."""
        found = [(grader, OUTSIDE, count) for grader, count in self._outside.items()]
        return sorted(found + [(*key, count) for key, count in self._reasons.items()])

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read to the end, and look which graders give no grades and which columns there are."""
        count, mapping = 0, self._mapping
        seen: set[str] = set()
        values: Counter[str] = Counter()
        outside: set[str] = set()
        for count, (_, row) in enumerate(self._source.read_rows(), 1):
            if isinstance(row, dict):
                if len(seen) < len(mapping.sources):
                    seen.update(mapping.find_paths(row))
                for grader in mapping.graders:
                    value = mapping.read_value(row, GRADES + grader)
                    if value is not None:
                        values[grader] += 1
                        if self._scores.read_score(value, (grader,)).outside:
                            outside.add(grader)
            if count % ROWS_AT_ONCE == 0:
                tell(count)
        lacking = [one for one in mapping.sources if one not in seen]
        if count and lacking:
            paths = mapping.sources[lacking[0]]
            raise absent_column(self.path, lacking[0], paths, self._source.keys())
        self._outside = Counter({grader: values[grader] for grader in outside})
        return count

    def _parse_rows(self) -> Iterator[tuple[int, Row]]:
        reading = _TablePass()
        for line, row in self._source.read_rows():
            if isinstance(row, dict):
                try:
                    yield line, self._map_row(row, reading)
                except RowError as error:
                    yield line, BadRow(str(error))
            else:
                yield line, row
        self._reasons = reading.reasons

    def _map_row(self, row: Mapping[str, Any], reading: _TablePass) -> dict[str, Any]:
        found: dict[str, Any] = {FACT: self._fact(row)}
        if self._mapping.has_answers:
            found[ANSWER], found[RATIONALES] = self._answer(row, found[FACT]["fact_id"], reading)
        return found

    def _fact(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The fact of a row. Raises `RowError` for one that cannot be."""
        mapping = self._mapping
        fact: dict[str, Any] = {}
        for target in mapping.sources:
            if target in _FACT_TARGETS and (value := mapping.read_value(row, target)) is not None:
                is_list = target.endswith(("_choices", "_aliases"))
                fact[target] = value if is_list else self._cell(fact, target, value)
        given = fact.pop("fact_id", None)
        if not fact and given is not None and mapping.has_answers:
            return {"fact_id": given}
        if mapping.has_answers and not {"direct_answer", "object"} & fact.keys():
            raise RowError("no answer to compare with: direct_answer is empty")
        if mapping.has_answers and "direct" not in fact:
            raise RowError("no question: direct is empty")
        if "object" not in mapping.sources and "direct_answer" in fact:
            fact["object"] = fact["direct_answer"]
        fact["fact_id"] = given or make_fact_id(fact)
        parse(fact)
        return fact

    @staticmethod
    def _cell(fact: dict[str, Any], target: str, value: Any) -> str:
        """A cell as text; further golds of a list become aliases of the fact."""
        if target not in ("direct_answer", "reverse_answer"):
            return as_text(value, target)
        gold, *aliases = gold_texts(value, target) or [""]
        if aliases:
            fact[target.replace("answer", "aliases")] = aliases
        return gold

    def _answer(
        self, row: Mapping[str, Any], fact_id: str, reading: _TablePass
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """The response of a row and its rationales. Raises `RowError`."""
        mapping = self._mapping
        model, text = (
            self.words.as_label or mapping.read_value(row, "model"),
            mapping.read_value(row, RESPONSE),
        )
        if model is None:
            raise RowError(NO_MODEL)
        if text is None:
            raise RowError("holds no response")
        name = as_text(model, "model")
        sample = self._sample(mapping.read_value(row, "sample"))
        if sample is None:
            sample = reading.samples[fact_id, name]
        reading.samples[fact_id, name] += 1
        grades = self._grades(row, reading)
        answer = {
            "fact_id": fact_id,
            "task": Task.DIRECT.value,
            "model": name,
            "thinking": truth_of(
                self.words.thinking or mapping.read_value(row, "thinking") or False
            ),
            "sample": sample,
            "response": as_text(text, RESPONSE),
            "grades": grades,
        }
        return answer, self._rationales(row, grades)

    def _sample(self, value: Any) -> int | None:
        if value is None:
            return None
        text = as_text(value, "sample").strip()
        if not text.isdecimal() or len(text) > 9 or int(text) > MAX_SAMPLE:
            raise RowError(f"sample is {quote(value)}, not a whole number up to {MAX_SAMPLE}")
        return int(text)

    def _grades(self, row: Mapping[str, Any], reading: _TablePass) -> dict[str, str]:
        labels = {}
        for grader in self._mapping.graders:
            if grader in self._outside:
                continue
            said = self._scores.read_score(
                self._mapping.read_value(row, GRADES + grader), (grader,)
            )
            if said.label is None:
                reading.reasons[grader, said.reason] += 1
            else:
                labels[grader] = said.label
        return labels

    def _rationales(self, row: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
        found = {one: self._mapping.read_value(row, RATIONALE + one) for one in labels}
        return {one: as_text(text, RATIONALE + one) for one, text in found.items() if text}
