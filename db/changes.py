"""Whether anything was written to a database since it was last looked at."""

import sqlite3


def version(connection: sqlite3.Connection) -> int:
    """A number that is another one as soon as any other connection has committed anything.

    It says nothing of what the connection itself writes.
    """
    number: int = connection.execute("PRAGMA data_version").fetchone()[0]
    return number
