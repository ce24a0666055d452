"""Errors a person can act on. The message is one line: what is wrong, where, what to do."""

from collections.abc import Iterable


def suggest_nearest(word: str, known: Iterable[str]) -> str:
    """`did you mean category? `, to stand in an error; empty where nothing is written nearly so."""
    import difflib

    names = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold()[:80], names, 1, 0.6)
    return f"did you mean {names[near[0]]}? " if near else ""


class LostkeysError(Exception):
    """Base of every error that is shown as one line instead of a traceback.

    `exit_code` is what the command line returns for it.
    """

    exit_code = 1


class UsageError(LostkeysError):
    """The words of a command or a setting do not fit (exit code 2)."""

    exit_code = 2


class ProgramError(LostkeysError):
    """A fault of the program itself: not of a file, a service or a person."""

    def __init__(self, fault: BaseException) -> None:
        super().__init__(f"a fault of the program ({type(fault).__name__}: {fault})")


class ProviderError(LostkeysError):
    """A model could not be reached or did not answer in a form that can be used.

    `status` is the HTTP status that came, None where none did.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status
