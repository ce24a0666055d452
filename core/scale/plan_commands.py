"""The commands by which engines answer a plan, and by which its answers come back."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from core.errors import LostkeysError
from core.scale.plan_manifest import PlanFolder, open_plan

AT = "http://HOST:8000/v1"
"""What stands for the address of a server that nobody has named."""


@dataclass(frozen=True, slots=True)
class PlanCommand:
    """A command, and what it is for; the words in capitals are to be filled in."""

    what: str
    command: str


def list_commands(folder: str, job: int) -> list[PlanCommand]:
    """The commands for a plan in a folder, whose job has this number."""
    name = shlex.quote(folder)
    try:
        plan = open_plan(Path(folder))
    except LostkeysError as error:
        return [PlanCommand(str(error), f"lostkeys jobs cancel {job}")]
    freed = "wait for it no more" if plan.manifest.grader else "free what it claims"
    again = f"lostkeys answer {name}/retry.*.jsonl --at {AT} -o MORE.jsonl"
    return [
        *_ask(plan, name),
        PlanCommand("take the answers in", f"lostkeys collect {name} OUT..."),
        PlanCommand("ask again what is missing", again),
        PlanCommand(freed, f"lostkeys jobs cancel {job}"),
    ]


def _ask(plan: PlanFolder, name: str) -> list[PlanCommand]:
    """How a plan is answered: by any server, by vLLM without one, by a batch service."""
    manifest = plan.manifest
    found = [
        PlanCommand("any server", f"lostkeys answer {name}/part-*.jsonl --at {AT} -o OUT.jsonl")
    ]
    if not any(".raw." in one.name for one in manifest.files):
        model = shlex.quote(manifest.model)
        vllm = f"vllm run-batch -i {name}/part-00000.chat.jsonl -o OUT.jsonl --model {model}"
        found.append(PlanCommand("vLLM, a part at a time", vllm))
        upload = f"openai api files.create -f {name}/part-00000.chat.jsonl -p batch"
        found.append(PlanCommand("a batch service, a part at a time", upload))
    return found
