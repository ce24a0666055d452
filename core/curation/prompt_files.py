"""The prompts there are, what they send for a first fact, and copies for a person to change."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import db.facts
import db.model_rows
import prompts
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.settings import paths
from core.vocabulary import Side, Task
from db.facts import Fact

_SOURCE = re.compile(r"\s*\(after ([^()]*)\)\.?$")
# Templates keep their text, as its hash is the version of what they made.
_CORRECTED = {"judge": "FACT-BENCH, section 2.2 and table 12"}
RAW = "_raw"

EXEMPLARS = "Question: ...\nAnswer: ...\n\n"
"""What stands for the answered questions that a few-shot prompt shows."""


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """One template: `source` is the box or table of the paper it serves, `replaced` whether the
    person's own file takes its place, `fault` what is wrong with that file."""

    name: str
    purpose: str
    source: str
    replaced: bool
    version: int | None
    hash: str
    fault: str = ""

    def as_json(self) -> dict[str, object]:
        """The entry as `prompts --json` gives it."""
        return {name: getattr(self, name) for name in self.__slots__}


def list_prompts() -> Iterator[PromptEntry]:
    """Every template by name, as it would be used; a broken one of the person's has a fault."""
    folder = paths.prompts_folder()
    for name in prompts.list_names():
        ours, fault = prompts.load(name), ""
        used = ours
        try:
            used = prompts.load(name, folder)
        except LostkeysError as error:
            fault = str(error)
        replaced = folder is not None and (folder / f"{name}.md").exists()
        source = _SOURCE.search(ours.purpose)
        yield PromptEntry(
            name,
            _SOURCE.sub(".", used.purpose),
            _CORRECTED.get(name) or (source[1] if source else ""),
            replaced,
            None if fault else used.version,
            "" if fault else used.hash,
            fault,
        )


def copy_prompts(names: Sequence[str]) -> tuple[list[Path], list[Path]]:
    """Write templates of ours, all unless some are named, into the person's folder.

    Gives the files written, and those left alone because they are there. Raises `UsageError` for
    a name that is none and `LostkeysError` where the folder cannot be written.
    """
    folder = paths.prompts_place()
    for name in names:
        check_name(name)
    written, there = [], []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names or prompts.list_names():
            path = folder / f"{name}.md"
            text = prompts.read_source(name).encode()
            try:
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                there.append(path)
                continue
            with os.fdopen(file, "wb") as target:
                target.write(text)
            written.append(path)
    except OSError as error:
        raise LostkeysError(
            f"{folder}: {error.strerror}; name another folder with {paths.PROMPTS_VARIABLE}"
        ) from error
    return written, there


def check_name(name: str) -> None:
    """Raise `UsageError` where no template has this name."""
    known = prompts.list_names()
    if name not in known:
        raise UsageError(f"no prompt named {name}: choose one of {', '.join(known)}")


def fill_prompt(name: str, project: OpenProject | None, model: str | None = None) -> str:
    """A prompt as it would be sent for the first fact; what no fact has stays as `{NAME}`.

    With `model`, its label, the template that its recipe was drawn with. Raises `UsageError` for
    a name or a label that is none, `LostkeysError` for a broken template.
    """
    check_name(name)
    folder = paths.prompts_folder()
    if model is not None:
        folder = _find_folder(name, project, model)
    prompt = prompts.load(name, folder)
    fact = next(_first_fact(project), None) if project is not None else None
    values = {one: f"{{{one}}}" for one in prompt.inputs}
    if fact is not None:
        known = _values_of(fact, name)
        values |= {one: known[one] for one in prompt.inputs if known.get(one)}
    if name.partition("_")[2].startswith(RAW[1:]):
        return prompt.render_text(**values)
    return "\n\n".join(f"# {one.role}\n{one.content}" for one in prompt.render(**values))


def _find_folder(name: str, project: OpenProject | None, label: str) -> Path | None:
    """Where the template lies that a label was asked with: the person's folder, or None."""
    recipe = None if project is None else db.model_rows.recipe_of(project.connection, label)
    sent = {} if recipe is None else recipe.get("prompts")
    digest = sent.get(name) if isinstance(sent, dict) else None
    if digest is None:
        raise UsageError(f"{label} was not asked with {name}: `lostkeys models` lists the labels")
    for folder in dict.fromkeys((paths.prompts_folder(), None)):
        if prompts.load(name, folder).hash == digest:
            return folder
    raise LostkeysError(
        f"{name} has changed since {label} was asked with it (then {str(digest)[:8]}): put the "
        "file of that time back to see it"
    )


def _first_fact(project: OpenProject) -> Iterator[Fact]:
    """The first fact that is not rejected and has questions, else the first one there is."""
    index = project.index
    for place in (~index.rejected).nonzero()[0][:1]:
        yield from db.facts.read_facts(project.connection, [index.fact_ids[place]])


def _values_of(fact: Fact, name: str) -> dict[str, str]:
    """What the inputs of templates are for a fact; options where it has them."""
    asked = {task: one.text for task, one in fact.questions.items()}
    golds = {side: one.text for side, one in fact.golds.items()}
    task = Task.MC_DIRECT if name.startswith("choice") else Task.DIRECT
    options = fact.questions[task].choices if task in fact.questions else None
    first = options or ("", "", "", "")
    gold = golds.get(Side.OBJECT, fact.object)
    return {
        "question": asked.get(task) or asked.get(Task.DIRECT, ""),
        "left_context": asked.get(Task.COMPLETION, ""),
        "object": fact.object or gold,
        "subject": fact.subject or golds.get(Side.SUBJECT, ""),
        "answer": gold,
        "gold": gold,
        "direct": asked.get(Task.DIRECT, ""),
        "reverse": asked.get(Task.REVERSE, ""),
        "title": fact.page_title,
        "type": fact.object_type,
        **dict(zip(("option_a", "option_b", "option_c", "option_d"), first, strict=True)),
    }
