"""What of audits is looked at: which one, which number, how narrow; one thing at a time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.certainty.state_numbers import NUMBERS
from core.views.audits.audit_board import AuditRequest
from tui.dialogs.choice_dialog import Choose, Option
from tui.screens.confusion.audit_state import AuditState
from tui.text.line import Line
from tui.theme.glyphs import spell

if TYPE_CHECKING:
    from tui.app.app import LostkeysApp

HALF_WIDTHS = (0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1)
"""Half widths that are offered."""


@dataclass(frozen=True, slots=True)
class AuditChoice:
    """Another thing to look at, or that the audit is done with."""

    request: AuditRequest
    closes: bool = False


def ask_audit(
    app: "LostkeysApp", state: AuditState, then: Callable[[AuditChoice | None], None]
) -> None:
    """Choose from a list."""
    if state.board is None:
        app.say("no audit is drawn: + draws one")
        return
    app.push_screen(Choose("audit", list(_options(state))), then)


def _options(state: AuditState) -> Iterator[Option[AuditChoice]]:
    now, board = state.request, state.board
    assert board is not None
    for name in board.names:
        words = f"audit  {name}"
        yield _option(AuditChoice(replace(now, name=name)), words, name == board.report.name)
    for half in HALF_WIDTHS:
        words = f"within  {spell('±')} {100 * half:g} points"
        yield _option(AuditChoice(replace(now, within=half)), words, half == now.within)
    for number in NUMBERS[any(board.plan.thinking)]:
        words = f"number  {number.name.replace('_', ' ')}"
        chosen = number.name == now.about
        yield _option(AuditChoice(replace(now, about=number.name)), words, chosen)
    if not board.closed:
        yield Option(AuditChoice(now, closes=True), f"close  {board.report.name}: it is done with")


def _option(choice: AuditChoice, words: str, set_: bool) -> Option[AuditChoice]:
    return Option(choice, words, Line("looked at", "accent") if set_ else None)
