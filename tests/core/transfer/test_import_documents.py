"""Documents: rows of a file, Wikipedia's names for them, folders of texts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import db.documents
import db.passage_search
from core.errors import LostkeysError
from core.project import OpenProject
from core.transfer.import_report import ImportReport, Problem
from core.transfer.imports import import_file
from db.documents import Document, Paragraph
from tests.core.making import merged_lines, new_project

ROW: dict[str, Any] = {
    "id": "7",
    "title": "Tartu",
    "text": "Tartu lies on a river.\nIt has a university.\n\n \nIt is old.",
    "views": 12,
    "item_id": "Q13972",
}
STORED = Document(
    "7",
    "Tartu",
    (Paragraph("Tartu lies on a river.\nIt has a university."), Paragraph("It is old.")),
    12,
    "Q13972",
)


def stored(project: OpenProject, *keys: str) -> list[Document]:
    found = {one.key: one for one in db.documents.read_documents(project.connection, keys)}
    return [found[key] for key in keys]


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
def test_every_kind_of_file(project: OpenProject, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"documents.{kind}"
    if kind == "jsonl":
        path.write_text(json.dumps(ROW) + "\n")
    elif kind == "json":
        path.write_text(json.dumps([ROW]))
    elif kind == "csv":
        path.write_text(f'id,title,text,views,item_id\n7,Tartu,"{ROW["text"]}",12,Q13972\n')
    else:
        parquet.write_table(pa.table({key: [value] for key, value in ROW.items()}), path)
    report = import_file(project, path)
    assert (report.format, report.added, report.bad) == ("documents", 1, 0)
    assert stored(project, "7") == [STORED]


def test_importing_twice_changes_nothing(
    project: OpenProject, jsonl: Callable[..., Path], dump: Callable[[OpenProject], list[str]]
) -> None:
    path = jsonl("d.jsonl", ROW, {**ROW, "id": 8})
    assert import_file(project, path) == ImportReport("documents", "line", added=2)
    before = dump(project)
    assert import_file(project, path) == ImportReport("documents", "line", unchanged=2)
    assert dump(project) == before


def test_a_dry_run_writes_nothing(project: OpenProject, jsonl: Callable[..., Path]) -> None:
    assert import_file(project, jsonl("d.jsonl", ROW), dry_run=True).added == 1
    assert db.documents.count(project.connection) == 0


def test_the_names_of_wikipedias_interfaces(
    project: OpenProject, jsonl: Callable[..., Path]
) -> None:
    page = {
        "pageid": 1340,
        "title": "Vivaldi",
        "extract": "A composer.\n\n\n== Life ==\nBorn in Venice.\n\n=== Youth ===\n\n\nIll.",
        "pageviews": {"2026-01-01": 10, "2026-01-02": None, "2026-01-03": 5},
        "wikibase_item": "Q1340",
    }
    assert import_file(project, jsonl("pages.jsonl", page)).added == 1
    [document] = stored(project, "1340")
    assert (document.views, document.item_id, document.title) == (15, "Q1340", "Vivaldi")
    assert [one.text for one in document.paragraphs] == ["A composer.", "Born in Venice.", "Ill."]
    found = project.connection.execute(
        "SELECT passage.text FROM passage_text JOIN passage ON passage.id = passage_text.rowid "
        "WHERE passage_text MATCH 'title : youth'"
    )
    assert found.fetchall() == [("Ill.",)]


BAD = {
    "without id": ({"title": "T", "text": "x"}, "missing: id"),
    "without text": ({"id": "1", "title": "T"}, "no text"),
    "blank": ({"id": "1", "text": " \n\n\t"}, "no text"),
    "headings only": ({"id": "1", "text": "== A ==\n\n== B =="}, "no text"),
    "nul": ({"id": "1", "text": "a\0b"}, "text holds a NUL character"),
    "nul in id": ({"id": "a\0b", "text": "x"}, "id holds a NUL character"),
    "views": ({"id": "1", "text": "x", "views": "many"}, "views is 'many', not a whole number"),
    "view by day": ({"id": "1", "text": "x", "pageviews": {"d": -1}}, "pageviews is -1, not"),
    "text no text": ({"id": "1", "text": ["x"]}, "text is ['x'], not a text"),
    "half a pair": ('{"id": "1", "text": "\\ud800"}', "not Unicode"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_rows_are_reported_and_the_good_ones_land(
    project: OpenProject, jsonl: Callable[..., Path], case: str
) -> None:
    row, reason = BAD[case]
    report = import_file(project, jsonl("d.jsonl", ROW, row, {**ROW, "id": "8"}))
    [problem] = report.problems
    assert problem.line == 2
    assert reason in problem.reason
    assert report.added == 2


def test_the_same_id_with_another_text(project: OpenProject, jsonl: Callable[..., Path]) -> None:
    other = {**ROW, "text": "Something else.", "views": 13}
    report = import_file(project, jsonl("d.jsonl", ROW, other))
    reason = "document '7' is there with another text, views: the first is kept"
    assert report.problems == [Problem(2, reason)]
    assert import_file(project, jsonl("e.jsonl", other)).problems == [Problem(1, reason)]
    assert stored(project, "7") == [STORED]


def test_one_text_under_two_ids_is_kept(project: OpenProject, jsonl: Callable[..., Path]) -> None:
    assert import_file(project, jsonl("d.jsonl", ROW, {**ROW, "id": "8"})).added == 2


def test_a_file_that_cannot_be_read_to_its_end_lands_nothing(
    project: OpenProject, jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    with pytest.raises(LostkeysError, match="line 2: not valid JSON"):
        import_file(project, jsonl("d.jsonl", ROW, '{"id": "8", "text": "cut o'))
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(json.dumps(ROW).encode() + b'\n{"id": "9", "text": "caf\xe9"}\n')
    with pytest.raises(LostkeysError, match="line 2: not UTF-8 text"):
        import_file(project, latin)
    assert db.documents.count(project.connection) == 0


@pytest.mark.slow
def test_a_line_of_ten_megabytes_is_cut_at_sentences(
    project: OpenProject, jsonl: Callable[..., Path]
) -> None:
    text = "This is a sentence of some length. " * 300_000
    assert import_file(project, jsonl("d.jsonl", {"id": "1", "text": text})).added == 1
    [document] = stored(project, "1")
    assert max(len(one.text) for one in document.paragraphs) <= 20_000
    assert all(one.text.endswith(".") for one in document.paragraphs)
    assert " ".join(one.text for one in document.paragraphs) == text.strip()


def test_a_table_that_lacks_a_column(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,title\n1,T\n")
    with pytest.raises(LostkeysError, match="no file of documents, it has no column text"):
        import_file(project, path, format="documents")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A handbook with what folders hold besides."""
    folder = tmp_path / "handbook"
    files: dict[str, str | bytes] = {
        "b/leave.md": "---\ntitle: 'Leave'\nowner: x\n---\n# Days off\n\nYou get **30** days\n"
        "a [year](http://x).\n\n<!-- hidden -->\n- ask early\n- tell *all*\n",
        "a.txt": "The office\n==========\nIt is in\nTartu.\n\nOpen all day.\n",
        "c.md": "# Travel ##\n\n## By train\n\nGo by train.\n",
        "plain.txt": "\ufeffNo heading here.\n",
        "empty.md": "# Only a heading\n",
        "binary.txt": b"\x00\x01\x02",
        "latin.txt": b"caf\xe9",
        "photo.jpg": b"\xff\xd8",
        ".git/x.md": "# hidden",
        ".hidden.txt": "hidden",
    }
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    (folder / "link.txt").symlink_to(folder / "a.txt")
    (folder / "loop").symlink_to(folder)
    return folder


