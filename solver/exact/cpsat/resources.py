"""Rule: CPU, memory, pod count and every other counted resource suffice on each node that the request uses."""

from __future__ import annotations

from collections.abc import Sequence

from ortools.sat.python import cp_model

from .variables import Linear, Variables


def add(v: Variables) -> None:
    """Post ``amount * pods(n) <= free(n) + what the evicted give back`` for every asked resource and node.

    Parameters
    ----------
    v : Variables
        The region's variables.
    """
    snapshot = v.decision.snapshot
    for asked in v.decision.asked:
        for node in v.region.nodes:
            if not asked.bounds[node]:
                continue
            back = [(pod, int(asked.held[pod])) for pod in snapshot.pods_on(node) if asked.held[pod]]
            post_room(v, asked.amount, [node], int(asked.free[node]), back, v.placed_on(node), v.most_on(node))


def post_room(
    v: Variables,
    amount: int,
    nodes: Sequence[int],
    free: int,
    held: Sequence[tuple[int, int]],
    pods: Linear,
    most: int,
) -> None:
    """Post that some room suffices for the pods of the request that use it.

    Parameters
    ----------
    v : Variables
        The region's variables.
    amount : int
        What each pod takes.
    nodes : sequence of int
        The nodes, for the variable's name.
    free : int
        What is free now; below 0 if more is held than there is. An unused room may stay so.
    held : sequence of (int, int)
        Running pods and what they would give back.
    pods : linear expression
        Pods of the request that use the room.
    most : int
        At most so many.
    """
    if free >= amount * most:
        return
    back = sum(given * v.pod_evicted(pod) for pod, given in held)
    if free < 0:
        used: cp_model.IntVar = v.model.new_bool_var(f"room{nodes}")
        v.model.add(pods <= most * used)
        v.model.add(amount * pods <= free + back - free * (1 - used))
    else:
        v.model.add(amount * pods <= free + back)
