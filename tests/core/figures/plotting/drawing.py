"""Small figures of every kind, made by hand."""

import re
from collections.abc import Sequence
from dataclasses import replace
from xml.etree import ElementTree

from core.figures.figure import Figure, FigureRow, Panel, PanelKind, Point, Series

PROFILES = tuple(
    Series(code, words, f"fill-{code.lower()}", code)
    for code, words in (
        ("DR", "direct recall"),
        ("RT", "with thinking"),
        ("IE", "no encoding"),
        ("RF", "recall failure"),
        ("EF", "encoding failure"),
    )
)
PAIR = (Series("low", "bottom 20%", "series-2", "o"), Series("high", "top 20%", "series-1", "●"))
ONE = (Series("share", "share", "series-1", "●"),)
LABELS = tuple(Series(name, name, "", name[0]) for name in ("right", "wrong"))

SHARES = (0.704, 0.154, 0.006, 0.119, 0.017)


def panel(kind: PanelKind, names: Sequence[str] = ("model-a", "model-b")) -> Panel:
    """A panel of a kind with a row a name."""
    match kind:
        case PanelKind.STACK:
            points = [Point(share, n=2122) for share in SHARES]
            return Panel("profiles", kind, PROFILES, [FigureRow(name, points) for name in names])
        case PanelKind.DUMBBELL:
            both = [Point(0.43, 0.4, 0.5, 120), Point(0.61, n=119)]
            return Panel("stored", kind, PAIR, [FigureRow(name, both) for name in names], gap="gap")
        case PanelKind.DOTS:
            return Panel("dots", kind, ONE, [FigureRow(name, [Point(0.25, n=8)]) for name in names])
        case PanelKind.LINES:
            line = [Point(0.1), Point(None), Point(0.375, 0.3, 0.4), Point(0.5)]
            steps = ("k 1", "k 2", "k 3", "k 4")
            return Panel("lines", kind, ONE, [FigureRow(name, line) for name in names], steps)
        case PanelKind.MATRIX:
            rows = [
                FigureRow("right", [Point(0.75, n=1234), Point(0.0, n=0)]),
                FigureRow("wrong", [Point(0.05, n=5), Point(0.2, n=20)]),
            ]
            return Panel("A down", kind, LABELS, rows)


def figure(*panels: Panel, **changes: object) -> Figure:
    """A figure with a caption."""
    made = Figure(
        "5",
        "popularity",
        "Rare against popular",
        panels,
        caption=("threshold 0.5, strategy pair; graders lexical", "2,150 facts", "2026-11-20"),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def texts(svg: bytes) -> list[str]:
    """What is written in an SVG, text by text."""
    root = ElementTree.fromstring(svg)
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]


def heights(svg: bytes) -> list[tuple[str, float]]:
    """What is written in an SVG, each text with its place from the upper edge."""
    root = ElementTree.fromstring(svg)
    nodes = [node for node in root.iter() if node.tag.endswith("}text")]
    return [("".join(node.itertext()), float(node.attrib["y"])) for node in nodes]


def size(svg: bytes) -> tuple[float, float]:
    """Width and height of an SVG in points."""
    box = ElementTree.fromstring(svg).attrib["viewBox"].split()
    return float(box[2]), float(box[3])


def tags(svg: bytes) -> set[str]:
    """Names of the elements of an SVG."""
    return {re.sub(r"{.*}", "", node.tag) for node in ElementTree.fromstring(svg).iter()}
