"""Everything a person meets in a terminal: the screens, and in `tui.cli` the commands.

Textual reads its own settings from the environment when it is imported, so they are made here,
before anything of it can be; what a person has set stays.
"""

import os

TEXTUAL = {
    "TEXTUAL_FPS": "240",  # the longest wait between a change and its output, not a frame rate
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "ESCDELAY": "30",  # milliseconds after which a lone escape counts as the key
}

for _name, _value in TEXTUAL.items():
    os.environ.setdefault(_name, _value)
