"""Everything a person meets in a terminal: the screens and, in `tui.cli`, the commands."""
