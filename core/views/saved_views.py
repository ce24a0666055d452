"""Named views of lists: filter, search, order, columns and parts of the lens, in one TOML file.

[[view]]
name = "rare and lost"
list = "facts"
where = "profile:recall_failure tier:bottom"
sort = "views-"
columns = ["title", "object", "g.direct"]
tau = 0.75
"""

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from core.errors import LostkeysError, UsageError
from core.scoring.policy import Policy
from core.settings import paths
from core.settings.escapes import UNSEEN, is_printable, make_visible
from core.settings.file_writer import deliver
from core.settings.plain_data import from_plain, to_plain
from core.views.fact_columns import check_columns
from core.views.fact_query import query_of
from core.views.lens import Lens, Thinking
from core.views.list_words import BOARDS, DISAGREEMENTS, FACTS, LATENT, LISTS, QUESTIONS
from core.vocabulary import Strategy

LONGEST = 40
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class LensParts:
    """What a view sets of the lens; what is None stays as it is."""

    model: str | None = None
    thinking: Thinking | None = None
    tau: float | None = None
    strategy: Strategy | None = None
    weight: float | None = None
    graders: tuple[str, ...] | None = None
    compared: tuple[str, ...] | None = None

    def change(self, lens: Lens) -> Lens:
        """A lens with these parts."""
        found = lens.with_policy(self.tau, self.strategy, self.weight)
        found = replace(
            found, model=self.model or lens.model, thinking=self.thinking or lens.thinking
        )
        if self.graders is None:
            return found
        return found.with_graders(self.graders, self.compared or lens.compared)

    def change_policy(self, policy: Policy) -> Policy:
        """A policy with these parts."""
        return self.change(Lens(policy=policy)).policy


@dataclass(frozen=True, slots=True)
class SavedView:
    """A list by its name, in the words of `--where`, `--sort` and `--columns`.

    Queues stand in the order in which they are worth deciding, as cards: they have neither sort
    nor columns. Boards have all of their columns.
    """

    name: str
    list: str = FACTS
    where: str = ""
    sort: str = ""
    columns: tuple[str, ...] = ()
    lens: LensParts = field(default_factory=LensParts)


READY_MADE = (
    SavedView("lost keys", where="profile:recall_failure", sort="views-"),
    SavedView("only thinking helps", where="profile:recall_with_thinking", sort="views-"),
    SavedView("left to decide", where="differs:profile", sort="differs"),
    SavedView("flagged or noted", where="flagged noted", columns=("profile", "subject", "note")),
    SavedView("edited", where="edited", sort="imported"),
    SavedView("right to A, wrong to B", DISAGREEMENTS, "cell:CORRECT/INCORRECT"),
    SavedView("wrong to A, right to B", DISAGREEMENTS, "cell:INCORRECT/CORRECT"),
    SavedView("reverse questions", DISAGREEMENTS, "direction:reverse"),
    SavedView("decided by others", DISAGREEMENTS, "by:others"),
    SavedView("suspicious", QUESTIONS, "queue:suspicious"),
    SavedView("random sample", QUESTIONS, "queue:random"),
    SavedView("sample of all topics", QUESTIONS, "queue:stratified by:category"),
    SavedView("edited", QUESTIONS, "queue:edited"),
)
"""Views that there are without being saved."""


def list_ready_made(name: str) -> tuple[SavedView, ...]:
    """Those of one list."""
    return tuple(view for view in READY_MADE if view.list == name)


@dataclass(frozen=True, slots=True)
class ReadViews:
    """The views of the file in its order, and what is wrong with it, in one line each.

    With `is_broken` nothing of it can be read, and nothing saved in it.
    """

    views: tuple[SavedView, ...] = ()
    faults: tuple[str, ...] = ()
    is_broken: bool = False

    def list_views(self, name: str) -> tuple[SavedView, ...]:
        """Those of one list."""
        return tuple(view for view in self.views if view.list == name)


