"""A program that reads a web page or a PDF for `core.transfer.folders`, under limits of its own.

Run by its file, with the path; it prints one JSON object: `{"title", "blocks"}`, the blocks as
`core.transfer.paragraphs` has them and the title empty where it is their first heading, or
`{"fault": why}`.
"""

import re
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import orjson
from bs4 import BeautifulSoup
from bs4.element import NavigableString, PageElement, PreformattedString, Tag

from core.settings.process_limits import limit_process

MEMORY = 2**29
MEMORY_A_BYTE = 100
"""Bytes that reading may take, and for each byte of the file."""

SECONDS = 10
SECONDS_A_MEGABYTE = 20
"""Seconds of a processor that reading may take, and for each megabyte of the file."""

DEEPEST = 200
"""Elements in elements that are read apart; what is deeper is one stretch of text."""

PDF = ".pdf"

Block = tuple[int, str]

# fmt: off
_LEFT_OUT = frozenset((
    "script", "style", "nav", "footer", "aside", "form", "button", "noscript", "template",
    "svg", "math", "head", "iframe", "select", "textarea", "object", "audio", "video",
    "canvas", "dialog", "menu",
))
# fmt: on
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = ("ul", "ol", "dl")
_ITEMS = ("li", "dt", "dd")
_CELLS = ("td", "th")
# fmt: off
_INLINE = frozenset((
    "a", "abbr", "b", "bdi", "bdo", "big", "br", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "ins", "kbd", "label", "mark", "q", "ruby", "s", "samp", "small",
    "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr",
))
# fmt: on
_PAGE_NUMBER = re.compile(r"(?:page\s+)?[-–]?\s*\d{1,4}\s*[-–]?(?:\s*(?:/|of)\s*\d{1,4})?", re.I)
_END = re.compile(r"[.!?:;…]['\"”’)\]]*$")
_BROKEN_WORD = re.compile(r"(?<=[a-zäöüßàâçéèêëîïôûùñ])-\n(?=[a-zäöüßàâçéèêëîïôûùñ])")
FULL_LINE = 0.93
"""A line that ends a sentence and is shorter than this part of a usual long one ends a paragraph.
"""


def main(path: Path) -> None:
    """Print what the file holds."""
    size = path.stat().st_size
    limit_process(MEMORY + MEMORY_A_BYTE * size, SECONDS + SECONDS_A_MEGABYTE * (size >> 20))
    try:
        if path.suffix.lower() == PDF:
            title, blocks = "", list(split_pages(read_pdf(path)))
        else:
            title, blocks = read_html(path.read_bytes())
    except (DocumentError, OSError) as error:
        said: dict[str, object] = {"fault": _make_plain(str(error))}
    else:
        plain = [(level, _make_plain(words)) for level, words in blocks]
        said = {"title": _make_plain(title), "blocks": plain}
    sys.stdout.buffer.write(orjson.dumps(said))


class DocumentError(Exception):
    """Why a document is not read, in words that a person understands."""


def read_html(page: bytes) -> tuple[str, list[Block]]:
    """Title and blocks of a web page; no title where it begins with a heading of the first level.

    Navigation, scripts, styles, forms and footers are no text. The encoding is the one that the
    page declares.
    """
    soup = BeautifulSoup(page, "html.parser")
    named = soup.title.get_text() if soup.title is not None else ""
    body = soup.find("main") or soup.find("article") or soup.body or soup
    assert isinstance(body, Tag)
    blocks = [(level, words) for level, words in _read_blocks(body) if words]
    is_named_by_heading = next((level for level, _ in blocks if level), 0) == 1
    return "" if is_named_by_heading else " ".join(named.split()), blocks


