"""Given names that may be one person's."""

from core.graders.lexical.english import SHORT_NAMES


def same_given_name(one: str, other: str) -> bool:
    """Whether two given names may be one person's: equal, an initial, or a common short form."""
    if one == other:
        return True
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    return any(one in group and other in group for group in SHORT_NAMES)
