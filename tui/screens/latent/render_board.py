"""The lines of the lists: relations with bars or with models as columns, and facts of one."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from core.views.latent.latent_relations import NO_CODE, BoardRow, KnownCount, RelationFacts
from core.views.verdict_reasons import format_g
from core.vocabulary import CODE_ORDER
from tui.dialogs.start.validation import read_error
from tui.screens.latent.sentences import ORDER_WORDS
from tui.screens.latent.state import LatentState
from tui.text.cell_width import width_of
from tui.text.inert_text import make_inert
from tui.text.line import Line, cut, cut_inside
from tui.text.number_text import NONE, percent
from tui.theme.glyphs import spell
from tui.theme.look import Look
from tui.theme.roles import code_role

COUNT, SHARE = 6, 6
"""Cells of a count of facts, and of a share in percent."""

NAME_MOST, NAME_LEAST = 40, 14
INTERVAL, MODEL = 14, 31
"""Cells of an interval, and of a model's column: a share, its interval, its facts."""

RANK, P_GOLD, BAR, MARK = 5, 5, 6, 3
"""Columns of a fact: the gold's rank, its probability, that as a bar, `≠`."""

BAR_FROM = 60
"""Cells of a list of facts from which the bar stands beside what the model predicted."""

PREDICTED_LEAST, PREDICTED_MOST = 10, 30
"""Cells of what the model predicted."""

LONG = 400
"""Characters of a text that are looked at."""


def bar_of(share: float, cells: int, look: Look, role: str = "accent") -> Line:
    """A share as a bar on its track."""
    filled = min(cells, max(1 if share >= 0.005 else 0, round(share * cells)))
    line = Line().add(look.glyph("bar") * filled, role)
    return line.add(look.glyph("track") * (cells - filled), "rule")


def shown_share(count: KnownCount | None) -> str:
    """What a model knows of a relation, in percent; a dash for no score."""
    return spell(NONE) if count is None else percent(count.share, 1)


# Relations


def relations_heading(now: LatentState, width: int) -> Line:
    """What the columns of the relations hold."""
    name = name_room(now, width)
    line = Line(" ").cell("relation", name, "ink-3").cell("facts", COUNT + 1, "ink-3", right=True)
    if not now.board:
        line.cell("scored", COUNT + 2, "ink-3", right=True)
        return line.right(Line("right ", "ink-3"), width)
    for model in models_in_sight(now, width):
        line.cell(f"  {cut_inside(make_inert(model), MODEL - 2)}", MODEL, "ink-3", right=True)
    return line.clip(width)


def name_room(now: LatentState, width: int) -> int:
    """Cells for the names of relations."""
    longest = max((width_of(make_inert(row.title[:LONG])) for row in now.rows), default=0)
    most = NAME_MOST if now.board else width - 2 * COUNT - SHARE - 10
    return max(NAME_LEAST, min(longest + 1, most))


