"""Samples of Inspect of every kind that is not as one would have it."""

import gc
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import db.response_sources
from core.errors import LostkeysError
from core.project import OpenProject
from core.scoring.policy import Policy
from core.specs.file_specs import ImportWords
from core.transfer.exports import export
from core.transfer.imports import import_file
from tests.core.exchange.making import header, log_of, sample, write_archive, write_log
from tests.core.making import new_project

IMAGE = {"type": "image", "image": "data:image/png;base64,AAAA"}


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    return new_project(tmp_path / "o.db")


def problems(project: OpenProject, path: Path, **words: Any) -> list[tuple[int | str, str]]:
    report = import_file(project, path, words=ImportWords(**words))
    return [(one.line, one.reason) for one in report.problems]


def labels(project: OpenProject) -> dict[tuple[str, int, str], str]:
    return {
        (fact, number, grader): label
        for fact, number, grader, label in project.connection.execute(
            "SELECT fact_id, sample, grader, label FROM v_labels"
        )
    }


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"output": {"choices": []}}, "has no output"),
        ({"output": None}, "has no output"),
        ({"output": {"choices": [{"message": {"content": [IMAGE]}}]}}, "holds no answer text"),
        ({"input": [{"role": "user", "content": [IMAGE]}]}, "has no question"),
        ({"input": []}, "has no question"),
        ({"target": " "}, "has no gold answer"),
        ({"target": []}, "has no gold answer"),
        ({"error": {"message": "429"}}, "the sample failed"),
        ({"choices": ["a", "b"], "target": "Z"}, "not one right option"),
        ({"uuid": "\ud800"}, "holds what cannot be kept"),
        ({"id": 10**30}, "has no id and epoch"),
        ({"id": None}, "has no id and epoch"),
        ({"epoch": 2000}, "is the last"),
    ],
)
def test_a_bad_sample_stops_no_other(
    project: OpenProject, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    samples = [sample(1), {**sample("odd"), **change}, sample(3)]
    with project:
        ((_, said),) = problems(project, write_log(tmp_path / "l.json", samples))
        assert reason in said
        found = project.connection.execute("SELECT fact_id FROM v_responses ORDER BY 1").fetchall()
        assert found == [("rivers/1",), ("rivers/3",)]


def test_half_a_character_in_names_stops_nothing(project: OpenProject, tmp_path: Path) -> None:
    """The same is said of a name as of a text: half a surrogate pair stands as U+FFFD."""
    samples = [sample(1), sample("x\ud800"), sample("y\ud800", error={"message": "429"})]
    path = write_log(tmp_path / "a.json", samples, model="m\ud800", eval_id="e\ud800")
    found = problems(project, path)
    assert [place for place, _ in found] == ["x\ufffd/1", "y\ufffd/1"]
    assert project.models() == ["m\ufffd"]


def test_a_hundred_scorers(project: OpenProject, tmp_path: Path) -> None:
    scores = {f"s{n}": {"value": n / 99} for n in range(100)}
    with project:
        assert problems(project, write_log(tmp_path / "l.json", [sample(1, scores=scores)])) == []
        assert len(labels(project)) == 100


def test_an_empty_answer_is_one(project: OpenProject, tmp_path: Path) -> None:
    with project:
        assert problems(project, write_log(tmp_path / "l.json", [sample(1, "")])) == []


def test_ids_that_are_a_number_here_and_a_text_there(project: OpenProject, tmp_path: Path) -> None:
    second = {**sample("7"), "epoch": 2}
    with project:
        assert problems(project, write_log(tmp_path / "l.json", [sample(7), second])) == []
        slots = [key for (key,) in project.connection.execute("SELECT id FROM response")]
        found = db.response_sources.read_sources(project.connection, slots)
        assert [one.sample_id for one in found.values()] == [7, "7"]


def test_numbers_that_are_none(project: OpenProject, tmp_path: Path) -> None:
    """NaN and Infinity are read, 1e400 too; a scorer that counts anywhere grades nowhere."""
    path = tmp_path / "l.json"
    text = json.dumps(log_of([sample(1, value="C"), sample(2, value=1), sample(3, value=0.5)]))
    path.write_text(text.replace('"value": 0.5', '"value": 1e400, "extra": [NaN, -Infinity]'))
    with project:
        report = import_file(project, path)
        assert (report.added, report.unlabelled) == (3, [("inspect:match", "outside 0 to 1", 3)])
        assert labels(project) == {}


def test_a_word_in_one_row_and_a_number_in_the_next(project: OpenProject, tmp_path: Path) -> None:
    values = ["C", 0, True, "0.5", "hm", None]
    samples = [sample(n, value=value) for n, value in enumerate(values)]
    with project:
        report = import_file(project, write_log(tmp_path / "l.json", samples))
        assert list(labels(project).values()) == ["CORRECT", "INCORRECT", "CORRECT", "PARTIALLY"]
        assert report.unlabelled == [
            ("inspect:match", "not a grade", 1),
            ("inspect:match", "unscored", 1),
        ]


def test_two_logs_of_one_model(project: OpenProject, tmp_path: Path) -> None:
    first = write_log(tmp_path / "a.json", [sample(1), sample(2)])
    second = write_log(tmp_path / "b.json", [sample(1, "Dart", "I"), sample(2)])
    with project:
        assert problems(project, first) == []
        ((row, reason),) = problems(project, second)
        assert row == "1/1"
        assert "--as" in reason
        assert "--pool" in reason
        assert problems(project, second, as_label="other") == []


def test_another_question_or_gold_of_one_id(project: OpenProject, tmp_path: Path) -> None:
    with project:
        assert problems(project, write_log(tmp_path / "a.json", [sample(1), sample(2)])) == []
        changed = [{**sample(1), "input": "Who?"}, {**sample(2), "target": "Dart"}]
        found = problems(project, write_log(tmp_path / "b.json", changed), as_label="other")
        assert [row for row, _ in found] == ["1/1", "2/1"]
        assert "another question" in found[0][1]
        assert "another gold" in found[1][1]


def test_a_log_of_many_batches_is_one_log(
    project: OpenProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.transfer.imports.ROWS_AT_ONCE", 3)
    epochs = [{**sample(n % 5), "epoch": 1 + n // 5, "uuid": None} for n in range(20)]
    with project:
        assert problems(project, write_log(tmp_path / "a.json", epochs)) == []
        assert len(labels(project)) == 20


def test_nothing_in_a_log_is_more_than_text(project: OpenProject, tmp_path: Path) -> None:
    hostile = "[/b]<script>\\input{x}=cmd()\x1b[31m {{prompt}} \u202e 🔑"
    more = {"input": hostile, "target": hostile, "scores": {hostile: {"value": "C"}}}
    path = write_log(tmp_path / "l.json", [{**sample(1, hostile), **more}])
    with project:
        assert problems(project, path) == []
        rows = project.connection.execute("SELECT response FROM v_responses").fetchall()
        assert rows == [(hostile,)]


NAMES = st.sampled_from(["match", "f1", "judge"])
VALUES = st.sampled_from(["C", "I", "P", "N", 0, 1, 0.5, True, False, None, "hm", {"a": 1, "b": 0}])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.tuples(TEXTS, st.dictionaries(NAMES, VALUES), TEXTS), min_size=1, max_size=5))
def test_import_export_import_is_the_identity(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any]
) -> None:
    """What a log brought is written to our own files, and comes back from them the same."""
    folder = tmp_path_factory.mktemp("round")
    samples = [
        {
            **sample(n, text),
            "scores": {key: {"value": value, "explanation": why} for key, value in scores.items()},
        }
        for n, (text, scores, why) in enumerate(rows)
    ]
    names = ("facts", "responses", "labels")
    with new_project(folder / "a.db") as first, new_project(folder / "b.db") as second:
        assert import_file(first, write_archive(folder / "l.eval", samples)).bad == 0
        for name in names:
            export(first, name, folder / f"{name}.jsonl")
            if (folder / f"{name}.jsonl").read_bytes():
                assert import_file(second, folder / f"{name}.jsonl").bad == 0
        for name in names:
            export(second, name, folder / f"again-{name}.jsonl")
            assert (folder / f"again-{name}.jsonl").read_text() == (
                folder / f"{name}.jsonl"
            ).read_text()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of its own streams
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_archives_that_inspect_writes_today(project: OpenProject, tmp_path: Path) -> None:
    """The real tool, on its mock model: several epochs, a scorer, an edit by a person."""
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import ProvenanceData, edit_score, read_eval_log, write_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.scorer import ScoreEdit, includes

    outputs = [ModelOutput.from_content("m", "It is the Tavy.") for _ in range(6)]
    for one in outputs:  # without its usage the tool would fetch a tokenizer
        one.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    samples = [Sample(input=f"Which river is {n}?", target="Tavy", id=n) for n in range(1, 4)]
    task = inspect_ai.Task(dataset=MemoryDataset(samples), scorer=includes(), name="mock")
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(
        task, model=model, epochs=2, log_dir=str(tmp_path / "logs"), display="none"
    )
    gc.collect()  # the tool leaves streams open, which another test would be told of
    with project:
        report = import_file(project, Path(log.location))
        assert (report.format, report.added, report.bad) == ("inspect", 6, 0)
        assert set(labels(project).values()) == {"CORRECT"}
        edited = read_eval_log(log.location)
        edit = ScoreEdit(value="I", provenance=ProvenanceData(author="ada", reason="No."))
        edit_score(edited, 2, "includes", edit, epoch=1)
        copy = tmp_path / "edited.eval"
        write_eval_log(edited, str(copy))
        assert import_file(project, copy).added == 1
        people = {key: label for key, label in labels(project).items() if "human" in key[2]}
        assert people == {("mock/2", 0, "human:ada"): "INCORRECT"}
        whole = tmp_path / "edited.json"
        write_eval_log(edited, str(whole))
        assert import_file(project, whole).unchanged == 6


def test_a_log_that_is_no_log(project: OpenProject, tmp_path: Path) -> None:
    path = tmp_path / "l.json"
    for content in ("[]", "{}", "3", "", '{"eval": 3}', json.dumps({**header(), "samples": {}})):
        path.write_text(content)
        with pytest.raises(LostkeysError):
            import_file(project, path, "inspect")
    project.close()


def test_facts_by_the_file_of_their_answers(project: OpenProject, tmp_path: Path) -> None:
    with project:
        assert problems(project, write_log(tmp_path / "a.json", [sample(1)], task="one")) == []
        assert problems(project, write_log(tmp_path / "b.json", [sample(1)], task="two")) == []
        found = project.facts("source:B.json", (), Policy())
        assert [project.index.fact_ids[place] for place in found.nonzero()[0]] == ["two/1"]
        assert not project.facts("source:c.json", (), Policy()).any()
