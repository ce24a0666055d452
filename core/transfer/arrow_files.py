"""Parquet as rows."""

from collections.abc import Iterator, Sequence

from core.errors import LostkeysError
from core.settings.extras import check_extra
from core.transfer.readers import ROWS_AT_ONCE, Row, RowSource


class ParquetFile(RowSource):
    """A Parquet file, read a few thousand rows at a time."""

    unit = "row"
    tabular = True
    cells = True

    def keys(self) -> Sequence[str]:
        """The columns."""
        check_extra("arrow")
        import pyarrow as pa
        from pyarrow import parquet

        try:
            with parquet.ParquetFile(self.path) as file:
                names: list[str] = file.schema_arrow.names
        except pa.ArrowException as error:
            raise _unsound(self, error, "") from None
        if len(set(names)) < len(names):
            raise self.broken("", "two columns have one name", "rename one")
        return names

    def _read(self) -> Iterator[tuple[int, Row]]:
        import pyarrow as pa
        from pyarrow import parquet

        self.keys()
        number = 0
        try:
            with parquet.ParquetFile(self.path) as file:
                for batch in file.iter_batches(ROWS_AT_ONCE):
                    for number, row in enumerate(batch.to_pylist(), number + 1):  # noqa: B020
                        yield number, row
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise _unsound(self, error, f"after row {number}") from None


def _unsound(source: RowSource, error: Exception, where: str) -> LostkeysError:
    why = str(error).partition("\n")[0]
    return source.broken(where, f"not a sound Parquet file ({why})")
