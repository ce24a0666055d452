"""The lines of one fact: verdict, exact input, options with bars, numbers of examples, models."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from core.glossary.glossary import BY_TERM
from core.views.latent.latent_fact import (
    SUBJECT,
    GoldRank,
    LatentFact,
    OptionRow,
    ScoreStatus,
)
from core.views.verdict_reasons import format_g
from core.zero_prompt.examples import ExampleKind
from core.zero_prompt.scores import MOST_MASS
from tui.screens.latent import sentences
from tui.screens.latent.render_board import bar_of
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut, cut_inside
from tui.text.line_wrap import wrap_spans
from tui.text.number_text import NONE
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

ROLES = {
    ExampleKind.INCORRECT: "label-p bold underline @tint",
    ExampleKind.UNKNOWN: "ink-2 bold underline @tint",
    SUBJECT: "subject bold underline",
}
"""How parts of an input stand out; all else is quiet."""

ALTERED_ROLES = (ROLES[ExampleKind.INCORRECT], ROLES[ExampleKind.UNKNOWN])

PLACE, P, LOGPROB = 4, 5, 9
"""Columns of an option: place, probability, log probability; `>` and `●` stand between."""

OF = 12
"""Cells of the gold's rank in a model."""

COLUMN = 7
"""Cells of a number of examples."""

INPUT_LINES = (3, 5, 10)
"""Lines of an input at little, usual and much height."""

LEAST = 3
"""Options that are shown whatever the height."""

LONG = 200
"""Characters of an option that are looked at."""


@dataclass(frozen=True, slots=True)
class FactRoom:
    """What a fact is drawn for; `whole`: all of its input and options. `running`: a run scores."""

    width: int
    height: int
    look: Look
    whole: bool = False
    running: bool = False


def lines_of(one: LatentFact, room: FactRoom) -> list[Line]:
    """All of it."""
    roomy = room.height >= 30
    gap = [Line()] if roomy else []
    above = [*_verdict(one, room), *gap, *_input(one, room), *gap]
    below: list[Line] = []
    for block in (_response(one, room), _numbers(one, room), _models(one, room)):
        below += [*gap, *block] if block else []
    if one.status is ScoreStatus.SCORED:
        left = room.height - len(above) - len(below) - 2
        above += _options(one, room, max(LEAST, left))
    return [line.clip(room.width) for line in (*above, *below)]


def hairline(words: str, width: int) -> Line:
    """A heading over a group."""
    return Line(f"{words} ", "ink-3").rule(width)


def _verdict(one: LatentFact, room: FactRoom) -> list[Line]:
    """What the scores say, what the questions say, and where these part."""
    if one.status is not ScoreStatus.SCORED:
        words = sentences.status_words(one, room.running)
        return [line for text in words for line in wrap_spans(text.spans, room.width)]
    known, options = one.known, len(one.options)
    line = Line(" Z ", "accent bold @chip").add("  ")
    line.add("known without a question" if known else "not known", "ink bold" if known else "ink-2")
    place = "first" if one.rank == 1 else f"{one.rank:,}"
    gold = Line("the gold is ", "ink-2").add(place, "ink-2").add(f" of {options:,}, p ", "ink-2")
    gold.add(spell(format_g(one.p_gold)), "ink bold")
    if line.width + gold.width + 3 <= room.width:
        line = line.add("   ").join(gold)
    second = Line()
    if one.code in BY_TERM:
        second.add(f" {spell(one.code)} ", f"{code_role(one.code)} bold").add("  ")
        second.add(BY_TERM[one.code].short.split(":")[0], "ink-2").add("   ")
    else:
        second.add("     no answers to questions", "ink-3")
    if one.contradicts:
        second.add(room.look.glyph("methods-part"), "label-i bold")
        second.add(f" {sentences.contradiction(one)}", "ink")
    mass = one.mass or 0.0
    overlap = [sentences.overlap(mass)] if mass > MOST_MASS else []
    return [line, second, *overlap]


