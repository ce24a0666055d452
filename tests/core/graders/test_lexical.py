"""The rule families of the grader `lexical`, on examples of our own."""

import pytest

from core.graders.lexical import declines, grade
from core.vocabulary import Label

C, I, P, O = Label.CORRECT, Label.INCORRECT, Label.PARTIALLY, Label.OTHER  # noqa: E741

Row = tuple[str, str | list[str], str, Label]

NAMES: list[Row] = [
    ("Who painted the ceiling?", "Marta Elisabeth Lindqvist", "Marta Lindqvist", C),
    ("Who painted the ceiling?", "Marta Elisabeth Lindqvist", "Lindqvist", C),
    ("Who painted the ceiling?", "Marta Lindqvist", "Dame Marta Lindqvist", C),
    ("Who painted the ceiling?", "Dame Marta Lindqvist", "It was painted by Marta Lindqvist.", C),
    ("Who painted the ceiling?", "Marta Lindqvist", "M. Lindqvist", C),
    ("Who painted the ceiling?", "the muralist Marta Lindqvist", "Lindqvist, Marta", C),
    ("Where is it?", "just behind Tartu", "It lies behind Tartu, in the woods.", C),
    ("Who painted the ceiling?", "M. E. Lindqvist", "Marta Elisabeth Lindqvist", C),
    ("Who painted the ceiling?", "Robert Lindqvist", "Bob Lindqvist", C),
    ("Who painted the ceiling?", "Marta Lindqvist", "Karl Lindqvist", I),
    ("Who painted the ceiling?", "Marta Lindqvist", "Marta Svensson", I),
    ("Who painted the ceiling?", "Marta Lindqvist", "Marta", P),
    ("Who painted the ceiling?", "Marta Lindqvist", "Marta Lindkvist", C),
    ("Who painted the ceiling?", "Marta Lindqvist", "Martha Lindquist", C),
    ("Who painted the ceiling?", "Min Jae Park", "Minjae Park", C),
    ("Who is Karl Lindqvist's sister?", "Marta Lindqvist", "Karl Lindqvist", I),
    ("Which actor played in Otto Svensson's films?", "Otto Lindqvist", "Otto Svensson", I),
    ("Who painted the ceiling?", "Marta Lindqvist", "Berta", I),
    ("Who was the king?", "Henry VIII", "Henry the Eighth", C),
    ("Who was the king?", "Henry VIII", "Henry VII", I),
]

TERMS: list[Row] = [
    ("Which river is it?", "Orava River", "the Orava", C),
    ("Which town is it?", ["Brno", "Brünn"], "Brunn", C),
    ("What is it made of?", "Crème brûlée", "creme brulee", C),
    ("Which animals are they?", "grey wolves", "The gray wolf", C),
    ("Where was she born?", "Lyon, France", "Lyon", C),
    ("Where was she born?", "Lyon, France", "France", P),
    ("Where was she born?", "Lyon, France", "Marseille, France", I),
    ("Which law is it?", "Amendment XIV", "the 14th Amendment", C),
    ("Which law is it?", "Fourteenth Amendment", "Amendment XV", I),
    ("Which war was it?", "Second World War", "World War II", C),
    ("Which war was it?", "Second World War", "World War I", I),
    ("Which agency runs it?", "European Space Agency", "ESA", C),
    ("Which agency runs it?", "ESA", "The ESA runs it.", C),
    ("Which country is it?", "United States", "the USA", C),
    ("Which country is it?", "United Kingdom", "Great Britain", C),
    ("Which station is it?", "Channel 4", "Channel 5", I),
    ("What climate has it?", "alpine climate", "Alpine, and dry in summer.", C),
    ("What was her job?", "landscape gardener", "gardener", P),
    ("What was her job?", "landscape gardener", "gardener and cook", P),
    ("What was her job?", "landscape gardener", "plumber", I),
    ("Which gate is it?", "Salt Gate", "Iron Gate", I),
    ("Which of the two is it?", "either oak or beech", "beech", C),
    ("What was it called?", "Hall of Mirrors (Galerie)", "the Hall of Mirrors", C),
    ("Which studio made it?", "MarsFilm", "Mars Film", C),
    ("Which band was it?", "!!!", "!!!", C),
    ("Which pope is it?", "Pope Pius X", "pope pius x", C),
    ("What are they?", "rats", "a comparison", I),
]

