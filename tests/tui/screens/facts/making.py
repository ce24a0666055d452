"""Snapshots and views made by hand, and an app on a small database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from textual.pilot import Pilot

from core.dataset.fact_index import FactIndex
from core.scoring.label_counts import LabelCounts
from core.scoring.verdicts import VERDICTS, Verdicts
from core.settings.preferences import Settings
from core.views.fact_view import (
    AnswerMark,
    FactView,
    Grade,
    MarkedAnswer,
    Reason,
    Stake,
    TaskRow,
    UnfoldedQuestion,
)
from core.views.lens import Lens
from core.views.snapshot import Heading, Snapshot
from core.vocabulary import LABELS, TASKS, Label, Outcome, Task
from tests import patience
from tests.bench.generator import Scale, build
from tests.core.views.making import lens_of
from tests.tui.seeing import text
from tui.app.app import LostkeysApp
from tui.screens.facts.screen import FactsScreen
from tui.text.line import Line
from tui.theme.look import Look, look_named

LETTERS = {
    "c": Label.CORRECT,
    "i": Label.INCORRECT,
    "p": Label.PARTIALLY,
    "o": Label.OTHER,
}
LOOK = look_named("dark")
MODELS = ("first", "second")


def look(name: str = "dark", ascii_glyphs: bool = False) -> Look:
    """A look by name."""
    return look_named(name, ascii_glyphs)


def mark(letters: str) -> AnswerMark:
    """A mark from letters: `c` alone, `ic` for A and B, `.` unlabelled, `?` unread, `-` empty."""
    if letters in ".-":
        return AnswerMark(letters == ".")
    if letters == "?":
        return AnswerMark(True, Outcome.UNPARSED)
    a, b = LETTERS[letters[0]], LETTERS[letters[-1]]
    return AnswerMark(True, Outcome.from_label(a), a, b)


def marks(letters: str) -> tuple[AnswerMark, ...]:
    """Marks from letters, those of one answer together: `c c ic`."""
    return tuple(map(mark, letters.split()))


def grade(thinking: bool, letters: str, tau: float = 0.5) -> Grade:
    """A grade from the letters of its marks."""
    found = marks(letters)
    gradable = [one for one in found if one.label not in (None, Label.OTHER)]
    correct = sum(one.label is Label.CORRECT for one in gradable)
    g = correct / len(gradable) if gradable else None
    passes = None if g is None else g > tau
    return Grade(thinking, g, passes, correct, len(gradable), found)


def a_view(**changes: Any) -> FactView:
    """A fact with all ten tasks, seen through a lens on the second of two models."""
    text = "A long tale of engines. The Wren, a rocket, burns kerosene"
    rows = []
    for number, task in enumerate(TASKS):
        off, on = grade(False, "c c i i c p o c"), grade(True, "c c c ic c c i c")
        if number < 2:
            on = replace(on, g=None, passes=None, marks=(), used=False)
        gold = "Wren" if "reverse" in task else "kerosene"
        asked = text[:-9] if number < 2 else f"What about number {number}?"
        rows.append(TaskRow(task, number + 1, asked, gold, off, on))
    view = FactView(
        lens=lens_of(model="second", a="grader-a", b="grader-b"),
        fact=10,
        fact_id="id0",
        title="Wren (rocket)",
        subject="The Wren",
        object="kerosene",
        category="Technology",
        object_type="SUBSTANCE",
        views=21_264,
        text=text,
        subject_spans=((text.index("The Wren"), text.index(", a rocket")),),
        object_spans=((text.index("kerosene"), len(text)),),
        code="RF",
        profile="recall_failure",
        provisional=False,
        reasons=(
            Reason("E", True, "completion 1.00, contextual .88"),
            Reason("K0", False, "reverse .13, reverse natural .00"),
            Reason("KT", None, "thinking not measured"),
        ),
        stake=Stake(1, "RT"),
        models=MODELS,
        codes=("DR", "RF"),
        tasks=tuple(rows),
    )
    return replace(view, **changes)


def an_unfolded(task: Task = Task.DIRECT, **changes: Any) -> UnfoldedQuestion:
    """The answers to one task, on one of which the graders differ."""
    made = UnfoldedQuestion(
        fact=10,
        task=task,
        question=3,
        text="What about number 2?",
        gold="kerosene",
        aliases=(),
        choices=None,
        distinct=(
            MarkedAnswer(False, 5, "petrol", mark("i"), False, (0, 1, 2, 4, 6)),
            MarkedAnswer(False, 3, "kerosene", mark("c"), False, (3, 5, 7)),
            MarkedAnswer(True, 7, "kerosene", mark("c"), False, (0, 1, 2, 3, 5, 6, 7)),
            MarkedAnswer(True, 1, "RP-1", mark("ic"), True, (4,)),
        ),
    )
    return replace(made, **changes)


def a_snapshot(titles: Sequence[str], **columns: Any) -> Snapshot:
    """A snapshot of one model, every verdict `recall_failure` unless given."""
    size = len(titles)

    def column(name: str, default: Any) -> Any:
        return columns.get(name, [default] * size)

    index = FactIndex(
        np.arange(1, size + 1) * 10,
        [f"id{number}" for number in range(size)],
        np.array(column("views", 21_264), np.int64),
        column("categories", "Technology"),
        ["PERSON"] * size,
        ["DATE"] * size,
        np.full(size, -1, np.int64),
        np.array(column("flagged", False), np.bool_),
        np.array(column("rejected", False), np.bool_),
        np.zeros((size, len(TASKS)), np.int64),
    )
    places = [VERDICTS.index(name) for name in column("verdicts", "recall_failure")]
    none = np.zeros((1, size), np.bool_)
    counts = np.empty((0, len(LABELS), len(TASKS), size), np.uint16)
    model = columns.get("model", "m")
    exists = np.zeros((len(TASKS), size), np.bool_)
    tally = LabelCounts(["m"], np.array([[-1, -1]]), counts, counts[:, 0], exists)
    return Snapshot(
        lens=Lens(model=model),
        index=index,
        headings=[
            Heading(title, subject, object_)
            for title, subject, object_ in zip(
                titles, column("subjects", "Wren"), column("objects", "kerosene"), strict=True
            )
        ],
        models=(model,) if model else (),
        arms=(),
        graders=(),
        tally=tally,
        profiled=tally,
        verdicts=Verdicts(np.array([places], np.uint8), none, none, none, np.ones(1, np.bool_)),
        differs=np.array(column("differs", 0), np.uint8),
        provisional=np.array(column("provisional", False), np.bool_),
        edited=np.array(column("edited", False), np.bool_),
        noted=np.array(column("noted", False), np.bool_),
    )


def roles(line: Line, text: str) -> str:
    """The role in which a text stands on a line."""
    found = [span.role for span in line.spans if text in span.text]
    assert found, f"{text!r} is not a part of {line.text!r}"
    return found[0]


def a_database(path: Path, facts: int = 9) -> Path:
    """A database with facts, two models, two graders that differ at times."""
    build(path, Scale(facts=facts, models=2))
    return path


@asynccontextmanager
async def opened(
    path: Path, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[Pilot[None], FactsScreen]]:
    """The app on a database, once its first fact is shown."""
    app = LostkeysApp(path, Settings(name="mira", theme="dark"))
    async with app.run_test(size=size) as pilot:
        screen = app.tab_screen("facts")
        assert isinstance(screen, FactsScreen)
        await until(pilot, lambda: screen.fact.view is not None)
        yield pilot, screen


async def until(pilot: Pilot[None], seen: Any) -> None:
    """Wait until something holds; fails if it never does."""
    await patience.until(seen, lambda: text(pilot.app), lambda: pilot.pause(0.02))
    await pilot.pause()
