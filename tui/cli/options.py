"""Options that several commands share."""

import csv
import math
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click
from click.core import ParameterSource

from core.scoring.policy import DEFAULT_TAU, DEFAULT_WEIGHT, Policy
from core.specs.answer_specs import ReplyWord
from core.vocabulary import Strategy

if TYPE_CHECKING:
    from core.views.saved_views import SavedView

F = TypeVar("F", bound=Callable[..., Any])

MOST = 2**63 - 1
"""The largest number that a database holds."""


class Number(click.FloatRange):
    """A number within bounds (`nan` would be within all of them)."""

    name = noun = "number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number, which is finite."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no {self.noun}", param, ctx)
        return number


class Dollars(Number):
    """An amount of US dollars, which is not negative."""

    name, noun = "dollars", "amount"

    def __init__(self) -> None:
        super().__init__(min=0)


class ModelParameter(click.ParamType[str]):
    """The name of a model that can be asked; the path of a file is made whole."""

    name = "model"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The full name."""
        from core.providers.model_names import full_name

        return full_name(value)


class JobNumber(click.IntRange):
    """The number of a job."""

    def __init__(self) -> None:
        super().__init__(min=1)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, if a database can hold it."""
        number: int = super().convert(value, param, ctx)
        if number > MOST:
            self.fail("no job has so large a number: `lostkeys jobs` lists them", param, ctx)
        return number


_debug_option = click.option("--debug", is_flag=True, hidden=True, expose_value=False)


anonymous_option = click.option(
    "--anonymous",
    is_flag=True,
    help="Replace people by person-1, person-2, also in notes, and hide server addresses.",
)


def database_option(command: F) -> F:
    """`--db` and `--debug`, also after the command; gives the command its `database` path."""

    @click.option("--db", "database", metavar="FILE", help="The database file.")
    @_debug_option
    @wraps(command)
    def with_database(*args: Any, database: str | None, **kwargs: Any) -> Any:
        from core.settings import paths

        shared = click.get_current_context().ensure_object(dict)
        if database:
            shared["database"] = database  # for the commands of a group, too
        return command(*args, database=paths.database(shared.get("database")), **kwargs)

    return with_database  # type: ignore[return-value]


def no_database_option(command: F) -> F:
    """`--db` and `--debug` for a command that has no use for a database."""
    unused = click.option("--db", hidden=True, expose_value=False)
    return unused(_debug_option(command))


def policy_options(command: F) -> F:
    """`--policy`, `--tau`, `--strategy`, `--weight`, `--grader`; gives the command its `policy`.

    What is given besides a saved policy changes it.
    """

    @click.option(
        "--policy",
        "saved",
        metavar="NAME",
        help="A saved policy (`lostkeys policies` lists them); the options below override it.",
    )
    @click.option(
        "--tau",
        type=float,
        default=DEFAULT_TAU,
        show_default=True,
        help="Threshold: a question passes if its grade is above this, in [0, 1).",
    )
    @click.option(
        "--strategy",
        type=click.Choice([str(one) for one in Strategy]),
        default=str(Strategy.PAIR),
        show_default=True,
        help="How questions that are not gradable exclude their fact.",
    )
    @click.option(
        "--weight",
        type=float,
        default=DEFAULT_WEIGHT,
        show_default=True,
        help="Weight of PARTIALLY under the strategy partial.",
    )
    @click.option(
        "--grader",
        metavar="G[,G2]",
        help=(
            "Graders whose labels count; the first with a label wins. Default: people, then "
            "the primary grader."
        ),
    )
    @wraps(command)
    def with_policy(
        *args: Any,
        saved: str | None,
        tau: float,
        strategy: str,
        weight: float,
        grader: str | None,
        **kwargs: Any,
    ) -> Any:
        asked: dict[str, Any] = {"tau": tau, "strategy": Strategy(strategy), "weight": weight}
        where_from = click.get_current_context().get_parameter_source
        given = {
            key: value
            for key, value in asked.items()
            if where_from(key) is ParameterSource.COMMANDLINE
        }
        if grader is not None:
            given["graders"] = tuple(split_names(grader))
        start = Policy() if saved is None else _read_policy(saved, kwargs.get("database"))
        return command(*args, policy=replace(start, **given), **kwargs)

    return with_policy  # type: ignore[return-value]


