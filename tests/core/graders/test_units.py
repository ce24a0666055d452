"""Units and currencies: known ones are converted, others are not the gold's."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from core.graders import form, lexical
from core.graders.grader_evaluation import read_cases
from core.graders.lexical.unit_spellings import (
    LENGTHS,
    MASSES,
    MONEY,
    OTHERS,
    TEMPERATURES,
    TIMES,
)
from core.graders.lexical.units import measure
from core.vocabulary import Label

C, I = Label.CORRECT, Label.INCORRECT  # noqa: E741

SHARED = Path(__file__).parents[4] / "shared"

Grade = Callable[[str, Sequence[str], str], Label]
Row = tuple[str, str, list[str], Label]

UNITS: list[Row] = [
    ("How much was it?", "£450,000", ["£450,000", "450,000 pounds", "GBP 450,000"], C),
    ("How much was it?", "£450,000", ["450 000 €"], I),
    (
        "How much was it?",
        "$5 million",
        ["US$5 million", "USD 5 million", "5 million U.S. dollars", "$5m", "$5 M"],
        C,
    ),
    ("How much was it?", "US$5 million", ["A$5 million", "5 million Canadian dollars"], I),
    ("How much was it?", "$5 million", ["€5m"], I),
    ("How much was it?", "€20", ["20 euros", "EUR 20"], C),
    ("How much was it?", "€20", ["20 francs"], I),
    ("How much was it?", "20 yen", ["¥20"], C),
    ("How much was it?", "20 yen", ["20 yuan"], I),
    ("How much was it?", "₹500", ["500 rupees", "Rs. 500"], C),
    ("How much was it?", "₹500", ["500 dollars"], I),
    ("How much was it?", "500 Swiss francs", ["CHF 500"], C),
    ("How much was it?", "500 Swiss francs", ["500 French francs"], I),
    ("How much was it?", "500 zloty", ["500 roubles"], I),
    ("How much was it?", "500 zloty", ["PLN 500"], C),
    ("How much was it?", "50 cents", ["$0.50"], C),
    ("How much was it?", "$3.50", ["3 dollars and 50 cents"], C),
    ("How much was it?", "500 baht", ["500 dong"], I),
    ("How much was it?", "1,000 won", ["₩1,000"], C),
    ("How much was it?", "1,000 won", ["1,000 yen"], I),
    ("How much was it?", "500 kronor", ["500 kroner"], C),
    ("How much was it?", "500 pesos", ["500 euros"], I),
    ("How much was it?", "2 bitcoin", ["2 dollars"], I),
    ("How much was it?", "£5", ["5 lb"], C),
    (
        "How much was it?",
        "12 km²",
        [
            "12 sq km",
            "12 square kilometers",
            "12 km^2",
            "12 km**2",
            "4.6 square miles",
            "4.6 sq mi",
            "12,000,000 m²",
        ],
        C,
    ),
    ("How much was it?", "12 km²", ["12 km³", "12 acres"], I),
    ("How much was it?", "12 km2", ["3,000 acres"], C),
    ("How much was it?", "30 acres", ["12.1 hectares"], C),
    ("How much was it?", "30 acres", ["30 hectares"], I),
    ("How much was it?", "5 cubic metres", ["5,000 litres"], C),
    ("How much was it?", "5 m³", ["5 m²", "5 cubic feet"], I),
    (
        "How much was it?",
        "533 km/h",
        [
            "533 kph",
            "533 kilometres per hour",
            "533 kilometers an hour",
            "533 km per hour",
            "533 km h⁻¹",
            "148 m/s",
        ],
        C,
    ),
    ("How much was it?", "533 km/h", ["533 feet per second", "533 zorgs"], I),
    ("How much was it?", "100 mph", ["161 km/h", "100 miles per hour", "87 knots"], C),
    ("How much was it?", "100 mph", ["100 miles"], I),
    (
        "How much was it?",
        "9.8 m/s²",
        ["9.8 m/s^2", "9.8 metres per second squared", "32.2 ft/s²"],
        C,
    ),
    ("How much was it?", "9.8 m/s²", ["9.8 m/s"], I),
    ("How much was it?", "500 kJ", ["119.5 kcal", "500 kilojoules", "0.5 MJ"], C),
    ("How much was it?", "500 kJ", ["500 J", "500 BTU"], I),
    ("How much was it?", "5 kWh", ["18 MJ"], C),
    ("How much was it?", "5 kWh", ["5 kW"], I),
    ("How much was it?", "5 kilowatt hours", ["5 kWh"], C),
    ("How much was it?", "500 kcal", ["500 calories"], C),
    ("How much was it?", "150 hp", ["112 kW", "150 horsepower", "150 PS"], C),
    ("How much was it?", "150 kW", ["201 hp"], C),
    ("How much was it?", "3 GW", ["3,000 MW"], C),
    ("How much was it?", "3 GW", ["3 MW"], I),
    ("How much was it?", "230 V", ["230 volts", "0.23 kV"], C),
    ("How much was it?", "230 V", ["230 W"], I),
    ("How much was it?", "20 litres", ["5.3 gallons", "20 L"], C),
    ("How much was it?", "20 litres", ["20 ml", "20 pints", "20 quarts", "20 barrels"], I),
    ("How much was it?", "16 US fluid ounces", ["473 ml"], C),
    ("How much was it?", "1,013 hPa", ["1013 millibars"], C),
    ("How much was it?", "1,013 hPa", ["1,013 psi"], I),
    ("How much was it?", "1 atm", ["101.3 kPa"], C),
    ("How much was it?", "2 bar", ["29 psi"], C),
    ("How much was it?", "440 Hz", ["440 hertz"], C),
    ("How much was it?", "440 Hz", ["440 kHz"], I),
    ("How much was it?", "5 GB", ["5 gigabytes", "5,000 MB"], C),
    ("How much was it?", "5 GB", ["5 TB"], I),
    ("How much was it?", "5 MB/s", ["5 GB/s"], I),
    (
        "How much was it?",
        "20 °C",
        ["68 °F", "20 degrees", "20 degrees Celsius", "20°C", "293 K"],
        C,
    ),
    ("How much was it?", "20 °C", ["20 °F", "20 K"], I),
    ("How much was it?", "0 K", ["-273 °C"], C),
    ("How much was it?", "-273.15 °C", ["0 K"], C),
    ("How much was it?", "98.6 °F", ["37 °C"], C),
    ("How much was it?", "98.6 °F", ["37"], I),
    ("How much was it?", "5,778 K", ["5505 °C"], C),
    ("How much was it?", "5 parsecs", ["16.3 light-years"], C),
    ("How much was it?", "5 parsecs", ["5 light-years"], I),
    ("How much was it?", "5 AU", ["5 astronomical units"], C),
    ("How much was it?", "5 AU", ["5 km"], I),
    ("How much was it?", "4.24 light years", ["1.3 parsecs"], C),
    ("How much was it?", "10 nautical miles", ["10 miles"], I),
    ("How much was it?", "10 nautical miles", ["18.5 km"], C),
    ("How much was it?", "10 fathoms", ["60 feet"], C),
    ("How much was it?", "10 fathoms", ["10 feet"], I),
    ("How much was it?", "5 furlongs", ["1 km"], C),
    ("How much was it?", "5 furlongs", ["5 miles"], I),
    ("How much was it?", "3 leagues", ["3 miles"], I),
    ("How much was it?", "10 inches", ["25.4 cm"], C),
    ("How much was it?", "10 inches", ["10 cm"], I),
    ("How much was it?", '10"', ["10 inches"], C),
    ("How much was it?", "5 yards", ["15 feet"], C),
    ("How much was it?", "5 yards", ["5 feet"], I),
    ("How much was it?", "5 carats", ["1 gram"], C),
    ("How much was it?", "5 carats", ["5 grams"], I),
    ("How much was it?", "5 tonnes", ["5,000 kg", "5 metric tons", "5 tons"], C),
    ("How much was it?", "5 tonnes", ["5 pounds"], I),
    ("How much was it?", "12 stone", ["168 pounds", "76 kg"], C),
    ("How much was it?", "12 stone", ["12 pounds"], I),
    ("How much was it?", "3 ounces", ["85 g"], C),
    ("How much was it?", "7.87 g/cm³", ["7,870 kg/m³"], C),
    ("How much was it?", "7.87 g/cm³", ["7.87 kg/m³"], I),
    ("How much was it?", "7.87 g/cm3", ["7.87 grams per cubic centimetre"], C),
    ("How much was it?", "120 per square kilometre", ["120 people per square kilometre"], C),
    ("How much was it?", "120 people per km²", ["120/km²"], C),
    ("How much was it?", "120 people per square mile", ["46 per km²"], C),
    ("How much was it?", "120 people per square mile", ["120 per km²"], I),
    ("How much was it?", "30 mpg", ["30 miles per gallon"], C),
    ("How much was it?", "30 mpg", ["30 km/l"], I),
    ("How much was it?", "10 MeV", ["10 GeV"], I),
    ("How much was it?", "10 MeV", ["10,000 keV"], C),
    ("How much was it?", "5 tesla", ["50,000 gauss"], I),
    ("How much was it?", "5 becquerels", ["5 curies"], I),
    ("How much was it?", "3,000 rpm", ["3000 revolutions per minute"], C),
    ("How much was it?", "45 degrees", ["45°"], C),
    ("How much was it?", "3 Mbps", ["3 Gbps"], I),
    ("How much was it?", "30 years", ["three decades", "30 years old"], C),
    ("How much was it?", "30 years", ["30 days"], I),
    ("How much was it?", "2 weeks", ["14 days"], C),
    ("How much was it?", "2 weeks", ["a fortnight"], I),
    ("How much was it?", "90 minutes", ["1.5 hours", "an hour and a half"], C),
    ("How much was it?", "1 h 30 min", ["90 minutes"], C),
    ("How much was it?", "1 hour and 30 minutes", ["90 min"], C),
    ("How much was it?", "1:30:00", ["90 minutes"], C),
    ("How much was it?", "5 ft 11 in", ["5'11\"", "180 cm"], C),
    ("How much was it?", "5 ft 11 in", ["5'10\""], I),
    ("How much was it?", "5 feet 11 inches", ["1.80 m"], C),
    ("How much was it?", "5 lb 8 oz", ["2.5 kg"], C),
    ("How much was it?", "11 st 4 lb", ["158 lb"], C),
    ("How much was it?", "5 pm", ["5 am"], I),
    ("How much was it?", "5 pm", ["5 p.m."], C),
    ("How much was it?", "3,000 rupees", ["3,000 cowries"], I),
    ("How much was it?", "12 people", ["12", "12 persons"], C),
    ("How much was it?", "12", ["12 goals"], C),
    ("How much was it?", "12 goals", ["12 in total"], C),
    ("How much was it?", "7 days", ["7 full days"], C),
    ("How much was it?", "324 m", ["324 tall", "It is 324 m tall and was built in 1889"], C),
    ("How much was it?", "11 players", ["11 players on each side"], C),
    ("How much was it?", "5 million people", ["5 million inhabitants"], C),
    ("How much was it?", "5 million people", ["5 million euros"], I),
]

GRADERS = pytest.mark.parametrize("grade", [lexical.grade, form.grade], ids=["lexical", "form"])


@GRADERS
@pytest.mark.parametrize(("question", "gold", "answers", "label"), [*UNITS])
def test_units(grade: Grade, question: str, gold: str, answers: list[str], label: Label) -> None:
    found = {answer: grade(question, [gold], answer) for answer in answers}
    assert found == dict.fromkeys(answers, label)


CASES = SHARED / "data" / "cases" / "units_unknown"
TABLES = (LENGTHS, TEMPERATURES, MASSES, TIMES, OTHERS, MONEY)


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases (../shared/data/cases) are not here")
@GRADERS
@pytest.mark.parametrize("name", ["units.jsonl", "units2.jsonl"])
def test_the_cases_have_their_labels(grade: Grade, name: str) -> None:
    cases = read_cases(CASES / name)
    found = [grade(case.question, case.golds, case.answer) == Label.CORRECT for case in cases]
    assert found == [case.truth == "correct" for case in cases]


@pytest.mark.slow
def test_pint_is_imported_for_two_different_units_alone() -> None:
    program = """
import sys
from core.graders.lexical import grade
assert grade("How long?", ["5 km"], "5 km") == "CORRECT"
assert grade("How many?", ["5 people"], "12 people") == "INCORRECT"
assert "pint" not in sys.modules
assert grade("How long?", ["5 km"], "5,000 m") == "CORRECT"
assert "pint" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_unit_of_the_tables_is_one_of_pints() -> None:
    assert [name for table in TABLES for name in table if measure(name) is None] == []


def test_no_spelling_names_two_units() -> None:
    every = [one for table in TABLES for text in table.values() for one in text.split(", ") if one]
    assert sorted({one for one in every if every.count(one) > 1}) == []


@pytest.mark.parametrize("answer", ["1", '"1"', "'1'", "“1”"])
def test_a_mark_that_ends_a_quotation_is_no_inch(answer: str) -> None:
    assert lexical.grade("Which one is it?", ["0 km"], answer) is Label.INCORRECT
