"""The card of one job: how far, how fast, how long, how dear, what just came, what went wrong."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from core.engine.run_counters import CHECK, RECENT, RecentAnswer
from core.engine.served_names import ADVICE
from core.jobs.job_progress import ENOUGH, State
from core.jobs.job_view import HALF_MINUTES, JobStage, JobView
from core.providers.late_requests import LATE
from core.specs.file_specs import FilesSpec
from core.specs.job_kinds import KINDS, AskingSpec, asks_models
from core.stats.number_format import format_amount, format_duration
from tui.screens.jobs import sentences
from tui.screens.jobs.render_stages import share_bar, shorten_name
from tui.text import time_text
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, Span, cut_inside
from tui.text.line_wrap import wrap_spans
from tui.text.number_text import format_money, format_short, format_tokens
from tui.theme.look import Look
from tui.theme.roles import label_mark

NAME = 10
"""Column at which values begin."""

SECOND = 19
"""Column at which what belongs to a short value begins."""

FEW = 4
"""Just answered ones where lines are few; more where there is room."""

MANY = 7

LATE_FEW, LATE_MANY = 2, 6
"""Late requests where lines are few, and where there is room."""

REASONS = 8
"""Reasons that are listed at most."""

NOTES = 2
"""Lines about served models that are told at most."""

MOST = 3
"""Lines of the card that one of them takes at most."""

MARGIN = 11
"""Cells beside a name in a line that is about one."""

COUNT = 7
ABOUT = 0.45
"""Share of the width that an answer gets beside what it is about."""


@dataclass(frozen=True, slots=True)
class CardRoom:
    """Cells and lines that there are for a card."""

    width: int
    height: int

    @property
    def airy(self) -> bool:
        """Whether there is height for blank lines."""
        return self.height >= 20

    @property
    def late(self) -> int:
        """How many late requests there is height for."""
        return LATE_FEW if not self.airy else LATE_MANY

    @property
    def recent(self) -> int:
        """How many just answered ones there is height for."""
        return FEW if not self.airy else MANY if self.height < 40 else RECENT


def lines(
    view: JobView,
    stage: JobStage | None,
    room: CardRoom,
    now: datetime,
    look: Look,
    served: Sequence[str] = (),
) -> list[Line]:
    """The card of a job; `stage` is the one whose reasons are told.

    served: what its log says of the names by which its models are served.
    """
    found = [*_head(view, room, look)]
    for part in (
        [*_state(view, room, now, look), *_draw_served(served, room.width)],
        list(_figures(view, room, look)),
        list(_draw_recent(view, room, look)),
        list(reasons(stage, room.width, look)) if stage else [],
    ):
        if part:
            found += [Line(), *part] if room.airy and found else part
    return found


def _head(view: JobView, room: CardRoom, look: Look) -> Iterator[Line]:
    """The bar of the whole."""
    if view.total:
        said = f"{view.share:.0%}".rjust(5) + " "
        bar = share_bar(view.share, room.width - 1 - len(said), look)
        yield Line(" ").join(bar).add(said, "ink bold")
        done = Line(f" {sentences.describe_count(view)}", "ink-2")
        labels = f", {format_amount(view.labels[0], 'label')}" if view.labels else ""
        yield done.add(labels, "ink-2")


def _state(view: JobView, room: CardRoom, now: datetime, look: Look) -> Iterator[Line]:
    """Rate and time left while it runs here; else where it is and which key goes on."""
    if view.wish:
        yield _row(sentences.WISHES[view.wish], "", "label-p")
    if view.state is State.RUNNING and not view.lost:
        if view.here:
            yield _rate(view, look)
            if wait := view.wait(now):
                yield _row("waiting", f"{math.ceil(wait):,} s, as the server asks", "label-p")
            yield _draw_time_left(view, now)
            yield from _draw_late(view, room, now)
        else:
            yield Line(" another program works on it", "ink-2")
        return
    yield from (
        Line(" ").join(line) for line in wrap_spans(draw_state_sentence(view).spans, room.width - 2)
    )


def draw_state_sentence(view: JobView) -> Line:
    """In a sentence where a job is that does not run, what is kept and which key goes on."""
    if view.lost:
        return _go_on(
            Line("Its program is gone. ", "ink").add(f"{sentences.so_far(view)}.", "ink-2")
        )
    if view.state is State.WAITING:
        return Line("Begins when the job before it is through.", "ink-2")
    if view.state is State.PAUSED:
        return _go_on(Line("Paused. ", "ink").add(f"{sentences.so_far(view)}.", "ink-2"))
    if view.state is State.STOPPED:
        return _draw_stopped(view)
    if view.state is State.OUT:
        return _draw_out(view)
    if view.state is State.FAILED:
        why = Line(f"{view.reason or 'it failed'}. ", "label-i")
        return _go_on(
            why.add(f"{_sentence(sentences.describe_kept(view))}.", "ink-2"), "tries again"
        )
    took = time_text.format_span(view.started, view.ended)
    if view.state is State.CANCELLED:
        line = Line("Cancelled. ", "ink").add(
            f"{_sentence(sentences.describe_kept(view))}.", "ink-2"
        )
        if not begins_again(view):
            return line
        return line.add(" r", "accent bold").add(" begins it again.", "ink-2")
    return Line(view.reason or sentences.so_far(view), "ink-2").add(f", in {took}" if took else "")


def _draw_out(view: JobView) -> Line:
    """Out in files: how the answers stand, and which key shows how they are had."""
    folder = view.spec.folder if isinstance(view.spec, FilesSpec) else ""
    line = (
        Line("Out in ", "ink")
        .add(folder, "ink")
        .add(f". {sentences.describe_plan(view)}. ", "ink-2")
    )
    return line.add("enter", "accent bold").add(" shows the commands for engines.", "ink-2")


def _draw_stopped(view: JobView) -> Line:
    """Stopped by its budget, which `r` raises, or by something else."""
    if by_budget(view):
        line = Line(f"Stopped at {_limit(view)}. ", "ink").add(
            f"{sentences.so_far(view)}. ", "ink-2"
        )
        return line.add("r", "accent bold").add(" continues.", "ink-2")
    why = _sentence((view.reason or "stopped").rstrip("."))
    return _go_on(Line(f"{why}. ", "ink").add(f"{sentences.so_far(view)}.", "ink-2"))


def by_budget(view: JobView) -> bool:
    """Whether a job has stopped because what is left of its budget may not do."""
    return view.max_cost is not None and view.reason.startswith("Stopped at $")


def begins_again(view: JobView) -> bool:
    """Whether `r` offers a job as it was: its budget has stopped it, or somebody cancelled it."""
    cancelled = view.state is State.CANCELLED and isinstance(view.spec, AskingSpec)
    return by_budget(view) or cancelled


def _limit(view: JobView) -> str:
    """The budget; what was spent of it before, where that is not the same."""
    limit, spent = (
        format_money(view.max_cost or 0.0),
        format_money(view.cost or 0.0),
    )
    return limit if spent == limit else f"{spent} of {limit}"


def _go_on(line: Line, how: str = "goes on") -> Line:
    return line.add(" ").add("space", "accent bold").add(f" {how}.", "ink-2")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _rate(view: JobView, look: Look) -> Line:
    line = _row("rate", sentences.rate(view) or look.glyph("waiting"))
    return line.to(SECOND - 1).add(" ").add(levels(view.rates, look), "accent")


def levels(rates: Sequence[float], look: Look) -> str:
    """Rates as a row of bars, the highest a whole cell high."""
    most = max(rates, default=0.0)
    if not most:
        return ""
    places = (min(7, int(8 * max(rate, 0.0) / most)) for rate in rates[-HALF_MINUTES:])
    return "".join(look.glyph(f"level-{place}") for place in places)


def _draw_time_left(view: JobView, now: datetime) -> Line:
    if view.left is None and view.kind in KINDS and KINDS[view.kind].grows:
        return _row("left", "not known: kept candidates bring more", "ink-3")
    if view.left is None:
        return _row("left", f"known once {ENOUGH} are done", "ink-3")
    line = _row("left", format_duration(view.left)).to(SECOND - 1)
    then = time_text.format_end(view.left, now) if view.is_last else "then it is graded"
    return line.add(f" {then}", "ink-2")


def _draw_late(view: JobView, room: CardRoom, now: datetime) -> Iterator[Line]:
    """Requests that are out for much longer than others took: age, deadline and stage of each."""
    count = sum(stage.late for stage in view.stages)
    if not count:
        return
    requests = format_amount(count, "request")
    yield _row("late", f"{requests}, {LATE} x the median", "label-p")
    for one in view.late[: room.late]:
        line = Line().to(NAME).add(format_duration((now - one.sent).total_seconds()), "label-p")
        line.add(f", deadline {format_duration(one.deadline)}", "ink-2")
        stage = Line("  ").add(shorten_name(one.stage), "ink-3")
        yield line.join(stage.clip(max(0, room.width - line.width - 1)))
    if len(view.late) > room.late:
        yield Line().to(NAME).add(f"and {len(view.late) - room.late:,} more", "ink-3")


def _draw_served(texts: Sequence[str], width: int) -> Iterator[Line]:
    """The last of what is said of served models; long names are cut."""
    cells = max(2 * MARGIN, width - NAME - 1)
    for text in texts[-NOTES:]:
        words = make_inert(text.removesuffix(ADVICE).removeprefix("the served ")).split(" ")
        said = " ".join(_name(word, cells - MARGIN) for word in words)
        for place, line in enumerate(islice(wrap_spans([Span(said, "label-p")], cells), MOST)):
            yield Line(" ").add("" if place else "served", "ink-3").to(NAME).join(line)


def _name(word: str, cells: int) -> str:
    """A model's name without its folders where they do not fit; what is left is cut inside."""
    return word if width_of(word) <= cells else cut_inside(word.rpartition("/")[2], cells)


