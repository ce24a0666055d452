"""Web pages and PDF as documents: their text as paragraphs, without what stands around it."""

from pathlib import Path

import pytest

import db.documents
from core.errors import LostkeysError
from core.project import OpenProject
from core.settings import extras
from core.transfer.document_child import read_html, split_pages
from core.transfer.imports import import_file
from core.transfer.paragraphs import join_blocks
from tests.conftest import SHARED
from tests.core.making import new_project

EXAMPLES = SHARED / "design" / "examples" / "build" / "documents"

PAGE = """<!doctype html><html><head><title>Site: Tartu</title><style>p {}</style>
<script>var no = "text";</script></head><body><nav><a href=x>Home</a></nav>
<h1>Tartu</h1><p>Tartu lies on <b>a river</b>,<br>the Emaj&otilde;gi.<p>It is old.
<h2>Sights</h2><ul><li>The hall<li>The bridge</ul>
<table><tr><th>Year<th>People</tr><tr><td>2020</td><td>91,407</td></tr></table>
<!-- a comment --><div>Loose words <div>and a block</div> after it</div>
<pre>one
  two</pre><footer>Page 3 of 9</footer></body></html>"""


def test_the_text_of_a_web_page_is_read_without_what_stands_around_it() -> None:
    title, blocks = read_html(PAGE.encode())
    assert title == ""
    assert blocks == [
        (1, "Tartu"),
        (0, "Tartu lies on a river, the Emajõgi."),
        (0, "It is old."),
        (2, "Sights"),
        (0, "The hall\nThe bridge"),
        (0, "Year | People"),
        (0, "2020 | 91,407"),
        (0, "Loose words"),
        (0, "and a block"),
        (0, "after it"),
        (0, "one\n  two"),
    ]
    title, text = join_blocks(title, blocks)
    assert title == "Tartu"
    assert text.startswith("Tartu lies on a river, the Emajõgi.\n\nIt is old.\n\n=== Sights ===\n")


def test_a_page_is_read_in_the_encoding_that_it_declares() -> None:
    page = '<meta charset="iso-8859-1"><p>Emajõgi, Müller</p>'.replace("õ", "ö")
    assert read_html(page.encode("latin-1"))[1] == [(0, "Emajögi, Müller")]


def test_the_article_of_a_page_is_what_is_read() -> None:
    page = b"<title>T</title><div>Menu</div><main><p>Text.</p></main><div>More</div>"
    assert read_html(page) == ("T", [(0, "Text.")])


def test_the_lines_of_pages_become_paragraphs_under_headings() -> None:
    long = "This line of a printed page is as long as the page allows it to be, and a bit"
    pages = [
        f"A Bridge\n{long}\nof it goes on here.\nThe Build-\ning\n{long}-\nlonger word ends.\n1",
        f"Page 2 of 2\n{long}\nend.\n",
    ]
    assert list(split_pages(pages)) == [
        (2, "A Bridge"),
        (0, f"{long} of it goes on here."),
        (2, "The Build-"),
        (2, "ing"),
        (0, f"{long}longer word ends."),
        (0, f"{long} end."),
    ]


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    return new_project(tmp_path / "p.db")


def texts(project: OpenProject, key: str) -> list[str]:
    (found,) = db.documents.read_documents(project.connection, [key])
    return [one.text for one in found.paragraphs]


@pytest.mark.slow
@pytest.mark.skipif(not EXAMPLES.is_dir(), reason=f"{EXAMPLES} is not here")
def test_the_example_documents_hold_their_statements_and_no_more(project: OpenProject) -> None:
    report = import_file(project, EXAMPLES)
    assert (report.added, report.bad, report.notices) == (12, 0, [])
    (voyager,) = db.documents.read_documents(project.connection, ["voyager.html"])
    assert (voyager.title, len(voyager.paragraphs)) == ("Voyager 1", 2)
    bridge = texts(project, "forth-bridge.pdf")
    assert [one.split()[0] for one in bridge] == ["The", "The"]
    assert bridge[0].endswith("Its contractor was William Arrol.")
    every = " ".join(texts(project, "voyager.html") + bridge + texts(project, "bauhaus.html"))
    for word in ("var x", "margin", "Page 3", "Page 1", "Launch"):
        assert word not in every
    assert import_file(project, EXAMPLES).unchanged == 12


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.html", b"<nav>only this</nav>", "is empty: there is no text in it"),
        ("broken.pdf", b"%PDF-1.7\nnothing of a PDF", "not a sound PDF"),
        ("none.pdf", b"", "not a sound PDF"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    project: OpenProject, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(LostkeysError, match=said) as error:
        import_file(project, tmp_path / name)
    assert len(str(error.value).splitlines()) == 1
    assert project.connection.execute("SELECT count(*) FROM document").fetchone() == (0,)


@pytest.mark.slow
def test_a_page_of_nested_elements_ends_no_import(project: OpenProject, tmp_path: Path) -> None:
    (tmp_path / "deep.html").write_text("<div>" * 50_000 + "<b>" * 50_000 + "deep")
    (tmp_path / "a.txt").write_text("Some text.")
    report = import_file(project, tmp_path)
    reasons = [one.reason for one in report.problems]
    assert report.added + len(reasons) == 2
    assert all("takes too much time or memory" in one for one in reasons)


def test_without_the_extra_a_page_is_a_bad_row_that_says_what_gets_it(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(extras.EXTRAS, "documents", ("no_such_module",))
    (tmp_path / "a.txt").write_text("Some text.")
    (tmp_path / "b.html").write_text("<p>Some other text.")
    report = import_file(project, tmp_path)
    assert report.added == 1
    (reason,) = [one.reason for one in report.problems if "b.html" in one.reason]
    assert reason.startswith('b.html: no_such_module is not installed: `pip install "lostkeys[doc')
