"""Rule: the gang is placed in whole, at least its minimum, and in whole slices."""

from __future__ import annotations

from .variables import Variables


def add(v: Variables) -> None:
    """Post ``min_pods <= placed <= pods`` and ``pods in a slice domain = m * slices``.

    The gang's own island needs no row: the region is one domain of it.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    v.model.add(v.placed >= v.decision.pods_least)
    v.model.add(v.placed <= v.decision.pods_most)
    size = v.decision.request.slice_size
    cells: dict[tuple[int, int], list[int]] = {}
    for number, cell in enumerate(v.region.cells):
        cells.setdefault((cell.slice_rung, cell.slice_domain), []).append(number)
    for key, numbers in cells.items():
        if size > 1:
            slices = v.model.new_int_var(0, v.decision.pods_most // size, f"slices{key}")
            v.model.add(sum(v.count[number] for number in numbers) == size * slices)
            v.slices[key] = slices
    for node in v.region.nodes:
        if sum(v.cell(number).most for number in v.cells_of_node[node]) > v.most_on(node):
            v.model.add(v.placed_on(node) <= v.most_on(node))
