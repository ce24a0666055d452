"""What screens say of counts of a lake: no cell looks as if nothing had been drawn for it.

After a wanted change run `uv run pytest -m "slow or not slow" FILE --snapshot-update`, and look at
the difference before it is committed.
"""

from pathlib import Path
from shutil import copytree

import pytest
from syrupy.assertion import SnapshotAssertion

from core.project import OpenProject
from core.scoring.policy import Policy
from core.settings.preferences import Settings
from core.transfer.exports import export
from core.transfer.lake_count_import import import_counts
from tests.marks import slow
from tests.tui.sample import A, B, sample_project
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp

WALKS = {
    "fact": ("j", "enter", "space"),
    "task": ("j", "enter", "4", "enter"),
    "profiles": ("f3",),
    "confusion": ("f4",),
    "review": ("f5", "enter"),
}
SMALL, LARGE = (80, 24), (200, 60)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    with OpenProject(sample_project(folder / "sample.db")) as project:
        export(project, "lake", folder / "lake")
    return folder / "lake"


def count_lake(lake: Path, *keeps: str) -> Path:
    path = lake.parent / ("kept.db" if keeps else "counts.db")
    if not path.exists():
        import_counts(lake, path, Policy(graders=(A,)), keeps)
    return path


async def seen(path: Path, size: tuple[int, int], *keys: str) -> str:
    app = LostkeysApp(path, Settings(name="mira", theme="dark"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        return text(app)


def without_news(shown: str) -> str:
    """The screen without what the status line says of the moment: it comes and goes."""
    *above, status, keys = shown.splitlines()
    return "\n".join([*above, f"   {status.rpartition('   ')[2]}", keys])


@pytest.mark.parametrize("walk", [slow(one) if one == "review" else one for one in WALKS])
@pytest.mark.parametrize("size", [SMALL, slow(LARGE)], ids=str)
async def test_counts_with_kept_answers(
    lake: Path, walk: str, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    path = count_lake(lake, f"differs:{A},{B}")
    assert without_news(await seen(path, size, *WALKS[walk])) == snapshot


@pytest.mark.parametrize("walk", ["fact", "confusion", slow("task")])
async def test_counts_alone(lake: Path, walk: str, snapshot: SnapshotAssertion) -> None:
    assert without_news(await seen(count_lake(lake), SMALL, *WALKS[walk])) == snapshot


async def test_no_job_starts_on_counts(lake: Path) -> None:
    shown = await seen(count_lake(lake), LARGE, "f6", "r")
    assert "counts of a lake: jobs need its answers, which are in " in shown


@pytest.mark.slow
async def test_figures_say_what_they_count(lake: Path) -> None:
    shown = await seen(count_lake(lake), SMALL, "f7", "enter")
    assert "counts of a lake" in shown


@pytest.mark.slow
async def test_another_list_of_graders_is_refused_and_the_lens_stays(lake: Path) -> None:
    path = count_lake(lake, f"differs:{A},{B}")
    shown = await seen(path, LARGE, "g", "j", "space", "enter")
    assert f"holds counts of a lake by {A}" in shown
    assert "counts of a lake" in await seen(path, SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=str)
async def test_a_lake_that_has_changed_since_is_told_of(
    lake: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    other = tmp_path / "lake"
    copytree(lake, other)
    path = tmp_path / "counts.db"
    import_counts(other, path, Policy(graders=(A,)), ())
    assert "counts of a lake" in await seen(path, size)
    (other / "more.txt").write_text("another file")
    shown = await seen(path, size, "f3")
    assert "counts of a lake, which has changed since" in shown.splitlines()[-2]
