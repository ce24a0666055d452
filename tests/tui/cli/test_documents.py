"""Documents from the command line: what lands, what is said, the exit code."""

from pathlib import Path

from click.testing import CliRunner, Result

import db.documents
from core.project import OpenProject
from tui.cli.main import cli


def run(*words: object, code: int) -> Result:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result


def handbook(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "office.md").write_text("# Office\n\nIt is in Tartu.\n", encoding="utf-8")
    (folder / "latin\x1b[31m.txt").write_bytes(b"caf\xe9")
    (folder / "logo.png").write_bytes(b"\x89PNG")
    return folder


def test_a_folder(tmp_path: Path) -> None:
    folder, path = handbook(tmp_path), tmp_path / "p.db"
    result = run("--db", path, "import", folder, code=1)
    assert "documents, 2 rows read, added 1, 0 there already, 1 bad" in result.stderr
    assert (
        "1 file is neither .txt nor .md nor .markdown nor .html nor .htm nor .pdf: left out"
        in result.stderr
    )
    assert "is not UTF-8 text (byte 4): save it as UTF-8" in result.stderr
    assert "\x1b" not in result.output
    with OpenProject(path) as project:
        assert db.documents.count(project.connection) == 1
    again = run("--db", path, "import", "--format", "documents", folder / "office.md", code=0)
    assert "added 0, 1 there already" in again.stderr


def test_a_dry_run_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    result = run("--db", path, "import", "--dry-run", handbook(tmp_path), code=1)
    assert "would add 1" in result.stderr
    assert not path.exists()