def path() -> Path:
    """Where the file is, or would be."""
    return paths.config_folder() / "views.toml"


# Reading


def load() -> ReadViews:
    """Read the views; what is wrong with one costs that one."""
    file = path()
    faults: list[str] = []
    views: list[SavedView] = []
    try:
        tables = _tables(tomllib.loads(file.read_bytes().decode()))
    except FileNotFoundError:
        return ReadViews()
    except OSError as error:
        return _report_broken(f"{file} cannot be read: {error.strerror or error}")
    except ValueError as error:
        return _report_broken(f"{file} is not in TOML ({error}): mend it")
    for number, table in enumerate(tables, 1):
        try:
            view = _read_view(table)
            if any((one.list, one.name) == (view.list, view.name) for one in views):
                raise UsageError(f"two views are called {view.name!r}: the first is used")
        except UsageError as error:
            faults.append(make_visible(f"{file}, view {number}: {error}"))
        else:
            views.append(view)
    return ReadViews(tuple(views), tuple(faults))


def _report_broken(why: str) -> ReadViews:
    return ReadViews(faults=(make_visible(why),), is_broken=True)


def _tables(document: Mapping[str, Any]) -> Sequence[Any]:
    tables = document.get("view", [])
    return tables if isinstance(tables, list) else [tables]


def _read_view(table: Any) -> SavedView:
    if not isinstance(table, dict):
        raise UsageError("this is no table, as in `[[view]]`")
    for name in ("name", "list", "where", "sort"):
        if not isinstance(table.get(name, "" if name != "name" else None), str):
            raise UsageError(f"`{name}` must be text in quotes")
    parts = from_plain(LensParts, table)
    view = from_plain(SavedView, {**table, "columns": _column_names(table), "lens": parts})
    if (wrong := explain_wrong_name(view.name)) is not None:
        raise UsageError(wrong)
    for one in fields(parts):
        if one.name in table and getattr(parts, one.name) is None:
            raise UsageError(f"`{one.name}` does not fit")
    try:
        parts.change_policy(Policy())
    except LostkeysError as error:
        raise UsageError(str(error)) from error
    check_view(view)
    return view


def _column_names(table: Mapping[str, Any]) -> list[str]:
    found = table.get("columns", [])
    names = found.split(",") if isinstance(found, str) else found
    if not isinstance(names, list):
        raise UsageError("`columns` must be a list of names in quotes")
    return [str(name) for name in names]


def check_view(view: SavedView) -> None:
    """Raise `UsageError` for a list, words, an order or columns that cannot be."""
    if view.list == FACTS:
        query_of(view.where, view.sort)
        check_columns(view.columns)
        return
    if view.list not in LISTS:
        raise UsageError(f"no list {view.list}: lists are {', '.join(LISTS)}")
    if view.list in BOARDS:
        if view.columns:
            raise UsageError(f"the columns of {view.list} cannot be chosen")
        from core.views.board_query import parse_bench, parse_latent

        (parse_latent if view.list == LATENT else parse_bench)(view.where, view.sort)
        return
    if view.sort or view.columns:
        raise UsageError(f"the list of {view.list} has one order and no columns")
    from core.views.queue_query import parse_disagreements, parse_questions

    (parse_disagreements if view.list == DISAGREEMENTS else parse_questions)(view.where)


def explain_wrong_name(name: str) -> str | None:
    """What is wrong with the name of a view; None if nothing is."""
    if not name.strip() or name != name.strip():
        return "a name is text without blanks around it"
    if not is_printable(name) or UNSEEN.search(name):
        return "a name is one line without characters that steer or are not seen"
    return f"a name has {LONGEST} characters at most" if len(name) > LONGEST else None


def find(name: str, list_name: str = FACTS) -> SavedView:
    """The view of a list that is called so, one's own before those that are ready-made.

    Raises `UsageError` where there is none, with what there is and what cannot be read.
    """
    read = load()
    views = [*read.list_views(list_name), *list_ready_made(list_name)]
    found = next((view for view in views if view.name == name), None)
    if found is not None:
        return found
    known = ", ".join(view.name for view in views)
    trouble = f" ({read.faults[0]})" if read.faults else ""
    raise UsageError(f"no view of {list_name} is called {name!r}: there are {known}{trouble}")