def models_in_sight(now: LatentState, width: int) -> tuple[str, ...]:
    """The models that have a column on the board."""
    room = max(1, (width - name_room(now, width) - COUNT - 4) // MODEL)
    return now.models[now.first : now.first + room]


def relation_line(now: LatentState, row: BoardRow, width: int, chosen: bool, look: Look) -> Line:
    """One relation."""
    name = name_room(now, width)
    line = Line(" ").cell(row.title[:LONG], name, "ink bold" if chosen else "ink")
    line.number(f"{row.facts:,}", COUNT + 1, "ink-2")
    if row.why:
        return line.add(f"  {_describe_left_out(row.why, width - line.width - 3)}", "ink-3").clip(
            width
        )
    if now.board:
        return _board_columns(line, now, row, width)
    at = now.model_place
    count = row.counts[at] if at is not None else None
    scored = spell(NONE) if count is None or not count.n else f"{count.n:,}"
    line.cell(scored, COUNT + 2, "ink-2", right=True).add("  ")
    share = shown_share(count)
    if count is not None and count.failed and not count.n:
        return line.add(f"{look.glyph('failed')} {count.failed:,} failed", "label-i")
    cells = width - line.width - SHARE - 2
    if count is not None and count.share is not None and cells > 3:
        line.join(bar_of(count.share, cells, look))
    return line.right(Line(f"{share} ", "ink bold"), width)


def _describe_left_out(why: str, room: int) -> str:
    """Why a relation is left out, in as many words as there is room for; what would do goes first.

    All of it stands beside the list where the relation is chosen.
    """
    _, why = read_error(why)
    short = why.partition(":")[0]
    ways = (f"left out: {why}", f"left out: {short}", short)
    return next((one for one in ways if width_of(one) <= room), "left out")


def _board_columns(line: Line, now: LatentState, row: BoardRow, width: int) -> Line:
    seen = models_in_sight(now, width)
    for count in row.counts[now.first : now.first + len(seen)]:
        role = "ink bold" if count.n else "ink-3"
        line.cell(shown_share(count if count.n else None), SHARE + 1, role, right=True)
        low, high = count.interval or (None, None)
        between = "" if low is None else f"{percent(low, 1)} to {percent(high, 1)}"
        line.cell(between, INTERVAL, "ink-2", right=True)
        behind = f"of {count.n:,}" if count.n else ""
        failed = f" {spell('!')}{count.failed:,}" if count.failed else ""
        line.cell(f" {behind}{failed}", MODEL - SHARE - 1 - INTERVAL, "ink-3", right=True)
    return line.clip(width)


def board_tail(now: LatentState, width: int) -> list[Line]:
    """What chance alone gets right, and what the columns of a model are."""
    if not now.board or not now.models:
        return []
    options = now.setup.options
    chance = Line(" chance  ", "ink-3").add(percent(1 / options, 1), "ink bold")
    chance.add(f"  one of {options:,} options at random", "ink-3")
    columns = " right %, its 95 % interval (Wilson), of how many scored facts"
    failed = any(count.failed for row in now.rows for count in row.counts)
    more = f", {spell('!')} failed: in no share" if failed else ""
    return [Line(), chance.clip(width), Line(f"{columns}{more}", "ink-3").clip(width)]


# Facts


def facts_note(now: LatentState, facts: RelationFacts, width: int, key: str) -> Line:
    """What the facts are sorted by, and on how many the methods say the opposite."""
    line = Line(f" {ORDER_WORDS[now.order]} ", "ink-3").add(key, "accent bold")
    row = now.model_place
    parted = 0 if row is None else int(facts.contradicts(row).sum())
    differing = int(facts.differs.sum())
    words = [
        *([f"models differ on {differing:,}"] if len(facts.models) > 1 else []),
        *([f"methods part on {parted:,}"] if parted else []),
    ]
    for count in range(len(words), 0, -1):
        beside = ", ".join(words[:count])
        if line.width + len(beside) + 3 < width:
            return line.right(Line(f"{beside} ", "ink-3"), width)
    return line.clip(width)


def facts_heading(width: int, look: Look) -> Line:
    """What the columns of facts hold."""
    line = Line("    ").add(f"subject {look.glyph('arrow')} object", "ink-3")
    predicted, cells = predicted_room(width)
    beside = Line().cell("predicted", predicted, "ink-3").cell("rank", RANK, "ink-3", right=True)
    beside.cell("p gold" if cells else "p", P_GOLD + cells, "ink-3", right=True)
    return line.right(beside.cell("Z", MARK, "ink-3", right=True).add(" "), width)


def predicted_room(width: int) -> tuple[int, int]:
    """Cells of what the model predicted, and of the bar with the blank before it (0: no bar)."""
    cells = BAR + 1 if width >= BAR_FROM else 0
    rest = width - 4 - RANK - P_GOLD - cells - MARK - 1
    return max(PREDICTED_LEAST, min(PREDICTED_MOST, rest * 2 // 5)), cells


@dataclass(frozen=True, slots=True)
class FactRow:
    """One fact of a list for a model, as it is drawn."""

    subject: str
    object: str
    code: str
    asked: bool
    usable: bool
    correct: bool
    rank: int
    p_gold: float
    differs: bool
    contradicts: bool
    predicted: str


def fact_row(
    facts: RelationFacts, place: int, model: int | None, predicted: Mapping[int, str]
) -> FactRow:
    """A fact of a list; `predicted` is what the model said of each, by the facts' ids."""
    subject, object_ = facts.subjects[place], facts.objects[place]
    if model is None:
        return FactRow(subject, object_, "", False, False, False, 0, 0.0, False, False, "")
    one = facts.arrange(np.array([place], np.intp))
    code = int(one.codes[model, 0])
    return FactRow(
        subject,
        object_,
        "" if code == NO_CODE else CODE_ORDER[code],
        bool(one.asked[model, 0]),
        bool(one.usable[model, 0]),
        bool(one.correct[model, 0]),
        int(one.ranks[model, 0]),
        float(one.p_gold[model, 0]),
        bool(one.differs[0]),
        bool(one.contradicts(model)[0]),
        predicted.get(int(facts.ids[place]), ""),
    )


def fact_line(row: FactRow, width: int, chosen: bool, look: Look) -> Line:
    """One fact: verdict, subject, object, prediction, the gold's rank and probability, `≠`."""
    line = Line(" ").cell(spell(row.code), 3, f"{code_role(row.code)} bold" if row.code else "ink")
    predicted, cells = predicted_room(width)
    beside = Line().cell(row.predicted[:LONG], predicted, "label-c" if row.correct else "ink-2")
    if row.usable:
        beside.cell(f"{row.rank:,}", RANK, "ink bold" if row.correct else "ink-3", right=True)
        beside.cell(spell(format_g(row.p_gold)), P_GOLD, "ink-2", right=True)
        if cells:
            role = "label-c" if row.correct else "accent"
            beside.add(" ").join(bar_of(row.p_gold, BAR, look, role))
    else:
        words = "failed" if row.asked else spell(NONE)
        role = "label-i" if row.asked else "ink-3"
        beside.cell(words, RANK + P_GOLD + cells, role, right=True)
    mark = look.glyph("methods-part") if row.contradicts else ""
    differs = look.glyph("models-differ") if row.differs else " "
    beside.add(" ").add(differs, "label-p").add(mark or " ", "label-i bold").add(" ")
    room = width - line.width - beside.width
    return line.join(_entities(row, room, chosen, look)).to(width - beside.width).join(beside)


def _entities(row: FactRow, width: int, chosen: bool, look: Look) -> Line:
    """Subject and object; where both are long each is cut to half of the room."""
    room = max(0, width - 4)
    subject, object_ = make_inert(row.subject[:LONG]), make_inert(row.object[:LONG])
    first = min(width_of(subject), max(room // 2, room - width_of(object_)))
    line = Line().add(cut(subject, first), "ink bold" if chosen else "ink")
    line.add(f" {look.glyph('arrow')} ", "ink-3")
    line.add(cut(object_, max(0, width - 1 - line.width)), "ink-2")
    return line.clip(max(0, width - 1))
