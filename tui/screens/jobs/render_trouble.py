"""What went wrong in one job: errors by kind, slow requests, and as what its models were served."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.engine.served_names import ADVICE
from core.jobs.job_list import JobTrouble
from core.jobs.job_view import JobView, StoredServed
from core.providers.late_requests import LATE
from core.stats.number_format import format_duration
from tui.screens.jobs.render_stages import shorten_name
from tui.text import number_text
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut_inside
from tui.text.line_wrap import wrap_spans
from tui.theme.glyphs import spell
from tui.theme.look import Look

ERRORS, SLOW, SERVED = 12, 12, 8
"""Lines of each part at most."""

COUNT, BAR = 7, 10

_SERVER = re.compile(r"\S+ at https?://\S+: (?=.)")
"""What stands before the cause of an error: the model and its address."""

DAY = 10
"""Characters of a stored time that are its day."""


@dataclass(frozen=True, slots=True)
class TroubleContext:
    """What it is drawn for: cells, the time, how it looks."""

    width: int
    now: datetime
    look: Look


def lines(
    view: JobView, trouble: JobTrouble, served: Sequence[str], context: TroubleContext
) -> list[Line]:
    """All three parts; `served` is what the log says of served models."""
    return [
        *_errors(view, trouble, context),
        Line(),
        *_draw_slow(view, context),
        Line(),
        *_draw_served(trouble, served, context),
    ]


def kinds(view: JobView, trouble: JobTrouble) -> Counter[str]:
    """Errors by reason: answers that could not be had, and what has failed in other stages.

    Stages at work here tell of answers what the file tells, too: the higher count is right.
    """
    found = Counter({one.reason: one.count for one in trouble.errors})
    here: Counter[str] = Counter()
    for stage in view.stages:
        if stage.failed:
            here.update(stage.reasons)
    return found | here


def retries(view: JobView) -> Counter[str]:
    """Requests by the reason for which they were in vain and are made again."""
    found: Counter[str] = Counter()
    for stage in view.stages:
        found.update(stage.retried)
    return found


def _errors(view: JobView, trouble: JobTrouble, context: TroubleContext) -> Iterator[Line]:
    final, retried = kinds(view, trouble), retries(view)
    yield _draw_title("errors by kind", context.width)
    if not final:
        yield Line("none", "ink-3")
    yield from _draw_reasons(final, "label-i", context)
    wait = view.wait(context.now)
    if retried or wait:
        yield Line()
        yield _draw_title("asked again", context.width)
        if wait:
            yield Line(f"waiting {math.ceil(wait):,} s", "label-p")
        yield from _draw_reasons(retried, "label-p", context)


def _draw_reasons(found: Counter[str], role: str, context: TroubleContext) -> Iterator[Line]:
    """Reasons with their counts, the most frequent first; whose they are stands on the card."""
    causes: Counter[str] = Counter()
    for reason, count in found.items():
        causes[_SERVER.sub("", reason)] += count
    ordered = causes.most_common()
    room = max(8, context.width - COUNT - BAR - 1)
    for reason, count in ordered[:ERRORS]:
        line = Line().cell(make_inert(reason), room, "ink")
        line.cell(number_text.format_short(count), COUNT, f"{role} bold", right=True).add(" ")
        cells = max(1, round(BAR * count / ordered[0][1]))
        yield line.add(context.look.glyph("bar") * cells, role).clip(context.width)
    if len(ordered) > ERRORS:
        rest = sum(count for _, count in ordered[ERRORS:])
        yield Line(f"{len(ordered) - ERRORS} other kinds  {rest:,}", "ink-3")


def _draw_slow(view: JobView, context: TroubleContext) -> Iterator[Line]:
    yield _draw_title("slow requests", context.width)
    if not view.late:
        yield Line(f"none is out for {LATE} times the median", "ink-3").clip(context.width)
        return
    for one in view.late[:SLOW]:
        age = format_duration((context.now - one.sent).total_seconds())
        line = (
            Line()
            .cell(age, 9, "label-p")
            .add(f"deadline {format_duration(one.deadline)}  ", "ink-2")
        )
        yield line.add(shorten_name(one.stage), "ink-3").clip(context.width)
    if len(view.late) > SLOW:
        yield Line(f"and {len(view.late) - SLOW:,} more", "ink-3")


def _draw_served(
    trouble: JobTrouble, said: Sequence[str], context: TroubleContext
) -> Iterator[Line]:
    yield _draw_title("models served", context.width)
    if not trouble.served and not said:
        yield Line("the server gives no name", "ink-3")
    for number, one in enumerate(trouble.served[-SERVED:]):
        yield _name(one, number > 0 or len(trouble.served) > SERVED, context)
    for text in said[-SERVED:]:
        words = make_inert(text.removesuffix(ADVICE))
        yield from wrap_spans(Line(words, "label-p").spans, context.width)


def _name(one: StoredServed, changed: bool, context: TroubleContext) -> Line:
    """A name with its fingerprint and day; marked where it is another than before."""
    mark = context.look.glyph("at-stake") if changed else " "
    line = Line(mark, "label-p bold").add(" ")
    room = max(8, context.width - line.width - DAY - 2)
    shown = f"{one.name or spell('–')} {one.fingerprint}".strip()
    line.add(cut_inside(make_inert(shown), room), "label-p" if changed else "ink")
    return line.right(Line(one.at[:DAY], "ink-3"), context.width)


def _draw_title(title: str, width: int) -> Line:
    return Line(f"{title} ", "ink-3").clip(width).rule(width)
