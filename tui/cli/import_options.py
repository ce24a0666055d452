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

    @click.option("--subject", metavar="COLUMN", help="Of a wide table: whom its rows are about.")
    @click.option(
        "--property",
        "properties",
        multiple=True,
        metavar="COLUMN[=P569]",
        help="A column of objects, with its property's number or its relation's name.",
    )
    @click.option("--domain", metavar="COLUMN", help="Its column of domains.")
    @click.option("--popularity", metavar="COLUMN", help="Its column of page views.")
    @click.option("--relation", metavar="R", help="The relation of rows that name none.")
    @click.option("--model", metavar="M", help="The model of zp-reference.")
    @click.option("--examples", type=click.IntRange(0), metavar="N", help="Its examples an input.")
    @click.option(
        "--map",
        "mapping",
        multiple=True,
        metavar="TARGET=COLUMN,...",
        help="Of a table: what its columns are, of facts, or response, model, thinking, sample, "
        "grades.GRADER, rationale.GRADER.",
    )
    @click.option("--encoding", metavar="E", help="Of text without a mark: cp1252, latin-1.")
    @click.option("--sheet", metavar="NAME", help="The sheet of a workbook.")
    @click.option("--set", "set_name", metavar="NAME", help="The set of triples.")
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

    @click.option(
        "--as", "as_label", metavar="LABEL", help="The model's label here, of a log or table."
    )
    @click.option("--prefix", metavar="NAME", help="Of a log: what is before / in ids of facts.")
    @click.option(
        "--thinking",
        "log_thinking",
        type=click.Choice(["on", "off"]),
        help="Of a log: whether the model was thinking.  [default: as the log says]",
    )
    @click.option("--scores", metavar="A,B", help="Of a log: these scorers alone.")
    @click.option(
        "--correct-at",
        type=Number(0, 1, min_open=True),
        metavar="T",
        help="Of a log: a score from T on is CORRECT, a lower one INCORRECT.",
    )
    @click.option(
        "--words",
        "label_words",
        default="",
        metavar="SCORER:WORD=LABEL,...",
        help="Of a log or table: labels that further words stand for.",
    )
    @click.option("--pool", is_flag=True, help="Samples of a log follow those of files before it.")
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
