from pathlib import Path

import pytest
import yaml
from kubectl import GPU, device, gpu, imported, koordinator, minor, node, nrt, offered, pod, rules, said, zone

from topreempt.instances.importers.kubernetes import Imported, Options, Settings, import_kubernetes
from topreempt.instances.importers.merge import MachineRules
from topreempt.models import ConfigError, InstanceError
from topreempt.models.cluster import Node
from topreempt.models.shape import Shape

INPUTS = Path(__file__).parents[3] / "cases" / "inputs"


def one(result: Imported) -> tuple[Node, Shape]:
    found = result.instance.cluster.nodes[0]
    return found, result.instance.shape(found.name)


def slots(result: Imported, level: str = "numa") -> dict[str, tuple[int, ...]]:
    return dict(one(result)[1].domains[level])


def cases() -> list[dict]:
    every = yaml.safe_load((INPUTS / "expect.yaml").read_text(encoding="utf-8"))
    return [case for case in every if case["file"].startswith("nrt_")]


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["file"])
def test_reported_variants_of_node_resource_topologies(case: dict) -> None:
    result = import_kubernetes([INPUTS / case["file"]])
    found, shape = one(result)
    expect = case["expect"]
    numbers = expect["numa_gpus"]
    if numbers is None:
        assert shape.gpus == 0
        assert [f"n{number}" for number in expect["cpu_numa"]] == list(shape.domains["numa"])
        assert said(result, expect["warning"].partition(": ")[2])
        return
    held = {pod.within["numa"]: pod.gpus for job in result.instance.jobs for pod in job.pods if pod.within}
    for number, counts in numbers.items():
        inside = set(shape.domains["numa"][f"n{number}"])
        usable = inside - set(found.offline_slots)
        assert (len(inside), len(usable)) == (counts["capacity"], counts["usable"])
        if counts["free"] is not None:
            assert len(usable) - (held.get(f"n{number}") or 0) == counts["free"]
    if "warning" in expect:
        assert not held
        assert said(result, "available missing: usage is taken from the pods")


def test_a_plain_node_only_counts_its_gpus() -> None:
    found, shape = one(imported(node("a", 4)))
    assert shape.gpus == 4
    assert shape.resources == {"cpus": 64_000_000, "memory_gib": 512_000_000, "pods": 110_000_000}
    assert found.offline_slots == ()


def test_gpus_that_the_node_does_not_offer_are_offline() -> None:
    found, shape = one(imported(node("a", allocatable={GPU: "6", "cpu": "4"})))
    assert (shape.gpus, found.offline_slots) == (8, (6, 7))


def test_amounts_without_capacity_or_without_allocatable() -> None:
    only = node("a")
    del only["status"]["allocatable"]
    assert one(imported(only))[1].gpus == 8
    only = node("a")
    del only["status"]["capacity"]
    assert one(imported(only))[1].gpus == 8


def test_other_makers_and_shares_of_gpus() -> None:
    both = {"amd.com/gpu": "4", "cpu": "8"}
    assert one(imported(node("a", 0, capacity=both, allocatable=both)))[1].gpus == 4
    parts = {"koordinator.sh/gpu-core": "800", "cpu": "8"}
    found, shape = one(imported(node("a", 0, capacity=parts, allocatable=parts | {"koordinator.sh/gpu-core": "700"})))
    assert (shape.gpus, found.offline_slots) == (8, (7,))
    assert shape.resources == {"cpus": 8_000_000}
    site = Settings().with_options(devices={"gpu_resources": ["site/npu"]})
    named = {"site/npu": "2", GPU: "8"}
    shape = one(imported(node("a", 0, capacity=named, allocatable=named), settings=site))[1]
    assert (shape.gpus, shape.resources) == (2, {GPU: 8_000_000})


def test_mig_devices_stay_plain_resources() -> None:
    amounts = {GPU: "6", "nvidia.com/mig-1g.10gb": "14"}
    result = imported(node("a", 0, capacity=amounts, allocatable=amounts))
    shape = one(result)[1]
    assert shape.gpus == 6
    assert shape.resources == {"nvidia.com/mig-1g.10gb": 14_000_000}
    assert said(result, "Nodes with MIG devices: these are plain resources, not GPUs. (1: a)")


