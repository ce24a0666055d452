"""Labels, grades and verdicts as marks and words in their roles."""

from typing import TYPE_CHECKING

from core.glossary.glossary import BY_TERM
from core.stats.number_format import format_amount
from tui.text.line import Line
from tui.theme.glyphs import spell
from tui.theme.roles import PROFILE_CODES, code_role, fill_role

if TYPE_CHECKING:
    from core.views.arm_verdict import ArmVerdict
    from core.views.fact_view import LatentVerdict


def passing_role(passes: bool | None) -> str:
    """The role of a grade that passes, fails, or is none."""
    return "ink-3" if passes is None else "label-c" if passes else "label-i"


def pass_word(passes: bool | None) -> tuple[str, str]:
    """`pass` or `fail` with its role; a blank where there is no grade."""
    if passes is None:
        return "", "ink-3"
    return ("pass", "label-c") if passes else ("fail", "label-i")


def holds_word(holds: bool | None) -> tuple[str, str]:
    """Whether a part of the verdict holds, with its role."""
    if holds is None:
        return spell("–"), "ink-3"
    return ("yes", "label-c") if holds else ("no", "label-i")


def verdict(code: str) -> Line:
    """The two letters on their fill, and what they are called."""
    role = f"{code_role(code)} bold" if code in PROFILE_CODES else "ink-2"
    return Line(f" {spell(code)} ", fill_role(code)).add(f" {BY_TERM[code].name}", role)


def latent_words(found: "LatentVerdict") -> str:
    """How probable the object is where nobody asks, and at which place: `p .08  1 of 100  n 50`."""
    from core.scoring.latent_verdicts import EXAMPLES, OPTIONS
    from core.views.verdict_reasons import format_g

    return spell(f"p {format_g(found.p_gold)}  {found.rank:,} of {OPTIONS:,}  n {EXAMPLES}")


def arm_words(found: "ArmVerdict") -> str:
    """In which modes of FACT-BENCH the answer is right: `EM in 1 of 3 modes, 10-shot`."""
    words = f"EM in {len(found.right):,} of {format_amount(found.asked, 'mode')}"
    return f"{words}, {', '.join(found.right)}" if found.right else words
