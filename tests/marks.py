"""Parameters of tests that only the slow run tries."""

from typing import Any

import pytest


def slow(value: object) -> Any:
    """This parameter of a test, marked as slow."""
    return pytest.param(value, marks=pytest.mark.slow)
