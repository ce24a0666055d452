"""Runs that score facts: only what is missing is asked, and what cannot be is left out before."""

import asyncio
import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import db.integrity
import db.option_scores
from core.errors import LostkeysError, UsageError
from core.jobs.job_service import Jobs
from core.jobs.job_view import JobView
from core.project import OpenProject
from core.providers.base import Reply, Request
from core.providers.logprobs.option_scorer import ScoredOptions
from core.providers.registry import describe
from core.specs.answer_specs import ScoringSpec
from core.transfer.exports import export
from core.transfer.imports import import_file
from core.zero_prompt import score_writer
from core.zero_prompt.analyses import LATENT_ANALYSES
from core.zero_prompt.fact_scores import fact_input, fact_scores
from core.zero_prompt.latent_evidence import LatentEvidence, ScoreChoice
from core.zero_prompt.score_cost import cost_of
from core.zero_prompt.score_matrix import Setup
from core.zero_prompt.score_plan import plan_scores, setups_of
from core.zero_prompt.score_recipe import find_known_way
from tests.core.jobs import scored as scored_facts
from tests.core.jobs.making import ended
from tests.core.jobs.scored import FACTS, MODEL, SPEC, Echo, HashScorer, fill, logprob, means
from tests.core.making import new_project
from tests.effort import HEAVY
from tests.forker import Forker, forker_of
from tests.patience import wait_until

SETUP = Setup(n=5, options=10)
MANY = 600
"""More facts than are scored before the last kill."""


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    path = tmp_path / "born.db"
    with new_project(path) as project:
        fill(project, tmp_path)
    return path


@pytest.fixture
def scorer() -> HashScorer:
    return HashScorer()


def score(path: Path, scorer: HashScorer, spec: ScoringSpec = SPEC) -> JobView:
    """Run a job to its end; the file is in order then."""
    jobs = Jobs(path, means=means(scorer))
    view = ended(jobs, jobs.start(spec))
    with OpenProject(path, "read") as project:
        assert db.integrity.faults(project.connection) == []
        assert not score_writer.arrays_are_stale(project)
        assert project.connection.execute("SELECT count(*) FROM claim").fetchone() == (0,)
    return view


def table(path: Path, name: str = "accuracy", setup: Setup = SETUP) -> list[dict[str, object]]:
    with OpenProject(path, "read") as project:
        evidence = LatentEvidence(project, ScoreChoice(setup))
        rows = LATENT_ANALYSES[name].as_json(evidence)["rows"]
    assert isinstance(rows, list)
    return rows


def test_every_fact_has_the_scores_of_its_input(filled: Path, scorer: HashScorer) -> None:
    assert score(filled, scorer).state == "finished"
    with OpenProject(filled, "read") as project:
        found = list(fact_scores(LatentEvidence(project, ScoreChoice(SETUP))))
        assert len(found) == FACTS
        for one in found:
            sent = fact_input(project, one.id, SETUP)
            assert sent.input in scorer.asked
            assert sent.options is not None
            best = max(sent.options, key=lambda text: logprob(sent.input, f" {text}"))
            assert one.as_json()["predicted"] == best
            assert one.found is not None
            assert one.found.logprob_gold == pytest.approx(
                logprob(sent.input, f" {one.gold}"), rel=1e-6
            )


def test_only_what_is_missing_is_asked(filled: Path, scorer: HashScorer) -> None:
    score(filled, scorer, replace(SPEC, first=15))
    assert len(scorer.asked) == 15
    score(filled, scorer)
    assert len(scorer.asked) == len(set(scorer.asked)) == FACTS
    view = score(filled, scorer)
    assert len(scorer.asked) == FACTS
    assert "everything was there already" in view.reason
    score(filled, scorer, replace(SPEC, examples=(2, 5), seeds=(0, 1)))
    assert len(scorer.asked) == 4 * FACTS


