"""Everything a person meets in a terminal: the screens, and in `tui.cli` the commands.

Textual and NumPy read settings of their own from the environment when they are imported, so they
are made here, before anything of them can be; what a person has set stays.
"""

import os

LIBRARIES = {
    "TEXTUAL_FPS": "1000",  # the longest wait between a change and its output, not a frame rate
    "TEXTUAL_ANIMATIONS": "none",
    "TEXTUAL_SMOOTH_SCROLL": "0",
    "ESCDELAY": "30",  # milliseconds after which a lone escape counts as the key
    "OPENBLAS_THREAD_TIMEOUT": "4",  # idle threads sleep: else they take a processor for 25 ms
}

for _name, _value in LIBRARIES.items():
    os.environ.setdefault(_name, _value)
