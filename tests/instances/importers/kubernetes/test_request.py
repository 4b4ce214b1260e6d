import json

import pytest
from kubectl import gpu, imported, node, offered, pod, said, thing

from topreempt.instances.importers.kubernetes import Imported, Settings
from topreempt.models import ConfigError, InstanceError
from topreempt.models.request import Request

ZONE, RACK = "topology.kubernetes.io/zone", "topology.kubernetes.io/rack"
LABELS = {ZONE: "z", RACK: "r"}


def request(result: Imported) -> Request:
    return result.instance.request


def gang(count: int, **more: object) -> list[dict]:
    return [
        pod(f"w{number}", None, 4, labels={"scheduling.x-k8s.io/pod-group": "g"}, **more) for number in range(count)
    ]


def group(**spec: object) -> dict:
    return thing("PodGroup", "scheduling.x-k8s.io/v1alpha1", "g", "default", spec=spec)


def test_the_only_waiting_pod_is_the_request() -> None:
    result = imported(node("a"), pod("p", None, 4, priority=100, cpu="28"))
    found = request(result)
    assert (found.name, found.priority, found.pods, found.gpus, dict(found.resources)) == (
        "default/p",
        100,
        1,
        4,
        {"cpus": 28},
    )
    assert found.may_preempt
    assert said(result, "The request is Pod default/p, the only workload that waits.")


def test_nothing_waits() -> None:
    result = imported(node("a"), pod("p", "a", 1, priority=7))
    assert (request(result).name, request(result).priority, request(result).gpus) == ("request", 8, 1)
    assert said(result, "the request is made up")


def test_one_of_several_is_named() -> None:
    items = (node("a"), pod("p", None, 1), pod("q", None, 2), pod("q", None, 3, space="ml"), pod("r", "a", 1))
    assert request(imported(*items, request="default/q")).gpus == 2
    assert request(imported(*items, request="q")).gpus == 2
    assert request(imported(*items, request="pod/ml/q")).gpus == 3
    for wanted, message in (
        (None, "several workloads wait; choose one by --request: Pod/default/p, Pod/default/q, Pod/ml/q"),
        ("default/x", "no waiting pod or group of this name; waiting: default/p, default/q, ml/q"),
        ("default/r", "it runs on a; a waiting pod or group was expected"),
        ("a/b/c/d", "NAMESPACE/NAME or KIND/NAMESPACE/NAME was expected"),
        ("/x", "NAMESPACE/NAME or KIND/NAMESPACE/NAME was expected"),
    ):
        with pytest.raises(ConfigError) as refused:
            imported(*items, request=wanted)
        assert message in str(refused.value)


def test_a_gang_is_requested_whole() -> None:
    for wanted in ("default/g", "default/w1", "podgroup/default/g", None):
        found = request(imported(node("a"), *gang(3), request=wanted))
        assert (found.name, found.pods, found.fewest_pods, found.gpus) == ("default/g", 3, 3, 4)
    assert request(imported(node("a"), *gang(3), request="pod/default/w1")).pods == 1


def test_the_minimum_of_a_gang() -> None:
    found = request(imported(node("a"), group(minMember=2), *gang(3)))
    assert (found.pods, found.fewest_pods) == (3, 2)
    # One runs already: one more is needed.
    result = imported(
        node("a"), group(minMember=2), *gang(2), pod("w9", "a", 4, labels={"scheduling.x-k8s.io/pod-group": "g"})
    )
    assert (request(result).pods, request(result).fewest_pods) == (2, 1)
    # Of the five that it needs only three are made.
    result = imported(node("a"), group(minMember=5), *gang(3))
    assert (request(result).pods, request(result).fewest_pods) == (5, 5)
    assert said(result, "has 2 pods that are not made yet")


def test_members_without_gpus_are_left_out() -> None:
    launcher = pod("launcher", None, 0, labels={"scheduling.x-k8s.io/pod-group": "g"})
    result = imported(node("a"), *gang(2), launcher)
    assert request(result).pods == 2
    assert said(result, "Members of the request without GPUs: left out. (1: default/launcher)")


def test_members_differ() -> None:
    odd = pod("odd", None, 2, labels={"scheduling.x-k8s.io/pod-group": "g"})
    with pytest.raises(InstanceError, match="found '4 GPUs', expected as many GPUs as default/odd"):
        imported(node("a"), *gang(2), odd)
    more = pod("more", None, 4, cpu="9", priority=3, labels={"scheduling.x-k8s.io/pod-group": "g"})
    result = imported(node("a"), *gang(1, cpu="8", priority=5), more)
    assert (request(result).resources, request(result).priority) == ({"cpus": 9}, 3)
    assert said(result, "ask for different resources") and said(result, "several priorities: the lowest counts")


