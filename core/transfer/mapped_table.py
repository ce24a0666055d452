"""A table of any columns as facts with their answers and labels."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.exchange.gold_texts import ask_choices, find_option, find_row_options
from core.exchange.score_labels import (
    LESS_IS_BETTER,
    NO_GRADE,
    NO_VERDICT,
    OUTSIDE,
    ScoreReader,
    is_less_better,
    is_no_verdict,
)
from core.exchange.score_tally import ScoreTally, What
from core.providers import reasoning_marks
from core.stats.number_format import format_amount
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
from core.transfer.file_formats import FACT_COLUMNS, OPTIONAL_COLUMNS
from core.transfer.response_keys import truth_of
from core.transfer.row_source import ROWS_AT_ONCE, BadRow, Row, RowSource
from core.transfer.row_values import NO_MODEL, RowError, quote
from core.vocabulary import Task
from db.slot_ids import MAX_SAMPLE

FACT, ANSWER, RATIONALES, REASONING = "fact", "answer", "rationales", "reasoning"
"""Keys of a row: the fact as its format has it, the response likewise, texts by grader; of an
answer with reasoning between marks, that."""

CHOICES = "direct_choices"
_FACT_TARGETS = (*FACT_COLUMNS, *OPTIONAL_COLUMNS)


@dataclass(slots=True)
class _TablePass:
    """One way through the table: samples by fact and model, values that are no labels."""

    samples: Counter[tuple[str, str]] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)


class MappedTable(RowSource):
    """The rows of another file, each a fact and, where responses are mapped, an answer to it.

    A fact without an id gets one by what it says; answers without a sample are counted by fact
    and model. A grader with a number outside 0 to 1 anywhere in the file is none. A model some of
    whose answers hold reasoning was thinking, where nothing else says whether it was.
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
        self._tally = ScoreTally()
        self._unread: set[What] = set()
        self._less = {one: is_less_better(one) for one in mapping.graders}
        self._thinkers: set[str] = set()
        self._split = 0
        self._reasons: Counter[tuple[str, str]] = Counter()
        if source.tabular:
            mapping.check_columns(source.keys(), source.path)

    def keys(self) -> Sequence[str]:
        """What is mapped."""
        return list(self._mapping.sources)

    @property
    def notices(self) -> Sequence[str]:
        """How the table is read."""
        split = []
        if self._split:
            split.append(
                f"{format_amount(self._split, 'answer')} with reasoning between marks in the text: "
                "the reasoning is kept apart, the response is what follows it"
            )
        return (*self._source.notices, *self._told, *split, *self._tally.list_notices())

    @property
    def mapping(self) -> Sequence[tuple[str, str]]:
        """Targets and their columns."""
        return [(one, " or ".join(many)) for one, many in self._mapping.sources.items()]

    @property
    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels."""
        return sorted((*key, count) for key, count in self._reasons.items())

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read to the end, and look which graders give no grades and which columns there are."""
        count, mapping = 0, self._mapping
        seen: set[str] = set()
        for count, (_, row) in enumerate(self._source.read_rows(), 1):
            if isinstance(row, dict):
                if len(seen) < len(mapping.sources):
                    seen.update(mapping.find_paths(row))
                for grader in mapping.graders:
                    value = mapping.read_value(row, GRADES + grader)
                    if value is not None:
                        self._note_score(grader, value)
                if mapping.has_answers:
                    self._note_reasoning(row)
            if count % ROWS_AT_ONCE == 0:
                tell(count)
        lacking = [one for one in mapping.sources if one not in seen]
        if count and lacking:
            paths = mapping.sources[lacking[0]]
            raise absent_column(self.path, lacking[0], paths, self._source.keys())
        tally = self._tally
        self._unread = {what for what in tally.counts if not tally.is_label(what)}
        return count

    def _note_score(self, grader: str, value: Any) -> None:
        said = self._scores.read_score(value, (grader,), self._less[grader])
        self._tally.counts[grader, said.label or said.reason, said.letter] += 1
        if said.outside:
            self._tally.outside.add(grader)
        elif said.label and said.reason == LESS_IS_BETTER:
            self._tally.bounded.add(grader)

    def _note_reasoning(self, row: Mapping[str, Any]) -> None:
        text = self._mapping.read_value(row, RESPONSE)
        if isinstance(text, str) and (reasoning_marks.split(text)[0] or "").strip():
            self._split += 1
            self._thinkers.add(str(self.words.as_label or self._mapping.read_value(row, "model")))

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
            thought, rest = reasoning_marks.split(found[ANSWER][RESPONSE])
            found[ANSWER][RESPONSE] = rest
            if thought and thought.strip():
                found[REASONING] = thought
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
        self._name_option(fact, row)
        if "object" not in mapping.sources and "direct_answer" in fact:
            fact["object"] = fact["direct_answer"]
        fact["fact_id"] = given or make_fact_id(fact)
        parse(fact)
        return fact

    def _name_option(self, fact: dict[str, Any], row: Mapping[str, Any]) -> None:
        """Put the option's text in place of an index or a letter that names it.

        Options that are not four become lines of the question. Raises `RowError`.
        """
        if not {"direct", "direct_answer", CHOICES} <= fact.keys():
            return
        found = find_row_options({"choices": fact[CHOICES]})
        if found is None:
            if self._told:  # nobody said that this column has options
                del fact[CHOICES]
            return
        gold = self._mapping.read_value(row, "direct_answer")
        right = find_option(gold if type(gold) is int else fact["direct_answer"].strip(), found)
        if len(right) > 1:
            shown = quote(fact["direct_answer"])
            raise RowError(f"direct_answer: {shown} is an option and the index of another")
        asked = ask_choices(fact["direct"], found[0], right)
        if isinstance(asked, str):
            return
        fact["direct_answer"] = asked.golds[0]
        if asked.choices is None:
            fact["direct"] = asked.question
            fact["direct_aliases"] = list(asked.golds[1:])
            del fact[CHOICES]
        else:
            fact[CHOICES] = list(asked.choices)

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
            "thinking": truth_of(self.words.thinking or self._find_thinking(row, name)),
            "sample": sample,
            "response": as_text(text, RESPONSE),
            "grades": grades,
        }
        return answer, self._rationales(row, grades)

    def _find_thinking(self, row: Mapping[str, Any], model: str) -> Any:
        told = self._mapping.read_value(row, "thinking")
        return model in self._thinkers if told is None else told

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
            value = self._mapping.read_value(row, GRADES + grader)
            said = self._scores.read_score(value, (grader,), self._less[grader])
            reason, rationale = said.reason, self._mapping.read_value(row, RATIONALE + grader)
            if grader in self._tally.outside:
                reason = OUTSIDE if value is not None else reason
            elif isinstance(rationale, str) and is_no_verdict(rationale):
                reason = NO_VERDICT
            elif said.label and (grader, said.label, said.letter) in self._unread:
                reason = NO_GRADE
            elif said.label:
                labels[grader] = said.label
                continue
            reading.reasons[grader, reason] += 1
        return labels

    def _rationales(self, row: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, str]:
        found = {one: self._mapping.read_value(row, RATIONALE + one) for one in labels}
        return {one: as_text(text, RATIONALE + one) for one, text in found.items() if text}
