"""A log, read to its end into plain rows that wait on disk until they land."""

from collections.abc import Callable, Iterator
from io import BytesIO
from tempfile import TemporaryFile
from typing import IO, Any

import orjson

from core.errors import UsageError
from core.exchange.log_reader import LogReader, RowMaker
from core.exchange.log_samples import BadSample, LogHead
from core.exchange.score_labels import ScoreReader
from core.providers.openai_format import storable


class UnnamedModelError(UsageError):
    """A log names no model, and nobody else does."""


TOLD_EVERY = 1_000

Entry = tuple[int | str, dict[str, Any] | BadSample]
"""What the log calls a row, and a `LogRow` as a mapping; or why it is none."""


class LogSpool:
    """The rows of one log. `read` comes first."""

    def __init__(self, log: LogReader, scores: ScoreReader) -> None:
        self._log = log
        self._maker = RowMaker(scores)
        self._file: IO[bytes] = BytesIO()
        self._names_models = False

    def read(self, tell: Callable[[int], None], label: str | None) -> int:
        """Read the log to its end; gives how many rows it has.

        Raises `LostkeysError` where it is broken, `UsageError` where it names no model and `label`
        does not either.
        """
        self._file = TemporaryFile()  # noqa: SIM115 (until `close`)
        count = 0
        for count, sample in enumerate(self._log.samples(), 1):
            made = sample if isinstance(sample, BadSample) else self._maker.make(sample)
            self._keep(made)
            if count % TOLD_EVERY == 0:
                tell(count)
        head = self.head
        head.model, head.eval_id = head.model and storable(head.model), storable(head.eval_id)
        if not count:
            raise self._log.broken("holds no samples", remedy="write the log with its samples")
        if label is None and self.head.model is None and not self._names_models:
            raise UnnamedModelError(f"{self._log.path} names no model: name it with --as LABEL")
        return count

    def _keep(self, made: Any) -> None:
        if not isinstance(made, BadSample):
            self._names_models = self._names_models or made["model"] is not None
            try:
                self._file.write(orjson.dumps(made, option=orjson.OPT_APPEND_NEWLINE))
                return
            except TypeError as error:  # half of a surrogate pair, a number beyond 64 bits
                made = BadSample(made["row"], f"holds what cannot be kept ({error})")
        place = storable(made.row) if isinstance(made.row, str) else made.row
        bad = {"row": place, "bad": storable(made.reason)}
        self._file.write(orjson.dumps(bad, option=orjson.OPT_APPEND_NEWLINE))

    def close(self) -> None:
        """Forget the rows."""
        self._file.close()

    @property
    def head(self) -> LogHead:
        """What holds of the whole log."""
        return self._log.head

    @property
    def labels(self) -> list[tuple[str, str, int]]:
        """Grader, label and count of values that are labels."""
        return self._maker.tally.labels()

    @property
    def unlabelled(self) -> list[tuple[str, str, int]]:
        """Grader, reason and count of values that are no labels."""
        return self._maker.tally.unlabelled()

    def rows(self) -> Iterator[Entry]:
        """The rows in their order, without the scores of scorers that are no graders."""
        outside = self._maker.tally.outside
        self._file.seek(0)
        for line in self._file:
            row = orjson.loads(line)
            if "bad" in row:
                yield row["row"], BadSample(row["row"], row["bad"])
                continue
            if outside:
                for answer in row["answers"]:
                    for grader in outside.intersection(answer["grades"]):
                        for kept in ("grades", "rationales", "scores"):
                            answer[kept].pop(grader, None)
            yield row["row"], row
