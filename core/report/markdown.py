"""A report as Markdown: tables alone, every text escaped so that it is read as it stands."""

import re
from collections.abc import Iterator, Sequence

from core.report.html_elements import LONGEST
from core.report.report_parts import Block, Bullets, Picture, Report, ReportParagraph, ReportTable
from core.settings.escapes import make_visible

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_SIGNS = re.compile(r"[\\`*_{}\[\]()#|!~$:@^&<>]|(?<=www)\.")
_BEGINNING = re.compile(r"^([-+=])|^(\d+)([.)])")


def escape_markdown(text: str) -> str:
    """A text, made visible, on one line, with every sign that would mean something escaped."""
    line = _SIGNS.sub(
        lambda sign: _ENTITIES.get(sign[0], f"\\{sign[0]}"), make_visible(text, LONGEST).strip()
    )
    return _BEGINNING.sub(_escape_start, line)


def _escape_start(found: re.Match[str]) -> str:
    sign, number, end = found.groups()
    return f"\\{sign}" if sign else f"{number}\\{end}"


def markdown(report: Report) -> str:
    """The whole text."""
    lines = [f"# {escape_markdown(report.title)}", ""]
    for one in report.summary:
        lines += [escape_markdown(one), ""]
    for section in report.sections:
        lines += [f"## {escape_markdown(section.title)}", ""]
        for block in section.blocks:
            lines += [*_block(block), ""]
    return "\n".join(lines)


def _block(block: Block) -> Iterator[str]:
    match block:
        case ReportParagraph():
            yield (
                f"> {escape_markdown(block.text)}" if block.warning else escape_markdown(block.text)
            )
        case Bullets():
            yield from (f"- {escape_markdown(line)}" for line in block.lines)
        case ReportTable():
            yield from _table(block, "###")
        case Picture():
            figure = block.figure
            yield f"### {escape_markdown(f'{figure.number} {figure.title}')}"
            for table in block.tables:
                yield ""
                yield from _table(table, "####")
            for line in (*figure.notes, *figure.caption):
                yield ""
                yield escape_markdown(line)


def _table(table: ReportTable, level: str) -> Iterator[str]:
    if table.title:
        yield f"{level} {escape_markdown(table.title)}"
        yield ""
    yield _row([f"{one.code} {one.heading}" for one in table.columns])
    yield "|" + "|".join(" ---: " if one.number else " --- " for one in table.columns) + "|"
    yield from (_row(row) for row in table.rows)
    if table.note:
        yield ""
        yield escape_markdown(table.note)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escape_markdown(cell) for cell in cells) + " |"