# Writing: the file is read again each time, and all else in it stays


def save(view: SavedView) -> ReadViews:
    """Add a view, or replace the one of its name; gives what the file holds then.

    Raises `UsageError` for a name that cannot be, and where the file is not in TOML.
    """
    if (wrong := explain_wrong_name(view.name)) is not None:
        raise UsageError(wrong)

    def change(tables: Any) -> None:
        at = _find_place(tables, view.list, view.name)
        if at is None:
            tables.append(_table(view))
        else:
            tables[at] = _table(view)

    return _change(change)


def remove(view: SavedView) -> ReadViews:
    """Take a view out."""

    def change(tables: Any) -> None:
        at = _find_place(tables, view.list, view.name)
        if at is not None:
            del tables[at]

    return _change(change)


def rename(view: SavedView, name: str) -> ReadViews:
    """Give a view another name. Raises `UsageError` for one that cannot be, or is taken."""
    if (wrong := explain_wrong_name(name)) is not None:
        raise UsageError(wrong)

    def change(tables: Any) -> None:
        if _find_place(tables, view.list, name) is not None:
            raise UsageError(f"another view is called {name}")
        at = _find_place(tables, view.list, view.name)
        if at is not None:
            tables[at]["name"] = name

    return _change(change)


def shift(view: SavedView, step: int) -> ReadViews:
    """Put a view a place later (1) or earlier (-1) among those of its list."""

    def change(tables: Any) -> None:
        mine = [at for at, table in enumerate(tables) if _list_of(table) == view.list]
        at = _find_place(tables, view.list, view.name)
        place = -1 if at is None else mine.index(at) + step
        if at is not None and 0 <= place < len(mine):
            table = tables[at]
            del tables[at]
            tables.insert(mine[place], table)

    return _change(change)


def _change(change: Callable[[Any], None]) -> ReadViews:
    import tomlkit
    import tomlkit.items

    file = path()
    try:
        document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else "")
        tables = document.get("view") or tomlkit.aot()
        if not isinstance(tables, tomlkit.items.AoT):
            raise UsageError(f"{file}: `view` must be tables, as in `[[view]]`: mend it")
    except ValueError as error:
        raise UsageError(f"{file} is not in TOML: mend it, so that views can be saved") from error
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}") from error
    change(tables)
    if not tables:
        document.pop("view", None)  # what is left of the last one would be a list of no tables
    elif document.get("view") is not tables:
        document["view"] = tables
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"nothing is saved: {file.parent} cannot be made ({error.strerror or error}): make it "
            "writable, or name another folder in $LOSTKEYS_CONFIG"
        ) from error
    deliver(file, tomlkit.dumps(document).encode())
    return load()


def _find_place(tables: Sequence[Any], name_of_list: str, name: str) -> int | None:
    """The first table of this name."""
    found = (
        at
        for at, table in enumerate(tables)
        if _list_of(table) == name_of_list and table.get("name") == name
    )
    return next(found, None)


def _list_of(table: Any) -> str | None:
    return str(table.get("list", FACTS)) if hasattr(table, "get") else None


def _table(view: SavedView) -> Any:
    """A view as it stands in the file, without what it does not ask for."""
    import tomlkit

    table = tomlkit.table()
    for name, value in _values(view):
        table.add(name, value)
    return table


def _values(view: SavedView) -> Iterator[tuple[str, Any]]:
    asked = {one.name: getattr(view, one.name) for one in fields(view) if one.name != "lens"}
    parts = {one.name: getattr(view.lens, one.name) for one in fields(view.lens)}
    for name, value in {**asked, **parts}.items():
        if value not in (None, "", ()):
            yield name, cast("Any", to_plain(value))
