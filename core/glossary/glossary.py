"""All entries by subject, and the ways to find one."""

import difflib
from collections.abc import Mapping

from core.errors import UsageError
from core.glossary.audit_terms import ALIGNED, AUDITS
from core.glossary.bench_terms import BENCH
from core.glossary.figure_terms import FIGURES
from core.glossary.glossary_entry import GlossaryEntry
from core.glossary.grader_terms import CONFUSION, REVIEW
from core.glossary.job_terms import JOBS
from core.glossary.label_terms import GRADES, LABELS
from core.glossary.latent_terms import LATENT, LATENT_FIGURES
from core.glossary.lens_terms import BAR, LENS
from core.glossary.profile_terms import CODES, PARTS, SHARES
from core.glossary.question_terms import FACTS, TASKS

SUBJECTS: Mapping[str, tuple[GlossaryEntry, ...]] = {
    "Profiles": CODES,
    "What profiles are made of": PARTS,
    "Shares and comparisons": SHARES,
    "Facts": FACTS,
    "Tasks and answers": TASKS,
    "Labels and marks": LABELS,
    "Grades": GRADES,
    "Two graders": CONFUSION,
    "Audits": AUDITS,
    "Aligning graders": ALIGNED,
    "Review": REVIEW,
    "Jobs": JOBS,
    "Figures": (*FIGURES, *LATENT_FIGURES),
    "Where nobody asks": LATENT,
    "FACT-BENCH": BENCH,
    "The lens": LENS,
    "On every screen": BAR,
}
"""Entries by subject, in the order in which they are listed."""

GLOSSARY: tuple[GlossaryEntry, ...] = tuple(one for part in SUBJECTS.values() for one in part)

BY_TERM: Mapping[str, GlossaryEntry] = {one.term: one for one in GLOSSARY}

NEAREST = 3
"""Terms that are named where none is written so."""

NOT_FOUND = 9
"""The rank of an entry in which a word is missing."""


def terms_on(tab: str) -> tuple[GlossaryEntry, ...]:
    """What the screen of a tab shows, what is its own before what every screen shows."""
    own = [one for one in GLOSSARY if one.is_on(tab) and not one.is_general]
    return (*own, *(one for one in GLOSSARY if one.is_general))


def search_terms(text: str) -> list[GlossaryEntry]:
    """Entries in which every word of a text is found, best first.

    Best is what is written so, then what begins so, then names and synonyms, then sentences.
    """
    wanted = " ".join(text.casefold().split())
    if not wanted:
        return []
    ranks = {one.term: _rank(one, text.strip(), wanted) for one in GLOSSARY}
    found = [one for one in GLOSSARY if ranks[one.term] < NOT_FOUND]
    return sorted(found, key=lambda one: ranks[one.term])


def _rank(one: GlossaryEntry, text: str, wanted: str) -> int:
    """How well an entry fits, 0 the best; `NOT_FOUND` where a word is missing."""
    names = [name.casefold() for name in one.written]
    if text == one.term:
        return 0
    if text in one.written:
        return 1
    if wanted in names:
        return 2
    if any(name.startswith(wanted) for name in names):
        return 3
    places = (" ".join(names), one.short.casefold(), one.long.casefold())
    for rank, place in enumerate(places, 4):
        if all(word in place for word in wanted.split()):
            return rank
    return NOT_FOUND


def explain_term(text: str) -> list[GlossaryEntry]:
    """The entries that are written so, capitals aside only where none is.

    Raises `UsageError` with the nearest terms where there is none.
    """
    wanted = " ".join(text.split())
    folded = wanted.casefold()
    for found in (
        [one for one in GLOSSARY if wanted in one.written],
        [one for one in GLOSSARY if folded in map(str.casefold, one.written)],
    ):
        if found:
            return sorted(found, key=lambda one: one.term.casefold() != folded)
    near = _nearest(folded)
    said = ", ".join(f"`{name}`" for name in near)
    hint = f"did you mean {said}?" if near else "`?` on screen lists all of them"
    raise UsageError(f"the glossary has no term `{wanted}`: {hint}")


def _nearest(folded: str) -> list[str]:
    """What is written nearly so, each of another entry; else terms that speak of it."""
    names = {name.casefold(): (name, one.term) for one in GLOSSARY for name in one.written}
    close = difflib.get_close_matches(folded[:80], names, 2 * NEAREST, 0.6)
    found = {names[name][1]: names[name][0] for name in reversed(close)}
    return [*reversed(found.values())][:NEAREST] or [
        one.term for one in search_terms(folded)[:NEAREST]
    ]
