"""Instance rows of Every Eval Ever: an answered question a row, in one shape for all tools.

A question that several metrics or filters judged has a row for each. What a row's score says
follows from the others, so the file is read twice.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from core.exchange.gold_texts import (
    GoldQuestion,
    ask_choices,
    find_option,
    gold_texts,
    is_answer,
)
from core.exchange.json_rows import LINES, numbered_rows, parse_file, write_answer
from core.exchange.log_reader import LogReader, is_failure, mapping_of, text_of
from core.exchange.log_samples import BadSample, LogAnswer, LogSample, LogScore
from core.exchange.score_labels import SEVERAL, name_grader
from core.settings.compression import DamagedStreamError

# Rows of one metric or filter each: which of them judge whether an answer is correct.
#
# A sample has as many rows as there are metrics. The converters claim nothing for some metrics
# (they write `is_correct: false` beside a full score), and give each epoch the mean of all.

SampleKey = tuple[str, int]
"""A sample of a model, and its epoch."""

NO_CORRECTNESS = ("f1", "rouge", "bleu", "chrf", "meteor", "bertscore", "bleurt", "cider")
"""Starts of the names of metrics that measure likeness."""

SPREADS = frozenset(("std", "stddev", "stderr", "bootstrap_stderr", "var", "variance"))


class MetricRows:
    """What all rows of a file say of its metrics, by task (a metric without a name is `""`).

    `left_out` are the metrics that say nothing of correctness, in the order of their coming.
    """

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}
        self._refuted: set[tuple[str, str]] = set()
        self._scores: dict[tuple[str, str], dict[str, dict[int, Any]]] = defaultdict(dict)
        self._votes: dict[str, Counter[str]] = defaultdict(Counter)
        self.left_out: dict[str, None] = {}

    def note(self, task: str, metric: str, key: SampleKey, score: Any, correct: Any) -> None:
        """Take in the score of a row, and whether it calls the answer correct."""
        self._names.setdefault(task, {})[metric] = None
        if isinstance(score, int | float) and score >= 1 and correct is False:
            self._refuted.add((task, metric))
        sample, epoch = key
        self._scores[task, metric].setdefault(sample, {})[epoch] = score

    def note_index(self, task: str, fits_text: bool, fits_index: bool) -> None:
        """Take in whether a reference that may be a text or an index fits as either."""
        if fits_text != fits_index:
            self._votes[task]["index" if fits_index else "text"] += 1

    def names_by_index(self, task: str) -> bool | None:
        """Return whether references are indices of options; None where no row or both tell."""
        votes = self._votes[task]
        return votes["index"] > 0 if bool(votes["index"]) != bool(votes["text"]) else None

    def name_metric(self, task: str, metric: str) -> str:
        """Return the metric's name where its task has several, else `""`."""
        return metric if len(self._names.get(task, ())) > 1 else ""

    def is_left_out(self, task: str, metric: str) -> bool:
        """Return whether a metric says nothing of correctness."""
        parts = metric.lower().replace("-", "_").split(":")
        found = (
            (task, metric) in self._refuted
            or any(part.startswith(NO_CORRECTNESS) for part in parts)
            or not SPREADS.isdisjoint(parts)
        )
        if found:
            self.left_out[metric or task] = None
        return found

    def is_over_epochs(self, task: str, metric: str, key: SampleKey) -> bool:
        """Return whether a sample's score is one over its epochs: it is alike for all of them.

        Where some sample of the file has unlike ones, each epoch has its own.
        """
        samples = self._scores[task, metric]
        if len(samples[key[0]]) < 2:
            return False
        return all(len(set(map(repr, one.values()))) == 1 for one in samples.values())


FORMAT = "every-eval-ever"
GRADE = "is_correct"
SINGLE_TURN = "single_turn"
SAMPLES = "_samples"
"""What stands behind the name of the file of results in that of its rows."""


