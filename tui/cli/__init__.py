"""The command line: thin commands over `core`. Imports no Textual."""
