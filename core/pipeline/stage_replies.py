"""What models write back, read strictly: what is not in the form asked for is an error.

Errors are few fixed phrases, so that they can be counted. The forms are those of the paper's
boxes as well, so that a template in the paper's own words can stand in for ours.
Source: Calderon et al., appendix D.1, D.2.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.pipeline.stage import OffFormatError, Said

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


def verdict(reply: Said) -> SuitabilityVerdict:
    """`SUITABLE`, or `NO` or `NOT`, which a second line may give a reason for."""
    if not isinstance(reply, str):
        reason = _clean(_one_line(reply["reason"]))
        return SuitabilityVerdict(reply["verdict"] == "SUITABLE", reason)
    first, *rest = _lines(reply)
    if len(rest) > 1:
        raise OffFormatError("more than a verdict and its reason")
    word = _strip_emphasis(first).upper()
    if word not in ("SUITABLE", "NO", "NOT"):
        raise OffFormatError("the first line is neither SUITABLE nor NO")
    return SuitabilityVerdict(word == "SUITABLE", _clean(rest[0]) if rest else "")


def one_of(reply: Said, names: Iterable[str]) -> str:
    """Exactly one of these names, alone; in any case, as the list has it."""
    if not isinstance(reply, str):
        return str(reply["name"])
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


def list_entities(reply: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The text and the type of each entity, as JSON has them."""
    return [(_one_line(one["text"]), one["type"]) for one in reply["entities"]]


def read_names(reply: Said, most: int) -> list[str]:
    """Names marked `{{{name}}}`, one a line or in a bracketed list; `NONE` or `[]` is none."""
    if not isinstance(reply, str):
        return [_one_line(name) for name in reply["names"]]
    if _strip_emphasis(reply).upper() in ("NONE", "[]"):
        return []
    names = [_one_line(name) for name in _LISTED.findall(reply)]
    if not names or not _BETWEEN.fullmatch(_LISTED.sub("", reply)):
        raise OffFormatError("not a list of names of the form {{{name}}}")
    if len(names) > most:
        raise OffFormatError(f"more than {most} names")
    return names


def question(reply: Said) -> str:
    """One question on one line; quotation marks around all of it are no part of it."""
    if not isinstance(reply, str):
        return _question(_unquote(_one_line(reply["question"])), LONGEST_QUESTION)
    (line,) = _lines(reply, one=True)
    return _question(_unquote(line), LONGEST_QUESTION)


def question_or_rejection(reply: Said) -> str | RejectedQuestion:
    """One question, or `REJECT`, which a second line may give a reason for."""
    return _rejection(reply) or question(reply)


def contextual(reply: Said) -> str:
    """A context followed by a question; its lines are joined by blanks."""
    if not isinstance(reply, str):
        return _question(_unquote(_one_line(reply["question"])), LONGEST_CONTEXTUAL)
    return _question(_unquote(" ".join(_lines(reply))), LONGEST_CONTEXTUAL)


def reverse(reply: Said) -> tuple[str, str] | RejectedQuestion:
    """A question and its subject in tags `reverse` and `subject`; or `REJECT`."""
    if rejected := _rejection(reply):
        return rejected
    if isinstance(reply, str):
        found = _REVERSE.fullmatch(reply.strip())
        if not found:
            raise OffFormatError("neither REJECT nor <reverse>…</reverse><subject>…</subject>")
        asked, subject = found[1], _unquote(_one_line(found[2]))
    else:
        asked, subject = reply["question"], _unquote(_one_line(reply["subject"]))
    if not any(map(str.isalnum, subject)) or len(subject) > LONGEST_OPTION:
        raise OffFormatError("the subject is empty or too long")
    return _question(_unquote(_one_line(asked)), LONGEST_QUESTION), subject


def options(reply: Said) -> list[str]:
    """Four answers to choose from, one a line, without numbers or letters before them."""
    found = _lines(reply) if isinstance(reply, str) else list(map(_one_line, reply["options"]))
    if len(found) != OPTIONS:
        raise OffFormatError("not four lines")
    if all(re.match(r"(?:[A-D]|[1-4])[.):]\s", line) for line in found):
        raise OffFormatError("the options are numbered or lettered")
    if any(len(line) > LONGEST_OPTION or _TAG.search(line) for line in found):
        raise OffFormatError("an option is too long or holds markup")
    return [_unquote(line) for line in found]


def answer(reply: Said) -> str:
    """Free text that must say something; it is never asked for as JSON."""
    assert isinstance(reply, str)
    if not any(map(str.isalnum, reply)):
        raise OffFormatError("the answer is empty")
    return reply.strip()


def _rejection(reply: Said) -> RejectedQuestion | None:
    if not isinstance(reply, str):
        return RejectedQuestion(_clean(_one_line(reply["reason"]))) if reply["rejected"] else None
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
