"""Prompt templates, one file each, and their loader."""

from prompts.template import Message, Prompt, load

__all__ = ["Message", "Prompt", "load"]
