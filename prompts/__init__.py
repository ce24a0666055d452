"""Prompt templates, one file each, and their loader."""

from prompts.template import Message, Prompt, RenderedText, join_texts, load

__all__ = ["Message", "Prompt", "RenderedText", "join_texts", "load"]
