"""Page views as files give them."""

from core.transfer.fields import RowError, quoted

MOST = 2**63 - 1
UNKNOWN = ("", "nan")


def views(value: object, key: str) -> int | None:
    """Page views: a whole number from 0, None where the number is unknown. Raises `RowError`."""
    if value is None or (isinstance(value, str) and value.strip().lower() in UNKNOWN):
        return None
    if isinstance(value, float) and value != value:
        return None
    found = _whole(value)
    if found is None or not 0 <= found <= MOST:
        raise RowError(f"{key} is {quoted(value)}, not a whole number of page views")
    return found


def _whole(value: object) -> int | None:
    if isinstance(value, str):
        digits = value.strip().removesuffix(".0")
        short = len(digits) <= len(str(MOST))
        return int(digits) if short and digits.isascii() and digits.isdigit() else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is int else None
