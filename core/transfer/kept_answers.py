"""Which answers of a lake are kept where it is only counted: words of `--keep`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np

from core.dataset.fact_filters import Filters, parse_where
from core.errors import UsageError
from core.results.agreement import ranks_of_two
from core.scale.lake import FACTS, LakeCell
from core.scale.lake_counts import LakeCounts
from core.scoring.policy import Policy
from core.transfer.lake_rows import PART, LakeFolder
from core.transfer.readers import Row
from core.vocabulary import Task

DIFFERS, RANDOM = "differs:", "random:"
_SHARE = re.compile(r"random:(\d{1,3}(?:\.\d{1,6})?)%")
_HASHED = 2**64


@dataclass(slots=True)
class KeptAnswers:
    """Answers that fit any of some filters: of facts, single ones by cell, and a share of all."""

    facts: set[str] = field(default_factory=set)
    samples: dict[LakeCell, set[tuple[str, int]]] = field(default_factory=dict)
    share: float = 0.0

    def __bool__(self) -> bool:
        """Whether any answer may be kept."""
        return bool(self.facts or self.samples or self.share)

    def has(self, cell: LakeCell, fact_id: str, sample: int) -> bool:
        """Whether an answer is kept; of a share always the same ones."""
        if fact_id in self.facts or (fact_id, sample) in self.samples.get(cell, ()):
            return True
        if not self.share:
            return False
        key = f"{cell}\0{fact_id}\0{sample}".encode(errors="surrogatepass")
        return int.from_bytes(blake2b(key, digest_size=8).digest()) < self.share * _HASHED


def find_kept(counts: LakeCounts, keeps: Sequence[str], policy: Policy) -> KeptAnswers:
    """The answers that fit any `--keep`. Raises `UsageError` for one that is no filter."""
    kept = KeptAnswers()
    for keep in keeps:
        share = _SHARE.fullmatch(keep)
        if share is not None and 0 < float(share[1]) <= 100:
            kept.share = max(kept.share, float(share[1]) / 100)
        elif keep.startswith(DIFFERS) and keep.count(",") == 1:
            _add_unlike(counts, kept, *keep.removeprefix(DIFFERS).split(","))
        else:
            check_filter(keep)
            mask = counts.facts(keep, counts.choose_models(None), policy)
            kept.facts.update(counts.index.fact_ids[place] for place in np.flatnonzero(mask))
    return kept


def check_filter(keep: str) -> None:
    """Raise `UsageError` for what is no filter of facts that a lake can answer."""
    filters, search = (Filters(), "") if keep.startswith(RANDOM) else parse_where(keep)
    if filters.reviews or filters.rejected:
        raise UsageError(
            f"--keep {keep}: a lake has no flags and edits, and counts go into a new database"
        )
    elsewhere = filters.texts or filters.numbers or filters.latent or filters.sources
    if search or elsewhere or filters.random is not None or not filters.count:
        raise UsageError(
            f"--keep {keep[:60]!r} is no filter: say profile:RF, category:Arts, views:>1000, "
            "differs:A,B or random:1%"
        )


def _add_unlike(counts: LakeCounts, kept: KeptAnswers, a: str, b: str) -> None:
    """Add the answers that two graders label differently."""
    ranks, fact_ids = ranks_of_two(counts, a, b), counts.index.fact_ids
    for cell in counts.lake.responses:
        first, second = (counts.sources(cell, (rank,)) for rank in ranks)
        if first and second:
            _, (places, samples, *_labels) = counts.queries.cross(first[0], second[0])
            kept.samples.setdefault(cell, set()).update(
                (fact_ids[int(place)], int(sample))
                for place, sample in zip(places, samples, strict=True)
            )


class KeptRows(LakeFolder):
    """The facts of a lake, and of its answers and labels those that are kept."""

    def __init__(self, path: Path, kept: KeptAnswers) -> None:
        super().__init__(path)
        self._kept = kept

    def _rows(self) -> Iterator[Row]:
        for row in super()._rows():
            if not isinstance(row, Mapping) or row[PART] == FACTS:
                yield row
                continue
            if not self._kept:  # facts come first
                return
            cell = LakeCell(row["model"], row["thinking"], Task(row["task"]))
            if self._kept.has(cell, row["fact_id"], row["sample"]):
                yield row
