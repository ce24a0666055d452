"""Facts to ask about, and a provider that answers from a script."""

import asyncio
from collections.abc import Callable

from core.providers.base import Draw, Provider, Reply, Request
from core.vocabulary import VERIFICATION, Side, Task
from db.facts import Fact
from db.question_rows import Gold, Question

MODEL = "openai:some-model@http://127.0.0.1:9/v1"

Script = Callable[[Request], Reply]


class Scripted(Provider):
    """Answers each request by a function; keeps the requests it saw."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.seen: list[Request] = []

    async def draw(self, request: Request) -> Reply:
        self.seen.append(request)
        await asyncio.sleep(0)
        return self.script(request)


def say(text: str) -> Script:
    return lambda request: Reply(tuple(Draw(text, "stop") for _ in range(request.n)))


def capital(number: int, country: str, city: str) -> Fact:
    questions = {
        Task.COMPLETION: Question(f"The capital of {country} is "),
        Task.CONTEXTUAL: Question(f"{country} is a country. What is its capital?"),
        Task.DIRECT: Question(f"What is the capital of {country}?"),
        Task.DIRECT_NATURAL: Question(f"Which city is {country}'s capital?"),
        Task.REVERSE: Question(f"Which country has the capital {city}?"),
        Task.REVERSE_NATURAL: Question(f"{city} is the capital of where?"),
    }
    options = {
        Side.OBJECT: (city, "Lyon", "Milan", "Porto"),
        Side.SUBJECT: (country, "Norway", "Poland", "Greece"),
    }
    for task in VERIFICATION:
        questions[task] = Question(questions[task.asks].text, options[task.side])
    golds = {Side.OBJECT: Gold(city), Side.SUBJECT: Gold(country)}
    return Fact(f"capital-{number}", subject=country, object=city, golds=golds, questions=questions)
