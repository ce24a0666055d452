"""Which columns of a table of any shape are what, as `--map` says, or its names."""

import csv
import datetime
import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import UsageError
from core.exchange.gold_texts import CHOICE_NAMES, parse_list
from core.transfer.file_formats import FACT_COLUMNS, OPTIONAL_COLUMNS
from core.transfer.row_values import RowError, quote, quote_names

RESPONSE = "response"
GRADES, RATIONALE = "grades.", "rationale."
ANSWER_TARGETS = (RESPONSE, "model", "thinking", "sample")
TARGETS = (*FACT_COLUMNS, *OPTIONAL_COLUMNS, *ANSWER_TARGETS)
QUESTION_NAMES = ("question", "problem", "query", "input")
GOLD_NAMES = ("answer", "target", "expected")

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class TableMapping:
    """Sources of each target: columns or dotted paths, of which the first that is filled counts."""

    sources: Mapping[str, tuple[str, ...]]

    @property
    def has_answers(self) -> bool:
        """Whether rows hold responses, and not facts alone."""
        return RESPONSE in self.sources

    @property
    def graders(self) -> list[str]:
        """The graders whose labels rows hold."""
        return [one.removeprefix(GRADES) for one in self.sources if one.startswith(GRADES)]

    @property
    def described(self) -> str:
        """What is what, on one line."""
        return ", ".join(f"{'|'.join(many)} is {one}" for one, many in self.sources.items())

    def check_columns(self, there: Sequence[str], where: object) -> None:
        """Raise `UsageError` where a target has no column of those that are there."""
        heads = set(there)
        for target, paths in self.sources.items():
            if not any(path in heads or path.partition(".")[0] in heads for path in paths):
                raise absent_column(where, target, paths, there)

    def read_value(self, row: Mapping[str, Any], target: str) -> Any:
        """The value of a target in a row; None where nothing is filled."""
        for path in self.sources.get(target, ()):
            value = value_at(row, path)
            if value is not _ABSENT and is_filled(value):
                return value
        return None

    def find_paths(self, row: Mapping[str, Any]) -> Iterator[str]:
        """The targets of which a row has a source, filled or not."""
        for target, paths in self.sources.items():
            if any(value_at(row, path) is not _ABSENT for path in paths):
                yield target


def absent_column(
    where: object, target: str, paths: Sequence[str], there: Sequence[str]
) -> UsageError:
    """The error for a mapping to what is not there."""
    return UsageError(
        f"{where} has no column {quote('|'.join(paths))} for {target}: "
        f"columns are {quote_names(there)}"
    )


def parse_mapping(texts: Sequence[str]) -> TableMapping:
    """Read `TARGET=SOURCE|SOURCE,...`; an item with a comma stands in double quotes.

    Raises `UsageError`.
    """
    sources: dict[str, tuple[str, ...]] = {}
    for text in texts:
        try:
            (items,) = csv.reader([text], strict=True, skipinitialspace=True)
        except (csv.Error, ValueError):
            raise UsageError(f"--map {text}: a double quote is not closed") from None
        for item in filter(None, map(str.strip, items)):
            target, equals, named = item.partition("=")
            paths = tuple(filter(None, named.split("|")))
            target = target.strip()
            if not equals or not paths:
                raise UsageError(f"--map {item}: write TARGET=COLUMN")
            if target in sources:
                raise UsageError(f"--map {target}: it is named twice, write {target}=A|B")
            _check_target(target)
            sources[target] = paths
    return _check_mapping(sources)


def _check_target(target: str) -> None:
    graded = any(target.startswith(one) and target != one for one in (GRADES, RATIONALE))
    if target not in TARGETS and not graded:
        raise UsageError(
            f"--map {target}: there is no such target, but {', '.join(TARGETS)}, "
            "grades.GRADER, rationale.GRADER"
        )


def _check_mapping(sources: dict[str, tuple[str, ...]]) -> TableMapping:
    mapping = TableMapping(sources)
    more = [one for one in sources if one not in (*FACT_COLUMNS, *OPTIONAL_COLUMNS)]
    if more and not mapping.has_answers:
        raise UsageError(f"--map {more[0]} needs response=COLUMN: it is said of a response")
    for one in sources:
        grader = one.removeprefix(RATIONALE)
        if one.startswith(RATIONALE) and GRADES + grader not in sources:
            raise UsageError(f"--map {one} needs {GRADES}{grader}: a rationale is of a label")
    return mapping


def find_mapping(columns: Sequence[str]) -> TableMapping | None:
    """What a table of questions and answers is by the names of its columns; None for another.

    Columns that have our own names are these.
    """
    question = next((name for name in QUESTION_NAMES if name in columns), None)
    gold = next((name for name in GOLD_NAMES if name in columns), None)
    if question is None or gold is None:
        return None
    sources: dict[str, tuple[str, ...]] = {"direct": (question,), "direct_answer": (gold,)}
    options = next((name for name in CHOICE_NAMES if name in columns), None)
    if options is not None:
        sources["direct_choices"] = (options,)
    for name in columns:
        known = name in TARGETS or name.startswith((GRADES, RATIONALE))
        if known and name not in sources:
            sources[name] = (name,)
    if RESPONSE not in sources:
        facts = (*FACT_COLUMNS, *OPTIONAL_COLUMNS)
        sources = {name: paths for name, paths in sources.items() if name in facts}
    try:
        return _check_mapping(sources)
    except UsageError:
        return None


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """What a row holds at a column or dotted path; a private mark where it holds nothing."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return _ABSENT
    return value


def is_filled(value: Any) -> bool:
    """Whether a cell holds anything."""
    if isinstance(value, str):
        return bool(value.strip())
    return value is not None and value == value and value not in ([], {})


def as_text(value: Any, target: str) -> str:
    """A cell as text. Raises `RowError` for a list, an object or a number that is none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    is_infinite = isinstance(value, float) and not math.isfinite(value)
    if is_infinite or isinstance(value, list | dict | bytes):
        raise RowError(f"{target} is {quote(value)}, not a text")
    return str(value)


def gold_texts(value: Any, target: str) -> list[str]:
    """Gold and aliases in a cell: a text, or a list, also as JSON or Python. Raises `RowError`."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = parse_list(value.strip())
        value = parsed if parsed else value
    if not isinstance(value, list):
        return [as_text(value, target)]
    texts = [as_text(one, target).strip() for one in value if is_filled(one)]
    return list(dict.fromkeys(texts))


def make_fact_id(fact: Mapping[str, Any]) -> str:
    """The id of a fact without one: 16 hex digits of the SHA-256 of its columns as JSON."""
    content = json.dumps(fact, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()[:16]
