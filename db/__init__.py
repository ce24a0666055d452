"""The SQLite file: connections, schema, migrations and every query."""
