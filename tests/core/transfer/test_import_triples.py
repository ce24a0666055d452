"""Triples: our own columns, T-REx, wide tables; sets; and back out again."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import db.integrity
import db.triples
from core.errors import LostkeysError, UsageError
from core.project import OpenProject
from core.specs.file_specs import ImportWords
from core.transfer.exports import Subset, export
from core.transfer.imports import import_file
from core.transfer.property_table import PropertyColumn, property_column

CURIE: dict[str, Any] = {
    "id": "t1",
    "subject": "Marie Curie",
    "relation": "date of birth",
    "object": "1867-11-07",
    "aliases": ["7 November 1867"],
    "domain": "Science",
    "popularity": 120,
    "answer_type": "date",
    "question": "When was Marie Curie born?",
    "split": "test",
    "subject_id": "Q7186",
    "property_id": "P569",
    "object_id": "",
    "page_title": "Marie Curie",
    "unit": "",
    "tier": "top",
    "recitation": "Marie Curie was born on 7 November 1867.",
    "choices": ["1867-11-07", "1903-01-01"],
}


def triples_of(project: OpenProject, folder: Path, **words: Any) -> list[dict[str, Any]]:
    """What the project exports."""
    path = folder / "out.jsonl"
    export(project, "triples", path, subset=Subset(**words))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_table(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """Rows with the same keys, in the format that the ending names."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
        return
    if path.suffix == ".jsonl":
        lines = [json.dumps(row) for row in rows]
    else:
        part = "," if path.suffix == ".csv" else "\t"
        lines = [part.join(one) for one in (rows[0], *(row.values() for row in rows))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".tsv", ".parquet"])
def test_what_is_exported_is_what_was_imported(
    project: OpenProject, jsonl: Callable[..., Path], tmp_path: Path, ending: str
) -> None:
    little = {"subject": "Bohr", "relation": "born in", "object": "Copenhagen"}
    alone = {"question": "Who?", "relation": "asked", "object": "Ada"}
    import_file(project, jsonl("laureates.jsonl", CURIE, little, alone))
    first = triples_of(project, tmp_path)
    assert first[0] == CURIE
    named = hashlib.sha256(b"Bohr\tborn in\tCopenhagen\t").hexdigest()
    assert first[1]["id"] == named[:16]
    assert (first[1]["answer_type"], first[1]["aliases"]) == ("entity", [])
    path = tmp_path / f"laureates{ending}"
    export(project, "triples", path)
    with OpenProject(tmp_path / "other.db", "create") as other:
        assert import_file(other, path).added == 3
        assert triples_of(other, tmp_path) == first
    again = import_file(project, path)
    assert (again.added, again.unchanged, again.bad) == (0, 3, 0)


def test_a_triple_is_a_fact(project: OpenProject, jsonl: Callable[..., Path]) -> None:
    import_file(project, jsonl("laureates.jsonl", CURIE))
    (stored,) = db.triples.read_triples(project.connection)
    fact = stored.fact
    assert stored.set_name == "laureates"
    assert (fact.fact_id, fact.category, fact.views) == ("t1", "Science", 120)
    assert [question.text for question in fact.questions.values()] == [CURIE["question"]]
    assert db.integrity.faults(project.connection) == []


