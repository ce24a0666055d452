"""The form of the Start dialog: what can be chosen, what is wrong, what it asks for."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.estimates.estimate import Estimate, EstimatePart, QuantityRange
from core.estimates.estimate_text import make_rows
from core.jobs.start_options import ModelOffer, StartOptions
from core.scoring.policy import Policy
from core.specs.answer_specs import AnsweringSpec, GradingSpec
from core.specs.file_specs import ExportingSpec, ImportingSpec
from core.vocabulary import ENCODING, KNOWLEDGE, Task
from tests.core.making import a_fact, new_project, put_facts
from tests.tui.screens.jobs.making import PROFILE
from tui.dialogs.start.form import (
    Form,
    FormContext,
    choose,
    find_chosen,
    groups,
    options,
    paste_number,
    type_char,
)
from tui.dialogs.start.form_fields import AT_RANDOM, CHOSEN, LISTED, NAMED, PROFILES, Do, Field
from tui.dialogs.start.form_spec import build_where, limits_of, spec
from tui.dialogs.start.form_view import run_lines
from tui.dialogs.start.render_form import BELOW, FormLayout, field_line
from tui.dialogs.start.start_context import count_listed, fill_form, fill_to_grade, refill_form
from tui.dialogs.start.validation import faults, limits_fault, max_cost, unbounded_cost
from tui.text.speech import speak_line
from tui.theme.look import look_named

BY_MODEL = "llm:openai:gpt-5-mini"
OFFER = ModelOffer("openai:m@http://127.0.0.1:9/v1", "m")
GIVEN = FormContext(StartOptions(facts=40, answers=7, offers=(OFFER,)), policy=Policy(tau=0.75))
FORM = Form(offer=OFFER)


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))


def fields(form: Form) -> list[Field]:
    return [one for group in groups(form) for one in group]


def keyed(form: Form, which: Field, keys: str) -> Form:
    for key in keys:
        form = type_char(form, which, "" if key == "<" else key) or form
    return form


def test_each_thing_to_do_has_its_own_fields() -> None:
    shown = {do: fields(replace(FORM, do=do)) for do in Do}
    assert shown[Do.IMPORT] == [Field.DO, Field.FILE]
    assert shown[Do.EXPORT] == [Field.DO, Field.WHAT, Field.FACTS, Field.FILE]
    about = [Field.MODELS, Field.FACTS, Field.TASKS, Field.SAMPLE]
    assert shown[Do.GRADE] == [Field.DO, *about, Field.GRADER]
    assert {Field.TEMPERATURE, Field.EFFORT, Field.LIMIT} <= set(shown[Do.SAMPLE])
    assert set(shown[Do.RUN]) - set(shown[Do.SAMPLE]) == {Field.GRADER}


def test_fields_for_trouble_come_with_the_trouble() -> None:
    assert Field.CHECK not in fields(FORM)
    assert Field.CHECK in [one for group in groups(FORM, faulty=True) for one in group]
    assert Field.CHECK in fields(replace(FORM, unchecked=True))
    assert Field.LABEL in [one for group in groups(FORM, clash=True) for one in group]
    assert Field.LABEL in fields(replace(FORM, label="mine"))


def test_every_option_can_be_chosen_and_is_then_the_chosen_one() -> None:
    given = replace(GIVEN, listed="number:1-3", listed_count=3)
    for which in Field:
        for place, _ in enumerate(options(FORM, which, given)):
            assert find_chosen(choose(FORM, which, place, given), which, given) == place, (
                which,
                place,
            )
        assert choose(FORM, which, -1, given) == FORM
        assert choose(FORM, which, 99, given) == FORM


def test_a_list_that_shows_all_is_passed_over() -> None:
    right = choose(FORM, Field.FACTS, 1, GIVEN)
    assert right.facts == AT_RANDOM
    assert choose(right, Field.FACTS, LISTED, GIVEN).facts == 0


def test_only_a_run_can_be_curtailed() -> None:
    assert options(FORM, Field.ANSWERS, GIVEN) == ["always 8", "curtail"]
    form = replace(FORM, do=Do.SAMPLE, curtailed=True)
    assert options(form, Field.ANSWERS, GIVEN) == ["always 8"]
    found = spec(form, GIVEN)
    assert isinstance(found, AnsweringSpec)
    assert found.curtailed is None


def test_a_plain_form_asks_everything_of_all_facts() -> None:
    assert spec(FORM, GIVEN) == AnsweringSpec(OFFER.model, "m", graders=("lexical",))
    assert spec(replace(FORM, do=Do.SAMPLE), GIVEN) == AnsweringSpec(OFFER.model, "m")


def test_what_is_filled_in_is_asked_for() -> None:
    given = replace(GIVEN, listed="number:3-9", listed_count=7)
    form = replace(FORM, facts=LISTED, tasks=PROFILES, thinking=1, samples="20", curtailed=True)
    form = replace(form, grader="exact", label="other", unchecked=True)
    assert spec(form, given) == AnsweringSpec(
        OFFER.model,
        "other",
        samples=20,
        thinking=(False,),
        tasks=(*ENCODING, *KNOWLEDGE),
        where="number:3-9",
        graders=("exact",),
        curtailed=Policy(tau=0.75, graders=("exact",)),
        unchecked=True,
    )
    named = replace(FORM, tasks=CHOSEN, chosen=frozenset({Task.MC_DIRECT, Task.DIRECT}))
    found = spec(replace(named, facts=AT_RANDOM, random="12"), given)
    assert isinstance(found, AnsweringSpec)
    assert (found.tasks, found.where) == ((Task.DIRECT, Task.MC_DIRECT), "random:12")


def test_files_are_named_in_full(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    form = replace(FORM, source=file, target=file, what="labels")
    assert spec(replace(form, do=Do.IMPORT), GIVEN) == ImportingSpec(str(file))
    assert spec(replace(form, do=Do.EXPORT), GIVEN) == ExportingSpec("labels", str(file))
    given = replace(GIVEN, listed="number:3-5", listed_count=3)
    listed = spec(replace(form, do=Do.EXPORT, facts=LISTED), given)
    assert listed == ExportingSpec("labels", str(file), where="number:3-5")
    assert spec(replace(form, do=Do.GRADE, grader="choice"), GIVEN) == GradingSpec(("choice",))


def test_choice_grades_only_by_itself() -> None:
    form = choose(replace(FORM, do=Do.GRADE), Field.GRADER, 4, GIVEN)
    assert form.grader == "choice"
    assert choose(form, Field.DO, 0, GIVEN).grader == "lexical"


def test_numbers_are_typed_and_taken_back() -> None:
    assert keyed(FORM, Field.ANSWERS, "<16").samples == "16"
    assert keyed(FORM, Field.ANSWERS, "<x0").samples == ""
    typed_in = keyed(FORM, Field.FACTS, "<<<55")
    assert (typed_in.facts, typed_in.random) == (AT_RANDOM, "55")
    assert options(typed_in, Field.FACTS, GIVEN)[AT_RANDOM] == "random 55"
    assert keyed(FORM, Field.BUDGET, "1.2.5<0").budget == "1.20"
    assert max_cost(keyed(FORM, Field.BUDGET, "12")) == 12.0
    assert max_cost(FORM) is None
    assert max_cost(replace(FORM, do=Do.GRADE, budget="3")) is None


@pytest.mark.parametrize(
    ("form", "which", "said"),
    [
        (replace(FORM, offer=None), Field.MODEL, "enter chooses one"),
        (replace(FORM, samples=""), Field.ANSWERS, "1 to 1,024"),
        (replace(FORM, samples="1025"), Field.ANSWERS, "1 to 1,024"),
        (replace(FORM, facts=AT_RANDOM, random=""), Field.FACTS, "how many"),
        (replace(FORM, facts=LISTED), Field.FACTS, "empty"),
        (replace(FORM, tasks=CHOSEN), Field.TASKS, "none is chosen"),
        (replace(FORM, budget="."), Field.BUDGET, "no amount"),
        (replace(FORM, temperature="2.5"), Field.TEMPERATURE, "from 0 to 2"),
        (replace(FORM, temperature="."), Field.TEMPERATURE, "from 0 to 2"),
        (replace(FORM, do=Do.GRADE, size="1.5"), Field.SAMPLE, "1,000"),
        (replace(FORM, do=Do.GRADE, size="5", seed="1.5"), Field.SEED, "1,000"),
        (replace(FORM, do=Do.GRADE, tasks=CHOSEN), Field.TASKS, "none is chosen"),
        (replace(FORM, samples="1,0"), Field.ANSWERS, "1 to 1,024"),
        (replace(FORM, samples="2k"), Field.ANSWERS, "1 to 1,024"),
        (replace(FORM, do=Do.BUILD, documents=Path("a"), wanted="1.5"), Field.TARGET, "1,000"),
        (replace(FORM, do=Do.IMPORT), Field.FILE, "enter chooses one"),
        (replace(FORM, do=Do.EXPORT), Field.FILE, "enter chooses one"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(form: Form, which: Field, said: str) -> None:
    found = faults(form, GIVEN)
    assert list(found) == [which]
    assert said in found[which]


def test_a_budget_needs_a_price() -> None:
    far = replace(FORM, offer=ModelOffer("openai:m@https://llm.example.org/v1", "m"), budget="3")
    assert "no price" in faults(far, GIVEN)[Field.BUDGET]
    assert not faults(replace(far, budget=""), GIVEN)
    assert not faults(replace(FORM, budget="3"), GIVEN)


def test_without_facts_only_an_import_or_a_build_can_be_started() -> None:
    none = FormContext(StartOptions())
    for do in Do:
        form = replace(FORM, do=do, source=Path("x"), target=Path("x"))
        assert (Field.DO in faults(form, none)) == (do not in (Do.IMPORT, Do.BUILD))
    assert Field.GRADER in faults(replace(FORM, do=Do.GRADE), FormContext(StartOptions(facts=3)))


@pytest.mark.parametrize(
    "wanted",
    [
        AnsweringSpec(OFFER.model, "m", graders=("lexical",)),
        AnsweringSpec(OFFER.model, "other", samples=20, thinking=(True,), unchecked=True),
        AnsweringSpec(OFFER.model, "m", where="random:50", tasks=(*ENCODING, *KNOWLEDGE)),
        AnsweringSpec(OFFER.model, "m", where="category:Arts", tasks=(Task.REVERSE,)),
        AnsweringSpec(OFFER.model, "m", graders=("llm:openai:gpt-5-mini",)),
        AnsweringSpec(OFFER.model, "m", timeout=30.0, in_flight=2),
        AnsweringSpec(OFFER.model, "m", temperature=0.7, effort="low", limits=("steps=900",)),
        AnsweringSpec(OFFER.model, "m", temperature=0.0, first=20, via="batch", raw=True),
        AnsweringSpec(OFFER.model, "m", graders=("lexical", "judge:openai:gpt-5-mini")),
        AnsweringSpec(
            OFFER.model,
            "m",
            graders=("exact",),
            curtailed=replace(GIVEN.policy, graders=("exact",)),
        ),
    ],
)
def test_a_form_filled_by_a_spec_asks_for_it(wanted: AnsweringSpec) -> None:
    form = fill_form(wanted, OFFER, 1.5)
    assert spec(form, replace(GIVEN, listed=wanted.where)) == wanted
    assert max_cost(form) == 1.5


@pytest.mark.parametrize("names", [("lexical",), ("choice",), (BY_MODEL,), ("exact", BY_MODEL)])
def test_a_form_filled_by_what_was_to_be_graded_asks_for_it(names: tuple[str, ...]) -> None:
    wanted = GradingSpec(names, timeout=30.0, in_flight=2)
    form = fill_to_grade(wanted, OFFER, 12.5)
    assert spec(form, GIVEN) == wanted
    assert max_cost(form) == (12.5 if BY_MODEL in names else None)


@pytest.mark.parametrize(
    "wanted",
    [
        GradingSpec((BY_MODEL,), models=("a", "b"), tasks=(Task.DIRECT,), effort="high"),
        GradingSpec(("exact",), where="category:Arts", size=40, seed=3),
        GradingSpec(("exact",), where="random:30", tasks=(*ENCODING, *KNOWLEDGE)),
        GradingSpec(("form", BY_MODEL), sure=0.8, cascade=True, replies="text"),
    ],
)
def test_which_answers_are_graded_is_in_the_form(wanted: GradingSpec) -> None:
    form = fill_to_grade(wanted, OFFER, None)
    assert spec(form, replace(GIVEN, listed=wanted.where)) == wanted
    assert Field.SEED not in fields(FORM)
    by_another = replace(form, grader="lexical", named=())
    assert spec(by_another, replace(GIVEN, listed=wanted.where)) == replace(
        wanted, graders=("lexical",), sure=None, cascade=False, replies="auto", effort=None
    )


@pytest.mark.parametrize(
    "wanted",
    [
        GradingSpec(("exact",), where="category:Arts"),
        AnsweringSpec(OFFER.model, "m", where="category:Arts"),
    ],
)
def test_a_job_that_is_started_again_counts_the_facts_of_its_filter(
    tmp_path: Path, wanted: AnsweringSpec | GradingSpec
) -> None:
    job = replace(PROFILE, spec=wanted)
    with new_project(tmp_path / "one.db") as project:
        put_facts(project, [a_fact(f"f{number}", category="Arts") for number in range(3)])
        put_facts(project, [a_fact("g", category="Sports")])
        meant = count_listed(project, job)
    form, given = refill_form(job, FORM, GIVEN, meant)
    assert spec(form, given) == wanted
    assert faults(form, given) == {}
    assert options(form, Field.FACTS, given)[LISTED] == "this list, 3"


def test_settings_of_a_recipe_are_typed_as_the_command_takes_them() -> None:
    warm = keyed(FORM, Field.TEMPERATURE, "0.7")
    found = spec(replace(warm, limits=limits_of(" questions=64 ,direct=8,")), GIVEN)
    assert isinstance(found, AnsweringSpec)
    assert (found.temperature, found.limits) == (0.7, ("questions=64", "direct=8"))
    cold = spec(keyed(FORM, Field.TEMPERATURE, "0"), GIVEN)
    assert isinstance(cold, AnsweringSpec)
    assert cold.temperature == 0.0
    low = spec(choose(FORM, Field.EFFORT, 2, GIVEN), GIVEN)
    assert isinstance(low, AnsweringSpec)
    assert low.effort == "low"
    assert limits_fault("questions=64, direct=8") is None
    assert limits_fault("questions=0") == (
        "limit questions=0: give a number of tokens from 1 to 1,000,000, such as questions=64"
    )


def test_a_job_over_the_first_facts_says_how_many() -> None:
    form = fill_form(AnsweringSpec(OFFER.model, "m", first=20), OFFER, None)
    assert options(form, Field.FACTS, GIVEN)[0] == "first 20"
    drawn = spec(choose(form, Field.FACTS, AT_RANDOM, GIVEN), GIVEN)
    assert isinstance(drawn, AnsweringSpec)
    assert (drawn.first, drawn.where) == (None, "random:200")


def test_a_model_as_grader_has_to_be_named() -> None:
    form = choose(FORM, Field.GRADER, 4, GIVEN)
    assert options(form, Field.GRADER, GIVEN)[4] == "a model"
    assert list(faults(form, GIVEN)) == [Field.GRADER]
    form = replace(form, named=(BY_MODEL,))
    assert options(form, Field.GRADER, GIVEN)[4] == BY_MODEL
    assert not faults(form, GIVEN)
    assert form.models == (OFFER.model, "openai:gpt-5-mini")
    assert choose(form, Field.GRADER, 0, GIVEN).graders == ("lexical",)
    assert choose(form, Field.DO, 2, GIVEN).graders == (BY_MODEL,)
    assert choose(form, Field.DO, 1, GIVEN).grading == ()


def test_a_run_graded_by_a_model_cannot_be_curtailed() -> None:
    form = replace(FORM, grader=NAMED, named=(BY_MODEL,), curtailed=True)
    assert options(form, Field.ANSWERS, GIVEN) == ["always 8", "curtail"]
    assert find_chosen(form, Field.ANSWERS, GIVEN) == 0
    assert choose(form, Field.ANSWERS, 1, GIVEN) == form
    found = spec(form, GIVEN)
    assert isinstance(found, AnsweringSpec)
    assert found.curtailed is None


def test_grading_by_a_model_has_a_budget() -> None:
    form = replace(FORM, do=Do.GRADE, grader=NAMED, named=(BY_MODEL,), budget="2")
    assert fields(form)[-4:] == [Field.GRADER, Field.EFFORT, Field.BUDGET, Field.MORE]
    assert max_cost(form) == 2.0
    assert not faults(form, GIVEN)
    far = replace(form, named=("llm:openai:m@https://llm.example.org/v1",))
    assert "no price of the grader" in faults(far, GIVEN)[Field.BUDGET]


PART = EstimatePart(
    "answer", "m", QuantityRange(1_200, 1_200), QuantityRange(98_000, 98_000),
    QuantityRange(42_000, 278_000), None, 0.0, free=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("which", "keys", "count"),
    [
        (Field.FACTS, "1,000", 1_000),
        (Field.FACTS, "20k", 20_000),
        (Field.TARGET, "1.5M", 1_500_000),
        (Field.TARGET, "1,00", None),
        (Field.TARGET, "1.5", None),
        (Field.ANSWERS, "<1k", 1_000),
        (Field.ANSWERS, "<1kk2", 1_000),
    ],
)
def test_numbers_are_read_as_people_write_them(which: Field, keys: str, count: int | None) -> None:
    assert keyed(replace(FORM, random=""), which, keys).count(which) == count


def test_a_number_is_shown_in_groups_or_as_it_is_typed() -> None:
    drawn = [keyed(replace(FORM, random=""), Field.FACTS, keys) for keys in ("20k", "20000")]
    shown = [options(form, Field.FACTS, GIVEN)[AT_RANDOM] for form in drawn]
    assert shown == ["random 20k", "random 20,000"]
    assert [build_where(form, GIVEN) for form in drawn] == ["random:20000"] * 2
    assert max_cost(keyed(FORM, Field.BUDGET, "1.5k")) == 1_500.0


def test_only_a_number_is_pasted() -> None:
    form = paste_number(FORM, Field.ANSWERS, " 16\n")
    assert form is not None
    assert form.samples == "16"
    hostile = ["9" * 10_000_000, "1e999", "\x1b[31m5", "٣", "five", "-1", "0x10", "1_0", ""]
    assert [paste_number(FORM, Field.ANSWERS, text) for text in hostile] == [None] * len(hostile)


@pytest.mark.parametrize(
    ("high", "last", "asked"),
    [(0.99, None, 0.0), (0.99, 0.09, 0.99), (0.89, 0.09, 0.0), (1.5, 0.5, 1.5), (0.5, 0.0, 0.0)],
)
def test_ten_times_the_last_run_is_asked_about(
    high: float, last: float | None, asked: float
) -> None:
    part = replace(PART, cost=QuantityRange(0.5, high))
    estimate = Estimate(1, 0, QuantityRange(1, 1), parts=(part,))
    assert unbounded_cost(FORM, estimate, last) == asked


@pytest.mark.parametrize(
    ("high", "budget", "asked"), [(0.99, "", 0.0), (1.01, "", 1.01), (50.0, "60", 0.0)]
)
def test_much_without_a_budget_is_asked_about(high: float, budget: str, asked: float) -> None:
    estimate = Estimate(
        1, 0, QuantityRange(1, 1), parts=(replace(PART, cost=QuantityRange(0.5, high)),)
    )
    assert unbounded_cost(replace(FORM, budget=budget), estimate) == asked
    assert unbounded_cost(replace(FORM, do=Do.EXPORT), estimate) == 0.0
    assert unbounded_cost(FORM, None) == 0.0


ESTIMATES = (
    Estimate(400, 20, QuantityRange(1_200, 1_200), parts=(PART,), seconds=4_000.0, rate=4.1),
    Estimate(21_500, 8_600, QuantityRange(50_000, 103_200), parts=(PART,)),
)


@pytest.mark.parametrize("width", [50, 60, 74, 76, 100])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_no_figure_of_an_estimate_is_cut(estimate: Estimate, width: int) -> None:
    lines = run_lines(FormLayout(FORM, GIVEN, estimate=estimate), width)
    shown = " ".join(" ".join(line.text for line in lines).split())
    for row in make_rows(estimate):
        assert f"{row.name} {row.what} {row.beside}".strip() in shown
    assert all(line.width < width for line in lines)


@pytest.mark.parametrize("width", [76, 100])
def test_all_that_can_be_done_stands_there_whatever_is_wrong(width: int) -> None:
    seen = FormLayout(replace(FORM, do=Do.SCORE), FormContext())
    fault = seen.faults[Field.DO]
    line = field_line(seen, Field.DO, True, width, look_named("dark"))
    assert line.width <= width
    assert all(f" {one} " in f"{line.text} " for one in Do)
    assert fault not in line.text
    assert (BELOW in line.text) == (width == 100)
    assert any(fault in one.text for one in run_lines(seen, width))


@pytest.mark.parametrize("width", [60, 80, 104])
@pytest.mark.parametrize("do", [Do.IMPORT, Do.EXPORT])
def test_of_a_long_path_the_end_is_seen(width: int, do: Do) -> None:
    path = Path("/data") / ("a long folder name " * 9) / "answers-of-gemma.jsonl"
    seen = FormLayout(replace(FORM, do=do, source=path, target=path), GIVEN)
    line = field_line(seen, Field.FILE, True, width, look_named("dark")).text
    assert "-of-gemma.jsonl" in line
    assert len(line) <= width


def test_the_chosen_option_is_heard() -> None:
    spoken = look_named("dark", spoken=True)
    heard = speak_line(field_line(FormLayout(FORM, GIVEN), Field.DO, True, 100, spoken)).text
    assert heard.startswith("do, chosen: run, sample, grade, ")