DATES: list[Row] = [
    ("When did it open?", "14 May 1932", "May 14, 1932", C),
    ("When did it open?", "14 May 1932", "1932-05-14", C),
    ("When did it open?", "14 May 1932", "14/05/1932", C),
    ("When did it open?", "14 May 1932", "on the 14th of May, 1932", C),
    ("When did it open?", "14 May 1932", "It opened on 14 May 1932 in Oslo.", C),
    ("When did it open?", "14 May 1932", "15 May 1932", I),
    ("When did it open?", "14 May 1932", "14 May 1933", I),
    ("When did it open?", "14 May 1932", "May 1932", P),
    ("When did it open?", "14 May 1932", "1932", P),
    ("When did it open?", "14 May 1932", "in the 1930s", P),
    ("When did it open?", "14 May 1932", "in the 20th century", P),
    ("When did it open?", "14 May 1932", "June 1932", I),
    ("When did it open?", "14 May 1932", "in the nineteenth century", I),
    ("In what year did it open?", "1932", "14 May 1932", C),
    ("On which day of 1932 did it open?", "14 May 1932", "14 May", C),
    ("On which day of 1932 did it open?", "14 May 1932", "in 1932", O),
    ("When was it built?", "the 1930s", "1934", C),
    ("When was it built?", "12th century", "the twelfth century", C),
    ("When was it built?", "300 BC", "300 AD", I),
    ("When was it used?", "1932-1938", "from 1932 to 1938", C),
    ("When was it used?", "1932-38", "1932 to 1938", C),
    ("When was it used?", "1932-1938", "from 1932 to 1940", I),
    ("When was it used?", "1932-1938", "1932", P),
    ("When did it open?", ["1932", "14 May 1932"], "3 June 1932", I),
    ("When did it open?", ["1932", "14 May 1932"], "1932", C),
]

NUMBERS: list[Row] = [
    ("How many were sold?", "340k", "340k", C),
    ("How many were sold?", "340k", "344,000", C),
    ("How many were sold?", "340k", "0.335 million", C),
    ("How many were sold?", "340k", "346k", I),
    ("How many were sold?", "340k", "300k", I),
    ("How many were sold?", "340k", "around 300k", O),
    ("How many were sold?", "340k", "more than 200k", O),
    ("How many were sold?", "340k", "more than 500k", I),
    ("How many were sold?", "343,700", "about 340,000", C),
    ("About how many were sold?", "343,700", "340,000", C),
    ("How many were sold?", "343,700", "344,000", P),
    ("How many sat there?", "12", "twelve people", C),
    ("How many sat there?", "12", "Eleven of them.", I),
    ("How many sat there?", "twenty-one", "21", C),
    ("How many sat there?", "12", "13, including 2 children", I),
    ("How long is it?", "5 km", "5 kilometres", C),
    ("How long is it?", "5 km", "5,000 m", C),
    ("How long is it?", "5 km", "5 hours", I),
    ("How long is it?", "5 km", "five", C),
    ("What share is it?", "20%", "20 percent", C),
    ("What was it worth?", "$2.5 billion", "2.5bn dollars", C),
    ("How cold was it?", "-40 °C", "40 °C", I),
]

STANCE: list[Row] = [
    ("Which city is it?", "Tartu", "I think it is Tartu", C),
    ("Which city is it?", "Tartu", "I'm not sure, but perhaps Tartu.", C),
    ("Which city is it?", "Tartu", "I'm not sure, but perhaps Narva.", I),
    ("Which city is it?", "Tartu", "It may possibly be Narva", I),
    ("When did it open?", "14 May 1932", "I'm not sure, but perhaps in 1932", P),
    ("Which city is it?", "Tartu", "not Tartu", I),
    ("Which city is it?", "Tartu", "Narva, not Tartu", I),
    ("Which city is it?", "Tartu", "Narva rather than Tartu", I),
    ("Which city is it?", "Tartu", "Not only Tartu but Narva too", C),
    ("Which city is it?", "Tartu", "not Narva. It is Tartu", C),
    ("Which clan helped?", "Varnings", "Oslings, the rivals of the Varnings", I),
    ("Which city is it?", "Tartu", "Tartu or Narva", C),
    ("Which city is it?", "Tartu", "Narva, Tartu, Elva, Keila or Paide", P),
    ("Which city is it?", "Tartu", "", O),
    ("Which city is it?", "Tartu", " \n\t", O),
    ("Which city is it?", "Tartu", "...", O),
    ("Which city is it?", "Tartu", "I don't know.", O),
    ("Which city is it?", "Tartu", "I cannot answer this without more context.", O),
    ("Which city is it?", "Tartu", "Sorry, I have no information about that.", O),
    ("Which city is it?", "Tartu", "Sure", O),
    ("Which city is it?", "Tartu", "unknown", O),
    ("Which city hosted the winter fair?", "Tartu", "The city that hosted the winter fair.", O),
    ("Who wrote the old town song?", "Mari Tamm", "The people wrote the old town song.", O),
    ("What was her trade?", "weaver", "She was best known for her fine work.", O),
    ("Is it an island?", "yes", "Yes, it is.", C),
    ("Is it an island?", "yes", "No.", I),
    ("Is it an island?", "no", "It is not an island.", C),
    ("Is it an island?", "no", "It is an island.", I),
    ("Is it an island?", "yes", "It is an island.", C),
    ("Is it an island?", "yes", "I don't know", O),
    ("Is it an island?", "yes", "Bananas", I),
]

