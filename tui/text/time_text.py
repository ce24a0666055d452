"""Times as people write them: how long, since when, until when, on which day."""

from datetime import UTC, datetime, timedelta

from core.stats.number_format import format_duration


def format_span(began: datetime | None, ended: datetime | None) -> str:
    """How long something took that is over; nothing where it never began, or goes on."""
    if began is None or ended is None:
        return ""
    return format_duration((ended - began).total_seconds())


def format_end(left: float, now: datetime) -> str:
    """When something ends that takes so many seconds more: a time, or a day and a time."""
    then = now + timedelta(seconds=left)
    if then.date() == now.date():
        return f"ends about {then:%H:%M}"
    if then.date() == now.date() + timedelta(days=1):
        return f"ends about {then:%H:%M} tomorrow"
    return f"ends about {then.day} {then:%b}"


def format_begin(began: datetime | None, goes_on: bool, now: datetime) -> str:
    """When something began, with its day unless that is today; `since 13:46` while it goes on."""
    if began is None:
        return ""
    day = "" if began.date() == now.date() else f"{began.day} {began:%b} "
    return f"{'since ' if goes_on else ''}{day}{began:%H:%M}"


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def format_day(at: int) -> str:
    """The day of a time in milliseconds, as it is here: `14 Nov`; nothing for one beyond years."""
    then = _local(at)
    return "" if then is None else f"{then.day} {_MONTHS[then.month - 1]}"


def format_moment(at: int, now: int) -> str:
    """The minute of a time in milliseconds, with its day unless that is today: `14 Nov 14:02`."""
    then, today = _local(at), _local(now)
    if then is None:
        return ""
    minute = f"{then.hour:02}:{then.minute:02}"
    return minute if today and then.date() == today.date() else f"{format_day(at)} {minute}"


def _local(at: int) -> datetime | None:
    try:
        return datetime.fromtimestamp(at / 1000, UTC).astimezone()
    except (OverflowError, OSError, ValueError):
        return None


def format_minutes(minutes: float) -> str:
    """Minutes as people say them: `38 min`, `2 h 04`."""
    whole = max(1, round(minutes))
    return f"{whole} min" if whole < 100 else f"{whole // 60:,} h {whole % 60:02}"