class EveryEvalEverLog(LogReader):
    """The rows of one file, which may be of several models and evaluations."""

    grader: ClassVar[str] = name_grader(FORMAT, GRADE)

    def __init__(self, path: Path, prefix: str | None = None) -> None:
        super().__init__(path, prefix)
        self.unit = "line" if self.plain.suffix.lower() in LINES else "row"  # type: ignore[misc]
        self._metrics = MetricRows()

    def samples(self) -> Iterator[LogSample | BadSample]:
        """Its rows."""
        for _, row in numbered_rows(self):
            if isinstance(row, dict):
                self._note(row)
        self._read_directions()
        for place, row in numbered_rows(self):
            yield row if isinstance(row, BadSample) else self._sample(place, row)
        if names := self._metrics.left_out:
            told = "scores that do not say whether an answer is correct are left out"
            self.head.notices.add(f"{told}: {', '.join(names)}")

    def _note(self, row: Mapping[str, Any]) -> None:
        """Take in what a row says of its metric and of its options."""
        given, said = mapping_of(row.get("input")), mapping_of(row.get("evaluation"))
        name, metric, chosen = (
            _name_task(row, self.plain.stem),
            _name_metric(row),
            _find_choice(row),
        )
        self._metrics.note(name, metric, _sample_key(row), said.get("score"), said.get(GRADE))
        options, golds = _options(given), gold_texts(given.get("reference"))
        if options and len(golds) == 1 and isinstance(said.get(GRADE), bool):
            named = find_option(golds[0], (options, []))
            if len(named) == 2 and chosen in options:
                by_text = options.index(golds[0])
                is_text = (options.index(chosen) == by_text) == said[GRADE]
                (by_index,) = named - {by_text}
                is_index = (options.index(chosen) == by_index) == said[GRADE]
                self._metrics.note_index(name, is_text, is_index)

    def _read_directions(self) -> None:
        """Learn from the results beside of which metrics less is better."""
        stem, _, _ = self.plain.stem.rpartition(SAMPLES)
        beside = self.path.with_name(f"{stem}.json")
        if not stem or not beside.is_file():
            return
        try:
            results = mapping_of(parse_file(beside)).get("evaluation_results")
        except (ValueError, RecursionError, DamagedStreamError):
            return
        for result in map(mapping_of, results if isinstance(results, list) else ()):
            name = text_of(result.get("evaluation_result_id"))
            less = mapping_of(result.get("metric_config")).get("lower_is_better")
            if name and isinstance(less, bool):
                self.head.directions[name_grader(FORMAT, name)] = not less

    def _sample(self, place: int, row: Mapping[str, Any]) -> LogSample | BadSample:
        if row.get("interaction_type") != SINGLE_TURN:
            return BadSample(place, f"is not {SINGLE_TURN}")
        key, given = row.get("sample_id"), mapping_of(row.get("input"))
        if type(key) not in (int, str):
            return BadSample(place, "has no sample_id")
        about = mapping_of(row.get("metadata"))
        if row.get("error") or is_failure(about.get("stop_reason")):
            return BadSample(place, "the sample failed")
        output = mapping_of(row.get("output"))
        raw = output.get("raw")
        answers = [raw] if isinstance(raw, str) else raw
        if not isinstance(answers, list) or not answers or None in answers:
            return BadSample(place, "holds no answer text")
        self.head.eval_id = self.head.eval_id or text_of(row.get("evaluation_id")) or ""
        traces = _traces(output.get("reasoning_trace"))
        name = _name_task(row, self.plain.stem)
        asked = self._ask(name, given)
        if isinstance(asked, str):
            return BadSample(place, asked)
        score = list(self._scores(name, row, len(answers) > 1))
        epoch = _epoch(about)
        first = (epoch - 1) * len(answers) if epoch else 0
        return LogSample(
            place,
            f"{self.prefix or name}/{key}",
            asked,
            [
                LogAnswer(
                    first + sample,
                    text if isinstance(text, str) else write_answer(text),
                    () if sample else score,
                    reasoning=traces[sample] if sample < len(traces) else None,
                )
                for sample, text in enumerate(answers)
            ],
            model=text_of(row.get("model_id")) or None,
            sample_id=key,
            epoch=epoch,
            uuid=text_of(row.get("sample_hash")),
        )

    def _scores(self, name: str, row: Mapping[str, Any], several: bool) -> Iterator[LogScore]:
        said, metric = mapping_of(row.get("evaluation")), _name_metric(row)
        score = said.get("score")
        between = isinstance(score, float) and 0 < score < 1
        if not between and GRADE not in said:
            return
        shown = self._metrics.name_metric(name, metric)
        if self._metrics.is_left_out(name, metric):
            return
        several = several or self._metrics.is_over_epochs(name, metric, _sample_key(row))
        grader = name_grader(FORMAT, shown) if shown else self.grader
        value = score if between else said[GRADE]
        yield LogScore(grader, shown or GRADE, value, void=SEVERAL if several else "")

    def _ask(self, name: str, given: Mapping[str, Any]) -> GoldQuestion | str:
        question, golds = text_of(given.get("raw")) or "", gold_texts(given.get("reference"))
        options = _options(given)
        if not options or set(options) <= set(golds):
            return GoldQuestion(question, golds)
        right = {place for gold in golds for place in find_option(gold, (options, []))}
        if len(golds) == 1 and len(right) == 2:
            by_text = options.index(golds[0])
            by_index = self._metrics.names_by_index(name)
            if by_index is None:
                return f"{golds[0]!r} is an option and the index of another"
            right = right - {by_text} if by_index else {by_text}
        return ask_choices(question, options, right)


def _name_task(row: Mapping[str, Any], stem: str) -> str:
    """The task of a row: of TASK/FILTER, as the converter of lm-eval writes it, TASK."""
    name, filtered = text_of(row.get("evaluation_name")) or stem, _filter(row)
    return name.removesuffix(f"/{filtered}").rpartition("/")[2]


def _filter(row: Mapping[str, Any]) -> str:
    name = text_of(mapping_of(row.get("metadata")).get("filter")) or ""
    return "" if name == "none" else name


def _name_metric(row: Mapping[str, Any]) -> str:
    """What judged: the metric, else the filter; empty where nothing says it."""
    return text_of(row.get("evaluation_result_id")) or _filter(row)


def _sample_key(row: Mapping[str, Any]) -> SampleKey:
    epoch = _epoch(mapping_of(row.get("metadata"))) or 1
    return f"{row.get('model_id')}\0{row.get('sample_id')}", epoch


def _epoch(about: Mapping[str, Any]) -> int | None:
    value = about.get("epoch")
    if isinstance(value, str) and value.isdecimal() and len(value) < 9:
        value = int(value)
    return value if type(value) is int and value >= 1 else None


def _find_choice(row: Mapping[str, Any]) -> str | None:
    raw = mapping_of(row.get("output")).get("raw")
    first = raw[0] if isinstance(raw, list) and raw else raw
    return first.strip() if isinstance(first, str) else None


def _options(given: Mapping[str, Any]) -> list[str]:
    options = given.get("choices")
    if not isinstance(options, list) or not all(map(is_answer, options)):
        return []
    return [str(one).strip() for one in options]


def _traces(value: Any) -> Sequence[str | None]:
    traces = [value] if isinstance(value, str) else value
    return [text_of(one) for one in traces] if isinstance(traces, list) else []


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is of this format."""
    return {"evaluation_name", "sample_id", "input", "evaluation"} <= row.keys()


READER = EveryEvalEverLog
