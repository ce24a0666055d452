"""What a plan is: the manifest in its folder, and the folder read again and checked."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from core.errors import LostkeysError
from core.providers.model_names import label_of
from core.vocabulary import TASKS

VERSION = 1
VERSION_KEY, NAME, FACTS = "lostkeys_requests", "manifest.json", "facts.jsonl"
ANSWERS = "answers.jsonl"
"""The file of a plan for a grader that says which answers a request is about."""

READ_AT_ONCE = 2**20
"""Bytes of a file that are summed in one go."""

_KINDS: Mapping[str, type] = {
    "plan": str,
    "label": str,
    "model": str,
    "engine": str,
    "recipe": dict,
    "tasks": list,
    "thinking": list,
    "samples": int,
    "per_request": int,
    "facts": int,
    "requests": int,
    "answers": int,
    "shards": int,
    "files": list,
}


@dataclass(frozen=True, slots=True)
class PlanFile:
    """One file of requests, all to one endpoint (its address); `sha256` of its bytes."""

    name: str
    endpoint: str
    requests: int
    answers: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """A plan in numbers. `recipe` is without the address at which the model was tried.

    `tokens_in` is estimated by the length of the texts; `most_out` is what the limits allow.
    `grader`: whose labels are asked for, without its address; empty where answers are.
    """

    plan: str
    label: str
    model: str
    engine: str
    recipe: Mapping[str, Any]
    tasks: tuple[str, ...]
    thinking: tuple[str, ...]
    samples: int
    per_request: int
    facts: int
    requests: int
    answers: int
    shards: int
    tokens_in: int
    most_out: int
    files: tuple[PlanFile, ...]
    created: str
    grader: str = ""

    def as_json(self) -> dict[str, object]:
        """The content of `manifest.json`."""
        fields = asdict(self)
        if not self.grader:
            del fields["grader"]
        tokens = {"in": fields.pop("tokens_in"), "most_out": fields.pop("most_out")}
        return {
            VERSION_KEY: VERSION,
            **fields,
            "recipe_sha256": sum_recipe(self.recipe),
            "tokens": tokens,
        }


def sum_recipe(recipe: Mapping[str, Any]) -> str:
    """The SHA-256 of a recipe, as the database has it."""
    content = json.dumps(recipe, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(content.encode()).hexdigest()


def name_plan(files: Sequence[PlanFile]) -> str:
    """The name of a plan: 16 hex digits of SHA-256 over the sums of its files."""
    return hashlib.sha256("".join(one.sha256 for one in files).encode()).hexdigest()[:16]


def hide_address(name: str) -> str:
    """A model's name, or a label that is one, without its address or folder."""
    return label_of(name).partition("@http")[0]


def bare_recipe(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe as files have it."""
    return {**recipe, "model": hide_address(str(recipe.get("model", "")))}


@dataclass(frozen=True, slots=True)
class PlanFolder:
    """A plan that was found in a folder."""

    path: Path
    manifest: Manifest

    def file(self, one: PlanFile) -> Path:
        """Where a file of it lies."""
        return self.path / one.name

    def fact_ids(self) -> Iterator[str]:
        """The facts in the order of their places."""
        path = self.path / FACTS
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    found = orjson.loads(line)
                    if not isinstance(found, str):
                        raise LostkeysError(f"{path}, line {number}: not a text: {WHOLE}")
                    yield found
        except orjson.JSONDecodeError:
            raise LostkeysError(f"{path}, line {number}: not JSON: {WHOLE}") from None
        except OSError as error:
            raise LostkeysError(f"{path}: {error.strerror}: {WHOLE}") from None

    def check_sums(self) -> None:
        """Raise `LostkeysError` for a file that is not as it was written."""
        for one in self.manifest.files:
            self.check_sum(one)

    def check_sum(self, one: PlanFile) -> None:
        """The same for one file."""
        path = self.file(one)
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise LostkeysError(f"{path}: {error.strerror}: {WHOLE}") from None
        if found != one.sha256:
            raise LostkeysError(f"{path} was changed since the plan was written: {WHOLE}")


WHOLE = "put the folder back as `lostkeys requests` wrote it"


def open_plan(folder: Path) -> PlanFolder:
    """The plan in a folder. Raises `LostkeysError` for a folder that has none, or a newer one."""
    path = folder / NAME
    if not path.is_file():
        raise LostkeysError(
            f"{folder} is no plan: it has no {NAME}; name a folder that `lostkeys requests` wrote"
        )
    try:
        stored = orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError) as error:
        raise LostkeysError(f"{path} cannot be read ({error}): {WHOLE}") from None
    if not isinstance(stored, dict) or VERSION_KEY not in stored:
        raise LostkeysError(f"{path} is not of a plan: it has no {VERSION_KEY}")
    if stored[VERSION_KEY] != VERSION:
        raise LostkeysError(
            f"{path} is of version {str(stored[VERSION_KEY])[:20]} of plans, and this program "
            f"knows {VERSION}: update Lostkeys"
        )
    wrong = next((name for name in _KINDS if type(stored.get(name)) is not _KINDS[name]), None)
    if wrong is not None:
        raise LostkeysError(f"{path}: its {wrong} is not as it should be: {WHOLE}")
    try:
        return PlanFolder(folder, _read_manifest(stored))
    except (KeyError, TypeError, ValueError) as error:
        raise LostkeysError(f"{path} cannot be read ({error}): {WHOLE}") from None


def _read_manifest(stored: dict[str, Any]) -> Manifest:
    tokens = stored.get("tokens") or {}
    files = tuple(_read_file(one) for one in stored["files"])
    if not set(stored["tasks"]) <= set(TASKS) or not set(stored["thinking"]) <= {"off", "on"}:
        raise ValueError("tasks or thinking")
    return Manifest(
        **{name: stored[name] for name in _KINDS if name not in ("tasks", "thinking", "files")},
        tasks=tuple(stored["tasks"]),
        thinking=tuple(stored["thinking"]),
        files=files,
        tokens_in=int(tokens.get("in", 0)),
        most_out=int(tokens.get("most_out", 0)),
        created=str(stored.get("created", "")),
        grader=str(stored.get("grader", "")),
    )


def _read_file(stored: dict[str, Any]) -> PlanFile:
    """A file of the plan. Its name is one in the folder, and leads to no other place."""
    found = PlanFile(**{name: stored[name] for name in PlanFile.__slots__})
    if Path(found.name).name != found.name or not found.name.endswith(".jsonl"):
        raise ValueError("the name of a file")
    return found
