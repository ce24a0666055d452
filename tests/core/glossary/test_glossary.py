"""The glossary holds together: its sentences fit, and what it names is there."""

import pytest

from core.errors import UsageError
from core.figures.series import BY_PROFILE
from core.glossary.glossary import BY_TERM, GLOSSARY, explain_term, search_terms, terms_on
from core.glossary.glossary_entry import EVERYWHERE, SHORT_CELLS, GlossaryEntry
from core.results.model_comparison import KNOWING
from core.vocabulary import CODES, LABELS, TASKS, Profile, Strategy
from tui.app.tab_table import TABS
from tui.screens.profiles import render_bars, render_comparison
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.theme.glyphs import UNICODE


@pytest.mark.parametrize("entry", GLOSSARY, ids=lambda entry: entry.term)
def test_an_entry_is_whole(entry: GlossaryEntry) -> None:
    assert entry.term
    assert entry.name
    assert entry.long.endswith(".")
    assert 0 < width_of(entry.short) <= SHORT_CELLS
    assert "\n" not in entry.short + entry.long
    assert make_inert(entry.long) == entry.long
    assert all(term in BY_TERM and term != entry.term for term in entry.see)
    assert entry.mark == "" or entry.mark in UNICODE
    tabs = {place.tab for place in TABS}
    assert entry.screens == EVERYWHERE or set(entry.screens.split()) <= tabs
    assert entry.screens


def test_a_term_stands_once() -> None:
    assert len(BY_TERM) == len(GLOSSARY)


def test_names_of_the_field_have_entries() -> None:
    names = [*CODES.values(), *map(str, LABELS), *map(str, Strategy), *map(str, Profile)]
    names += [task.value.replace("_", " ") for task in TASKS]
    for name in names:
        assert explain_term(name), name


def test_what_is_written_so_comes_before_what_speaks_of_it() -> None:
    assert [one.term for one in explain_term("kn+T")] == ["kn+T"]
    assert explain_term("Knows   with thinking") == explain_term("kn+T")
    assert search_terms("kn+")[0].term == "kn+T"
    assert search_terms("knows_thinking")[0].term == "kn+T"
    assert search_terms("E")[0].term == "E"
    assert search_terms("≠")[0].term == "≠"
    assert search_terms("  ") == []
    assert search_terms("a" * 500) == []


@pytest.mark.parametrize(("typed", "near"), [("kappaa", "kappa"), ("tresholds", "threshold")])
def test_an_unknown_term_names_the_nearest(typed: str, near: str) -> None:
    with pytest.raises(UsageError, match=f"no term `{typed}`: did you mean .*`{near}`"):
        explain_term(typed)
    with pytest.raises(UsageError, match=r"`.` on screen lists all of them"):
        explain_term("§§§§")


def test_what_is_a_screens_own_comes_first() -> None:
    for place in TABS:
        terms = [one.is_general for one in terms_on(place.tab)]
        assert terms == sorted(terms)
        assert not terms[0]


def test_a_profile_has_one_name_in_tables_of_all_screens() -> None:
    names = [BY_TERM[series.mark].brief_name for series in BY_PROFILE]
    assert [one.words for one in BY_PROFILE] == names
    assert [*render_bars.NAMES.values()] == names
    assert [render_comparison.share_name(one.name) for one in BY_PROFILE] == names
    knowing = [render_comparison.share_name(one) for one in KNOWING]
    assert knowing == [BY_TERM[one].brief_name for one in ("enc", "know", "kn+T")]
