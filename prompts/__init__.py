"""Prompt templates, one file each, and their loader."""

from prompts.template import (
    Message,
    Prompt,
    RenderedText,
    join_texts,
    list_names,
    load,
    read_source,
)

__all__ = [
    "Message",
    "Prompt",
    "RenderedText",
    "join_texts",
    "list_names",
    "load",
    "read_source",
]
