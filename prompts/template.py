"""Prompt templates: read, check, fill in.

A template is one text file. Front matter in TOML stands between two lines `+++`; after it each
line `# system`, `# user` or `# assistant` opens a message (headings inside a message take `##`).
`{name}` is a placeholder for an input; a brace that is meant as one is doubled.

A template may declare the shape of its reply (`reply`), and then has two forms: lines between
`#: schema` and `#: end` are of the one that asks for JSON, those after `#: text` of the other.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, cast, get_args

from core.errors import LostkeysError
from prompts.reply_shape import ReplyForm, ReplyShape, ShapeError

Role = Literal["system", "user", "assistant"]

OURS = Path(__file__).parent / "templates"
FENCE = "+++"
KEYS = {"name": str, "version": int, "purpose": str, "inputs": list, "output": str}
REPLY = "reply"
"""The key of a reply's shape, which a template may leave out."""

_KINDS = {str: "a text", int: "a whole number", list: "a list of names"}
_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_HEADING = re.compile(r"#\s+(.*?)\s*")
_BRACE = re.compile(r"\{\{|\}\}|\{([a-z][a-z0-9_]*)\}|[{}]")
_TAG = re.compile(r"</?([a-z][a-z0-9_-]*)>")
_HEAD = re.compile(r"^([A-Z]\w*:|[A-Z]\))", re.MULTILINE)
_FORM = re.compile(r"#: (text|schema|end)\s*")
_CHAT_MARKS = r"\||/?(?:start_of_turn|end_of_turn)>"


class PromptError(LostkeysError):
    """A template cannot be read, or was given other inputs than it declares."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Role
    content: str


class RenderedText(str):
    """A text that a template made of data, to be put into another as it stands."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of a message: literal text, or the name of the input that goes there."""

    text: str
    is_input: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    """A template that was read and checked.

    `hash` is the SHA-256 of the file's text (hex), stored with all that the prompt made; of a file
    with two forms, of the lines of this one. `reply` is the shape of a reply in the form that asks
    for JSON, None in the other.
    """

    name: str
    version: int
    purpose: str
    inputs: tuple[str, ...]
    output: str
    hash: str
    reply: ReplyShape | None
    _messages: tuple[tuple[Role, tuple[_Piece, ...]], ...]
    _markup: re.Pattern[str]
    _heads: re.Pattern[str]

    def render(self, **inputs: str) -> tuple[Message, ...]:
        """The messages with each placeholder replaced by its input.

        Inputs are data. They go into the parsed template in one pass, so nothing in them is
        expanded or opens a message. What would pass for a tag of this template or for a chat
        format's own mark (`<|im_end|>`) gets a space after its `<`; all other text is untouched.
        Raises PromptError if an input is missing or is none of the template's.
        """
        if missing := [name for name in self.inputs if name not in inputs]:
            raise PromptError(f"prompt {self.name}: input {missing[0]!r} is missing; pass it")
        if unknown := [name for name in inputs if name not in self.inputs]:
            raise PromptError(
                f"prompt {self.name}: unknown input {unknown[0]!r}; "
                f"it takes {_join_names(self.inputs)}"
            )
        values = {
            name: self._markup.sub("< ", value) if "<" in value else value
            for name, value in inputs.items()
        }
        return tuple(
            Message(role, "".join(values[p.text] if p.is_input else p.text for p in pieces))
            for role, pieces in self._messages
        )

    def render_text(self, **inputs: str) -> RenderedText:
        """The one message of the template as a text for a raw endpoint.

        Such a text is parted by lines that begin as those of the template do (`Answer:`, `B)`): a
        line break before what would pass for one of them becomes a space. What another template
        made (`join_texts`) keeps its lines.
        Raises PromptError as `render`, and where the template has several messages.
        """
        if len(self._messages) != 1:
            raise PromptError(
                f"prompt {self.name}: a raw endpoint gets one text; put all into one user message"
            )
        values = {
            name: value
            if isinstance(value, RenderedText) or value.isprintable()  # so without line breaks
            else self._heads.sub(" ", value)
            for name, value in inputs.items()
        }
        (message,) = self.render(**values)
        return RenderedText(message.content)

    def quote(self, value: str) -> str:
        """An input as it stands in what `render_text` makes."""
        return self._markup.sub("< ", self._heads.sub(" ", value))


def join_texts(texts: Iterable[RenderedText]) -> RenderedText:
    """Texts of templates as one, with an empty line between two."""
    return RenderedText("\n\n".join(texts))


