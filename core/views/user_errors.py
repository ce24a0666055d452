"""Letting what reads and writes a database fail with one line for people."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

import db.sqlite_errors
from core.project import explain


class Reader(Protocol):
    """What reads or writes a database."""

    @property
    def path(self) -> Path:
        """The database."""


P = ParamSpec("P")
R = TypeVar("R", bound=Reader)
T = TypeVar("T")


def tell_user_errors(method: Callable[Concatenate[R, P], T]) -> Callable[Concatenate[R, P], T]:
    """Let a method fail with one line for people where the file or the system is at fault."""

    @wraps(method)
    def call_method(self: R, /, *args: P.args, **named: P.kwargs) -> T:
        try:
            return method(self, *args, **named)
        except db.sqlite_errors.OF_THE_FILE as error:
            raise db.sqlite_errors.explain(error, self.path) from error
        except OSError as error:
            raise explain(error) or error from error

    return call_method