def test_facts_of_a_relation_stay_together(filled: Path, scorer: HashScorer) -> None:
    score(filled, scorer, replace(SPEC, examples=(0, 5), in_flight=1))
    lengths = [len(text.split()) for text in scorer.asked]
    assert lengths == sorted(lengths)


def test_a_number_that_is_missing_is_asked_for_again(filled: Path, scorer: HashScorer) -> None:
    scorer.lost = {" 1805"}
    view = score(filled, scorer)
    (row,) = table(filled)
    failed = row["failed"]
    assert isinstance(failed, int)
    assert 0 < failed < FACTS
    assert row["n"] == FACTS - failed
    assert "a log probability is missing" in view.reason
    scorer.lost, scorer.asked = set(), []
    score(filled, scorer)
    assert len(scorer.asked) == failed
    assert (table(filled)[0]["n"], table(filled)[0]["failed"]) == (FACTS, 0)


def test_both_tests_stand_beside_each_other(filled: Path, scorer: HashScorer) -> None:
    score(filled, scorer, replace(SPEC, tests=("choice", "response"), first=8))
    (row,) = table(filled)
    assert (row["n"], row["response_n"], row["response_accuracy"]) == (8, 8, 1.0)
    score(filled, scorer, replace(SPEC, tests=("response",)))
    assert table(filled)[0]["response_n"] == FACTS
    assert len(scorer.asked) == 8


def test_responses_of_another_length_are_apart(
    filled: Path, scorer: HashScorer, tmp_path: Path
) -> None:
    lengths: list[int] = []

    class Measured(Echo):
        async def draw(self, request: Request) -> Reply:
            lengths.append(request.max_tokens)
            return await super().draw(request)

    jobs = Jobs(filled, means=replace(means(scorer), open_provider=lambda name: Measured()))
    for tokens in (10, 24, 24):
        ended(jobs, jobs.start(replace(SPEC, tests=("response",), tokens=tokens, first=3)))
    assert sorted(lengths) == [10] * 3 + [24] * 3
    score(filled, scorer, replace(SPEC, first=2))
    long, none = replace(SETUP, tokens=24), replace(SETUP, tokens=25)
    found = [table(filled, setup=one)[0] for one in (SETUP, long, none)]
    assert [(row["n"], row["response_n"]) for row in found] == [(2, 3), (2, 3), (2, 0)]
    with OpenProject(filled, "read") as project:
        export(project, "zp-scores", tmp_path / "s.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert [row["tokens"] for row in rows] == [10] * 3 + [24] * 3
    with new_project(tmp_path / "again.db") as again:
        fill(again, tmp_path)
        assert import_file(again, tmp_path / "s.jsonl").bad == 0
    assert table(tmp_path / "again.db", setup=long) == table(filled, setup=long)


def test_long_inputs_are_scored_place_by_place(
    filled: Path, scorer: HashScorer, tmp_path: Path
) -> None:
    injects, tests = ("unknown:2:block",), ("positions",)
    spec = replace(SPEC, relations=("born",), examples=(8,), injects=injects, tests=tests)
    score(filled, scorer, spec)
    assert sorted(len(text.split()) for text in scorer.asked) == [3 * at + 2 for at in range(8)]
    rows = table(filled, "positions")
    assert [row["position"] for row in rows] == list(range(1, 9))
    assert [row["kind"] for row in rows].count("unknown") == 2
    assert all(row["p"] for row in rows)
    asked = len(scorer.asked)
    score(filled, scorer, spec)
    assert len(scorer.asked) == asked


def test_options_stay_what_they_were_when_first_asked(
    filled: Path, scorer: HashScorer, tmp_path: Path
) -> None:
    score(filled, scorer, replace(SPEC, first=1))
    more = tmp_path / "more.csv"
    rows = [f"m{at},New {at},born,{1700 + at},train\n" for at in range(30)]
    more.write_text("id,subject,relation,object,split\n" + "".join(rows))
    with OpenProject(filled, "write") as project:
        before = fact_input(project, "f0", SETUP).options
        assert fact_input(project, "f1", SETUP).options is not None
        from core.specs.file_specs import ImportWords

        import_file(project, more, "triples", words=ImportWords("born"))
        assert fact_input(project, "f0", SETUP).options == before
    score(filled, scorer, replace(SPEC, first=1, label="another"))
    with OpenProject(filled, "read") as project:
        lists = list(db.option_scores.lists_of(project.connection))
    assert len(lists) == 1, "both models have the same options"


def test_what_cannot_be_asked_is_left_out_before(filled: Path, scorer: HashScorer) -> None:
    jobs = Jobs(filled, means=means(scorer))
    view = ended(jobs, jobs.start(replace(SPEC, options=21)))
    assert view.state == "failed"
    assert "40 of 40 facts have fewer than 21 options: --options 20 would do" in view.reason
    view = ended(jobs, jobs.start(replace(SPEC, examples=(11,))))
    assert "10 subjects for 11 examples: --examples 10 would do" in view.reason
    assert scorer.asked == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"relations": ("died",)}, "no relation named died"),
        ({"forms": ("hgp-1",)}, "no form hgp-1 for born"),
        ({"injects": ("unknown:9:block",)}, "alters more than the 5 examples"),
        ({"injects": ("odd",)}, "injection 'odd'"),
        ({"set_name": "x"}, "no set named x"),
    ],
)
def test_wrong_words_are_wrong_usage(filled: Path, change: dict[str, Any], said: str) -> None:
    with OpenProject(filled, "read") as project, pytest.raises(UsageError, match=said):
        plan_scores(project, replace(SPEC, **change))


