"""One word or mark of the glossary."""

from dataclasses import dataclass

EVERYWHERE = "everywhere"
"""Stands among the screens of what every screen shows."""

SHORT_CELLS = 72
"""Cells that the sentence of an entry may take."""


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """A term as it stands on screens, with what it means.

    `name` is the term in full; `short` says it in one line of at most `SHORT_CELLS` cells, `long`
    in sentences. `screens` names the tabs that show it, separated by blanks. `also` are the other
    ways in which it is written, `mark` is the name of its glyph, `see` are other terms. `brief`
    and `word` stand for the name where a table or a legend has less room.
    """

    term: str
    name: str
    short: str
    long: str
    screens: str
    also: tuple[str, ...] = ()
    mark: str = ""
    see: tuple[str, ...] = ()
    brief: str = ""
    word: str = ""

    @property
    def brief_name(self) -> str:
        """The name as tables and figures have it."""
        return self.brief or self.name

    @property
    def is_general(self) -> bool:
        """Whether every screen shows it."""
        return self.screens == EVERYWHERE

    @property
    def written(self) -> tuple[str, ...]:
        """All ways in which it is written, the term first."""
        return tuple(dict.fromkeys((self.term, self.name, *self.other_names)))

    @property
    def other_names(self) -> tuple[str, ...]:
        """All ways in which it is written but the term and the name."""
        return (*filter(None, (self.brief, self.word)), *self.also)

    def is_on(self, tab: str) -> bool:
        """Whether the screen of a tab shows it."""
        return self.is_general or tab in self.screens.split()
