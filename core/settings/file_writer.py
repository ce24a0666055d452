"""Writing small files so that nobody ever reads half of one."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from core.errors import LostkeysError
from db.open_files import refuse_open


def replace(path: Path, content: bytes) -> None:
    """Write a file in one step, its folder too where that is not there. Raises `OSError`."""
    whole = path.resolve()
    whole.parent.mkdir(parents=True, exist_ok=True)
    draft = tempfile.NamedTemporaryFile(dir=whole.parent, delete=False)  # noqa: SIM115
    try:
        with draft:
            draft.write(content)
        Path(draft.name).replace(whole)
    except OSError:
        with suppress(OSError):
            Path(draft.name).unlink()
        raise


def deliver(path: Path, content: bytes) -> None:
    """Write a file that a person asked for, as `deliver_by` does."""
    deliver_by(path, lambda draft: draft.write_bytes(content))


def deliver_by(path: Path, write: Callable[[Path], object]) -> None:
    """Have a file that a person asked for written, whole or not at all.

    `write` gets the path of a draft beside it. Where a link is, the file that it leads to is
    written. Raises `LostkeysError` where it cannot be written, or where anything else than a file
    is: what was there is then as it was.
    """
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")
    try:
        whole = path.resolve()
    except (OSError, RuntimeError) as error:  # a link that leads to itself
        raise LostkeysError(
            f"{path} cannot be written, the link leads nowhere: name another"
        ) from error
    if whole.exists() and not whole.is_file():
        raise LostkeysError(f"{path} cannot be written, it is no regular file: name another")
    refuse_open(path)
    draft = whole.with_name(f".{whole.name}.{os.getpid()}.part")
    try:
        write(draft)
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(whole)
    except OSError as error:
        raise explain_unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def explain_unwritable(path: Path, error: Exception) -> LostkeysError:
    """What to tell who asked for a file or folder that cannot be written."""
    why = getattr(error, "strerror", None) or error
    return LostkeysError(f"{path} cannot be written ({why}): make room, or choose another folder")