def test_who_may_not_preempt() -> None:
    never = thing("PriorityClass", "scheduling.k8s.io/v1", "polite", value=9, preemptionPolicy="Never")
    assert not request(imported(node("a"), pod("p", None, 1, preemptionPolicy="Never"))).may_preempt
    assert not request(
        imported(node("a"), never, pod("p", None, 1, priority=None, priorityClassName="polite"))
    ).may_preempt
    explicit = pod("p", None, 1, priorityClassName="polite", preemptionPolicy="PreemptLowerPriority")
    assert request(imported(node("a"), never, explicit)).may_preempt


def test_node_selectors_are_node_labels() -> None:
    result = imported(
        node("a", labels={"pool": "x", "other": "y"}), node("b"), pod("p", None, 1, nodeSelector={"pool": "x"})
    )
    assert request(result).node_labels == {"pool": "x"}
    assert [dict(found.labels) for found in result.instance.cluster.nodes] == [{"pool": "x"}, {}]


def test_taints_and_affinity_are_one_label() -> None:
    terms = [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["x"]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    tainted = node("b", labels={"pool": "x"}, spec={"taints": [{"key": "ml", "value": "1", "effect": "NoSchedule"}]})
    result = imported(node("a", labels={"pool": "x"}), tainted, node("c"), pod("p", None, 1, affinity=affinity))
    assert request(result).node_labels == {"topreempt/fit": "yes"}
    assert [found.labels["topreempt/fit"] for found in result.instance.cluster.nodes] == [
        "yes",
        "taint ml=1:NoSchedule is not tolerated",
        "required node affinity is not met",
    ]
    assert said(result, "Nodes that do not let the request in: taint ml=1:NoSchedule is not tolerated. (1: b)")
    free = pod("p", None, 1, tolerations=[{"operator": "Exists"}])
    assert request(imported(tainted, free)).node_labels == {}


def test_cordons() -> None:
    cordon = {"unschedulable": True, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}
    sick = {"conditions": [{"type": "Ready", "status": "Unknown"}]}
    gone = node("d")
    gone["metadata"]["deletionTimestamp"] = "2026-03-01T12:00:00Z"
    items = (node("a"), node("b", spec=cordon), node("c", **sick), gone)
    result = imported(*items, pod("p", None, 1))
    assert [found.cordoned for found in result.instance.cluster.nodes] == [False, True, True, True]
    assert request(result).node_labels == {}
    daemon = pod("p", None, 1, tolerations=[{"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}])
    assert [found.cordoned for found in imported(*items, daemon).instance.cluster.nodes] == [False, False, True, True]


def test_gpus_of_another_kind_do_not_serve() -> None:
    amd = {"amd.com/gpu": "8"}
    result = imported(node("a"), node("b", 0, capacity=amd, allocatable=amd), pod("p", None, 1))
    assert [found.labels["topreempt/fit"] for found in result.instance.cluster.nodes] == [
        "yes",
        "it offers no nvidia.com/gpu",
    ]


def test_nodes_that_count_whole_gpus_and_parts_serve_both() -> None:
    both = {"nvidia.com/gpu": "2", "koordinator.sh/gpu-core": "200"}
    part = pod("p", None)
    part["spec"]["containers"][0]["resources"] = {"limits": {"koordinator.sh/gpu-core": "50"}}
    for wish, share in ((part, 0.5), (pod("p", None, 1), 1)):
        result = imported(node("a", 0, capacity=both, allocatable=both), wish)
        assert (request(result).gpus, request(result).share, request(result).node_labels) == (1, share, {})
    # A node with GPUs of two makers is a node of the first; the other's are not its slots.
    two = {"nvidia.com/gpu": "2", "amd.com/gpu": "2"}
    wish = pod("p", None)
    wish["spec"]["containers"][0]["resources"] = {"limits": {"amd.com/gpu": "1"}}
    result = imported(node("a", 0, capacity=two, allocatable=two), wish)
    assert result.instance.cluster.nodes[0].labels["topreempt/fit"] == "its GPUs are nvidia.com/gpu"


@pytest.mark.parametrize(
    ("annotations", "gang"),
    [
        ({"kueue.x-k8s.io/podset-required-topology": RACK}, ("rack", "guaranteed", None)),
        ({"kueue.x-k8s.io/podset-preferred-topology": RACK}, ("rack", "best-effort", None)),
        ({"kueue.x-k8s.io/podset-required-topology": "kubernetes.io/hostname"}, ("node", "guaranteed", None)),
        (
            {"kai.scheduler/topology-required-placement": ZONE, "kai.scheduler/topology-preferred-placement": RACK},
            ("rack", "best-effort", ("rack", "zone")),
        ),
        (
            {"kai.scheduler/topology-required-placement": RACK, "kai.scheduler/topology-preferred-placement": ZONE},
            ("rack", "guaranteed", None),
        ),
        ({"leaderworkerset.sigs.k8s.io/exclusive-topology": ZONE}, ("zone", "guaranteed", None)),
        ({"kueue.x-k8s.io/podset-unconstrained-topology": "true"}, None),
    ],
)
def test_annotations_say_what_the_gang_shares(annotations: dict, gang: tuple | None) -> None:
    found = request(imported(node("a", labels=LABELS), pod("p", None, 1, annotations=annotations))).affinity.gang
    assert (found and (found.island, found.mode, found.ladder)) == gang


def test_slices() -> None:
    annotations = {"kueue.x-k8s.io/podset-slice-required-topology": RACK, "kueue.x-k8s.io/podset-slice-size": "2"}
    found = request(imported(node("a", labels=LABELS), *gang(4, annotations=annotations))).affinity.slice
    assert found is not None
    assert (found.island, found.mode, found.size) == ("rack", "guaranteed", 2)
    with pytest.raises(InstanceError, match=r"request\.pods: found 3, expected a multiple of the slice size 2"):
        imported(node("a", labels=LABELS), *gang(3, annotations=annotations))
    with pytest.raises(InstanceError, match="found 'two', expected a number of pods"):
        imported(node("a"), pod("p", None, 1, annotations=annotations | {"kueue.x-k8s.io/podset-slice-size": "two"}))


@pytest.mark.parametrize(
    ("spec", "gang"),
    [
        (
            {"topologyConstraint": {"requiredTopologyLevel": ZONE, "preferredTopologyLevel": RACK}},
            ("rack", "best-effort"),
        ),
        ({"schedulingConstraints": {"topology": [{"key": RACK}]}}, ("rack", "guaranteed")),
    ],
)
def test_groups_say_what_the_gang_shares(spec: dict, gang: tuple[str, str]) -> None:
    found = request(imported(node("a", labels=LABELS), group(**spec), *_gang(2))).affinity.gang
    assert found is not None
    assert (found.island, found.mode) == gang


_gang = gang


@pytest.mark.parametrize(
    ("topology", "gang"),
    [
        ({"mode": "hard", "highestTierAllowed": 1}, ("tier-1", "guaranteed")),
        ({"mode": "hard", "highestTierAllowed": 9}, ("spine", "guaranteed")),
        ({"mode": "hard", "highestTierName": "spine"}, ("spine", "guaranteed")),
        ({"mode": "soft"}, ("tier-1", "best-effort")),
        ({"mode": "hard"}, None),
    ],
)
def test_tiers_of_hypernodes(topology: dict, gang: tuple[str, str] | None) -> None:
    member = {"type": "Node", "selector": {"exactMatch": {"name": "a"}}}
    version = "topology.volcano.sh/v1alpha1"
    leaf = thing("HyperNode", version, "s0", spec={"tier": 1, "members": [member]})
    top = {"type": "HyperNode", "selector": {"exactMatch": {"name": "s0"}}}
    spine = thing("HyperNode", version, "top", spec={"tier": 2, "tierName": "spine", "members": [top]})
    found = request(imported(node("a"), leaf, spine, group(networkTopology=topology), *_gang(2))).affinity.gang
    assert (found and (found.island, found.mode)) == gang


def test_labels_and_tiers_that_are_no_level_are_refused() -> None:
    site = Settings().with_options(levels={"levels": {"hall": "site/hall"}})
    wish = pod("p", None, 1, annotations={"kueue.x-k8s.io/podset-required-topology": RACK})
    with pytest.raises(InstanceError, match=f"found '{RACK}', expected a label that is a level of the cluster"):
        imported(node("a"), wish, settings=site)
    with pytest.raises(InstanceError, match="expected HyperNodes among the objects"):
        imported(node("a"), group(networkTopology={"mode": "hard", "highestTierAllowed": 1}), *gang(2))
    # Where levels are found, one that the request names is among them.
    assert imported(node("a"), wish).instance.cluster.levels == ("rack", "node")


def test_the_island_of_one_pod() -> None:
    exact = offered("a", *(gpu(n, n // 2) for n in range(4)))
    items = (node("a", 0), exact)
    found = request(imported(*items, pod("p", None, 0, annotations={"topreempt/island": "numa:best-effort"})))
    assert (found.affinity.pod.island, found.affinity.pod.mode) == ("numa", "best-effort")
    found = request(imported(*items, pod("p", None, 0, annotations={"topreempt/island": "numa"}), island="pcie"))
    assert (found.affinity.pod.island, found.affinity.pod.mode) == ("pcie", "guaranteed")
    for wrong in ("rack", "numa:maybe", ""):
        with pytest.raises(ConfigError, match="--island"):
            imported(*items, pod("p", None, 0), island=wrong)


def template(**spec: object) -> dict:
    asked = {"name": "gpus", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2}}
    body = {"devices": {"requests": [asked], **spec}}
    return thing("ResourceClaimTemplate", "resource.k8s.io/v1", "t", "default", spec={"spec": body})


CLAIMS = [{"name": "c", "resourceClaimTemplateName": "t"}]


@pytest.mark.parametrize(
    ("attribute", "island"),
    [
        ("resource.kubernetes.io/pcieRoot", "pcie"),
        ("resource.kubernetes.io/numaNode", "numa"),
        ("gpu.nvidia.com/partition2", "block"),
        ("gpu.nvidia.com/brand", "node"),
    ],
)
def test_a_claim_asks_for_gpus_that_share_an_attribute(attribute: str, island: str) -> None:
    exact = offered("a", *(gpu(n, n // 2, partition2=n // 2) for n in range(4)))
    constraints = [{"requests": ["gpus"], "matchAttribute": attribute}]
    result = imported(
        node("a", 0), node("plug"), exact, template(constraints=constraints), pod("p", None, resourceClaims=CLAIMS)
    )
    assert (request(result).gpus, request(result).affinity.pod.island) == (2, island)
    assert [found.labels["topreempt/fit"] for found in result.instance.cluster.nodes] == [
        "yes",
        "it offers no devices to claims",
    ]


def test_claims_that_a_request_cannot_say_are_refused() -> None:
    every = {"name": "gpus", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "All"}}
    with pytest.raises(InstanceError, match="claims of a number of GPUs"):
        imported(node("a"), template(requests=[every]), pod("p", None, resourceClaims=CLAIMS))
    with pytest.raises(InstanceError, match="a ResourceClaim or ResourceClaimTemplate among the objects"):
        imported(node("a"), pod("p", None, resourceClaims=CLAIMS))


def test_cores_that_the_kubelet_does_not_pin_are_not_aligned() -> None:
    zones = [
        {
            "name": f"node-{n}",
            "type": "Node",
            "resources": [
                {"name": "nvidia.com/gpu", "capacity": 4},
                {"name": "cpu", "capacity": 8},
                {"name": "rdma/hca", "capacity": 2},
            ],
        }
        for n in range(2)
    ]
    numa = thing(
        "NodeResourceTopology", "topology.node.k8s.io/v1alpha2", "a", topologyPolicies=["Restricted"], zones=zones
    )
    loose = imported(node("a"), numa, pod("p", None, 2, cpu="4"))
    assert loose.instance.shape("a").domain_resources["numa"]["n0"] == {"rdma/hca": 2_000_000}
    pinned = pod("p", None, 2)
    pinned["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "4", "memory": "1Gi", "nvidia.com/gpu": "2"}}
    assert "cpus" in imported(node("a"), numa, pinned).instance.shape("a").domain_resources["numa"]["n0"]


POD_TEMPLATE = {"spec": {"containers": [{"name": "c", "resources": {"limits": {"nvidia.com/gpu": 2}}}], "priority": 9}}


@pytest.mark.parametrize(
    ("workload", "pods", "fewest"),
    [
        (thing("Job", "batch/v1", "w", "default", spec={"parallelism": 3, "template": POD_TEMPLATE}), 3, 3),
        (
            thing(
                "JobSet",
                "jobset.x-k8s.io/v1alpha2",
                "w",
                "default",
                spec={
                    "replicatedJobs": [
                        {"name": "x", "replicas": 2, "template": {"spec": {"parallelism": 2, "template": POD_TEMPLATE}}}
                    ]
                },
            ),
            4,
            4,
        ),
        (
            thing(
                "LeaderWorkerSet",
                "leaderworkerset.x-k8s.io/v1",
                "w",
                "default",
                spec={"leaderWorkerTemplate": {"size": 3, "workerTemplate": POD_TEMPLATE}},
            ),
            3,
            3,
        ),
        (
            thing(
                "Job",
                "batch.volcano.sh/v1alpha1",
                "w",
                "default",
                spec={"minAvailable": 2, "tasks": [{"name": "t", "replicas": 4, "template": POD_TEMPLATE}]},
            ),
            4,
            2,
        ),
    ],
)
def test_workloads_that_have_made_no_pods_yet(workload: dict, pods: int, fewest: int) -> None:
    found = request(imported(node("a"), workload, request="default/w"))
    assert (found.name, found.pods, found.fewest_pods, found.gpus, found.priority) == ("default/w", pods, fewest, 2, 9)


def test_a_set_says_what_its_pods_share() -> None:
    meta = {"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": RACK}}
    spec = {"replicatedJobs": [{"name": "x", "template": {"spec": {"template": POD_TEMPLATE}}}]}
    job_set = thing("JobSet", "jobset.x-k8s.io/v1alpha2", "w", "default", meta=meta, spec=spec)
    found = request(imported(node("a", labels=LABELS), job_set)).affinity.gang
    assert found is not None
    assert (found.island, found.mode) == ("rack", "guaranteed")


def test_workloads_that_run_or_have_ended_do_not_wait() -> None:
    job = thing("Job", "batch/v1", "w", "default", spec={"template": POD_TEMPLATE})
    running = pod("w-0", "a", 2, owner=("Job", "w"))
    assert request(imported(node("a"), job, running)).name == "request"
    ended = {**job, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}
    assert request(imported(node("a"), ended)).name == "request"


def test_a_request_in_our_own_format() -> None:
    tainted = node(
        "b", spec={"taints": [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}, {"key": "ml", "effect": "NoSchedule"}]}
    )
    items = (node("a", labels={"pool": "x"}), tainted, pod("p", None, 1))
    own = json.dumps({"name": "mine", "priority": 5, "gpus": 2, "node_labels": {"pool": "x"}})
    result = imported(*items, files={"own.json": own}, request_file="{dir}/own.json")
    assert (request(result).name, request(result).gpus) == ("mine", 2)
    assert request(result).node_labels == {"pool": "x", "topreempt/fit": "yes"}
    site = Settings().with_options(request={"tolerated": [{"key": "ml"}]})
    result = imported(*items, files={"own.json": own}, request_file="{dir}/own.json", settings=site)
    assert request(result).node_labels == {"pool": "x"}
    both = json.dumps({"request": {"priority": 77}, "policy": {"budgets": "soft"}})
    result = imported(*items, files={"own.json": both}, request_file="{dir}/own.json", request="default/p")
    assert (request(result).name, request(result).priority, result.instance.policy.budgets) == ("default/p", 77, "soft")


def test_a_file_outweighs_the_workload_and_an_option_outweighs_both() -> None:
    annotations = {"kueue.x-k8s.io/podset-required-topology": RACK, "topreempt/island": "gpu"}
    items = (node("a", labels=LABELS), pod("p", None, 1, annotations=annotations))
    own = json.dumps({"affinity": {"pod": {"island": "link-clique"}, "gang": {"island": "zone"}}})
    options = {"files": {"own.json": own}, "request_file": "{dir}/own.json", "request": "default/p"}
    found = request(imported(*items, **options)).affinity
    assert (found.pod.island, found.gang and found.gang.island) == ("link-clique", "zone")
    found = request(imported(*items, island="node", **options)).affinity
    assert (found.pod.island, found.gang and found.gang.island) == ("node", "zone")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"name": "x", "priority": 5, "gpus": 1, "node_labels": [1]}', "request.node_labels: found [1]"),
        ('{"name": "x", "priority": 5, "gpus": 1, "affinity": 7}', "request.affinity: found 7"),
        ('{"name": ["x"], "priority": "high", "gpus": 1}', "request.priority: found 'high'"),
        ('{"priority": 5}', "request.name"),
        ('{"name": "x", "priority": 5, "gpus": 1, "colour": 1}', "request.colour"),
        ("[]", "request: found [], expected a mapping of fields"),
        ('{"request": {}, "jobs": []}', "jobs: expected request and policy, and nothing else"),
    ],
)
def test_broken_requests_of_our_own_format(text: str, message: str) -> None:
    with pytest.raises(InstanceError) as refused:
        imported(node("a"), files={"own.json": text}, request_file="{dir}/own.json")
    assert message in str(refused.value)
    assert "own.json: " in str(refused.value)


def test_what_is_not_modelled_is_said() -> None:
    terms = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "x"}]}}
    found = pod(
        "p",
        None,
        1,
        affinity=terms,
        topologySpreadConstraints=[{"whenUnsatisfiable": "DoNotSchedule"}],
        volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        schedulingGates=[{"name": "g"}],
    )
    result = imported(node("a"), found)
    for words in ("affinity to other pods", "that must spread", "with volume claims", "with scheduling gates"):
        assert said(result, f"Members of the request {words}") or said(result, words)
