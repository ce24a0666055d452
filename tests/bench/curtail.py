"""What curtailed sampling saves, and that it changes no verdict.

Answers are drawn from binomials: each of the 13 models of the paper has facts of every profile in
the shares of its table 2, and as many excluded ones. How sure a model is of one question is not
published, so that is assumed: chances to be right between .5 and 1 (three quarters of the way up
on average) where a question is to be passed, as far below .5 where it is not. The facts are those
of the published sample, with the questions that they have. A fact is sampled in full, and as a
curtailed run does it, from the same answers.
Run it: `uv run python -m tests.bench.curtail [--facts N]`.
"""

import argparse
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.sampling.recipe import default_tasks
from core.scoring.curtailment import CellName, CurtailedCell, next_draws
from core.scoring.label_counts import CurtailedDraws, LabelCounts, numbers
from core.scoring.policy import Policy
from core.scoring.verdicts import EXCLUDED_NAN, INCOMPLETE, code_cells, judge
from core.vocabulary import ENCODING, KNOWLEDGE, TASK_INDEX, TASKS, Strategy

DATA = Path(__file__).parents[2].parent / "shared" / "data"
SAMPLES = 8
NAMES: tuple[CellName, ...] = tuple(
    (task, thinking) for thinking in (False, True) for task in default_tasks(thinking)
)
"""Every question and setting that a run draws by default: ten cells and multiple choice."""

PUBLISHED = {
    Strategy.FACT: "ignore_fact_if_any_nan",
    Strategy.PAIR: "ignore_fact_if_task_pair_nan",
    Strategy.PARTIAL: "partially_weight_0.51",
}
PROFILES = (
    "encoding_failure",
    "recall_failure",
    "direct_recall",
    "recall_with_thinking",
    "inference_without_encoding",
)
ENCODED = (False, True, True, True, False)
KNOWN = (False, False, True, False, False)
KNOWN_THINKING = (False, False, True, True, True)

Answers = npt.NDArray[np.uint8]
"""Labels 1 to 4 of one model, shape (facts, cells, samples); 0 where there is no question."""


@dataclass(frozen=True)
class Model:
    """A model of table 2: shares of the five profiles, and of facts excluded as not gradable."""

    name: str
    shares: tuple[float, ...]
    excluded: float


