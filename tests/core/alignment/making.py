"""A project with answers of two models, a grader that is right of most, and a person."""

from pathlib import Path

from core.project import OpenProject
from core.vocabulary import Outcome, Task
from tests.core.making import Row, a_fact, new_project, put_facts, put_rows

FACTS = [f"f{number}" for number in range(24)]
KINDS = (Outcome.CORRECT, Outcome.INCORRECT, Outcome.PARTIALLY, Outcome.OTHER)
ANN, MID = "human:ann", "human:mid"


def make_project(path: Path, ann: bool = True) -> OpenProject:
    """Facts with four answers of `m` and two of `n`, of which one is what `m` said, too."""
    project = new_project(path)
    put_facts(project, [a_fact(fact, (Task.DIRECT, Task.MC_DIRECT)) for fact in FACTS])
    rows = []
    for place, fact in enumerate(FACTS):
        for sample in range(6):
            kind = KINDS[(place + sample % 5) % 4]
            graded = KINDS[(place + sample % 5 + (place % 5 == 0)) % 4]
            text = f"answer {sample % 5} to {fact}."
            grades = {"judge": graded, **({ANN: kind, MID: kind} if ann else {})}
            model = "m" if sample < 4 else "n"
            rows.append(
                Row(fact, Task.DIRECT, model, False, sample % 4, grades, text + " " * sample)
            )
        rows.append(Row(fact, Task.MC_DIRECT, "m", False, 0, {}, "A", 0))
    put_rows(project, rows)
    return project
