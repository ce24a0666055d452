"""Each form of the Start dialog beside its command: every option has a field, or a reason."""

from dataclasses import fields
from itertools import chain

import click
import pytest

from core.specs.answer_specs import AnsweringSpec, ArmsSpec, GradingSpec, ScoringSpec
from core.specs.build_specs import BuildingSpec
from tui.cli.commands.build import build_command
from tui.cli.commands.fact_bench import run_arms_command
from tui.cli.commands.fact_bench_sets import prepare_command, questions_command
from tui.cli.commands.grade import grade_command
from tui.cli.commands.sample import run_command, sample_command
from tui.cli.commands.zp_lke_run import positions_command, run_latent_command
from tui.dialogs.start.form_fields import FURTHER, GROUPS, REQUESTS, UNSET, Do, Field
from tui.dialogs.start.validation import OPTIONS

COMMANDS: dict[Do, tuple[click.Command, ...]] = {
    Do.RUN: (run_command,),
    Do.SAMPLE: (sample_command,),
    Do.GRADE: (grade_command,),
    Do.SCORE: (run_latent_command, positions_command),
    Do.BENCH: (run_arms_command,),
    Do.BUILD: (build_command,),
}
SPECS: dict[Do, type] = {
    Do.RUN: AnsweringSpec,
    Do.SAMPLE: AnsweringSpec,
    Do.GRADE: GradingSpec,
    Do.SCORE: ScoringSpec,
    Do.BENCH: ArmsSpec,
    Do.BUILD: BuildingSpec,
}

ELSEWHERE = {
    "db": "the open database",
    "dry-run": "the form shows the estimate as it is filled in",
    "job": "`r` on Jobs resumes a job",
    "yes": "the dialog asks before it sends anything to an address from the database",
    "only-failed": "`R` on Jobs asks failed requests again",
    "where": "`this list` in the field facts: the filter of Facts",
    "view": "`this list` in the field facts: a view of Facts",
    "tau": "the threshold of the lens",
    "strategy": "the strategy of the lens",
    "weight": "the weight of the lens",
    "restate": "a mode: recite-K-shot-restated",
    "rubric": "`lostkeys align` tries rubrics, in a shell",
    "lake": "a lake is labelled in a shell, by many programs at once",
    "shard": "a lake is labelled in a shell, by many programs at once",
    "funnel": "Jobs shows the stages",
    "json": "for programs",
}
"""Options that no form has, and what does the same on the screens or why nothing does."""

BY_COMMAND = {
    (grade_command, "model"): Field.MODELS,
    (sample_command, "grader"): None,  # a form with a grader is that of `run`
}
"""Options that mean something else in one command."""

NO_FORM = {
    prepare_command: {
        "set": "`E` on Bench chooses the set, `P` prepares it",
        "again": "`P` on Bench asks",
    }
    | dict.fromkeys(
        ("filters", "properties", "domains", "other", "tier", "per-domain", "train", "subset",
         "seed", "refill", "per-triple"),
        "`P` on Bench prepares a set as it was prepared last; another way is a shell's",
    ),
    questions_command: dict.fromkeys(
        ("set", "templates", "model", "max-cost", "replies", "timeout", "in-flight"),
        "questions are written before a set is prepared, in a shell",
    ),
}  # fmt: skip
"""Commands without a form, with the reason for each option."""

PAIRS = [(do, command) for do, commands in COMMANDS.items() for command in commands]


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command that its help shows, by their names without dashes."""
    found = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return {max(one.opts, key=len).lstrip("-"): one for one in found}


@pytest.mark.parametrize(("do", "command"), PAIRS, ids=lambda one: getattr(one, "name", str(one)))
def test_every_option_of_a_command_has_a_field_or_a_reason(do: Do, command: click.Command) -> None:
    there = set(chain(*GROUPS[do]))
    lacking = [
        name
        for name in options_of(command)
        if name not in ELSEWHERE
        and (command, name) not in BY_COMMAND
        and OPTIONS.get(name) not in there
    ]
    assert lacking == []
    for (one, _), field in BY_COMMAND.items():
        assert one is not command or field is None or field in there


@pytest.mark.parametrize("command", NO_FORM, ids=lambda one: str(one.name))
def test_every_option_of_a_command_without_a_form_has_a_reason(command: click.Command) -> None:
    assert {*options_of(command)} - {*ELSEWHERE} == {*NO_FORM[command]}


def test_reasons_are_those_of_options_that_there_are() -> None:
    every = {name for _, command in PAIRS for name in options_of(command)}
    assert {*ELSEWHERE} - every == set()


@pytest.mark.parametrize(("do", "command"), PAIRS, ids=lambda one: getattr(one, "name", str(one)))
def test_fields_have_the_words_and_defaults_of_the_command(do: Do, command: click.Command) -> None:
    options, usual = options_of(command), {one.name: one.default for one in fields(SPECS[do])}
    for field, further in FURTHER[do].items():
        name = next(
            (one for one in options if OPTIONS.get(one) is field and one not in ELSEWHERE), None
        )
        if name is None:  # of the other command of the form
            assert field in (Field.ORDER, Field.FORM)
            continue
        option, value = options[name], usual[further.attribute]
        if further.words and isinstance(option.type, click.Choice):
            assert [one for one in further.words if one != UNSET] == [*option.type.choices]
        if further.words:
            assert value in further.words.values()
        parts = value if isinstance(value, tuple) else (value,)
        said = ",".join(str(one) for one in parts if one is not None)
        default = option.get_default(click.Context(command))
        unset = default is None or default is False or "UNSET" in str(default)
        known = "" if unset else str(default)
        assert (said if value is not False else "") == known, name


def test_each_field_of_a_spec_is_seen_in_its_form() -> None:
    for do, further in FURTHER.items():
        assert {*further} <= {*chain(*GROUPS[do])}
        assert {*REQUESTS} <= {*further}
