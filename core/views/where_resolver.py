"""Words of `--where` that only a list of facts knows, put as the facts that they select."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from core.dataset.fact_filters import Filters, Only, format_where, parse_where
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.views import fact_search
from core.views.fact_query import FactQuery, query_of
from core.views.lens import Lens, Thinking
from core.views.list_file import first_programs
from core.views.saved_views import SavedView
from core.views.session import Session


def command_lens(
    policy: Policy,
    models: Sequence[str] | None,
    compared: Sequence[str] = (),
    thinking: Thinking = Thinking.BOTH,
) -> Callable[[OpenProject], Lens]:
    """The lens that a command looks through: its first model, its policy, its graders.

    `compared` names A and B, by default the first two programs among graders that are named; what
    nobody names the project suggests, as on screen. Choosing raises `UsageError` for a grader that
    has labelled nothing.
    """

    def choose(project: OpenProject) -> Lens:
        named = project.choose_models(models, arms=models is not None)
        lens = Lens(next(iter(named), None), thinking, policy=policy)
        for name in compared:
            project.ranks_of((name,))
        if policy.graders is None:
            return replace(lens, compared=tuple(compared))
        ranked = [rank.name for rank in project.ranks(policy)]
        return lens.with_graders(ranked, compared or first_programs(ranked))

    return choose


def resolve_where(
    path: Path,
    where: str | None,
    models: Sequence[str] | None,
    policy: Policy,
    compared: Sequence[str] = (),
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
        for model in choose_models(path, models) if filters.differs else [None]:
            only = models if model is None else [model]
            choose = command_lens(policy, only, compared)
            if session.is_open:
                snapshot = session.look(choose(session.project))
            else:
                snapshot = session.open(choose)
            for rejected in (False, True):
                query = FactQuery(search, replace(asked, rejected=rejected))
                facts |= set(snapshot.index.ids[session.search_all(query).places].tolist())
    rest = replace(filters, differs=None, only=Only("", frozenset(facts)))
    return format_where(rest)


def resolve_view(path: Path, view: SavedView, where: str | None) -> str:
    """The facts of a view, narrowed by words, as words that say the same without its lens.

    What goes by labels or answers is put as the facts that the list shows; what goes by the facts
    alone stays, so that facts to come may fit.
    """
    words = f"{view.where} {where or ''}".strip()
    filters, search = parse_where(words)
    if not (filters.verdicts or filters.differs or search):
        return words
    lens, policy = view.lens, view.lens.change_policy(Policy())
    models = None if lens.model is None else [lens.model]
    if search:
        index_answers(path)
    with closing(Session(path)) as session:
        snapshot = session.open(command_lens(policy, models, lens.compared or ()))
        places = session.search_all(query_of(words)).places
        return format_where(Filters(only=Only("", frozenset(snapshot.index.ids[places].tolist()))))


def choose_models(path: Path, models: Sequence[str] | None) -> list[str]:
    """The models named, or all that have responses."""
    with OpenProject(path, counts=True) as project:
        return project.choose_models(models, arms=models is not None)


def index_answers(path: Path) -> None:
    """Let the search find all answers; where the file cannot be written, those indexed before."""
    with suppress(LostkeysError), OpenProject(path, "write", counts=True) as project:
        for _ in fact_search.catch_up(project):
            pass
