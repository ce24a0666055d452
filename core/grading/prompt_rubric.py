"""A rubric: what a person adds to a grader's prompt, rules in their own words and examples.

Both stand before the question that is asked about, so the beginning of a prompt is the same for
all answers, and services that cache it read it once.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import prompts
from core.errors import UsageError
from core.grading import grading_prompt
from core.vocabulary import LABELS, Task
from db.stored_values import check_list, read_json, unreadable
from prompts import Message
from prompts.reply_shape import ReplyForm

LONGEST_RULES = 20_000
"""Letters of a rubric's rules."""

MOST_EXAMPLES = 16
_LONGEST_REASON = 120
"""Letters of a reason, as a reply's shape has them."""

_VERSION_LENGTH = 10

_HEADING = (
    "## Rules of the person whose labels you are to give\n"
    "Where they say something else than the above, follow them.\n"
)


@dataclass(frozen=True, slots=True)
class RubricExample:
    """An answer as a person labels it, with the question and all that is right."""

    fact_id: str
    task: str
    question: str
    golds: tuple[str, ...]
    answer: str
    label: str
    why: str


@dataclass(frozen=True, slots=True)
class PromptRubric:
    """Rules and examples. Raises `UsageError` where there are none, or too many."""

    rules: str
    examples: tuple[RubricExample, ...] = ()

    def __post_init__(self) -> None:
        if not self.rules.strip():
            raise UsageError("the rubric is empty: write at least one rule")
        if len(self.rules) > LONGEST_RULES:
            raise UsageError(
                f"the rubric has {len(self.rules):,} letters: {LONGEST_RULES:,} at most"
            )
        if any("\ud800" <= letter <= "\udfff" for letter in self.rules):
            raise UsageError("the rubric has half a character in it: write that place again")
        if len(self.examples) > MOST_EXAMPLES:
            raise UsageError(
                f"{len(self.examples)} examples: a rubric has {MOST_EXAMPLES} at most, take some "
                "out first"
            )

    @property
    def version(self) -> str:
        """What follows from rules and examples, and changes with them."""
        text = json.dumps([self.rules, self.examples_text], ensure_ascii=False)
        return sha256(text.encode()).hexdigest()[:_VERSION_LENGTH]

    @property
    def size(self) -> int:
        """Bytes that it adds to a prompt, about."""
        shown = [one.question + one.answer + "".join(one.golds) for one in self.examples]
        return len(_HEADING + self.rules + "".join(shown)) + 100 * len(shown)

    @property
    def examples_text(self) -> str:
        """The examples as they are stored."""
        return json.dumps([asdict(one) for one in self.examples], ensure_ascii=False)

    def extend(
        self,
        messages: Sequence[Message],
        template: str,
        form: ReplyForm,
        folder: Path | None = None,
    ) -> tuple[Message, ...]:
        """The messages of a grading prompt with the rules, and with the examples before the last.

        Of completions and of answers to questions each kind shows its own examples.
        """
        prompt = prompts.load(template, folder, form)
        rules = f"{_HEADING}{prompt.quote(self.rules.strip())}"
        first, *turns, last = messages
        if first.role == "system":
            head = [Message("system", f"{first.content}\n\n{rules}")]
        else:
            head, turns = [Message("system", rules)], [first, *turns]
        shown = [
            one
            for example in self.examples
            if grading_prompt.template_for(Task(example.task)) == template
            for one in _write_turn(example, template, form, folder)
        ]
        return (*head, *turns, *shown, last)


def _write_turn(
    example: RubricExample, template: str, form: ReplyForm, folder: Path | None
) -> tuple[Message, Message]:
    """An example as a question to the grader and its reply."""
    asked = grading_prompt.messages(
        template, example.question, example.golds, [example.answer], folder, form
    )[-1]
    why = " ".join(example.why.replace("<", " ").split())[:_LONGEST_REASON] or "as labelled"
    if form == "schema":
        said = json.dumps([{"label": example.label, "reason": why}], ensure_ascii=False)
    else:
        noun = grading_prompt.NOUNS[template]
        said = f"<{noun}_1>{example.label}</{noun}_1><why_1>{why}</why_1>"
    return asked, Message("assistant", said)


def read_examples(text: str) -> tuple[RubricExample, ...]:
    """Stored examples. Raises `StoredValueError` for what is none."""
    what = "the examples of a rubric"
    found = []
    for one in check_list(read_json(text, what), dict, what):
        try:
            golds = check_list(one.pop("golds"), str, what)
            example = RubricExample(golds=golds, **one)
            Task(example.task)
        except (KeyError, TypeError, ValueError):
            raise unreadable(what, text) from None
        if example.label not in LABELS or not all(map(_is_text, one.values())):
            raise unreadable(what, text)
        found.append(example)
    return tuple(found)


def _is_text(value: object) -> bool:
    return isinstance(value, str)
