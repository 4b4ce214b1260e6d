"""The few shapes that a drawing is made of, in absolute coordinates of one SVG unit a CSS pixel."""

from __future__ import annotations

from dataclasses import dataclass

CELL = 0.6
"""Width of a cell of a fixed-width font in parts of its size."""


@dataclass(frozen=True)
class Label:
    """One line of text.

    Attributes
    ----------
    x, y : float
        Left end and baseline.
    text : str
        What is written.
    size : float
        Of the font.
    width : float
        Room that it takes; the drawing is made to keep it, whatever the font.
    style : str
        Classes of the style sheet.
    struck : bool
        A line goes through it.
    """

    x: float
    y: float
    text: str
    size: float
    width: float
    style: str = ""
    struck: bool = False


@dataclass(frozen=True)
class Curve:
    """A line between two slots, bulging to the left.

    Attributes
    ----------
    x : float
        Where it starts and ends.
    top, bottom : float
        Heights of its ends.
    bulge : float
        How far it reaches to the left.
    style : str
        Classes of the style sheet.
    hover : str
        What it says on hovering.
    """

    x: float
    top: float
    bottom: float
    bulge: float
    style: str
    hover: str


@dataclass(frozen=True)
class Arrow:
    """A small arrow to the right.

    Attributes
    ----------
    x, y : float
        Its left end.
    width : float
        Its length.
    """

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Box:
    """A rectangle with what lies in it.

    Attributes
    ----------
    x, y, width, height : float
        Where.
    style : str
        Classes of the style sheet.
    hover : str
        What it says on hovering.
    pattern : str
        Name of a pattern laid over it; empty for none.
    labels : tuple of Label
        Its own text.
    boxes : tuple of Box
        Boxes inside; they do not overlap.
    arrows : tuple of Arrow
        Between the boxes.
    curves : tuple of Curve
        Beside the boxes.
    """

    x: float
    y: float
    width: float
    height: float
    style: str
    hover: str = ""
    pattern: str = ""
    labels: tuple[Label, ...] = ()
    boxes: tuple[Box, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    curves: tuple[Curve, ...] = ()
