"""Limits that a program which reads what it is given sets itself."""

import resource
from contextlib import suppress


def limit_process(memory: int, seconds: int) -> None:
    """Let this process take no more memory (bytes) and time (of a processor), and leave no core."""
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        with suppress(ValueError, OSError):  # a system that has no such limit
            resource.setrlimit(kind, (most if hard < 0 else min(most, hard), hard))
