"""Results of the library: the documents of the command line, as tables, figures and HTML."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.library.arguments import check_values
from core.library.data_table import Table

if TYPE_CHECKING:
    from core.figures.figure import Figure


@dataclass(frozen=True, slots=True)
class Profiles:
    """Knowledge profiles of models: `facts` has the profile of each fact under each model."""

    document: Mapping[str, Any]
    facts: Table

    @property
    def models(self) -> Table:
        """A row a model: its counts and shares."""
        rows = tuple(flatten(row) for row in self.document["models"])
        return tabulate(rows)

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys profiles --json` prints."""
        return dict(self.document)

    def _repr_html_(self) -> str:
        return self.models._repr_html_()


@dataclass(frozen=True, slots=True)
class Analysis:
    """The rows of an analysis."""

    document: Mapping[str, Any]
    rows: Table
    _make: "Callable[[], Figure]" = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """What the command of the analysis prints with `--json`."""
        return dict(self.document)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "SvgFigure":
        """The figure of it, written to `path` (.svg, .png, .pdf) where one is given.

        Raises `LostkeysError` where there is nothing to draw, or matplotlib is not installed.
        """
        return draw(self._make, path)

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


@dataclass(frozen=True, slots=True)
class ComparedModels:
    """Two models, or one under two policies, over the same facts."""

    document: Mapping[str, Any]

    @property
    def changes(self) -> Table:
        """A row a number: its value on both sides, the difference, its test."""
        return tabulate(tuple(flatten(row) for row in self.document["changes"]))

    @property
    def facts(self) -> Table:
        """The facts that moved from profile to profile."""
        return tabulate(tuple(flatten(row) for row in self.document["facts"]))

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys compare A B --json` prints."""
        return dict(self.document)

    def _repr_html_(self) -> str:
        return self.changes._repr_html_()


@dataclass(frozen=True, slots=True)
class Confusion:
    """The labels of two graders crossed."""

    document: Mapping[str, Any]
    _make: "Callable[[], Figure]" = field(repr=False, compare=False)

    @property
    def rows(self) -> Table:
        """A row a pair of labels: what A said, what B said, how many answers."""
        rows = tuple(
            {"a": str(a), "b": str(b), "n": count}
            for a, row in self.document["matrix"].items()
            for b, count in row.items()
        )
        return Table(("a", "b", "n"), rows, {"n": int})

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys confusion A B --json` prints."""
        return dict(self.document)

    def plot(self, path: str | os.PathLike[str] | None = None) -> "SvgFigure":
        """The figure of it; see `Analysis.plot`."""
        return draw(self._make, path)

    def _repr_html_(self) -> str:
        return self.rows._repr_html_()


@dataclass(frozen=True, slots=True)
class AlignedGraders:
    """How far grader versions agree with a person on a reference set."""

    document: Mapping[str, Any]

    @property
    def versions(self) -> Table:
        """A row a version and part, with its statistics."""
        rows = tuple(
            {"grader": one["grader"], "rubric": one["rubric"], "part": part, **flatten(stats)}
            for one in self.document["versions"]
            for part, stats in one["parts"].items()
            if stats is not None
        )
        return tabulate(rows)

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys align report SET --json` prints."""
        return dict(self.document)

    def _repr_html_(self) -> str:
        return self.versions._repr_html_()


def list_tag_rows(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of `lostkeys tags`, groups after their tag."""
    names = ("answers", "questions", "facts")
    for row in document["tags"]:
        yield {"tag": row["tag"], "group": None, **{name: row[name] for name in names}}
        for group, counts in row.get("groups", {}).items():
            yield {"tag": row["tag"], "group": group, **counts}


@dataclass(frozen=True, slots=True)
class SvgFigure:
    """A figure as SVG, which notebooks show."""

    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True, slots=True)
class ImportedFiles:
    """What imports came to, file by file: counts, rows that could not be used, notices.

    A file that could not be read at all has `error`.
    """

    files: tuple[Mapping[str, Any], ...]

    @property
    def bad(self) -> int:
        """Rows that could not be used."""
        return sum(len(one["bad"]) for one in self.files)

    @property
    def errors(self) -> tuple[str, ...]:
        """Why files landed nothing, a line each."""
        return tuple(one["error"] for one in self.files if "error" in one)

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys import --json` prints."""
        return {"files": [dict(one) for one in self.files]}

    def _repr_html_(self) -> str:
        """A row a file, then files and rows that could not be used."""
        counts = tabulate(
            tuple(
                {**{name: one[name] for name in _COUNTED}, "bad": len(one["bad"])}
                for one in self.files
            )
        )
        broken = tuple(
            {"file": one["file"], "row": "all", "reason": one["error"]}
            for one in self.files
            if "error" in one
        )
        bad = broken + tuple(
            {"file": one["file"], **{name: str(row[name]) for name in ("row", "reason")}}
            for one in self.files
            for row in one["bad"]
        )
        return counts._repr_html_() + (tabulate(bad)._repr_html_() if bad else "")


_COUNTED = ("file", "format", "rows", "added", "there")


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """What files hold, as tables; no database is made."""

    facts: Table
    responses: Table
    labels: Table
    report: ImportedFiles

    def to_dict(self) -> dict[str, Any]:
        """What `lostkeys import --json` prints."""
        return self.report.to_dict()

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


def flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row with the mappings in it taken apart: `shares.direct_recall`."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{key}": one for key, one in flatten(value).items()}
        else:
            found[name] = str(value) if isinstance(value, StrEnum) else value
    return found


def tabulate(rows: tuple[dict[str, Any], ...], known: Mapping[str, type] = {}) -> Table:
    """Rows as a table whose columns hold what they are seen to hold."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    kinds: dict[str, type] = {}
    for name in columns:
        seen = {type(row[name]) for row in rows if row.get(name) is not None}
        if seen and seen <= {bool, int, float, list}:
            kinds[name] = float if seen == {int, float} else seen.pop() if len(seen) == 1 else str
    return Table(columns, rows, kinds | {name: known[name] for name in columns if name in known})


def draw(make: "Callable[[], Figure]", path: str | os.PathLike[str] | None) -> SvgFigure:
    """A figure as SVG, written to `path` too where one is given. Raises `LostkeysError`."""
    from core.figures.plotting.figure_file import draw_figure, save

    if path is not None:
        check_values({"path": path})
    figure = make()
    if path is not None:
        save(figure, Path(path))
    return SvgFigure(draw_figure(figure, "svg").decode())