def _input(one: LatentFact, room: FactRoom) -> list[Line]:
    """The end of what is sent, or all of it, with what is altered."""
    altered = f", {one.altered:,} altered" if one.altered else ""
    end = "input, all of" if room.whole else "input, the end of"
    examples = f"{one.examples:,} example{'' if one.examples == 1 else 's'}"
    head = f"{end} {examples}{altered}" if one.examples else "input, no examples"
    line = Line()
    for part in one.parts:
        line.add(part.text, ROLES.get(part.kind, "ink-2"))
    size = 0 if room.height < 24 else 1 if room.height < 48 else 2
    most = None if room.whole else INPUT_LINES[size]
    kept = deque[Line](maxlen=most)
    count = 0
    for found in wrap_spans(line.spans, room.width - 2):
        kept.append(found)
        count += 1
    shown = [Line(" ").join(found) for found in kept]
    if most is not None and count > most:
        shown[0] = Line(spell("…"), "ink-3").join(Line(" ") if not shown[0].spans else kept[0])
    shown[-1].add(" ").add("_", "accent bold")
    return [hairline(head, room.width), *shown, *_legend(one, shown)]


def _legend(one: LatentFact, shown: Sequence[Line]) -> list[Line]:
    """What the altered examples are, and whether they stand further up."""
    kinds = {part.kind for part in one.parts}
    line = Line()
    for kind, words in sentences.ALTERED.items():
        if kind in kinds:
            line.add(" ").add(words, ROLES[kind]).add(" ")
    if not line.spans:
        return []
    if any(span.role in ALTERED_ROLES for found in shown for span in found.spans):
        return [line.add("  as they were sent", "ink-3")]
    line.add("  further up, ", "ink-3").add("space", "accent bold")
    return [line.add(" shows all of the input", "ink-3")]


