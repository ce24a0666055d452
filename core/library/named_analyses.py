"""Analyses by the names that Python has for them: `popularity`, `zp-accuracy`, `fb-shuffle`.

Each gives the document of its command's `--json` and what makes its figure.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.library.arguments import to_text
from core.scoring.policy import Policy

if TYPE_CHECKING:
    from core.figures.figure import Figure
    from core.project import OpenProject

SCORES, TRIPLES = "zp-", "fb-"
"""Before the names of analyses of scores (`zp-lke analyze`) and of triples (`fact-bench table`)."""

Found = tuple[dict[str, Any], "Callable[[], Figure]"]
"""A document, and what makes the figure of it."""


def list_analyses() -> tuple[str, ...]:
    """The names of all analyses: of answers, of scores, of triples."""
    from core.analyses import ANALYSES
    from core.fact_bench.tables import BENCH_TABLES
    from core.zero_prompt.analyses import LATENT_ANALYSES

    scores = (f"{SCORES}{name}" for name in LATENT_ANALYSES)
    return (*ANALYSES, *scores, *(f"{TRIPLES}{name}" for name in BENCH_TABLES))


def analyse_named(
    project: "OpenProject",
    name: str,
    policy: Policy,
    models: Sequence[str] | None,
    where: str | None,
    intervals: bool,
    options: Mapping[str, Any],
) -> Found:
    """An analysis of any of the three kinds.

    Raises `UsageError` for a name that is none, and for what the analysis does not take.
    """
    if name not in list_analyses():
        raise UsageError(f"no analysis named {name}: choose one of {', '.join(list_analyses())}")
    scored = name.startswith(SCORES)
    if scored or name.startswith(TRIPLES):
        if policy != Policy() or intervals or (scored and where is not None):
            said = "policy, where nor intervals" if scored else "policy nor intervals"
            raise UsageError(f"{name} takes neither {said}")
        if scored:
            return analyse_scores(project, name, models, options)
        return analyse_triples(project, name, models, where, options)
    from core.analyses.analysis import analyse
    from core.figures.figure_table import make

    given = {key: to_text(value) for key, value in options.items()}
    found = analyse(project, name, policy, models, where, intervals, given)
    return found.as_json(), lambda: make(project, name, policy, models, where, intervals)


def analyse_scores(
    project: "OpenProject", name: str, models: Sequence[str] | None, options: Mapping[str, Any]
) -> Found:
    """A table of `zp-lke analyze`; options are those of the command, by their names there.

    `relation` may be a list; `set_name` is `--set`. Raises `UsageError`.
    """
    from core.figures.latent_figures import make_latent
    from core.zero_prompt.analyses import LATENT_ANALYSES
    from core.zero_prompt.examples import parse_injection
    from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
    from core.zero_prompt.score_matrix import Setup

    named = {"examples" if one.name == "n" else one.name: one.name for one in fields(Setup)}
    _check_options(options, (*named, "relation", "set_name"))
    setup = {named[key]: value for key, value in options.items() if key in named}
    if setup.get("inject") is not None:
        setup["inject"] = str(parse_injection(setup["inject"]))
    choice = ScoreChoice(
        Setup(**setup),
        models,
        _to_names(options.get("relation")),
        options.get("set_name"),
        frozenset(setup),
    )
    evidence, bare = LatentEvidence(project, choice), name.removeprefix(SCORES)
    return LATENT_ANALYSES[bare].as_json(evidence), lambda: make_latent(evidence, bare)


def analyse_triples(
    project: "OpenProject",
    name: str,
    models: Sequence[str] | None,
    where: str | None,
    options: Mapping[str, Any],
) -> Found:
    """A table of `fact-bench table`; options are those of the command, by their names there.

    `mode` may be a list, `pairs` is one of names; `set_name` is `--set`. Raises `UsageError`.
    """
    from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
    from core.fact_bench.tables import choose_table
    from core.figures.bench_figures import make_bench

    known = [one.name for one in fields(BenchChoice) if one.name not in ("models", "where")]
    _check_options(options, ("mode" if name == "modes" else name for name in known))
    chosen = {key: value for key, value in options.items() if key != "mode"}
    choice = BenchChoice(models=models, where=where, modes=_to_names(options.get("mode")), **chosen)
    table = choose_table(name.removeprefix(TRIPLES), choice)
    evidence = BenchEvidence(project, choice)
    return table.as_json(evidence), lambda: make_bench(evidence, table.name)


def _check_options(options: Mapping[str, Any], known: "Sequence[str] | Any") -> None:
    there = list(known)
    for name in options:
        if name not in there:
            raise UsageError(f"no such option: {name!r}; there is {', '.join(there)}")


def _to_names(value: "str | Sequence[str] | None") -> list[str] | None:
    if value is None:
        return None
    return [value] if isinstance(value, str) else list(value)
