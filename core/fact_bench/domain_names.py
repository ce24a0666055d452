"""New names of domains: a person's list brings the many of a source to the few of a benchmark.

FACT-BENCH, section 2.2: 99 domains, brought to 20 by hand.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import LostkeysError
from core.fact_bench.triple_filters import fold_text, read_text
from db.prepared_triples import Preparation, PreparedTriple, SetTriple

HEADER = ("from", "to")


def read_domains(path: Path) -> tuple[tuple[str, str], ...]:
    """New names in a CSV of `from,to`, by their folded old ones, sorted.

    A new name that is an old one of another row leads on to that row's. Raises `LostkeysError` for
    a file that is no such list, and for names that lead round in a circle.
    """
    found: dict[str, str] = {}
    rows = csv.reader(read_text(path).splitlines(), strict=True)
    try:
        for place, row in enumerate(rows):
            cells = [one.strip() for one in row]
            if place == 0 and tuple(map(str.lower, cells)) != HEADER:
                raise LostkeysError(f"{path}, line 1: the columns must be from,to")
            if place == 0 or not any(cells):
                continue
            if len(cells) != len(HEADER) or not cells[1]:
                raise LostkeysError(
                    f"{path}, line {rows.line_num}: write a domain and its new name"
                )
            old = fold_text(cells[0])
            if found.setdefault(old, cells[1]) != cells[1]:
                raise LostkeysError(
                    f"{path}, line {rows.line_num}: {cells[0]} has another new name above: keep one"
                )
    except csv.Error as error:
        raise LostkeysError(f"{path}, line {rows.line_num}: {error}") from None
    if not found:
        raise LostkeysError(f"{path} names no domain: write rows of from,to")
    return tuple(sorted((old, _follow(found, old, path)) for old in found))


def _follow(names: Mapping[str, str], old: str, path: Path) -> str:
    """The name that an old one leads to in the end; one that stays leads to itself."""
    new, seen = names[old], {old}
    while (key := fold_text(new)) in names and fold_text(names[key]) != key:
        if key in seen:
            raise LostkeysError(f"{path}: {new} leads back to itself: break the circle")
        seen.add(key)
        new = names[key]
    return new


def rename_domains(
    triples: Sequence[SetTriple], preparation: Preparation
) -> tuple[list[SetTriple], set[int]]:
    """Triples with the domains that a preparation gives them, and facts (ids) that it names none.

    What an earlier preparation said of them is gone.
    """
    if preparation.domains is None:
        return [replace(one, prepared=None) for one in triples], set()
    names, other = dict(preparation.domains), preparation.other
    found = [names.get(fold_text(one.file_domain), other) for one in triples]
    renamed = [
        replace(one, prepared=PreparedTriple(domain=name))
        for one, name in zip(triples, found, strict=True)
    ]
    unnamed = {one.fact for one, name in zip(triples, found, strict=True) if name is None}
    return renamed, unnamed