def test_gpus_shared_in_time() -> None:
    labels = {"nvidia.com/gpu.replicas": "4", "nvidia.com/gpu.count": "2"}
    result = imported(node("a", 8, labels=labels), pod("p", "a", 1), pod("q", "a", 3))
    assert one(result)[1].gpus == 2
    held = {pod.name: (pod.gpus, pod.share) for job in result.instance.jobs for pod in job.pods}
    assert held == {"default/p": (1, 0.25), "default/q": (2, 0.375)}
    # The label may stand although the shared resource has another name.
    assert one(imported(node("a", 8, labels={**labels, "nvidia.com/gpu.count": "8"})))[1].gpus == 8
    with pytest.raises(InstanceError, match="a number of replicas"):
        imported(node("a", 8, labels={"nvidia.com/gpu.replicas": "four"}))


def test_the_model_comes_from_a_label() -> None:
    found, shape = one(imported(node("a", 2, labels={"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"})))
    assert shape.models == ("NVIDIA-H100-80GB-HBM3",) * 2
    assert found.machine == "2x NVIDIA-H100-80GB-HBM3"


def test_zones_partition_the_slots_by_their_counts() -> None:
    result = imported(node("a", 8), nrt("a", zone(1, 5, cpu="32"), zone(0, 3, cpu="30")))
    shape = one(result)[1]
    assert slots(result) == {"n0": (0, 1, 2), "n1": (3, 4, 5, 6, 7)}
    assert shape.topology_policy == "single-numa-node"
    assert shape.domain_resources == {"numa": {"n0": {"cpus": 30_000_000}, "n1": {"cpus": 32_000_000}}}


def test_gpus_that_no_zone_has_stand_alone() -> None:
    result = imported(node("a", 8), nrt("a", zone(0, 3), zone(1, 3)))
    assert slots(result) == {"n0": (0, 1, 2), "n1": (3, 4, 5), "unknown-6": (6,), "unknown-7": (7,)}


def test_zones_without_gpus_do_not_align_what_is_unknown() -> None:
    result = imported(node("a", 8), nrt("a", zone(0, 0, cpu="4"), zone(1, 0, cpu="4")))
    assert one(result)[1].topology_policy == "none"
    assert "numa" not in result.instance.cluster.levels
    assert said(result, "kubelet aligns (single-numa-node) NUMA nodes that are unknown")


def test_a_node_without_gpus_has_numa_nodes_of_cpus() -> None:
    result = imported(node("a", 0), nrt("a", zone(0, 0, cpu="4"), zone(1, 0, cpu="4"), policy="restricted"))
    assert slots(result) == {"n0": (), "n1": ()}
    assert one(result)[1].topology_policy == "restricted"


@pytest.mark.parametrize(
    ("fields", "policy"),
    [
        ({"topologyPolicies": ["SingleNUMANodeContainerLevel"]}, "single-numa-node"),
        ({"topologyPolicies": ["SingleNUMANode"]}, "single-numa-node"),
        ({"topologyPolicies": ["RestrictedPodLevel"]}, "restricted"),
        ({"topologyPolicies": ["BestEffort"]}, "best-effort"),
        ({"topologyPolicies": ["None"]}, "none"),
        ({"topologyPolicies": []}, "none"),
        (
            {"attributes": [{"name": "topologyManagerPolicy", "value": "restricted"}], "topologyPolicies": ["None"]},
            "restricted",
        ),
    ],
)
def test_policies_old_and_new(fields: dict, policy: str) -> None:
    item = {**nrt("a", zone(0, 2), zone(1, 2)), "attributes": [], **fields}
    assert one(imported(node("a", 4), item))[1].topology_policy == policy


