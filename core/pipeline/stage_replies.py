"""What models write back, read strictly: what is not in the form asked for is an error.

Errors are few fixed phrases, so that they can be counted. The forms are those of the paper's
boxes as well, so that a template in the paper's own words can stand in for ours.
Source: Calderon et al., appendix D.1, D.2.
"""

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from core.pipeline.stage import OffFormatError

LONGEST_QUESTION = 1_000
"""Characters of a question; the limit in words is a check of its own."""

LONGEST_CONTEXTUAL = 20_000
LONGEST_OPTION = 300
OPTIONS = 4

_MARK = re.compile(r"\{\{\{([^{}]+?);\s*([A-Za-z_]+)\s*\}\}\}")
_LISTED = re.compile(r"\{\{\{([^{}]+)\}\}\}")
_BETWEEN = re.compile(r"[\s\[\]'\",*•.\-\d]*")
"""What may stand between the items of a list, numbered or not, as lines or in brackets."""

_REVERSE = re.compile(
    r"<reverse>([^<>]+)</reverse>\s*<subject>([^<>]+)</subject>", re.IGNORECASE | re.DOTALL
)
_TAG = re.compile(r"</?[A-Za-z][\w-]*>|\{\{\{|\}\}\}|```")
_QUOTES = {'"': '"', "“": "”", "«": "»"}


