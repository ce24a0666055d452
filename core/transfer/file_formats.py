"""The formats of files: which columns or keys each has, and how one is told from another."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.errors import LostkeysError, UsageError
from core.scale.lake import VERSION_KEY
from core.transfer.row_source import RowSource
from core.transfer.row_values import quote_names

FACT_TEXTS = (
    "page_title",
    "item_id",
    "category",
    "subject",
    "object",
    "subject_type",
    "object_type",
)
ANSWERS = ("object", "subject", "direct_answer", "reverse_answer")
QUESTIONS = (
    "completion",
    "contextual",
    "direct",
    "direct_natural",
    "reverse",
    "reverse_natural",
)
FACT_COLUMNS = (
    "fact_id",
    "page_title",
    "item_id",
    "gbc",
    "category",
    "subject",
    "object",
    "subject_type",
    "object_type",
    "completion",
    "contextual",
    "direct",
    "direct_answer",
    "direct_choices",
    "direct_natural",
    "reverse",
    "reverse_answer",
    "reverse_choices",
    "reverse_natural",
)
"""In the order of the published data set."""

OPTIONAL_COLUMNS = ("direct_aliases", "reverse_aliases", "page_created")
"""Columns that are written only where some fact fills them.

Aliases of the golds that the other columns do not imply; the year or date of the page.
"""

KEY = ("fact_id", "task", "model", "thinking", "sample")
RESPONSE_NEEDS = (*KEY, "response")
RESPONSE_COLUMNS = (*RESPONSE_NEEDS, "shown_order", "grades")
LABEL_NEEDS = (*KEY, "grader", "label")
LABEL_COLUMNS = (*LABEL_NEEDS, "rationale")
DECISION_COLUMNS = (
    *LABEL_COLUMNS,
    "at",
    "grader_a",
    "label_a",
    "grader_b",
    "label_b",
    "blind",
    "history",
)
"""Of people's labels: when each was set, what two graders said of the answer, and what was before.

`blind` says that the person did not see those two labels. All of it is in `history` too.
"""

RUN_POLICY = ("tau", "strategy", "weight", "graders")
RUN_NEEDS = ("fact_id", "tasks", "model", "thinking", "samples", "at")
RUN_COLUMNS = ("fact_id", "tasks", "model", "thinking", "samples", *RUN_POLICY, "at", "done")
"""Of open and curtailed runs: a row a fact. A run without a policy draws everything."""

SHOWN_COLUMNS = ("question", "gold", "aliases", "response")
"""What rows of `audit next` show to whoever labels them; coming in it says nothing."""

REVIEW_COLUMNS = (
    "fact_id",
    "task",
    "version",
    "question",
    "gold",
    "verdict",
    "reason",
    "note",
    "author",
    "at",
    "sample",
    "stratum",
    "became",
)
"""Of what people said of questions: `question` and its `version` as looked at, `gold` as it is now.

`sample` names the kinds of samples that it was drawn for, `stratum` that of a stratified one;
`became` is the question as it is now, where it is another.
"""

LAKE_COLUMNS = (
    VERSION_KEY,
    *FACT_COLUMNS,
    *OPTIONAL_COLUMNS,
    *RESPONSE_COLUMNS,
    *LABEL_COLUMNS,
    *RUN_COLUMNS,
    "finish",
    "reasoning",
    "reasoning_tokens",
    "version",
    "at",
    "part",
)
"""Of the files of a lake; `part` says which of its folders a row is of."""

DOCUMENT_KEYS = {
    "id": ("id", "pageid"),
    "title": ("title",),
    "text": ("text", "extract"),
    "views": ("views", "pageviews"),
    "item_id": ("item_id", "wikibase_item"),
    "page_created": ("page_created",),
}
"""What each value of a document may be called: our name, then those of Wikipedia's interfaces."""

DOCUMENT_COLUMNS = tuple(name for names in DOCUMENT_KEYS.values() for name in names)

RELATION_NUMBER = "Relation_ID"
"""The column of T-REx-MC that numbers relations; it names them where nothing else does."""

TRIPLE_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "uuid", "record_id"),
    "subject": ("subject", "Subject", "subj"),
    "relation": ("relation", "property", "Relation", "Relation_Name", "prop"),
    "object": ("object", "Object", "obj"),
    "aliases": ("aliases",),
    "domain": ("domain",),
    "popularity": ("popularity", "subject_popularity", "s_pop"),
    "answer_type": ("answer_type",),
    "question": ("question",),
    "split": ("split",),
    "subject_id": ("subject_id", "subject_wikidata", "s_uri"),
    "property_id": ("property_id", "relation_id", RELATION_NUMBER),
    "object_id": ("object_id", "object_wikidata", "o_uri"),
    "page_title": ("page_title", "Title", "subject_wiki_title", "s_wiki_title"),
    "unit": ("unit",),
    "tier": ("tier",),
    "recitation": ("recitation",),
    "choices": ("choices", "Multiple Choices", "Multiple choices", "multiple_choices"),
}
"""What each value of a triple may be called: our name, then those of T-REx, T-REx-MC and PopQA."""

