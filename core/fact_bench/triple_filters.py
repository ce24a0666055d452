"""Which triples of a set are dropped, each for the first reason there is.

FACT-BENCH, section 2.1: validity (the answer stands on the subject's page) and specificity
(properties with one answer, no title in brackets, no second answer, units in questions).
"""

import unicodedata
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from pathlib import Path

from core.dataset.answer_types import NUMBER, is_listed
from core.dataset.seeded_order import key_of
from core.errors import LostkeysError, UsageError
from core.pipeline.text_match import WordText
from core.pipeline.triple_checks import leaks, stands_on
from core.pipeline.triple_text import names_unit
from db.prepared_triples import SetTriple

DUPLICATE, QUESTION = "duplicate", "question"
"""Reasons for which a triple is always dropped."""

DOMAIN = "domain"
"""The reason of one whose domain has no new name, where domains are renamed."""

PROPERTY, PAGE, PARENTHESES, REPEATED, LEAK, UNIT = FILTERS = (
    "property",
    "page",
    "parentheses",
    "repeated",
    "leak",
    "unit",
)
"""Filters that may be chosen, in the order in which they are asked."""

DEFAULT_FILTERS = (PARENTHESES, REPEATED, LEAK, UNIT)
PAPER, NONE = "paper", "none"

REASONS = (DUPLICATE, QUESTION, DOMAIN, *FILTERS)

SubjectKey = tuple[str, str]
"""Subject and property of a triple as they are compared."""

PageOf = Callable[[SetTriple], WordText | None]
"""Gives the document of a triple's subject, None where there is none."""

NO_PAGES: PageOf = lambda triple: None  # noqa: E731 - it has a type


def parse_filters(text: str) -> tuple[str, ...]:
    """The filters that `paper`, `none` or a list of names chooses. Raises `UsageError`."""
    if text in (PAPER, NONE):
        return FILTERS if text == PAPER else ()
    chosen = {one.strip() for one in text.split(",")}
    for one in chosen - {*FILTERS}:
        raise UsageError(
            f"no filter {one!r}: write {PAPER}, {NONE} or some of {', '.join(FILTERS)}"
        )
    return tuple(one for one in FILTERS if one in chosen)


def read_text(path: Path) -> str:
    """The text of a file that a person wrote. Raises `LostkeysError`."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror}: check the name") from None
    except UnicodeDecodeError:
        raise LostkeysError(f"{path} is no text in UTF-8: save it so") from None


def read_properties(path: Path) -> tuple[str, ...]:
    """Names and ids of properties in a file, one a line. Raises `LostkeysError`."""
    text = read_text(path)
    found = dict.fromkeys(line.strip() for line in text.splitlines() if line.strip())
    if not found:
        raise LostkeysError(
            f"{path} names no property: write a name or a number, such as P19, a line"
        )
    return tuple(found)


def find_reasons(
    triples: Sequence[SetTriple],
    filters: Iterable[str],
    properties: Iterable[str] | None = None,
    page_of: PageOf = NO_PAGES,
    unnamed: Container[int] = (),
) -> dict[int, str]:
    """Why triples are dropped, by the ids of their facts; those that are kept are left out.

    `properties` are names and ids that are kept, None for those of the paper. `unnamed` are
    facts (ids) whose domain has no new name.
    """
    keys = {one.fact: (_subject(one), property_of(one)) for one in triples}
    duplicates = _duplicates(triples, keys)
    asked: dict[str, Callable[[SetTriple], bool]] = {
        DUPLICATE: lambda one: one.fact in duplicates,
        QUESTION: lambda one: not one.asked.strip(),
        DOMAIN: lambda one: one.fact in unnamed,
        PROPERTY: _outside(properties),
        PAGE: lambda one: _is_missing(one, page_of(one)),
        PARENTHESES: lambda one: _has_parentheses(one.page_title or one.subject),
        REPEATED: _repeats(duplicates, keys),
        LEAK: leaks,
        UNIT: lambda one: one.answer_type == NUMBER and bool(one.unit) and not names_unit(one),
    }
    chosen = {DUPLICATE, QUESTION, DOMAIN, *filters}
    checks = [(reason, fails) for reason, fails in asked.items() if reason in chosen]
    found = {}
    for one in triples:
        for reason, fails in checks:
            if fails(one):
                found[one.fact] = reason
                break
    return found


def fold_text(text: str) -> str:
    """A text as the texts of triples are compared."""
    composed = text if text.isascii() else unicodedata.normalize("NFC", text)
    return composed.strip().casefold()


def _subject(one: SetTriple) -> str:
    return fold_text(one.subject_id or one.subject)


def property_of(one: SetTriple) -> str:
    """What tells the property of a triple from others: its number, else its name."""
    return fold_text(one.property_id or one.relation)


def _duplicates(triples: Iterable[SetTriple], keys: Mapping[int, SubjectKey]) -> set[int]:
    """Triples whose subject, property and object an earlier one has."""
    seen: set[tuple[SubjectKey, str]] = set()
    found = set()
    for one in triples:
        key = (keys[one.fact], fold_text(one.object))
        if key in seen and key[0][0]:
            found.add(one.fact)
        seen.add(key)
    return found


def _repeats(
    duplicates: Container[int], keys: Mapping[int, SubjectKey]
) -> Callable[[SetTriple], bool]:
    """Tells whether another triple, duplicates apart, has the same subject and property."""
    counts = Counter(key for fact, key in keys.items() if key[0] and fact not in duplicates)
    return lambda one: counts[keys[one.fact]] > 1


def _outside(properties: Iterable[str] | None) -> Callable[[SetTriple], bool]:
    listed = None if properties is None else {key_of(one) for one in properties}
    return lambda one: not is_listed(one.property_id, one.relation, listed)


def _is_missing(one: SetTriple, page: WordText | None) -> bool:
    return page is None or not stands_on(page, one)


def _has_parentheses(title: str) -> bool:
    opened = title.find("(")
    return opened >= 0 and ")" in title[opened:]
