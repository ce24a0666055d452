"""The Review screen as it stands, cell by cell, at three sizes and in three themes.

After a wanted change run `uv run pytest -m "slow or not slow" FILE --snapshot-update`, and look at
the difference before it is committed.
"""

from contextlib import closing
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.settings.preferences import Settings
from core.views.review.question_samples import Strata
from core.views.session import Session
from tests.core.making import a_fact, new_project, put_facts
from tests.marks import slow
from tests.tui.sample import sample_project
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp

SIZES = (slow((80, 24)), (120, 40), slow((200, 60)))
CARD = ("f5", "j", "j", "enter")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_project(tmp_path_factory.mktemp("sample") / "sample.db")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with samples, of which some questions are decided."""
    path = sample_project(tmp_path_factory.mktemp("sampled") / "sampled.db")
    with closing(Session(path)) as session:
        session.open()
        session.name = "mira"
        reviews = session.reviews
        for by in (None, Strata.CATEGORY):
            taken, _ = reviews.sample(40, by, seed=11)
        for place, key in enumerate(session.project.index.questions.ravel()[:30].tolist()):
            if place % 9 == 4:
                reviews.reject(key, "not unique")
            else:
                reviews.accept(key)
        assert taken.seed == 11
    return path


async def seen(path: Path, size: tuple[int, int], theme: str, *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme=theme))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return picture(app)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize(
    "keys",
    [slow(("f5",)), CARD, slow((*CARD, "d")), slow((*CARD, "e", "x")), slow(("f5", "v"))],
    ids=["queue", "card", "rejecting", "editing", "no-sample"],
)
async def test_looking_over(
    database: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(database, size, "dark", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("keys", [("f5", "v"), ("f5", "v", "v", "enter")], ids=["random", "strata"])
async def test_samples(
    sampled: Path, size: tuple[int, int], keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(sampled, size, "dark", *keys) == snapshot


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "ansi"])
@pytest.mark.parametrize("keys", [("f5", "v", "enter"), (*CARD, "e", "x")], ids=["card", "edit"])
async def test_other_themes(
    sampled: Path, theme: str, keys: tuple[str, ...], snapshot: SnapshotAssertion
) -> None:
    assert await seen(sampled, SIZES[1], theme, *keys) == snapshot


@pytest.mark.slow
async def test_nothing_answered(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    with new_project(tmp_path / "p.db") as project:
        put_facts(project, [a_fact("f1"), a_fact("f2")])
    assert await seen(tmp_path / "p.db", SIZES[1], "dark", "f5") == snapshot
