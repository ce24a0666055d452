"""Themes of a person's own: what a file may say, what is wrong with one, and what it costs."""

from pathlib import Path

import pytest

from core.settings.preferences import load
from tests.tui.sample import sample_project
from tests.tui.seeing import settled, text
from tui.app.app import LostkeysApp
from tui.theme.palettes import DARK, LIGHT
from tui.theme.user_themes import LARGEST, load_themes


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOSTKEYS_CONFIG", ".")  # a short path: it stands on one line
    (tmp_path / "themes").mkdir()
    return tmp_path


def put(folder: Path, text: str | bytes, name: str = "mine") -> None:
    content = text if isinstance(text, bytes) else text.encode()
    (folder / "themes" / f"{name}.toml").write_bytes(content)


def test_what_a_theme_leaves_out_is_that_of_the_one_below(folder: Path) -> None:
    put(folder, 'over = "light"\n[colours]\naccent = "#7A3E9d"\n')
    put(folder, "", "plain")
    (mine, plain), faults = load_themes()
    assert not faults
    assert mine.colours == {**LIGHT, "accent": "#7A3E9d"}
    assert (plain.over, plain.colours) == ("dark", DARK)
    assert mine.fault is plain.fault is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("over = 'ansi'", "`over` is one of dark, light, not 'ansi'"),
        ("over = 3", "`over` is one of"),
        ("[colours]\naccnt = '#112233'", "there is no `accnt` of a theme: did you mean `accent`?"),
        ("acent = '#112233'", "there is no `acent` of a theme: "),
        ("colours = 'red'", "`colours` must be a table"),
        ("[colours]\nink = 'red'", "`ink` must be a colour as #20242a, not 'red'"),
        ("[colours]\nink = '#12345'", "`ink` must be a colour"),
        ("[colours]\nink = ['#123456']", "`ink` must be a colour"),
        ("[colours]\nink = '#123456\\n'", "`ink` must be a colour"),
        ("over 'dark'", "is not in TOML: "),
        (b"over = '\xff'", "is not in TOML: no text in UTF-8"),
        ("#" * (LARGEST + 1), "is too large for a theme"),
        ("over = " + "[" * 20_000, "is not in TOML"),
    ],
)
def test_a_bad_file_costs_its_theme_and_one_line(
    content: str | bytes, why: str, folder: Path
) -> None:
    put(folder, content)
    put(folder, "", "sound")
    found, (fault,) = load_themes()
    assert [one.name for one in found] == ["sound"]
    assert "mine.toml" in fault
    assert why in fault
    assert fault.isprintable()


@pytest.mark.parametrize("name", ["dark", "auto", "two words", "a\x1b[31m", "ü", "x" * 41])
def test_names_that_cannot_be(name: str, folder: Path) -> None:
    put(folder, "", name)
    found, (fault,) = load_themes()
    assert not found
    assert "a theme is called by" in fault
    assert fault.isprintable()


def test_a_folder_in_the_place_of_a_file_costs_one_line(folder: Path) -> None:
    (folder / "themes" / "mine.toml").mkdir()
    found, (fault,) = load_themes()
    assert not found
    assert "cannot be read" in fault


def test_without_the_folder_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "none"))
    assert load_themes() == ([], [])


def test_low_contrast_is_named_in_one_line(folder: Path) -> None:
    put(folder, f"[colours]\nlabel-p = '{DARK['background']}'\non-rf = '{DARK['fill-rf']}'\n")
    ((theme,), faults) = load_themes()
    assert not faults
    assert theme.fault is not None
    assert theme.fault.startswith("theme mine: contrast below 4.5:1: label-p on background 1.0, ")
    assert theme.fault.endswith(" and 3 more")


def test_a_theme_of_ones_own_can_be_set(folder: Path) -> None:
    put(folder, "")
    (folder / "settings.toml").write_text('theme = "mine"\n')
    assert load() == load().__class__(theme="mine")
    (folder / "settings.toml").write_text('theme = "gone"\n')
    (fault,) = load().faults
    assert "`theme` is one of auto, dark, light, ansi, mine, not 'gone'" in fault


@pytest.mark.slow
async def test_the_program_starts_in_it_and_names_what_is_wrong(folder: Path) -> None:
    put(folder, "over = 'light'\n[colours]\nbackground = '#123456'\n")
    put(folder, "over = ", "broken")
    (folder / "settings.toml").write_text('theme = "mine"\n')
    app = LostkeysApp(sample_project(folder / "p.db"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "themes/broken.toml is not in TOML" in text(app)
        await pilot.press("enter")
        await settled(pilot)
        assert "theme mine: contrast below 4.5:1: ink on background" in text(app)
        assert app.screen.styles.background.hex == "#123456"
        app.action_theme("dark")
        await settled(pilot)
        assert app.screen.styles.background.hex.lower() == DARK["background"]
        app.action_theme("mine")
        assert app.theme == "mine"


@pytest.mark.slow
async def test_a_bad_theme_that_is_set_gives_way_to_auto(folder: Path) -> None:
    put(folder, "over = ")
    (folder / "settings.toml").write_text('theme = "mine"\n')
    app = LostkeysApp(sample_project(folder / "p.db"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "themes/mine.toml is not in TOML" in text(app)
        assert app.theme == "ansi"
