"""Stages of candidates: verdicts, questions and what code forbids, choices."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.pipeline import code_checks, sentence_splitter
from core.pipeline.stage import DroppedUnit, End, KeptUnit, OffFormatError, View
from core.pipeline.stage_table import BY_NAME
from core.pipeline.stages import ambiguity, limits, questions, specify, verify
from core.vocabulary import Side

TEXT = (
    "The Forth Bridge is a cantilever railway bridge across the Firth of Forth in Scotland, west"
    " of central Edinburgh, and it is known all over the world. It was built by Sir William Arrol"
    " & Co. of Glasgow. It was opened by the Prince of Wales on 4 March 1890 in a gale."
)
OBJECT = "4 March 1890"
SUBJECT = "Forth Bridge"
DIRECT = "On what date was the Forth Bridge opened by the Prince of Wales?"
REVERSE = "Which railway bridge was opened by the Prince of Wales on 4 March 1890?"
VIEW = View(
    7,
    "Forth Bridge",
    TEXT,
    OBJECT,
    "DATE",
    TEXT.index(OBJECT),
    {
        "entities": {"entities": [{"text": "Forth Bridge", "type": "LOCATION", "start": 4}]},
        "direct": {"question": DIRECT},
        "specify-direct": {"question": DIRECT},
        "minimize-direct": {"question": DIRECT},
        "ground-direct": {"answer": "It was 4 March 1890."},
        "reverse": {"question": REVERSE, "subject": SUBJECT},
        "specify-reverse": {"question": REVERSE, "subject": SUBJECT},
        "minimize-reverse": {"question": REVERSE, "subject": SUBJECT},
        "natural-direct": {"question": "When was it opened?"},
        "natural-reverse": {"question": "What was opened?"},
        "contextual": {"question": f"{sentence_splitter.drop_unfinished(TEXT)} {DIRECT}"},
    },
)


def read(stage: str, reply: str, seen: View = VIEW) -> End:
    reader = BY_NAME[stage].read
    assert reader is not None
    return reader(reply, seen)


def given(stage: str, seen: View = VIEW) -> Mapping[str, str]:
    made = BY_NAME[stage].inputs
    assert made is not None
    return made(seen)


@pytest.mark.parametrize(
    ("stage", "reason"),
    [
        ("verify-with-gold", verify.NOT_UNIQUE),
        ("verify-without-gold", verify.NOT_CONSTRAINED),
        ("verify-difficulty", verify.NOT_HARD),
        ("verify-pair", verify.NO_PAIR),
        ("filter-direct", ambiguity.AMBIGUOUS),
        ("filter-contextual", ambiguity.AMBIGUOUS),
    ],
)
def test_verdicts(stage: str, reason: str) -> None:
    assert read(stage, "SUITABLE") == KeptUnit()
    assert read(stage, "NO\ntoo easy") == DroppedUnit(reason, "too easy")
    with pytest.raises(OffFormatError):
        read(stage, "Perhaps")


def test_without_gold_does_not_show_the_object() -> None:
    assert OBJECT not in "".join(given("verify-without-gold").values())
    assert OBJECT in "".join(given("verify-with-gold").values())


def test_left_contexts_end_at_the_object() -> None:
    assert given("direct")["left_context"].endswith('the Prince of Wales on"')


def test_direct() -> None:
    assert read("direct", DIRECT) == KeptUnit({"question": DIRECT})
    leak = "Was it opened on 4 march, 1890?"
    assert read("direct", leak) == DroppedUnit(code_checks.ANSWER_IN_QUESTION, leak)


def test_aliases_of_an_imported_gold_count_as_answers() -> None:
    known = replace(VIEW, aliases={Side.OBJECT: ["the opening day"]})
    asked = "What is the opening day of the bridge?"
    assert isinstance(read("direct", asked, VIEW), KeptUnit)
    assert isinstance(read("direct", asked, known), DroppedUnit)


def test_reverse() -> None:
    reply = f"<reverse>{REVERSE}</reverse><subject>{SUBJECT}</subject>"
    assert read("reverse", reply) == KeptUnit({"question": REVERSE, "subject": SUBJECT})
    assert read("reverse", "REJECT\ntoo many") == DroppedUnit(questions.NO_REVERSE, "too many")


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Which bridge was opened in a gale?", code_checks.NO_OBJECT),
        ("Was the Forth Bridge opened on 4 March 1890?", code_checks.ANSWER_IN_QUESTION),
    ],
)
def test_reverse_drops(question: str, reason: str) -> None:
    reply = f"<reverse>{question}</reverse><subject>{SUBJECT}</subject>"
    assert read("reverse", reply) == DroppedUnit(reason, question)


def test_specify() -> None:
    revised = DIRECT.replace("On what date", "On what day, month and year")
    assert read("specify-direct", revised) == KeptUnit({"question": revised})
    assert read("specify-direct", "REJECT") == DroppedUnit(specify.VAGUE)
    assert read("specify-reverse", REVERSE) == KeptUnit({"question": REVERSE, "subject": SUBJECT})
    leaking = DIRECT.replace("opened", "opened, on 4 March 1890,")
    assert isinstance(read("specify-direct", leaking), DroppedUnit)
    with pytest.raises(OffFormatError):
        read("specify-direct", "Who is the king of France at present?")


def test_specify_is_told_the_type_of_the_answer() -> None:
    assert given("specify-direct")["type"] == '"DATE"'
    assert given("specify-reverse")["type"] == '"LOCATION"'
    assert given("specify-reverse", replace(VIEW, values={"reverse": VIEW["reverse"]}))["type"] == (
        '"unknown"'
    )


def test_minimize() -> None:
    shorter = "On what date was the Forth Bridge opened?"
    assert read("minimize-direct", shorter) == KeptUnit({"question": shorter})
    with pytest.raises(OffFormatError):
        read("minimize-direct", shorter.replace("opened", "opened by Edward"))
    without_object = "Which railway bridge was opened by the Prince of Wales?"
    assert read("minimize-reverse", without_object) == DroppedUnit(
        code_checks.NO_OBJECT, without_object
    )


def test_grounded_answers() -> None:
    assert given("ground-direct") == {"question": DIRECT}
    assert read("ground-direct", " It was then. ") == KeptUnit({"answer": "It was then."})
    with pytest.raises(OffFormatError):
        read("ground-direct", " \n")
    assert given("filter-direct") == {"question": f'"{DIRECT}"', "answer": '"It was 4 March 1890."'}


def test_natural() -> None:
    asked = "When did the prince open the Forth Bridge? Answer with a date."
    assert read("natural-direct", asked) == KeptUnit({"question": asked})
    assert isinstance(read("natural-reverse", "What's the Forth Bridge called?"), DroppedUnit)
    assert given("natural-reverse")["answer"] == f'"{SUBJECT}"'


def test_contextual() -> None:
    asked = str(VIEW["contextual"]["question"])
    assert read("contextual", asked) == KeptUnit({"question": asked})
    leaking = asked.replace("On what date", "It was 4 March 1890. On what date")
    assert isinstance(read("contextual", leaking), DroppedUnit)
    with pytest.raises(OffFormatError):
        read("contextual", DIRECT)


def test_limits() -> None:
    assert limits.decide_questions(VIEW) == KeptUnit()
    long = "Which " + "very " * 40 + "long one?"
    values = {**VIEW.values, "natural-direct": {"question": long}}
    assert limits.decide_questions(replace(VIEW, values=values)) == DroppedUnit(
        limits.LONG_QUESTION, "direct_natural: 43 words"
    )
    short = limits.decide_questions(replace(VIEW, start=40))
    assert isinstance(short, DroppedUnit)
    assert short.reason == code_checks.SHORT_CONTEXT


def test_answer_type() -> None:
    assert read("answer-type", "LOCATION") == KeptUnit({"type": "LOCATION"})
    with pytest.raises(OffFormatError):
        read("answer-type", "BRIDGE")


def test_choices_begin_with_the_gold_as_the_fact_has_it() -> None:
    end = read("choices-direct", "1 May 1890\n4 march 1890\n2 May 1890\n3 May 1890")
    assert end == KeptUnit({"choices": [OBJECT, "1 May 1890", "2 May 1890", "3 May 1890"]})
    assert given("choices-reverse")["answer"] == f'"{SUBJECT}"'


@pytest.mark.parametrize(
    "reply",
    [
        "4 March 1890\n1 May 1890\n1 may 1890\n3 May 1890",
        "4 March 1890\nMarch 4, 1890\n2 May 1890\n3 May 1890",
        "5 May 1890\n1 May 1890\n2 May 1890\n3 May 1890",
    ],
)
def test_choices_off_format(reply: str) -> None:
    with pytest.raises(OffFormatError):
        read("choices-direct", reply)


def test_the_families_make_what_they_say() -> None:
    assert BY_NAME["choices-direct"].makes == "mc_direct"
    assert BY_NAME["natural-reverse"].makes == "reverse_natural"
    assert {stage.makes for stage in BY_NAME.values() if stage.makes} == {
        "direct", "reverse", "direct_natural", "reverse_natural", "contextual",
        "mc_direct", "mc_reverse",
    }  # fmt: skip
