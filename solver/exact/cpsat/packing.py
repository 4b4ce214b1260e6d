"""Objectives joined into sums that the solver minimises at once, each objective weighing more than all later ones."""

from __future__ import annotations

from ....models.errors import InternalError
from ..decision import EXACT, LIMIT
from .objectives import Objective
from .variables import Linear


def packed(goals: list[Objective], small: bool) -> list[tuple[list[Objective], Linear, list[int]]]:
    """Join neighbouring objectives into one sum where it stays within 53 bits: each weighs more than all later ones.

    The solver compares its best solution and its bound as floating-point numbers, which are exact so far, and refuses
    sums whose terms might overflow.

    In models that are not small, broken islands stand alone, level by level: a sum of several has relaxations that
    no rounding closes. The order of names comes last and alone: it decides between plans that are equal on
    everything that counts, so it gets a fixed amount of work (deterministic time, so the same plan comes out every
    time) and no proof.

    Parameters
    ----------
    goals : list of Objective
        The first ones before the later ones.
    small : bool
        Whether the model is small.

    Returns
    -------
    list of tuple
        For each pack its objectives, their weighted sum and the weights.

    Raises
    ------
    InternalError
        An objective that no 64-bit model can add up.
    """
    packs: list[list[Objective]] = []
    size = reach = 0
    for goal in goals:
        if goal.most >= LIMIT:
            raise InternalError(f"objective {goal.name} may reach {goal.most}, more than a 64-bit model can add up")
        apart = goal.name.startswith(("broken", "names")) and not small
        joint = reach * (goal.most + 1) + goal.reach
        if packs and not apart and size * (goal.most + 1) < EXACT and joint < LIMIT:
            packs[-1].append(goal)
            size, reach = size * (goal.most + 1), joint
        else:
            packs.append([goal])
            size, reach = goal.most + 1, goal.reach
    joined = []
    for pack in packs:
        weights = [1]
        for goal in reversed(pack[1:]):
            weights.insert(0, weights[0] * (goal.most + 1))
        joined.append((pack, sum(w * goal.value for w, goal in zip(weights, pack, strict=True)), weights))
    return joined
