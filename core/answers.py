"""What of a response is its answer.

Step by step responses end with `Answer: ...`; everything else is the answer as it stands
(semantics section 2).
"""

import re

_MARKER = re.compile(r"answer[\s*_`]*:", re.IGNORECASE)
_SPACES = "".join(filter(str.isspace, map(chr, range(0x3001))))
_WRAPPING = '*_`#>[](){}"“”$' + _SPACES
_OPENED_BY = {")": "(", "]": "[", "}": "{"}


def has_marker(text: str) -> bool:
    """Whether the text says `answer:` anywhere, in any case."""
    return _MARKER.search(text) is not None


def answer_of(text: str, step_by_step: bool, cut_off: bool = False) -> str:
    """The answer in a response; empty where reasoning was cut off before it came to one.

    Step by step: the first non-empty line after the last `answer:`, without markdown and
    brackets around it; without that mark the last non-empty line of a finished text.
    """
    if not step_by_step:
        return text
    marks = list(_MARKER.finditer(text))
    found = marks[-1] if marks else None
    if found is None and cut_off:
        return ""
    lines = [line for line in text[found.end() if found else 0 :].splitlines() if _bare(line)]
    if not lines:
        return ""
    return _bare(lines[0] if found else lines[-1])


def _bare(line: str) -> str:
    """The line without what wraps it; `Tartu (Estonia)` keeps the bracket that it opened."""
    bare = line.strip(_WRAPPING)
    for sign in line[len(line.rstrip(_WRAPPING)) :]:
        if bare.count(_OPENED_BY.get(sign, sign)) <= bare.count(sign):
            break
        bare += sign
    return bare
