"""An arm's answer on Task: its scores beside the judge, and the prompt with its exemplars."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from core.graders.em.normal_form import AnswerKind
from core.graders.em.response_scores import find_gold, score_response
from core.settings.preferences import Settings
from core.views.arm_answer import ScoredAnswer
from core.views.lens import Lens
from core.views.session import Session
from core.views.task_view import TaskView
from core.vocabulary import Label, Task
from tests.tui.screens.bench.making import SENT, bench_project
from tests.tui.screens.task.making import LOOK
from tests.tui.seeing import picture, settled
from tui.app.app import LostkeysApp
from tui.screens.task import render_arm, render_pages
from tui.screens.task.render_detail import DetailContext
from tui.screens.task.state import AnswerPage
from tui.text.line import Line

SETTING = DetailContext(64, LOOK, you="human:mira")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bench_project(tmp_path_factory.mktemp("arms") / "bench.db")


@pytest.fixture
def session(database: Path) -> Iterator[Session]:
    made = Session(database)
    made.open(Lens(SENT))
    made.name = "mira"
    yield made
    made.close()


def view_of(session: Session, name: str) -> TaskView:
    index = session.snapshot.index
    view = session.task(int(index.ids[index.fact_ids.index(name)]), Task.DIRECT)
    assert view is not None
    return view


def lines_of(session: Session, name: str, page: AnswerPage) -> list[Line]:
    view = view_of(session, name)
    return render_pages.lines_of(page, view, view.answers[0], SETTING)


def scores(session: Session, name: str) -> list[str]:
    texts = [line.text for line in lines_of(session, name, AnswerPage.JUDGEMENT)]
    start = next(at for at, text in enumerate(texts) if text.startswith("scores ─"))
    return texts[start + 1 : texts.index("", start)]


def find_answer(session: Session, said: str) -> str:
    """A fact with this answer."""
    index = session.snapshot.index
    for name in index.fact_ids:
        if name.startswith(("born", "place", "peak")):
            view = view_of(session, name)
            if view.answers and view.answers[0].text == said:
                return name
    raise LookupError(said)


def test_scores_stand_beside_the_judge(session: Session) -> None:
    right = next(
        name
        for name in session.snapshot.index.fact_ids
        if name.startswith(("born", "place", "peak"))
        and (found := view_of(session, name).answers[0].scored) is not None
        and found.scores.em
    )
    gold = view_of(session, right).gold
    assert [line.split() for line in scores(session, right)] == [
        ["EM", "=", "F1", "1.00", "judge", "●", "CORRECT"],
        ["equals", gold, "gold"],
    ]
    blank = find_answer(session, "")
    assert scores(session, blank)[0].split()[:4] == ["EM", "x", "F1", ".00"]
    assert scores(session, blank)[1] == "no answer in it"
    assert scores(session, find_answer(session, "I do not know."))[1] == "no word of a gold"


def test_a_person_stands_beside_the_judge(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "own.db"
    path.write_bytes(database.read_bytes())
    session = Session(path)
    session.open(Lens(SENT))
    session.name = "mira"
    view = view_of(session, "place-1")
    session.set_label(view.answers[0].slot, Label.OTHER)
    assert scores(session, "place-1")[0].split()[-3:] == ["mira", "o", "OTHER"]
    session.close()


def test_words_shared_with_the_nearest_gold(session: Session) -> None:
    view = view_of(session, "born-1")
    golds, kind = (view.gold, "December 1900"), AnswerKind("date")
    said = "It was December 1882, December"
    found = ScoredAnswer(score_response(said, golds, kind), find_gold(said, golds, kind))
    lines = render_arm.score_lines(view, view.answers[0], found, 64, LOOK)
    assert [line.text.split() for line in lines[-2:]] == [
        ["nearest", view.gold, "gold"],
        ["shared", "december", "1882"],
    ]


def test_the_prompt_has_its_exemplars_marked(session: Session) -> None:
    lines = lines_of(session, "place-1", AnswerPage.CALL)
    texts = [line.text for line in lines]
    assert texts[1] == "3 exemplars: 1 known, 1 unknown, 1 not checked; 3 counterfactual"
    marks = [text.split("  ")[-1].strip() for text in texts if "counterfactual for" in text]
    assert marks == [
        "known, counterfactual for December 11, 1882",
        "unknown, counterfactual for Hartford",
        "not checked, counterfactual for 5642 metre",
    ]
    underlined = [one.text for line in lines for one in line.spans if "underline" in one.role]
    assert underlined == ["June 19, 1922", "Warsaw", "2501 metre"]
    view = view_of(session, "place-1")
    copied = render_pages.format_copy(AnswerPage.CALL, view, view.answers[0])
    assert copied.endswith("\n\nQuestion: Where was Max Born born?\nAnswer:")
    assert "counterfactual" not in copied


@pytest.mark.parametrize("width", [20, 38, 200])
def test_marks_keep_to_the_width_and_the_prompt_stays_whole(session: Session, width: int) -> None:
    view = view_of(session, "place-1")
    setting = DetailContext(width, LOOK)
    lines = render_pages.lines_of(AnswerPage.CALL, view, view.answers[0], setting)
    assert max(line.width for line in lines) <= width
    said = "".join(line.text for line in lines).replace(" ", "")
    for word in (view.calls[0].prompt or "").split():
        assert word in said


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=str)
async def test_the_prompt_of_an_arm_as_it_stands(
    database: Path, size: tuple[int, int], snapshot: SnapshotAssertion
) -> None:
    app = LostkeysApp(database, Settings(name="mira", theme="dark"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for key in ("f9", *("j",) * 6, "enter", "enter", "enter"):
            await pilot.press(key)
            await settled(pilot)
        assert picture(app) == snapshot(name="judgement")
        await pilot.press("v", "v")
        await settled(pilot)
        assert picture(app) == snapshot(name="call")


def test_task_names_the_arm_whose_answers_it_shows(session: Session) -> None:
    view = next(
        one
        for one in (view_of(session, name) for name in session.snapshot.index.fact_ids)
        if one.answers
    )
    alone = render_pages.title(view, view.answers[0], AnswerPage.JUDGEMENT, alone=True)
    assert render_pages.name_arm(view) == "gemma3-27b 10-shot shuffle"
    assert alone.text.endswith(" of 1, gemma3-27b 10-shot shuffle")
