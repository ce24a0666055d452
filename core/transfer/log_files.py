"""Logs of other tools among the files that are imported: which there are, and their rows."""

import json
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from core.errors import LostkeysError, UsageError
from core.exchange import every_eval_ever_log, helm_log, lm_eval_log, promptfoo_log
from core.exchange.json_rows import BOM, LINES, first_row, parse_roughly
from core.exchange.log_columns import LogColumns
from core.exchange.log_spool import LogSpool
from core.exchange.score_labels import ScoreReader, parse_words
from core.settings.compression import (
    DamagedStreamError,
    find_packed,
    open_bytes,
    plain_path,
)
from core.specs.file_specs import ImportWords
from core.transfer.file_formats import ARCHIVE, LOG_FORMATS

SUFFIXES = (".json", *LINES)
HEAD = 2**22
"""Bytes of a list in which its first object must end, for the list to be looked into."""

SamplePool = dict[tuple[str, str, str, bool], int]
"""Samples of the files of one command so far, by fact, task, model and thinking."""


class LogFile:
    """A log as columns. It is read once, by `scan`.

    `unit` says what numbers its rows, `size` is the file's bytes. `pool` has the samples of the
    files before, which those of this one follow.
    """

    def __init__(self, path: Path, name: str, words: ImportWords) -> None:
        self.path = path
        self.size = path.stat().st_size
        if words.thinking not in (None, "on", "off"):
            raise UsageError(f"thinking is on or off, not {words.thinking!r}")
        reader = import_module(LOG_FORMATS[name].module).READER(path, words.prefix)
        if name == helm_log.FORMAT:
            reader.wanted = frozenset(words.scores)
        if words.arguments:
            reader.arguments = words.arguments
        scores = ScoreReader(words.correct_at, parse_words(words.words), frozenset(words.scores))
        self._words = words
        self._spool = LogSpool(reader, scores)
        self._name = name
        self.pool: SamplePool | None = None
        self.unit = reader.unit

    def scan(self, tell: Callable[[int], None]) -> int:
        """Read the log to its end; gives how many rows there are."""
        return self._spool.read_log(tell, self._words.as_label)

    def close(self) -> None:
        """Forget the rows."""
        self._spool.close()

    def blocks(self) -> Iterator[tuple[int, LogColumns]]:
        """The rows in their order, some at a time, with about how many bytes they have."""
        return self._spool.blocks()

    @property
    def marks(self) -> Sequence[tuple[str, str]]:
        """The graders and labels that rows name by their places."""
        return self._spool.marks

    @property
    def notices(self) -> Sequence[str]:
        """What a person should know of the log as a whole."""
        return self._spool.head.notices.lines(self.unit)

    @property
    def mapping(self) -> Sequence[tuple[str, str]]:
        """Model and setting, and what became of the scores of each grader."""
        mode = "on" if self.thinking else "off"
        found = [("model", f"{self.model or 'as each row says'}, thinking {mode}")]
        for grader, labels in groupby(self._spool.labels, key=itemgetter(0)):
            found.append((grader, ", ".join(f"{count:,} {label}" for _, label, count in labels)))
        return found

    @property
    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels."""
        return self._spool.unlabelled

    @property
    def model(self) -> str | None:
        """The model of all rows: as the words name it, else the log. None: each row's own."""
        return self._words.as_label or self._spool.head.model

    @property
    def is_renamed(self) -> bool:
        """Whether the words name the model, whatever rows say."""
        return self._words.as_label is not None

    @property
    def eval_id(self) -> str:
        """The log's own id."""
        return self._spool.head.eval_id

    @property
    def thinking(self) -> bool:
        """Whether the model was thinking, by the words, else by the log."""
        told = self._words.thinking
        return self._spool.head.thinking if told is None else told == "on"


def find_log_format(path: Path) -> str | None:
    """Which format of logs a file has, by its content; None where it is no log.

    Raises `LostkeysError` for a file that goes with a log.
    """
    if path.suffix.lower() == ARCHIVE:
        return "inspect"
    suffix = plain_path(path).suffix.lower()
    if suffix not in SUFFIXES or not path.is_file():
        return None
    if suffix in LINES:
        return _row_format(first_row(path))
    try:
        with open_bytes(path) as file:
            head = file.read(HEAD).removeprefix(BOM).lstrip()
    except DamagedStreamError:
        return None
    if head.startswith(b"["):
        return _row_format(_first_of_list(head))
    return _whole_format(path) if head.startswith(b"{") else None


def _row_format(row: Any) -> str | None:
    kinds = (lm_eval_log, every_eval_ever_log, promptfoo_log)
    if not isinstance(row, dict):
        return None
    return next((kind.FORMAT for kind in kinds if kind.is_row(row)), None)


def _first_of_list(head: bytes) -> Any:
    text = head[1:].decode(errors="ignore").lstrip()
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _whole_format(path: Path) -> str | None:
    try:
        with open_bytes(path) as file:
            content = parse_roughly(file.read())
    except (ValueError, RecursionError, DamagedStreamError):
        return None
    if not isinstance(content, dict):
        return None
    if isinstance(content.get("eval"), dict):
        return "inspect"
    if helm_log.is_state(content):
        return helm_log.FORMAT
    if promptfoo_log.find_results(content) is not None:
        return promptfoo_log.FORMAT
    return None


def check_companion(path: Path) -> None:
    """Raise `LostkeysError` for a file that is read beside a log, and says nothing alone."""
    name = plain_path(path).name
    log = None
    for ending in (helm_log.STATISTICS, helm_log.SPEC):
        if name.endswith(ending):
            log = find_packed(path.with_name(name.removesuffix(ending) + helm_log.STATE))
    if date := lm_eval_log.results_date(name):
        log = next(path.parent.glob(f"samples_*_{date}.jsonl*"), None)
    if log is not None:
        raise LostkeysError(f"{path} is read beside {log.name}: import that one")
