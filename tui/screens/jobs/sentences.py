"""What is said of jobs: titles, states, how far they came."""

from collections.abc import Sequence
from datetime import datetime

from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.specs.job_kinds import KINDS, asks_models, title_of
from core.stats.number_format import format_amount
from tui.frame import job_line
from tui.text.time_text import format_begin, format_span
from tui.theme.look import Look

OVER = (State.FINISHED, State.CANCELLED)
"""States after which a job does not go on."""

WISHES = {"pause": "asked to pause", "resume": "asked to go on", "cancel": "asked to stop"}


def title(view: JobView) -> str:
    """What a job is called: `run gemma3-12b`."""
    return f"{title_of(view.kind)} {view.name}"


def numbered_title(view: JobView) -> str:
    """The same in a list, behind its number once it is stored: `6 run gemma3-12b`."""
    return f"{view.id} {title(view)}" if view.id > 0 else title(view)


def mark(view: JobView, look: Look) -> tuple[str, str]:
    """The mark of a job and its role."""
    name, role = job_line.MARKS[State.STOPPED if view.lost else view.state]
    return look.glyph(name), role


def describe_progress(view: JobView) -> str:
    """What stands beside a job in the list: how far it is, how long it took, or its state."""
    if view.lost:
        return "its program is gone"
    if view.state is State.RUNNING:
        return describe_labels(view) or (f"{view.share:.0%}" if view.total else "begins")
    if view.state is State.OUT:
        return f"out, {sum(one.done for one in view.first):,} here"
    took = format_span(view.started, view.ended)
    return took if view.state is State.FINISHED and took else view.state.value


def describe_labels(view: JobView) -> str:
    """How far the labels are once all answers are drawn: `labels 12%`; else nothing."""
    if view.share < 1 or not view.labels or not any(one.left for one in view.stages):
        return ""
    return f"labels {view.labels[0] / view.labels[1]:.0%}"


def describe_plan(view: JobView) -> str:
    """How a plan stands that is out: `312 out, 80 here, 8 missing, none refused`."""
    counts = [
        (sum(one.waiting for one in view.first), "out"),
        (sum(one.done for one in view.first), "here"),
        (sum(one.dropped for one in view.first), "missing"),
        (sum(one.failed for one in view.first), "refused"),
    ]
    return ", ".join(f"{count:,} {word}" if count else f"none {word}" for count, word in counts)


def may_fail(view: JobView) -> bool:
    """Whether there is something to tell of what went wrong: it asks models, or has failed."""
    return asks_models(view.kind) or any(one.failed for one in view.stages)


def list_news(views: Sequence[JobView], job: int | None) -> object:
    """What is worth telling at once of jobs and of the one that is meant: states, not counts."""
    states = [
        (one.id, one.state, one.lost, [(part.name, part.failed) for part in one.stages])
        for one in views
    ]
    return job, states


def name_products(view: JobView) -> str:
    """What a job makes, in the plural."""
    kind = KINDS.get(view.kind)
    return kind.product if kind else "answers"


def describe_kept(view: JobView) -> str:
    """What stays whatever happens to a job: `99,840 answers are kept`."""
    done = sum(one.done for one in view.first)
    if not done:
        return "nothing has been done yet"
    noun = name_products(view) if done != 1 else name_products(view)[:-1]
    return f"{done:,} {noun} {'are' if done != 1 else 'is'} kept"


def so_far(view: JobView) -> str:
    """How far a job came: `31,020 of 38,700 answers, all kept`."""
    return f"{describe_count(view)}, all kept" if view.total else describe_kept(view)


def describe_count(view: JobView) -> str:
    """How much of a job is done, in its unit: `31,020 of 38,700 answers`."""
    return f"{view.done:,} of {format_amount(view.total, view.unit.removesuffix('s'))}"


def describe_begin(view: JobView, now: datetime) -> str:
    """When a job began; `since 13:46` while it goes on."""
    goes_on = view.state in (State.RUNNING, State.PAUSED, State.WAITING, State.OUT)
    return format_begin(view.started or view.created, goes_on, now)


def rate(view: JobView) -> str:
    """Things a second, or a minute where they are slow."""
    if view.rate is None:
        return ""
    if 0 < view.rate < 0.1:
        return f"{view.rate * 60:.1f}/min"
    return f"{view.rate:.1f}/s" if view.rate < 100 else f"{view.rate:,.0f}/s"
