"""Link and block islands against every subset of the slots, judged by networkx."""

from __future__ import annotations

from itertools import combinations
from random import Random

import networkx as nx
import pytest
from oracle.draw_cluster import draw_machines

from topreempt.models import Instance, catalogue
from topreempt.models.errors import ConfigError
from topreempt.models.request import ScopeAffinity
from topreempt.models.shape import Shape
from topreempt.solver.exact import patterns
from topreempt.solver.exact.patterns import Patterns, patterns_of

KINDS = ("link-clique", "link-connected", "block")


def shape_of(machine: dict) -> Shape:
    node = {"name": "n", "machine": "m"}
    cluster = {"levels": ["node", "numa", "socket"], "machines": {"m": machine}, "nodes": [node]}
    request = {"name": "r", "priority": 1, "gpus": 1}
    return Instance.parse({"format": "topreempt/v1", "cluster": cluster, "request": request}).shape("n")


def expected(machine: dict, kind: str, affinity: ScopeAffinity, size: int) -> set[frozenset[int]]:
    """Judged from the machine's fields alone."""
    gpus = machine["gpus"]
    graph = nx.complete_graph(gpus) if machine.get("fully_linked") else nx.empty_graph(gpus)
    counts: dict[frozenset[int], int] = {}
    for link in machine.get("links", []):
        if affinity.link_kind in (None, link["kind"]):
            pair = frozenset(link["gpus"])
            counts[pair] = counts.get(pair, 0) + link.get("count", 1)
    graph.add_edges_from(tuple(pair) for pair, count in counts.items() if count >= affinity.min_links)
    blocks = {frozenset(block) for block in machine.get("blocks", [])}

    def is_island(slots: tuple[int, ...]) -> bool:
        if kind == "block":
            return frozenset(slots) in blocks
        part = graph.subgraph(slots)
        return nx.is_connected(part) if kind == "link-connected" else nx.density(part) == 1.0 or size == 1

    return {frozenset(slots) for slots in combinations(range(gpus), size) if is_island(slots)}


def found(islands: Patterns, size: int) -> set[frozenset[int]]:
    if islands.groups is None:
        assert len({frozenset(island) for island in islands.sets}) == len(islands.sets)
        assert all(list(island) == sorted(island) for island in islands.sets)
        return {frozenset(island) for island in islands.sets}
    assert not islands.sets
    assert len({slot for group in islands.groups for slot in group}) == sum(map(len, islands.groups))
    return {frozenset(slots) for group in islands.groups for slots in combinations(group, size)}


def check(machine: dict, kind: str, size: int, **fields: object) -> Patterns:
    affinity = ScopeAffinity(island=kind, **fields)
    islands = patterns_of(shape_of(machine), kind, affinity, size)
    assert found(islands, size) == expected(machine, kind, affinity, size)
    return islands


@pytest.mark.parametrize("kind", KINDS)
def test_random_machines(kind: str) -> None:
    irregular = 0
    for seed in range(400):
        rng = Random(seed)
        for machine in draw_machines(rng, frozenset({"links", "blocks"}), ["node"]).values():
            for size in range(1, machine["gpus"] + 1):
                fields = {"link_kind": rng.choice([None, "nvlink", "pix"]), "min_links": rng.choice([1, 1, 2, 3])}
                irregular += bool(check(machine, kind, size, **fields).sets)
    assert irregular >= 100


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("density", [0.15, 0.3, 0.5, 0.8])
def test_wide_random_graphs(kind: str, density: float) -> None:
    for seed in range(12):
        graph = nx.gnp_random_graph(9, density, seed=seed)
        links = [{"gpus": list(pair), "kind": "nvlink"} for pair in graph.edges]
        for size in range(1, 10):
            check({"gpus": 9, "links": links}, kind, size)


@pytest.mark.parametrize("name", sorted(catalogue.presets()))
def test_machines_of_the_catalogue(name: str) -> None:
    fields = catalogue.preset(name)
    machine = {
        "gpus": fields.gpus,
        "fully_linked": fields.fully_linked,
        "blocks": [list(block) for block in fields.blocks],
        "links": [{"gpus": list(link.gpus), "kind": link.kind, "count": link.count} for link in fields.links],
    }
    for kind in KINDS:
        for size in range(1, fields.gpus + 1 if fields.gpus <= 8 else 4):
            for least in {1, *(link.count for link in fields.links)}:
                check(machine, kind, size, min_links=least)


def test_a_bridge_that_crosses_sockets_makes_groups_of_two() -> None:
    machine = {"gpus": 4, "links": [{"gpus": [0, 3], "kind": "nvlink"}, {"gpus": [1, 2], "kind": "nvlink"}]}
    assert check(machine, "link-clique", 2).groups == ((0, 3), (1, 2))


def test_a_chain_of_three_is_connected_but_no_clique() -> None:
    machine = {"gpus": 3, "links": [{"gpus": [0, 1], "kind": "x"}, {"gpus": [1, 2], "kind": "x"}]}
    assert check(machine, "link-connected", 3).sets == ((0, 1, 2),)
    assert check(machine, "link-clique", 3).sets == ()


def test_too_many_islands_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 5)
    links = [{"gpus": [slot, slot + 1], "kind": "nvlink"} for slot in range(7)]
    check({"gpus": 8, "links": links}, "link-connected", 4)
    with pytest.raises(ConfigError, match="more than 5 link-connected islands of 2 slots"):
        check({"gpus": 8, "links": links}, "link-connected", 2)
