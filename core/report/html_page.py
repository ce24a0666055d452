"""A report as one HTML page that needs nothing else: no script, nothing loaded from anywhere."""

from pathlib import Path

from core.figures.plotting.figure_file import ABSENT, draw_figure, is_there
from core.report.html_elements import Markup, element, join_elements
from core.report.report_parts import (
    Block,
    Bullets,
    Picture,
    Report,
    ReportParagraph,
    ReportTable,
    Section,
    TableColumn,
)
from core.report.svg import inline

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Whatever a text might smuggle in, a browser neither runs nor loads it."""

_STYLE = Path(__file__).with_name("report.css")


def html(report: Report) -> str:
    """The page."""
    sections = [_section(section, place) for place, section in enumerate(report.sections)]
    links = [
        element("a", section.title, href=f"#s{place}")
        for place, section in enumerate(report.sections)
    ]
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", report.title),
        element("style", Markup(_STYLE.read_text(encoding="utf-8"))),
    )
    top = element(
        "header",
        element("h1", report.title),
        *(element("p", line) for line in report.summary),
        *([] if is_there() else [element("p", f"Without figures: {ABSENT.replace('`', '')}.")]),
        element("nav", *links),
    )
    body = element("body", top, element("main", *sections))
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _section(section: Section, place: int) -> Markup:
    blocks = [_block(block, f"f{place}-{number}-") for number, block in enumerate(section.blocks)]
    return element("section", element("h2", section.title), *blocks, id=f"s{place}")


def _block(block: Block, prefix: str) -> Markup:
    match block:
        case ReportParagraph():
            return element("p", block.text, class_="warning" if block.warning else None)
        case Bullets():
            return element("ul", *(element("li", line) for line in block.lines))
        case ReportTable():
            return _table(block)
        case Picture():
            return _picture(block, prefix)


def _picture(picture: Picture, prefix: str) -> Markup:
    """The drawing with its tables folded below it; without a drawing the tables stand open."""
    figure = picture.figure
    tables = [_table(table) for table in picture.tables]
    title = element("figcaption", f"{figure.number}  {figure.title}".strip())
    if is_there():
        image = inline(draw_figure(figure, "svg", prefix), prefix, figure.title)
        folded = element("details", element("summary", "the same as a table"), *tables)
        return element("figure", image, folded)
    words = [element("p", line, class_="note") for line in (*figure.notes, *figure.caption)]
    return element("figure", title, *tables, *words)


def _table(table: ReportTable) -> Markup:
    head = element("thead", element("tr", *(_heading(column) for column in table.columns)))
    rows = [
        element(
            "tr", *(_cell(*one) for one in zip(table.columns, row, range(len(row)), strict=True))
        )
        for row in table.rows
    ]
    caption = [element("caption", table.title)] if table.title else []
    whole = element("table", *caption, head, element("tbody", *rows))
    note = element("p", table.note, class_="note") if table.note else Markup()
    return join_elements(element("div", whole, class_="scroll"), note)


def _heading(column: TableColumn) -> Markup:
    code = (
        join_elements(
            element("span", column.code, class_=f"code {column.code.lower()}"), element("br")
        )
        if column.code
        else Markup()
    )
    return element("th", code, column.heading, class_=_class(column), scope="col")


def _cell(column: TableColumn, text: str, place: int) -> Markup:
    if place == 0:
        return element("th", text, class_=_class(column), scope="row")
    return element("td", text, class_=_class(column))


def _class(column: TableColumn) -> str | None:
    return "n" if column.number else None
