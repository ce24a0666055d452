"""Writing small files so that nobody ever reads half of one."""

import tempfile
from contextlib import suppress
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Write a file in one step, its folder too where that is not there. Raises `OSError`."""
    whole = path.resolve()
    whole.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=whole.parent, delete=False) as draft:
        draft.write(content)
    try:
        Path(draft.name).replace(whole)
    except OSError:
        with suppress(OSError):
            Path(draft.name).unlink()
        raise
