"""Options of `lostkeys import` that say what a file does not say of itself."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import click

from core.errors import UsageError
from tui.cli.options import Number, split_names

F = TypeVar("F", bound=Callable[..., Any])


def word_options(command: F) -> F:
    """What a file does not say of itself; gives the command its `words`."""

    @click.option(
        "--subject", metavar="COLUMN", help="Wide table: the column that names the subject."
    )
    @click.option(
        "--property",
        "properties",
        multiple=True,
        metavar="COLUMN[=P569]",
        help=(
            "Wide table: a column of objects, with its property's number or its relation's name."
        ),
    )
    @click.option("--domain", metavar="COLUMN", help="Wide table: the column of domains.")
    @click.option("--popularity", metavar="COLUMN", help="Wide table: the column of page views.")
    @click.option("--relation", metavar="R", help="Triples: the relation of rows that name none.")
    @click.option("--model", metavar="M", help="zp-reference: the model.")
    @click.option(
        "--examples",
        type=click.IntRange(0),
        metavar="N",
        help="zp-reference: examples in each input.",
    )
    @click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="TARGET=COLUMN,...",
        help=(
            "Table: what its columns are: columns of facts, or response, model, thinking, "
            "sample, grades.GRADER, rationale.GRADER."
        ),
    )
    @click.option(
        "--encoding",
        metavar="E",
        help="Encoding of text files, such as cp1252 or latin-1. Default: UTF-8.",
    )
    @click.option("--sheet", metavar="NAME", help="Workbook: the sheet.")
    @click.option("--set", "set_name", metavar="NAME", help="Name of the set of triples.")
    @_log_options
    @wraps(command)
    def with_words(
        *args: Any,
        subject: str | None,
        properties: tuple[str, ...],
        domain: str | None,
        popularity: str | None,
        relation: str | None,
        model: str | None,
        examples: int | None,
        set_name: str | None,
        encoding: str | None,
        sheet: str | None,
        mapping: tuple[str, ...],
        log_words: dict[str, Any],
        **kwargs: Any,
    ) -> Any:
        from core.specs.file_specs import ImportWords

        if properties and subject is None:
            raise UsageError("--property needs --subject: the column of the subjects")
        words = ImportWords(
            set_name=set_name,
            subject=subject,
            properties=properties,
            domain=domain,
            popularity=popularity,
            relation=relation,
            model=model,
            examples=examples,
            encoding=encoding,
            sheet=sheet,
            mapping=mapping,
            **log_words,
        )
        return command(*args, words=words, **kwargs)

    return with_words  # type: ignore[return-value]


def _log_options(command: F) -> F:
    """What is said of logs of other tools; gives `log_words`, fields of `ImportWords`."""

    @click.option("--as", "as_label", metavar="NAME", help="Log or table: the name of the model.")
    @click.option("--prefix", metavar="NAME", help="Log: what stands before the / of fact ids.")
    @click.option(
        "--thinking",
        "log_thinking",
        type=click.Choice(["on", "off"]),
        help="Log: whether the model was thinking.  [default: as the log says]",
    )
    @click.option("--scores", metavar="A,B", help="Log: only these scorers.")
    @click.option(
        "--correct-at",
        type=Number(0, 1, min_open=True),
        metavar="T",
        help="Log: a score from T on is CORRECT, a lower one INCORRECT.",
    )
    @click.option(
        "--words",
        "label_words",
        default="",
        metavar="SCORER:WORD=LABEL,...",
        help="Log or table: labels of further words.",
    )
    @click.option("--pool", is_flag=True, help="Log: samples continue those of the files before.")
    @wraps(command)
    def with_log_words(
        *args: Any,
        as_label: str | None,
        prefix: str | None,
        log_thinking: str | None,
        scores: str | None,
        correct_at: float | None,
        label_words: str,
        pool: bool,
        **kwargs: Any,
    ) -> Any:
        log_words = {
            "as_label": as_label,
            "prefix": prefix,
            "thinking": log_thinking,
            "scores": tuple(split_names(scores)) if scores else (),
            "correct_at": correct_at,
            "words": label_words,
            "pool": pool,
        }
        return command(*args, log_words=log_words, **kwargs)

    return with_log_words  # type: ignore[return-value]