def _read_blocks(tag: Tag, depth: int = 0) -> Iterator[Block]:
    """Stretches of inline text are paragraphs, as are rows of tables and whole lists."""
    line: list[PageElement] = []
    for child in tag.children:
        if isinstance(child, NavigableString) or _is_inline(child):
            line.append(child)
            continue
        assert isinstance(child, Tag)
        yield 0, _join(line)
        line = []
        if child.name in _LEFT_OUT or child.get("hidden") is not None:
            continue
        if level := _HEADINGS.get(child.name, 0):
            yield level, _join([child])
        elif child.name in _LISTS:
            items = (_join_own(item, _ITEMS) for item in child.find_all(_ITEMS))
            yield 0, "\n".join(filter(None, items))
        elif child.name == "tr":
            cells = (cell for cell in child.find_all(_CELLS) if cell.find_parent("tr") is child)
            yield 0, " | ".join(filter(None, (_join_own(cell, _CELLS) for cell in cells)))
        elif child.name == "pre" or depth == DEEPEST:
            yield 0, re.sub(r"\n\s*\n", "\n", child.get_text().strip("\n"))
        else:
            yield from _read_blocks(child, depth + 1)
    yield 0, _join(line)


def _is_inline(child: PageElement) -> bool:
    """Whether an element stands in a line, with nothing in it that does not."""
    if not isinstance(child, Tag) or child.name not in _INLINE:
        return False
    return all(not isinstance(one, Tag) or one.name in _INLINE for one in child.descendants)


def _join_own(tag: Tag, kinds: Sequence[str]) -> str:
    """The text of an item or a cell but for those in it, as where its end is left out."""
    texts = (one for one in tag.descendants if isinstance(one, NavigableString))
    return _join([one for one in texts if one.find_parent(kinds) is tag])


def _join(line: Iterable[PageElement]) -> str:
    """The text of elements in one line; comments and the like are none."""
    texts = []
    for element in line:
        if isinstance(element, Tag):
            texts.append(" " if element.name == "br" else element.get_text())
        elif isinstance(element, NavigableString) and not isinstance(element, PreformattedString):
            texts.append(element)
    return " ".join("".join(texts).split())


def read_pdf(path: Path) -> list[str]:
    """The text of each page of a PDF. Raises `DocumentError`."""
    from pypdf import PdfReader

    try:
        reader = PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentError("the PDF is encrypted: save it without a password")
        pages = [page.extract_text() for page in reader.pages]
    except (DocumentError, MemoryError):
        raise
    except Exception as error:  # a broken file makes the library fail in any way
        why = str(error).partition("\n")[0] or type(error).__name__
        raise DocumentError(f"not a sound PDF ({why}): save it again") from None
    if not any(map(str.strip, pages)):
        raise DocumentError("the PDF has no text, only pictures: have its text recognised first")
    return pages


def split_pages(pages: Iterable[str]) -> Iterator[Block]:
    """The paragraphs of pages, which have no mark of their own in a PDF.

    One ends at a blank line, and where a line that is shorter than the others ends a sentence. A
    short line alone that ends none is a heading. Numbers of pages are left out.
    """
    lines = [line for page in pages for line in _drop_numbers(page)]
    long = [len(line) for line in lines if line]
    usual = statistics.quantiles(long, n=10)[-1] if len(long) > 1 else 0
    block: list[str] = []
    for line in [*lines, ""]:
        if line and not block and len(line) < usual / 2 and not _END.search(line):
            yield 2, line
            continue
        if line:
            block.append(line)
        if block and (not line or (len(line) < FULL_LINE * usual and _END.search(line))):
            yield 0, " ".join(_BROKEN_WORD.sub("", "\n".join(block)).split())
            block = []


def _drop_numbers(page: str) -> list[str]:
    """The lines of a page without its number at the top or at the foot."""
    lines = [" ".join(line.split()) for line in page.strip().split("\n")]
    for place in (0, -1):
        if lines and _PAGE_NUMBER.fullmatch(lines[place]):
            del lines[place]
    return lines


def _make_plain(text: str) -> str:
    """A text without NULs and halves of surrogate pairs, which nothing can store."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
