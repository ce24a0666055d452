"""Words of `--where` that only a list of facts knows, put as the facts that they select."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from core.dataset.fact_filters import Filters, Only, format_where, parse_where
from core.errors import LostkeysError
from core.project import Project
from core.scoring.policy import Policy
from core.scoring.precedence import PEOPLE
from core.views import fact_search
from core.views.fact_query import FactQuery
from core.views.lens import Lens
from core.views.session import Session


def command_lens(policy: Policy, models: Sequence[str] | None) -> Callable[[Project], Lens]:
    """The lens that a command looks through: its first model, its policy, its graders.

    Compared are the first two programs among graders that are named; what nobody names the
    project suggests, as on screen.
    """

    def choose(project: Project) -> Lens:
        lens = Lens(next(iter(project.choose_models(models)), None), policy=policy)
        if policy.graders is None:
            return lens
        ranked = [rank.name for rank in project.ranks(policy)]
        return lens.with_graders(ranked, [name for name in ranked if name != PEOPLE][:2])

    return choose


def resolve_where(
    path: Path, where: str | None, models: Sequence[str] | None, policy: Policy
) -> str | None:
    """The same without `differs` and `search:`, for who knows no lists: facts by their numbers.

    Facts differ where two graders do on answers of any of the models. Raises `UsageError` for
    words that cannot be.
    """
    if where is None:
        return None
    filters, search = parse_where(where)
    if filters.differs is None and not search:
        return where
    asked = Filters(differs=filters.differs)
    facts: set[int] = set()
    with closing(Session(path)) as session:
        if search:
            index_answers(path)
        for model in chosen_models(path, models) if filters.differs else [None]:
            only = models if model is None else [model]
            choose = command_lens(policy, only)
            if session.is_open:
                snapshot = session.look(choose(session.project))
            else:
                snapshot = session.open(choose)
            for rejected in (False, True):
                query = FactQuery(search, replace(asked, rejected=rejected))
                facts |= set(snapshot.index.ids[session.searched(query).places].tolist())
    rest = replace(filters, differs=None, only=Only("", frozenset(facts)))
    return format_where(rest)


def chosen_models(path: Path, models: Sequence[str] | None) -> list[str]:
    """The models named, or all that have responses."""
    with Project(path) as project:
        return project.choose_models(models)


def index_answers(path: Path) -> None:
    """Let the search find all answers; where the file cannot be written, those indexed before."""
    with suppress(LostkeysError), Project(path, "write") as project:
        for _ in fact_search.catch_up(project):
            pass
