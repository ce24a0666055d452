"""What logs of other tools hold in other forms than their fields' names say."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.exchange.gold_texts import GoldQuestion, ask_row, gold_texts
from core.exchange.promptfoo_log import split_thinking
from core.exchange.score_labels import is_less_better, is_no_verdict
from core.project import OpenProject
from core.providers.reasoning_marks import split
from core.specs.file_specs import ImportWords
from core.transfer.import_report import ImportReport
from core.transfer.imports import import_file
from core.transfer.log_arguments import name_arguments
from tests.core.exchange.making import header, sample, write_archive, write_log
from tests.core.making import new_project

M = ImportWords(as_label="m")
LM_NAME = "samples_quiz_2026-01-02T03-04-05.000001.jsonl"


class Imported:
    """What a file brought: its report, answers and labels."""

    def __init__(self, folder: Path, file: Path, words: ImportWords = M) -> None:
        with new_project(folder / "o.db") as project:
            self.report: ImportReport = import_file(project, file, words=words)
            self.answers = _read(project, "SELECT fact_id, response, thinking FROM v_responses")
            self.labels = {
                (fact, grader): label
                for fact, grader, label in _read(
                    project, "SELECT fact_id, grader, label FROM v_labels"
                )
            }
            self.thoughts = [
                text for (text,) in _read(project, "SELECT reasoning FROM draw ORDER BY response")
            ]
            self.golds = dict(
                _read(
                    project,
                    "SELECT f.fact_id, g.text || coalesce(g.aliases, '') FROM fact f"
                    " JOIN gold g ON g.fact = f.id WHERE g.current",
                )
            )


def _read(project: OpenProject, query: str) -> list[tuple[Any, ...]]:
    return project.connection.execute(query).fetchall()


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def lm_row(number: int, text: str = "Tavy", **more: Any) -> dict[str, Any]:
    return {
        "doc_id": number,
        "doc": {"question": f"Q {number}?"},
        "target": "Tavy",
        "arguments": {"gen_args_0": {"arg_0": f"Q {number}?", "arg_1": {"until": ["\n"]}}},
        "resps": [[text]],
        "filter": "none",
        **more,
    }


def eee_row(key: str, metric: str | None, score: float, correct: bool, **more: Any) -> Any:
    given = {"raw": f"Q {key}?", "reference": ["Dart"], **more.pop("given", {})}
    return {
        "evaluation_id": "e",
        "model_id": "org/m",
        "evaluation_name": "rivers",
        "evaluation_result_id": metric,
        "sample_id": key,
        "interaction_type": "single_turn",
        "input": given,
        "output": {"raw": [more.pop("text", "Dart")], "reasoning_trace": None},
        "evaluation": {"score": score, "is_correct": correct},
        **more,
    }


def foo_result(number: int, output: str, grade: Mapping[str, Any], **given: Any) -> dict[str, Any]:
    return {
        "testIdx": number,
        "promptIdx": 0,
        "provider": "m",
        "prompt": {"raw": "?", "label": "p"},
        "vars": {"question": f"Q {number}?", "answer": "Tavy", **given},
        "response": {"output": output},
        "gradingResult": {"componentResults": [grade]},
    }


@pytest.mark.parametrize(
    ("text", "thought", "rest"),
    [
        ("<thinking>Tavy?</thinking>Exe", "Tavy?", "Exe"),
        ("[THINK]Tavy?[/THINK]\nExe", "Tavy?", "\nExe"),
        ("<seed:think>Tavy?</seed:think>Exe", "Tavy?", "Exe"),
        ("◁think▷Tavy?◁/think▷Exe", "Tavy?", "Exe"),
        ("analysisTavy, or Exe.assistantfinalExe", "analysisTavy, or Exe.", "Exe"),
        ("<|channel|>analysis<|message|>Tavy?<|end|>", "Tavy?<|end|>", ""),
        ("<think>a</think>b<think>c</think>d", "a\n\nc", "bd"),
        ("<think>a<think>b</think>c</think>d", "a<think>b\n\nc", "d"),
        ("Well.\n<think>Tavy", "Tavy", "Well.\n"),
        ("The tag <think> opens a thought.", None, "The tag <think> opens a thought."),
        ("<think>\n\n</think>\n\nExe", "\n\n", "\n\nExe"),
        ("3 < 4 [sic]", None, "3 < 4 [sic]"),
    ],
)
def test_reasoning_stands_between_marks(text: str, thought: str | None, rest: str) -> None:
    assert split(text) == (thought, rest)


@pytest.mark.parametrize(
    ("text", "thought", "rest"),
    [
        (
            "Thinking: Tavy?\nSignature: aG8=\n\nExe",
            "Thinking: Tavy?\nSignature: aG8=",
            "Exe",
        ),
        ("Thinking: Tavy?\n\nOr Exe.\n\nExe", "Tavy?\n\nOr Exe.", "Exe"),
        ("Thinking: Tavy is cut", "Tavy is cut", ""),
        ("Exe", None, "Exe"),
    ],
)
def test_promptfoo_puts_the_thought_before_the_answer(
    text: str, thought: str | None, rest: str
) -> None:
    assert split_thinking(text) == (thought, rest)


def test_thoughts_in_every_log_are_kept_apart(tmp_path: Path) -> None:
    thought = "<think>Tavy?</think>Exe"
    lm = write_lines(tmp_path / LM_NAME, [lm_row(1, thought), lm_row(2, "Exe")])
    more = write_lines(tmp_path / "samples_b.jsonl", [lm_row(1, thought, resps=[[thought, "Exe"]])])
    inspect = write_log(tmp_path / "i.json", [sample(1, thought)])
    eee = write_lines(tmp_path / "e.jsonl", [eee_row("1", None, 0.0, False, text=thought)])
    foo = tmp_path / "f.json"
    foo.write_text(json.dumps({"results": [foo_result(1, "Thinking: Tavy?\n\nExe", {})]}))
    for place, file in enumerate((lm, more, inspect, eee, foo)):
        folder = tmp_path / str(place)
        folder.mkdir()
        found = Imported(folder, file)
        assert {text for _, text, _ in found.answers} == {"Exe"}
        assert {bool(thinking) for _, _, thinking in found.answers} == {True}
        assert found.thoughts[0] == "Tavy?"


@pytest.mark.parametrize(
    ("message", "thought"),
    [
        ({"content": "Exe", "reasoning": "Tavy?"}, "Tavy?"),
        (
            {
                "content": [
                    {
                        "type": "reasoning",
                        "reasoning": "c2Vj",
                        "redacted": True,
                        "summary": "S",
                    },
                    {"type": "text", "text": "Exe"},
                ]
            },
            "S",
        ),
    ],
)
def test_inspect_keeps_reasoning_where_its_version_does(
    message: Mapping[str, Any], thought: str, tmp_path: Path
) -> None:
    one = sample(1, output={"choices": [{"message": {"role": "assistant", **message}}]})
    found = Imported(tmp_path, write_log(tmp_path / "i.json", [one]))
    assert found.answers == [("rivers/1", "Exe", 1)]
    assert found.thoughts == [thought]


def test_a_judge_without_a_verdict_gives_no_label(tmp_path: Path) -> None:
    reason = "Grade not found in model output: GRID: C"
    score = {"match": {"value": "I", "explanation": reason}}
    found = Imported(tmp_path, write_log(tmp_path / "i.json", [sample(1, scores=score)]))
    assert found.labels == {}
    assert found.report.unlabelled == [("inspect:match", "the judge gave no verdict", 1)]


@pytest.mark.parametrize(
    ("reason", "judged"),
    [
        ("No grade found in the output", False),
        ("Unable to parse the judge's response", False),
        ("The judge timed out", False),
        ("Error code: 429 - rate limited", False),
        ("openai.APITimeoutError: Request timed out.", False),
        ("NameError: name 'tavy' is not defined", True),
        ("The grade of the slope is not found in the answer", True),
        ("429 is no river", False),
    ],
)
def test_words_for_a_judge_that_failed(reason: str, judged: bool) -> None:
    assert is_no_verdict(reason) != judged


@pytest.mark.parametrize(
    ("reason", "told", "labels"),
    [
        ("Could not extract JSON from llm-rubric response", {}, 0),
        ("API error: 429 Too Many Requests", {}, 0),
        ("anything", {"metadata": {"graderError": True}}, 0),
        ("Invalid API key provided", {}, 0),
        ("TypeError: fetch failed", {}, 0),
        ("Invalid: the answer names another river", {}, 1),
    ],
)
def test_nor_does_one_of_promptfoo_that_failed(
    reason: str, told: Mapping[str, Any], labels: int, tmp_path: Path
) -> None:
    grade = {"pass": False, "score": 0, "reason": reason, "assertion": {"type": "llm-rubric"}}
    file = tmp_path / "f.json"
    file.write_text(json.dumps({"results": [foo_result(1, "Exe", {**grade, **told})]}))
    assert len(Imported(tmp_path, file).labels) == labels


@pytest.mark.parametrize(
    ("kind", "labels"),
    [("levenshtein", ["CORRECT"]), ("perplexity-score", ["CORRECT"]), ("python", [])],
)
def test_assertions_of_promptfoo_say_more_where_it_is_better(
    kind: str, labels: list[str], tmp_path: Path
) -> None:
    """A score of `levenshtein` says whether the distance is small enough; code may say anything."""
    metric = {"metric": "edit_distance"} if kind == "python" else {}
    passed = {"pass": True, "score": 1, "assertion": {"type": kind, **metric}}
    file = tmp_path / "f.json"
    file.write_text(json.dumps({"results": [foo_result(1, "Exe", passed)]}))
    assert list(Imported(tmp_path, file).labels.values()) == labels


def test_a_file_of_failed_samples_alone_asks_for_no_model(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    failed = foo_result(1, "", {}) | {"response": {"error": "503"}, "provider": None}
    file.write_text(json.dumps({"results": [failed]}))
    report = Imported(tmp_path, file, ImportWords()).report
    assert [one.reason for one in report.problems] == ["the sample failed"]


def test_a_service_that_failed_within_an_answer_gave_none(tmp_path: Path) -> None:
    failed = [{"message": {"content": "The ri"}, "stop_reason": "error"}]
    file = write_log(tmp_path / "i.json", [sample(1), sample(2, output={"choices": failed})])
    assert len(Imported(tmp_path, file).answers) == 1


def test_letters_of_another_scale_are_no_labels(tmp_path: Path) -> None:
    samples = [sample(n, value=letter) for n, letter in enumerate("ABCC", 1)]
    file = write_log(tmp_path / "i.json", samples)
    found = Imported(tmp_path, file)
    assert found.labels == {}
    assert found.report.unlabelled == [("inspect:match", "not a grade", 4)]
    (notice,) = found.report.notices
    words = notice.partition('--words "')[2].partition('"')[0]
    assert words == "inspect:match:A=CORRECT,B=INCORRECT,C=OTHER"
    (tmp_path / "again").mkdir()
    read = Imported(tmp_path / "again", file, ImportWords(words=words))
    assert sorted(read.labels.values()) == ["CORRECT", "INCORRECT", "OTHER", "OTHER"]
    assert read.report.notices == []


def _edited(key: int, first: str, value: str, scorer: str = "match") -> dict[str, Any]:
    """A sample whose score a person replaced."""
    edit = {"value": value, "provenance": {"author": "eva", "timestamp": "2026-01-01T00:00:00Z"}}
    return sample(key, scores={scorer: {"value": value, "history": [{"value": first}, edit]}})


def test_edits_of_letters_of_another_scale_are_no_labels(tmp_path: Path) -> None:
    file = write_log(tmp_path / "i.json", [_edited(1, "B", "C"), _edited(2, "A", "P")])
    found = Imported(tmp_path, file)
    assert found.labels == {}
    assert ("human:eva", "not a grade", 2) in found.report.unlabelled
    (tmp_path / "again").mkdir()
    words = ImportWords(words="match:A=CORRECT,B=INCORRECT,C=OTHER,P=PARTIALLY")
    read = Imported(tmp_path / "again", file, words)
    assert read.labels["rivers/1", "human:eva"] == "OTHER"


def test_edits_of_letters_of_our_scale_stay(tmp_path: Path) -> None:
    file = write_log(tmp_path / "i.json", [_edited(1, "I", "C"), sample(2, value="N")])
    assert Imported(tmp_path, file).labels["rivers/1", "human:eva"] == "CORRECT"


def test_letters_of_our_scale_stay(tmp_path: Path) -> None:
    samples = [sample(n, value=letter) for n, letter in enumerate("CIPN", 1)]
    found = Imported(tmp_path, write_log(tmp_path / "i.json", samples))
    assert sorted(found.labels.values()) == ["CORRECT", "INCORRECT", "OTHER", "PARTIALLY"]


@pytest.mark.parametrize(
    ("value", "golds"),
    [
        ('["Tavy", "the Tavy"]', ("Tavy", "the Tavy")),
        ("['Tavy', 'the Tavy']", ("Tavy", "the Tavy")),
        ("('Tavy', 'the Tavy')", ("Tavy", "the Tavy")),
        ("['Tavy' 'the Tavy']", ("Tavy", "the Tavy")),
        ("['1995']", ("1995",)),
        ('{"value": "Tavy", "aliases": ["the Tavy"]}', ("Tavy", "the Tavy")),
        ("[0, 1]", ("[0, 1]",)),
        ("[sic] Tavy", ("[sic] Tavy",)),
        ("['Tavy'", ("['Tavy'",)),
        ("[]", ()),
    ],
)
def test_a_list_as_text_is_a_list(value: str, golds: tuple[str, ...]) -> None:
    assert gold_texts(value) == golds


FOUR = ["3", "4", "2", "1"]


@pytest.mark.parametrize(
    ("row", "targets", "gold"),
    [
        ({"choices": ["a", "b", "c", "d"], "answer": 1}, (), "b"),
        ({"choices": ["a", "x", "c", "d"], "answer": "B"}, (), "x"),
        ({"choices": ["x", "y", "z", "w"], "answer": 1}, ("(C)",), "z"),
        ({"choices": FOUR, "answer": 2}, ("C",), "2"),
        ({"choices": '["w", "x", "y", "z"]', "answer": "3"}, (), "z"),
        ({"options": ["w", "x", "y", "z"], "answer": "y"}, (), "y"),
        (
            {"choices": {"text": ["w", "x", "y", "z"], "label": ["1", "2", "3", "4"]}},
            ("3",),
            "y",
        ),
        (
            {"choices": {"text": ["w", "x", "y", "z"], "label": list("ABCD")}, "answerKey": "D"},
            (),
            "z",
        ),
    ],
)
def test_an_index_or_letter_names_an_option(
    row: Mapping[str, Any], targets: tuple[Any, ...], gold: str
) -> None:
    asked = ask_row("Q?", row, targets)
    assert isinstance(asked, GoldQuestion)
    assert asked.golds == (gold,)
    assert asked.choices is not None


def test_a_letter_that_is_an_option_is_told_by_the_index_beside_it() -> None:
    row = {"choices": ["B", "C", "D", "A"], "answer": 2}
    found = ask_row("Which?", row, ("C",))
    assert isinstance(found, GoldQuestion)
    assert found.golds == ("D",)


def test_digits_that_may_be_either_are_refused_but_where_a_tool_writes_indices() -> None:
    row = {"choices": FOUR, "answer": "1"}
    assert ask_row("Q?", row) == "'1' is an option and the index of another"
    asked = ask_row("Q?", row, indices=True)
    assert isinstance(asked, GoldQuestion)
    assert asked.golds == ("4",)


def test_options_that_are_all_right_are_references() -> None:
    row = {"choices": ["Tavy", "the Tavy"], "answers": ["Tavy", "the Tavy"]}
    assert ask_row("Q?", row) == GoldQuestion("Q?", ("Tavy", "the Tavy"))


def test_references_of_every_eval_ever_are_indices_where_rows_say_so(tmp_path: Path) -> None:
    options = {"choices": FOUR, "reference": ["1"]}
    rows = [
        eee_row("1", None, 1.0, True, given=options, text="4"),
        eee_row("2", None, 0.0, False, given=options, text="3"),
    ]
    found = Imported(tmp_path, write_lines(tmp_path / "e.jsonl", rows))
    assert found.golds == {"rivers/1": "4[]", "rivers/2": "4[]"}


def test_a_metric_is_a_grader_and_likeness_none(tmp_path: Path) -> None:
    rows = [
        eee_row("1", "f1:test", 1.0, False),
        eee_row("1", "exact:test", 1.0, True),
        eee_row("1", "odd_score:test", 1.0, False),
        eee_row("1", "quasi:test", 0.0, False),
    ]
    found = Imported(tmp_path, write_lines(tmp_path / "e.jsonl", rows))
    name = "every-eval-ever:"
    assert found.labels == {
        ("rivers/1", f"{name}exact:test"): "CORRECT",
        ("rivers/1", f"{name}quasi:test"): "INCORRECT",
    }
    assert found.report.bad == 0
    assert "f1:test, odd_score:test" in found.report.notices[0]


@pytest.mark.parametrize(("second", "labels"), [(0.5, 0), (1.0, 2)])
def test_epochs_are_samples_and_their_mean_is_no_label(
    second: float, labels: int, tmp_path: Path
) -> None:
    rows = [
        eee_row("1", None, 0.5, True, metadata={"epoch": "1"}),
        eee_row("1", None, second, True, metadata={"epoch": "2"}, text="Exe"),
    ]
    file = write_lines(tmp_path / "e.jsonl", rows)
    with new_project(tmp_path / "o.db") as project:
        report = import_file(project, file)
        samples = _read(project, "SELECT sample, response FROM v_responses ORDER BY sample")
        found = _read(project, "SELECT label FROM v_labels")
    assert (report.bad, samples) == (0, [(0, "Dart"), (1, "Exe")])
    assert len(found) == labels


def test_less_is_better_as_results_say_or_a_name(tmp_path: Path) -> None:
    rows = [lm_row(1, wer=0.0, odd=0.0, error_rate=1.0, acc=1.0), lm_row(2, wer=0.5, odd=1, acc=0)]
    rows[1]["error_rate"] = 0.0
    file = write_lines(tmp_path / LM_NAME, rows)
    told = {"quiz": {"odd": False, "error_rate": True}}
    results = file.with_name("results_2026-01-02T03-04-05.000001.json")
    results.write_text(json.dumps({"higher_is_better": told}))
    found = Imported(tmp_path, file)
    assert {grader for _, grader in found.labels} == {"lm-eval:acc", "lm-eval:error_rate"}
    assert ("lm-eval:wer", "less is better", 2) in found.report.unlabelled
    (tmp_path / "again").mkdir()
    words = ImportWords(as_label="m", words="lm-eval:wer:0=CORRECT")
    read = Imported(tmp_path / "again", file, words)
    assert read.labels["quiz/1", "lm-eval:wer"] == "CORRECT"


def test_a_bound_reads_a_number_where_less_is_better(tmp_path: Path) -> None:
    rows = [lm_row(n, wer=wer, acc=1 - wer) for n, wer in enumerate((0.0, 0.25, 0.5), 1)]
    file = write_lines(tmp_path / LM_NAME, rows)
    found = Imported(tmp_path, file, ImportWords(as_label="m", correct_at=0.25))
    assert [found.labels[f"quiz/{n}", "lm-eval:wer"] for n in (1, 2, 3)] == [
        "CORRECT",
        "CORRECT",
        "INCORRECT",
    ]
    assert found.labels["quiz/3", "lm-eval:acc"] == "CORRECT"
    (notice,) = found.report.notices
    assert notice.startswith("lm-eval:wer: less is better")


@pytest.mark.parametrize(
    ("name", "less"),
    [
        ("word_perplexity", True),
        ("isIncorrect", True),
        ("not_attempted", True),
        ("bits_per_byte", True),
        ("no_error", False),
        ("exact_match", False),
        ("answer", False),
    ],
)
def test_names_say_where_less_is_better(name: str, less: bool) -> None:
    assert is_less_better(name) == less


def test_log_probabilities_of_whole_texts_are_no_answers(tmp_path: Path) -> None:
    rows = [lm_row(n, "-123.4", arguments={"gen_args_0": {"arg_0": "All."}}) for n in (1, 2)]
    found = Imported(tmp_path, write_lines(tmp_path / LM_NAME, [*rows, lm_row(3, "1995")]))
    assert [text for _, text, _ in found.answers] == ["1995"]
    assert {one.reason for one in found.report.problems} == {"holds log probabilities"}


def test_old_rows_have_a_grader_for_each_filter(tmp_path: Path) -> None:
    rows = [lm_row(n, acc=acc) for acc in (0.0, 1.0) for n in (1, 2)]
    for row in rows:
        del row["filter"]
    found = Imported(tmp_path, write_lines(tmp_path / LM_NAME, rows))
    assert found.report.bad == 0
    assert found.labels["quiz/2", "lm-eval:acc"] == "INCORRECT"
    assert found.labels["quiz/2", "lm-eval:acc.2"] == "CORRECT"


def test_an_index_as_target_is_an_option(tmp_path: Path) -> None:
    doc = {"question": "How many?", "choices": FOUR}
    found = Imported(tmp_path, write_lines(tmp_path / LM_NAME, [lm_row(1, doc=doc, target="1")]))
    assert found.golds == {"quiz/1": "4[]"}


def test_images_are_named_in_a_notice(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "Which?"}, {"type": "image", "image": "a.png"}]
    asked = {"input": [{"role": "user", "content": content}]}
    file = write_log(tmp_path / "i.json", [sample(1, **asked), sample(2)])
    assert Imported(tmp_path, file).report.notices == [
        "row 1/1: holds an image, of which only the text is imported"
    ]


def helm_run(folder: Path, name: str, **adapter: Any) -> Path:
    instance = {
        "id": "id1",
        "input": {"text": f"Q of {name}?"},
        "references": [{"output": {"text": "Dart"}, "tags": ["correct"]}],
    }
    completion = {"text": "Exe", "thinking": {"text": "Dart?"}, "finish_reason": {"reason": "stop"}}
    request = {
        "instance": instance,
        "request": {"prompt": "?"},
        "result": {"success": True, "completions": [completion]},
    }
    folder.mkdir()
    (folder / "run_spec.json").write_text(json.dumps({"name": name}))
    state = {"adapter_spec": {"model": "m", **adapter}, "request_states": [request]}
    file = folder / "scenario_state.json"
    file.write_text(json.dumps(state))
    return file


@pytest.mark.parametrize(
    ("name", "set_name"),
    [
        ("boolq:only_contrast=True,model=org_m", "boolq:only_contrast=True"),
        ("wmt_14:language_pair=cs-en,model=org_m,num_outputs=5", "wmt_14:language_pair=cs-en"),
        ("narrative_qa:model=org_m,stop=hash", "narrative_qa"),
    ],
)
def test_sets_of_helm_have_their_arguments_but_no_model(
    name: str, set_name: str, tmp_path: Path
) -> None:
    found = Imported(tmp_path, helm_run(tmp_path / "run", name))
    assert found.answers == [(f"{set_name}/id1", "Exe", 1)]
    assert found.thoughts == ["Dart?"]


@pytest.mark.parametrize(
    "method", ["multiple_choice_separate_original", "ranking_binary", "language_modeling"]
)
def test_requests_that_score_texts_are_no_answers(method: str, tmp_path: Path) -> None:
    found = Imported(tmp_path, helm_run(tmp_path / "run", "towns", method=method))
    assert found.answers == []
    assert [one.reason for one in found.report.problems] == ["holds log probabilities"]


def write_region(folder: Path, region: str, **more: Any) -> Path:
    one = sample(1, input=f"Which river of {region}?")
    return write_log(
        folder / f"{region}.json", [one], task_args={"region": region, "shots": 5}, **more
    )


def test_logs_of_one_task_name_the_arguments_in_which_they_differ(tmp_path: Path) -> None:
    files = [write_region(tmp_path, "asia"), write_region(tmp_path, "africa")]
    write_archive(tmp_path / "other.eval", [sample(1)], head=header(task="lakes"))
    each = name_arguments([*files, tmp_path / "other.eval"], ImportWords())
    assert [one.arguments for one in each] == [("region",), ("region",), ()]
    with new_project(tmp_path / "o.db") as project:
        reports = [import_file(project, *pair) for pair in ((files[0],), (files[1],))]
        assert [one.bad for one in reports] == [0, 1]
    with new_project(tmp_path / "p.db") as project:
        for file, words in zip(files, each, strict=False):
            report = import_file(project, file, words=words)
            assert (report.bad, len(report.notices)) == (0, 1)
        found = _read(project, "SELECT fact_id FROM v_responses ORDER BY fact_id")
    assert found == [("rivers:region=africa/1",), ("rivers:region=asia/1",)]


def test_models_that_were_asked_alike_meet(tmp_path: Path) -> None:
    files = [write_region(tmp_path, "asia"), write_region(tmp_path, "asia", model="m2")]
    assert name_arguments(files, ImportWords()) == [ImportWords()] * 2