def _options(one: LatentFact, room: FactRoom, most: int) -> list[Line]:
    """Options by their probability: all, or the first, the gold, and the rest together."""
    most = len(one.options) if room.whole else most
    shown = list(enumerate(one.options[:most], 1))
    gold = next(at for at, option in enumerate(one.options, 1) if option.is_gold)
    if gold > most:
        shown[-1] = (gold, one.options[gold - 1])
    texts = [width_of(make_inert((option.text or sentences.NO_TEXT)[:LONG])) for _, option in shown]
    name = max(6, min(max(texts), room.width // 3))
    count = f"{len(one.options):,} objects"
    head = f"most probable of all {count}" if room.whole else f"most probable of {count}"
    lines = [hairline(head, room.width)]
    lines += [_option_line(at, option, name, room) for at, option in shown]
    rest = len(one.options) - len(shown)
    if rest:
        p = max(0.0, 1.0 - sum(option.p for _, option in shown))
        words = f"{spell('…')} {rest:,} others together {spell(format_g(p))}"
        line = Line().to(PLACE + 1).add(words, "ink-3")
        lines.append(line.add("   space", "accent bold").add(" shows all", "ink-3"))
    return lines


def _option_line(at: int, option: OptionRow, name: int, room: FactRoom) -> Line:
    look = room.look
    line = Line().number(f"{at:,}", PLACE - 1, "ink-3").add(" ")
    line.add(look.glyph("chosen") if option.is_predicted else " ", "accent bold")
    line.add(look.glyph("CORRECT") if option.is_gold else " ", "label-c").add(" ")
    text = sentences.NO_TEXT if option.text is None else option.text[:LONG]
    role = "object bold" if option.is_gold else "ink"
    line.cell(text, name, "ink-3" if option.text is None else role)
    line.cell(spell(format_g(option.p)), P, "ink-2", right=True).add("  ")
    tail = Line().cell(_logprob(option.logprob), LOGPROB, "ink-3", right=True)
    tail.cell("  gold" if option.is_gold else "", 7, "label-c")
    cells = room.width - line.width - tail.width
    if cells < 4:
        return line
    bar = bar_of(option.p, cells, look, "label-c" if option.is_gold else "accent")
    return line.join(bar).join(tail)


def _logprob(value: float) -> str:
    return f"{spell('−') if value < 0 else ''}{abs(value):.2f}"


def _response(one: LatentFact, room: FactRoom) -> list[Line]:
    """What the model goes on with, and whether the gold is in it."""
    if one.response is None:
        return []
    right = one.response_right
    line = Line("says   ", "ink-3").add(
        cut(make_inert(one.response[:LONG]), room.width - 16), "ink"
    )
    line.add("  right" if right else "  wrong", "label-c" if right else "label-i bold")
    return [line]


def _numbers(one: LatentFact, room: FactRoom) -> list[Line]:
    """The gold after each number of examples, and in each form."""
    if not one.numbers:
        return []
    most = max(1, (room.width - COLUMN) // COLUMN)
    forms = one.kinds if len(one.kinds) > 1 else ()
    if forms:
        most = max(1, most // 2)
    numbers = _choose_numbers(one.numbers, one.setup.n, most)
    lines = [Line("n", "ink-3"), Line("rank", "ink-3"), Line("p gold", "ink-3")]
    for line in lines:
        line.to(COLUMN)
    for gold in numbers:
        chosen = gold.setup.n == one.setup.n
        role = "accent bold @chip" if chosen else "ink-2"
        lines[0].cell(f"{gold.setup.n:,} ", COLUMN, role, right=True)
        _add_gold(lines, gold)
    if forms:
        _add_forms(lines, one, forms, room.width)
    return [hairline("by number of examples", room.width), *lines]


def _choose_numbers(numbers: Sequence[GoldRank], n: int, most: int) -> Sequence[GoldRank]:
    """So many numbers, with the present one among them."""
    at = next((at for at, one in enumerate(numbers) if one.setup.n == n), 0)
    start = max(0, min(at - most // 2, len(numbers) - most))
    return numbers[start : start + most]


def _add_gold(lines: Sequence[Line], gold: GoldRank) -> None:
    rank = spell(NONE) if gold.rank is None else f"{gold.rank:,}"
    if gold.status is ScoreStatus.FAILED:
        rank = "failed"
    p = spell(NONE) if gold.p_gold is None else spell(format_g(gold.p_gold))
    lines[1].cell(f"{rank} ", COLUMN, "ink bold" if gold.rank == 1 else "ink-2", right=True)
    lines[2].cell(f"{p} ", COLUMN, "ink-2", right=True)


def _add_forms(
    lines: Sequence[Line], one: LatentFact, forms: Sequence[GoldRank], width: int
) -> None:
    for line, words in zip(lines, ("form", "rank", "p gold"), strict=True):
        line.add("   ").add(words, "ink-3").to(line.width + COLUMN - len(words))
    for gold in forms:
        name = cut_inside(make_inert(gold.setup.form[:LONG]), 12)
        cells = max(COLUMN, width_of(name) + 2)
        if lines[0].width + cells > width:
            break
        role = "accent bold @chip" if gold.setup.form == one.setup.form else "ink-2"
        lines[0].cell(f"{name} ", cells, role, right=True)
        for line in lines[1:]:
            line.to(line.width + cells - COLUMN)
        _add_gold(lines, gold)


def _models(one: LatentFact, room: FactRoom) -> list[Line]:
    """The gold in every model, with what each predicts."""
    if len(one.models) < 2:
        return []
    longest = max(width_of(make_inert(gold.model[:LONG])) for gold in one.models)
    name = min(max(longest, 6), room.width // 3)
    lines = [hairline("models side by side", room.width)]
    for gold in one.models:
        chosen = "ink bold" if gold.model == one.model else "ink-2"
        line = Line().add(cut_inside(make_inert(gold.model[:LONG]), name), chosen).to(name)
        if gold.rank is None:
            line.add("   ").add(sentences.STATUS[gold.status], "ink-3")
            lines.append(line)
            continue
        words = f"{gold.rank:,} of {gold.options:,}"
        line.cell(words, OF, "ink bold" if gold.rank == 1 else "ink-2", right=True)
        line.cell(spell(format_g(gold.p_gold)), P, "ink-2", right=True).add("  ")
        predicted = sentences.NO_TEXT if gold.predicted is None else gold.predicted[:LONG]
        code = f"  {spell(gold.code)}" if gold.code else ""
        tail = Line(f"  {room.look.glyph('chosen')} ", "accent bold")
        tail.cell(predicted, max(8, room.width // 5), "object" if gold.rank == 1 else "ink-2")
        tail.add(code, f"{code_role(gold.code)} bold" if gold.code else "ink-3")
        cells = room.width - line.width - tail.width - (0 if gold.code else 4)
        role = "label-c" if gold.rank == 1 else "accent"
        if cells > 3:
            line.join(bar_of(gold.p_gold or 0.0, cells, room.look, role))
        lines.append(line.join(tail))
    return lines