def _figures(view: JobView, room: CardRoom, look: Look) -> Iterator[Line]:
    """Tokens, what is spent against the budget, and where that will end."""
    if not asks_models(view.kind):
        return
    into = sum(one.input_tokens for one in view.spends)
    out = sum(one.output_tokens for one in view.spends)
    if into or out:
        yield _row(
            "tokens",
            f"{format_tokens(into)} in, {format_tokens(out)} out",
            "ink-2",
        )
    yield from _money(view, room, look)


def _money(view: JobView, room: CardRoom, look: Look) -> Iterator[Line]:
    if view.max_cost is not None:
        spent = view.cost or 0.0
        line = _row(
            "budget",
            f"{format_money(spent)} of {format_money(view.max_cost)}",
            "ink",
        )
        cells = room.width - line.width - 3
        if cells >= COUNT:
            share = min(1.0, spent / view.max_cost) if view.max_cost else 1.0
            line.add("  ").join(share_bar(share, cells, look))
        yield line
    elif view.cost:
        yield _row("cost", format_money(view.cost), "ink")
    elif view.spends:
        free = all(one.cost is not None for one in view.spends)
        yield _row("cost", "nothing" if free else "price not known", "ink-2")
    if view.cost and view.cost_at_end is not None and view.state not in sentences.OVER:
        how = "more than" if view.cost_is_open else "about"
        line = _row("at end", f"{how} {format_money(view.cost_at_end)}", "ink-2")
        yield line.add(f"   {only}" if (only := describe_paid_stages(view)) else "", "ink-3")


