"""Writing a report to a file."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from core.errors import LostkeysError, UsageError
from core.figures.plotting.figure_file import ABSENT, draw_figure, is_there
from core.project import OpenProject
from core.report.html_elements import Markup, element, join_elements
from core.report.markdown import markdown
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
from core.report.report_sections import gather
from core.scoring.policy import Policy
from core.settings.file_writer import deliver

# A report as one HTML page that needs nothing else: no script, nothing loaded from anywhere.

# A drawn SVG made part of a page: no prolog, no style of its own, ids that are its alone.

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"

_DROPPED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style"}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(content: bytes, prefix: str, label: str) -> Markup:
    """The drawing as an `svg` element; `prefix` makes its ids its own, `label` says what it is.

    The content has to be our own drawing: it is taken for well-formed.
    """
    root = ElementTree.fromstring(content)  # noqa: S314 (drawn here, not read from anywhere)
    _drop(root)
    used = set(_find_used(root))
    for node in root.iter():
        _rename(node, used, prefix)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", label)
    ElementTree.register_namespace("", SVG)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _drop(node: ElementTree.Element) -> None:
    for child in list(node):
        if child.tag in _DROPPED:
            node.remove(child)
        else:
            _drop(child)


def _find_used(root: ElementTree.Element) -> list[str]:
    """The ids that something in the drawing refers to."""
    found = []
    for node in root.iter():
        for name, value in node.attrib.items():
            if name == LINK:
                found.append(value.removeprefix("#"))
            found += _REFERENCE.findall(value)
    return found


def _rename(node: ElementTree.Element, used: set[str], prefix: str) -> None:
    for name, value in list(node.attrib.items()):
        if name == "id":
            del node.attrib["id"]
            if value in used:
                node.set("id", f"{prefix}{value}")
        elif name == LINK:
            del node.attrib[LINK]
            node.set("href", f"#{prefix}{value.removeprefix('#')}")
        elif "url(#" in value:
            node.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))


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


WRITERS: Mapping[str, Callable[[Report], str]] = {
    ".html": html,
    ".htm": html,
    ".md": markdown,
    ".markdown": markdown,
}
"""How a report is written, by the extension of its file."""


def check(path: Path) -> None:
    """Raise `UsageError` or `LostkeysError` for a file that no report can be written to."""
    if path.suffix.lower() not in WRITERS:
        raise UsageError(f"{path}: the name must end in .html or .md")
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")


def write(
    project: OpenProject,
    path: Path,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = True,
    said: str | None = None,
    set_name: str | None = None,
) -> Report:
    """Compute a report and write it, whole or not at all, as HTML or Markdown by its extension.

    `said` stands in it for the filter, where that is not to be shown as it is; `set_name` is the
    set of triples of figures of these. Raises `UsageError` for another extension, or an unknown
    model, grader, filter or set.
    """
    check(path)
    report = gather(project, policy, models, where, intervals, said, set_name)
    deliver(path, WRITERS[path.suffix.lower()](report).encode())
    return report
