"""Results of promptfoo: a test, a prompt and a provider a row, with what assertions said."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from core.exchange.gold_texts import GoldQuestion, find_golds, find_question, gold_texts
from core.exchange.json_rows import (
    LINES,
    listed_rows,
    load_whole,
    numbered_rows,
    write_answer,
    write_compact,
)
from core.exchange.log_reader import LogReader, mapping_of, text_of
from core.exchange.log_samples import BadSample, LogAnswer, LogSample, LogScore, PersonScore
from core.exchange.score_labels import name_grader

FORMAT = "promptfoo"
HUMAN, ERROR = "human", 2
ID_DIGITS = 16

GOLD_ASSERTIONS = (
    "equals",
    "contains",
    "icontains",
    "contains-any",
    "icontains-any",
    "factuality",
    "similar",
    "llm-rubric",
)
"""Assertions whose value is an answer, where no variable is."""

Key = tuple[str, str, object]
"""Variables, provider and prompt of a row."""


class PromptfooLog(LogReader):
    """The results of one evaluation."""

    def samples(self) -> Iterator[LogSample | BadSample]:
        """Its results, by their place."""
        rows = list(self._read_rows())
        several = len({row.get("promptIdx") for _, row in rows if isinstance(row, dict)}) > 1
        numbers = _sample_numbers(rows)
        for place, row in rows:
            if isinstance(row, BadSample):
                yield row
            else:
                yield self._sample(place, row, numbers[place], several)

    def _read_rows(self) -> Iterator[tuple[int, dict[str, Any] | BadSample]]:
        if self.plain.suffix.lower() in LINES:
            return numbered_rows(self)
        content = load_whole(self)
        self.head.eval_id = text_of(mapping_of(content).get("evalId")) or ""
        rows = find_results(content)
        if rows is None:
            raise self.read_error("no results of promptfoo", remedy="check the file")
        return listed_rows(rows)

    def _sample(
        self, place: int, row: Mapping[str, Any], sample: int, several: bool
    ) -> LogSample | BadSample:
        response, given = row.get("response"), mapping_of(row.get("vars"))
        output = mapping_of(response).get("output")
        failed = row.get("failureReason") == ERROR or mapping_of(response).get("error")
        if failed or output is None:
            return BadSample(place, "the sample failed" if failed else "has no output")
        prompt = mapping_of(row.get("prompt"))
        raw = text_of(prompt.get("raw"))
        graded = mapping_of(row.get("gradingResult")).get("componentResults")
        results = [mapping_of(one) for one in graded] if isinstance(graded, list) else []
        asked = GoldQuestion(find_question(given) or raw or "", _golds(given, row, results))
        scores, people = _read_results(results)
        text = output if isinstance(output, str) else write_answer(output)
        model = _provider(row)
        if model and several:
            model = f"{model} ({text_of(prompt.get('label')) or row.get('promptIdx')})"
        name = self.prefix or self.plain.stem
        return LogSample(
            place,
            f"{name}/{sha256(write_compact(given).encode()).hexdigest()[:ID_DIGITS]}",
            asked,
            [LogAnswer(sample, text, scores, people)],
            model=model,
            sample_id=row.get("testIdx") if type(row.get("testIdx")) is int else None,
            uuid=text_of(row.get("id")),
            prompt=raw,
        )


def find_results(content: Any) -> list[Any] | None:
    """The rows in a file of results, whatever version wrote it; None where it holds none."""
    results = mapping_of(content).get("results")
    if isinstance(results, dict):
        results = results.get("results")
    if not isinstance(results, list) or not results:
        return None
    return results if is_row(mapping_of(results[0])) else None


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is of this format."""
    return {"vars", "provider", "prompt"} <= row.keys()


def _sample_numbers(rows: Sequence[tuple[int, dict[str, Any] | BadSample]]) -> dict[int, int]:
    """Which sample each row (by place) is: equal ones count in the order of their tests."""
    told = [(place, row) for place, row in rows if isinstance(row, dict)]
    told.sort(key=lambda item: _test_number(item[1]))
    seen: Counter[Key] = Counter()
    numbers = {}
    for place, row in told:
        key = (write_compact(mapping_of(row.get("vars"))), _provider(row) or "", _prompt_key(row))
        numbers[place] = seen[key]
        seen[key] += 1
    return numbers


def _test_number(row: Mapping[str, Any]) -> int:
    number = row.get("testIdx")
    return number if type(number) is int else 0


def _prompt_key(row: Mapping[str, Any]) -> object:
    number = row.get("promptIdx")
    return number if type(number) is int else write_compact(mapping_of(row.get("prompt")))


def _provider(row: Mapping[str, Any]) -> str | None:
    provider = row.get("provider")
    if isinstance(provider, str):
        return provider or None
    told = mapping_of(provider)
    return text_of(told.get("label")) or text_of(told.get("id")) or None


def _golds(
    given: Mapping[str, Any], row: Mapping[str, Any], results: Sequence[Mapping[str, Any]]
) -> tuple[str, ...]:
    if found := gold_texts(find_golds(given)):
        return found
    asserted = mapping_of(row.get("testCase")).get("assert")
    listed = [mapping_of(one) for one in asserted] if isinstance(asserted, list) else []
    told = [*listed, *(mapping_of(one.get("assertion")) for one in results)]
    return gold_texts([one.get("value") for one in told if one.get("type") in GOLD_ASSERTIONS])


def _read_results(
    results: Sequence[Mapping[str, Any]],
) -> tuple[list[LogScore], list[PersonScore]]:
    """What assertions said, and what people did."""
    scores, people = [], []
    seen: Counter[str] = Counter()
    for one in results:
        assertion = mapping_of(one.get("assertion"))
        kind = text_of(assertion.get("type")) or ""
        score, reason = one.get("score"), text_of(one.get("reason"))
        between = isinstance(score, float) and 0 < score < 1
        value = score if between else one.get("pass")
        if kind == HUMAN:
            people.append(PersonScore(FORMAT, value, reason))
            continue
        name = text_of(assertion.get("metric")) or kind
        if name:
            seen[name] += 1
            told = name if seen[name] == 1 else f"{name}.{seen[name]}"
            scores.append(LogScore(name_grader(FORMAT, told), name, value, reason))
    return scores, people


READER = PromptfooLog
