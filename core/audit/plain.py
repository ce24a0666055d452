"""Letting what reads and writes a database fail with one line for people."""

import sqlite3
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import db.errors
from core.errors import LostkeysError
from core.project import explain

SENSELESS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What reading comes to where a file holds values that no Lostkeys has written."""


class Reader(Protocol):
    """What reads or writes a database."""

    @property
    def path(self) -> Path:
        """The database."""


P = ParamSpec("P")
R = TypeVar("R", bound=Reader)
T = TypeVar("T")


def plainly(method: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """Let a method fail with one line for people."""

    @wraps(method)
    def plain(self: R, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return method(self, *args, **named)
        except sqlite3.Error as error:
            raise db.errors.explain(error, self.path) from error
        except OSError as error:
            raise explain(error) or error from error
        except SENSELESS as error:
            fault = f"{type(error).__name__}: {error}"
            raise LostkeysError(
                f"{self.path} holds what cannot be read ({fault}): `lostkeys doctor` looks into it"
            ) from error

    return plain