def list_names() -> list[str]:
    """The names of all templates of ours, in order."""
    return sorted(path.stem for path in OURS.glob("*.md"))


def read_source(name: str) -> str:
    """The file of one of our templates, to the letter."""
    return (OURS / f"{name}.md").read_text(encoding="utf-8")


@cache
def load(name: str, folder: Path | None = None, form: ReplyForm = "text") -> Prompt:
    """The template called `name`: the user's (`folder`/name.md) if there is one, else ours.

    A user's template must take the inputs of the one that it replaces. Files are read once.
    Without a shape of its reply a template has the form `text` alone, which is given for both.
    Raises PromptError, with file and line, if there is none or it is not well formed.
    """
    if not _NAME.fullmatch(name):
        raise PromptError(f"prompt {name!r}: not a name; use small letters, digits, - and _")
    ours = OURS / f"{name}.md"
    theirs = folder / f"{name}.md" if folder else ours
    if theirs == ours or not theirs.exists():
        return _read_prompt(ours, form)
    prompt = _read_prompt(theirs, form)
    if ours.exists() and set(prompt.inputs) != set(wanted := _read_prompt(ours, form).inputs):
        raise PromptError(
            f"{theirs}: inputs must be {_join_names(wanted)}, as in the replaced template"
        )
    if prompt.reply is not None and ours.exists():
        replaced = _read_prompt(ours, form).reply
        if replaced is None or not prompt.reply.is_like(replaced):
            raise PromptError(
                f"{theirs}: 'reply' must have the keys and values of the replaced template's"
            )
    return prompt


def _read_prompt(path: Path, form: ReplyForm) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PromptError(f"{path}: no such prompt template; check its name") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    return _parse(path, text, form)


def _parse(path: Path, text: str, form: ReplyForm) -> Prompt:
    everything = text.split("\n")
    places = list(_select_lines(everything, form))
    lines = [everything[place] for place in places]
    fences = [number for number, line in enumerate(lines) if line.rstrip() == FENCE][:2]
    if len(fences) < 2 or fences[0] != 0:
        raise PromptError(f"{path}:1: front matter must stand first, between two lines {FENCE}")
    front = _front_matter(path, lines[1 : fences[1]])
    reply = _read_shape(path, front.get("reply"))
    messages = tuple(_messages(path, lines, places, fences[1] + 1, front["inputs"]))
    _check_order(path, [role for role, _ in messages])
    used = {piece.text for _, pieces in messages for piece in pieces if piece.is_input}
    if unused := [name for name in front["inputs"] if name not in used]:
        raise PromptError(f"{path}: input {unused[0]!r} is declared but has no placeholder")
    literals = [piece.text for _, pieces in messages for piece in pieces if not piece.is_input]
    return Prompt(
        name=front["name"],
        version=front["version"],
        purpose=front["purpose"],
        inputs=tuple(front["inputs"]),
        output=front["output"],
        hash=hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        reply=reply,
        _messages=messages,
        _markup=_markup(literals),
        _heads=_heads(literals),
    )


def _select_lines(lines: list[str], form: ReplyForm) -> Iterator[int]:
    """The places of the lines of one form; the lines that part the forms are of none."""
    part = ""
    for place, line in enumerate(lines):
        mark = _FORM.fullmatch(line)
        if mark is not None:
            part = "" if mark[1] == "end" else mark[1]
        elif part in ("", form):
            yield place


def _front_matter(path: Path, lines: list[str]) -> dict[str, Any]:
    """The checked front matter; `lines` are those from the file's second on."""

    def line_of(key: str) -> int:
        found = (n for n, line in enumerate(lines, 2) if re.match(rf"\s*{re.escape(key)}\b", line))
        return next(found, 1)

    try:
        # The empty line keeps the parser's line numbers those of the file.
        front = tomllib.loads("\n".join(["", *lines]))
    except tomllib.TOMLDecodeError as error:
        raise PromptError(f"{path}: front matter is not TOML: {error}") from None
    for key in front:
        if key not in KEYS and key != REPLY:
            raise PromptError(
                f"{path}:{line_of(key)}: unknown key {key!r}; use {_join_names([*KEYS, REPLY])}"
            )
    for key, kind in KEYS.items():
        if key not in front:
            raise PromptError(f"{path}:1: front matter has no {key!r}; add it")
        if type(front[key]) is not kind:
            raise PromptError(f"{path}:{line_of(key)}: {key!r} must be {_KINDS[kind]}")
    if not all(isinstance(name, str) for name in front["inputs"]):
        raise PromptError(f"{path}:{line_of('inputs')}: 'inputs' must be {_KINDS[list]}")
    if front["name"] != path.stem:
        raise PromptError(f"{path}:{line_of('name')}: 'name' must be {path.stem!r}, as the file's")
    return front


