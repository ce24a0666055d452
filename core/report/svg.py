"""A drawn SVG made part of a page: no prolog, no style of its own, ids that are its alone."""

import re
from xml.etree import ElementTree

from core.report.html_elements import Markup

SVG = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"

_DROPPED = {f"{{{SVG}}}metadata", f"{{{SVG}}}style"}
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline(content: bytes, prefix: str, label: str) -> Markup:
    """The drawing as an `svg` element; `prefix` makes its ids its own, `label` says what it is.

    The content has to be our own drawing: it is taken for well-formed.
    """
    root = ElementTree.fromstring(content)  # noqa: S314 (drawn here, not read from anywhere)
    _drop(root)
    used = set(_find_used(root))
    for node in root.iter():
        _rename(node, used, prefix)
    for name in ("width", "height"):
        root.attrib.pop(name, None)
    root.set("role", "img")
    root.set("aria-label", label)
    ElementTree.register_namespace("", SVG)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _drop(node: ElementTree.Element) -> None:
    for child in list(node):
        if child.tag in _DROPPED:
            node.remove(child)
        else:
            _drop(child)


def _find_used(root: ElementTree.Element) -> list[str]:
    """The ids that something in the drawing refers to."""
    found = []
    for node in root.iter():
        for name, value in node.attrib.items():
            if name == LINK:
                found.append(value.removeprefix("#"))
            found += _REFERENCE.findall(value)
    return found


def _rename(node: ElementTree.Element, used: set[str], prefix: str) -> None:
    for name, value in list(node.attrib.items()):
        if name == "id":
            del node.attrib["id"]
            if value in used:
                node.set("id", f"{prefix}{value}")
        elif name == LINK:
            del node.attrib[LINK]
            node.set("href", f"#{prefix}{value.removeprefix('#')}")
        elif "url(#" in value:
            node.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))
