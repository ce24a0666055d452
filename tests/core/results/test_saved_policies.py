"""Policies saved under names."""

from dataclasses import replace

import pytest

from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.results import profile_summary, saved_policies
from core.scoring.policy import Policy
from core.vocabulary import Outcome, Strategy, Task
from db.connection import write_transaction
from tests.core.making import a_fact, cell, put_facts, put_rows

STRICT = Policy(0.75, Strategy.FACT)


@pytest.fixture
def graded(project: OpenProject) -> OpenProject:
    put_facts(project, [a_fact("f0")])
    put_rows(project, cell("f0", Task.DIRECT, "m", False, [Outcome.CORRECT]))
    return project


def put(project: OpenProject, name: str, text: str) -> None:
    with write_transaction(project.connection):
        project.connection.execute(
            "INSERT OR REPLACE INTO saved_policy (name, policy) VALUES (?, ?)", (name, text)
        )


def test_a_policy_comes_back_with_its_graders_as_resolved(graded: OpenProject) -> None:
    assert saved_policies.read_policies(graded) == {}
    assert saved_policies.save(graded, "  strict ", STRICT) == "strict"
    graders = ("human:*", "lexical")
    assert saved_policies.find(graded, "strict") == Policy(0.75, Strategy.FACT, 0.51, graders)
    rows = cell("f0", Task.REVERSE, "m", False, [Outcome.CORRECT], "exact")
    put_rows(graded, rows)
    graded.set_primary("exact")
    assert saved_policies.find(graded, "strict").graders == graders
    assert saved_policies.name_of(graded, STRICT) is None


def test_names_of_policies(graded: OpenProject) -> None:
    saved_policies.save(graded, "strict", STRICT)
    saved_policies.save(graded, "some", Policy(0.1, Strategy.PARTIAL, 0.25))
    assert saved_policies.name_of(graded, STRICT) == "strict"
    assert saved_policies.name_of(graded, Policy(0.75, Strategy.FACT, 0.9)) == "strict"
    assert saved_policies.name_of(graded, Policy(0.1, Strategy.PARTIAL, 0.25)) == "some"
    for other in (
        Policy(0.1, Strategy.PARTIAL, 0.3),
        Policy(0.7, Strategy.FACT),
        Policy(0.75),
        Policy(0.75, Strategy.FACT, graders=("lexical",)),
        Policy(0.75, Strategy.FACT, graders=("nobody",)),
    ):
        assert saved_policies.name_of(graded, other) is None


def test_of_equal_policies_the_one_that_was_asked_for_is_named(graded: OpenProject) -> None:
    for name in ("first", "second"):
        saved_policies.save(graded, name, STRICT)
    assert saved_policies.name_of(graded, STRICT) == "second"
    asked = saved_policies.find(graded, "first")
    assert (
        saved_policies.name_of(graded, asked)
        == profile_summary.profiles(graded, asked).name
        == "first"
    )
    assert saved_policies.name_of(graded, replace(asked, tau=0.1)) is None
    assert asked == saved_policies.find(graded, "second")


def test_without_any_label_a_policy_can_be_saved(project: OpenProject) -> None:
    saved_policies.save(project, "strict", STRICT)
    assert saved_policies.name_of(project, STRICT) == "strict"


def test_saving_again_replaces_and_keeps_only_profiles_of_the_same(graded: OpenProject) -> None:
    found = profile_summary.save(graded, profile_summary.profiles(graded, STRICT), " strict")
    assert found.name == profile_summary.profiles(graded, STRICT).name == "strict"
    saved_policies.save(graded, "strict", STRICT)
    assert [(one.name, one.profiles) for one in saved_policies.list_policies(graded)] == [
        ("strict", 1)
    ]
    saved_policies.save(graded, "strict", Policy())
    assert [(one.name, one.profiles) for one in saved_policies.list_policies(graded)] == [
        ("strict", 0)
    ]
    assert saved_policies.find(graded, "strict").tau == 0.5


def test_removing(graded: OpenProject) -> None:
    profile_summary.save(graded, profile_summary.profiles(graded, STRICT), "strict")
    saved_policies.remove(graded, "strict")
    assert saved_policies.list_policies(graded) == []
    with pytest.raises(UsageError, match="no policy saved as strict: saved are none yet"):
        saved_policies.remove(graded, "strict")


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "\x1b[31m", "x" * 61, "a\u202eb"])
def test_names_that_cannot_be(name: str, graded: OpenProject) -> None:
    with pytest.raises(UsageError, match="name"):
        saved_policies.save(graded, name, STRICT)
    with pytest.raises(UsageError, match="name"):
        profile_summary.save(graded, profile_summary.profiles(graded, STRICT), name)
    assert saved_policies.list_policies(graded) == []


def test_any_text_is_a_name(graded: OpenProject) -> None:
    for name in ("'; DROP TABLE fact; --", "[bold]x[/bold]", "=1+1", "страж"):
        saved_policies.save(graded, name, STRICT)
        assert saved_policies.find(graded, name).tau == 0.75
    assert len(saved_policies.list_policies(graded)) == 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"tau": 2, "strategy": "pair"}',
        '{"tau": NaN, "strategy": "pair"}',
        '{"tau": 1' + "0" * 400 + ', "strategy": "pair"}',
        '{"tau": 0.5, "strategy": "guess"}',
        '{"tau": 0.5, "strategy": "pair", "graders": "lexical"}',
        '{"tau": 0.5, "strategy": "pair", "weight": 7}',
        '{"strategy": "pair"}',
        "[" * 100_000,
    ],
)
def test_what_cannot_be_read_is_no_policy(text: str, graded: OpenProject) -> None:
    put(graded, "broken", text)
    saved_policies.save(graded, "strict", STRICT)
    assert list(saved_policies.read_policies(graded)) == ["strict"]
    assert {one.name: one.policy is None for one in saved_policies.list_policies(graded)} == {
        "broken": True,
        "strict": False,
    }
    with pytest.raises(LostkeysError, match="saved as broken cannot be read"):
        saved_policies.find(graded, "broken")
    saved_policies.save(graded, "broken", STRICT)
    assert saved_policies.find(graded, "broken").tau == 0.75


def test_unknown_names_list_those_there_are(graded: OpenProject) -> None:
    saved_policies.save(graded, "strict", STRICT)
    with pytest.raises(UsageError, match="no policy saved as lax: saved are strict"):
        saved_policies.find(graded, "lax")
