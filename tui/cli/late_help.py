"""Help that names what a table of `core` has, read only where the help is asked for."""

from collections.abc import Callable, Mapping
from copy import copy
from inspect import cleandoc
from typing import Any

import click


class LateHelpCommand(click.Command):
    """A command with words in its help that are made when the help is shown.

    `late` has what makes them, by what stands for them in the text of the command and its options.
    """

    def __init__(self, *args: Any, late: Mapping[str, Callable[[], str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._late = late

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help with these words in their places."""
        shown = copy(self)
        shown.help, shown.params = cleandoc(self.help or ""), [copy(one) for one in self.params]
        for place, make in self._late.items():
            text = make()
            shown.help = shown.help.replace(place, text)
            for one in shown.params:
                if isinstance(one, click.Option) and one.help:
                    one.help = one.help.replace(place, text)
        click.Command.format_help(shown, ctx, formatter)
