"""What engines wrote: files of answers in any of their forms, line by line.

Forms: `response.body.choices` with a `status_code` (batch services, `vllm run-batch`),
`response.choices`, `choices` at the top, `generated_text` (a text or a list). In Parquet
`response` is JSON text or a struct. JSONL may be compressed.
"""

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from core.errors import LostkeysError
from core.providers import openai_format, reasoning_marks
from core.providers.base import Draw, Finish, ServedModel
from core.settings.compression import (
    COMPRESSIONS,
    LONGEST_LINE,
    DamagedStreamError,
    open_bytes,
    open_file,
)
from core.settings.extras import check_extra
from db.open_files import refuse_open

REFUSALS = (400, 404, 413, 422)
"""Statuses by which a service says that it will never answer a request."""

BYTES_AT_ONCE = 2**21
"""Bytes of lines that are looked at together, about."""

PLAIN_AT_ONCE = 128
"""Lines that are read together: few enough that what is decoded of them is at hand still."""

PACKED_AT_ONCE = 2**16
ROWS_AT_ONCE = 512
GZIP_BITS = 31
"""What tells `zlib` of a header of gzip."""

COLUMNS = ("custom_id", "response", "choices", "generated_text", "error", "status_code")
ENDINGS = (".jsonl", ".ndjson", ".json", ".parquet", *COMPRESSIONS)
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
PACKED = {b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"\x28\xb5\x2f\xfd": ".zst"}
"""What other compressed files begin with, and what their names end in."""

NAMELESS = "no column custom_id: keep it beside the answers, by which they are known"

