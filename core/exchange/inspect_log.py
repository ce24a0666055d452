"""Logs of Inspect: `.json`, and `.eval` archives with a member a sample."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from core.exchange.gold_texts import GoldQuestion, ask_choices, gold_texts, letters_of
from core.exchange.json_rows import load_whole, write_compact
from core.exchange.left_out_parts import note_left_out
from core.exchange.log_archive import LogArchive
from core.exchange.log_reader import LogReader, is_failure, mapping_of, text_of
from core.exchange.log_samples import BadSample, LogAnswer, LogSample, LogScore, PersonScore
from core.exchange.score_labels import NO_VERDICT, is_no_verdict, name_grader
from core.settings.compression import plain_path
from core.settings.plain_data import read_token_count

VERSION = 2
"""The version of logs that is read here; others are read by `inspect_ai`."""

FORMAT, ARCHIVE = "inspect", ".eval"
LONGEST_ARGUMENT = 80
"""Characters of an argument's value that stand in ids."""

UNCHANGED = "UNCHANGED"
HEADERS = ("header.json", "_journal/start.json")
"""Members that say what a log is; a log that is being written has the second alone."""

_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")


class InspectLog(LogReader):
    """One log of Inspect. `arguments`: those of its task that the ids of facts name."""

    arguments: Sequence[str] = ()

    def samples(self) -> Iterator[LogSample | BadSample]:
        """Its samples; rows are called `ID/EPOCH`."""
        if self.path.suffix.lower() == ARCHIVE:
            yield from self._read_archive()
        else:
            yield from self._read_samples(load_whole(self))

    def _read_archive(self) -> Iterator[LogSample | BadSample]:
        with LogArchive(self.path) as archive:
            name = next((one for one in HEADERS if one in archive.names), None)
            if name is None:
                raise self.read_error(
                    "no Inspect log: it has no header.json", remedy="check the file"
                )
            head = mapping_of(archive.read_member(name))
            if _version(head) != VERSION:
                yield from self._read_samples(self._read_by_inspect(head))
                return
            solver = self._begin(head, name == HEADERS[0])
            found = 0
            for member in archive.names:
                if member.startswith("samples/") and member.endswith(".json"):
                    found += 1
                    yield self._sample(mapping_of(archive.read_member(member)), found, solver)

    def _read_samples(self, log: Any) -> Iterator[LogSample | BadSample]:
        if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
            raise self.read_error("no Inspect log: it has no `eval`", remedy="check the file")
        if "version" in log and _version(log) != VERSION:
            log = self._read_by_inspect(log)
        solver = self._begin(log, True)
        samples = log.get("samples")
        listed = samples if isinstance(samples, list) else []
        for place, sample in enumerate(listed, 1):
            yield self._sample(mapping_of(sample), place, solver)

    def _read_by_inspect(self, head: Mapping[str, Any]) -> Any:
        """The log as `inspect_ai` reads it, in the version that is read here."""
        from core.settings.extras import check_extra

        check_extra("inspect")
        from inspect_ai.log import read_eval_log

        try:
            log: Any = read_eval_log(str(self.path)).model_dump(mode="json", by_alias=True)
        except Exception as error:  # whatever it finds wrong with a file that is not ours
            why = str(error).strip().partition("\n")[0][:200]
            what = f"a log of version {_version(head)} that inspect_ai cannot read ({why})"
            raise self.read_error(what, remedy="check the file") from None
        return {**log, "version": VERSION}

    def _begin(self, log: Mapping[str, Any], whole: bool) -> "_Solver":
        """Take in what holds of the whole log; gives what its solvers say."""
        spec = mapping_of(log.get("eval"))
        self.head.model = text_of(spec.get("model")) or None
        self.head.eval_id = text_of(spec.get("eval_id")) or ""
        task = find_task(spec, self.plain)
        if self.arguments and not self.prefix:
            given = mapping_of(spec.get("task_args"))
            task = f"{task}:{','.join(_name_argument(one, given) for one in self.arguments)}"
            self.head.notices.add(
                f"ids of facts begin with {task}, as logs of this command differ in these arguments"
            )
        plan = mapping_of(log.get("plan"))
        self.head.thinking = _thinks(spec, plan)
        status = log.get("status", "started") if whole else "started"
        if status != "success":
            self.head.notices.add(f"the log is unfinished ({status}): what it has is in")
        return _Solver(self.prefix or task, _shuffles(plan))

    def _sample(
        self, sample: Mapping[str, Any], place: int, solver: "_Solver"
    ) -> LogSample | BadSample:
        key, epoch = sample.get("id"), sample.get("epoch", 1)
        if type(key) not in (int, str) or type(epoch) is not int or epoch < 1:
            return BadSample(place, "has no id and epoch")
        row = f"{key}/{epoch}"
        if sample.get("error"):
            return BadSample(row, "the sample failed")
        resolve = _Attachments(mapping_of(sample.get("attachments")))
        output = mapping_of(sample.get("output"))
        choices = output.get("choices")
        if not isinstance(choices, list) or not choices:
            return BadSample(row, "the sample failed" if output.get("error") else "has no output")
        message = mapping_of(mapping_of(choices[0]).get("message"))
        text = resolve.text(message.get("content"))
        if is_failure(mapping_of(choices[0]).get("stop_reason")):
            return BadSample(row, "the sample failed")
        if text is None:
            return BadSample(row, "holds no answer text")
        if _holds_reasoning(message.get("content")) or _reasoning_tokens(output, sample):
            self.head.thinking = True
        reasoning = resolve.reasoning(message)
        note_left_out(self.head.notices, row, [sample.get("input"), message])
        asked = _ask(sample, resolve)
        if isinstance(asked, str):
            return BadSample(row, asked)
        scores, people = _read_scores(mapping_of(sample.get("scores")))
        return LogSample(
            row,
            f"{solver.name}/{key}",
            asked,
            [LogAnswer(epoch - 1, text, scores, people, reasoning)],
            ours=_named_fact(mapping_of(sample.get("metadata"))),
            shown=not solver.shuffles,
            sample_id=key,
            epoch=epoch,
            uuid=text_of(sample.get("uuid")),
            prompt=_prompt(sample, resolve),
        )


