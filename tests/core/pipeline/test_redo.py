"""Doing a stage anew: nothing is lost, what follows is made again, what people did stays."""

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import db.build_steps
import db.question_versions
import prompts
from core.errors import UsageError
from core.project import OpenProject
from core.providers.base import Request
from core.vocabulary import Task
from db.connection import write_transaction
from tests.core.pipeline.making import (
    Builder,
    built,
    documents,
    facts_of,
    made,
    said,
    start,
    steps_of,
    template,
)
from tests.patience import PATIENCE

COUNT = 4


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build that each test gets a copy of."""
    path = made(tmp_path_factory.mktemp("build") / "built.db", documents(COUNT))
    built(path)
    return path


@pytest.fixture
def path(build: Path, tmp_path: Path) -> Path:
    path = tmp_path / "built.db"
    with closing(sqlite3.connect(build)) as whole, closing(sqlite3.connect(path)) as copy:
        whole.backup(copy)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The user's own templates: `natural` in other words."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    text = (prompts.template.OURS / "natural.md").read_text()
    (folder / "natural.md").write_text(text.rstrip() + "\nKeep it short.\n")
    return folder


def shorter(request: Request, key: str) -> str:
    """Another model's taste in natural questions."""
    asked = str(request.messages)
    if "Keep it short." in asked:
        return "Tell me, which one would that be?"
    return said(request, key)


def counted(path: Path, sql: str) -> int:
    with OpenProject(path) as project:
        (count,) = project.connection.execute(sql).fetchone()
    return int(count)


def test_with_the_same_prompt_there_is_nothing_to_do(path: Path) -> None:
    facts, builder = facts_of(path), Builder()
    built(path, builder, redo="natural-direct")
    assert builder.seen == []
    assert facts_of(path) == facts
    assert counted(path, "SELECT count(*) FROM step WHERE aside") == 0


def test_with_another_prompt_it_and_what_follows_is_made_anew(path: Path, folder: Path) -> None:
    before = facts_of(path)
    kept = counted(path, "SELECT count(*) FROM step WHERE stage = 'natural-direct'")
    builder = Builder(shorter)
    built(path, builder, redo="natural-direct", prompts=str(folder))
    asked = Counter(template(one) for one in builder.seen)
    assert asked["natural"] + asked[""] == kept
    assert asked["reverse"] == asked["contextual"] == 0
    assert asked["choices"] > 0
    after = facts_of(path)
    assert after.keys() == before.keys()
    for name in before:
        was, now = before[name][-1], after[name][-1]
        for task in (Task.DIRECT_NATURAL, Task.MC_DIRECT_NATURAL):
            assert now[task][0] == "Tell me, which one would that be?" != was[task][0]
        assert now[Task.DIRECT] == was[Task.DIRECT]
    with OpenProject(path) as project:
        for fact, version in project.connection.execute(
            "SELECT fact, max(version) FROM question WHERE task = 'direct_natural' GROUP BY fact"
        ).fetchall():
            assert version == 2
            steps = db.build_steps.steps_of_fact(project.connection, fact)
            mine = [one for one in steps if one.stage == "natural-direct"]
            assert [one.aside for one in mine] == [True, False]
            assert mine[0].version != mine[1].version
            assert [one.stage for one in steps][:2] == ["length", "classify"]
    again = Builder(shorter)
    built(path, again, redo="natural-direct", prompts=str(folder))
    assert again.seen == []


def test_stopped_in_the_middle_it_goes_on(path: Path, folder: Path, tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.db", documents(COUNT))
    built(whole)
    built(whole, Builder(shorter), redo="natural-direct", prompts=str(folder))
    for most in (3, 20):
        builder = Builder(shorter, stop_after=most)
        jobs = start(path, builder, redo="natural-direct", prompts=str(folder))
        assert builder.waits.wait(PATIENCE)
        assert jobs.close(PATIENCE)
    built(path, Builder(shorter), redo="natural-direct", prompts=str(folder))
    assert facts_of(path) == facts_of(whole)
    assert steps_of(path) == steps_of(whole)
    aside = "SELECT count(*) FROM step WHERE aside AND stage = 'natural-direct'"
    assert counted(path, aside) == counted(whole, aside) > 0


def test_what_a_person_has_edited_stays(path: Path, folder: Path) -> None:
    with OpenProject(path, "write") as project:
        connection = project.connection
        (key,) = connection.execute("SELECT min(id) FROM fact").fetchone()
        (old,) = [
            one
            for one in db.question_versions.questions(connection, key)
            if one.task is Task.DIRECT_NATURAL and one.current
        ]
        with write_transaction(connection):
            db.question_versions.renew_question(connection, old, "A person's own words?", None)
    built(path, Builder(shorter), redo="natural-direct", prompts=str(folder))
    texts = [one[-1][Task.DIRECT_NATURAL][0] for one in facts_of(path).values()]
    assert texts[0] == "A person's own words?"
    assert set(texts[1:]) == {"Tell me, which one would that be?"}


def test_a_fact_that_is_dropped_now_leaves_the_totals(path: Path, folder: Path) -> None:
    def leaks(request: Request, key: str) -> str:
        if "Keep it short." not in str(request.messages):
            return said(request, key)
        return "no question at all" if len(str(request.messages)) % 2 else shorter(request, key)

    before = facts_of(path)
    result, _ = built(path, Builder(leaks), redo="natural-reverse", prompts=str(folder))
    assert facts_of(path).keys() == before.keys()
    assert result.failed > 0

    def rejects(request: Request, key: str) -> str:
        return (
            "NOT\nnow it has two answers" if template(request) == "filter" else said(request, key)
        )

    built(path, Builder(rejects), redo="natural-reverse")
    assert counted(path, "SELECT count(*) FROM fact WHERE rejected") == len(before)
    built(path, Builder(), redo="natural-reverse", prompts=str(folder))
    rejected = counted(path, "SELECT count(*) FROM fact WHERE rejected")
    assert rejected < len(before)
    assert facts_of(path).keys() == before.keys()


def test_other_objects_make_other_candidates_and_equal_ones_the_same(path: Path) -> None:
    before = facts_of(path)
    model = "gemini:gemini-2.5-flash"
    built(path, Builder(), redo="objects", model=model)
    assert facts_of(path) == before
    assert counted(path, "SELECT count(*) FROM candidate WHERE aside") == 0
    assert counted(path, "SELECT count(*) FROM fact WHERE rejected") == 0
    assert counted(path, "SELECT count(*) FROM question WHERE version > 1") == 0

    def fewer(request: Request, key: str) -> str:
        text = said(request, key)
        return text.rpartition("\n")[0] if template(request) == "objects" else text

    built(path, Builder(fewer), redo="objects")
    aside = counted(path, "SELECT count(*) FROM candidate WHERE aside AND fact IS NOT NULL")
    assert 0 < aside < len(before)
    assert counted(path, "SELECT count(*) FROM fact WHERE rejected") == aside
    assert facts_of(path).keys() == before.keys()


def test_a_stage_that_asks_needs_a_model(path: Path) -> None:
    with pytest.raises(UsageError, match="name it with --model"):
        built(path, model=None, redo="direct")
    with pytest.raises(UsageError, match="no stage named"):
        built(path, redo="redirect")
