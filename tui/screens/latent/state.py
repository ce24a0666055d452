"""What the Latent screen shows as plain data, and how keys and what is read change it."""

from dataclasses import dataclass, field, fields, replace

from core.views.board_query import LatentQuery, format_latent
from core.views.latent.latent_fact import LatentFact
from core.views.latent.latent_relations import BoardRow, LatentOrder, RelationFacts
from core.views.latent.latent_service import LatentLists, LatentRequest
from core.views.list_words import LATENT, ListWords
from core.zero_prompt.score_matrix import Setup

RELATIONS, FACTS, FACT = "relations", "facts", "fact"
"""The panes, from the outermost inwards."""


@dataclass(frozen=True, slots=True)
class LatentPosition:
    """Where a person is on the Latent screen.

    `relation` is a name in `set_name`, `fact` what it is called wherever it is stored; its row
    stands `height` lines below the list's top. `scroll` is how far the fact is scrolled, `pane` the
    one with the focus, `first` the model in the board's first column.
    """

    setup: Setup = field(default_factory=Setup)
    model: str | None = None
    relation: str | None = None
    set_name: str = ""
    fact: str | None = None
    order: LatentOrder = LatentOrder.DIFFER
    board: bool = False
    whole: bool = False
    pane: str = FACTS
    height: int = 0
    scroll: int = 0
    first: int = 0
    viewed: ListWords | None = None
    """The saved view that a list comes from, as it was then."""


@dataclass(slots=True)
class LatentState:
    """What is asked for, and what has been read of it; `fact` is the id of the chosen one."""

    setup: Setup = field(default_factory=Setup)
    model: str | None = None
    relation: int | None = None
    fact: int | None = None
    order: LatentOrder = LatentOrder.DIFFER
    board: bool = False
    """Whether relations stand with all models as columns."""
    first: int = 0
    """The model in the first of these columns."""
    whole: bool = False
    """Whether all of the input and of the options is shown."""
    lists: LatentLists | None = None
    shown: LatentFact | None = None
    viewed: ListWords | None = None
    """The saved view that a list comes from, as it was then."""
    sought: LatentPosition | None = None
    """Where to go once the lists are read."""

    # What follows from it

    @property
    def wanted(self) -> LatentRequest:
        """What lists are asked for."""
        return LatentRequest(self.setup, self.model, self.relation, self.order)

    @property
    def rows(self) -> tuple[BoardRow, ...]:
        """The relations."""
        return () if self.lists is None else self.lists.board.rows

    @property
    def has_nothing(self) -> bool:
        """Whether the file was read and holds no relation."""
        return self.lists is not None and not self.rows

    @property
    def models(self) -> tuple[str, ...]:
        """The models that have scores under the setup."""
        return () if self.lists is None else self.lists.board.models

    @property
    def facts(self) -> RelationFacts | None:
        """The facts of the relation."""
        return None if self.lists is None else self.lists.facts

    @property
    def row(self) -> BoardRow | None:
        """The relation whose facts are shown."""
        key = self.facts.relation if self.facts is not None else None
        return next((row for row in self.rows if row.key == key), None)

    @property
    def relation_place(self) -> int | None:
        """Where that relation stands."""
        row = self.row
        return None if row is None else self.rows.index(row)

    @property
    def model_place(self) -> int | None:
        """Where the model stands among those that have scores."""
        return self.models.index(self.model) if self.model in self.models else None

    @property
    def place(self) -> int | None:
        """Where the chosen fact stands."""
        return None if self.facts is None else self.facts.place(self.fact)

    def shows_relations(self, pane: str) -> bool:
        """Whether the list of a pane is that of relations; else it is that of facts."""
        return self.board or pane == RELATIONS

    def build_words(self, pane: str) -> ListWords:
        """The list of a pane in the words of a command, with the view that it comes from."""
        query = LatentQuery(self.setup, self.model, order=self.order)
        if self.row is not None and not self.shows_relations(pane):
            query = replace(query, relation=self.row.name, set_name=self.row.set_name)
        view = "" if self.viewed is None else self.viewed.view
        return ListWords(LATENT, *format_latent(query), view=view)

    def view_title(self, pane: str) -> str:
        """The view that the list of a pane comes from, with `*` where it has been altered."""
        viewed = self.viewed
        if viewed is None or ("relation:" in viewed.where) != (pane == FACTS):
            return ""
        return self.build_words(pane).title(viewed)

    # How keys change it

    def choose_place(self, place: int) -> bool:
        """Choose the fact at a place; False where it is chosen already."""
        if self.facts is None or not 0 <= place < len(self.facts):
            return False
        found = int(self.facts.ids[place])
        changed, self.fact = found != self.fact, found
        return changed

    def choose_relation(self, place: int) -> bool:
        """Choose the relation at a place; False where it is chosen already."""
        if not 0 <= place < len(self.rows):
            return False
        found = self.rows[place].key
        changed, self.relation = found != self.relation, found
        if changed:
            self.fact = None
        return changed

    def step_examples(self, step: int) -> bool:
        """The next number of examples that has scores; False where there is none."""
        if self.lists is None:
            return False
        numbers = [one for one in self.lists.board.numbers() if (one - self.setup.n) * step > 0]
        if not numbers:
            return False
        self.setup = replace(self.setup, n=min(numbers) if step > 0 else max(numbers))
        return True

    def step_kind(self) -> bool:
        """The next form, seed, order or injection that has scores; False for a single one."""
        kinds = [] if self.lists is None else self.lists.board.kinds()
        here = [replace(one, n=0) for one in kinds]
        now = replace(self.setup, n=0)
        if len(kinds) < 2:
            return False
        at = here.index(now) + 1 if now in here else 0
        self.setup = kinds[at % len(kinds)]
        return True

    def step_order(self) -> None:
        """The next order."""
        orders = list(LatentOrder)
        self.order = orders[(orders.index(self.order) + 1) % len(orders)]

    def step_models(self, step: int, seen: int) -> None:
        """Other models in the columns of the board, of which `seen` are in sight."""
        self.first = max(0, min(self.first + step, len(self.models) - seen))

    # What is read

    def take_lists(self, found: LatentLists) -> None:
        """Show what was read; the chosen fact stays where it is listed, else the first."""
        self.lists = found
        self.setup, self.model = found.board.setup, found.model
        self.relation = None if found.facts is None else found.facts.relation
        self.first = max(0, min(self.first, len(self.models) - 1))
        if self.place is None:
            here = found.facts is not None and len(found.facts)
            self.fact = int(found.facts.ids[0]) if here and found.facts is not None else None

    def take_fact(self, found: LatentFact) -> None:
        """Show a fact, if it is still the chosen one."""
        if found.fact == self.fact:
            self.shown = found

    def go_to(self, position: LatentPosition) -> None:
        """Ask for what a position is about; its rows are found once they are read."""
        self.setup, self.model, self.order = position.setup, position.model, position.order
        self.board, self.whole, self.sought = position.board, position.whole, position
        self.first, self.viewed = position.first, position.viewed

    def clear(self) -> None:
        """Nothing is read: another database is opened."""
        fresh = LatentState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))
