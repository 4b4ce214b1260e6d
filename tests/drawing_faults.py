"""Faults of a drawing, found by arithmetic: what sticks out of its box, and what lies on something else."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from topreempt.cli.picture.shapes import Box, Label

ASCENT, DESCENT = 0.82, 0.25
SLACK = 0.01


@dataclass(frozen=True)
class Area:
    left: float
    top: float
    right: float
    bottom: float
    what: str

    def holds(self, other: "Area") -> bool:
        return (
            other.left >= self.left - SLACK
            and other.right <= self.right + SLACK
            and other.top >= self.top - SLACK
            and other.bottom <= self.bottom + SLACK
        )

    def meets(self, other: "Area") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > SLACK and down > SLACK


def area_of(item: Box | Label) -> Area:
    if isinstance(item, Box):
        return Area(item.x, item.y, item.x + item.width, item.y + item.height, f"box {item.style} {item.hover}")
    top, bottom = item.y - ASCENT * item.size, item.y + DESCENT * item.size
    return Area(item.x, top, item.x + item.width, bottom, f"text {item.text!r}")


def faults(box: Box) -> Iterator[str]:
    outer = area_of(box)
    inner = [area_of(item) for item in (*box.labels, *box.boxes)]
    yield from (f"{area.what} sticks out of {outer.what}" for area in inner if not outer.holds(area))
    yield from (f"{one.what} lies on {other.what}" for one, other in combinations(inner, 2) if one.meets(other))
    for arrow in box.arrows:
        area = Area(arrow.x, arrow.y - 3, arrow.x + arrow.width, arrow.y + 3, "an arrow")
        if not outer.holds(area):
            yield f"an arrow sticks out of {outer.what}"
        yield from (f"an arrow lies on {other.what}" for other in inner if other.meets(area))
    for curve in box.curves:
        if curve.x - curve.bulge < box.x or curve.top < box.y or curve.bottom > box.y + box.height:
            yield f"the link {curve.hover} sticks out of {outer.what}"
    for nested in box.boxes:
        yield from faults(nested)
