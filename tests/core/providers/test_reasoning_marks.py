"""Reasoning between marks in a text, however many there are."""

import re

import pytest

from core.providers import reasoning_marks


class CountedPattern:
    """A pattern that counts the characters it is given to search."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.searched = 0

    def search(self, text: str, place: int = 0) -> re.Match[str] | None:
        """Look for the pattern from a place on."""
        found = self._pattern.search(text, place)
        self.searched += (found.end() if found else len(text)) - place
        return found


@pytest.mark.parametrize(
    ("piece", "reasoning", "rest"),
    [
        ("a</think>", "a" + 199 * "\n\na", "B"),
        ("<think>a</think>", "a" + 199 * "\n\na", "B"),
        ("</think><think>", "B", ""),
        ("<think>", 199 * "<think>" + "B", ""),
    ],
)
def test_many_marks_are_looked_for_once(
    piece: str, reasoning: str, rest: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = [CountedPattern(getattr(reasoning_marks, name)) for name in ("_BEGIN", "_END")]
    monkeypatch.setattr(reasoning_marks, "_BEGIN", patterns[0])
    monkeypatch.setattr(reasoning_marks, "_END", patterns[1])
    text = 200 * piece + "B"
    said, kept = reasoning_marks.split(text)
    assert ((said or "").strip(), kept) == (reasoning, rest)
    assert sum(pattern.searched for pattern in patterns) <= 4 * len(text)
