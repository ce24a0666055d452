"""`lostkeys confusion` from files to numbers: the paper's figure 14, several graders, people."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner, Result

from core.vocabulary import LABELS
from tui.cli import main as cli_main
from tui.cli.main import cli

N = 4_160
TASKS = ("completion", "contextual", "direct", "direct_natural", "reverse")
FACTS, SAMPLES = 104, 8
KEYS = ("n", "matrix", "agreement", "kappa", "alpha")
INTERVALS = (*(f"{name}_interval" for name in ("agreement", "kappa", "alpha")), "scope")


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli, [*words])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def failing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str
) -> tuple[object, str]:
    """Exit code and message of the real entry point; the message must be one line."""
    monkeypatch.setattr("sys.argv", ["lostkeys", *words])
    with pytest.raises(SystemExit) as stop:
        cli_main.main()
    err = capsys.readouterr().err
    assert err.count("\n") == 1, err
    return stop.value.code, err.removeprefix("lostkeys: ").rstrip()


def lines(path: Path, rows: Sequence[Mapping[str, object]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def printed(path: Path) -> dict[tuple[str, str], float]:
    """The matrix of figure 14: percent by the labels of Gemini and GPT."""
    head, *body = csv.reader(path.read_text(encoding="utf-8").splitlines())
    return {
        (row[0], name): float(value)
        for row in body
        for name, value in zip(head[1:], row[1:], strict=True)
    }


def apportioned(percent: Mapping[tuple[str, str], float]) -> list[tuple[str, str]]:
    """N pairs of labels in these shares, by largest remainder."""
    exact = {pair: N * share / sum(percent.values()) for pair, share in percent.items()}
    counts = {pair: int(share) for pair, share in exact.items()}
    rest = sorted(exact, key=lambda pair: counts[pair] - exact[pair])
    for pair in rest[: N - sum(counts.values())]:
        counts[pair] += 1
    return [pair for pair, count in counts.items() for _ in range(count)]


def slots() -> Iterator[dict[str, object]]:
    for fact, task, sample in product(range(FACTS), TASKS, range(SAMPLES)):
        yield {
            "fact_id": f"f{fact}",
            "task": task,
            "model": "alpha" if fact % 2 else "beta",
            "thinking": False,
            "sample": sample,
        }


def facts() -> list[dict[str, object]]:
    return [
        {
            "fact_id": f"f{n}",
            "subject": f"S{n}",
            "object": f"O{n}",
            **{t: f"{n}? {t}" for t in TASKS},
        }
        for n in range(FACTS)
    ]


def database(folder: Path, grades: Sequence[Mapping[str, str]]) -> str:
    """A database made by the program out of files; `grades` of the first responses."""
    rows = [
        {**slot, "response": "an answer", "grades": one}
        for slot, one in zip(slots(), grades, strict=False)
    ]
    path = str(folder / "made.db")
    files = lines(folder / "facts.jsonl", facts()), lines(folder / "responses.jsonl", rows)
    run("--db", path, "import", *files)
    return path


def test_figure_14(shared: Callable[[str], Path], tmp_path: Path) -> None:
    percent = printed(shared("data/published/figure14_confusion.csv"))
    pairs = apportioned(percent)
    Random(14).shuffle(pairs)
    made = database(tmp_path, [{"gemini": a, "gpt": b} for a, b in pairs])
    document = json.loads(run("--db", made, "confusion", "gemini", "gpt", "--json").stdout)
    assert document["n"] == N
    found = {(a, b): 100 * document["matrix"][a][b] / N for a, b in product(LABELS, LABELS)}
    # A response is 0.024 percent; the figure gives two decimals.
    assert found == pytest.approx(percent, abs=0.02)
    # "Overall agreement is 98.2%": the diagonal of the figure sums to 98.29.
    assert document["agreement"] == pytest.approx(0.9829, abs=2e-4)
    chance = (
        sum(sum(percent[a, b] for b in LABELS) * sum(percent[b, a] for b in LABELS) for a in LABELS)
        / sum(percent.values()) ** 2
    )
    assert document["kappa"] == pytest.approx((0.9829 - chance) / (1 - chance), abs=1e-3)
    assert document["alpha"] == pytest.approx(document["kappa"], abs=1e-3)
    for name in ("agreement", "kappa", "alpha"):
        low, high = document[f"{name}_interval"]
        assert low < document[name] < high
    assert sum(one["n"] for one in document["by_task"].values()) == N
    assert {name: one["n"] for name, one in document["by_model"].items()} == {
        "beta": N // 2,
        "alpha": N // 2,
    }
    assert 0 <= document["profile_changing"] <= document["consequential"]
    assert document["consequential"] == flipping(pairs)
    shown = run("--db", made, "confusion", "gemini", "gpt").stdout
    assert f"{percent['CORRECT', 'CORRECT']:.2f}%" in shown
    apart = sum(a != b for a, b in pairs)
    assert f"{apart} disagreements: {document['consequential']} change a question" in shown


def flipping(pairs: Sequence[tuple[str, str]]) -> int:
    """Disagreements that turn their question (eight samples in a row), one by one."""
    found = 0
    for start in range(0, N, SAMPLES):
        here = pairs[start : start + SAMPLES]
        mine = [a for a, _ in here]
        for place, (a, b) in enumerate(here):
            other = [*mine[:place], b, *mine[place + 1 :]]
            found += a != b and state(mine) != state(other)
    return found


def state(labels: Sequence[str]) -> str:
    right, wrong = labels.count("CORRECT"), labels.count("INCORRECT")
    if right + wrong == 0:
        return "not gradable"
    return "pass" if right > wrong else "fail"


def test_the_keys_of_the_document(tmp_path: Path) -> None:
    made = database(tmp_path, [{"a": "CORRECT", "b": "OTHER"}, {"a": "CORRECT", "b": "CORRECT"}])
    document = json.loads(run("--db", made, "confusion", "a", "b", "--json").stdout)
    assert list(document) == [
        "a",
        "b",
        *KEYS,
        *INTERVALS,
        "by_task",
        "by_model",
        "consequential",
        "profile_changing",
        "flips",
    ]
    assert document["flips"] == {"1": 1}
    for part in ("by_task", "by_model"):
        assert [list(one) for one in document[part].values()] == [[*KEYS, *INTERVALS]]
    assert [list(row) for row in document["matrix"].values()] == [list(LABELS)] * 4


def test_several_graders_and_all(tmp_path: Path) -> None:
    grades = [
        {"a": "CORRECT", "b": "CORRECT", "human:ann": "CORRECT", "human:bob": "OTHER"},
        {"a": "CORRECT", "b": "OTHER", "human:ann": "CORRECT", "human:bob": "CORRECT"},
        {"a": "OTHER", "b": "OTHER", "human:ann": "CORRECT"},
        {"a": "OTHER"},
    ]
    made = database(tmp_path, grades)
    document = json.loads(run("--db", made, "confusion", "--all", "--json").stdout)
    assert document["graders"] == ["a", "b", "human:ann", "human:bob"]
    assert document["n"] == 3
    # Eleven values, 7 and 4: expected 56; disagreement 6/3 + 6/3 + 4/2.
    assert document["alpha"] == pytest.approx(1 - 6 * 10 / 56)
    pairs = {(one["a"], one["b"]): one for one in document["pairs"]}
    assert len(pairs) == 6
    assert pairs["human:ann", "human:bob"]["agreement"] == 0.5
    assert (pairs["a", "b"]["n"], pairs["a", "b"]["agreement"]) == (3, pytest.approx(2 / 3))
    two = json.loads(run("--db", made, "confusion", "human:ann", "human:bob", "--json").stdout)
    assert (two["n"], two["agreement"]) == (2, 0.5)
    three = run("--db", made, "confusion", "a", "b", "human:bob", "--task", "completion").stdout
    assert "alpha of all 3" in three
    assert three.count("human:bob") == 2
    listed = run("--db", made, "confusion", "a", "b", "--tasks", "completion,direct", "--json")
    assert set(json.loads(listed.stdout)["by_task"]) <= {"completion", "direct"}
    other = run("--db", made, "confusion", "a", "b", "--tasks", "reverse,direct_natural", "--json")
    assert json.loads(other.stdout)["n"] == 0


def test_graders_that_cannot_be_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = database(tmp_path, [{"a": "CORRECT"}, {"b": "CORRECT"}])
    for words, says in (
        (("a", "nobody"), "no labels by a grader named nobody: graders here are a, b"),
        (("a", "a"), "a agrees with itself: name another grader to compare it with"),
        (("a", "a#1"), "a agrees with itself: name another grader to compare it with"),
        (("a", "b", "a"), "a is named twice: name every grader once"),
        (("a",), "name two graders or more to compare, or give --all"),
        ((), "name two graders or more to compare, or give --all"),
        (("a", "b", "--all"), "name two graders or more to compare, or give --all"),
    ):
        assert failing(capsys, monkeypatch, "--db", made, "confusion", *words) == (2, says)
    shown = run("--db", made, "confusion", "a", "b").stdout
    assert shown == "a and b have labelled no response in common: grade the same ones first.\n"
    one = tmp_path / "one"
    one.mkdir()
    alone = database(one, [{"a": "CORRECT"}])
    code, message = failing(capsys, monkeypatch, "--db", alone, "confusion", "--all")
    assert (code, message) == (2, "a alone is nothing to compare: grade with another one first")
