"""Texts of models and files come out as texts, in HTML and in Markdown."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.figures.figure import PanelKind
from core.figures.plotting.figure_file import draw_figure
from core.report.html_elements import LONGEST, Markup, element, join_elements
from core.report.markdown import escape_markdown, markdown
from core.report.report_file import inline
from core.report.report_parts import (
    Bullets,
    Report,
    ReportParagraph,
    ReportTable,
    Section,
    numbers,
    text,
)
from core.settings.escapes import make_visible
from tests.core.figures.plotting.drawing import figure, panel
from tests.core.report.telling import HOSTILE


class Read(HTMLParser):
    """The elements and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.said: list[str] = []
        self.values: list[tuple[str, str | None]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.values += attrs

    def handle_data(self, data: str) -> None:
        self.said.append(data)


anything = st.text(st.characters(codec=None), max_size=80)


@given(anything)
def test_text_is_text_in_html(content: str) -> None:
    read = Read(element("p", content, title=content))
    assert read.tags == ["p"]
    assert "".join(read.said) == make_visible(content)
    assert read.values == [("title", make_visible(content))]


def test_markup_is_escaped_once() -> None:
    inner = element("b", "<&>")
    assert inner == "<b>&lt;&amp;&gt;</b>"
    assert element("p", inner, "<") == "<p><b>&lt;&amp;&gt;</b>&lt;</p>"
    assert element("meta", charset="utf-8") == '<meta charset="utf-8">'
    assert join_elements() == Markup("")


def test_an_endless_text_is_cut() -> None:
    assert len(element("p", "x" * 10**6)) < LONGEST + 10


def words(tokens: list[Token]) -> tuple[list[str], list[str]]:
    """Kinds of the tokens other than text, and the text."""
    kinds, said = [], []
    for token in tokens:
        for one in token.children or [token]:
            if one.type == "text":
                said.append(one.content)
            elif one.type not in ("inline", "text_special"):
                kinds.append(one.type)
            elif one.type == "text_special":
                said.append(one.content)
    return kinds, said


READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@given(anything)
def test_text_is_text_in_markdown(content: str) -> None:
    kinds, said = words(READER.parse(escape_markdown(content)))
    assert kinds in ([], ["paragraph_open", "paragraph_close"])
    assert "".join(said) == make_visible(content)


@given(anything, anything)
def test_text_is_text_in_a_table_of_markdown(one: str, other: str) -> None:
    table = ReportTable("", [text("a"), *numbers("b")], [[one, other]])
    content = markdown(Report("", [], [Section("", [table])])).partition("|")
    kinds, said = words(READER.parse(content[1] + content[2]))
    assert kinds.count("td_open") == 2
    assert kinds.count("tr_open") == 2
    assert not {"html_inline", "html_block", "link_open", "image", "code_inline"} & {*kinds}
    assert "".join(said) == "ab" + make_visible(one) + make_visible(other)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_on_their_line_of_markdown(name: str) -> None:
    report = Report(
        name, [name], [Section(name, [ReportParagraph(name, True), Bullets([name] * 2)])]
    )
    kinds, _ = words(READER.parse(markdown(report)))
    assert kinds.count("heading_open") == 2
    assert kinds.count("list_item_open") == 2
    assert not {"html_inline", "html_block", "link_open", "image", "fence"} & {*kinds}


def test_drawings_on_one_page_share_no_ids() -> None:
    found = []
    for prefix in ("a-", "b-"):
        svg = inline(draw_figure(figure(panel(PanelKind.LINES)), "svg", prefix), prefix, "<label>")
        read = Read(svg)
        ids = [value for name, value in read.values if name == "id"]
        uses = [value for name, value in read.values if name in ("href", "xlink:href")]
        assert ids
        assert {f"#{one}" for one in ids} >= {*uses}
        assert all(str(one).startswith(prefix) for one in ids)
        assert ("aria-label", "<label>") in read.values
        assert not {"style", "metadata", "script", "image"} & {*read.tags}
        assert "model-a 50.0" in read.said
        found += ids
    assert len(found) == len({*found})
