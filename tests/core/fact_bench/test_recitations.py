"""What exemplars recite: the file's words, else the page's sentences with the answer, else none."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import db.arms
import db.documents
from core.errors import LostkeysError
from core.fact_bench.arm_exemplars import quote_page, read_exemplars
from core.fact_bench.arm_plan import ArmPlanner
from core.fact_bench.bench_evidence import BenchChoice, BenchEvidence
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.modes import parse_mode
from core.pipeline.text_match import WordText
from core.project import OpenProject
from core.specs.answer_specs import ArmsSpec
from core.transfer.imports import import_file
from core.vocabulary import Task
from db.connection import write_transaction
from db.documents import Document, Paragraph
from tests.core.fact_bench.making import a_triple
from tests.core.making import Row, new_project, put_rows

MODEL = "embedded:smollm2-135m"
LONG = f"In Riga {'many ' * 58}years passed."
"""A sentence of 62 words."""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[OpenProject]:
    """Four training triples: one that its file recites, one with a page, two without either."""
    rows: list[dict[str, Any]] = [
        {"id": f"t{n}", "subject": f"S{n}", "relation": "father", "object": f"Bo {n}"}
        | {"question": f"Who is the father of S{n}?", "split": "train" if n < 4 else "test"}
        for n in range(6)
    ]
    rows[0]["recitation"] = "Bo 0 begat S0."
    file = tmp_path / "some.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    with new_project(tmp_path / "some.db") as made:
        assert import_file(made, file, "triples").bad == 0
        prepare_set(made, None, DEFAULT)
        pages = [
            Document("p1", "S1", (Paragraph("S1 is old. S1 is a child of Bo 1. It rained."),)),
            Document("p2", "S2", (Paragraph("S2 has a father. He is Bo 22."),)),
        ]
        with write_transaction(made.connection):
            db.documents.insert(made.connection, pages)
        yield made


def evidence(project: OpenProject) -> BenchEvidence:
    return BenchEvidence(project, BenchChoice(known_by="em"))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("Ada is. She was born in Riga. It rained.", "She was born in Riga."),
        (
            "Riga one.\n\nRiga two. It rains. Riga three. Riga four.",
            "Riga one. Riga two. Riga three.",
        ),
        ("She lived in Rigas.", ""),
        (f"{LONG} She left Riga.", "She left Riga."),
        ("A heading\n\nShe was born\nin RIGA.", "She was born in RIGA."),
        (f"{'word ' * 57}Riga. Riga it is. Riga.", f"{'word ' * 57}Riga. Riga."),
        ("", ""),
    ],
)
def test_the_first_sentences_with_the_answer_are_recited(page: str, said: str) -> None:
    assert quote_page(a_triple(), WordText(page)) == said


def test_dates_and_aliases_are_found_as_pages_have_them() -> None:
    born = a_triple(answer_type="date", object="1888-03-10")
    assert quote_page(born, WordText("Ada was born on 10 March 1888.")).endswith("1888.")
    named = a_triple(aliases=("Old Riga",), object="Riga City")
    assert quote_page(named, WordText("She was born in Old Riga.")) != ""
    assert quote_page(named, None) == ""


def test_exemplars_are_those_with_a_recitation(project: OpenProject) -> None:
    found = read_exemplars(evidence(project), "m", "recite-2-shot")
    names = {found.triples[one.fact].fact_id for one in found.arm.exemplars}
    assert names == {"t0", "t1"}
    assert "Answer: Recitation: Bo 0 begat S0.\nAnswer: Bo 0" in found.arm.prompt
    assert "Answer: Recitation: S1 is a child of Bo 1.\nAnswer: Bo 1" in found.arm.prompt
    with pytest.raises(LostkeysError, match="only 2 of 4 training triples have a recitation"):
        read_exemplars(evidence(project), "m", "recite-3-shot")
    restated = read_exemplars(evidence(project), "m", "recite-4-shot-restated")
    assert "Recitation: The father of S0 is Bo 0.\n" in restated.arm.prompt


def test_an_arm_goes_on_with_what_it_was_sent(project: OpenProject) -> None:
    restated = read_exemplars(evidence(project), "m", "recite-2-shot-restated").arm
    sent = replace(restated, label="m#recite-2-shot", mode="recite-2-shot")
    with write_transaction(project.connection):
        db.arms.insert(project.connection, sent)
    put_rows(project, [Row("t5", Task.DIRECT, "m#recite-2-shot", False, 0)])
    planner = ArmPlanner(project, ArmsSpec(MODEL, "m", ("recite-2-shot",)))
    arm = planner.find_sent(parse_mode("recite-2-shot"))
    assert arm == sent
    form = planner.plan(sent).plan.form
    assert form is not None
    assert form.write("{QUESTION}") == sent.prompt