COMPLETIONS: list[Row] = [
    ("The harbour of the town was deepened in", "1887", "1887 and again in 1911, when", C),
    ("The harbour of the town was deepened in", "1887", "1911. The works of 1887 had failed", I),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "Ilse Marquardt and bui", C),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "Ilse Marquard", C),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "Ilse Marq", C),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "Ilse Mar.", I),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "Otto Brandt. Ilse Marquardt", I),
    ("The bridge was designed by the engineer", "Ilse Marquardt", "who was born in Kiel", O),
    ("Its inhabitants are mostly", "fishermen", "and so on", O),
    ("Wine from the valley, near the Orava, reaches the", "Baltic Sea", "Baltic by ship", C),
]

WRITING: list[Row] = [
    ("Which car won?", "Solar GrandTourer", "It was a redSolar GrandTourercoupe", C),
    ("Which car won?", "Solar GrandTourer", "the redSolar GrandTourer", C),
    ("Which car won?", "Solar GrandTourer", "It was a redLunar Tourercoupe", I),
    ("Where is it?", "São Tomé", r"S\u00e3o Tom\u00e9", C),
    ("Where is it?", "São Tomé", r"It is in S\\u00e3o Tom\\u00e9.", C),
    ("Where is it?", r"S\u00e3o Tom\u00e9", "São Tomé", C),
    ("Where is it?", "São Tomé", r"S\u0000o Paulo\ud83d", I),
    ("How is 4 written in Roman numerals?", "IV", "4", I),
    ("How is 4 written in Roman numerals?", "IV", "It is written iv.", C),
    ("How is 60 written in Roman numerals?", "LX", "XL", I),
    ("What number is the Roman numeral IV?", "4", "IV", I),
    ("What number is the Roman numeral IV?", "4", "IV is 4", C),
    ("Which World War was it?", "World War IV", "World War 4", C),
]

RANGES: list[Row] = [
    ("How many people live there?", "70-85 million people", "About 80 million", C),
    ("How many people live there?", "70–85 million people", "70 million people", C),
    ("How many people live there?", "70-85 million people", "50 to 55 million", I),
    ("How many people live there?", "70-85 million people", "80 thousand", I),
    ("How old do they get?", "10 to 15 years", "They get 12 years old.", C),
    ("How old do they get?", "between 10 and 15", "12", C),
    ("How old do they get?", "10-15", "16", I),
    ("How old do they get?", "10 to 15 years", "13 metres", I),
    ("How old do they get?", "10 and 15 years", "12 years", I),
    ("What does it cost?", "$10-$15", "$12", C),
    ("How old was she?", "11 years and 302 days", "15", I),
    ("How tall is he?", "6ft 1in", "6ft", I),
]

POLAR: list[Row] = [
    ("Do they fly?", "Typically, no", "No, but they swim well.", C),
    ("Do they fly?", "Typically, no", "They usually do not fly.", C),
    ("Do they fly?", "Typically, no", "Yes, they do.", I),
    ("Do they fly?", "No", "Typically, no.", C),
    ("Do they fly?", "Yes", "Typically, no.", I),
    ("Do they fly?", "Yes, generally", "Yes.", C),
]


@pytest.mark.parametrize(
    ("question", "golds", "answer", "label"),
    [*NAMES, *TERMS, *DATES, *NUMBERS, *STANCE, *COMPLETIONS, *WRITING, *RANGES, *POLAR],
)
def test_rule(question: str, golds: str | list[str], answer: str, label: Label) -> None:
    assert grade(question, [golds] if isinstance(golds, str) else golds, answer) == label


@pytest.mark.parametrize(
    ("answer", "declined"),
    [
        ("I don't know", True),
        ("As an AI language model, I cannot answer that.", True),
        ("I'm not sure, but Narva", False),
        ("I cannot say. It opened in 1932, not 1931.", False),
        ("Narva", False),
        ("", False),
    ],
)
def test_declines_unless_something_is_named(answer: str, declined: bool) -> None:
    assert declines(answer) is declined


def test_of_a_long_text_the_conclusion_counts() -> None:
    steps = "Narva has the older harbour, while Tartu has the older school. " * 10
    question = "Which city is it?"
    assert grade(question, ["Tartu"], steps + "Therefore, it is Narva.") == Label.INCORRECT
    assert grade(question, ["Tartu"], steps + "The answer is Tartu.") == Label.CORRECT
    assert grade(question, ["Tartu"], steps) == Label.CORRECT