def test_a_fact_that_is_there_becomes_a_triple(
    project: OpenProject, jsonl: Callable[..., Path], fact: dict[str, Any], tmp_path: Path
) -> None:
    import_file(project, jsonl("facts.jsonl", fact))
    row = {"id": "1__0", "subject": "France", "relation": "capital", "object": "Paris"}
    other = {**row, "object": "Lyon", "domain": "Places"}
    report = import_file(project, jsonl("one.jsonl", other, {**row, "domain": "Places"}))
    assert (report.added, report.bad) == (1, 1)
    assert report.problems[0].reason == (
        "triple '1__0' is there with another object: the first is kept"
    )
    (found,) = triples_of(project, tmp_path)
    assert (found["question"], found["domain"], found["popularity"]) == (
        fact["direct"], "Places", 12,
    )  # fmt: skip
    assert len(project.index) == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"relation": ""}, "missing: relation"),
        ({"object": None}, "missing: object"),
        ({"subject": "", "question": ""}, "neither subject nor question: one of them is needed"),
        ({"answer_type": "place"}, "answer_type is 'place', not one of entity, date, number"),
        ({"popularity": "many"}, "popularity is 'many', not a whole number of page views"),
        ({"aliases": [{}]}, "aliases: one of [{}] is not a text"),
        ({"choices": {"a": 1}}, "choices is {'a': 1}, not a list of texts"),
        ({"tier": "high"}, "tier is 'high', not one of bottom, middle, top, unknown"),
        ({"popularity": "1e9"}, "popularity is '1e9', not a whole number of page views"),
        ({"popularity": -3}, "popularity is -3, not a whole number of page views"),
        ({"object": "1867-02-31"}, "object is '1867-02-31', a day that no calendar has"),
        (
            {"object": "31 February 1867"},
            "object is '31 February 1867', a day that no calendar has",
        ),
        ({"object": "1867-13-01"}, "object is '1867-13-01', a day that no calendar has"),
        ({"aliases": ["x" * 10**7]}, "aliases: 10,000,000 characters, over 65,536"),
        ({"aliases": "x|" * 5_000_000}, "aliases: 10,000,000 characters, over 65,536"),
        (
            {"aliases": "[open('x')]"},
            "aliases: \"[open('x')]\" is neither a JSON nor a Python list",
        ),
    ],
)
def test_a_bad_row_is_named_and_the_good_ones_land(
    project: OpenProject, jsonl: Callable[..., Path], change: dict[str, Any], reason: str
) -> None:
    report = import_file(project, jsonl("t.jsonl", {**CURIE, "id": "t0"} | change, CURIE))
    assert (report.format, report.added, report.bad) == ("triples", 1, 1)
    assert (report.problems[0].line, report.problems[0].reason) == (1, reason)


def test_the_same_id_with_other_content_is_refused(
    project: OpenProject, jsonl: Callable[..., Path]
) -> None:
    report = import_file(project, jsonl("t.jsonl", CURIE, {**CURIE, "object": "1868"}))
    assert (report.added, report.bad) == (1, 1)
    assert "another object" in report.problems[0].reason


