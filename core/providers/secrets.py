"""Keeping a key out of what is stored, even where a server repeats it."""

import json

MARK = b"***"

SECRET_LENGTH = 16
"""From this length on a text is a secret by itself: no answer holds it by chance, as it may hold
the `none` or `EMPTY` that local servers are given for a key."""


def without(body: bytes, key: str | None) -> bytes:
    """What went over the wire, without the key however it is written in JSON."""
    if not key:
        return body
    written = json.dumps(key)[1:-1]
    for form in {key, written, written.replace("/", "\\/")}:
        body = body.replace(form.encode(), MARK)
    return body


def censored(body: bytes, key: str | None) -> bytes:
    """A body that answers are read from: without a key that is a secret, else to the letter."""
    return without(body, key) if key and len(key) >= SECRET_LENGTH else body
