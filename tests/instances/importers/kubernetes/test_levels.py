import pytest
from kubectl import imported, node, pod, said, thing

from topreempt.instances.importers.kubernetes import Settings
from topreempt.models import ConfigError, InstanceError

ZONE, RACK = "topology.kubernetes.io/zone", "topology.kubernetes.io/rack"


def settings(**levels: object) -> Settings:
    return Settings().with_options(levels=levels)


def test_known_labels_are_found_broadest_first() -> None:
    result = imported(node("a", labels={RACK: "r1", ZONE: "z1"}), node("b", labels={RACK: "r2", ZONE: "z1"}), node("c"))
    cluster = result.instance.cluster
    assert cluster.levels == ("zone", "rack", "node")
    assert [dict(found.within) for found in cluster.nodes] == [
        {"zone": "z1", "rack": "r1"},
        {"zone": "z1", "rack": "r2"},
        {},
    ]
    assert said(result, "Levels above node, found in the data, broadest first: zone (label")
    assert said(result, "Nodes that name no rack: each stands alone in one of its own. (1: c)")


def test_given_levels_replace_the_known_ones() -> None:
    site = settings(levels={"hall": "site/hall", "row": "site/row"})
    nodes = (node("a", labels={"site/row": "1", ZONE: "z"}), node("b", labels={"site/hall": "", "site/row": "1"}))
    cluster = imported(*nodes, settings=site).instance.cluster
    assert cluster.levels == ("hall", "row", "node")
    assert [dict(found.within) for found in cluster.nodes] == [{"row": "1"}, {"row": "1"}]


def test_a_level_that_the_data_shows_to_be_broader_comes_first() -> None:
    # The clique (one NVLink domain) spans both racks, so rack must not split it.
    labels = [{RACK: f"r{n % 2}", "nvidia.com/gpu.clique": "c1"} for n in range(4)]
    result = imported(*(node(f"n{index}", labels=some) for index, some in enumerate(labels)))
    assert result.instance.cluster.levels == ("nvlink-domain", "rack", "node")


def test_names_that_are_used_again_keep_the_usual_order() -> None:
    labels = [{ZONE: f"z{n // 4}", RACK: f"r{n % 2}"} for n in range(8)]
    result = imported(*(node(f"n{index}", labels=some) for index, some in enumerate(labels)))
    assert result.instance.cluster.levels == ("zone", "rack", "node")
    assert said(result, "Some rack names stand in several zone domains")


def test_a_topology_object_names_the_levels() -> None:
    levels = [
        {"nodeLabel": ZONE},
        {"nodeLabel": "site/topology-row", "alias": ""},
        {"nodeLabel": "kubernetes.io/hostname"},
    ]
    topology = thing("Topology", "kueue.x-k8s.io/v1beta2", "default", spec={"levels": levels})
    cluster = imported(topology, node("a", labels={ZONE: "z", "site/topology-row": "7"})).instance.cluster
    assert cluster.levels == ("zone", "row", "node")
    assert dict(cluster.nodes[0].within) == {"zone": "z", "row": "7"}


def test_one_of_several_topology_objects_is_chosen() -> None:
    one = thing("Topology", "kueue.x-k8s.io/v1beta2", "one", spec={"levels": [{"nodeLabel": "l1"}]})
    two = thing("Topology", "kai.scheduler/v1alpha1", "two", spec={"levels": [{"nodeLabel": "l2", "alias": "hall"}]})
    nodes = (node("a", labels={"l1": "x", "l2": "y"}),)
    with pytest.raises(ConfigError, match=r"several Topology objects \(one, two\)"):
        imported(one, two, *nodes)
    assert imported(one, two, *nodes, settings=settings(hierarchy="one")).instance.cluster.levels == ("l1", "node")
    wish = pod("p", gpus=1, annotations={"kai.scheduler/topology": "two"})
    assert imported(one, two, *nodes, wish).instance.cluster.levels == ("hall", "node")
    with pytest.raises(ConfigError, match="Topology three: not in the data; there: one, two"):
        imported(one, two, *nodes, settings=settings(hierarchy="three"))


def hypernode(name: str, tier: int, *selectors: tuple[str, dict], **spec: object) -> dict:
    members = [{"type": kind, "selector": selector} for kind, selector in selectors]
    return thing("HyperNode", "topology.volcano.sh/v1alpha1", name, spec={"tier": tier, "members": members, **spec})


def exact(kind: str, name: str) -> tuple[str, dict]:
    return kind, {"exactMatch": {"name": name}}


TREE = (
    hypernode("s0", 1, ("Node", {"regexMatch": {"pattern": "^n[01]$"}})),
    hypernode("s1", 1, exact("Node", "n2"), ("Node", {"labelMatch": {"matchLabels": {"side": "right"}}})),
    hypernode("top", 2, exact("HyperNode", "s0"), exact("HyperNode", "s1"), tierName="spine"),
)


def test_hypernodes_are_tiers() -> None:
    nodes = [node(f"n{number}", labels={"side": "right"} if number == 3 else {}) for number in range(5)]
    cluster = imported(*TREE, *nodes).instance.cluster
    assert cluster.levels == ("spine", "tier-1", "node")
    assert [dict(found.within) for found in cluster.nodes] == [
        {"spine": "top", "tier-1": "s0"},
        {"spine": "top", "tier-1": "s0"},
        {"spine": "top", "tier-1": "s1"},
        {"spine": "top", "tier-1": "s1"},
        {},
    ]


def test_a_tier_can_be_given_among_other_levels() -> None:
    nodes = [node(f"n{number}", labels={ZONE: "z"}) for number in range(3)]
    site = settings(levels={"zone": ZONE, "island": "hypernode:1"})
    cluster = imported(*TREE, *nodes, settings=site).instance.cluster
    assert cluster.levels == ("zone", "island", "node")
    assert cluster.nodes[2].within["island"] == "s1"
    with pytest.raises(ConfigError, match="no HyperNode has this tier; tiers in the data: 2, 1"):
        imported(*TREE, *nodes, settings=settings(levels={"island": "hypernode:7"}))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ([hypernode("a", 1, exact("HyperNode", "a"))], "a tree: no HyperNode within itself"),
        ([hypernode("a", 1, exact("Node", "n")), hypernode("b", 1, exact("Node", "n"))], "one HyperNode a tier"),
        ([hypernode("a", 1, ("Node", {"regexMatch": {"pattern": "["}}))], "found '[', expected a regular expression"),
        ([hypernode("a", 1, ("Node", {}))], "exactly one of exactMatch, regexMatch and labelMatch"),
        ([hypernode("a", 1, exact("Switch", "n"))], "spec.members[0].type: found 'Switch', expected Node or HyperNode"),
    ],
)
def test_hypernodes_that_are_no_tree_are_refused(broken: list[dict], message: str) -> None:
    with pytest.raises(InstanceError) as refused:
        imported(*broken, node("n"))
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["node", "gpu", "cluster"])
def test_reserved_names_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"level {name} .* is taken"):
        imported(node("a"), settings=settings(levels={name: "l"}))