POPQA_ALIASES = ("possible_answers", "object_aliases", "o_aliases")
"""Columns of PopQA whose lists are aliases, one after the other."""

SIMPLEQA_COLUMNS = ("metadata", "problem", "answer")
"""A row of SimpleQA: a Python dict of topic and answer type, a question and its answer."""

TRIPLE_COLUMNS = tuple(TRIPLE_NAMES)
PREPARED_COLUMNS = ("prepared_split", "subset", "reason")
"""What preparing a set says of its triples; a file that comes in says nothing by them."""

SCORE_COLUMNS = (
    "id",
    "model",
    "form",
    "n",
    "seed",
    "order",
    "inject",
    "options",
    "tokens",
    "logprobs",
    "response",
)
POSITION_COLUMNS = ("relation", "model", "n", "seed", "inject", "positions")
TRAIT_COLUMNS = ("model", "family", "parameters", "base")
FORM_COLUMNS = ("relation", "name", "kind", "template", "inner", "outer")
PATTERN = "pattern"
"""What collections of prompts call a template."""

REFERENCE_COLUMNS = ("base_prompt", "outputs")
"""An input of the reference code, and the products of probabilities of its options."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format: its name, the keys that are part of it, and those that a file needs.

    `needs` are groups of keys, of each of which one must be there. `tells` says whether the keys
    of a file are those of this format, given whether it is a table.
    """

    name: str
    known: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    tells: Callable[[set[str], bool], bool]

    def find_missing(self, there: set[str]) -> str | None:
        """The first thing that a file with these keys lacks, as a message names it."""
        for group in self.needs:
            if there.isdisjoint(group):
                return group[0] if group in _SINGLE or len(group) == 1 else _join_any(group)
        return None


def _join_any(group: tuple[str, ...]) -> str:
    return f"any of {', '.join(group)}"


