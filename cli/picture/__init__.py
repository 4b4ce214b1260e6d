"""The cluster and what a plan changes in it, as a picture that a terminal and a page can draw."""

from .views import Holder, IslandView, NodeView, SlotView, counts, level_shown, plain, views

__all__ = ["Holder", "IslandView", "NodeView", "SlotView", "counts", "level_shown", "plain", "views"]
