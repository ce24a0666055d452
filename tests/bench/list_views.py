"""Switching to a view, in what it costs beside the paint: words read, facts filtered and sorted.

Run it: `uv run python -m tests.bench.list_views [--facts N]`.
"""

import argparse
from dataclasses import replace
from functools import partial

import numpy as np

from core.dataset.fact_index import FactIndex
from core.scoring.verdicts import code_cells, judge
from core.views.fact_cells import FactCells
from core.views.fact_query import list_facts
from core.views.lens import Lens
from core.views.saved_views import READY_MADE, SavedView
from core.views.snapshot import Heading, Snapshot
from core.views.snapshot_cache import empty_snapshot
from core.views.sort_keys import SortKeys
from core.vocabulary import TASKS
from tests.bench.generator import Scale
from tests.bench.profiles import make_tally
from tests.bench.timing import Measured, compare
from tui.screens.facts.column_layout import layout
from tui.screens.facts.fact_list import fact_line
from tui.screens.facts.state import FactsState
from tui.theme.look import Look
from tui.theme.palettes import DARK

VIEWS = (
    *READY_MADE,
    SavedView("rare and lost", where="profile:RF tier:bottom views:<50k", sort="views-"),
    SavedView("columns", sort="title", columns=("title", "object", "g.direct", "g.direct.on")),
)
ROWS = 60
"""Rows in sight."""


def make_snapshot(facts: int) -> Snapshot:
    """A snapshot of one model over so many facts."""
    tally = make_tally(Scale(facts=facts, models=1))
    random = np.random.default_rng(2)
    index = FactIndex(
        np.arange(1, facts + 1),
        [f"fact-{number}" for number in range(facts)],
        random.integers(0, 10**6, facts),
        [f"topic {number % 12}" for number in range(facts)],
        [f"TYPE_{number % 7}" for number in range(facts)],
        [f"TYPE_{number % 19}" for number in range(facts)],
        np.full(facts, -1, np.int64),
        random.random(facts) < 0.01,
        random.random(facts) < 0.01,
        np.zeros((facts, len(TASKS)), np.int64),
    )
    names = [f"Page {number * 7919 % facts}" for number in range(facts)]
    return replace(
        empty_snapshot(Lens()),
        lens=Lens(tally.models[0]),
        index=index,
        headings=[Heading(name, f"{name} subject", "object") for name in names],
        models=tuple(tally.models),
        tally=tally,
        verdicts=judge(code_cells(tally), tally.thinks(), Lens().policy),
        differs=random.integers(0, 3, facts).astype(np.uint8),
        provisional=np.zeros(facts, np.bool_),
        edited=random.random(facts) < 0.01,
        noted=random.random(facts) < 0.01,
    )


def switches(facts: int) -> list[Measured]:
    """Switching to each view, sort keys at hand and the rows in sight drawn, beside listing all."""
    snapshot, look = make_snapshot(facts), Look(DARK, False)
    keys = SortKeys(snapshot.index, snapshot.headings)

    def switch(view: SavedView) -> None:
        state = FactsState.of_view(view)
        places = list_facts(snapshot, state.wanted, None, keys).places
        columns, cells = layout(state.columns, state.wanted.order, 90), FactCells(snapshot)
        for place in places[:ROWS].tolist():
            fact_line(cells, columns, place, 90, False, look)

    for view in VIEWS:
        switch(view)
    every = partial(switch, SavedView("all"))
    return [compare(view.name, partial(switch, view), "all facts", every, 10) for view in VIEWS]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=Scale().facts)
    for found in switches(parser.parse_args().facts):
        print(found)


if __name__ == "__main__":
    main()