def _to_groups(keys: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    return tuple((key,) for key in keys)


_TRIPLE_NEEDS = (
    (*TRIPLE_NAMES["relation"], RELATION_NUMBER, "metadata"),
    (*TRIPLE_NAMES["object"], "answer"),
)
"""A file of triples has relations and objects; one of SimpleQA has metadata and answers."""

_SINGLE = {*DOCUMENT_KEYS.values(), *_TRIPLE_NEEDS}
"""Groups of names of one value, of which a message names the first."""

_FACT_NEEDS = (("fact_id",), ANSWERS, QUESTIONS)
_TRIPLE_KNOWN = (
    *(name for names in TRIPLE_NAMES.values() for name in names),
    *PREPARED_COLUMNS,
    *POPQA_ALIASES,
    *SIMPLEQA_COLUMNS,
)


def _asks(there: set[str]) -> bool:
    return "task" not in there and bool(there.intersection(QUESTIONS))


def _has(*groups: tuple[str, ...]) -> Callable[[set[str], bool], bool]:
    return lambda there, tabular: all(not there.isdisjoint(group) for group in groups)


def _are_triples(there: set[str], tabular: bool) -> bool:
    ours = ((*TRIPLE_NAMES["relation"], RELATION_NUMBER), TRIPLE_NAMES["object"])
    return there.issuperset(SIMPLEQA_COLUMNS) or _has(*ours)(there, tabular)


_TABLE = (
    FileFormat(
        "wikiprofile",
        (*FACT_COLUMNS, *OPTIONAL_COLUMNS),
        _FACT_NEEDS,
        lambda there, tabular: tabular and _asks(there),
    ),
    FileFormat(
        "facts",
        (*FACT_COLUMNS, *OPTIONAL_COLUMNS),
        _FACT_NEEDS,
        lambda there, tabular: not tabular and _asks(there),
    ),
    FileFormat(
        "documents",
        DOCUMENT_COLUMNS,
        (DOCUMENT_KEYS["id"], DOCUMENT_KEYS["text"]),
        _has(DOCUMENT_KEYS["id"], DOCUMENT_KEYS["text"]),
    ),
    FileFormat(
        "responses", RESPONSE_COLUMNS, _to_groups(RESPONSE_NEEDS), _has(("response",), ("task",))
    ),
    FileFormat(
        "labels",
        (*DECISION_COLUMNS, "tags", "note", *SHOWN_COLUMNS),
        _to_groups(LABEL_NEEDS),
        _has(("label",), ("grader",)),
    ),
    FileFormat(
        "runs", RUN_COLUMNS, _to_groups(RUN_NEEDS), _has(("tasks",), ("samples",), ("model",))
    ),
    FileFormat(
        "triples",
        _TRIPLE_KNOWN,
        _TRIPLE_NEEDS,
        _are_triples,
    ),
    FileFormat(
        "zp-scores",
        SCORE_COLUMNS,
        _to_groups(("id", "model", "n")),
        _has(("id",), ("model",), ("n",), ("logprobs", "response")),
    ),
    FileFormat(
        "zp-positions",
        POSITION_COLUMNS,
        _to_groups(("relation", "model", "n", "positions")),
        _has(("relation",), ("model",), ("positions",)),
    ),
    FileFormat(
        "zp-models",
        TRAIT_COLUMNS,
        _to_groups(("model",)),
        _has(("model",), ("family", "parameters", "base")),
    ),
    FileFormat(
        "zp-templates",
        (*FORM_COLUMNS, PATTERN),
        (("template", PATTERN),),
        _has(("template", PATTERN)),
    ),
    FileFormat(
        "zp-reference", REFERENCE_COLUMNS, _to_groups(REFERENCE_COLUMNS), _has(REFERENCE_COLUMNS)
    ),
    FileFormat("lake", LAKE_COLUMNS, ((VERSION_KEY,),), _has((VERSION_KEY,))),
)

FILE_FORMATS: Mapping[str, FileFormat] = {one.name: one for one in _TABLE}
"""Every format by its name."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """A format of logs of another tool: its name, and the module that reads it."""

    name: str
    module: str


_LOGS = (
    LogFormat("inspect", "core.exchange.inspect_log"),
    LogFormat("lm-eval", "core.exchange.lm_eval_log"),
    LogFormat("helm", "core.exchange.helm_log"),
    LogFormat("every-eval-ever", "core.exchange.every_eval_ever_log"),
    LogFormat("promptfoo", "core.exchange.promptfoo_log"),
)

LOG_FORMATS: Mapping[str, LogFormat] = {one.name: one for one in _LOGS}
"""Every format of logs by its name."""

ARCHIVE = ".eval"
"""What names of archives of Inspect end in."""

AUTO = "auto"
TABLE = "table"
"""A table of any columns, of which it is said what they are."""

FORMATS = (*FILE_FORMATS, *LOG_FORMATS)

_TRIED = ("labels", "responses", *FILE_FORMATS)
"""The order in which a file is tried: rows of `audit next` show the answer that they label, and
a row of answers has a question's task, too."""


def check_format(name: str) -> None:
    """Raise `UsageError` for a format there is not."""
    if name not in (AUTO, *FORMATS):
        raise UsageError(f"no format {name!r}: formats are {', '.join((AUTO, *FORMATS))}")


def choose(source: RowSource, wanted: str, relation: str | None = None) -> str:
    """The format of a file: as wanted, or by what is in it for `auto`.

    With a `relation` given a file of triples needs no column for it. Raises `UsageError` for a
    format there is not, `LostkeysError` where the file fits none or lacks columns of the one
    wanted.
    """
    check_format(wanted)
    keys = source.keys()
    name = _require_format(source, keys, relation) if wanted == AUTO else wanted
    there = {*keys, "relation"} if relation and name == "triples" else set(keys)
    if source.tabular and (missing := FILE_FORMATS[name].find_missing(there)) is not None:
        raise LostkeysError(
            f"{source.path} is no file of {name}, it has no column {missing}: "
            "check the header, or name another format: `lostkeys import --format NAME`"
        )
    return name


def find_format(source: RowSource, relation: str | None = None) -> str | None:
    """The format whose columns or keys a file has; None where it has those of none.

    With a `relation` given, triples need no column for it.
    """
    there = set(source.keys())
    for name in _TRIED:
        if FILE_FORMATS[name].tells(there, source.tabular):
            return name
    return "triples" if relation and _are_triples({*there, "relation"}, source.tabular) else None


def _require_format(source: RowSource, keys: Sequence[str], relation: str | None) -> str:
    if found := find_format(source, relation):
        return found
    if not keys:
        raise LostkeysError(f"{source.path} holds no rows: there is nothing to import")
    raise LostkeysError(
        f"{source.path} has the columns of no known format (its keys are {quote_names(keys)}): "
        "say what they are with --map, or name the format with --format "
        "(`lostkeys import --help` shows both)"
    )