def test_slices_name_every_gpu() -> None:
    devices = [gpu(10, 1, "pci0000:40"), gpu(2, 1, "pci0000:40"), gpu(0, 0), gpu(1, 3)]
    result = imported(node("a", 0), offered("a", *devices))
    found, shape = one(result)
    assert result.instance.cluster.levels == ("node", "numa", "pcie")
    assert slots(result) == {"n0": (0,), "n1": (2, 3), "n3": (1,)}
    assert slots(result, "pcie") == {"pci0000:16": (0, 1), "pci0000:40": (2, 3)}
    assert (shape.gpus, shape.models, found.offline_slots) == (4, ("H100",) * 4, ())


def test_beta_slices_keep_fields_one_level_deeper() -> None:
    deep = {"name": "gpu-0", "basic": {"attributes": gpu(0, 1)["attributes"]}}
    assert slots(imported(node("a", 0), offered("a", deep))) == {"n1": (0,)}


def test_only_the_newest_generation_of_a_pool_counts() -> None:
    old = offered("a", gpu(0), gpu(1), gpu(2), generation=1, name="old")
    new = offered("a", gpu(0), gpu(1), generation=2, count=2, name="new")
    result = imported(node("a", 0), old, new)
    assert one(result)[1].gpus == 2
    assert said(result, "not all resource slices are in the data")


def test_tainted_devices_and_parts_of_gpus() -> None:
    broken = {**gpu(1), "taints": [{"key": "unhealthy", "effect": "NoExecute"}]}
    result = imported(node("a", 0), offered("a", gpu(0), broken, device("gpu-2-mig-1g", type="mig")))
    found, shape = one(result)
    assert (shape.gpus, found.offline_slots) == (2, (1,))
    assert said(result, "Devices that are no whole GPUs (MIG, VFIO) are passed over.")


