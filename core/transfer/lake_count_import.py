"""A lake taken in as counts: its facts, numbers for each cell, and the answers that are kept."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import db.connection
import db.lake_label_counts
import db.model_rows
from core.dataset.fact_filters import Filters, parse_where
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.results.agreement import ranks_of_two
from core.scale.lake import LakeCell
from core.scale.lake_counts import LakeCounts
from core.scoring.label_counts import LabelCounts
from core.scoring.lake_labels import sum_files
from core.scoring.policy import Policy
from core.scoring.precedence import CHOICE, HUMAN_PREFIX, PEOPLE, Rank, ranks_here
from core.transfer.imports import Progress, import_source, rehearsal
from core.transfer.lake_parquet import RowChoice, count_rows
from core.transfer.lake_rows import LakeFolder
from core.transfer.row_source import Row
from core.vocabulary import TASKS
from db import draft_files
from db.label_grids import DRAWN
from db.lake_label_counts import CountedLake

if TYPE_CHECKING:
    import pyarrow as pa


# Which answers of a lake are kept where it is only counted: words of `--keep`.

DIFFERS, RANDOM = "differs:", "random:"
_SHARE = re.compile(r"random:(\d{1,3}(?:\.\d{1,6})?)%")
IN_DIGEST = 8
"""Numbers of 64 bits that a digest of BLAKE2b holds."""

Positions = npt.NDArray[np.int64]
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
        self, cell: LakeCell, facts: Sequence[str | None], places: Positions, samples: Positions
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
    cell: LakeCell, facts: Sequence[str | None], places: Positions, samples: Positions
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


Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CountedReport:
    """What was taken in: facts, answers counted (kept ones among them), answers kept."""

    facts: int
    answers: int
    kept: int
    graders: tuple[str, ...]


def import_counts(
    path: Path,
    target: Path,
    policy: Policy,
    keeps: Sequence[str] = (),
    tell: Progress | None = None,
) -> CountedReport:
    """Write a new database with the counts of a lake under the policy's graders, whole or not.

    Arms are left out: they have no profiles. Raises `UsageError` where the database is there
    already or a `keep` is no filter, `LostkeysError` for what is wrong with the lake.
    """
    if target.exists():
        raise _explain_target(target)
    if not target.absolute().parent.is_dir():
        raise UsageError(f"{target.parent} is not a folder: make it first, or choose another")
    with LakeCounts(path) as counts:
        ranks, summed = counts.ranks(policy), sum_files(path)
        rows = KeptRows(path, find_kept(counts, keeps, policy))
        with draft_files.hold_draft(target) as draft:
            with rehearsal(None) as empty:
                db.connection.copy(empty.connection, draft)
            with OpenProject(draft, "write", counts=True) as project:
                _land(project, rows, tell)
                answers = _count(project, counts, ranks, summed)
                kept = project.grids.count(DRAWN)
                facts = len(project.index)
            try:
                draft_files.name_draft(draft, target)
            except FileExistsError as error:
                raise _explain_target(target) from error
    return CountedReport(facts, answers, kept, tuple(rank.name for rank in ranks))


def _explain_target(target: Path) -> UsageError:
    return UsageError(f"{target} is there already, and counts go into a new one: name it by --db")


def _land(project: OpenProject, rows: KeptRows, tell: Progress | None) -> None:
    """Take in facts and kept answers; a bad row among them ends it all."""
    report = import_source(project, rows, "lake", tell)
    if report.problems:
        first = report.problems[0]
        raise LostkeysError(f"{rows.path}, row {first.line}: {first.reason}; nothing was written")


def _count(project: OpenProject, counts: LakeCounts, ranks: Sequence[Rank], summed: str) -> int:
    """Keep what the lake has beyond the answers here; gives how many answers it has."""
    answers = 0
    graders = tuple(rank.name for rank in ranks)
    db.connection.keep_few_pages(project.connection)
    with db.connection.write_transaction(project.connection):
        db.lake_label_counts.note_lake(
            project.connection,
            CountedLake(
                str(counts.lake.path.absolute()), graders, _versions(counts, graders), summed
            ),
        )
    order = _find_places(project, counts)
    for model in counts.choose_models(None):
        here = project.tally(ranks_here(graders, project.graders()), [model])
        every = counts.tally(ranks, [model])
        answers += int(every.drawn.sum(dtype=np.int64))
        for thinking in (False, True):
            if every.row(model, thinking) is not None:
                _store_setting(project, model, thinking, (every, here), order)
    return answers


def _find_places(project: OpenProject, counts: LakeCounts) -> Places:
    """The places in the project of the facts of the lake, in their order there."""
    here, there = project.index.fact_ids, counts.index.fact_ids
    if here == there:  # as a rule: they were taken in in the order of the lake
        return np.arange(len(there))
    place_of = {fact_id: place for place, fact_id in enumerate(here)}
    return np.array([place_of[fact_id] for fact_id in there], np.intp)


def _versions(counts: LakeCounts, graders: Sequence[str]) -> dict[str, list[str]]:
    """The versions of the graders that a list names, and of `choice`, which joins it."""
    named = {name.partition("#")[0] for name in graders} | {CHOICE}
    people = PEOPLE in named
    return {
        one: counts.versions(one)
        for one in counts.lake.graders
        if one in named or one in graders or (people and one.startswith(HUMAN_PREFIX))
    }


def _store_setting(
    project: OpenProject,
    model: str,
    thinking: bool,
    tallies: tuple[LabelCounts, LabelCounts],
    order: Places,
) -> None:
    """Keep the counts of a setting, of the lake and of what is here, task by task."""
    connection = project.connection
    with db.connection.write_transaction(connection):
        setting = db.model_rows.ensure_setting(connection, model, thinking)
        for which, task in enumerate(TASKS):
            counts = _count_rest(*tallies, model, thinking, which, order)
            there = counts.any(axis=0)
            questions = project.index.questions[order[there], which]
            rest = counts[:, there].astype(np.uint16)
            db.lake_label_counts.add(connection, setting, task.value, questions, rest)


def _count_rest(
    every: LabelCounts,
    here: LabelCounts,
    model: str,
    thinking: bool,
    which: int,
    order: Places,
) -> npt.NDArray[np.int64]:
    """Counts (labels and drawn, facts of the lake) of a task's answers that are not here."""
    row, mine = every.row(model, thinking), here.row(model, thinking)
    found = _counts_of(every, row, which)
    if mine is not None:
        found -= _counts_of(here, mine, which)[:, order]
    if found.min(initial=0) < 0:
        raise LostkeysError(f"{model}: kept answers are counted otherwise than the lake")
    return found


def _counts_of(counts: LabelCounts, row: int | None, which: int) -> npt.NDArray[np.int64]:
    labels, drawn = counts.labels[row, :, which], counts.drawn[row, which]
    return np.concatenate([labels, drawn[None]]).astype(np.int64)
