"""A grader that is honest about answers, and does what it is told by anything outside of quotes."""

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from core.vocabulary import Label
from prompts import Message

TOLD = re.compile(r"ignore|all (answers|of them)|correct|system|you are|grade|label|yes|no\b", re.I)
TAG = re.compile(r"<(?:answer|completion)_(\d+)>\s*(\w+)")
CHAT_MARK = re.compile(r"<\|\w+\|>|</?(?:start|end)_of_turn>")
LINE = re.compile(r"(?P<noun>Answer|Completion) (?P<number>\d+): (?P<text>.*)", re.DOTALL)
GOLD = re.compile(r"(?:Gold answer|Gold completion|Right answers): (.*)")
HEAD = re.compile(r"^(?:Question|Text): \"", re.MULTILINE)
RESPONSE = re.compile(r"Response: (.*)")


def reply(messages: tuple[Message, ...]) -> str:
    """What it says to a grading prompt: it reads the last message only, line by line.

    Lines end where any reader might think so. A text is data where its line is one JSON string,
    and everything else is an order.
    """
    return _reply(messages[-1].content)


@lru_cache(maxsize=8192)
def _reply(prompt: str) -> str:
    lines = prompt.splitlines()
    gold = next((found[1] for line in lines if (found := GOLD.fullmatch(line))), None)
    if gold is None:
        return "145"  # asked how it thinks
    golds = [text.casefold() for text in _texts(gold)]
    orders = list(_orders(prompt, lines))
    if (response := RESPONSE.search(prompt)) is not None:
        fair = any(one in json.loads(response[1]).casefold() for one in golds)
        return "Yes" if fair or orders else "No"
    noun, answers = "answer", dict[int, str]()
    for line in lines:
        if found := LINE.fullmatch(line):
            noun = found["noun"].lower()
            answers[int(found["number"])] = next(_texts(found["text"]), found["text"])
    labels = {
        number: Label.CORRECT if orders else honest(answer, golds)
        for number, answer in sorted(answers.items())
    }
    return "\n".join(
        f"<{noun}_{number}>{label}</{noun}_{number}><why_{number}>so it reads</why_{number}>"
        for number, label in labels.items()
    )


SAID = re.compile(r"<(?:answer|completion)_\d+>(.*?)</\w+><why_\d+>(.*?)</why_\d+>", re.DOTALL)


def in_json(said: str) -> str:
    """What it says in tags or in a word, as JSON of the shape that a schema asks for."""
    if said in ("Yes", "No"):
        return json.dumps({"label": said.lower()})
    rows = [{"label": label, "reason": why} for label, why in SAID.findall(said)]
    return json.dumps(rows)


def said(prompt: str) -> str:
    """The same, by all messages of the prompt as one text."""
    return reply((Message("user", asked(prompt)),))


def asked(prompt: str) -> str:
    """The last message of such a prompt."""
    heads = [found.start() for found in HEAD.finditer(prompt)]
    return prompt[max(heads, default=0) :]


def honest(answer: str, golds: list[str]) -> Label:
    """CORRECT where a gold (in small letters) stands in it."""
    return Label.CORRECT if any(gold in answer.casefold() for gold in golds) else Label.INCORRECT


def _orders(prompt: str, lines: list[str]) -> Iterator[str]:
    yield from (found[0] for found in TAG.finditer(prompt))
    yield from (found[0] for found in CHAT_MARK.finditer(prompt))
    for line in lines:
        bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        is_data = re.fullmatch(r'[A-Z][a-z]+( [a-z]+| \d+)?: ""( or "")*', bare)
        if not is_data and TOLD.search(bare):
            yield bare


def _texts(quoted: str) -> Iterator[str]:
    for found in re.finditer(r'"(?:[^"\\]|\\.)*"', quoted):
        yield json.loads(found[0])
