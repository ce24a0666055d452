"""`--plot FILE` and `report`, from the words of a command to a file."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from core.errors import LostkeysError
from tests.core.figures.plotting.drawing import texts
from tests.core.report.telling import profiled
from tui.cli.main import cli


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Run":
    profiled(tmp_path / "lostkeys.db").close()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOSTKEYS_DB", raising=False)
    return Run()


class Run:
    """Runs commands on the project in the folder."""

    def __call__(self, *words: str) -> Result:
        result = CliRunner().invoke(cli, words)
        if isinstance(result.exception, LostkeysError):
            raise result.exception
        return result


POLICY = ("--grader", "lexical")


@pytest.mark.parametrize(
    "words",
    [
        ("profiles", *POLICY),
        ("profiles", "--intervals", *POLICY),
        ("analyze", "popularity", *POLICY),
        ("analyze", "trends", *POLICY),
        ("confusion", "lexical", "other"),
    ],
)
def test_what_is_shown_can_be_drawn(run: Run, words: tuple[str, ...]) -> None:
    result = run(*words, "--plot", "figure.svg")
    assert result.exit_code == 0, result.output
    assert "figure.svg is drawn" in result.stderr
    said = texts(Path("figure.svg").read_bytes())
    assert any("threshold 0.5, strategy pair" in one for one in said)
    assert any("lexical" in one for one in said)


def test_json_stays_alone_on_its_way(run: Run) -> None:
    plain = run("analyze", "recovery", "--json", *POLICY)
    drawn = run("analyze", "recovery", "--json", "--plot", "figure.png", *POLICY)
    assert drawn.stdout == plain.stdout
    assert Path("figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("analyze", "popularity", "--plot", "figure.gif"), r"must end in \.svg, \.png, \.pdf"),
        (("analyze", "popularity", "--plot", "no/figure.svg"), "no is not a folder"),
        (("analyze", "nonsense", "--plot", "figure.svg"), "no figure named nonsense"),
        (("confusion", "--all", "--plot", "figure.svg"), "--plot draws two graders"),
        (
            ("confusion", "lexical", "other", "--task", "direct", "--plot", "figure.svg"),
            "--plot draws two graders",
        ),
        (("report", "-o", "report.pdf"), r"must end in \.html or \.md"),
        (("report", "-o", "no/report.md"), "no is not a folder"),
    ],
)
def test_what_cannot_be_written_is_one_line(run: Run, words: tuple[str, ...], reason: str) -> None:
    with pytest.raises(LostkeysError, match=reason):
        run(*words)
    assert sorted(one.name for one in Path().iterdir() if one.suffix != ".db") == []


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_a_report_is_written_whole(run: Run, name: str) -> None:
    Path(name).write_text("before")
    result = run("report", "-o", name, "--model", "model-b", "--tau", "0.25", *POLICY)
    assert result.exit_code == 0, result.output
    content = Path(name).read_text(encoding="utf-8")
    assert "threshold 0.25" in content
    assert "model-b" in content
    assert "model-a" not in content
    assert f"{name} is written" in result.stderr
