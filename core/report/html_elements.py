"""HTML put together from elements: text is escaped where it goes in, and nowhere else."""

from html import escape

from core.settings.escapes import make_visible

LONGEST = 2_000
"""Characters of any one text that a page shows."""

VOID = frozenset(("meta", "br", "hr"))


class Markup(str):
    """HTML that has been escaped already."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: str | None) -> Markup:
    """An element; children that are no `Markup` are text.

    Attributes are written as keywords: `class_`, `http_equiv`; None leaves one out.
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(make_visible(value, LONGEST))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if tag in VOID:
        return Markup(f"<{tag}{said}>")
    return Markup(f"<{tag}{said}>{join_elements(*children)}</{tag}>")


def join_elements(*children: str) -> Markup:
    """Elements and texts, one after the other."""
    return Markup("".join(one if isinstance(one, Markup) else text(one) for one in children))


def text(content: str) -> Markup:
    """A text, made visible, on one line, escaped."""
    return Markup(escape(make_visible(content, LONGEST)))
