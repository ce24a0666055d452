"""Writing a report to a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from core.errors import LostkeysError, UsageError
from core.project import Project
from core.report.html_page import html
from core.report.markdown import markdown
from core.report.report_parts import Report
from core.report.report_sections import gather
from core.scoring.policy import Policy
from core.settings.file_writer import deliver

WRITERS: Mapping[str, Callable[[Report], str]] = {
    ".html": html,
    ".htm": html,
    ".md": markdown,
    ".markdown": markdown,
}
"""How a report is written, by the extension of its file."""


def check(path: Path) -> None:
    """Raise `UsageError` or `LostkeysError` for a file that no report can be written to."""
    if path.suffix.lower() not in WRITERS:
        raise UsageError(f"{path}: the name must end in .html or .md")
    if not path.absolute().parent.is_dir():
        raise LostkeysError(f"{path.parent} is not a folder: make it first, or choose another")


def write(
    project: Project,
    path: Path,
    policy: Policy,
    models: Sequence[str] | None = None,
    where: str | None = None,
    intervals: bool = True,
    said: str | None = None,
    set_name: str | None = None,
) -> Report:
    """Compute a report and write it, whole or not at all, as HTML or Markdown by its extension.

    `said` stands in it for the filter, where that is not to be shown as it is; `set_name` is the
    set of triples of figures of these. Raises `UsageError` for another extension, or an unknown
    model, grader, filter or set.
    """
    check(path)
    report = gather(project, policy, models, where, intervals, said, set_name)
    deliver(path, WRITERS[path.suffix.lower()](report).encode())
    return report