@dataclass(frozen=True, slots=True)
class SuitabilityVerdict:
    """Whether a unit is suitable, and why not."""

    suitable: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class RejectedQuestion:
    """No question can be made; `why` in the model's words, or empty."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class EntityMark:
    """An entity marked in a text; `start` is where it stands in the text without marks."""

    text: str
    type: str
    start: int


def verdict(reply: str) -> SuitabilityVerdict:
    """`SUITABLE`, or `NO` or `NOT`, which a second line may give a reason for."""
    first, *rest = _lines(reply)
    if len(rest) > 1:
        raise OffFormatError("more than a verdict and its reason")
    word = _strip_emphasis(first).upper()
    if word not in ("SUITABLE", "NO", "NOT"):
        raise OffFormatError("the first line is neither SUITABLE nor NO")
    return SuitabilityVerdict(word == "SUITABLE", _clean(rest[0]) if rest else "")


def one_of(reply: str, names: Iterable[str]) -> str:
    """Exactly one of these names, alone; in any case, as the list has it."""
    (found,) = _lines(reply, one=True)
    known = {name.casefold(): name for name in names}
    try:
        return known[_strip_emphasis(found).casefold()]
    except KeyError:
        raise OffFormatError("not one of the names to choose from") from None


def read_marks(reply: str, types: Iterable[str]) -> tuple[list[EntityMark], str]:
    """The entities marked `{{{text; TYPE}}}` in a text, and the text without its marks."""
    known = frozenset(types)
    marks: list[EntityMark] = []
    plain, end = "", 0
    for match in _MARK.finditer(reply):
        name, kind = match[1].strip(), match[2].upper()
        if kind not in known:
            raise OffFormatError("unknown entity type")
        plain += reply[end : match.start()]
        marks.append(EntityMark(name, kind, len(plain)))
        plain, end = plain + name, match.end()
    plain += reply[end:]
    if "{{{" in plain or "}}}" in plain:
        raise OffFormatError("a mark is not of the form {{{text; TYPE}}}")
    return marks, plain


def read_names(reply: str, most: int) -> list[str]:
    """Names marked `{{{name}}}`, one a line or in a bracketed list; `NONE` or `[]` is none."""
    if _strip_emphasis(reply).upper() in ("NONE", "[]"):
        return []
    names = [_one_line(name) for name in _LISTED.findall(reply)]
    if not names or not _BETWEEN.fullmatch(_LISTED.sub("", reply)):
        raise OffFormatError("not a list of names of the form {{{name}}}")
    if len(names) > most:
        raise OffFormatError(f"more than {most} names")
    return names


def question(reply: str) -> str:
    """One question on one line; quotation marks around all of it are no part of it."""
    (line,) = _lines(reply, one=True)
    return _question(_unquote(line), LONGEST_QUESTION)


def question_or_rejection(reply: str) -> str | RejectedQuestion:
    """One question, or `REJECT`, which a second line may give a reason for."""
    return _rejection(reply) or question(reply)


def contextual(reply: str) -> str:
    """A context followed by a question; its lines are joined by blanks."""
    return _question(_unquote(" ".join(_lines(reply))), LONGEST_CONTEXTUAL)


def reverse(reply: str) -> tuple[str, str] | RejectedQuestion:
    """A question and its subject in tags `reverse` and `subject`; or `REJECT`."""
    if rejected := _rejection(reply):
        return rejected
    found = _REVERSE.fullmatch(reply.strip())
    if not found:
        raise OffFormatError("neither REJECT nor <reverse>…</reverse><subject>…</subject>")
    subject = _unquote(_one_line(found[2]))
    if not any(map(str.isalnum, subject)) or len(subject) > LONGEST_OPTION:
        raise OffFormatError("the subject is empty or too long")
    return _question(_unquote(_one_line(found[1])), LONGEST_QUESTION), subject


def options(reply: str) -> list[str]:
    """Four answers to choose from, one a line, without numbers or letters before them."""
    found = _lines(reply)
    if len(found) != OPTIONS:
        raise OffFormatError("not four lines")
    if all(re.match(r"(?:[A-D]|[1-4])[.):]\s", line) for line in found):
        raise OffFormatError("the options are numbered or lettered")
    if any(len(line) > LONGEST_OPTION or _TAG.search(line) for line in found):
        raise OffFormatError("an option is too long or holds markup")
    return [_unquote(line) for line in found]


def answer(reply: str) -> str:
    """Free text that must say something."""
    if not any(map(str.isalnum, reply)):
        raise OffFormatError("the answer is empty")
    return reply.strip()


def _rejection(reply: str) -> RejectedQuestion | None:
    first, *rest = _lines(reply)
    if _strip_emphasis(first).upper() != "REJECT":
        return None
    if len(rest) > 1:
        raise OffFormatError("more than REJECT and its reason")
    return RejectedQuestion(_clean(rest[0]) if rest else "")


def _question(text: str, longest: int) -> str:
    if len(text) > longest:
        raise OffFormatError(f"longer than {longest:,} characters")
    if "?" not in text or not any(map(str.isalnum, text)):
        raise OffFormatError("not a question")
    if _TAG.search(text):
        raise OffFormatError("the question holds markup")
    return text


def _lines(reply: str, one: bool = False) -> list[str]:
    """The lines that say something, at least one; without control characters."""
    found = [line for part in reply.splitlines() if (line := _one_line(part))]
    if not found:
        raise OffFormatError("the reply is empty")
    if one and len(found) > 1:
        raise OffFormatError("more than one line")
    return found


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    if any(unicodedata.category(char) in ("Cc", "Cs", "Cn", "Co") for char in line):
        raise OffFormatError("control characters")
    return line


def _strip_emphasis(line: str) -> str:
    """A line without emphasis, quotation marks and full stop around a single word."""
    return line.strip().strip("*_`'\"“”").rstrip(".").strip("*_`")


def _clean(reason: str) -> str:
    return reason[:200]


def _unquote(line: str) -> str:
    """A line without quotation marks that stand around all of it; a JSON string is read."""
    if len(line) > 1 and line[0] == line[-1] == '"':
        try:
            read = json.loads(line)
        except json.JSONDecodeError:
            return line
        return _one_line(read)
    if len(line) > 1 and _QUOTES.get(line[0]) == line[-1] and line.count(line[-1]) == 1:
        return line[1:-1].strip()
    return line
