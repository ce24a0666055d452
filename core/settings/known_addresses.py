"""Addresses of servers that the person has let questions go to, in one small file of theirs.

A database from elsewhere may name any address as that of its models: what it names is asked about
before anything is sent there, but not where the person has sent questions before.
"""

from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

import orjson

from core.settings.file_writer import replace
from core.settings.paths import state_folder

FILE = "addresses.json"
MOST = 200
"""Addresses that are kept, newest first."""


def known_addresses() -> tuple[str, ...]:
    """Those that are kept, newest first. A file that cannot be read counts as empty."""
    try:
        found = orjson.loads((state_folder() / FILE).read_bytes())
    except (OSError, ValueError):
        return ()
    return tuple(one for one in found if isinstance(one, str)) if isinstance(found, list) else ()


def is_known(url: str) -> bool:
    """Whether questions have been sent to the server of an address (scheme, host and port)."""
    return origin(url) in known_addresses()


def remember_addresses(urls: Iterable[str]) -> None:
    """Keep the servers of these. Where that cannot be kept, it is not: it is asked about again."""
    before = known_addresses()
    new = [one for one in dict.fromkeys(map(origin, urls)) if one and one not in before]
    if new:
        with suppress(OSError):
            replace(state_folder() / FILE, orjson.dumps([*new, *before][:MOST]))


def origin(url: str) -> str:
    """Scheme, host and port of an address, without what may be secret; empty for none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{host.lower()}:{port or usual}" if host and usual else ""
