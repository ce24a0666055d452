"""Figures and reports of an open session, and the facts behind their numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import db.connection
import db.prepared_triples
from core.dataset.fact_filters import Filters, Only
from core.figures import figure_table
from core.figures.figure import Figure
from core.scoring.policy import Policy
from core.views.lens import Lens
from core.views.user_errors import tell_user_errors

if TYPE_CHECKING:
    from core.views.session import Session


@dataclass(frozen=True, slots=True)
class FigureRequest:
    """What a figure is asked for; `models` None are all, `graders` those that are compared.

    `set_name` is the set of triples; None: the first that has what is shown.
    """

    name: str
    policy: Policy
    models: tuple[str, ...] | None = None
    intervals: bool = False
    graders: tuple[str, str] | None = None
    set_name: str | None = None

    @classmethod
    def from_lens(
        cls,
        name: str,
        lens: Lens,
        models: tuple[str, ...] | None,
        intervals: bool,
        set_name: str | None = None,
    ) -> "FigureRequest":
        """Through a lens, whose graders A and B are the two that are compared."""
        graders = (lens.a, lens.b) if lens.a is not None and lens.b is not None else None
        return cls(name, lens.policy, models, intervals, graders, set_name)


@dataclass(frozen=True, slots=True)
class FigureFound:
    """A figure, what is missing for those that cannot be made, and the sets of triples."""

    figure: Figure
    missing: Mapping[str, str] = field(default_factory=dict)
    sets: tuple[str, ...] = ()


@tell_user_errors
def figure(session: "Session", asked: FigureRequest, again: bool = False) -> FigureFound:
    """The figure that is asked for. Raises `LostkeysError`.

    It is of what the file holds now: figures have a session of their own, which nobody else
    brings up to date. After trouble `again` opens whatever is at the path then.
    """
    if again:
        session.reopen()
    else:
        session.refresh()
    project = session.project
    with db.connection.read_transaction(project.connection):
        sets = tuple(sorted(db.prepared_triples.sets(project.connection)))
        made = figure_table.make(
            project,
            asked.name,
            asked.policy,
            asked.models,
            intervals=asked.intervals,
            graders=asked.graders,
            set_name=asked.set_name if asked.set_name in sets else None,
        )
        return FigureFound(made, figure_table.find_missing(project), sets)


@tell_user_errors
def write_report(session: "Session", path: Path, policy: Policy) -> None:
    """Write the report on all models to a file, of what the database holds by then.

    Raises `LostkeysError` where it cannot be written.
    """
    from core.report import report_file

    session.refresh()
    with db.connection.read_transaction(session.project.connection):
        report_file.write(session.project, path, policy)


@tell_user_errors
def facts(session: "Session", where: str, model: str | None, policy: Policy, words: str) -> Filters:
    """The facts that a filter selects, as one of the list of facts; `words` say which they are."""
    project = session.project
    with db.connection.read_transaction(project.connection):
        models = project.choose_models(None if model is None else [model])
        chosen = project.index.ids[project.facts(where, models, policy)]
    return Filters(only=Only(words, frozenset(chosen.tolist())))
