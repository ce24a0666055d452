"""Files that are broken land nothing, and say where."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.transfer.file_kinds import open_source
from core.transfer.imports import import_file
from core.transfer.row_source import BadRow

HEAD = "fact_id,object,completion\n"
GOOD = "{}__0,Paris,text\n"

BROKEN = {
    "quote.csv": (HEAD + GOOD.format(1) + '2__0,"Paris,text\n3__0,a,b\n', "line 3: broken quoting"),
    "after.csv": (HEAD + '1__0,"Paris"x,text\n', "line 2: broken quoting"),
    "multiline.csv": (HEAD + '1__0,"a\nb",c\n2__0,"d\n', "line 4: broken quoting"),
    "short.csv": (HEAD + GOOD.format(1) + "2__0,Paris\n", "line 3: 2 cells under a header of 3"),
    "long.csv": (HEAD + "2__0,Paris,a,b\n", "line 2: 4 cells under a header of 3"),
    "twice.csv": ("fact_id,object,object\n", "line 1: two columns are named 'object'"),
    "no_id.csv": ("object,completion\nParis,text\n", "no column fact_id"),
    "no_answer.csv": ("fact_id,completion\n1,text\n", "no column any of object, subject"),
    "no_question.csv": (
        "fact_id,object\n1,Paris\n",
        "has the columns of no known format",
    ),
    "no_sample.csv": ("fact_id,task,model,thinking,response\n", "no column sample"),
    "empty.csv": ("", "holds no rows"),
    "tabs.tsv": ("fact_id\tobject\tdirect\n1\tParis\n", "line 2: 2 cells under a header of 3"),
    "cut.jsonl": ('{"fact_id": "1", "direct": "q"}\n\n{"fact_id": "2", "dir', "line 3: not valid"),
    "nan.jsonl": ('{"fact_id": "1", "direct": "q", "gbc": NaN}\n', "line 1: not valid JSON (NaN"),
    "deep.jsonl": ("[" * 100_000 + "\n", "line 1: not valid JSON"),
    "empty.jsonl": ("\n\n", "holds no rows"),
    "odd.jsonl": ('{"a": 1, "b\\n": 2}\n', "its keys are 'a', 'b\\n'"),
    "cut.json": ('[{"fact_id": "1"},\n {"fact', "line 2 column"),
    "object.json": ('{"fact_id": "1"}', "not a list of objects"),
    "not.parquet": ("fact_id", "not a sound Parquet file"),
    "facts.xlsx": ("x", "not a sound workbook"),
    "facts.docx": ("x", "must end in one of .csv, .tsv"),
    "unnamed.csv": (",,\n1,2,3\n", "line 1: no column has a name"),
    "facts.arrow": ("x", "not a sound Arrow file"),
    "facts.csv.gz": ("x", "not a sound gz file"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_lands_nothing_and_says_where(
    project: OpenProject, tmp_path: Path, dump: Callable[[OpenProject], list[str]], name: str
) -> None:
    content, message = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content.encode())
    before = dump(project)
    with pytest.raises(LostkeysError) as caught:
        import_file(project, path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert dump(project) == before


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_another_encoding_is_refused_with_its_line(
    project: OpenProject, tmp_path: Path, fact: dict[str, Any], kind: str
) -> None:
    row = json.dumps({**fact, "object": "Zürich", "direct_answer": "Zürich"}, ensure_ascii=False)
    text = {
        "csv": HEAD + GOOD.format(1) + "2__0,Zürich,text\n",
        "jsonl": json.dumps(fact) + "\n\n" + row + "\n",
        "json": f"[{json.dumps(fact)},\n\n{row}]",
    }[kind]
    path = tmp_path / f"latin.{kind}"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(LostkeysError, match=r"line 3: not UTF-8 text: .*--encoding .*Zürich"):
        import_file(project, path)
    assert len(project.index) == 0


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json"])
def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path: Path, kind: str) -> None:
    text = {
        "csv": "fact_id,gbc\n1,2\n",
        "jsonl": '{"fact_id": "1"}\n',
        "json": '[{"fact_id": "1"}]',
    }
    path = tmp_path / f"marked.{kind}"
    path.write_text(text[kind], encoding="utf-8-sig")
    [(_, row)] = open_source(path).read_rows()
    assert isinstance(row, dict)
    assert row["fact_id"] == "1"


def test_lines_are_those_where_rows_begin(tmp_path: Path) -> None:
    path = tmp_path / "lines.csv"
    path.write_text('a,b\n"x\ny",1\n\n2,3\n', encoding="utf-8")
    assert list(open_source(path).read_rows()) == [
        (2, {"a": "x\ny", "b": "1"}),
        (5, {"a": "2", "b": "3"}),
    ]


def test_rows_that_are_no_objects_or_no_unicode_are_bad_rows(tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_text('5\n{"a": "\\ud800"}\n{"a": "\\ud83d\\ude00"}\n', encoding="utf-8")
    assert list(open_source(path).read_rows()) == [
        (1, BadRow("5 is not an object")),
        (2, BadRow("its text is not Unicode (half of a surrogate pair)")),
        (3, {"a": "😀"}),
    ]


def test_parquet_rows_come_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"n": list(range(10_000))}), path)
    rows = list(open_source(path).read_rows())
    assert rows[0] == (1, {"n": 0})
    assert rows[-1] == (10_000, {"n": 9_999})
    assert len(rows) == 10_000


def test_damaged_parquet_is_refused(tmp_path: Path, project: OpenProject) -> None:
    path = tmp_path / "rows.parquet"
    texts = [os.urandom(20).hex() for _ in range(5_000)]
    parquet.write_table(
        pa.table({"fact_id": texts, "object": texts, "direct": texts}), path, use_dictionary=False
    )
    content = bytearray(path.read_bytes())
    content[1_000:150_000] = bytes(149_000)
    path.write_bytes(content)
    with pytest.raises(LostkeysError, match="not a sound Parquet file"):
        import_file(project, path)
    assert len(project.index) == 0


def test_files_that_are_none(project: OpenProject, tmp_path: Path) -> None:
    with pytest.raises(LostkeysError, match="does not exist"):
        import_file(project, tmp_path / "absent.csv")
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(LostkeysError, match="not a regular file"):
        import_file(project, tmp_path / "pipe.csv")
    with pytest.raises(LostkeysError, match="to say what the file is"):
        import_file(project, Path(__file__))


@pytest.mark.parametrize("name", ["Inspect", "helm1", "lm_eval", "nonsense"])
def test_formats_that_are_not_there_are_wrong_usage(
    project: OpenProject, jsonl: Callable[..., Path], fact: dict[str, Any], name: str
) -> None:
    with pytest.raises(UsageError, match="formats are auto, wikiprofile, facts, documents, res"):
        import_file(project, jsonl("facts.jsonl", fact), format=name)
