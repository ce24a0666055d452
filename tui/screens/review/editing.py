"""Editing a question in place: what is edited, its new text, what that does, and writing it."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from core.audit.review.card import Card
from core.editing import Draft, Outlook
from tui.dialogs.ask import AskLine
from tui.dialogs.choose import Choose, Option
from tui.dialogs.confirm import Confirm
from tui.screens.review import reading

if TYPE_CHECKING:
    from tui.app import LostkeysApp

BETWEEN = " | "
"""Stands between options, and between other names of the gold, where they are edited."""


class Part(StrEnum):
    """What of a question is edited."""

    QUESTION = "question"
    GOLD = "gold"
    ALIASES = "also accepted"
    CHOICES = "options"


def draft_of(card: Card) -> Draft:
    """The question of a card as it is."""
    return Draft(card.text, card.gold, card.aliases, card.choices)


def text_of(draft: Draft, part: Part) -> str:
    """A part as one edits it, in one line."""
    match part:
        case Part.QUESTION:
            return draft.text
        case Part.GOLD:
            return draft.gold
        case Part.ALIASES:
            return BETWEEN.join(draft.aliases)
        case Part.CHOICES:
            return BETWEEN.join(draft.choices or ())


def edited(draft: Draft, part: Part, text: str) -> Draft:
    """A draft with one part as it was written."""
    pieces = tuple(one.strip() for one in text.split(BETWEEN.strip()) if one.strip())
    match part:
        case Part.QUESTION:
            return replace(draft, text=text)
        case Part.GOLD:
            return replace(draft, gold=text)
        case Part.ALIASES:
            return replace(draft, aliases=pieces)
        case Part.CHOICES:
            return replace(draft, choices=pieces)


def words(outlook: Outlook) -> str:
    """What an edit does: `becomes version 2, 208 old answers set aside.`"""
    said = []
    if outlook.tasks:
        names = ", ".join(task.replace("_", " ") for task in outlook.tasks)
        said.append(
            f"{names} becomes version {outlook.version}, {outlook.answers:,} old answers set aside."
        )
    if outlook.new_gold:
        said.append(f"New gold: {outlook.grades:,} grades are stale and made anew when you grade.")
    if outlook.faults:
        said.append(f"But: {'; '.join(outlook.faults)}.")
    return " ".join(said)


class Editor:
    """Leads through the dialogs of one edit; `write` gets the draft that was confirmed."""

    def __init__(self, app: "LostkeysApp", card: Card, write: Callable[[Draft], None]) -> None:
        self._app, self._card, self._write = app, card, write

    def begin(self) -> None:
        """Ask what is edited."""
        parts = [one for one in Part if one is not Part.CHOICES or self._card.choices]
        options = [Option(one, one.value) for one in parts]
        self._app.push_screen(Choose("edit", options), self._ask)

    def also(self, text: str) -> None:
        """Ask which answer is accepted too."""
        dialog = AskLine("also accept", "As good as the gold:", text)
        self._app.push_screen(dialog, self._also)

    def _also(self, text: str | None) -> None:
        if text is not None and text.strip():
            draft = draft_of(self._card)
            self._foresee(replace(draft, aliases=(*draft.aliases, text.strip())))

    def _ask(self, part: Part | None) -> None:
        if part is None:
            return
        text = text_of(draft_of(self._card), part)
        between = "" if part in (Part.QUESTION, Part.GOLD) else f", {BETWEEN.strip()} between them"
        dialog = AskLine("edit", f"The {part}{between}:", text)
        self._app.push_screen(dialog, partial(self._edited, part))

    def _edited(self, part: Part, text: str | None) -> None:
        draft = draft_of(self._card)
        if text is None or text == text_of(draft, part):
            return
        self._foresee(edited(draft, part, text))

    def _foresee(self, draft: Draft) -> None:
        work = partial(reading.foreseen, self._card.question, draft)
        self._app.ask("foresee", work, partial(self._confirm, draft), self._app.report)

    def _confirm(self, draft: Draft, outlook: Outlook) -> None:
        dialog = Confirm("edit", words(outlook), "keeps the edit", "leaves it")
        self._app.push_screen(dialog, partial(self._confirmed, draft))

    def _confirmed(self, draft: Draft, yes: bool | None) -> None:
        if yes:
            self._write(draft)
