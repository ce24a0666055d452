"""The program in a terminal, as `tests.forker` forks it: everything is imported, nothing begun."""

import importlib
import os
import pkgutil
import sys

import tui
from tests.commands import MODULES


def warm_up() -> None:
    screens = [one.name for one in pkgutil.walk_packages(tui.__path__, "tui.")]
    for name in (*screens, *MODULES):
        if not name.endswith("__main__"):
            importlib.import_module(name)


def run_program(
    terminal: str, words: list[str], folder: str, environment: dict[str, str], errors: str | None
) -> None:
    """Run it in a session of its own, with a terminal that does not become that session's."""
    from tui.cli.main import main

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in environment
    line = os.open(terminal, os.O_RDWR | os.O_NOCTTY)
    for stream in (0, 1, 2):
        os.dup2(line, stream)
    os.close(line)
    if errors is not None:
        os.dup2(os.open(errors, os.O_WRONLY), 2)
    _open_streams()
    sys.argv = ["-c", *words]
    main()


def _open_streams() -> None:
    """Standard streams as those of a program that begins in the terminal."""
    kinds = (("stdin", "r", "strict"), ("stdout", "w", sys.stdout.errors))
    for number, (name, mode, errors) in enumerate((*kinds, ("stderr", "w", "backslashreplace"))):
        stream = os.fdopen(number, mode, 1, encoding="utf-8", errors=errors, closefd=False)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