def models(strategy: Strategy = Strategy.PAIR) -> list[Model]:
    """The 13 models as the paper has them under a strategy."""
    with (DATA / "published" / "table2_profiles.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["strategy"] == PUBLISHED[strategy]]
    return [
        Model(
            row["model"],
            tuple(float(row[name]) for name in PROFILES),
            float(row["other_or_partially"]) / 100,
        )
        for row in rows
    ]


def questions(most: int | None = None) -> npt.NDArray[np.bool_]:
    """Which tasks the facts of the published sample have, shape (facts, tasks).

    The sample lacks columns that the benchmark has for every fact; those count as there.
    """
    found = []
    for name in ("facts.csv", "questions_only.csv"):
        with (DATA / "wikiprofile" / name).open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                asked = [row.get(task.asks.value) for task in TASKS]
                found.append(
                    [text != "" if task in KNOWLEDGE else True
                     for task, text in zip(TASKS, asked, strict=True)]
                )  # fmt: skip
    return np.array(found[:most], np.bool_)


def answers(model: Model, exists: npt.NDArray[np.bool_], seed: int) -> Answers:
    """Labels of every answer that a full run would get from a model."""
    random = np.random.default_rng([seed, len(model.name)])
    facts = len(exists)
    shares = np.array(model.shares) / sum(model.shares)
    profile = random.choice(len(PROFILES), facts, p=shares)
    passes = np.stack([_passing(name, profile, random) for name in NAMES], axis=1)
    _fail_some(passes, profile, random)
    high = 0.5 + 0.5 * random.beta(3, 1, passes.shape)
    low = 0.5 * random.beta(1, 3, passes.shape)
    chance = np.where(passes, high, low)
    vague = np.full(passes.shape, 0.03)
    pairs = random.integers(0, 5, facts)
    for fact in np.flatnonzero(random.random(facts) < model.excluded):
        vague[fact, _pair(int(pairs[fact]))] = 0.99
    draws = random.random((*passes.shape, SAMPLES))
    labels = np.where(draws < chance[..., None], 1, 2)
    unclear = random.random(labels.shape) < vague[..., None]
    labels = np.where(unclear, random.choice([3, 4], labels.shape), labels)
    there = exists[:, [TASK_INDEX[task] for task, _ in NAMES]]
    return np.where(there[..., None], labels, 0).astype(np.uint8)


def _passing(
    name: CellName, profile: npt.NDArray[np.integer], random: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Whether a question tends to be passed, facts that fail some apart (`_fail_some`)."""
    task, _ = name
    share = 0.9 if task in ENCODING else 1.0 if task in KNOWLEDGE else 0.8
    passing: npt.NDArray[np.bool_] = random.random(profile.size) < share
    return passing & np.array(ENCODED)[profile] if task in ENCODING else passing


def _fail_some(
    passes: npt.NDArray[np.bool_], profile: npt.NDArray[np.integer], random: np.random.Generator
) -> None:
    """Where a fact is not known, let questions of one direction fail, or of both."""
    for known, thinking in ((KNOWN, False), (KNOWN_THINKING, True)):
        direct, reverse = (
            [place for place, (task, on) in enumerate(NAMES) if task in pair and on == thinking]
            for pair in (KNOWLEDGE[:2], KNOWLEDGE[2:])
        )
        for fact in np.flatnonzero(~np.array(known)[profile]):
            which = random.choice(3, p=[0.2, 0.4, 0.4])
            for pair, fails in ((direct, which != 1), (reverse, which != 0)):
                if fails:
                    both = random.random() < 0.7
                    passes[fact, pair if both else [random.choice(pair)]] = False


def _pair(number: int) -> list[int]:
    tasks = (*ENCODING, *KNOWLEDGE, *KNOWLEDGE)[2 * number : 2 * number + 2]
    return [NAMES.index((task, number > 2)) for task in tasks]


@dataclass(frozen=True)
class Curtailing:
    """A curtailed run: how many of the answers it asked for, and in how many requests."""

    asked: npt.NDArray[np.int64]
    requests: int


def curtail(found: Answers, policy: Policy, every_question: bool = False) -> Curtailing:
    """Ask as a curtailed run does, samples in their order; `asked` is (facts, cells)."""
    asked = np.zeros(found.shape[:2], np.int64)
    requests = 0
    for fact, labels in enumerate(found):
        for place, count in _rounds(labels, policy, every_question):
            asked[fact, place] += count
            requests += 1
    return Curtailing(asked, requests)


def _rounds(labels: Answers, policy: Policy, every_question: bool) -> Iterator[tuple[int, int]]:
    """The requests for one fact, round by round: place of the cell, number of draws."""
    places = {name: place for place, name in enumerate(NAMES) if labels[place, 0]}
    drawn = dict.fromkeys(places, 0)
    while True:
        cells = {name: _cell(labels[places[name], : drawn[name]]) for name in places}
        wanted = next_draws(cells, policy, every_question)
        if not wanted:
            return
        for name, count in wanted.items():
            drawn[name] += count
            yield places[name], count


def _cell(labels: Answers) -> CurtailedCell:
    _, correct, incorrect, partially, other = np.bincount(labels, minlength=5).tolist()
    left = SAMPLES - len(labels)
    return CurtailedCell((correct, incorrect, partially, other), left, left)


def tally_of(
    found: Answers, asked: npt.NDArray[np.int64], valid: Sequence[Policy] = ()
) -> LabelCounts:
    """Label counts of the answers that were asked for; of a curtailed run if it has policies."""
    facts = len(found)
    labels = np.zeros((2, 4, len(TASKS), facts), np.uint16)
    planned = np.zeros((2, len(TASKS), facts), np.uint16)
    exists = np.zeros((len(TASKS), facts), np.bool_)
    there = np.arange(SAMPLES) < asked[..., None]
    for place, (task, thinking) in enumerate(NAMES):
        column = TASK_INDEX[task]
        for label in range(4):
            mine = (found[:, place] == label + 1) & there[:, place]
            labels[int(thinking), label, column] = mine.sum(axis=1)
        planned[int(thinking), column] = SAMPLES
        exists[column] |= found[:, place].any(axis=1)
    drawn = labels.sum(axis=1, dtype=np.uint16)
    every = np.ones(facts, np.bool_)
    policies = {numbers(policy): every for policy in valid}
    curtailed = CurtailedDraws(planned, (policies,)) if valid else None
    return LabelCounts(["m"], np.array([[0, 1]]), labels, drawn, exists, curtailed)


@dataclass(frozen=True)
class Compared:
    """A curtailed run beside a full one: answers and requests, and facts with another verdict."""

    facts: int
    asked: int
    full: int
    asked_open: int
    full_open: int
    requests: float
    others: int

    @property
    def share(self) -> float:
        """Answers asked for, of those of a full run."""
        return self.asked / self.full

    @property
    def share_open(self) -> float:
        """The same of the ten cells that decide profiles, multiple choice apart."""
        return self.asked_open / self.full_open


def compare(
    model: Model,
    exists: npt.NDArray[np.bool_],
    policy: Policy,
    seed: int = 1,
    every_question: bool = False,
) -> Compared:
    """Sample a model in full and curtailed, and hold the verdicts of all facts together."""
    found = answers(model, exists, seed)
    run = curtail(found, policy, every_question)
    full = np.where(found[..., 0] > 0, SAMPLES, 0)
    whole, part = tally_of(found, full), tally_of(found, run.asked, [policy])
    same = verdicts(whole, policy) == verdicts(part, policy)
    cells = [place for place, (task, _) in enumerate(NAMES) if not task.is_choice]
    return Compared(
        facts=len(found),
        asked=int(run.asked.sum()),
        full=int(full.sum()),
        asked_open=int(run.asked[:, cells].sum()),
        full_open=int(full[:, cells].sum()),
        requests=run.requests / np.count_nonzero(full),
        others=int((~same.all(axis=0)).sum()),
    )


def verdicts(tally: LabelCounts, policy: Policy) -> npt.NDArray[np.int64]:
    """Verdict, E, K0 and KT of every fact, the last three where they mean something."""
    found = judge(code_cells(tally), tally.thinks(), policy, tally.find_skipping(policy))
    aside = np.isin(found.verdict[0], (EXCLUDED_NAN, INCOMPLETE))
    parts = (found.encodes[0], found.knows[0], found.knows_thinking[0])
    return np.stack(
        [found.verdict[0].astype(np.int64), *(np.where(aside, 0, one) for one in parts)]
    )


def joined(parts: Sequence[Compared]) -> Compared:
    """Several models' comparisons as one."""
    sums = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("facts", "asked", "full", "asked_open", "full_open", "others")
    }
    return Compared(requests=float(np.mean([part.requests for part in parts])), **sums)


def main() -> None:
    """Compare all models under each strategy and some thresholds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=None)
    exists = questions(parser.parse_args().facts)
    ways = [(Policy(strategy=strategy), False) for strategy in Strategy]
    ways += [(Policy(tau), False) for tau in (0, 0.25, 0.75, 0.9, 0.99)]
    ways += [(Policy(), True)]
    for policy, every in ways:
        parts = [
            compare(model, exists, policy, every_question=every)
            for model in models(policy.strategy)
        ]
        found = joined(parts)
        shares = [part.share_open for part in parts]
        print(
            f"{policy.strategy}, tau {policy.tau}{', every question' if every else ''}: "
            f"{found.others} of {found.facts:,} facts with another verdict; "
            f"{100 * found.share:.1f} % of all answers asked, "
            f"{100 * found.share_open:.1f} % without multiple choice "
            f"({100 * min(shares):.0f} to {100 * max(shares):.0f} by model); "
            f"{found.requests:.2f} requests a question"
        )


if __name__ == "__main__":
    main()
