"""The cluster and what a plan changes in it, as a picture that a terminal and a page can draw."""

from .build import level_shown, picture_of
from .choice import Choice, choose, nodes_asked
from .groups import Tally, rows_of_groups, tally
from .model import Card, Picture

__all__ = [
    "Card",
    "Choice",
    "Picture",
    "Tally",
    "choose",
    "level_shown",
    "nodes_asked",
    "picture_of",
    "rows_of_groups",
    "tally",
]
