"""A drawing as SVG text; the library that writes it escapes every name."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from .shapes import Arrow, Box, Curve, Label


def svg_of(drawing: Box, *, title: str) -> Element:
    """Return a drawing as an SVG element.

    Parameters
    ----------
    drawing : Box
        At the origin.
    title : str
        What it shows, for those who do not see it.

    Returns
    -------
    Element
        Without name space, styles and patterns: the page holds them.
    """
    root = Element(
        "svg",
        {
            "viewBox": f"0 0 {_n(drawing.width)} {_n(drawing.height)}",
            "width": _n(drawing.width),
            "height": _n(drawing.height),
            "role": "img",
            "aria-label": title,
        },
    )
    draw(root, drawing)
    return root


def text_of(element: Element) -> str:
    """Return an element as text.

    Parameters
    ----------
    element : Element
        As `svg_of` gives it.

    Returns
    -------
    str
        Markup.
    """
    return ElementTree.tostring(element, encoding="unicode")


def draw(parent: Element, box: Box) -> None:
    """Add a box and all that lies in it to an element.

    Parameters
    ----------
    parent : Element
        Where it goes.
    box : Box
        What to draw.
    """
    group = SubElement(parent, "g")
    if box.hover:
        SubElement(group, "title").text = box.hover
    # The outline stays inside its box.
    place = {"x": _n(box.x + 0.5), "y": _n(box.y + 0.5), "width": _n(box.width - 1), "height": _n(box.height - 1)}
    SubElement(group, "rect", {"class": box.style, "rx": "3", **place})
    if box.pattern:
        SubElement(group, "rect", {"class": f"over {box.pattern}", "rx": "3", **place})
    for line in box.labels:
        _label(group, line)
    for inner in box.boxes:
        draw(group, inner)
    for arrow in box.arrows:
        _arrow(group, arrow)
    for curve in box.curves:
        _curve(group, curve)


def _label(parent: Element, line: Label) -> None:
    fields = {
        "x": _n(line.x),
        "y": _n(line.y),
        "font-size": _n(line.size),
        "textLength": _n(line.width),
        "lengthAdjust": "spacingAndGlyphs",
    }
    if line.style:
        fields["class"] = line.style
    SubElement(parent, "text", fields).text = line.text
    if line.struck:
        # The browser's own line would have the colour of the letters and hide them.
        path = f"M{_n(line.x)} {_n(line.y - 0.3 * line.size)}h{_n(line.width)}"
        SubElement(parent, "path", {"class": f"strike {line.style}".strip(), "d": path})


def _arrow(parent: Element, arrow: Arrow) -> None:
    tip = arrow.x + arrow.width
    path = (
        f"M{_n(arrow.x)} {_n(arrow.y)}H{_n(tip)}M{_n(tip - 4)} {_n(arrow.y - 3)}L{_n(tip)} {_n(arrow.y)}"
        f"L{_n(tip - 4)} {_n(arrow.y + 3)}"
    )
    SubElement(parent, "path", {"class": "arrow", "d": path})


def _curve(parent: Element, curve: Curve) -> None:
    group = SubElement(parent, "g", {"class": curve.style})
    SubElement(group, "title").text = curve.hover
    # A cubic curve reaches three quarters of the way to its control points.
    x, control, top, bottom = (_n(value) for value in (curve.x, curve.x - curve.bulge / 0.75, curve.top, curve.bottom))
    path = f"M{x} {top}C{control} {top} {control} {bottom} {x} {bottom}"
    SubElement(group, "path", {"d": path})
    for y in (curve.top, curve.bottom):
        SubElement(group, "circle", {"cx": _n(curve.x), "cy": _n(y), "r": "2"})


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