def _read_policy(name: str, database: str | None) -> Policy:
    """A policy saved in the database that the command is about to read."""
    from core.project import OpenProject
    from core.results import saved_policies
    from core.settings import paths

    shared = click.get_current_context().ensure_object(dict)
    with OpenProject(paths.database(database or shared.get("database")), counts=True) as project:
        return saved_policies.find(project, name)


where_option = click.option(
    "--where",
    metavar="FILTER",
    help=(
        "Only facts that match this filter, such as 'category:Arts profile:RF views:>1000 flagged'."
    ),
)


def subset_options(command: F) -> F:
    """`--model` and `--where`; gives the command `models` (or None) and `where`."""

    @click.option("--model", metavar="M[,M2]", help="Only these models; quote a name with a comma.")
    @where_option
    @wraps(command)
    def with_subset(*args: Any, model: str | None, **kwargs: Any) -> Any:
        return command(*args, models=None if model is None else split_names(model), **kwargs)

    return with_subset  # type: ignore[return-value]


def reading_options(command: F) -> F:
    """`--model`, `--where`, the policy and the database; `where` comes as `project.facts` knows it.

    What only a list of facts knows, such as `differs`, is put as the facts that it selects. Where
    a command reads a lake (its `lake` is one), `where` comes as it was typed.
    """

    @wraps(command)
    def with_facts(
        *args: Any,
        database: Path,
        where: str | None,
        models: list[str] | None,
        policy: Policy,
        compared: tuple[str, ...],
        view: "SavedView | None",
        **kwargs: Any,
    ) -> Any:
        found = where
        if kwargs.get("lake") is None:
            from core.views.where_resolver import resolve_where

            found = resolve_where(database, where, models, policy, compared)
        return command(
            *args, database=database, where=found, models=models, policy=policy, **kwargs
        )

    return list_options(with_facts)  # type: ignore[return-value]


lake_option = click.option(
    "--from",
    "lake",
    type=click.Path(path_type=Path),
    metavar="LAKE",
    help=("Count this lake of Parquet files; facts rejected in the database of --db stay out."),
)
"""`--from`; stands below the command's own options and above `reading_options`."""


def find_database() -> Path | None:
    """The database that the command line itself names, None where it names none."""
    from core.settings import paths

    named = click.get_current_context().ensure_object(dict).get("database")
    return None if named is None else paths.database(named)


def check_lake_alone(**others: object) -> None:
    """Raise `UsageError` for an option that needs a database, by its name, beside `--from`."""
    from core.errors import UsageError

    given = next((name for name, value in others.items() if value), None)
    if given is not None:
        raise UsageError(f"--{given} needs a database: leave it out, or import the lake")


def list_options(command: F) -> F:
    """The same, with `where` as it was typed, `--view` and `--compare` (see `view_options`)."""
    return subset_options(policy_options(database_option(view_options(command))))


def view_options(command: F) -> F:
    """`--view` and `--compare`; gives the command its `view` (or None) and `compared`.

    A view is narrowed by `--where`; what options say of the lens goes before what it says. It is
    one of facts, unless the command writes a queue. Stands below the options that it changes.
    """

    @click.option(
        "--view", "called", metavar="NAME", help="Only facts of this saved view, under its lens."
    )
    @click.option(
        "--compare",
        "against",
        metavar="A,B",
        help=(
            "The two graders to compare in `differs` and in disagreements. Default: the first"
            " of --grader."
        ),
    )
    @wraps(command)
    def with_view(*args: Any, called: str | None, against: str | None, **kwargs: Any) -> Any:
        compared = () if against is None else _check_pair(split_names(against))
        if called is None:
            return command(*args, view=None, compared=compared, **kwargs)
        from core.views.list_words import FACTS, LISTS
        from core.views.saved_views import find

        listed = kwargs.get("what")
        view = find(called, listed if listed in LISTS else FACTS)
        found = {
            "where": f"{view.where} {kwargs['where'] or ''}".strip(),
            "policy": _with_given(view.lens.change_policy(kwargs["policy"]), kwargs["policy"]),
            "compared": compared or (view.lens.compared or ())[:2],
        }
        if "models" in kwargs and view.lens.model is not None:
            found["models"] = kwargs["models"] or [view.lens.model]
        return command(*args, **kwargs | found, view=view)

    return with_view  # type: ignore[return-value]


