"""Which models figures show, from a short list."""

from collections.abc import Iterator, Sequence

from tui.dialogs.choice_dialog import Choose, Option
from tui.text.line import Line


class ModelChoice(Choose[tuple[str, ...]]):
    """Every choice of models that differs from the present one in one of them."""

    def __init__(self, there: Sequence[str], shown: Sequence[str]) -> None:
        super().__init__("models in figures", list(_options(tuple(there), tuple(shown))))


def _options(there: tuple[str, ...], shown: tuple[str, ...]) -> Iterator[Option[tuple[str, ...]]]:
    yield Option(there, "all models", _beside(shown == there))
    for model in there:
        others = tuple(one for one in shown if one != model)
        if model not in shown:
            chosen = tuple(one for one in there if one in (*shown, model))
            yield Option(chosen, model, _beside(False))
        elif others:
            yield Option(others, model, _beside(True))
    if len(there) > 2:
        for model in there:
            yield Option((model,), f"only {model}", _beside(shown == (model,)))


def _beside(shown: bool) -> Line | None:
    return Line("shown", "accent") if shown else None
