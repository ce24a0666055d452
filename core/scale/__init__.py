"""Work beyond one machine and one file: lakes of Parquet, counted folder by folder."""
