"""Results of promptfoo: a test, a prompt and a provider a row, with what assertions said."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from core.exchange.gold_texts import (
    GoldQuestion,
    ask_row,
    find_golds,
    find_question,
    find_row_options,
    gold_texts,
)
from core.exchange.json_rows import (
    LINES,
    listed_rows,
    load_whole,
    numbered_rows,
    write_answer,
    write_compact,
)
from core.exchange.left_out_parts import note_left_out
from core.exchange.log_reader import LogReader, is_failure, mapping_of, text_of
from core.exchange.log_samples import BadSample, LogAnswer, LogSample, LogScore, PersonScore
from core.exchange.score_labels import NO_VERDICT, is_no_verdict, name_grader

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

CODED = ("javascript", "python", "ruby", "webhook")
"""Assertions whose score is what somebody's code says."""

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
        said = mapping_of(response)
        failed = (
            row.get("failureReason") == ERROR
            or said.get("error")
            or is_failure(said.get("finishReason"))
        )
        if failed or output is None:
            return BadSample(place, "the sample failed" if failed else "has no output")
        prompt = mapping_of(row.get("prompt"))
        raw = text_of(prompt.get("raw"))
        graded = mapping_of(row.get("gradingResult")).get("componentResults")
        results = [mapping_of(one) for one in graded] if isinstance(graded, list) else []
        asked = _ask(find_question(given) or raw or "", given, row, results)
        if isinstance(asked, str):
            return BadSample(place, asked)
        scores, people = _read_results(results, self.head.directions)
        text = output if isinstance(output, str) else write_answer(output)
        thought, text = split_thinking(text)
        reasoning = text_of(said.get("reasoning")) or text_of(said.get("reasoningContent"))
        if _reasoning_tokens(said):
            self.head.thinking = True
        note_left_out(self.head.notices, place, _list_media(given) + _list_media(said))
        model = _provider(row)
        if model and several:
            model = f"{model} ({text_of(prompt.get('label')) or row.get('promptIdx')})"
        name = self.prefix or self.plain.stem
        return LogSample(
            place,
            f"{name}/{sha256(write_compact(given).encode()).hexdigest()[:ID_DIGITS]}",
            asked,
            [LogAnswer(sample, text, scores, people, thought or reasoning)],
            model=model,
            sample_id=row.get("testIdx") if type(row.get("testIdx")) is int else None,
            uuid=text_of(row.get("id")),
            prompt=raw,
        )


_SIGNED = re.compile(r"(?:Thinking: .*?\nSignature: \S*|Redacted Thinking: \S*)(?:\n\n|\Z)", re.S)
_THINKING = "Thinking: "


def split_thinking(text: str) -> tuple[str | None, str]:
    """Return the reasoning that promptfoo puts before an answer, and the answer.

    A thought without a signature ends at the last blank line: what may be part of it is no answer.
    """
    thoughts, place = [], 0
    while found := _SIGNED.match(text, place):
        thoughts.append(found[0].rstrip())
        place = found.end()
    if not thoughts and text.startswith(_THINKING):
        before, _, rest = text.rpartition("\n\n")
        return (before or text).removeprefix(_THINKING), rest if before else ""
    return ("\n\n".join(thoughts) if thoughts else None), text[place:]


def _reasoning_tokens(said: Mapping[str, Any]) -> bool:
    used = mapping_of(said.get("tokenUsage"))
    count = mapping_of(used.get("completionDetails")).get("reasoning")
    return isinstance(count, int) and count > 0


_MEDIA = ("data:image/", "data:audio/", "data:video/")


def _list_media(given: Mapping[str, Any]) -> list[dict[str, str]]:
    """What of variables or of a response is an image or a sound, as parts."""
    found = [
        {"type": value[5:].partition("/")[0]}
        for value in given.values()
        if isinstance(value, str)
        and value.startswith(("data:image/", "data:audio/", "data:video/"))
    ]
    kinds = ("images", "audio", "video")
    return found + [{"type": kind.removesuffix("s")} for kind in kinds if given.get(kind)]


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


def _ask(
    question: str,
    given: Mapping[str, Any],
    row: Mapping[str, Any],
    results: Sequence[Mapping[str, Any]],
) -> GoldQuestion | str:
    """What the variables ask; without a gold among them, assertions have it."""
    if gold_texts(find_golds(given)) or find_row_options(given):
        return ask_row(question, given)
    asserted = mapping_of(row.get("testCase")).get("assert")
    listed = [mapping_of(one) for one in asserted] if isinstance(asserted, list) else []
    told = [*listed, *(mapping_of(one.get("assertion")) for one in results)]
    values = [one.get("value") for one in told if one.get("type") in GOLD_ASSERTIONS]
    return GoldQuestion(question, gold_texts(values))


def _read_results(
    results: Sequence[Mapping[str, Any]], directions: dict[str, bool]
) -> tuple[list[LogScore], list[PersonScore]]:
    """What assertions said, and what people did; `directions` of them is filled.

    Of assertions of promptfoo itself more is better, whatever they measure: the score of
    `levenshtein` says whether the distance is small enough.
    """
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
            void = NO_VERDICT if _gave_no_verdict(one, kind, reason) else ""
            grader = name_grader(FORMAT, told)
            if kind and kind.removeprefix("not-") not in CODED:
                directions[grader] = True
            scores.append(LogScore(grader, name, value, reason, None, void))
    return scores, people


_JUDGES = (
    "llm-rubric",
    "model-graded",
    "factuality",
    "g-eval",
    "answer-relevance",
    "context-",
    "conversation-relevance",
    "search-rubric",
    "select-best",
    "similar",
    "trajectory:goal",
)
_FAULT = re.compile(
    r"No output\Z|No embedding|Unknown error|Could not (?:extract|perform|parse)|Invalid category"
    r"|.{0,60}produced (?:a )?malformed|Factuality checker output did not|LLM-proposed|LLM does not"
    r"|Error parsing|Remote grading|API (?:call |response )?error|(?:\w*Error|Error code)\b"
    r"|Request (?:failed|timed out)|Rate limit|Failed to (?:parse|fetch|call)|Timeout"
    r"|HTTP \d{3}|[45]\d\d\b|fetch failed|(?:connect )?E[A-Z]{4,}\b|Unauthorized"
    r"|(?:Invalid|Incorrect|Missing) API key|API key",
    re.IGNORECASE,
)
"""How the reason of a failed call to a grading model begins, or of a reply that says nothing."""


def _gave_no_verdict(result: Mapping[str, Any], kind: str, reason: str | None) -> bool:
    """Whether the model that was to grade gave no grade; promptfoo calls that a failed test."""
    if mapping_of(result.get("metadata")).get("graderError") or is_no_verdict(reason):
        return True
    judged = kind.removeprefix("not-").startswith(_JUDGES)
    failed = not result.get("score") and not result.get("pass")
    return judged and (failed or kind.startswith("not-")) and bool(_FAULT.match(reason or ""))


READER = PromptfooLog
