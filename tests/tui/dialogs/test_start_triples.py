"""The Start form for scores and for arms: what it asks for is what the commands ask for."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.errors import UsageError
from core.estimates.score_estimate import ScoreEstimate, estimate_scores, measure_rooms, score_rows
from core.jobs.start_options import ModelOffer, StartOptions, read_options
from core.project import OpenProject
from core.providers.model_names import EMBEDDED_MODEL
from core.specs.answer_specs import ArmsSpec, ScoringSpec
from core.zero_prompt.stored_relations import RelationRoom
from tests.core.fact_bench.arms_making import new_set
from tests.tui.dialogs.test_start import opened, running
from tests.tui.screens.bench.making import bench_project
from tests.tui.screens.facts.making import until
from tests.tui.screens.latent.making import latent_project
from tests.tui.seeing import settled, text
from tui.cli.commands.fact_bench import arms_spec
from tui.dialogs.start.form import (
    Form,
    FormContext,
    choose,
    groups,
    options,
    say_further,
    type_char,
    type_further,
)
from tui.dialogs.start.form_fields import AT_RANDOM, LISTED, POSITIONS, TESTS, Do, Field
from tui.dialogs.start.form_spec import modes_of, spec
from tui.dialogs.start.render_form import FormLayout, field_line, relation_notes
from tui.dialogs.start.start_context import fill_to_bench, fill_to_score
from tui.dialogs.start.start_dialog import Start
from tui.dialogs.start.validation import faults, further_fault, modes_fault, read_error
from tui.screens.bench.screen import BenchScreen
from tui.theme.look import look_named

EMBEDDED = f"embedded:{EMBEDDED_MODEL}"
OFFER = ModelOffer(EMBEDDED, EMBEDDED)
GIVEN = FormContext(
    StartOptions(
        facts=40,
        offers=(OFFER,),
        sets=("cities", "people"),
        relations=(("cities", "capital"), ("cities", "river"), ("people", "born in")),
    ),
    listed="number:1-7",
    listed_count=7,
)
SCORE, BENCH = Form(Do.SCORE, OFFER), Form(Do.BENCH, OFFER, grader="em")


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOSTKEYS_CONFIG", str(tmp_path))


@pytest.mark.parametrize(
    ("told", "field", "said"),
    [
        (
            "relation born in is in the sets a and b: name one with --set",
            Field.SET,
            "relation born in is in the sets a and b: name one in the field set",
        ),
        ("born in: 9 subjects: --examples 9 would do", Field.EXAMPLES,
         "born in: 9 subjects: examples 9 would do"),
        (
            "judge:x was imported and cannot be asked what m knows: choose em with --known-by",
            Field.KNOWN_BY,
            "judge:x was imported and cannot be asked what m knows: choose em in the field known "
            "by",
        ),
        ("so that --max-cost cannot be kept: leave --max-cost out", Field.BUDGET,
         "so that the budget cannot be kept: leave the budget out"),
        ("choose the server's --modelling", None, "choose the server's --modelling"),
    ],
)  # fmt: skip
def test_an_error_of_a_command_names_fields(told: str, field: Field | None, said: str) -> None:
    assert read_error(told) == (field, said)


def test_what_a_field_can_mend_stands_beside_it() -> None:
    seen = FormLayout(SCORE, GIVEN, estimate_error=read_error("twice there: name it with --set"))
    assert seen.faults == {Field.SET: "twice there: name it in the field set"}
    assert not seen.ready
    line = field_line(seen, Field.SET, False, 100, look_named("dark"))
    assert line.text.rstrip().endswith("twice there: name it in the field set")


def test_scores_are_asked_for_as_the_command_does() -> None:
    assert faults(SCORE, GIVEN) == {}
    assert spec(SCORE, GIVEN) == ScoringSpec(EMBEDDED, EMBEDDED)
    form = choose(SCORE, Field.SET, 1, GIVEN)
    form = choose(form, Field.TEST, 2, GIVEN)
    form = replace(form, relations=("river",), examples="20", facts=AT_RANDOM, random="5")
    assert spec(form, GIVEN) == ScoringSpec(
        EMBEDDED, EMBEDDED, ("river",), "cities", (20,), tests=("choice", "response"), first=5
    )
    assert choose(form, Field.SET, 0, GIVEN).relations == ()
    listed = spec(replace(SCORE, facts=LISTED), GIVEN)
    assert isinstance(listed, ScoringSpec)
    assert (listed.where, listed.first) == ("number:1-7", None)


def test_arms_are_asked_for_as_the_command_does() -> None:
    assert faults(BENCH, GIVEN) == {}
    wanted = arms_spec(
        EMBEDDED, "zero-shot,10-shot", None, "em", None, set_name="cities", unchecked=False
    )
    assert spec(BENCH, GIVEN) == wanted
    form = replace(choose(BENCH, Field.SET, 1, GIVEN), modes="5-shot:shuffle", facts=AT_RANDOM)
    found = spec(form, GIVEN)
    assert isinstance(found, ArmsSpec)
    assert (found.set_name, found.modes, found.first) == ("people", ("5-shot:shuffle",), 200)


def test_who_says_what_is_known_is_a_field_of_modes_that_ask_it() -> None:
    assert Field.KNOWN_BY not in [*chain(*groups(BENCH))]
    for modes in ("10-shot:unknown", "zero-shot, 5-shot:mixed-shuffle"):
        form = replace(BENCH, modes=modes)
        assert Field.KNOWN_BY in [*chain(*groups(form))]
        chosen = choose(
            form, Field.KNOWN_BY, options(form, Field.KNOWN_BY, GIVEN).index("em"), GIVEN
        )
        found = spec(chosen, GIVEN)
        assert isinstance(found, ArmsSpec)
        assert found.known_by == "em"
    again = fill_to_bench(
        ArmsSpec(EMBEDDED, EMBEDDED, ("5-shot:known",), "people", known_by="judge:openai:gpt-5"),
        OFFER,
        None,
    )
    assert options(again, Field.KNOWN_BY, GIVEN)[-1] == "judge:openai:gpt-5"
    assert again.models == (EMBEDDED, "openai:gpt-5")


def test_several_values_are_typed_with_commas_as_the_command_takes_them() -> None:
    form = SCORE
    for key in "5,50":
        form = type_char(form, Field.EXAMPLES, key) or form
    for which, typed in (
        (Field.SEED, "0, 1,2,1"),
        (Field.ORDER, "0,3"),
        (Field.FORM, "zero-prompt, hgp"),
        (Field.INJECT, "incorrect:4:block, unknown:2:scattered"),
    ):
        assert further_fault(form, which, typed) is None
        form = type_further(form, which, typed)
    assert spec(form, GIVEN) == ScoringSpec(
        *(EMBEDDED, EMBEDDED),
        examples=(5, 50),
        seeds=(0, 1, 2),
        orders=(0, 3),
        forms=("zero-prompt", "hgp"),
        injects=("incorrect:4:block", "unknown:2:scattered"),
    )
    assert say_further(form, Field.SEED) == "0, 1, 2"
    assert type_further(form, Field.INJECT, " ").scored.injects == (None,)
    assert further_fault(form, Field.SEED, "1,x") == "x is no whole number"
    assert further_fault(form, Field.ORDER, "-1") == "-1 is below 0"
    assert further_fault(form, Field.INJECT, "wrong:3") == (
        "injection 'wrong:3': write incorrect:40:scattered, unknown:40:block or the like"
    )
    line = field_line(FormLayout(form, GIVEN), Field.SEED, False, 100, look_named("dark"))
    assert "0, 1, 2" in line.text
    places = replace(form, test=TESTS.index((POSITIONS,)), relations=("river",), examples="9")
    found = spec(places, GIVEN)
    assert isinstance(found, ScoringSpec)
    assert (found.orders, found.forms) == ((0,), ("zero-prompt",))


def test_fields_for_few_runs_are_folded_unless_they_say_something() -> None:
    def seen(form: Form) -> set[Field]:
        return {*chain(*groups(form))}

    assert {Field.SEED, Field.ORDER, Field.FORM, Field.INJECT} <= seen(SCORE)
    assert Field.TIMEOUT not in seen(SCORE)
    assert Field.TIMEOUT in seen(replace(SCORE, more=True))
    assert Field.TIMEOUT in seen(type_further(SCORE, Field.TIMEOUT, "30"))
    assert Field.VIA not in seen(BENCH)
    batch = choose(BENCH, Field.VIA, 1, GIVEN)
    assert {Field.VIA, Field.SPLIT} <= seen(batch)
    found = spec(choose(batch, Field.SPLIT, 3, GIVEN), GIVEN)
    assert isinstance(found, ArmsSpec)
    assert (found.via, found.split) == ("batch", "train")


def test_the_time_of_scores_is_that_of_the_last_job_or_not_known() -> None:
    known = ScoreEstimate((("choice", 90, 0), ("response", 12, 1)), (), {"choice": 0.5})
    assert (known.seconds, score_rows(known)[2].what) == (None, "not known")
    both = replace(known, rates={"choice": 0.5, "response": 0.1})
    assert both.seconds == 300
    row = score_rows(both)[2]
    assert (row.name, row.what) == ("time", "about 5 min")
    assert row.beside == "choice at 0.5, response at 0.1 a second, as last time"
    assert score_rows(replace(known, tests=(("choice", 0, 9),)))[1].what == "none"


@pytest.mark.parametrize(
    "wanted",
    [
        ScoringSpec(EMBEDDED, EMBEDDED, ("river",), "cities", (5, 9), (3, 4), (1,), options=50),
        ScoringSpec(EMBEDDED, EMBEDDED, tests=("choice", "response"), first=9, timeout=30.0),
        ScoringSpec(EMBEDDED, EMBEDDED, tests=("response",), tokens=24),
        ArmsSpec(EMBEDDED, EMBEDDED, ("zero-shot",), "people", "eval", known_by="lexical"),
        ArmsSpec(EMBEDDED, EMBEDDED, ("5-shot", "reading"), "cities", first=9, via="batch"),
    ],
)
def test_a_run_that_is_gone_on_with_stays_as_it_was(wanted: ScoringSpec | ArmsSpec) -> None:
    if isinstance(wanted, ScoringSpec):
        form = fill_to_score(wanted, OFFER, None)
    else:
        wanted = replace(wanted, graders=("em",))
        form = fill_to_bench(wanted, OFFER, None)
    assert spec(form, GIVEN) == wanted


def test_what_is_wrong_is_said_of_its_field() -> None:
    empty = FormContext(StartOptions(facts=3, offers=(OFFER,)))
    assert list(faults(SCORE, empty)) == [Field.SET]
    assert list(faults(BENCH, empty)) == [Field.SET]
    assert list(faults(replace(SCORE, examples="2k0"), GIVEN)) == [Field.EXAMPLES]
    response = replace(SCORE, test=TESTS.index(("response",)))
    assert Field.TOKENS in [*chain(*groups(response))]
    assert Field.TOKENS not in [*chain(*groups(SCORE))]
    for tokens in ("", "65", "1.5"):
        assert list(faults(replace(response, tokens=tokens), GIVEN)) == [Field.TOKENS], tokens
    places = replace(SCORE, test=TESTS.index((POSITIONS,)))
    assert list(faults(places, GIVEN)) == [Field.RELATIONS]
    assert faults(replace(places, relations=("river",)), GIVEN) == {}
    for modes in ("", " , ", "zero", "0-shot", "5-shot:sideways"):
        assert list(faults(replace(BENCH, modes=modes), GIVEN)) == [Field.MODES], modes
    assert modes_fault("zero-shot, 3-shot") is None
    assert modes_of(" zero-shot ,3-shot,zero-shot,") == ("zero-shot", "3-shot")


ROOMS = (
    RelationRoom("capital", 40, 60, 120, 110, 119),
    RelationRoom("river", 12, 9, 30, 6, 21),
)
WITH_ROOMS = replace(GIVEN, rooms={"cities": ROOMS})
CITIES = choose(SCORE, Field.SET, 1, GIVEN)


def test_examples_and_options_are_the_most_that_the_relations_in_sight_can_give() -> None:
    def asked(form: Form) -> tuple[tuple[int, ...], int]:
        found = spec(form, WITH_ROOMS)
        assert isinstance(found, ScoringSpec)
        return found.examples, found.options

    assert Field.OPTIONS in [*chain(*groups(CITIES))]
    assert asked(CITIES) == ((9,), 6)
    assert asked(replace(CITIES, relations=("capital",))) == ((50,), 100)
    assert asked(replace(CITIES, examples="5", choices="4")) == ((5,), 4)
    assert faults(CITIES, WITH_ROOMS) == {}


def test_what_no_relation_has_is_one_line_beside_its_field() -> None:
    many = replace(CITIES, choices="200")
    assert faults(many, WITH_ROOMS) == {Field.OPTIONS: "at most 119, of capital"}
    assert faults(replace(many, examples="100"), WITH_ROOMS) == {
        Field.EXAMPLES: "at most 60, of capital"
    }
    assert faults(replace(many, test=TESTS.index(("response",))), WITH_ROOMS) == {}
    assert faults(replace(CITIES, choices="100"), WITH_ROOMS) == {}


def test_the_relations_say_what_they_have_and_which_are_left_out() -> None:
    def noted(form: Form) -> dict[str, str]:
        found = relation_notes(FormLayout(form, WITH_ROOMS))
        return {name: line.text for name, line in found.items()}

    have = "12 facts  30 objects  up to 9 examples  6 options"
    assert noted(CITIES)["river"] == have
    assert noted(replace(CITIES, choices="100"))["river"] == f"off: at most 21 options  {have}"
    assert noted(replace(CITIES, examples="20"))["river"].startswith(
        "off: 9 subjects for 20 examples"
    )
    seen = FormLayout(replace(CITIES, choices="100"), WITH_ROOMS)
    line = field_line(seen, Field.RELATIONS, False, 100, look_named("dark"))
    assert "all 2, 1 left out" in line.text


def test_another_thing_to_do_brings_its_usual_grader() -> None:
    run = Form(offer=OFFER)
    bench = choose(run, Field.DO, list(Do).index(Do.BENCH), GIVEN)
    assert bench.grader == "em"
    assert choose(bench, Field.DO, 0, GIVEN).grader == "lexical"
    exact = replace(run, grader="exact")
    assert choose(exact, Field.DO, list(Do).index(Do.BENCH), GIVEN).grader == "exact"
    assert options(bench, Field.SET, GIVEN) == ["cities", "people"]
    assert options(SCORE, Field.SET, GIVEN) == ["any", "cities", "people"]


def test_an_estimate_counts_what_would_be_asked(tmp_path: Path) -> None:
    with OpenProject(latent_project(tmp_path / "l.db"), "read") as project:
        found = estimate_scores(project, ScoringSpec(EMBEDDED, EMBEDDED, examples=(3,), options=5))
        assert found.tests
        assert all(left > 0 and there == 0 for _, left, there in found.tests)
        assert "to ask" in score_rows(found)[0].what
        with pytest.raises(UsageError, match=r"nothing can be asked: .* for 5,000 examples"):
            estimate_scores(project, ScoringSpec(EMBEDDED, EMBEDDED, examples=(5_000,)))
        rooms = measure_rooms(project, "")
        assert sorted(one.name for one in rooms) == sorted(
            name for _, name in read_options(project).relations
        )
        given = replace(GIVEN, file=read_options(project), rooms={"": rooms})
        fitted = spec(SCORE, given)
        assert isinstance(fitted, ScoringSpec)
        assert estimate_scores(project, fitted).left_out == ()
        more = replace(fitted, options=fitted.options + 1)
        assert fitted.options == 100 or estimate_scores(project, more).left_out
        with pytest.raises(UsageError, match="no log probabilities"):
            estimate_scores(project, ScoringSpec("gemini:gemini-2.5-pro", "g"))
        assert read_options(project).relations
    many = ScoreEstimate((("choice", 2, 1),), tuple(f"r{n}: too few" for n in range(9)))
    assert [row.beside for row in score_rows(many)][-1] == "and 6 more relations"


async def to_field(pilot: Pilot[None], start: Start, field: Field) -> None:
    """Go to a field of the form."""
    fields = [one for group in start.seen.groups for one in group]
    while (now := start.view.field) is not field:
        assert now is not None
        await pilot.press("shift+tab" if fields.index(now) > fields.index(field) else "tab")


@pytest.mark.slow
async def test_bench_starts_arms_with_the_keyboard(tmp_path: Path) -> None:
    path = bench_project(tmp_path / "b.db")
    async with running(path, (80, 24)) as (pilot, app, begun):
        await pilot.press("f9")
        await until(pilot, lambda: isinstance(app.screen, BenchScreen))
        start = await opened(pilot, app)
        assert start.form.do is Do.BENCH
        await until(pilot, lambda: "zero-shot, 10-shot" in text(app))
        await to_field(pilot, start, Field.MODES)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press(*"sideways", "enter")
        await until(pilot, lambda: "no mode sideways" in text(app))
        await pilot.press(*["backspace"] * 8, *"10-shot", "space")
        await until(pilot, lambda: "type another" in text(app))
        await pilot.press(*"3-shot:known", "space", *"3-shot", "enter")
        await until(pilot, lambda: start.form.modes == "zero-shot, 3-shot:known, 3-shot")
        await pilot.press("enter")
        await settled(pilot)
        for mode in ("3-shot:known", "3-shot"):
            await pilot.press(*mode, "space")
        await pilot.press("enter")
        await until(pilot, lambda: start.form.modes == "zero-shot")
        await until(pilot, lambda: start.seen.estimate is not None)
        await until(pilot, lambda: start.seen.ready)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        wanted, cost = begun[0]
        assert isinstance(wanted, ArmsSpec)
        assert (wanted.modes, wanted.graders, cost) == (("zero-shot",), ("em",), None)


@pytest.mark.slow
async def test_latent_starts_scores_with_the_keyboard(tmp_path: Path) -> None:
    path = latent_project(tmp_path / "l.db")
    async with running(path, (120, 40)) as (pilot, app, begun):
        await pilot.press("f8")
        await settled(pilot)
        start = await opened(pilot, app)
        assert start.form.do is Do.SCORE
        await to_field(pilot, start, Field.EXAMPLES)
        await pilot.press(*"5000", "ctrl+s")
        await until(pilot, lambda: "at most" in text(app))
        assert "nothing can be asked" not in text(app)
        assert "--" not in text(app)
        await pilot.press(*["backspace"] * 4, "5")
        await until(pilot, lambda: isinstance(start.seen.estimate, ScoreEstimate))
        await until(pilot, lambda: "at most" not in text(app))
        await until(pilot, lambda: "to ask" in text(app))
        await to_field(pilot, start, Field.RELATIONS)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: bool(start.form.relations))
        await until(pilot, lambda: start.seen.ready and start.seen.estimate is not None)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: bool(begun))
        wanted, _ = begun[0]
        assert isinstance(wanted, ScoringSpec)
        assert wanted.examples == (5,)
        assert wanted.relations == start.form.relations


@pytest.mark.slow
async def test_a_run_over_triples_says_that_they_have_no_profiles(tmp_path: Path) -> None:
    with new_set(tmp_path / "t.db", []):
        pass
    async with running(tmp_path / "t.db", (120, 40)) as (pilot, app, _):
        start = await opened(pilot, app)
        start.take_form(choose(start.form, Field.DO, list(Do).index(Do.RUN), start.seen.given))
        await until(pilot, lambda: "no run gives them a profile" in text(app))
        assert "do fact-bench asks triples" in " ".join(text(app).replace("│", " ").split())
        start.take_form(choose(start.form, Field.DO, list(Do).index(Do.BENCH), start.seen.given))
        await until(pilot, lambda: "no run gives them a profile" not in text(app))
