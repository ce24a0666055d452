"""From the key that settles a fact to its interval on screen, in the program itself.

Run it: `uv run python -m tests.bench.audit_screen [--facts 1600] [--settled 30]`. A quarter of the
facts are audited in the end. The baseline is a key in a Textual hello-world, in the same run. Where
the machine is busy the processor's time tells more; it is read from /proc, so on Linux alone.
"""

import argparse
import re
import tempfile
from pathlib import Path

from core.certainty.audit_draw import keep_frame
from tests.bench.audits import fill
from tests.bench.screens import HEIGHT, WIDTH, Response, Times, follow, measure_hello_keys, opened
from tests.core.making import new_project
from tests.terminal import Terminal, running

_AUDITED = re.compile(r"([\d,]+) of [\d,]+ facts audited")
_ANSWER = re.compile(r"answer ([A-Z]+) \d")


def count_audited(screen: str) -> str | None:
    """How many facts the screen says are audited."""
    found = _AUDITED.search(screen)
    return found and found[1]


def processor_time(terminal: Terminal) -> float:
    """Seconds of the processor that all threads of the program have taken."""
    threads = Path(f"/proc/{terminal.process.pid}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9


def measure_settled(folder: Path, words: list[str], many: int) -> tuple[Times, ...]:
    """Seconds from a label to the interval it narrows, and from one that settles nothing."""
    settled: list[float] = []
    taken: list[float] = []
    others: list[float] = []
    with running(words, folder, WIDTH, HEIGHT) as terminal:
        terminal.wait("facts")
        for key, sign in (("f4", "Confusion"), ("v", "facts audited"), ("enter", "this one")):
            terminal.settle(1.0)
            terminal.press(key)
            terminal.wait(sign)
        terminal.settle(1.0)
        while len(settled) < many:
            terminal.settle(0.5)
            start = processor_time(terminal)
            found = label_answer(terminal)
            if found.sign is None:
                others.append(found.last)
            else:
                settled.append(found.sign)
                taken.append(processor_time(terminal) - start)
    return (
        Times("a label that settles a fact, to its interval", settled),
        Times("the same, all that follows, of the processor", taken),
        Times("one that settles none, to the last change", others),
    )


def label_answer(terminal: Terminal) -> Response:
    """Label the answer in sight as its text says; the sign is another count of audited facts."""
    before, answer = count_audited(terminal.text), _ANSWER.search(terminal.text)
    assert answer is not None, terminal.text
    key = answer[1][0].lower()
    return follow(terminal, key, lambda screen: count_audited(screen) not in (before, None))


def main() -> None:
    """Measure, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=1600)
    parser.add_argument("--settled", type=int, default=30)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with new_project(folder / "a.db") as project:
            keep_frame(project, "june", fill(project, asked.facts, asked.facts // 4))
        words = opened(folder, folder / "a.db")
        (folder / "config" / "settings.toml").write_text('name = "ann"\n')
        hello = measure_hello_keys(folder, asked.settled)
        for times in (*measure_settled(folder, words, asked.settled), hello):
            print(times)


if __name__ == "__main__":
    main()