def test_setups_that_differ_in_examples_alone_follow_each_other() -> None:
    spec = ScoringSpec("m", "m", examples=(1, 5), seeds=(0, 1), injects=(None, "unknown:1:block"))
    found = [(one.seed, one.inject, one.n) for one in setups_of(spec)]
    assert found[:4] == [
        (0, None, 1), (0, None, 5), (0, "unknown:1:block", 1), (0, "unknown:1:block", 5),
    ]  # fmt: skip
    assert len(found) == 8


def test_labels_are_not_mixed(filled: Path, scorer: HashScorer, tmp_path: Path) -> None:
    score(filled, scorer, replace(SPEC, first=2))
    jobs = Jobs(filled, means=means(scorer))
    view = ended(jobs, jobs.start(replace(SPEC, model="openai:x@http://localhost:1/v1")))
    assert "has scores of another recipe (different: model, weights)" in view.reason
    file = tmp_path / "s.jsonl"
    with OpenProject(filled, "write") as project:
        export(project, "zp-scores", file)
        file.write_text(file.read_text().replace(MODEL, "theirs"))
        import_file(project, file)
    view = ended(jobs, jobs.start(replace(SPEC, label="theirs")))
    assert "has imported scores, whose settings are not known" in view.reason


def test_a_way_that_fails_its_test_scores_nothing(filled: Path, scorer: HashScorer) -> None:
    jobs = Jobs(filled, means=means(scorer))
    view = ended(jobs, jobs.start(replace(SPEC, unchecked=False)))
    assert view.state == "failed"
    assert "no log probabilities can be had in this way" in view.reason
    assert "try --test response" in view.reason
    assert scored(filled) == {}
    assert not any("Subject" in text for text in scorer.asked)
    score(filled, scorer, replace(SPEC, tests=("response",), unchecked=False))
    assert table(filled)[0]["response_n"] == FACTS