def test_a_folder_of_texts(project: OpenProject, folder: Path) -> None:
    report = import_file(project, folder)
    assert (report.format, report.unit, report.added) == ("documents", "file", 4)
    assert [problem.reason for problem in report.problems] == [
        "binary.txt holds a NUL character: it is no text",
        "empty.md is empty: there is no text in it",
        "latin.txt is not UTF-8 text (byte 4): save it as UTF-8",
    ]
    (notice,) = report.notices
    assert notice.startswith("1 file is neither .txt nor .md nor ")
    assert notice.endswith(" nor .pdf: left out")
    leave, office, travel, plain = stored(project, "b/leave.md", "a.txt", "c.md", "plain.txt")
    assert leave.title == "Leave"
    assert [one.text for one in leave.paragraphs] == [
        "You get 30 days a year.",
        "ask early\ntell all",
    ]
    assert office.title == "The office"
    assert [one.text for one in office.paragraphs] == ["It is in Tartu.", "Open all day."]
    assert (travel.title, travel.paragraphs) == ("Travel", (Paragraph("Go by train."),))
    assert (plain.title, plain.paragraphs) == ("plain", (Paragraph("No heading here."),))
    assert import_file(project, folder).unchanged == 4


def test_one_text_file(project: OpenProject, folder: Path) -> None:
    assert import_file(project, folder / "c.md").added == 1
    assert stored(project, "c.md")[0].title == "Travel"
    with pytest.raises(LostkeysError, match="holds a NUL character"):
        import_file(project, folder / "binary.txt")


def test_a_folder_without_texts(project: OpenProject, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(LostkeysError, match="nothing to import"):
        import_file(project, empty)


def test_documents_are_merged(tmp_path: Path, jsonl: Callable[..., Path]) -> None:
    sides = {"a": [ROW, {**ROW, "id": "a"}], "b": [{**ROW, "views": 1}, {**ROW, "id": "b"}]}
    for name, rows in sides.items():
        with new_project(tmp_path / name) as project:
            assert import_file(project, jsonl("d.jsonl", *rows)).bad == 0
    assert merged_lines([tmp_path / "a", tmp_path / "b"], tmp_path / "c") == [
        "document '7': another views"
    ]
    with OpenProject(tmp_path / "c") as project:
        assert stored(project, "7") == [STORED]
        assert db.documents.count(project.connection) == 3
        found = db.passage_search.find(project.connection, "university")
        assert [one.key for one in found] == ["7"]
        assert stored(project, "b")[0].paragraphs == STORED.paragraphs
