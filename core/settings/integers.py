"""Integers written by others: there is an end to how many digits are read."""


class LongIntegerError(ValueError):
    """An integer of more digits than Python reads. The message is for people."""


def parse_integer(digits: str) -> int:
    """The integer that stands there in decimal digits. Raises `LongIntegerError`."""
    try:
        return int(digits)
    except ValueError:
        raise LongIntegerError(f"a number of {len(digits):,} digits is too long") from None