def test_the_way_that_was_tested_is_asked_again(filled: Path) -> None:
    opened: list[str | None] = []

    class Capitals(HashScorer):
        """Knows what its test asks for."""

        async def score(
            self, text: str, continuations: Sequence[str], temperature: float = 1.0
        ) -> ScoredOptions:
            found = await super().score(text, continuations)
            known = np.array([-0.1 if one == " Madrid" else -9.0 for one in continuations])
            return replace(found, logprobs=known.astype(np.float32))

    def open_capitals(name: str, way: str | None) -> HashScorer:
        opened.append(way)
        return Capitals()

    jobs = Jobs(filled, means=replace(means(HashScorer()), open_scorer=open_capitals))
    for first in (2, 4, 6):
        spec = replace(SPEC, unchecked=False, first=first)
        assert ended(jobs, jobs.start(spec)).state == "finished"
    assert opened == [None, "hash", "hash"]


def test_what_a_run_takes_is_counted_without_asking(filled: Path, scorer: HashScorer) -> None:
    with OpenProject(filled, "read") as project:
        plan = plan_scores(project, replace(SPEC, first=6))
        cost = asyncio.run(cost_of(project, plan, scorer, describe(MODEL)))
    assert scorer.asked == []
    assert cost.requests > 6


@pytest.fixture
def forker() -> Iterator[Forker]:
    with forker_of(scored_facts.__name__) as forker:
        yield forker


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.db"
    with new_project(path) as project:
        fill(project, tmp_path, MANY)
    return path


def scored(path: Path) -> dict[int, bytes]:
    with OpenProject(path, "read") as project:
        return dict(project.connection.execute("SELECT id, logprobs FROM option_score"))


@pytest.mark.slow
def test_killed_at_many_moments(many: Path, forker: Forker, tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    before: dict[int, bytes] = {}
    log = tmp_path / "log"
    for number in range(20 if HEAVY else 6):
        log.unlink(missing_ok=True)
        run = forker.start("score_all", many, log)
        if number % 4:
            wait_until(log.exists)
        time.sleep(float(random.uniform(0, 0.15)))
        os.kill(run, signal.SIGKILL)
        assert forker.wait(run) == signal.SIGKILL, "it was through: there was nothing to kill"
        now = scored(many)
        assert before.items() <= now.items()
        before = now
    assert 0 < len(before) < MANY
    assert forker.wait(forker.start("score_all", many, log)) == 0
    after = scored(many)
    assert before.items() <= after.items()
    assert len(after) == MANY
    log.unlink()
    assert forker.wait(forker.start("score_all", many, log)) == 0
    assert not log.exists(), "a second run asks nothing"
    with OpenProject(many, "read") as project:
        assert not score_writer.arrays_are_stale(project)
        assert db.integrity.faults(project.connection) == []


@pytest.mark.slow
def test_two_programs_ask_for_no_fact_twice(many: Path, forker: Forker, tmp_path: Path) -> None:
    logs = [tmp_path / f"log{number}" for number in range(2)]
    runs = [forker.start("score_all", many, log) for log in logs]
    assert [forker.wait(run) for run in runs] == [0, 0]
    asked = [line for log in logs for line in log.read_text().splitlines()]
    assert len(asked) == len(set(asked)) == MANY
    assert len(scored(many)) == MANY


@pytest.fixture
def laureates(tmp_path: Path) -> Path:
    from core.providers.embedded import weights

    try:
        weights.find()
    except LostkeysError as error:
        pytest.skip(str(error))
    path = tmp_path / "few.db"
    with new_project(path) as project:
        fill(project, tmp_path)
    return path


@pytest.mark.slow
def test_the_embedded_model_scores_facts(laureates: Path) -> None:
    jobs = Jobs(laureates)
    spec = replace(SPEC, first=3, tests=("choice", "response"), unchecked=False)
    assert ended(jobs, jobs.start(spec)).state == "finished"
    with OpenProject(laureates, "read") as project:
        assert find_known_way(project, MODEL) == "tree"
    (row,) = table(laureates)
    assert (row["n"], row["failed"], row["response_n"]) == (3, 0, 3)
    p_gold, mass = row["p_gold"], row["mass"]
    assert isinstance(p_gold, float)
    assert isinstance(mass, float)
    assert 0 < p_gold < 1
    assert 0.01 < mass < 1, "years come after years, also for a little model"