FINISHES: Mapping[str | None, Finish | None] = {
    None: None,
    **{name: name for name in openai_format.FINISHES},
}

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of a file of answers that are looked at together: line i has `names[i]`.

    `contents` are rows of tables, and JSON as it stands: decoded, the lines of a whole block would
    be too much to have at hand. `malformed`: how many others were no JSON object with a
    `custom_id`, such as a cut-off end. `answers`: what all lines say, where that was asked for and
    all are as most are.
    """

    names: list[str]
    contents: list[bytes | Row]
    malformed: int
    answers: "LineAnswers | None" = None


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """What came for a request: answers in their order, or why there are none.

    `refused`: the service says that it never will.
    """

    draws: tuple[Draw, ...] = ()
    reason: str = ""
    refused: bool = False


@dataclass(slots=True)
class LineAnswers:
    """The answers in some lines, one after another; line i has `counts[i]` of them.

    `reasoned` has reasoning and its tokens by the place of an answer, of those that have any;
    `without` lines that have no answer, by their places, and why.
    """

    counts: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    finishes: list[str | None] = field(default_factory=list)
    served: list[ServedModel | None] = field(default_factory=list)
    reasoned: dict[int, tuple[str | None, int | None]] = field(default_factory=dict)
    without: dict[int, EngineAnswer] = field(default_factory=dict)

    def add_line(self, answer: EngineAnswer) -> None:
        """Add what one line says."""
        draws = answer.draws
        if not draws:
            self.without[len(self.counts)] = answer
        for place, draw in enumerate(draws, len(self.texts)):
            if draw.reasoning is not None or draw.reasoning_tokens is not None:
                self.reasoned[place] = draw.reasoning, draw.reasoning_tokens
        self.counts.append(len(draws))
        self.texts += [draw.text for draw in draws]
        self.finishes += [draw.finish for draw in draws]
        self.served += [draw.served for draw in draws]

    def add_plain(self, rows: Sequence[Row]) -> bool:
        """Add what lines say that are all as most are; False, and nothing, where one may not be.

        Such lines have texts with how they ended, and no reasoning. What is added is what
        `read_answer` finds. Written for millions.
        """
        try:
            bodies = [_body(row)[1] for row in rows if row.get("generated_text") is None]
            each = [body["choices"] for body in bodies]
            counts = list(map(len, each))
            choices = list(chain.from_iterable(each))
            numbers = [one["index"] for one in choices]
            said = choices
            if choices[0].get("message") is not None:
                said = [one["message"] for one in choices]
            texts = [one["text" if said is choices else "content"] for one in said]
            finishes = [FINISHES[one["finish_reason"]] for one in choices]
            served = [
                openai_format.read_served(body.get("model"), body.get("system_fingerprint"))
                for body in bodies
            ]
            usages = [body.get("usage") for body in bodies]
            tokens = [openai_format.count_reasoning(one) if one else None for one in usages]
            joined = "".join(texts)
            if reasoning_marks.may_hold_marks(joined):
                return False
            if not joined.isascii():
                texts = list(map(openai_format.storable, texts))
        except (AttributeError, LookupError, TypeError):
            return False
        if any(one.get("error") for one in choices):
            return False
        in_order = numbers == list(chain.from_iterable(map(range, counts)))
        # A refusal may stand beside an empty text, as a message or reasoning beside any.
        if len(bodies) < len(rows) or not (in_order and all(counts) and all(texts)):
            return False
        if [
            one
            for one in said
            if one.get("reasoning_content") or one.get("reasoning") or one.get("message")
        ]:
            return False
        starts = accumulate(counts, initial=len(self.texts))
        self.reasoned.update(
            (start, (None, spent))
            for start, count, spent in zip(starts, counts, tokens, strict=False)
            if spent is not None and count == 1
        )
        self.counts += counts
        self.texts += texts
        self.finishes += finishes
        self.served += [by for by, many in zip(served, counts, strict=True) for _ in range(many)]
        return True


def find_files(paths: Sequence[Path], own: Sequence[Path]) -> list[Path]:
    """The files of answers in the order named; those of a folder by their names.

    `own` are files of the plan, which hold no answers: left out of folders, and refused where they
    are named. Raises `LostkeysError` for what is not there.
    """
    mine = {path.resolve() for path in own}
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (one for one in sorted(path.rglob("*")) if one.is_file())
            files = [one for one in inside if _is_output(one) and one.resolve() not in mine]
            if not files:
                raise LostkeysError(f"{path} has no files of answers ({', '.join(ENDINGS)})")
            found += files
        elif not path.exists():
            raise LostkeysError(f"{path} is not there: name what the engine wrote")
        elif not path.is_file():
            raise LostkeysError(f"{path} is not a regular file: save what it holds to one first")
        elif path.resolve() in mine:
            raise LostkeysError(f"{path} holds the requests of the plan: name what engines wrote")
        else:
            found.append(path)
    return found


def _is_output(path: Path) -> bool:
    return path.suffix in ENDINGS and not path.name.startswith((".", "_"))


def read_blocks(path: Path, is_plain: Callable[[], bool] = lambda: False) -> Iterator[LineBlock]:
    """The lines of a file, some at a time.

    `is_plain` is asked before each block: whether the answers are to be read with the names, as
    `add_plain` reads them. Raises `LostkeysError` for a file that cannot be read, or has no names.
    """
    refuse_open(path)
    try:
        with open_file(path) as file:
            head = file.read(max(map(len, PACKED)))
            file.seek(0)
            packed = next((kind for sign, kind in PACKED.items() if head.startswith(sign)), None)
            if head.startswith(PARQUET):
                yield from _read_parquet(path)
            elif head.startswith(GZIP):
                yield from _read_json(path, _split_lines(_unpack(file)), is_plain)
            elif packed:
                with open_bytes(path, packed) as unpacked:
                    yield from _read_json(path, _split_lines(_pieces(unpacked)), is_plain)
            else:
                yield from _read_json(path, _split_lines(_pieces(file)), is_plain)
    except OSError as error:
        raise LostkeysError(f"{path}: {error.strerror or error}: check the file") from None


def _read_json(
    path: Path, blocks: Iterable[Sequence[bytes | None]], is_plain: Callable[[], bool]
) -> Iterator[LineBlock]:
    """Lines of JSON; None stands for one that cannot be read. Written for millions of them."""
    before = 0
    for lines in blocks:
        names, contents, malformed = list[str](), list[bytes | Row](), 0
        answers = LineAnswers() if is_plain() else None
        for start in range(0, len(lines), PLAIN_AT_ONCE):
            rows = list[Row]()
            for line in lines[start : start + PLAIN_AT_ONCE]:
                row = None if line is None else _decode(line)
                name = row.get("custom_id") if type(row) is dict else None
                if line is not None and row is not None and type(name) is str:
                    if "url" in row and "body" in row and "response" not in row:
                        number = before + lines.index(line) + 1
                        raise LostkeysError(
                            f"{path}, line {number}: a request, no answer: name what engines wrote"
                        )
                    names.append(name)
                    contents.append(line)
                    rows.append(row)
                elif line is None or line.strip():
                    malformed += 1
            if answers is not None and rows and not answers.add_plain(rows):
                answers = None
        before += len(lines)
        yield LineBlock(names, contents, malformed, answers)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(BYTES_AT_ONCE), b"")


def _split_lines(pieces: Iterable[bytes]) -> Iterator[Sequence[bytes | None]]:
    """The lines in what a file holds, as far as that goes.

    None stands for one that is cut off, broken, or longer than any answer.
    """
    parts, size = list[bytes](), 0
    """Of a line that goes on; no parts of one that is too long."""
    try:
        for content in pieces:
            first, *others = content.split(b"\n")
            size += len(first)
            parts = [*parts, first] if size <= LONGEST_LINE else []
            if others:
                *lines, rest = others
                yield [b"".join(parts) if size <= LONGEST_LINE else None, *lines]
                parts, size = [rest], len(rest)
    except (EOFError, zlib.error, DamagedStreamError):
        yield [None]
        return
    if size:
        yield [b"".join(parts) if size <= LONGEST_LINE else None]


def _unpack(file: BinaryIO) -> Iterator[bytes]:
    """What is in a file of one gzip stream or several. Raises `EOFError` where one is cut off."""
    stream = zlib.decompressobj(GZIP_BITS)
    begun = False
    while packed := file.read(PACKED_AT_ONCE):
        while packed:
            begun = True
            yield stream.decompress(packed, BYTES_AT_ONCE)
            packed = stream.unused_data or stream.unconsumed_tail
            if stream.eof:
                stream, begun = zlib.decompressobj(GZIP_BITS), False
    if begun:
        raise EOFError


def _decode(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        # Halves of surrogate pairs, NaN: the standard library reads what an engine may write.
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            return None


def _read_parquet(path: Path) -> Iterator[LineBlock]:
    check_extra("arrow")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if "custom_id" not in names:
                raise LostkeysError(f"{path}: {NAMELESS}")
            columns = [name for name in COLUMNS if name in names]
            for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
                rows = batch.to_pylist()
                named = [row for row in rows if type(row["custom_id"]) is str]
                names = [row["custom_id"] for row in named]
                yield LineBlock(names, list[bytes | Row](named), len(rows) - len(named))
    except (pa.ArrowException, UnicodeDecodeError) as error:
        why = str(error).partition("\n")[0]
        raise LostkeysError(
            f"{path} is no sound Parquet file ({why}): write it again, or leave it out"
        ) from None


def read_answer(row: Row) -> EngineAnswer:
    """What a line says; thoughts between marks are reasoning, and no part of an answer."""
    texts = row.get("generated_text")
    if texts is not None:
        found = [texts] if isinstance(texts, str) else texts
        if not isinstance(found, list):
            return EngineAnswer(reason="generated_text is no text")
        choices: Any = [{"text": one} for one in found if isinstance(one, str)]
        return _read_choices({"choices": choices})
    status, body = _body(row)
    if isinstance(body, dict) and body.get("choices"):
        return _read_choices(body)
    reason, code = _fault(row, body)
    status = code if status in (None, 200) else status
    return EngineAnswer(reason=reason, refused=status in REFUSALS)


def read_row(content: bytes | Row) -> Row:
    """What the content of a line says."""
    row: Row = _decode(content) if isinstance(content, bytes) else content
    return row


def read_answers(contents: Sequence[bytes | Row]) -> LineAnswers:
    """What lines say, each as `read_answer` has it."""
    found = LineAnswers()
    for start in range(0, len(contents), PLAIN_AT_ONCE):
        _add_lines(found, list(map(read_row, contents[start : start + PLAIN_AT_ONCE])))
    return found


def _add_lines(found: LineAnswers, rows: Sequence[Row]) -> None:
    """Add what lines say: of all at once where they are as most are, else half by half."""
    if found.add_plain(rows):
        return
    half = len(rows) // 2
    if not half:
        found.add_line(read_answer(rows[0]))
        return
    _add_lines(found, rows[:half])
    _add_lines(found, rows[half:])


def _body(row: Row) -> tuple[Any, Any]:
    """The status and the body in a line."""
    response = row.get("response")
    if type(response) is dict and type(body := response.get("body")) is dict:
        return response.get("status_code"), body
    response = _parse_value(response)
    if not isinstance(response, dict):
        return row.get("status_code"), row
    if response.get("body") is not None or response.get("status_code") is not None:
        return response.get("status_code"), _parse_value(response.get("body"))
    return None, response


def _parse_value(value: Any) -> Any:
    """A column of a table may hold JSON as text."""
    return _decode(value.encode(errors="surrogatepass")) if isinstance(value, str) else value


def _fault(row: Row, body: Any) -> tuple[str, Any]:
    """What an engine says went wrong, and its code."""
    inside = body.get("error") if isinstance(body, dict) else None
    error = inside or row.get("error")
    if not error:
        return "no answer", None
    code = error.get("code") if isinstance(error, dict) else None
    said = " ".join(openai_format.storable(openai_format.message(error)).split())
    return said or "no answer", code


def _read_choices(body: Row) -> EngineAnswer:
    choices = body["choices"]
    if not isinstance(choices, list):
        return EngineAnswer(reason="choices are no list")
    plain = [_drop_absent(one) for one in _order_choices(choices)]
    raw = not any("message" in one for one in plain if isinstance(one, dict))
    try:
        reply = openai_format.reply({**body, "choices": plain}, raw)
    except openai_format.FormatError as error:
        return EngineAnswer(reason=str(error))
    reason = reply.failure.said if reply.failure else ""
    return EngineAnswer(reply.draws, " ".join(reason.split()))


def _order_choices(choices: list[Any]) -> list[Any]:
    """Choices by their indices, if all have one."""
    try:
        places = [one["index"] for one in choices]
    except (TypeError, LookupError):
        return choices
    numbered = set(map(type, places)) == {int}
    return sorted(choices, key=itemgetter("index")) if numbered else choices


def _drop_absent(choice: Any) -> Any:
    """A choice without the fields that only other rows of a table have."""
    if type(choice) is not dict or None not in choice.values():
        return choice
    return {name: value for name, value in choice.items() if value is not None}
