"""The relation that comes with the program can be scored, and the demo goes on beside it."""

from pathlib import Path

import pytest

from core.demo import demo_setup
from core.errors import UsageError
from core.fact_bench.set_preparation import DEFAULT
from core.fact_bench.stored_sets import prepare_set
from core.project import OpenProject
from core.transfer.imports import import_file
from core.zero_prompt.option_choice import options_of
from core.zero_prompt.stored_relations import read_named_relations
from tests.core.making import a_fact, new_project, put_facts


def bring(project: OpenProject) -> int:
    spec = demo_setup.relation_import()
    return import_file(project, spec.file, spec.format, words=spec.words).added


@pytest.fixture
def project(tmp_path: Path) -> OpenProject:
    project = new_project(tmp_path / "demo.db")
    assert bring(project) == 190
    return project


def test_each_fact_has_options_and_examples(project: OpenProject) -> None:
    (relation,) = [one.relation for one in read_named_relations(project)]
    assert (relation.name, len(relation.triples)) == (demo_setup.RELATION, 190)
    assert len(relation.split.training) >= 50
    for one in relation.split.evaluation:
        assert options_of(relation, one, 100) is not None, one


def test_it_can_be_prepared_and_asked(project: OpenProject) -> None:
    found = prepare_set(project, demo_setup.RELATION_SET, DEFAULT).as_json()
    assert (found["used"], found["dropped"]) == (190, {})


def test_a_second_time_brings_nothing_and_the_demo_stands_beside_it(project: OpenProject) -> None:
    assert bring(project) == 0
    demo_setup.prepare(project, 2)
    assert len(project.index) == 192
    put_facts(project, [a_fact("other")])
    with pytest.raises(UsageError, match="other facts"):
        demo_setup.prepare(project)
