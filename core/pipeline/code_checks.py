"""The rules that no prompt can be trusted with, checked in code.

Source: Calderon et al., appendices A.1 to A.3; the limits are those of A.2 and A.3.
"""

from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz.distance import LCSseq

from core.graders import lexical
from core.graders.lexical.english import FUNCTION_WORDS
from core.pipeline import sentence_splitter, text_match
from core.vocabulary import ENTITY_TYPES, Label, Task

CATEGORIES = (
    "People",
    "History",
    "Geography",
    "Arts",
    "Philosophy & Religion",
    "Everyday Life",
    "Society",
    "Science",
    "Technology",
    "Other",
)
TYPES = ENTITY_TYPES

SHORTEST_PASSAGE = 50
LONGEST_PASSAGE = 1_000
LONGEST_TEXT = 20_000
SHORTEST_CONTEXT = 30
LONGEST_QUESTION = 40
OPTIONS = 4
"""Limits in words (of a text, in characters); options of a multiple choice question."""

SHORTEST_OWN_PASSAGE = 12
SHORTEST_OWN_CONTEXT = 6
"""Limits for documents that are no Wikipedia pages, whose paragraphs are shorter than the first of
those."""

GRAMMAR = 2
"""Words that a question may gain when others are deleted, for its grammar."""

KEPT_IN_REVISION = 0.5
KEPT_OF_CONTEXT = 0.8
"""Shares of the words that a revision and a contextual question must keep, in their order."""

ANSWER_IN_QUESTION = "the answer stands in the question"
NO_OBJECT = "the object is not in the question"
NO_QUESTION = "not a question"
LONG_QUESTION = f"more than {LONGEST_QUESTION} words"
SHORT_CONTEXT = f"left context of fewer than {SHORTEST_CONTEXT} words"
SHORT_OWN_CONTEXT = f"left context of fewer than {SHORTEST_OWN_CONTEXT} words"
OBJECT_IN_CONTEXT = "the object stands in its left context"
NO_CONTEXT = "does not begin with the left context"
NOT_FOUR = "not four distinct options"
NO_GOLD = "the gold answer is not among the options"
SECOND_GOLD = "a distractor is the gold answer"

_LIMITED = (Task.DIRECT, Task.DIRECT_NATURAL, Task.REVERSE, Task.REVERSE_NATURAL)


def faults(
    task: Task,
    question: str,
    golds: Sequence[str],
    left_context: str | None = None,
    object: str | None = None,  # noqa: A002
    choices: Sequence[str] | None = None,
) -> list[str]:
    """What is wrong with a question as it stands, one short line each; empty where nothing is.

    `golds` are the gold answer and its aliases, `object` the object of the fact, `choices` the
    options of a multiple choice task. What is None is not checked. The text of `completion` is
    its left context.
    """
    if task is Task.COMPLETION:
        found = [OBJECT_IN_CONTEXT] if holds_answer(question, golds) else []
        return found + context_faults(question)
    found = [] if is_question(question) else [NO_QUESTION]
    if holds_answer(question, golds):
        found.append(ANSWER_IN_QUESTION)
    if task.asks is Task.REVERSE and object and not text_match.contains(question, object):
        found.append(NO_OBJECT)
    if task.asks in _LIMITED and is_long(question):
        found.append(LONG_QUESTION)
    if task is Task.CONTEXTUAL and left_context and not keeps_context(question, left_context):
        found.append(NO_CONTEXT)
    if task.is_choice and choices is not None:
        found += choice_faults(question, golds, choices)
    return found


def is_question(text: str) -> bool:
    """Whether a text asks something."""
    return "?" in text and bool(text_match.split_words(text))


def is_long(question: str) -> bool:
    """Whether a closed-book question is longer than the limit."""
    return text_match.count(question) > LONGEST_QUESTION


def holds_answer(text: str, golds: Sequence[str]) -> bool:
    """Whether the gold answer or an alias stands in a text as whole words."""
    return any(text_match.contains(text, gold) for gold in golds)


def context_faults(left_context: str, is_own: bool = False) -> list[str]:
    """What is wrong with the length of a left context. `is_own`: it is of no Wikipedia page."""
    count = text_match.count(left_context)
    if is_own:
        return [SHORT_OWN_CONTEXT] if count < SHORTEST_OWN_CONTEXT else []
    return [SHORT_CONTEXT] if count < SHORTEST_CONTEXT else []


def choice_faults(question: str, golds: Sequence[str], choices: Sequence[str]) -> list[str]:
    """What is wrong with options; `golds` are the gold answer and its aliases."""
    keys = [text_match.key(choice) for choice in choices]
    found = []
    if len(choices) != OPTIONS or len(set(keys)) != OPTIONS or "" in keys:
        found.append(NOT_FOUR)
    if not golds:
        return found
    others = [c for c, key in zip(choices, keys, strict=True) if key != text_match.key(golds[0])]
    if len(others) == len(choices):
        found.append(NO_GOLD)
    elif any(names_gold(question, golds, other) for other in others):
        found.append(SECOND_GOLD)
    return found


def names_gold(question: str, golds: Sequence[str], other: str) -> bool:
    """Whether another text names the gold answer, so that it is no distractor."""
    if text_match.key(other) in map(text_match.key, golds):
        return True
    return lexical.grade(question, list(golds), other) is Label.CORRECT


def only_deletes(before: str, after: str) -> bool:
    """Whether a question was shortened by deleting words, but for a little grammar.

    The words that are left stand in their order. One or two may be new if they are function
    words or other forms of words that were there.
    """
    old, new = text_match.split_words(before), text_match.split_words(after)
    if len(new) > len(old):
        return False
    added = [new[op.dest_pos] for op in LCSseq.editops(old, new) if op.tag == "insert"]
    if len(added) > GRAMMAR:
        return False
    stems = {word[:4] for word in old}
    return all(word in FUNCTION_WORDS or word[:4] in stems for word in added)


def revises(before: str, after: str) -> bool:
    """Whether a question is a revision of another and not a new one."""
    old, new = text_match.split_words(before), text_match.split_words(after)
    return LCSseq.similarity(old, new) >= KEPT_IN_REVISION * len(old)


def keeps_context(question: str, left_context: str) -> bool:
    """Whether a contextual question begins with the finished sentences of the left context.

    Small edits for fluency are allowed: most of their words must be there, in their order.
    """
    wanted = text_match.split_words(sentence_splitter.drop_unfinished(left_context))
    if not wanted:
        return True
    asked = text_match.split_words(question)
    kept = LCSseq.similarity(wanted, asked)
    return kept >= KEPT_OF_CONTEXT * len(wanted) and _begins(wanted, asked)


def _begins(wanted: Sequence[str], asked: Sequence[str]) -> bool:
    """Whether one of the first word pairs of a text stands at the beginning of another."""
    if len(wanted) == 1:
        return wanted[0] in asked[:2]
    return bool(set(pairwise(wanted[:6])) & set(pairwise(asked[:8])))
