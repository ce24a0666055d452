"""Numbers, shares, dates, denials, yes and no as models write them: `lexical` and `form`."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.graders import form, lexical
from core.graders.lexical.folded_text import plain_numbers
from core.vocabulary import Label

C, I, O = Label.CORRECT, Label.INCORRECT, Label.OTHER  # noqa: E741

SHARED = Path(__file__).parents[4] / "shared"

Grade = Callable[[str, Sequence[str], str], Label]
Row = tuple[str, str, list[str], Label]

NUMBERS: list[Row] = [
    ("How many?", "1234567", ["1 234 567"], C),
    (
        "How many?",
        "1,234,567",
        [
            "1\u202f234\u202f567",
            "1\u2009234\u2009567",
            "1'234'567",
            "1’234’567",
            "1{,}234{,}567",
            "$1\\,234\\,567$",
            "\\(1{,}234{,}567\\)",
            "\\boxed{1{,}234{,}567}",
            "\\text{1,234,567}",
            "1.234.567",
            "12,34,567",
            "1_234_567",
        ],
        C,
    ),
    ("How many?", "1,234,567", ["1 234 568", "1 234"], I),
    (
        "How many?",
        "100,000",
        [
            "10**5",
            "1×10⁵",
            "1 x 10^5",
            "$10^{5}$",
            "1 \\times 10^5",
            "1 \\cdot 10^{5}",
            "1E5",
            "1.0e+05",
            "ten to the fifth power",
            "10 to the power of 5",
            "100k",
            "1 lakh",
        ],
        C,
    ),
    ("How many?", "150,000,000", ["1.5 × 10^8", "1.5e8", "150 million"], C),
    ("How many?", "150,000,000", ["1.5 × 10^7"], I),
    ("How many?", "6.022×10^23", ["6.022e23", "6.022 x 10²³"], C),
    ("How many?", "6.022×10^23", ["6.022 × 10^22"], I),
    ("What is the charge?", "1.602×10^-19 C", ["1.602 × 10⁻¹⁹ C", "1.602e-19 coulombs"], C),
    ("What is the charge?", "1.602×10^-19 coulombs", ["1.602e-18 coulombs"], I),
    ("How many?", "1,024", ["2^10"], C),
    ("How many?", "1024", ["2**10"], C),
    ("How many?", "1,500", ["1500"], C),
    ("How many?", "1500", ["1,500", "1 500"], C),
    ("How many?", "1500", ["1,600"], I),
    ("How many?", "2.5 million", ["two and a half million"], C),
    ("How many?", "2.5", ["2½", "two and a half", "2 1/2"], C),
    ("How many?", "24", ["two dozen"], C),
    ("How many?", "12", ["a dozen"], C),
    ("How many?", "-5", ["minus five"], C),
    ("How many?", "5", ["-5"], I),
    ("How many?", "-5", ["5"], I),
]

SHARES: list[Row] = [
    ("How much?", "25%", ["1/4", "25 per cent", "one quarter", "25 in 100"], C),
    ("How much?", "25%", ["2.5%", "1 in 5"], I),
    ("How much?", "75%", ["three quarters", "three-fourths", "3/4", "¾"], C),
    ("How much?", "50%", ["half", "one half of them", "about half of it"], C),
    ("How much?", "33%", ["a third"], C),
    ("How much?", "33.3%", ["one third"], C),
    ("How much?", "67%", ["two thirds", "two-thirds"], C),
    ("How much?", "66.7%", ["2/3"], C),
    ("How much?", "20%", ["one in five", "one out of five", "a fifth", "0.2", "0.20"], C),
    ("How much?", "20%", ["0.02"], I),
    ("How much?", "a quarter", ["25%"], C),
    ("How much?", "one in four", ["25%"], C),
    ("How much?", "one third", ["33%"], C),
    ("How much?", "1/4", ["0.25"], C),
    ("How much?", "1/4", ["a fifth"], I),
    ("How much?", "0.25%", ["0.25"], C),
    ("How much?", "4%", ["1 in 4"], I),
    ("How much?", "10%", ["nine tenths"], I),
    ("How much?", "90%", ["nine out of ten"], C),
    ("How much?", "90 percent", ["90 percentage points"], C),
    ("How much?", "0.5%", ["5‰"], C),
    ("How much?", "10%", ["a tenth"], C),
    ("How much?", "12.5%", ["an eighth"], C),
]

DATES: list[Row] = [
    (
        "When?",
        "14 May 1932",
        [
            "May the fourteenth, 1932",
            "May fourteenth, nineteen thirty-two",
            "the fourteenth of May nineteen thirty-two",
            "fourteenth May 1932",
            "on the 14th day of May in the year 1932",
            "1932/05/14",
            "14.05.1932",
        ],
        C,
    ),
    ("When?", "21 March 1905", ["the twenty-first of March, nineteen oh five"], C),
    ("When?", "21 March 1905", ["the twenty-second of March, nineteen oh five"], I),
    ("When?", "1900", ["nineteen hundred"], C),
    ("When?", "2005", ["two thousand and five", "two thousand five"], C),
    ("When?", "2012", ["twenty twelve"], C),
    ("When?", "2021", ["twenty twenty-one"], C),
    ("When?", "1066", ["ten sixty-six", "one thousand and sixty-six"], C),
    ("When?", "1984", ["one thousand nine hundred and eighty-four"], C),
    ("When?", "1984", ["nineteen eighty-five"], I),
    ("When?", "1932", ["in the year nineteen thirty-two", "in the year of our Lord 1932"], C),
    ("When?", "the 1930s", ["the nineteen-thirties", "the thirties"], C),
    ("When?", "30 June 1999", ["June thirtieth, 1999"], C),
    ("When?", "31 December 1999", ["the thirty-first of December 1999"], C),
    ("When?", "1 January 2000", ["the first of January, two thousand"], C),
    ("When?", "nineteen thirty-two", ["1932"], C),
    ("When?", "February 1945", ["+1945-02-00t00:00:00z"], C),
]

DENIALS: list[Row] = [
    (
        "Which city is it?",
        "Paris",
        [
            "It is not Lyon but Paris.",
            "It's not Lyon, it's Paris.",
            "not Lyon, but rather Paris",
            "Paris, not Lyon",
            "Paris rather than Lyon",
            "Paris, and not Lyon",
            "Not only Lyon but also Paris",
        ],
        C,
    ),
    (
        "Which city is it?",
        "Paris",
        ["It is not Paris but Lyon.", "It isn't Paris, it's Lyon.", "Neither Lyon nor Paris"],
        I,
    ),
    ("Which city is it?", "Lyon", ["Paris, not Lyon", "Paris instead of Lyon"], I),
    ("When?", "1932", ["not 1931 but 1932"], C),
    ("When?", "1931", ["not 1931 but 1932"], I),
    ("How many?", "12", ["not 11 but 12"], C),
    ("How many?", "11", ["not 11 but 12", "12, not 11"], I),
    ("Who was it?", "Marta Lindqvist", ["Not Karl Svensson but Marta Lindqvist"], C),
    ("Who was it?", "Karl Svensson", ["Not Karl Svensson but Marta Lindqvist"], I),
    (
        "Which city is it?",
        "Paris",
        [
            "I don't think it's Lyon; I believe it's Paris.",
            "Paris, I don't think there is any doubt.",
            "There is no doubt that it is Paris.",
            "I cannot say for certain, but it is Paris.",
            "Many say Lyon, but it is Paris.",
            "Most people say Paris, but some say Lyon.",
            "Lyon is wrong. It is Paris.",
            "Many people think of Paris.",
        ],
        C,
    ),
    (
        "Which city is it?",
        "Paris",
        [
            "I don't think it's Paris; I believe it's Lyon.",
            "I doubt that it is Paris. It is Lyon.",
            "It is unlikely to be Paris; rather Lyon.",
            "I cannot say it is Paris. It is Lyon.",
            "Paris is wrong. It is Lyon.",
            "Paris would be incorrect; Lyon is right.",
            "Many say Paris, but it is Lyon.",
            "I was going to say Paris, but it's Lyon.",
            "I first thought of Paris. Actually it's Lyon.",
        ],
        I,
    ),
]

POLAR: list[Row] = [
    (
        "Is it a mammal?",
        "yes",
        [
            "It is.",
            "Indeed.",
            "True",
            "Correct.",
            "Of course.",
            "Certainly",
            "Absolutely!",
            "Definitely",
            "Yep",
            "Yeah",
            "It does.",
            "They do.",
            "Right.",
            "That's right.",
            "That is correct.",
            "Indeed it is.",
            "It certainly is.",
            "Affirmative",
            "Of course it is",
            "I think so",
            "Exactly",
            "Sure",
            "Undoubtedly",
            "Yes, it is",
            "It is, indeed.",
            "It was.",
            "He did",
            "She has.",
        ],
        C,
    ),
    (
        "Is it a mammal?",
        "yes",
        [
            "It isn't.",
            "It is not.",
            "Not at all.",
            "No way",
            "Nope",
            "Nah",
            "False",
            "Incorrect.",
            "Certainly not",
            "Of course not.",
            "It does not.",
            "They don't",
            "By no means",
            "Never",
            "That is incorrect.",
            "That's not true",
            "I don't think so",
            "Not really",
            "Absolutely not",
            "It wasn't.",
            "He didn't.",
            "It can't.",
            "They won't.",
            "Negative.",
            "It’s not.",
            "Whales are fascinating creatures of the deep ocean",
        ],
        I,
    ),
    (
        "Is it a mammal?",
        "no",
        [
            "It isn't.",
            "It is not.",
            "Not at all.",
            "Nope",
            "False",
            "Certainly not",
            "Of course not.",
            "They don't",
            "That's not true",
            "I don't think so",
        ],
        C,
    ),
    ("Is it a mammal?", "no", ["It is.", "Indeed.", "True", "Of course.", "They do.", "Yep"], I),
    ("Is it a mammal?", "yes", ["I don't know"], O),
]

GRADERS = pytest.mark.parametrize("grade", [lexical.grade, form.grade], ids=["lexical", "form"])


@GRADERS
@pytest.mark.parametrize(
    ("question", "gold", "answers", "label"), [*NUMBERS, *SHARES, *DATES, *DENIALS, *POLAR]
)
def test_what_an_answer_says_in_other_forms(
    grade: Grade, question: str, gold: str, answers: list[str], label: Label
) -> None:
    found = {answer: grade(question, [gold], answer) for answer in answers}
    assert found == dict.fromkeys(answers, label)


EXAMPLE = SHARED / "design" / "examples" / "number-forms"


@pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the example (../shared/design) is not here")
@GRADERS
def test_the_example_has_its_labels(grade: Grade) -> None:
    def read(name: str) -> list[dict[str, str]]:
        lines = (EXAMPLE / name).read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    facts = {one["fact_id"]: one for one in read("facts.jsonl")}
    expected = {(one["fact_id"], one["sample"]): one["label"] for one in read("labels.jsonl")}
    found = {}
    for one in read("responses.jsonl"):
        fact = facts[one["fact_id"]]
        label = grade(fact["direct"], [fact["direct_answer"]], one["response"])
        found[one["fact_id"], one["sample"]] = str(label)
    assert found == expected


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (r"\boxed{\$9{,}500}", "$9,500"),
        (r"$10^{5}$", "100000"),
        ("1.5×10⁸ km", "150000000 km"),
        ("6.02 × 10^23", "6.02e23"),
        ("2½ and ¼", "2.5 and 1/4"),
        ("1.234.567", "1,234,567"),
        ("between $5 and $6", "between $5 and $6"),
        ("in 1994 500 men", "in 1994 500 men"),
        (r"C:\temp", r"C:\temp"),
    ],
)
def test_numbers_become_plain(written: str, plain: str) -> None:
    assert plain_numbers(written).strip() == plain