def find_task(spec: Mapping[str, Any], path: Path) -> str:
    """Return the last part of the task that a log names, else the file's name."""
    return (text_of(spec.get("task")) or plain_path(path).stem).rstrip("/").rpartition("/")[2]


def _name_argument(name: str, given: Mapping[str, Any]) -> str:
    value = given.get(name)
    shown = value if isinstance(value, str) else write_compact(value)
    return f"{name}={shown.replace('/', '-')[:LONGEST_ARGUMENT]}"


class _Solver:
    """What a log says of how all of its samples were asked."""

    def __init__(self, name: str, shuffles: bool) -> None:
        self.name = name
        self.shuffles = shuffles


class _Attachments:
    """Texts of a sample, with what it keeps apart put back in its place."""

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self._kept = kept

    def text(self, content: Any) -> str | None:
        """The text of a message's content; None where it has no part that is text."""
        if isinstance(content, str):
            return self._resolve(content)
        if not isinstance(content, list):
            return None
        parts = [mapping_of(part) for part in content]
        texts = [part.get("text") for part in parts if part.get("type", "text") == "text"]
        found = [self._resolve(one) for one in texts if isinstance(one, str)]
        return "\n".join(found) if found or not parts else None

    def reasoning(self, message: Mapping[str, Any]) -> str | None:
        """The reasoning of a message: in parts of its content, or in a field (until 0.3.72).

        Of what the service keeps to itself the summary.
        """
        content = message.get("content")
        parts = [mapping_of(part) for part in content] if isinstance(content, list) else []
        texts = [message.get("reasoning")]
        for part in parts:
            if part.get("type") == "reasoning":
                hidden = part.get("redacted") or not part.get("reasoning")
                texts.append(part.get("summary" if hidden else "reasoning"))
        return "\n".join(self._resolve(one) for one in texts if isinstance(one, str)) or None

    def _resolve(self, text: str) -> str:
        if "attachment://" not in text:
            return text
        return _ATTACHMENT.sub(self._find_text, text)

    def _find_text(self, found: re.Match[str]) -> str:
        kept = self._kept.get(found[1])
        return kept if isinstance(kept, str) else found[0]


def _holds_reasoning(content: Any) -> bool:
    """Whether some part is reasoning, shown or not."""
    listed = content if isinstance(content, list) else ()
    return any(mapping_of(part).get("type") == "reasoning" for part in listed)


def _version(log: Mapping[str, Any]) -> object:
    return log.get("version", 1)


