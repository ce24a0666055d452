"""Through how many files and functions one thing goes: the ways that a reader follows.

A key from press to paint, an answer from the wire to its label, an import and a run of one model.
Each way is walked in a process of its own, with calls traced on all threads; only code under
`core`, `db`, `prompts` and `tui` counts, and a module that is only loaded counts for the commands
alone. Run it: `uv run python -m tests.bench.walks [WAY ...] [--files]`.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from inspect import CO_OPTIMIZED
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(f"{ROOT / room}/" for room in ("core", "db", "prompts", "tui"))
FIRST, LAST = 12, 15
"""Replies of a run that are followed; those before are for finding out how the model is asked."""


class Tracer:
    """Notes the code that is called while it is on, on this thread and on those started later."""

    def __init__(self, on: bool = False) -> None:
        self.on = on
        self._codes: set[CodeType] = set()
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, argument: object) -> None:
        if self.on and event == "call":
            self._codes.add(frame.f_code)

    def read(self, loaded: bool = False) -> dict[str, list[str]]:
        """The functions called, by file; with `loaded`, files that were only loaded as well."""
        found: dict[str, list[str]] = {}
        self.on = False
        for code in self._codes.copy():
            called = bool(code.co_flags & CO_OPTIMIZED)  # the body of no module and of no class
            if code.co_filename.startswith(ROOMS) and (loaded or called):
                functions = found.setdefault(str(Path(code.co_filename).relative_to(ROOT)), [])
                if called:
                    functions.append(f"{code.co_qualname}:{code.co_firstlineno}")
        return found


def walk_key(folder: Path) -> dict[str, list[str]]:
    """`c` on Task, from the press until the label is painted."""
    from core.settings.preferences import Settings
    from tests.tui.sample import sample_project
    from tests.tui.seeing import settled
    from tui.app.app import LostkeysApp

    tracer = Tracer()
    app = LostkeysApp(sample_project(folder / "facts.db"), Settings(name="mira"))

    async def press() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await settled(pilot)
            for key in ("enter", "enter"):
                await pilot.press(key)
                await settled(pilot)
            tracer.on = True
            await pilot.press("c")
            seen = await settled(pilot)
            tracer.on = False
            assert "off 1 is CORRECT" in seen

    asyncio.run(press())
    return tracer.read()


def walk_response(folder: Path) -> dict[str, list[str]]:
    """Replies of a run that is under way, from the wire to the labels of their answers."""
    from httpx2 import AsyncClient, Request, Response

    tracer, count, sent = Tracer(), 0, AsyncClient.send

    async def send(client: AsyncClient, request: Request, **options: Any) -> Response:
        nonlocal count
        response = await sent(client, request, **options)
        count += 1
        tracer.on = FIRST <= count < LAST
        return response

    setattr(AsyncClient, "send", send)  # noqa: B010
    _run_model(folder, "--facts", "16", "--in-flight", "1")
    assert count > LAST
    return tracer.read()


def walk_import(folder: Path) -> dict[str, list[str]]:
    """`import` of a log of lm-evaluation-harness with four rows."""
    log = folder / "org__m" / "samples_rivers_2026-01-02T03-04-05.jsonl"
    log.parent.mkdir()
    log.write_text("".join(_write_row(number) for number in range(4)), encoding="utf-8")
    tracer = Tracer(on=True)
    _call("--db", folder / "new.db", "import", log)
    return tracer.read(loaded=True)


def walk_run(folder: Path) -> dict[str, list[str]]:
    """`run` of one model: one fact, one task, four answers."""
    tracer = Tracer()
    _run_model(folder, "--facts", "1", before=lambda: setattr(tracer, "on", True))
    return tracer.read(loaded=True)


def _run_model(folder: Path, *words: str, before: Callable[[], None] = lambda: None) -> None:
    from tests.bench.answering_server import serving

    facts = folder / "facts.db"
    command = (sys.executable, "-m", "lostkeys", "--db", str(facts), "import")
    subprocess.run([*command, str(ROOT / "core/demo/facts.jsonl")], check=True, capture_output=True)
    with serving(0.0) as address:
        asked = ("--tasks", "direct", "--thinking", "off", "--samples", "4")
        before()
        _call("--db", facts, "run", "--model", f"openai:m@{address}", *asked, *words)


def _write_row(number: int) -> str:
    row = {
        "doc_id": number,
        "doc": {"question": f"Where does river {number} rise?", "answer": [f"hill {number}"]},
        "target": f"hill {number}",
        "arguments": {"gen_args_0": {"arg_0": f"Where does river {number} rise?"}},
        "resps": [[f"hill {number}"]],
        "filter": "none",
        "exact_match": 1,
    }
    return json.dumps(row) + "\n"


def _call(*words: object) -> None:
    from tui.cli.main import main

    sys.argv = ["lostkeys", *map(str, words)]
    try:
        main()
    except SystemExit as ended:
        if ended.code not in (0, None):
            raise


WAYS: dict[str, tuple[str, Callable[[Path], dict[str, list[str]]]]] = {
    "key": ("`c` on Task until painted", walk_key),
    "response": ("a response from the wire to its label", walk_response),
    "import": ("`import` of a log of four rows", walk_import),
    "run": ("`run` of one model", walk_run),
}


def walk(way: str) -> dict[str, list[str]]:
    """The functions that a way goes through, by file, in a process of its own."""
    words = (sys.executable, "-m", "tests.bench.walks", way, "--json")
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Walk the ways that are named, all by default, and print what each goes through."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ways", nargs="*", choices=[[], *WAYS], metavar="WAY")
    parser.add_argument("--files", action="store_true", help="each file with its functions")
    parser.add_argument("--json", action="store_true", help="one way, in this process")
    asked = parser.parse_args()
    if asked.json:
        with TemporaryDirectory() as folder:
            print("\n" + json.dumps(WAYS[asked.ways[0]][1](Path(folder))))
        return
    for way in asked.ways or WAYS:
        found = walk(way)
        functions = sum(map(len, found.values()))
        print(f"{WAYS[way][0]:<40} {len(found):4} files {functions:5} functions")
        for file in sorted(found) if asked.files else ():
            print(f"    {file}: {', '.join(sorted(found[file]))}")


if __name__ == "__main__":
    main()
