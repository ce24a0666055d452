"""Instance rows of Every Eval Ever: an answered question a row, in one shape for all tools."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from core.exchange.gold_texts import GoldQuestion, ask_choices, gold_texts, letters_of
from core.exchange.json_rows import LINES, numbered_rows, write_answer
from core.exchange.log_reader import LogReader, mapping_of, text_of
from core.exchange.log_samples import BadSample, LogAnswer, LogSample, LogScore
from core.exchange.score_labels import name_grader

FORMAT = "every-eval-ever"
GRADE = "is_correct"
SINGLE_TURN = "single_turn"


class EveryEvalEverLog(LogReader):
    """The rows of one file, which may be of several models and evaluations."""

    grader: ClassVar[str] = name_grader(FORMAT, GRADE)

    def __init__(self, path: Path, prefix: str | None = None) -> None:
        super().__init__(path, prefix)
        self.unit = "line" if self.plain.suffix.lower() in LINES else "row"  # type: ignore[misc]

    def samples(self) -> Iterator[LogSample | BadSample]:
        """Its rows."""
        for place, row in numbered_rows(self):
            yield row if isinstance(row, BadSample) else self._sample(place, row)

    def _sample(self, place: int, row: Mapping[str, Any]) -> LogSample | BadSample:
        if row.get("interaction_type") != SINGLE_TURN:
            return BadSample(place, f"is not {SINGLE_TURN}")
        key, given = row.get("sample_id"), mapping_of(row.get("input"))
        if type(key) not in (int, str):
            return BadSample(place, "has no sample_id")
        output = mapping_of(row.get("output"))
        raw = output.get("raw")
        answers = [raw] if isinstance(raw, str) else raw
        if not isinstance(answers, list) or not answers or None in answers:
            return BadSample(place, "holds no answer text")
        self.head.eval_id = self.head.eval_id or text_of(row.get("evaluation_id")) or ""
        traces = _traces(output.get("reasoning_trace"))
        if any(traces):
            self.head.thinking = True
        asked = _ask(given)
        if isinstance(asked, str):
            return BadSample(place, asked)
        name = (text_of(row.get("evaluation_name")) or self.plain.stem).rpartition("/")[2]
        score = list(self._scores(mapping_of(row.get("evaluation")), len(answers) > 1))
        return LogSample(
            place,
            f"{self.prefix or name}/{key}",
            asked,
            [
                LogAnswer(
                    sample,
                    text if isinstance(text, str) else write_answer(text),
                    () if sample else score,
                    reasoning=traces[sample] if sample < len(traces) else None,
                )
                for sample, text in enumerate(answers)
            ],
            model=text_of(row.get("model_id")) or None,
            sample_id=key,
            uuid=text_of(row.get("sample_hash")),
        )

    def _scores(self, said: Mapping[str, Any], several: bool) -> Iterator[LogScore]:
        score = said.get("score")
        between = isinstance(score, float) and 0 < score < 1
        if between or GRADE in said:
            value = score if between else said[GRADE]
            yield LogScore(self.grader, GRADE, value, several=several)


def _traces(value: Any) -> list[str]:
    traces = [value] if isinstance(value, str) else value
    return [one for one in traces if isinstance(one, str)] if isinstance(traces, list) else []


def _ask(given: Mapping[str, Any]) -> GoldQuestion | str:
    question, golds = text_of(given.get("raw")) or "", gold_texts(given.get("reference"))
    options = given.get("choices")
    if not isinstance(options, list) or not options:
        return GoldQuestion(question, golds)
    texts = [str(one).strip() for one in options]
    right = {texts.index(gold) for gold in golds if gold in texts}
    return ask_choices(question, options, right or letters_of(golds, len(options)))


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is of this format."""
    return {"evaluation_name", "sample_id", "input", "evaluation"} <= row.keys()


READER = EveryEvalEverLog
