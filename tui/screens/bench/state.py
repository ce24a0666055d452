"""What the Bench screen shows as plain data, and how keys and what is read change it."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from core.views.bench.bench_board import BREAKDOWNS, ArmOrder, ArmRow, GroupOrder, GroupRow
from core.views.bench.bench_questions import BenchQuestion, QuestionOrder
from core.views.bench.bench_service import BenchLists, BenchRequest
from core.views.board_query import format_bench
from core.views.list_words import BENCH, ListWords

ARMS, BOARD, QUESTIONS = "arms", "board", "questions"
PANES = (ARMS, BOARD, QUESTIONS)
"""The panes, from the outermost inwards."""


@dataclass(frozen=True, slots=True)
class BenchPosition:
    """Where a person is on the Bench screen.

    `arm` is a label, `group` a name, `fact` what it is called wherever it is stored; its row stands
    `height` lines below the list's top. `pane` is the one with the focus, `against` the arm that
    is compared with.
    """

    set_name: str | None = None
    split: str | None = None
    arm: str | None = None
    by: str = BREAKDOWNS[0]
    group: str | None = None
    fact: str | None = None
    arm_order: ArmOrder = ArmOrder.MODEL
    group_order: GroupOrder = GroupOrder.LISTED
    question_order: QuestionOrder = QuestionOrder.WRONG
    pane: str = ARMS
    height: int = 0
    against: str | None = None
    viewed: ListWords | None = None
    """The saved view that a list comes from, as it was then."""


@dataclass(slots=True)
class BenchState:
    """What is asked for, and what has been read of it; `fact` is the id of the chosen one."""

    set_name: str | None = None
    split: str | None = None
    arm: str | None = None
    by: str = BREAKDOWNS[0]
    group: str | None = None
    fact: int | None = None
    arm_order: ArmOrder = ArmOrder.MODEL
    group_order: GroupOrder = GroupOrder.LISTED
    question_order: QuestionOrder = QuestionOrder.WRONG
    against: str | None = None
    """The arm (its label) that the chosen one is compared with."""
    is_read: bool = False
    lists: BenchLists | None = None
    viewed: ListWords | None = None
    """The saved view that a list comes from, as it was then."""
    sought: BenchPosition | None = None
    """Where to go once the lists are read."""

    # What follows from it

    @property
    def wanted(self) -> BenchRequest:
        """What lists are asked for."""
        return BenchRequest(
            *(self.set_name, self.split, self.arm, self.by, self.group),
            *(self.arm_order, self.group_order, self.question_order, self.against),
        )

    @property
    def arms(self) -> Sequence[ArmRow]:
        """The arms."""
        return () if self.lists is None else self.lists.arms

    @property
    def groups(self) -> Sequence[GroupRow]:
        """The groups of the arm."""
        return () if self.lists is None else self.lists.groups

    @property
    def questions(self) -> Sequence[BenchQuestion]:
        """The questions of the group."""
        return () if self.lists is None else self.lists.questions

    @property
    def arm_row(self) -> ArmRow | None:
        """The arm whose groups are shown."""
        return next((row for row in self.arms if row.label == self.arm), None)

    @property
    def arm_place(self) -> int | None:
        """Where that arm stands."""
        return next((at for at, row in enumerate(self.arms) if row.label == self.arm), None)

    @property
    def group_place(self) -> int | None:
        """Where the group stands whose questions are shown."""
        return next((at for at, row in enumerate(self.groups) if row.name == self.group), None)

    @property
    def place(self) -> int | None:
        """Where the chosen question stands."""
        return next((at for at, row in enumerate(self.questions) if row.fact == self.fact), None)

    @property
    def question(self) -> BenchQuestion | None:
        """The chosen question."""
        return None if self.place is None else self.questions[self.place]

    def build_words(self, pane: str) -> ListWords:
        """The list of a pane in the words of a command, with the view that it comes from."""
        split = self.split if self.lists is None else self.lists.split
        asked = replace(self.wanted, split=split)
        if pane == ARMS:
            asked = replace(asked, arm=None)
        elif pane == BOARD:
            asked = replace(asked, group=None)
        view = "" if self.viewed is None else self.viewed.view
        return ListWords(BENCH, *format_bench(asked), view=view)

    def view_title(self, pane: str) -> str:
        """The view that the list of a pane comes from, with `*` where it has been altered."""
        viewed = self.viewed
        if viewed is None:
            return ""
        of = QUESTIONS if "group:" in viewed.where else BOARD if "arm:" in viewed.where else ARMS
        return self.build_words(pane).title(viewed) if of == pane else ""

    # How keys change it

    def choose_arm(self, place: int) -> bool:
        """Choose the arm at a place; False where it is chosen already."""
        if not 0 <= place < len(self.arms):
            return False
        changed, self.arm = self.arms[place].label != self.arm, self.arms[place].label
        return changed

    def choose_group(self, place: int) -> bool:
        """Choose the group at a place; False where it is chosen already."""
        if not 0 <= place < len(self.groups):
            return False
        changed, self.group = self.groups[place].name != self.group, self.groups[place].name
        if changed:
            self.fact = None
        return changed

    def choose_place(self, place: int) -> None:
        """Choose the question at a place."""
        if 0 <= place < len(self.questions):
            self.fact = self.questions[place].fact

    def step_breakdown(self) -> None:
        """Group by the next."""
        self.by = BREAKDOWNS[(BREAKDOWNS.index(self.by) + 1) % len(BREAKDOWNS)]
        self.group = self.fact = None

    def step_split(self) -> bool:
        """The next split; False where there is only one."""
        splits = () if self.lists is None else self.lists.splits
        if self.lists is None or len(splits) < 2:
            return False
        at = splits.index(self.lists.split) + 1 if self.lists.split in splits else 0
        self.split = splits[at % len(splits)]
        return True

    def step_order(self, pane: str) -> str:
        """The next order of a pane's rows; gives it."""
        if pane == ARMS:
            arms = list(ArmOrder)
            self.arm_order = arms[(arms.index(self.arm_order) + 1) % len(arms)]
            return f"{pane} {self.arm_order}"
        if pane == BOARD:
            groups = list(GroupOrder)
            self.group_order = groups[(groups.index(self.group_order) + 1) % len(groups)]
            return f"{pane} {self.group_order}"
        rows = list(QuestionOrder)
        self.question_order = rows[(rows.index(self.question_order) + 1) % len(rows)]
        return f"{pane} {self.question_order}"

    def choose_set(self, name: str) -> None:
        """Show another set."""
        self.set_name, self.split = name, None
        self.arm = self.group = self.fact = self.against = None

    # What is read

    def take_lists(self, found: BenchLists | None) -> None:
        """Show what was read; the chosen question stays where it is listed, else the first."""
        self.lists, self.is_read = found, True
        if found is None:
            self.arm = self.group = self.fact = None
            return
        self.set_name, self.arm, self.group = found.set_name, found.arm, found.group
        sought = None if self.sought is None else self.sought.fact
        named = next((one.fact for one in found.questions if one.fact_id == sought), None)
        if sought is not None and named is not None:
            self.fact = named
        if self.place is None:
            self.fact = found.questions[0].fact if found.questions else None

    def go_to(self, position: BenchPosition) -> None:
        """Ask for what a position is about; its rows are found once they are read."""
        for name in ("set_name", "split", "arm", "by", "group", "against", "viewed"):
            setattr(self, name, getattr(position, name))
        self.arm_order, self.group_order = position.arm_order, position.group_order
        self.question_order, self.sought = position.question_order, position

    def clear(self) -> None:
        """Nothing is read: another database is opened."""
        fresh = BenchState()
        for one in fields(self):
            setattr(self, one.name, getattr(fresh, one.name))
