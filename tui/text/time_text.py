"""Times as people write them: how long, since when, until when, on which day."""

from datetime import UTC, datetime, timedelta

from core.jobs.job_progress import State
from core.jobs.job_view import JobView
from core.stats.number_format import lasting


def lasted(view: JobView) -> str:
    """How long a job that is over took."""
    if view.started is None or view.ended is None:
        return ""
    return lasting((view.ended - view.started).total_seconds())


def ends(left: float, now: datetime) -> str:
    """When something ends that takes so many seconds more: a time, or a day and a time."""
    then = now + timedelta(seconds=left)
    if then.date() == now.date():
        return f"ends about {then:%H:%M}"
    if then.date() == now.date() + timedelta(days=1):
        return f"ends about {then:%H:%M} tomorrow"
    return f"ends about {then.day} {then:%b}"


def since(view: JobView, now: datetime) -> str:
    """When a job began, with the day where that is not today; `since 13:46` while it goes on."""
    began = view.started or view.created
    if began is None:
        return ""
    day = "" if began.date() == now.date() else f"{began.day} {began:%b} "
    goes_on = view.state in (State.RUNNING, State.PAUSED, State.WAITING, State.OUT)
    return f"{'since ' if goes_on else ''}{day}{began:%H:%M}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def day(at: int) -> str:
    """The day of a time in milliseconds, as it is here: `14 Nov`; nothing for one beyond years."""
    then = _local(at)
    return "" if then is None else f"{then.day} {_MONTHS[then.month - 1]}"


def moment(at: int, now: int) -> str:
    """The minute of a time in milliseconds, with its day unless that is today: `14 Nov 14:02`."""
    then, today = _local(at), _local(now)
    if then is None:
        return ""
    minute = f"{then.hour:02}:{then.minute:02}"
    return minute if today and then.date() == today.date() else f"{day(at)} {minute}"


def _local(at: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(at / 1000, UTC).astimezone()
    except (OverflowError, OSError, ValueError):
        return None


def duration(minutes: float) -> str:
    """`38 min`, `2 h 04`."""
    whole = max(1, round(minutes))
    return f"{whole} min" if whole < 100 else f"{whole // 60:,} h {whole % 60:02}"
