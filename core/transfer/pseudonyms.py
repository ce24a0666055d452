"""People as numbers: what stands for their names in what goes out without them."""

import re
from collections.abc import Iterable

import db.grades
import db.reviews
from core.project import Project
from core.scoring.precedence import HUMAN_PREFIX, PEOPLE
from core.settings import preferences

SHORTEST_PART = 3
"""Letters of a part of a name that stands for the person by itself: `Ada` of `Ada Lovelace`."""


class PersonNumbers:
    """The numbers of some people, from 1, in the order in which they are named."""

    def __init__(self, names: Iterable[str]) -> None:
        self._numbers = {
            name: f"person-{number}" for number, name in enumerate(dict.fromkeys(names), 1)
        }
        parts: dict[str, str] = {}
        for name, number in self._numbers.items():
            parts.setdefault(name.casefold(), number)
        for name, number in self._numbers.items():
            for part in re.findall(r"[^\W\d_]+", name):
                if len(part) >= SHORTEST_PART:
                    parts.setdefault(part.casefold(), number)
        self._parts = parts
        longest_first = sorted(parts, key=len, reverse=True)
        self._pattern = re.compile(
            rf"(?<![^\W_])(?:{'|'.join(map(re.escape, longest_first))})(?![^\W_])", re.IGNORECASE
        )

    def replace_in_grader(self, grader: str) -> str:
        """A grader's name; a person's with the number."""
        name, mark, version = grader.removeprefix(HUMAN_PREFIX).partition("#")
        if not grader.startswith(HUMAN_PREFIX) or grader == PEOPLE:
            return grader
        whole = self._numbers.get(f"{name}{mark}{version}")
        return HUMAN_PREFIX + (whole or f"{self._numbers.get(name, 'person')}{mark}{version}")

    def replace_in_text(self, text: str | None) -> str | None:
        """A text with the number wherever a name, or a longer part of one, stands as a word."""
        if text is None or not self._parts:
            return text
        return self._pattern.sub(lambda found: self._parts.get(found[0].casefold(), "person"), text)


def number_people(project: Project) -> PersonNumbers:
    """Everybody whom a project knows: who labelled, oldest first, who reviewed, who asks."""
    connection = project.connection
    graders = [name for _, name, _ in db.grades.graders(connection)]
    reviewers = [one.author for one in db.reviews.reviews(connection)]
    asking = preferences.load().person
    named = [name.removeprefix(HUMAN_PREFIX) for name in (*graders, *reviewers)]
    people = [
        name for name, full in zip(named, (*graders, *reviewers), strict=True) if name != full
    ]
    return PersonNumbers([*people, *([asking] if asking else [])])