def _thinks(spec: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
    """Whether the log says that the model was to think."""
    configs = (spec.get("model_generate_config"), plan.get("config"), spec.get("config"))
    if any(mapping_of(one).get("reasoning_effort") not in (None, "none") for one in configs):
        return True
    return any(
        name == "chain_of_thought" or (name == "multiple_choice" and params.get("cot"))
        for name, params in _steps(plan)
    )


def _shuffles(plan: Mapping[str, Any]) -> bool:
    return any(name == "multiple_choice" and params.get("shuffle") for name, params in _steps(plan))


def _steps(plan: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    steps = plan.get("steps")
    for step in steps if isinstance(steps, list) else ():
        name = text_of(mapping_of(step).get("solver")) or ""
        yield name.rpartition("/")[2], mapping_of(mapping_of(step).get("params"))


def _reasoning_tokens(output: Mapping[str, Any], sample: Mapping[str, Any]) -> bool:
    used = [output.get("usage"), *mapping_of(sample.get("model_usage")).values()]
    counts = (mapping_of(one).get("reasoning_tokens") for one in used)
    return any(read_token_count(count) for count in counts)


def _named_fact(metadata: Mapping[str, Any]) -> tuple[str, str] | None:
    fact, task = metadata.get("fact_id"), metadata.get("task", "direct")
    return (fact, task) if isinstance(fact, str) and isinstance(task, str) else None


def _ask(sample: Mapping[str, Any], resolve: _Attachments) -> GoldQuestion | str:
    given = sample.get("input")
    question: str | None = None
    if isinstance(given, list):
        asked = [mapping_of(one) for one in given]
        last = [one.get("content") for one in asked if one.get("role") == "user"]
        question = resolve.text(last[-1]) if last else None
    else:
        question = resolve.text(given)
    golds = gold_texts(sample.get("target"))
    options = sample.get("choices")
    if question is None or not isinstance(options, list) or not options:
        return GoldQuestion(question or "", golds)
    return ask_choices(question, options, letters_of(golds, len(options)))


def _prompt(sample: Mapping[str, Any], resolve: _Attachments) -> str | None:
    """What was sent before the last answer: a message alone as it is, several with their roles."""
    messages = sample.get("messages")
    listed = messages if isinstance(messages, list) and messages else sample.get("input")
    if not isinstance(listed, list):
        return None
    said = [(mapping_of(one).get("role"), mapping_of(one).get("content")) for one in listed]
    while said and said[-1][0] == "assistant":
        said.pop()
    texts = [(role, resolve.text(content)) for role, content in said]
    if len(texts) == 1:
        return texts[0][1]
    return "\n\n".join(f"{role}: {text}" for role, text in texts if text)


def _read_scores(scores: Mapping[str, Any]) -> tuple[list[LogScore], list[PersonScore]]:
    found: list[LogScore] = []
    people: list[PersonScore] = []
    for name, score in scores.items():
        told = mapping_of(score)
        history = [mapping_of(one) for one in told.get("history") or () if isinstance(one, dict)]
        edits = [one for one in history if one.get("provenance")]
        first = next((one for one in history if not one.get("provenance")), None)
        if first is None:
            first = {} if edits else told
        people += _edits(name, edits)
        if first:
            found += _parts(name, first, told.get("value"))
    return found, people


def _parts(name: str, score: Mapping[str, Any], now: Any) -> Iterable[LogScore]:
    value, rationale = score.get("value"), text_of(score.get("explanation"))
    void = NO_VERDICT if is_no_verdict(rationale) else ""
    if not isinstance(value, dict):
        yield LogScore(name_grader(FORMAT, name), name, value, rationale, None, void, now)
        return
    current = mapping_of(now)
    for key, part in value.items():
        grader = name_grader(FORMAT, f"{name}.{key}")
        yield LogScore(grader, name, part, rationale, key, void, current.get(key))


def _edits(scorer: str, history: Sequence[Mapping[str, Any]]) -> Iterator[PersonScore]:
    names = name_grader(FORMAT, scorer), scorer
    for edit in history:
        origin = mapping_of(edit.get("provenance"))
        author, value = text_of(origin.get("author")), edit.get("value")
        if author and author.strip() and value is not None and value != UNCHANGED:
            reason = text_of(origin.get("reason"))
            yield PersonScore(author, value, reason, _milliseconds(origin.get("timestamp")), names)


def _milliseconds(stamp: Any) -> int | None:
    try:
        return int(datetime.fromisoformat(stamp).timestamp() * 1000)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


READER = InspectLog
