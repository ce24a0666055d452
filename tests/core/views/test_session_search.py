"""A session's lists and searches, while answers are indexed and others write."""

from pathlib import Path

import pytest

from core.dataset.fact_filters import Filters
from core.errors import LostkeysError
from core.project import OpenProject
from core.views import fact_search
from core.views.fact_query import FactOrder, FactQuery
from core.views.session import Session
from core.vocabulary import Label


def indexed(path: Path) -> None:
    with OpenProject(path, "write") as project:
        for _ in fact_search.catch_up(project):
            pass


def test_searching_titles_first_then_answers(session: Session) -> None:
    wanted = FactQuery(search="tartu", order=FactOrder.MATCH)
    listing = session.listing(wanted)
    assert listing.places.tolist()[0] == 0
    assert not listing.complete
    assert session.hits(wanted, (0,))[0].text.startswith("Tartu")
    answers = FactQuery(search="perhaps")
    assert session.listing(answers).places.tolist() == []
    assert not session.search_all(answers).complete
    assert session.refresh() is None
    indexed(session.path)
    assert session.refresh() is None
    listing = session.search_all(answers)
    assert (listing.places.tolist(), listing.complete) == ([0], True)
    (hit,) = session.hits(answers, (0, 1)).values()
    assert (hit.where.split()[0], hit.text[hit.start : hit.end]) == ("answer", "Perhaps")
    assert session.hits(wanted, (7,)) == {}


def test_a_list_keeps_what_answers_gave_while_others_write(
    session: Session, slots: list[int]
) -> None:
    indexed(session.path)
    wanted = FactQuery(search="perhaps")
    assert session.search_all(wanted).complete
    assert session.listing(wanted._replace(descending=True)).complete
    session.name = "mira"
    session.set_label(slots[0], Label.OTHER)
    listing = session.listing(wanted)
    assert (listing.places.tolist(), listing.complete) == ([0], False)
    assert session.search_all(wanted).complete


def test_a_search_with_filters(session: Session) -> None:
    session.set_flag(2, True)
    wanted = FactQuery(search="f", filters=Filters(reviews=frozenset({"flagged"})))
    assert session.listing(wanted).places.tolist() == [1]
    assert session.listing(FactQuery(search="  ")).places.tolist() == [1, 0]


def test_an_interrupted_search_says_so(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(fact_search, "search", lambda *_: None)
        with pytest.raises(LostkeysError, match="interrupted"):
            session.listing(FactQuery(search="tartu"))
    assert session.listing(FactQuery(search="tartu")).places.size
