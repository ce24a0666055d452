"""Random files as outsiders would write them, and what they say, by plain loops over their lines.

Nothing here shares code with the program: labels are chosen response by response, filters are
applied fact by fact, and the result is a `Case` for the loops of the analyses.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from core.vocabulary import TASKS
from tests.core.analyses.cases import Case
from tests.core.reference import Counts, Rule

Line = Mapping[str, Any]

LABELS = ("CORRECT", "INCORRECT", "PARTIALLY", "OTHER")
GRADERS = ("grader-a", "grader-b", "choice", "human:ada")
OPTIONS = {"direct_choices": ["It", "B", "C", "D"], "reverse_choices": ["He", "F", "G", "H"]}
OFF_ON = (False, True)


@dataclass(frozen=True)
class Files:
    """The lines of a file of facts and of one of responses, and what thinks."""

    facts: Sequence[Line]
    responses: Sequence[Line]
    models: Mapping[str, bool]

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Both as JSONL."""
        written = folder / "facts.jsonl", folder / "responses.jsonl"
        for path, lines in zip(written, (self.facts, self.responses), strict=True):
            path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
        return written


def files(seed: int, size: int) -> Files:
    """So many facts, some with tasks missing, and answers that lean one way within a group."""
    random = Random(seed)
    facts = [_fact(random, number) for number in range(size)]
    models = {f"m{n}": random.random() < 0.7 for n in range(random.randint(1, 4))}
    responses = []
    for fact, (model, thinks) in product(facts, models.items()):
        good = {key: random.random() for key in product(("e", "k", "v"), OFF_ON)}
        for task, on in product(tasks_of(fact), OFF_ON if thinks else (False,)):
            group = "e" if task in TASKS[:2] else "v" if task.startswith("mc_") else "k"
            chance = 0.05 + 0.9 * (good[group, on] > 0.4)
            if random.random() < 0.97:
                responses += _cell(random, fact["fact_id"], task, model, on, chance)
    return Files(facts, responses, models)


def _fact(random: Random, number: int) -> dict[str, Any]:
    fact: dict[str, Any] = {
        "fact_id": f"{random.randrange(10)}{number}__{number}",
        "gbc": random.choice([None, 0, 7, 7, 7, 900, 10_000]),
        "category": random.choice(["Arts", "People", None]),
        "object_type": random.choice(["DATE", "PERSON"]),
        "subject": "He",
        "object": "It",
        "direct_answer": "It",
        "reverse_answer": "He",
        **{task: f"{number} {task}?" for task in TASKS if not task.startswith("mc_")},
        **{key: json.dumps(one) for key, one in OPTIONS.items()},
    }
    gone = [key for key in ("contextual", "direct_natural", "reverse") if random.random() < 0.1]
    gone += [key for key in OPTIONS if random.random() < 0.1]
    return {key: one for key, one in fact.items() if key not in gone and one is not None}


def tasks_of(fact: Line) -> list[str]:
    """The tasks that a fact has by its keys."""
    found = []
    for task in map(str, TASKS):
        question = task.removeprefix("mc_")
        choices = f"{question.removesuffix('_natural')}_choices"
        if question in fact and (question == task or choices in fact):
            found.append(task)
    return found


def _cell(
    random: Random, fact_id: str, task: str, model: str, on: bool, chance: float
) -> list[dict[str, Any]]:
    """Mostly four answers, with labels by some graders; all a little alike."""
    likely = "CORRECT" if random.random() < chance else "INCORRECT"
    if random.random() < 0.06:
        likely = random.choice(["PARTIALLY", "OTHER"])
    lines = []
    for sample in range(random.choice([4, 4, 4, 4, 2, 5])):
        grades = {
            grader: likely if random.random() < 0.85 else random.choice(LABELS)
            for grader in _graders(random, task)
        }
        lines.append(
            {
                "fact_id": fact_id,
                "task": task,
                "model": model,
                "thinking": on,
                "sample": sample,
                "response": f"answer {sample}",
                "grades": grades,
            }
        )
    return lines


def _graders(random: Random, task: str) -> list[str]:
    often = {"grader-a": 0.97, "grader-b": 0.5, "choice": 0.7, "human:ada": 0.1}
    return [
        name
        for name, chance in often.items()
        if random.random() < chance and (name != "choice" or task.startswith("mc_"))
    ]


def label(line: Line, graders: Sequence[str]) -> str | None:
    """The first label found in a list of graders; `choice` stands last where it is not named."""
    order = [*graders, *(["choice"] if "choice" not in graders else [])]
    for grader in order:
        if grader in line["grades"] and (grader != "choice" or line["task"].startswith("mc_")):
            return str(line["grades"][grader])
    return None


def case(
    data: Files,
    rule: Rule,
    graders: Sequence[str],
    models: Sequence[str] | None = None,
    fits: Callable[[Line], bool] = lambda fact: True,
) -> Case:
    """What the files say under a rule and a list of graders, for some models and facts."""
    places = {fact["fact_id"]: place for place, fact in enumerate(data.facts)}
    counted: dict[tuple[str, int, str, bool], Counter[str]] = {}
    for line in data.responses:
        found = label(line, graders)
        if found is not None:
            key = line["model"], places[line["fact_id"]], line["task"], line["thinking"]
            counted.setdefault(key, Counter())[found] += 1
    counts: dict[tuple[str, int, str, bool], Counts] = {}
    chosen = [model for model in data.models if models is None or model in models]
    for key, one in counted.items():
        if key[0] in chosen:
            correct, incorrect, partially, other = (one[name] for name in LABELS)
            counts[key] = correct, incorrect, partially, other
    return Case(
        [fact["fact_id"] for fact in data.facts],
        [[task for task in TASKS if task in tasks_of(fact)] for fact in data.facts],
        [fact.get("gbc") for fact in data.facts],
        [False] * len(data.facts),
        [fits(fact) for fact in data.facts],
        {model: data.models[model] for model in chosen},
        counts,
        rule,
    )


def rejecting(one: Case, fact_ids: Sequence[str]) -> Case:
    """The case with some facts rejected."""
    return replace(one, rejected=[fact in fact_ids for fact in one.fact_ids])