def _check_pair(graders: list[str]) -> tuple[str, ...]:
    if len(set(graders)) != 2 or len(graders) != 2:
        raise click.BadParameter("two graders are compared: name both, as in --compare A,B")
    return tuple(graders)


def _with_given(policy: Policy, asked: Policy) -> Policy:
    """A policy with what the command line itself says; a saved policy that it names is whole."""
    where_from = click.get_current_context().get_parameter_source
    if where_from("saved") is ParameterSource.COMMANDLINE:
        return asked
    names = {"tau": "tau", "strategy": "strategy", "weight": "weight", "grader": "graders"}
    given = {
        name: getattr(asked, name)
        for option, name in names.items()
        if where_from(option) is ParameterSource.COMMANDLINE
    }
    return replace(policy, **given)


timeout_option = click.option(
    "--timeout",
    type=Number(0, 86_400, min_open=True),
    metavar="S",
    help=(
        "Time out after S seconds and retry. Default: by the token limit and by how long "
        "others took."
    ),
)


def request_options(command: F) -> F:
    """How requests are sent: `--timeout` and `--in-flight`."""
    in_flight = click.option(
        "--in-flight", type=click.IntRange(1), metavar="N", help="At most N requests in flight."
    )
    return timeout_option(in_flight(command))


def replies_option(command: F) -> F:
    """In what form models are asked for what is read: `--replies`."""
    return click.option(
        "--replies",
        type=click.Choice(get_args(ReplyWord)),
        default="auto",
        show_default=True,
        help="Ask for replies as JSON, as text, or (auto) as the model allows.",
    )(command)


def _take_one_form(context: click.Context, option: click.Parameter, value: bool) -> bool:
    """Whether a form of output is asked for; two of them are refused."""
    others = {"as_json", "as_latex"} - {option.name}
    if value and any(context.params.get(other) for other in others):
        raise click.UsageError("--json and --latex are two forms of the same: leave one out")
    return value


json_option = click.option(
    "--json", "as_json", is_flag=True, callback=_take_one_form, help="Print one JSON document."
)
latex_option = click.option(
    "--latex",
    "as_latex",
    is_flag=True,
    callback=_take_one_form,
    help="Print a LaTeX table, with booktabs.",
)


def split_names(listed: str) -> list[str]:
    """The names of a comma-separated list; one that holds a comma stands in double quotes.

    Paths of files that are models or graders are made whole.
    """
    from core.providers.model_names import full_name

    try:
        found = [name.strip() for name in next(csv.reader([listed])) if name.strip()]
    except csv.Error as error:
        raise click.BadParameter(f"the list of names cannot be read ({error})") from None
    if not found:
        raise click.BadParameter("the list names nothing")
    return list(map(full_name, found))


class LateHelpCommand(click.Command):
    """A command with words in its help that are made when the help is shown.

    `late` has what makes them, by what stands for them in the text of the command and its options.
    """

    def __init__(self, *args: Any, late: Mapping[str, Callable[[], str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late = late

    def fill_help(self) -> click.Command:
        """The command with these words in their places."""
        shown = copy(self)
        shown.help, shown.params = cleandoc(self.help or ""), [copy(one) for one in self.params]
        for place, make in self._late.items():
            text = make()
            shown.help = shown.help.replace(place, text)
            for one in shown.params:
                if isinstance(one, click.Option) and one.help:
                    one.help = one.help.replace(place, text)
        return shown

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help with these words in their places."""
        click.Command.format_help(self.fill_help(), ctx, formatter)
