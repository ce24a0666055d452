"""Numbers and names in few cells: views, counts, topics."""

TOPICS = {
    "Everyday Life": "Life",
    "Geography": "Geo",
    "People": "Peo",
    "Science": "Sci",
    "Society": "Soc",
}
"""Topics that are not known by their first four letters."""


def views_words(views: int) -> str:
    """Page views in four cells at most: `405`, `4.3k`, `203k`, `3.9M`; nothing below 0."""
    if views < 0:
        return ""
    if views < 1_000:
        return str(views)
    for unit, name in ((1_000, "k"), (1_000_000, "M")):
        tenths, whole = _halves_up(10 * views, unit), _halves_up(views, unit)
        if tenths < 100:
            return f"{tenths // 10}.{tenths % 10}{name}"
        if whole < 1_000:
            return f"{whole}{name}"
    return f"{_halves_up(views, 1_000_000_000)}G"


def topic_words(topic: str) -> str:
    """A topic in a word of five cells at most: `Tech`, `Life`."""
    first = topic.split()[0] if topic.split() else ""
    return TOPICS.get(topic, first if len(first) <= 5 else first[:4])


def amount(number: int, one: str, many: str | None = None) -> str:
    """A number with what is counted: `1 answer`, `2,150 facts`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _halves_up(number: int, unit: int) -> int:
    return (number + unit // 2) // unit
