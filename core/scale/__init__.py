"""Work beyond one machine and one file: requests as files, lakes of Parquet."""