def test_partitions_are_blocks() -> None:
    pairs = [gpu(n, partition2=n // 2, partition4=0) for n in range(4)]
    assert one(imported(node("a", 0), offered("a", *pairs)))[1].blocks == (
        frozenset({0, 1}),
        frozenset({2, 3}),
        frozenset({0, 1, 2, 3}),
    )


def test_a_gpu_of_unknown_numa_node_stands_alone() -> None:
    result = imported(node("a", 0), offered("a", gpu(0), gpu(1, None), gpu(2, -1)))
    assert slots(result) == {"n0": (0,), "unknown-1": (1,), "unknown-2": (2,)}


def test_slices_and_zones_agree() -> None:
    zones = (zone(0, 2, cpu="8"), zone(1, 0, cpu="8"))
    result = imported(node("a", 0), offered("a", gpu(0), gpu(1)), nrt("a", *zones))
    assert slots(result) == {"n0": (0, 1), "n1": ()}
    assert one(result)[1].domain_resources["numa"]["n1"] == {"cpus": 8_000_000}


def test_koordinator_devices_name_every_gpu() -> None:
    rdma = {"type": "rdma", "minor": 0, "health": True}
    blocks = '{"2": [{"minors": [0, 1]}, {"minors": [1, 2]}], "1": {"minors": [2]}}'
    gpus = (minor(1, 0, socket=0), minor(0, 0, socket=0), minor(2, 1, socket=0, health=False))
    result = imported(node("a", 0), koordinator(*gpus, rdma, gpu_partitions=blocks))
    found, shape = one(result)
    assert result.instance.cluster.levels == ("node", "socket", "numa", "pcie")
    assert slots(result) == {"n0": (0, 1), "n1": (2,)}
    assert slots(result, "socket") == {"s0": (0, 1, 2)}
    assert found.offline_slots == (2,)
    assert shape.blocks == (frozenset({2}), frozenset({0, 1}), frozenset({1, 2}))


def test_a_condition_makes_a_device_unhealthy() -> None:
    sick = {**minor(0, 0), "conditions": [{"type": "Healthy", "status": "False", "reason": "NvlinkError"}]}
    assert one(imported(node("a", 0), koordinator(sick, minor(1, 0))))[0].offline_slots == (0,)


def test_a_known_machine_gives_domains_and_links() -> None:
    result = imported(node("a", 8), machines=rules(a="dgx-h100"))
    found, shape = one(result)
    assert shape.gpus == 8
    assert len(slots(result)) > 1
    assert shape.resources["cpus"] == 64_000_000
    assert found.machine == "dgx-h100"


def test_zones_give_the_numa_nodes_of_a_known_machine_their_cores() -> None:
    zones = (zone(0, 4, cpu="48"), zone(1, 4, cpu="64"))
    shape = one(imported(node("a", 8), nrt("a", *zones), machines=rules(a="dgx-h100")))[1]
    assert shape.domain_resources == {"numa": {"n0": {"cpus": 48_000_000}, "n1": {"cpus": 64_000_000}}}
    assert shape.topology_policy == "single-numa-node"
    odd = imported(node("a", 8), nrt("a", zone(0, 3, cpu="48"), zone(1, 5, cpu="64")), machines=rules(a="dgx-h100"))
    assert one(odd)[1].domain_resources == {}
    assert said(odd, "zones do not match the NUMA nodes of their machine")


def test_broken_gpus_of_a_known_machine_are_taken_wherever_they_are() -> None:
    result = imported(node("a", 6), machines=rules(a="dgx-h100"))
    assert one(result)[1].gpus == 8
    (job,) = result.instance.jobs
    assert (job.name, job.preemptible, job.pods[0].gpus) == ("a (broken GPUs)", False, 2)


def test_a_known_machine_with_fewer_gpus_is_refused() -> None:
    with pytest.raises(InstanceError, match="node a: found 9 GPUs, expected 8 GPUs"):
        imported(node("a", 9), machines=rules(a="dgx-h100"))


def test_a_rule_that_fits_no_node_is_said() -> None:
    assert said(imported(node("a", 8), machines=rules(b="dgx-h100")), "The rule b=dgx-h100 fits no node")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [node("a", capacity={GPU: "1.5"})],
            "status.capacity['nvidia.com/gpu']: found '1.5', expected a number of GPUs",
        ),
        ([node("a", capacity={GPU: "x"})], "status.capacity['nvidia.com/gpu']: found 'x', expected a quantity"),
        ([node("a", capacity={GPU: -1})], "a quantity"),
        ([nrt("a", zone(0, 2, 3))], "zones[0].resources[0].allocatable: found 3, expected at most the capacity 2"),
        ([nrt("a", zone(0, 2, 1, 2))], "zones[0].resources[0].available: found 2, expected at most the allocatable 1"),
        ([nrt("a", zone(0, 2), zone(0, 2))], "zones: found ['node-0', 'node-0'], expected each zone once"),
        ([nrt("a", zone(0, 2, **{GPU: "1"}))], "each resource once"),
        (
            [nrt("a", zone(0, 2), policy="strict")],
            "attributes[0].value: found 'strict', expected a policy of the kubelet",
        ),
        ([{**nrt("a"), "attributes": [], "topologyPolicies": ["Odd"]}], "topologyPolicies[0]: found 'Odd'"),
        ([koordinator(minor(0, 0), minor(0, 0))], "each minor number once"),
        ([koordinator({"type": "gpu", "health": True})], "spec.devices[0].minor"),
        ([koordinator(minor(0, 0), gpu_partitions="{")], "expected JSON such as"),
        ([koordinator(minor(0, 0), gpu_partitions='{"1": [7]}')], 'entries with a list of "minors"'),
        (
            [offered("a", {"name": "gpu-0", "attributes": {"uuid": {"string": 7}}})],
            "devices[0].attributes.uuid.string: found 7",
        ),
    ],
)
def test_contradictions_are_refused(items: list[dict], message: str) -> None:
    with pytest.raises(InstanceError) as refused:
        imported(node("b"), *items)
    assert message in str(refused.value)
    assert "cluster.json: items[1]" in str(refused.value)


def test_too_many_gpus_are_refused() -> None:
    with pytest.raises(ConfigError, match="at most 4096"):
        imported(node("a", 5000))


def test_no_node_at_all(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match="found no node, expected at least one Node"):
        imported(pod("p"))


def test_options_have_defaults() -> None:
    assert Options().machines == MachineRules()