def test_a_triple_is_in_one_set(
    project: OpenProject, jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    import_file(project, jsonl("t.jsonl", CURIE), words=ImportWords("first"))
    assert import_file(project, jsonl("t.jsonl", CURIE)).unchanged == 1
    report = import_file(project, jsonl("t.jsonl", CURIE), words=ImportWords("second"))
    assert "another set, first" in report.problems[0].reason
    import_file(project, jsonl("more.jsonl", {**CURIE, "id": "t2"}))
    with pytest.raises(UsageError, match="2 sets, first, more: name one with --set"):
        triples_of(project, tmp_path)
    assert [row["id"] for row in triples_of(project, tmp_path, set_name="more")] == ["t2"]
    with pytest.raises(UsageError, match="no set named third"):
        triples_of(project, tmp_path, set_name="third")


@pytest.mark.parametrize(
    ("written", "read"),
    [('["a|b", "c"]', ["a|b", "c"]), ("['a', 'b']", ["a", "b"]), ("a| b|", ["a", "b"]), ("", [])],
)
def test_aliases_are_written_in_three_ways(
    project: OpenProject, tmp_path: Path, written: str, read: list[str]
) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(f"subject\trelation\tobject\taliases\nBohr\tborn\t1885\t{written}\n")
    import_file(project, path)
    assert triples_of(project, tmp_path)[0]["aliases"] == read


def test_columns_of_t_rex_are_known(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("relation_id,relation,subject,object,uuid\nP84,architect,Hill,Ada,1-2-3\n")
    import_file(project, path)
    (row,) = triples_of(project, tmp_path)
    assert (row["id"], row["property_id"], row["relation"]) == ("1-2-3", "P84", "architect")


def test_columns_of_t_rex_mc_are_known(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "Relation_ID,Subject,Object,Multiple Choices,Title,Text\n"
        "7,Brian May,19 July 1947,\"['24 December 1931', '1 December 1976']\",Brian May,A text\n"
    )
    report = import_file(project, path)
    assert report.notices == ["ignored, not part of the format: 'Text'"]
    (row,) = triples_of(project, tmp_path)
    assert (row["relation"], row["property_id"]) == ("7", "7")
    assert row["page_title"] == "Brian May"
    assert row["choices"] == ["24 December 1931", "1 December 1976"]


POPQA = "id,subj,prop,obj,s_uri,o_aliases,possible_answers,s_pop,s_wiki_title,question\n"


def test_aliases_of_popqa_are_its_answers_then_those_of_the_object(
    project: OpenProject, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        POPQA + '7,Hill,architect,Ada,http://x.org/Q10,"[""A."", ""Miss""]",'
        '"[""Ada"", ""Miss""]",12,Hill (house),Who?\n'
    )
    assert import_file(project, path).format == "triples"
    (row,) = triples_of(project, tmp_path)
    assert (row["id"], row["aliases"]) == ("7", ["Miss", "A."])
    assert (row["subject_id"], row["popularity"]) == ("Q10", 12)
    assert row["page_title"] == "Hill (house)"


def test_metadata_of_simpleqa_are_read_and_never_run(project: OpenProject, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    metadata = (
        "{'topic': 'Art', 'answer_type': 'Date', 'urls': []}",
        f"{{'topic': open({str(ran)!r}, 'w')}}",
        "['Art']",
        "{'topic': " + "[" * 9_000,
        "{'topic': '" + "x" * 70_000 + "'}",
        "{'topic': 'Art', 'answer_type': 'Other'}",
    )
    path = tmp_path / "t.tsv"
    rows = "".join(f"{one}\tWhich of {n}?\t{1900 + n}\n" for n, one in enumerate(metadata))
    path.write_text(f"metadata\tproblem\tanswer\n{rows}")
    report = import_file(project, path)
    assert (report.format, report.added) == ("triples", 2)
    assert [problem.line for problem in report.problems] == [3, 4, 5, 6]
    reasons = [problem.reason for problem in report.problems]
    assert reasons[0].endswith("is neither a JSON nor a Python dict")
    assert reasons[1] == "metadata is \"['Art']\", not a dict"
    assert reasons[2].endswith("is neither a JSON nor a Python dict")
    assert reasons[3] == "metadata: 70,013 characters, over 65,536"
    assert not ran.exists()
    found = [
        (row["domain"], row["answer_type"], row["relation"])
        for row in triples_of(project, tmp_path)
    ]
    assert found == [("Art", "date", ""), ("Art", "entity", "")]
    with OpenProject(tmp_path / "other.db", "create") as other:
        assert import_file(other, tmp_path / "out.jsonl").added == 2
        assert triples_of(other, tmp_path) == triples_of(project, tmp_path)


def test_rows_of_simpleqa_that_lack_something_say_what(
    project: OpenProject, jsonl: Callable[..., Path]
) -> None:
    whole = {"metadata": {"topic": "Art"}, "problem": "Who?", "answer": "Ada"}
    lacking = (
        {"problem": ""},
        {"answer": ""},
        {"metadata": None},
        {"metadata": {"topic": ["Art"]}},
    )
    report = import_file(project, jsonl("t.jsonl", whole, *(whole | one for one in lacking)))
    assert (report.format, report.added) == ("triples", 1)
    assert [problem.reason for problem in report.problems] == [
        "neither subject nor question: one of them is needed",
        "missing: object",
        "metadata is None, not a dict",
        "domain is ['Art'], not a text",
    ]


def test_an_object_that_is_a_span_of_years_is_no_bad_date(
    project: OpenProject, jsonl: Callable[..., Path]
) -> None:
    spans = [{**CURIE, "id": one, "object": one} for one in ("1950-52", "1900-02-29", "1867-11-00")]
    assert import_file(project, jsonl("t.jsonl", *spans)).added == 3


@pytest.mark.parametrize(
    ("file", "rows"), [("popqa.csv", 1_550), ("simple_qa_test_set.csv", 3_461)]
)
def test_real_files_land_whole(
    project: OpenProject, shared: Callable[[str], Path], file: str, rows: int
) -> None:
    report = import_file(project, shared(f"data/triples/{file}"))
    assert (report.format, report.added, report.bad) == ("triples", rows, 0)


def test_the_type_of_an_answer_follows_its_property(
    project: OpenProject, jsonl: Callable[..., Path], tmp_path: Path
) -> None:
    rows = [
        {"subject": "Hill", "relation": relation, "object": "1", "property_id": number}
        for relation, number in (
            ("Height", ""),
            ("born", "http://www.wikidata.org/P570"),
            ("x", ""),
        )
    ]
    import_file(project, jsonl("t.jsonl", *rows))
    found = triples_of(project, tmp_path)
    assert [row["answer_type"] for row in found] == ["number", "date", "entity"]
    assert found[1]["property_id"] == "P570"


WIDE = "name,birth_date,city,field,views\nAda,1870-03-02,Riga,Art,40\nBela,1881-11-30,,Music,9\n"


def test_a_wide_table_has_a_triple_a_cell(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(WIDE)
    properties = ("birth_date=P569=birth date", "city")
    words = ImportWords(None, "name", properties, "field", "views")
    report = import_file(project, path, words=words)
    assert (report.format, report.added, report.bad) == ("triples", 3, 0)
    found = {(row["subject"], row["relation"]): row for row in triples_of(project, tmp_path)}
    assert len(found) == 3
    ada = found["Ada", "birth date"]
    assert (ada["object"], ada["property_id"], ada["answer_type"]) == ("1870-03-02", "P569", "date")
    assert (ada["domain"], ada["popularity"]) == ("Art", 40)


def test_columns_that_are_not_there_are_wrong_usage(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(WIDE)
    with pytest.raises(UsageError, match="has no column death: columns are 'name'"):
        import_file(project, path, words=ImportWords(None, "name", ("death",)))
    with pytest.raises(UsageError, match="--subject needs a --property"):
        import_file(project, path, words=ImportWords(None, "name"))


def test_a_property_names_a_column_and_what_it_is() -> None:
    assert property_column("born") == PropertyColumn("born", "born")
    assert property_column("born=P569") == PropertyColumn("born", "born", "P569")
    assert property_column("b=birth year") == PropertyColumn("b", "birth year")
    assert property_column("b=P1=year") == PropertyColumn("b", "year", "P1")
    for wrong in ("", "=P1", "b=P1=P2", "b=x=y", "b="):
        with pytest.raises(UsageError):
            property_column(wrong)


def test_a_file_without_relations_is_no_file_of_triples(
    project: OpenProject, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("subject,object\nAda,Riga\n")
    with pytest.raises(LostkeysError, match="has no column relation"):
        import_file(project, path, "triples")


@pytest.mark.parametrize(
    ("file", "expected", "words"),
    [
        ("trex.csv", "expected4.json", ImportWords()),
        (
            "wide.csv",
            "expected5.json",
            ImportWords(None, "name", ("born=P569", "city=P19"), "field", "views"),
        ),
    ],
)
def test_formats_of_others_as_in_the_examples(
    project: OpenProject,
    shared: Callable[[str], Path],
    tmp_path: Path,
    file: str,
    expected: str,
    words: ImportWords,
) -> None:
    folder = shared("design/examples/factbench-formats")
    import_file(project, folder / file, "triples", words=words)
    found = {row["id"]: row for row in triples_of(project, tmp_path)}
    wanted = json.loads((folder / expected).read_text())
    assert {row["id"] for row in wanted} == found.keys()
    for row in wanted:
        assert {key: found[row["id"]][key] for key in row} == row


def test_real_years_are_split_as_the_rule_says(
    project: OpenProject, shared: Callable[[str], Path]
) -> None:
    from core.zero_prompt.stored_relations import choose_relations, read_relations, readiness

    words = ImportWords(None, "name", ("birth_year=birth year",), "category")
    path = shared("data/triples/nobel_laureates.csv")
    assert import_file(project, path, words=words).added == 792
    (found,) = read_relations(project, choose_relations(project))
    ready = readiness(found.relation, 50, 100)
    assert (ready.facts, ready.train, ready.eval, ready.objects) == (792, 144, 648, 144)
    assert (ready.ready, ready.why) == (True, None)
    short = readiness(found.relation, 200, 145)
    assert not short.ready
    assert short.why == (
        "144 subjects for examples: --examples 144 would do; "
        "every fact has fewer than 145 options: --options 144 would do"
    )


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("format_", ["triples", "auto"])
def test_a_relation_that_is_named_is_that_of_rows_without_one(
    project: OpenProject, tmp_path: Path, ending: str, format_: str
) -> None:
    path = tmp_path / f"capitals{ending}"
    rows = [{"subject": "France", "object": "Paris"}, {"subject": "Italy", "object": "Rome"}]
    write_table(path, rows)
    report = import_file(project, path, format_, words=ImportWords(relation="capital"))
    assert (report.added, report.bad) == (2, 0)
    found = triples_of(project, tmp_path)
    assert [(row["relation"], row["property_id"]) for row in found] == [("capital", "")] * 2


@pytest.mark.parametrize("column", ["Relation_ID", "relation_id", "relation", "property"])
def test_a_relation_that_is_named_wins_over_its_number(
    project: OpenProject, tmp_path: Path, column: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{column},Subject,Object\nP569,Marie Curie,1867-11-07\n")
    import_file(project, path, "triples", words=ImportWords(relation="day of birth"))
    (row,) = triples_of(project, tmp_path)
    assert (row["relation"], row["property_id"]) == ("day of birth", "P569")
    assert row["answer_type"] == "date"


def test_a_name_in_a_row_wins_over_the_one_that_is_said(
    project: OpenProject, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Relation_Name,Relation_ID,Subject,Object\narchitect,P84,Hill,Ada\n")
    import_file(project, path, words=ImportWords(relation="built by"))
    (row,) = triples_of(project, tmp_path)
    assert (row["relation"], row["property_id"]) == ("architect", "P84")
