"""Tables for papers: nothing in them is read by TeX as anything but text."""

import re

import pytest

from core.report.latex_table import escape, latex_table, matrix_rows, policy_caption

HOSTILE = (
    "<script>alert(1)</script>",
    "[/b]",
    r"\input{/etc/passwd}",
    "=cmd()|' /C calc'!A0",
    "\x1b[31mred\x1b[0m",
    "50 % & #1 $x_1^2$ ~ {a}",
    "a\nb\\\\c",
    "--- `` '' ?` !` ,,",
    "*[2em]",
    "\u202eabc",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_stays_text(text: str) -> None:
    found = escape(text)
    commands = r"\\text(backslash|asciitilde|asciicircum|less|greater|bar|quotedbl)\{\}"
    rest = re.sub(rf"{commands}|\\[{{}}$&#_%]|\{{[\[\]*]\}}|\{{\}}", "", found)
    assert not set(rest) & set('\\{}$&#^_%~<>|[]*"\n\x1b\u202e')
    assert not re.search(r"--|''|``|[?!]`|,,", found)


def test_a_table_is_a_booktabs_table_with_its_policy() -> None:
    head = {"tau": 0.5, "strategy": "pair", "graders": ["lexical", "llm:a_b"], "weight": None}
    rows = [{"model": text, "share": 0.25, "n": -3} for text in HOSTILE] + [{"share": None}]
    table = latex_table(rows, policy_caption("Shares", head))
    lines = table.splitlines()
    assert lines[3] == (
        r"\caption{Shares (tau = 0.5; strategy pair; graders lexical then llm:a\_b).}"
    )
    assert lines[4] == r"\begin{tabular}{lrr}"
    body = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(body) == len(rows)
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 for line in body)
    assert all(line.endswith(r" & 0.250 & -3 \\") for line in body[:-1])
    assert not any(line.startswith(("[", "*")) for line in body)


def test_two_graders_are_a_matrix() -> None:
    counts = dict.fromkeys(("CORRECT", "INCORRECT", "PARTIALLY", "OTHER"), 1)
    document = {"a": "x", "b": "y", "matrix": dict.fromkeys(counts, counts)}
    rows = matrix_rows(document)
    assert [row["x / y"] for row in rows] == list(counts)
    assert all(row["OTHER"] == 1 for row in rows)


def test_limits_of_an_interval_are_columns_of_their_own() -> None:
    rows = [
        {"model": "a", "rate": 0.0525, "gain": None, "intervals": {"rate": (0.01, 0.09)}},
        {"model": "b", "rate": 0.5, "gain": 0.25, "intervals": {"rate": None, "gain": (0.0, 0.5)}},
    ]
    lines = latex_table(rows, "Rates").splitlines()
    start = lines.index(r"\toprule") + 1
    assert lines[start] == (r"model & rate & rate low & rate high & gain & gain low & gain high \\")
    assert lines[start + 2 : start + 4] == [
        r"a & 0.053 & 0.010 & 0.090 & -- & -- & -- \\",
        r"b & 0.500 & -- & -- & 0.250 & 0.000 & 0.500 \\",
    ]
    gaps = latex_table([{"gap": -0.0625, "interval": (-0.1, 0.1)}], "Gaps")
    assert r"gap & low & high \\" in gaps
    assert r"-0.063 & -0.100 & 0.100 \\" in gaps
