"""A file that is removed or replaced under an open connection is noticed."""

from contextlib import closing
from pathlib import Path

import pytest

from db.connection import Presence, connect
from db.sqlite_errors import DatabaseError
from tests.db.making import put_empty


def test_a_file_that_stays_is_well(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(connect(path, "create")) as connection:
        presence = Presence(connection)
        connection.execute("PRAGMA user_version")
        presence.check()
        put_empty(tmp_path / "b.db")
        (tmp_path / "b.db").replace(path)
        with pytest.raises(DatabaseError, match=r"a\.db was removed or replaced"):
            presence.check()


def test_a_file_that_is_gone_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(connect(path, "create")) as connection:
        presence = Presence(connection)
        path.unlink()
        with pytest.raises(DatabaseError, match="put the file back"):
            presence.check()