def _read_shape(path: Path, declared: Any) -> ReplyShape | None:
    try:
        return None if declared is None else ReplyShape.parse(declared)
    except ShapeError as error:
        raise PromptError(f"{path}: {error}") from None


def _messages(
    path: Path, lines: list[str], places: Sequence[int], start: int, inputs: list[str]
) -> Iterator[tuple[Role, tuple[_Piece, ...]]]:
    """Each message with its pieces; the body begins at index `start` of the lines.

    `places` are those of the lines in the file, counted from 0.
    """
    headings = [n for n in range(start, len(lines)) if _HEADING.fullmatch(lines[n])]
    first = headings[0] if headings else len(lines)
    for number in range(start, first):
        if lines[number].strip():
            raise PromptError(
                f"{path}:{places[number] + 1}: text before the first message; add '# user'"
            )
    for heading, end in pairwise([*headings, len(lines)]):
        role = lines[heading][1:].strip()
        if role not in get_args(Role):
            raise PromptError(
                f"{path}:{places[heading] + 1}: unknown message {role!r}; "
                f"use {_join_names(get_args(Role))}, and ## for headings inside a message"
            )
        body = "\n".join(lines[heading + 1 : end])
        content = body.strip()
        if not content:
            raise PromptError(f"{path}:{places[heading] + 1}: the {role} message is empty")
        above = heading + 1 + body[: body.index(content)].count("\n")

        def where(offset: int, content: str = content, above: int = above) -> str:
            return f"{path}:{places[above + content.count(chr(10), 0, offset)] + 1}"

        yield cast(Role, role), tuple(_pieces(content, inputs, where))


def _pieces(content: str, inputs: list[str], where: Callable[[int], str]) -> Iterator[_Piece]:
    """A message's text cut at its placeholders; `where` names file and line of an offset."""
    end = 0
    for brace in _BRACE.finditer(content):
        if brace.start() > end:
            yield _Piece(content[end : brace.start()])
        end = brace.end()
        if name := brace[1]:
            if name not in inputs:
                raise PromptError(f"{where(brace.start())}: placeholder {{{name}}} is no input")
            yield _Piece(name, is_input=True)
        elif len(brace[0]) == 2:
            yield _Piece(brace[0][0])
        else:
            raise PromptError(f"{where(brace.start())}: single {brace[0]!r}; double it to mean it")
    if end < len(content):
        yield _Piece(content[end:])


def _check_order(path: Path, roles: list[Role]) -> None:
    if "system" in roles[1:]:
        raise PromptError(f"{path}: the system message must be one, and the first")
    if roles[-1:] != ["user"]:
        raise PromptError(f"{path}: the last message must be the user's")


def _markup(literals: list[str]) -> re.Pattern[str]:
    """What of a value would read as a tag of this template or as a mark of a chat format.

    Local servers tokenise the whole rendered chat at once, so a mark such as `<|im_start|>` in
    a value would begin a message there; the public ones of ChatML, Llama and Gemma are covered.
    """
    tags = sorted({name for text in literals for name in _TAG.findall(text)})
    own = [rf"/?(?:{'|'.join(map(re.escape, tags))})\b"] if tags else []
    return re.compile(rf"<(?={'|'.join([_CHAT_MARKS, *own])})", re.IGNORECASE)


def _heads(literals: list[str]) -> re.Pattern[str]:
    """Line breaks of a value before what begins lines of this template."""
    heads = sorted({head for text in literals for head in _HEAD.findall(text)})
    found = "|".join(map(re.escape, heads)) or "(?!)"
    return re.compile(rf"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*(?={found})", re.IGNORECASE)


def _join_names(names: Any) -> str:
    return ", ".join(names) or "none"


def quote_text(text: str) -> str:
    """Text as one JSON string: one line without tags, whatever it holds.

    Angle brackets are escaped as well, and separators that some readers take for line ends.
    """
    line = json.dumps(text, ensure_ascii=False).replace("<", r"\u003c").replace(">", r"\u003e")
    return "".join(
        char if char.isprintable() else "".join(f"\\u{unit:04x}" for unit in _units(char))
        for char in line
    )


def _units(char: str) -> list[int]:
    data = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[i : i + 2]) for i in range(0, len(data), 2)]
