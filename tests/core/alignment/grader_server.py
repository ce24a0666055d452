"""A fake server that grades by whether its rules say so, and writes rubrics when it is asked to."""

import re
from typing import Any

from tests.fakes.openai_server import FakeOpenAI

LINE = re.compile(r'^Answer (\d+): "(.*)"$', re.MULTILINE)
RULES = "- An answer that ends in a name in brackets is PARTIALLY."
PROPOSAL = f"<rubric>\n{RULES}\n</rubric>"
KINDS = ("CORRECT", "INCORRECT", "PARTIALLY", "OTHER")
REASON = "as the server says"


def label_of(answer: str, rules: bool) -> str:
    """What is said of an answer of `making.make_project`: with rules what the person says."""
    found = re.search(r"answer (\d+) to f(\d+)", answer)
    if found is None:  # the trial: Lake Geneva and Lake Constance
        return "CORRECT" if "Geneva" in answer else "INCORRECT"
    sample, fact = int(found[1]), int(found[2])
    wrong = not rules and (sample + fact) % 3 == 0
    return KINDS[(fact + sample + wrong) % 4]


class GraderServer(FakeOpenAI):
    """Says what `label_of` says; a prompt for a rubric gets `PROPOSAL`."""

    def normal(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = body["messages"]
        asked, head = messages[-1]["content"], messages[0]["content"]
        if asked.startswith("Rubric: "):
            said = PROPOSAL
        else:
            said = "\n".join(
                f"<answer_{number}>{label_of(text, RULES in head)}</answer_{number}>"
                f"<why_{number}>{REASON}</why_{number}>"
                for number, text in LINE.findall(asked)
            )
        choice = {"index": 0, "finish_reason": "stop", "message": {"content": said}}
        return {"choices": [choice], "usage": self._usage(body)}


def shared_beginning(bodies: list[dict[str, Any]]) -> int:
    """How many messages of these requests are the same in all, from the first on."""
    lists = [body["messages"] for body in bodies]
    alike = 0
    for row in zip(*lists, strict=False):
        if any(one != row[0] for one in row):
            break
        alike += 1
    return alike
