"""The settings file: read strictly, written without losing what stands in it."""

from pathlib import Path

import pytest

from core.errors import LostkeysError
from core.settings.preferences import Settings, load, path, save

IDS = {"facts.search", "facts.filter"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    return tmp_path / "config"


def test_without_a_file_there_are_defaults() -> None:
    assert load() == Settings()
    assert not path().exists()


def test_what_is_set_is_read() -> None:
    path().write_text(
        'name = "mira"\ntheme = "light"\nglyphs = "ascii"\n'
        '[keys]\nfacts.search = "f5"\n"facts.filter" = "f6,f7"\n'
    )
    keys = {"facts.search": "f5", "facts.filter": "f6,f7"}
    assert load(IDS) == Settings("mira", "light", "ascii", keys)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('thme = "dark"', "no setting `thme`: did you mean `theme`?"),
        ('theme = "blue"', "`theme` is one of auto, dark, light, ansi, not 'blue'"),
        ("name = 3", "`name` must be text in quotes, not 3"),
        ('name = "a\\nb"', "`name` must be one line"),
        ('[keys]\nfacts.serch = "f5"', "did you mean `facts.search`?"),
        ("[keys]\nfacts.search = 5", "the key of `facts.search` must be text"),
        ('keys = "x"', "`keys` must be a table"),
        ("theme =", "line 1 is not in TOML: Invalid value: mend it or take it out"),
        (f"name = {'9' * 5000}", "line 1 is not in TOML"),
        ("theme.x = 1", "`theme` must be text in quotes"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, said: str) -> None:
    path().write_text(text)
    [fault] = load(IDS).faults
    assert said in fault
    assert str(path()) in fault
    assert "\n" not in fault
    assert "digits" not in fault


def test_a_file_that_is_no_text_is_said_so() -> None:
    path().write_bytes(b"\xff\xfe")
    assert "not in TOML" in load().faults[0]


@pytest.mark.parametrize(
    "bad",
    [
        'thme = "dark"',
        "glyphs = 3",
        'glyphs = "big"',
        "glyphs",
        'glyphs = "open',
        "glyphs = \xff",
        'name = "twice"',
        f"glyphs = {'9' * 5000}",
        "[[",
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_bad_line_voids_itself_alone(bad: str, place: int) -> None:
    good = ['name = "mira"', 'theme = "light"', "# mine", "[keys]", 'facts.search = "f5"']
    lines = [*good[:place], bad, *good[place:]]
    path().write_bytes("\n".join(lines).encode("latin-1"))
    found = load(IDS)
    name = "twice" if bad.startswith("name") and place == 0 else "mira"
    assert found == Settings(name, "light", keys={"facts.search": "f5"})
    assert len(found.faults) == 1


def test_a_bad_key_voids_itself_alone() -> None:
    path().write_text(
        'theme = "light"\n[keys]\nfacts.serch = "f5"\nfacts.filter = 6\nfacts.search = "f7"\n'
    )
    found = load(IDS)
    assert found == Settings(theme="light", keys={"facts.search": "f7"})
    assert len(found.faults) == 2


def test_other_settings_are_remembered_beside_a_bad_one() -> None:
    path().write_text('name = "mira"\ntheme = "blue"\n')
    save(Settings(name="mira", glyphs="ascii"))
    assert load() == Settings("mira", glyphs="ascii")
    assert 'theme = "blue"' in path().read_text()


def test_writing_keeps_comments_and_keys() -> None:
    path().write_text('# mine\ntheme = "dark"  # at night\n\n[keys]\nfacts.search = "f5"\n')
    save(Settings(name="mira", theme="light"))
    assert load(IDS) == Settings("mira", "light", keys={"facts.search": "f5"})
    assert "# mine" in path().read_text()
    assert "# at night" in path().read_text()


def test_writing_makes_the_folder(folder: Path) -> None:
    folder.rmdir()
    save(Settings(name="Mira Ö"))
    assert load().name == "Mira Ö"
    assert [one.name for one in folder.iterdir()] == ["settings.toml"]


def test_nothing_new_writes_nothing() -> None:
    save(Settings())
    assert not path().exists()


def test_a_broken_file_is_not_written_over() -> None:
    path().write_text("theme =")
    with pytest.raises(LostkeysError):
        save(Settings(name="mira"))
    assert path().read_text() == "theme ="


def test_a_folder_that_cannot_be_made_is_said(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("a file")
    with pytest.raises(LostkeysError, match=r"cannot be (read|written)"):
        save(Settings(name="mira"))
