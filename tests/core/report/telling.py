"""Small projects to report on."""

from pathlib import Path

from core.project import OpenProject
from core.vocabulary import TASKS, VERIFICATION, Outcome, Task
from tests.core.making import Row, a_fact, cell, new_project, put_facts, put_rows

C, I, O = Outcome.CORRECT, Outcome.INCORRECT, Outcome.OTHER  # noqa: E741
OPEN = [task for task in TASKS if task not in VERIFICATION]

HOSTILE = (
    "<script>document.title='ran'</script>",
    "</style><script>document.title='ran'</script>",
    "</title></svg><img src=x onerror=\"document.title='ran'\">",
    "\"><img src=x onerror=document.title='ran'>",
    "]]><svg onload=document.title='ran'>",
    "javascript:document.title='ran'",
    "\u202egnissim \u2066bidi\u2069 \ufeff",
    "nul\x00 bell\x07 esc\x1b]0;title\x07 \x9b31m",
    "pipe | `tick` [link](http://example.com) ![image](x) # head\n- item\n\n> quote *bold* _it_",
    "$\\frac{1}{2}$ &amp; &#60;b&#62; {{x}}",
)


def profiled(path: Path, models: tuple[str, ...] = ("model-a", "model-b")) -> OpenProject:
    """Four facts with views, known to two models to different degrees, by two graders."""
    project = new_project(path)
    facts = [
        a_fact(f"f{place}", category="Arts" if place % 2 else "Sports", views=100 * place)
        for place in range(4)
    ]
    put_facts(project, facts)
    rows: list[Row] = []
    for number, model in enumerate(models):
        for place in range(4):
            right = C if place >= number else I
            for task in OPEN:
                for thinking in (False, True):
                    labels = [right, C, I if place == 3 else right]
                    rows += cell(f"f{place}", task, model, thinking, labels)
    put_rows(project, rows)
    put_rows(
        project,
        [
            Row("f0", Task.MC_DIRECT, models[0], False, sample, {"lexical": C, "other": O})
            for sample in range(3)
        ],
    )
    return project


def hostile(path: Path) -> OpenProject:
    """Models, graders, facts, categories and answers that are all out to break a page."""
    project = new_project(path)
    facts = [
        a_fact(f"{place} {text}", subject=text, object=text, category=text, views=place)
        for place, text in enumerate(map(storable, HOSTILE))
    ]
    put_facts(project, facts)
    rows = [
        row
        for name in map(storable, HOSTILE[:4])
        for fact in facts
        for task in OPEN
        for thinking in (False, True)
        for row in cell(fact.fact_id, task, name, thinking, [C, I, I], grader=storable(HOSTILE[0]))
    ]
    put_rows(project, rows)
    return project


def storable(text: str) -> str:
    """What of a text a database takes."""
    return text.encode(errors="replace").decode()
