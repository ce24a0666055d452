"""Edits of scores in copies of logs of Inspect, made by Inspect itself.

Originals are only read. A copy gets its name when it is whole.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import db.response_sources
import db.responses
from core.errors import LostkeysError, UsageError
from core.exchange.inspect_log import InspectLog
from core.exchange.log_samples import LogSample
from core.project import OpenProject
from core.settings.compression import compression_of
from core.settings.extras import check_extra
from core.settings.file_writer import explain_unwritable
from core.transfer.label_edits import LabelEdit
from core.transfer.pseudonyms import Pseudonyms
from core.transfer.row_values import quote


@dataclass(slots=True)
class EditedLog:
    """A copy, how many scores were edited in it, and what could not be, a line each."""

    path: Path
    edited: int = 0
    refused: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


def apply_edits(
    project: OpenProject,
    edits: Sequence[LabelEdit],
    logs: Sequence[Path],
    folder: Path,
    names: Pseudonyms | None = None,
) -> Iterator[EditedLog]:
    """Write a copy of each log to a folder, with the edits that are of it.

    With `names` the edits are of an anonymous copy of a project, and the same names are hidden
    in all that the log says beside questions and answers.

    A sample with another text or uuid than was imported is refused. Raises `LostkeysError` for a
    log that was not imported or cannot be read, and where a copy cannot be written; `UsageError`
    where a copy would stand where something is.
    """
    check_extra("inspect")
    slots = [one.source.response for one in edits]
    there = db.responses.find_existing(project.connection, slots)
    texts = {slot: text for slot, (text, _) in there.items()}
    known = {one.eval_id for one in db.response_sources.files(project.connection)}
    targets = [_target(log, folder, names) for log in logs]
    if len(set(targets)) < len(targets):
        raise UsageError("two of the logs have one name: apply edits to one after the other")
    folder.mkdir(parents=True, exist_ok=True)
    for log, target in zip(logs, targets, strict=True):
        yield _Copy(log, target, known, names).write(edits, texts)


def _target(log: Path, folder: Path, names: Pseudonyms | None) -> Path:
    target = folder / (log.name if names is None else names.name(log.name))
    if not log.is_file():
        raise LostkeysError(f"{log} is no file: name a log")
    if target.exists():
        raise UsageError(f"{target} is there already: name another folder with --to")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is no folder: name one with --to")
    return target


class _Copy:
    """One log and its copy."""

    def __init__(self, log: Path, target: Path, known: set[str], names: Pseudonyms | None) -> None:
        from inspect_ai.log import read_eval_log

        if compression_of(log):
            raise LostkeysError(f"{log}: Inspect edits no packed log: unpack it first")
        reader = InspectLog(log)
        self._samples = {
            (one.sample_id, one.epoch): one
            for one in reader.samples()
            if isinstance(one, LogSample)
        }
        if reader.head.eval_id not in known:
            raise LostkeysError(f"{log} was not imported here: import it first")
        try:
            self._log = read_eval_log(str(log))
        except Exception as error:  # whatever it finds wrong with a file that is not ours
            why = str(error).strip().partition("\n")[0][:200]
            raise LostkeysError(f"{log}: inspect_ai cannot read it ({why})") from None
        self._eval_id = reader.head.eval_id
        self._found = EditedLog(target)
        if names is not None:
            self._log = _hide_names(self._log, names)

    def write(self, edits: Sequence[LabelEdit], texts: Mapping[int, str]) -> EditedLog:
        """Edit, and write."""
        for edit in edits:
            if edit.source.file.eval_id == self._eval_id:
                fault = self._fault(edit, texts.get(edit.source.response))
                if fault is None:
                    self._edit(edit)
                else:
                    self._found.refused.append(fault)
        if self._found.edited:
            self._recompute()
        self._save()
        return self._found

    def _fault(self, edit: LabelEdit, text: str | None) -> str | None:
        """Why an edit is refused, if it is."""
        source = edit.source
        sample = self._samples.get((source.sample_id, source.epoch))
        place = f"sample {quote(str(source.sample_id))}, epoch {source.epoch}"
        if sample is None:
            return f"{place}: not in the log"
        if sample.uuid != source.uuid:
            return f"{place}: another uuid than was imported"
        if sample.answers[0].text != text:
            return f"{place}: another text than was imported"
        return None

    def _edit(self, edit: LabelEdit) -> None:
        from inspect_ai.log import ProvenanceData, edit_score
        from inspect_ai.scorer import ScoreEdit

        source = edit.source
        time = datetime.now(UTC) if edit.at is None else datetime.fromtimestamp(edit.at / 1000, UTC)
        origin = ProvenanceData(timestamp=time, author=edit.author, reason=edit.reason)
        assert source.sample_id is not None
        edit_score(
            self._log,
            source.sample_id,
            edit.score,
            ScoreEdit(value=self._value(edit), provenance=origin),
            recompute_metrics=False,
            epoch=source.epoch,
        )
        self._found.edited += 1

    def _value(self, edit: LabelEdit) -> Any:
        """The value, within the others of a score that has several parts."""
        if edit.part is None:
            return edit.value
        samples = self._log.samples or []
        (sample,) = (
            one
            for one in samples
            if (one.id, one.epoch) == (edit.source.sample_id, edit.source.epoch)
        )
        now = (sample.scores or {})[edit.score].value
        return {**(now if isinstance(now, dict) else {}), edit.part: edit.value}

    def _recompute(self) -> None:
        from inspect_ai.log import recompute_metrics

        try:
            recompute_metrics(self._log)
        except Exception as error:  # scorers of packages that are not here, and the like
            why = str(error).strip().partition("\n")[0][:200]
            self._found.notices.append(
                f"metrics stay as they were: they cannot be computed ({why})"
            )

    def _save(self) -> None:
        from inspect_ai.log import write_eval_log

        target = self._found.path
        draft = target.with_name(f".{os.getpid()}.part{target.suffix}")
        try:
            write_eval_log(self._log, str(draft))
            draft.replace(target)
        except OSError as error:
            raise explain_unwritable(target, error) from error
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)


_DATA = (
    *("id", "input", "target", "choices", "messages", "output", "attachments", "answer"),
    *("type", "event", "uuid", "eval_id", "run_id", "task_id", "status", "role", "source"),
)
"""Keys of a log under which stand questions, answers and words of the format."""


def _hide_names(log: Any, names: Pseudonyms) -> Any:
    """A log in which names of people and addresses are hidden, those of scorers alike."""
    from inspect_ai.log import EvalLog

    stored = log.model_dump(mode="json", fallback=lambda _: None)
    scorers = {key for sample in stored.get("samples") or () for key in sample.get("scores") or ()}
    return EvalLog.model_validate(_hide_places(names.hide_values(stored, _DATA), names, scorers))


def _hide_places(value: Any, names: Pseudonyms, scorers: set[str]) -> Any:
    if isinstance(value, list):
        return [_hide_places(one, names, scorers) for one in value]
    if not isinstance(value, dict):
        return value
    hidden = {"model_base_url": None, "origin": ""}
    return {
        names.people.hide(key) if key in scorers else key: (
            hidden[key] if key in hidden and one else _hide_places(one, names, scorers)
        )
        for key, one in value.items()
    }
