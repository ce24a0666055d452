"""Samples of lm-evaluation-harness: an object a line, with the model's name in a file beside."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from core.exchange.gold_texts import (
    CHOICE_NAMES,
    GOLD_NAMES,
    ask_row,
    find_question,
    gold_texts,
)
from core.exchange.json_rows import (
    LINES,
    AlikeRows,
    Row,
    UnlikeRowsError,
    first_row,
    parse_file,
    row_blocks,
    write_answer,
)
from core.exchange.log_reader import LogReader, mapping_of, text_of
from core.exchange.log_samples import (
    LOG_PROBABILITIES,
    BadSample,
    LogAnswer,
    LogSample,
    LogScore,
    SampleColumns,
)
from core.exchange.score_labels import SEVERAL, name_grader
from core.settings.compression import DamagedStreamError, find_packed

FORMAT = "lm-eval"
NO_FILTER = "none"
NO_TEXT = "holds no answer text"

OWN_KEYS = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
    }
)
"""Keys that are the format's own; every other is a metric."""

_DATE = r"(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)"
_NAME = re.compile(rf"samples_(.+)_{_DATE}")
_RESULTS = re.compile(rf"results_{_DATE}\.json")
_PRETRAINED = re.compile(r"(?:^|,)\s*pretrained=([^,]+)")


class LmEvalLog(LogReader):
    """The samples of one task."""

    unit: ClassVar[str] = "line"

    def __init__(self, path: Path, prefix: str | None = None) -> None:
        super().__init__(path, prefix)
        found = _NAME.fullmatch(self.plain.stem)
        self._date = found[2] if found else None
        self._task = prefix or (found[1] if found else self.plain.stem)
        self._graders: dict[tuple[str, tuple[str, ...]], list[tuple[str, str]]] = {}
        self._times: Counter[int | str] = Counter()

    @property
    def has_lines(self) -> bool:
        """Whether it is a file of lines that is not packed.

        Old ones have a row a filter without its name: which one it is follows from those before.
        """
        return self.path.suffix.lower() in LINES and "filter" in mapping_of(first_row(self.path))

    def samples(self) -> Iterator[LogSample | BadSample | SampleColumns]:
        """Its rows; the model is that of the results beside, else of the folder."""
        self.head.model = self._results_model or self._folder_model()
        told = mapping_of(self._results.get("higher_is_better")).get(self._task)
        self._directions = {k: v for k, v in mapping_of(told).items() if isinstance(v, bool)}
        for lines, rows in row_blocks(self):
            try:
                yield self._read_columns(lines, rows)
            except UnlikeRowsError:
                for line, row in zip(lines, rows, strict=True):
                    yield row if isinstance(row, BadSample) else self._sample(line, row)

    @cached_property
    def _results(self) -> Mapping[str, Any]:
        """What the file of results beside says; empty where there is none."""
        file = find_packed(self.path.with_name(f"results_{self._date}.json"))
        if self._date is None or file is None:
            return {}
        try:
            return mapping_of(parse_file(file))
        except (ValueError, RecursionError, DamagedStreamError) as error:
            self.head.notices.add(f"{file.name} is not valid JSON ({error}): left out")
            return {}

    @property
    def _results_model(self) -> str | None:
        if name := text_of(self._results.get("model_name")):
            return name
        arguments = mapping_of(self._results.get("config")).get("model_args")
        if isinstance(arguments, dict):
            return text_of(arguments.get("pretrained")) or None
        found = _PRETRAINED.search(arguments) if isinstance(arguments, str) else None
        return found[1].strip() if found else None

    def _folder_model(self) -> str | None:
        name = self.path.absolute().parent.name
        return name.replace("__", "/") if "__" in name else None

    def _read_columns(self, lines: Sequence[int], rows: list[Row]) -> SampleColumns:
        """What `_sample` says of each of these rows, which takes a third of the time.

        Raises `UnlikeRowsError` where they are not all of one kind, or one is bad.
        """
        table = AlikeRows(rows)
        contents = table.column("doc")
        docs = AlikeRows(contents)
        ids, filters = table.column("doc_id"), table.column("filter")
        answers = [_answers(one) or () for one in table.column("resps")]
        if (
            set(map(len, answers)) != {1}
            or not set(map(type, ids)) <= {int, str}
            or "filter" not in table.keys
            or not set(CHOICE_NAMES).isdisjoint(docs.keys)
            or (_is_number(answers[0][0]) and any(map(_is_scored, table.column("arguments"))))
        ):
            raise UnlikeRowsError
        prompts = list(map(_prompt, table.column("arguments")))
        asked = zip(contents, prompts, strict=True)
        questions = [find_question(doc) or prompt or "" for doc, prompt in asked]
        told = [docs.column(name) for name in GOLD_NAMES if name in docs.keys]
        golds = list(map(gold_texts, table.column("target"), *told))
        graders = self._find_graders(_name_filter(filters[0]), table.keys)
        columns = [table.column(key) for key, _ in graders]
        values = list(zip(*columns, strict=True)) if columns else [()] * len(rows)
        if not (
            filters.count(filters[0]) == len(filters)
            and all(questions)
            and not any(map(str.isspace, questions))
            and all(golds)
            and set(map(type, chain(*columns))).isdisjoint((dict, list))
        ):
            raise UnlikeRowsError
        texts, fact_ids = [one[0] for one in answers], [f"{self._task}/{key}" for key in ids]
        return SampleColumns(
            lines, fact_ids, questions, golds, ids, prompts, texts, graders, values
        )

    def _sample(self, line: int, row: Mapping[str, Any]) -> LogSample | BadSample:
        """The sample in a row. Written for millions."""
        key = row.get("doc_id")
        if type(key) is not int and type(key) is not str:
            return BadSample(line, "has no doc_id")
        texts = _answers(row.get("resps"))
        if texts is None:
            return BadSample(line, NO_TEXT)
        if _is_scored(row.get("arguments")) and _is_number(texts[0]):
            return BadSample(line, LOG_PROBABILITIES)
        doc, prompt = mapping_of(row.get("doc")), _prompt(row.get("arguments"))
        question = find_question(doc) or prompt or ""
        asked = ask_row(question, doc, (row.get("target"),), indices=True)
        if isinstance(asked, str):
            return BadSample(line, asked)
        answers = [LogAnswer(0, texts[0], self._scores(row, len(texts)))]
        if len(texts) > 1:
            answers += [LogAnswer(sample, text) for sample, text in enumerate(texts[1:], 1)]
        fact_id = f"{self._task}/{key}"
        return LogSample(line, fact_id, asked, answers, sample_id=key, prompt=prompt)

    def _scores(self, row: Mapping[str, Any], answers: int) -> list[LogScore]:
        told = _name_filter(row.get("filter"))
        void = SEVERAL if answers > 1 and told != NO_FILTER else ""
        behind = ""
        if "filter" not in row:
            self._times[row["doc_id"]] += 1
            times = self._times[row["doc_id"]]
            behind = f".{times}" if times > 1 else ""
        graders = self._find_graders(told, tuple(row), behind)
        return [LogScore(grader, key, row[key], None, None, void) for key, grader in graders]

    def _find_graders(
        self, filter_name: str, keys: tuple[str, ...], behind: str = ""
    ) -> list[tuple[str, str]]:
        """The metrics among the keys of a row, each with the grader that it is."""
        behind = behind if filter_name == NO_FILTER else f"/{filter_name}"
        found = self._graders.get((behind, keys))
        if found is None:
            found = [
                (key, name_grader(FORMAT, key + behind)) for key in keys if key not in OWN_KEYS
            ]
            self._graders[behind, keys] = found
            self.head.directions.update(
                (grader, self._directions[key]) for key, grader in found if key in self._directions
            )
        return found


