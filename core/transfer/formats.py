"""The formats of files: which columns or keys each has, and how one is told from another."""

from collections.abc import Sequence

from core.errors import LostkeysError, UsageError
from core.transfer.fields import listed
from core.transfer.readers import RowSource

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

ALIAS_COLUMNS = ("direct_aliases", "reverse_aliases")
"""Other names of the golds, where they are not just the entity that an answer stands for."""

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

DOCUMENT_KEYS = {
    "id": ("id", "pageid"),
    "title": ("title",),
    "text": ("text", "extract"),
    "views": ("views", "pageviews"),
    "item_id": ("item_id", "wikibase_item"),
}
"""What each value of a document may be called: our name, then those of Wikipedia's interfaces."""

DOCUMENT_COLUMNS = tuple(name for names in DOCUMENT_KEYS.values() for name in names)

AUTO = "auto"
FORMATS = ("wikiprofile", "facts", "documents", "responses", "labels")


def choose(source: RowSource, wanted: str) -> str:
    """The format of a file: as wanted, or by what is in it for `auto`.

    Raises `UsageError` for a format there is not, `LostkeysError` where the file fits none or
    lacks columns of the one wanted.
    """
    if wanted not in (AUTO, *FORMATS):
        raise UsageError(f"no format {wanted!r}: formats are {', '.join((AUTO, *FORMATS))}")
    keys = source.keys()
    name = _told(source, keys) if wanted == AUTO else wanted
    if source.tabular:
        _check_columns(source, name, keys)
    return name


def _told(source: RowSource, keys: Sequence[str]) -> str:
    there = set(keys)
    if "response" in there and "task" in there:
        return "responses"
    if "label" in there and "grader" in there:
        return "labels"
    if "task" not in there and there.intersection(QUESTIONS):
        return "wikiprofile" if source.tabular else "facts"
    if not _lacks(there, ("id", "text")):
        return "documents"
    if not keys:
        raise LostkeysError(f"{source.path} holds no rows: there is nothing to import")
    raise LostkeysError(
        f"{source.path} is neither facts, documents, responses nor labels, its keys are "
        f"{listed(keys)}: check the file, or name its format with --format"
    )


def _check_columns(source: RowSource, name: str, keys: Sequence[str]) -> None:
    there = set(keys)
    needs = {"responses": RESPONSE_NEEDS, "labels": LABEL_NEEDS}.get(name, ("fact_id",))
    missing = [key for key in needs if key not in there]
    if name == "documents":
        missing = _lacks(there, ("id", "text"))
    if not missing and name in ("wikiprofile", "facts"):
        missing = [
            f"any of {', '.join(group)}"
            for group in (ANSWERS, QUESTIONS)
            if not there.intersection(group)
        ]
    if missing:
        raise LostkeysError(
            f"{source.path} is no file of {name}, it has no column {missing[0]}: "
            "check the header, or name another format with --format"
        )


def _lacks(there: set[str], wanted: Sequence[str]) -> list[str]:
    """Those of a document's values for which there is no key."""
    return [name for name in wanted if there.isdisjoint(DOCUMENT_KEYS[name])]
