"""Which answers are crossed and queued: one filter set at a time, from a short list."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from core.views.disagreements.disagreement_filter import Direction, DisagreementFilter
from core.views.snapshot import Snapshot
from core.views.verdict_reasons import task_words
from core.vocabulary import TASKS
from tui.dialogs.choice_dialog import Choose, Option
from tui.text.line import Line


class QueueFilterChoice(Choose[DisagreementFilter]):
    """Every filter that differs from the present one in one thing; what is set unsets it."""

    def __init__(self, now: DisagreementFilter, snapshot: Snapshot, topics: Iterable[str]) -> None:
        super().__init__("filter", list(_options(now, snapshot, topics)))


def _options(
    now: DisagreementFilter, snapshot: Snapshot, topics: Iterable[str]
) -> Iterator[Option[DisagreementFilter]]:
    mine = replace(now, by_others=not now.by_others)
    yield _option(mine, "by:others  decided by other people", now.by_others)
    unsure = replace(now, unsure=not now.unsure, cell=None)
    yield _option(unsure, "queue:unsure  answers that a grader is not sure of", now.unsure)
    for model in snapshot.answerers:
        set_ = now.model == model
        yield _option(replace(now, model=None if set_ else model), f"model  {model}", set_)
    for task in TASKS:
        set_ = now.task is task
        yield _option(replace(now, task=None if set_ else task), f"task  {task_words(task)}", set_)
    for way in Direction:
        set_ = now.direction is way
        chosen = replace(now, direction=None if set_ else way)
        yield _option(chosen, f"direction  {way.value}", set_)
    for topic in topics:
        set_ = now.category == topic
        chosen = replace(now, category=None if set_ else topic)
        yield _option(chosen, f"topic  {topic}", set_)


def _option(among: DisagreementFilter, words: str, set_: bool) -> Option[DisagreementFilter]:
    return Option(among, words, Line("set, takes it away", "accent") if set_ else None)


def chips(among: DisagreementFilter) -> Line:
    """What is set, as chips; an empty line for nothing. The cell stands elsewhere."""
    line = Line()
    shown = (
        among.model,
        task_words(among.task) if among.task else None,
        among.direction,
        among.category,
        "by:others" if among.by_others else None,
        "queue:unsure" if among.unsure else None,
    )
    for words in filter(None, shown):
        line.add("  ").add(f" {words} ", "ink @chip")
    return line