def describe_paid_stages(view: JobView) -> str:
    """Which stages alone cost something: `grading only`; nothing where all do."""
    of_work = [one for one in view.spends if one.stage != CHECK]
    kinds = {one.stage.split()[0] for one in of_work if one.cost}
    free = {one.stage.split()[0] for one in of_work} - kinds
    names = {"grade": "grading only", "answer": "answering only"}
    return names.get(next(iter(kinds)), "") if free and len(kinds) == 1 else ""


def _draw_recent(view: JobView, room: CardRoom, look: Look) -> Iterator[Line]:
    """What has just been answered, with a place kept for as many as are shown."""
    if not view.recent:
        return
    yield Line(" just answered ", "ink-3").rule(room.width - 1)
    shown = view.recent[-room.recent :]
    answer = int((room.width - 4) * ABOUT)
    for one in reversed(shown):
        yield _answer(one, answer, room.width, look)
    yield from [Line()] * (room.recent - len(shown))


def _answer(recent: RecentAnswer, cells: int, width: int, look: Look) -> Line:
    mark = (look.glyph("unlabelled"), "ink-3")
    if recent.label is not None:
        mark = label_mark(recent.label, look)
    line = Line(" ").add(*mark).add(" ").cell(recent.text, cells, "ink").add(" ")
    return line.cell(recent.about, max(0, width - line.width - 1), "ink-3")


def reasons(stage: JobStage, width: int, look: Look) -> Iterator[Line]:
    """Why things of a stage were dropped or have failed, each with its share as a bar."""
    if not stage.reasons:
        return
    yield Line(f" {describe_reasons(stage)} ", "ink-3").clip(width - 2).rule(width - 1)
    found = sorted(stage.reasons.items(), key=lambda item: -item[1])
    most = found[0][1]
    name = min(max(len(reason) for reason, _ in found[:REASONS]), width - COUNT - 10)
    role = "label-i" if stage.failed and not stage.dropped else "label-p"
    for reason, count in found[:REASONS]:
        line = Line(" ").cell(reason, name, "ink-2").cell(format_short(count), COUNT, right=True)
        cells = max(0, width - line.width - 2)
        full = max(1, round(cells * count / most))
        yield line.add(" ").add(look.glyph("bar") * full, role)
    if len(found) > REASONS:
        rest = sum(count for _, count in found[REASONS:])
        yield Line(f" {len(found) - REASONS} other reasons  {rest:,}", "ink-3")


def describe_reasons(stage: JobStage) -> str:
    """What the reasons are about: `why 907 were dropped`."""
    parts = []
    if stage.dropped:
        parts.append(f"{stage.dropped:,} {'was' if stage.dropped == 1 else 'were'} dropped")
    if stage.failed:
        parts.append(f"{stage.failed:,} failed")
    said = "why " + ", ".join(parts) if parts else "why"
    return f"{said}: {shorten_name(stage.name)}"


def _row(name: str, value: str, role: str = "ink bold") -> Line:
    return Line(" ").add(name, "ink-3").to(NAME).add(value, role)
