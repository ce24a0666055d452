"""The first snapshot of a database: of the lens's model alone, before the others are counted."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import db.label_grids
from core.curation.label_writer import set_flag, set_label
from core.project import OpenProject
from core.views.fact_query import FactQuery
from core.views.session import Session
from core.views.snapshot import Snapshot, Stakes
from core.vocabulary import KNOWLEDGE, Label, Outcome, Task
from tests.core.making import Row, put_rows
from tests.core.views.making import MODEL, A, B, chances, fresh_snapshot, lens_of, same_snapshot

OTHER, LATER = "other", "later"


def always() -> bool:
    return True


def put_model(project: OpenProject, model: str, facts: int = 12) -> list[int]:
    """Answers of another model to some facts, which both graders have labelled."""
    rows = [
        Row(f"f{number}", task, model, on, 0, {A: Outcome.CORRECT, B: Outcome(1 + number % 4)})
        for number in range(facts)
        for task in (Task.COMPLETION, Task.CONTEXTUAL, *KNOWLEDGE)
        for on in (False, True)
    ]
    return put_rows(project, rows)


@pytest.fixture
def slots(project: OpenProject) -> list[int]:
    """Facts of chance, all with the ten tasks, with labels on two models' answers."""
    found = chances(project, seed=5, whole=1.0)
    put_model(project, OTHER)
    db.label_grids.fold(project.connection)
    return found


@pytest.fixture
def path(project: OpenProject, slots: list[int]) -> Path:
    assert slots
    return project.path


@pytest.fixture
def first(path: Path) -> Iterator[tuple[Session, Snapshot]]:
    """A session, and its first snapshot."""
    with closing(Session(path)) as session:
        yield session, session.open(lens_of(MODEL, a=A, b=B), always)


def test_it_shows_the_same_of_the_model_as_the_whole(
    first: tuple[Session, Snapshot], path: Path
) -> None:
    session, alone = first
    whole = fresh_snapshot(path, alone.lens)
    assert not alone.whole
    assert whole.whole
    assert (alone.models, whole.models) == ((MODEL,), (MODEL, OTHER))
    assert (alone.lens, alone.graders) == (whole.lens, whole.graders)
    assert alone.headings == whole.headings
    for name in ("differs", "provisional", "edited", "noted", "latent"):
        assert np.array_equal(getattr(alone, name), getattr(whole, name)), name
    assert np.array_equal(alone.code_places(), whole.code_places())
    assert alone.differs.any()
    for name in Stakes._fields:
        assert np.array_equal(getattr(alone.stakes, name), getattr(whole.stakes, name)), name
    listed = session.listing(FactQuery())
    with closing(Session(path)) as other:
        other.open(alone.lens)
        assert listed.places.tolist() == other.listing(FactQuery()).places.tolist()
        assert session.summary() == other.summary()


def test_it_is_under_the_lens_that_the_project_suggests(path: Path) -> None:
    with closing(Session(path)) as session:
        alone = session.open(None, always)
        assert alone.lens == fresh_snapshot(path).lens
        assert alone.models == (alone.lens.model,)


def test_the_others_come_with_the_next_look(first: tuple[Session, Snapshot], path: Path) -> None:
    session, alone = first
    seen = session.look(alone.lens)
    assert seen.whole
    assert seen.index is alone.index
    assert same_snapshot(seen, fresh_snapshot(path, alone.lens))
    assert session.refresh() is None
    assert session.project.grids.stored is None


def label(project: OpenProject, slots: list[int]) -> None:
    set_label(project, "mira", slots[0], Label.INCORRECT)


def label_and_fold(project: OpenProject, slots: list[int]) -> None:
    label(project, slots)
    db.label_grids.fold(project.connection)


def ask_another_model(project: OpenProject, slots: list[int]) -> None:
    put_model(project, LATER)


def flag(project: OpenProject, slots: list[int]) -> None:
    set_flag(project, "mira", 1, True)


@pytest.mark.parametrize("write", [label, label_and_fold, ask_another_model, flag])
@pytest.mark.parametrize("looks", [True, False])
def test_what_another_program_writes_meanwhile_is_taken_in(
    first: tuple[Session, Snapshot],
    project: OpenProject,
    slots: list[int],
    write: Callable[[OpenProject, list[int]], None],
    looks: bool,
) -> None:
    session, alone = first
    write(project, slots)
    seen = session.look(alone.lens) if looks else session.refresh()
    assert seen is not None
    assert same_snapshot(seen, fresh_snapshot(project.path, alone.lens))


def test_a_lone_model_is_the_whole(project: OpenProject) -> None:
    chances(project, seed=5, facts=4)
    with closing(Session(project.path)) as session:
        assert session.open(None, always).whole
        assert session.project.grids.stored is None


def test_no_labels_of_other_models_are_read_for_it(first: tuple[Session, Snapshot]) -> None:
    session, _ = first
    grids = session.project.grids
    assert grids.stored is not None
    settings = session.project.setting_ids()
    waiting = {setting for _, setting in grids.stored.rows}
    assert waiting == {settings[OTHER, on] for on in (False, True)}