def _name_filter(name: Any) -> str:
    return name if isinstance(name, str) and name else NO_FILTER


def _answers(resps: Any) -> Sequence[str] | None:
    """The texts that were answered to a document; None for log probabilities and for nothing."""
    first = resps[0] if isinstance(resps, list) and resps else None
    texts = [first] if isinstance(first, str) else first
    if not isinstance(texts, list) or not texts:
        return None
    if len(texts) == 1 and type(texts[0]) is str:
        return texts
    found = [write_answer(one) if isinstance(one, dict) else one for one in texts]
    return found if set(map(type, found)) == {str} else None


def _prompt(arguments: Any) -> str | None:
    """The first argument of the first request, whatever the version wrote around it."""
    found = arguments
    while found:
        kind = type(found)
        if kind is str:
            return found  # type: ignore[no-any-return]
        if kind is dict:
            found = next(iter(found.values()))
        elif kind is list:
            found = found[0]
        else:
            return None
    return "" if found == "" else None


def _is_scored(arguments: Any) -> bool:
    """Whether a text was scored and none asked for: its request has no way to generate."""
    first: Any = arguments
    if isinstance(arguments, dict):
        first = next(iter(arguments.values()), None)
    elif isinstance(arguments, list) and arguments:
        first = arguments[0]
    return isinstance(first, dict | list) and len(first) == 1


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def results_date(name: str) -> str | None:
    """The date of a file of results, by its name; None of any other file."""
    found = _RESULTS.fullmatch(name)
    return found[1] if found else None


def is_row(row: Mapping[str, Any]) -> bool:
    """Whether a row is of this format."""
    return {"doc_id", "doc", "resps"} <= row.keys()


READER = LmEvalLog
