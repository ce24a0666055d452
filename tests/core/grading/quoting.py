"""A grader that is honest about answers, and quotes them to the letter in what it writes."""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from prompts import Message
from tests.core.grading import obedient

SHOWN = re.compile(r"^(Answer|Completion) (\d+): (\".*\")$", re.MULTILINE)
LINE = re.compile(r"<(answer|completion)_(\d+)>(\w+)")

Write = Callable[[str, str, str, str], str]
"""What is written of an answer: by the noun, its number, its label and its text."""


def in_its_reason(noun: str, number: str, label: str, text: str) -> str:
    return _tagged(f"{noun}_{number}", label) + _tagged(f"why_{number}", f"it says {text}")


def as_it_was_shown(noun: str, number: str, label: str, text: str) -> str:
    return in_its_reason(noun, number, label, json.dumps(text).replace("<", r"\u003c"))


def in_small_and_great(noun: str, number: str, label: str, text: str) -> str:
    return in_its_reason(noun, number, label, text.swapcase())


def before_its_label(noun: str, number: str, label: str, text: str) -> str:
    return f"{text}\n{in_its_reason(noun, number, label, '')}"


def in_place_of_its_label(noun: str, number: str, label: str, text: str) -> str:
    return f"<{noun}_{number}>{text}</{noun}_{number}>{_tagged(f'why_{number}', label)}"


def beside_its_label(noun: str, number: str, label: str, text: str) -> str:
    return _tagged(f"{noun}_{number}", f"{text}{label}") + _tagged(f"why_{number}", "so")


def with_no_reason(noun: str, number: str, label: str, text: str) -> str:
    return _tagged(f"{noun}_{number}", label) + text


def in_a_reason_left_open(noun: str, number: str, label: str, text: str) -> str:
    return _tagged(f"{noun}_{number}", label) + f"<why_{number}>it says {text}"


def in_an_opened_tag(noun: str, number: str, label: str, text: str) -> str:
    return f"<{noun}_{number}>{text}"


def alone(noun: str, number: str, label: str, text: str) -> str:
    return text


WAYS: tuple[Write, ...] = (
    in_its_reason,
    as_it_was_shown,
    in_small_and_great,
    before_its_label,
    in_place_of_its_label,
    beside_its_label,
    with_no_reason,
    in_a_reason_left_open,
    in_an_opened_tag,
    alone,
)


@lru_cache(maxsize=8192)
def answers(prompt: str) -> tuple[str, ...]:
    """The texts of the answers in a prompt."""
    return tuple(json.loads(found[3]) for found in SHOWN.finditer(prompt))


def reply(messages: Sequence[Message], way: Write = in_its_reason) -> str:
    """What it says to a grading prompt."""
    return "\n".join(_written(messages, way))


def said(prompt: str) -> str:
    """The same, by all messages of a prompt as one text; a judge says more than its one word."""
    message = Message("user", obedient.asked(prompt))
    honest = obedient.reply((message,))
    if (response := obedient.RESPONSE.search(message.content)) is None:
        return reply((message,)) or honest
    text = json.loads(response[1])
    return honest if "<" not in text else f"{honest}: it says {text}"


def broken_off(messages: Sequence[Message], text: str, way: Write = in_its_reason) -> str:
    """What it says where its reply ends with the quote of a text: a mark of an end was in it, say.

    All that it says of others, where that text is not shown.
    """
    texts, written = answers(messages[-1].content), _written(messages, way)
    if text not in texts:
        return "\n".join(written)
    place = texts.index(text)
    return "\n".join([*written[:place], written[place].partition(text)[0] + text])


def thoughts(messages: Sequence[Message]) -> str:
    """A reply with its thoughts before it, marked in the text, and the quotes in them."""
    said = "\n".join(answers(messages[-1].content))
    return f"<think>They are {said}, so:</think>\n{obedient.reply(tuple(messages))}"


def _written(messages: Sequence[Message], way: Write) -> list[str]:
    honest = obedient.reply(tuple(messages))
    texts = answers(messages[-1].content)
    found = list(LINE.finditer(honest))
    return [way(one[1], one[2], one[3], text) for one, text in zip(found, texts, strict=True)]


def _tagged(name: str, text: str) -> str:
    return f"<{name}>{text}</{name}>"
