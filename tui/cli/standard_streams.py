"""`-` for a file: standard input as a file to import, standard output as one to write."""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from core.errors import LostkeysError, UsageError

DASH = "-"


@contextmanager
def open_inputs(files: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """The files, and for `-` a passing one that holds what standard input has.

    It is named by what it begins with; errors call it `-`. Raises `UsageError` where `-` stands
    twice.
    """
    from core.transfer.file_kinds import save_stream

    if [str(file) for file in files].count(DASH) > 1:
        raise UsageError("- stands for standard input, once")
    with TemporaryDirectory(prefix="lostkeys-") as folder:
        try:
            yield tuple(
                save_stream(sys.stdin.buffer, Path(folder)) if str(file) == DASH else file
                for file in files
            )
        except LostkeysError as error:
            there = re.escape(folder) + r"/stdin[.a-z0-9]*"
            error.args = tuple(re.sub(there, DASH, str(one)) for one in error.args)
            raise


@contextmanager
def open_output(file: Path, as_type: str | None) -> Iterator[Path]:
    """The file to write, for `-` a passing one that is then copied to standard output.

    Raises `UsageError` where `-` comes without a type, or a type without `-`.
    """
    if str(file) != DASH:
        if as_type is not None:
            raise UsageError("--as-type goes with -o -: a file is what its name ends in")
        yield file
        return
    if as_type is None:
        raise UsageError("-o - needs --as-type: csv, tsv, jsonl, parquet or md")
    with TemporaryDirectory(prefix="lostkeys-") as folder:
        path = Path(folder) / f"stdout.{as_type}"
        yield path
        sys.stdout.flush()
        with path.open("rb") as written:
            copyfileobj(written, sys.stdout.buffer)
