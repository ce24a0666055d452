"""Plain text and Markdown as paragraphs under headings."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from db.documents import Paragraph

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST = 20_000
"""Characters of a paragraph; a longer one is cut at the end of a sentence, or of a word."""

MOST_MARKDOWN = 2**20
"""Characters of Markdown that are read as such; a larger file is taken for plain text."""

Block = tuple[int, str]
"""A level (0 for none) and the words of a heading, or of a paragraph, list, table row or code."""

_BLANK = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_HEADING = re.compile(r"(={2,6})\s*(\S.*?)\s*\1")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FRONT = re.compile(r"---[^\S\n]*\n(.*?\n)?(?:---|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:[^\S\n]*(\S.*?)[^\S\n]*$", re.MULTILINE)
_UNDERLINE = re.compile(r"={3,}|-{3,}")
_HASHES = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*")


def paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Text cut at blank lines.

    A line such as `== History ==`, as extracts of Wikipedia have them, is a heading: it stands in
    no paragraph, but beside those under it. Line ends within a paragraph stay.
    """
    found = []
    above: dict[int, str] = {}
    for block in _BLANK.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        for part in _split_headings(block, above):
            found += [Paragraph(piece, " ".join(above.values())) for piece in _pieces(part)]
    return tuple(found)


def _split_headings(block: str, above: dict[int, str]) -> Iterator[str]:
    """The stretches between a block's headings; `above` is kept up to date."""
    lines: list[str] = []
    for line in block.split("\n"):
        heading = _HEADING.fullmatch(line.strip())
        if heading is None:
            lines.append(line)
            continue
        yield "\n".join(lines).strip()
        lines = []
        level = len(heading[1])
        for deeper in [one for one in above if one >= level]:
            del above[deeper]
        above[level] = heading[2]
    yield "\n".join(lines).strip()


def _pieces(text: str) -> Iterator[str]:
    while len(text) > LONGEST:
        ends = [end.start() for end in _SENTENCE.finditer(text, LONGEST // 2, LONGEST)]
        at = ends[-1] if ends else text.rfind(" ", 1, LONGEST)
        at = at if at > 0 else LONGEST
        yield text[:at].rstrip()
        text = text[at:].lstrip()
    if text:
        yield text


def read_plain_text(text: str) -> tuple[str, str]:
    """Title (a heading that stands first, or empty) and text, its lines joined.

    Lines that a writer broke by hand are one line; those of a list stay apart.
    """
    title, body = _split_title(_unix(text).lstrip("\n"))
    blocks = [block for block in _BLANK.split(body) if block.strip()]
    return title, "\n\n".join(_join_lines(block) for block in blocks)


def _split_title(text: str) -> tuple[str, str]:
    """The heading at the start of a text (`== so ==`, `# so`, or underlined), and the rest."""
    first, _, rest = text.partition("\n")
    under, _, below = rest.partition("\n")
    if first.strip() and _UNDERLINE.fullmatch(under.strip()):
        return first.strip(), below
    marked = _HEADING.fullmatch(first.strip()) or _HASHES.fullmatch(first.strip())
    return (marked[2], rest) if marked else ("", text)


def _join_lines(block: str) -> str:
    """A block's lines as one, unless they are items of a list, indented, or headings."""
    joined: list[str] = []
    for line in block.strip("\n").split("\n"):
        apart = re.match(r"\s+\S|\s*(?:[-*+•]|\d{1,3}[.)])\s|={2,6}.*={2,6}\s*$", line)
        if joined and not apart and not _HEADING.fullmatch(joined[-1].strip()):
            joined[-1] = f"{joined[-1].rstrip()} {line.strip()}"
        else:
            joined.append(line.rstrip())
    return "\n".join(joined)


def read_markdown(text: str) -> tuple[str, str]:
    """Title (of the front matter, else the first heading, or empty) and text without markup.

    Headings become `== so ==`, which `paragraphs` reads; front matter, comments and HTML blocks
    are left out; items of a list are lines, code stays as it is.
    """
    from markdown_it import MarkdownIt

    text = _unix(text)
    front = _FRONT.match(text)
    said = _TITLE.search(front[1] or "") if front else None
    title = said[1].strip("\"'") if said else ""
    body = text[front.end() :] if front else text
    if len(body) > MOST_MARKDOWN:
        found, plain = read_plain_text(body)
        return title or found, plain
    return join_blocks(title, list(_blocks(MarkdownIt("commonmark").enable("table").parse(body))))


def join_blocks(title: str, blocks: list[Block]) -> tuple[str, str]:
    """Title (else the first heading, which then is no part of the text, or empty) and text."""
    first = next((place for place, (level, _) in enumerate(blocks) if level), None)
    if not title and first is not None:
        title, blocks = blocks[first][1], blocks[:first] + blocks[first + 1 :]
    return title, "\n\n".join(
        f"{'=' * min(level + 1, 6)} {words} {'=' * min(level + 1, 6)}" if level else words
        for level, words in blocks
    )


def _blocks(tokens: "Iterable[Token]") -> Iterator[Block]:
    """Headings, paragraphs, lists, table rows and blocks of code."""
    level = depth = 0
    items: list[str] = []
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1])
        elif token.type in ("bullet_list_open", "ordered_list_open", "tr_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close", "tr_close"):
            depth -= 1
            if not depth:
                joint = " | " if token.type == "tr_close" else "\n"
                yield 0, joint.join(items)
                items = []
        elif token.type in ("inline", "fence", "code_block"):
            words = _token_text(token).strip()
            if words and depth:
                items.append(words if token.type != "inline" else words.replace("\n", " "))
            elif words:
                yield level, words
            level = 0


def _token_text(token: "Token") -> str:
    if token.type != "inline":
        return _BLANK.sub("\n", token.content)
    return "".join(map(_inline, token.children or []))


def _inline(token: "Token") -> str:
    if token.type == "softbreak":
        return " "
    if token.type == "hardbreak":
        return "\n"
    return token.content if token.type in ("text", "code_inline", "image") else ""


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
