"""Which answers of a lake are kept where it is only counted: words of `--keep`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from core.dataset.fact_filters import Filters, parse_where
from core.errors import UsageError
from core.results.agreement import ranks_of_two
from core.scale.lake import LakeCell
from core.scale.lake_counts import LakeCounts
from core.scoring.policy import Policy
from core.transfer.lake_parquet import RowChoice, count_rows
from core.transfer.lake_rows import LakeFolder
from core.transfer.row_source import Row

if TYPE_CHECKING:
    import pyarrow as pa

DIFFERS, RANDOM = "differs:", "random:"
_SHARE = re.compile(r"random:(\d{1,3}(?:\.\d{1,6})?)%")
IN_DIGEST = 8
"""Numbers of 64 bits that a digest of BLAKE2b holds."""

Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(slots=True)
class KeptAnswers:
    """Answers that fit any of some filters: of facts, single ones by cell, and a share of all."""

    facts: set[str] = field(default_factory=set)
    samples: dict[LakeCell, set[tuple[str, int]]] = field(default_factory=dict)
    share: float = 0.0

    def __bool__(self) -> bool:
        """Whether any answer may be kept."""
        return bool(self.facts or self.samples or self.share)

    def find(
        self, cell: LakeCell, facts: Sequence[str | None], places: Places, samples: Places
    ) -> Flags:
        """Which of some answers of a cell are kept; of a share always the same ones.

        Answer i is sample `samples[i]` of fact `facts[places[i]]`. Written for millions.
        """
        found = np.array([fact in self.facts for fact in facts], np.bool_)[places]
        if self.share:
            found |= _draw_numbers(cell, facts, places, samples) < self.share
        single = self.samples.get(cell)
        if single:
            named = {fact for fact, _ in single}
            near = np.array([fact in named for fact in facts], np.bool_)[places]
            for row in np.flatnonzero(near & ~found).tolist():
                found[row] = (facts[places[row]], samples[row]) in single
        return found


def _draw_numbers(
    cell: LakeCell, facts: Sequence[str | None], places: Places, samples: Places
) -> npt.NDArray[np.float64]:
    """A number from 0 to 1 for each answer that follows from its cell, fact and sample."""
    found = np.zeros(samples.size)
    for block in np.unique(samples // IN_DIGEST).tolist():
        keys = (f"{cell}\0{fact}\0{block}".encode(errors="surrogatepass") for fact in facts)
        digests = b"".join(blake2b(key).digest() for key in keys)
        numbers = np.frombuffer(digests, "<u8").reshape(-1, IN_DIGEST) / 2.0**64
        mine = samples // IN_DIGEST == block
        found[mine] = numbers[places[mine], samples[mine] % IN_DIGEST]
    return found


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

    def scan(self, tell: Callable[[int], None]) -> int:
        """How many rows the files say they have: a broken one ends all before anything is kept."""
        return sum(map(count_rows, self._files()))

    def _rows_of_cell(
        self, cell: LakeCell, path: Path, columns: Sequence[str], named: Mapping[str, Any]
    ) -> Iterator[Row]:
        return super()._rows_of_cell(cell, path, columns, named) if self._kept else iter(())

    def _choose_rows(self, cell: LakeCell) -> RowChoice:
        def choose(batch: "pa.RecordBatch") -> "pa.Array":
            import pyarrow as pa

            named = batch.column("fact_id").cast(pa.string())
            coded = named.dictionary_encode(null_encoding="encode")
            samples = np.nan_to_num(batch.column("sample").to_numpy(zero_copy_only=False))
            places = np.asarray(coded.indices, np.int64)
            facts = coded.dictionary.to_pylist()
            return pa.array(self._kept.find(cell, facts, places, samples.astype(np.int64)))

        return choose
