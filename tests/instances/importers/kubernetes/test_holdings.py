import json

import pytest
from kubectl import gpu, imported, koordinator, minor, node, nrt, offered, pod, rules, said, thing, zone

from topreempt.instances.importers.kubernetes import Imported
from topreempt.models import ConfigError, InstanceError
from topreempt.models.jobs import Pod

SLOTS = "topreempt/gpus"
NUMA = "topreempt/numa"


def held(result: Imported, name: str = "default/p") -> Pod:
    return result.instance.pods_by_name[name][1]


def claim(name: str, *devices: str, **result: object) -> dict:
    given = [
        {"request": "r", "driver": "gpu.nvidia.com", "pool": "a", "device": device, **result} for device in devices
    ]
    status = {"allocation": {"devices": {"results": given}}} if devices else {}
    return thing("ResourceClaim", "resource.k8s.io/v1", name, "default", spec={}, status=status)


def using(name: str, *claims: str) -> dict:
    return pod(name, "a", resourceClaims=[{"name": f"c{n}", "resourceClaimName": c} for n, c in enumerate(claims)])


SLICE = offered("a", *(gpu(n, n // 2) for n in range(4)))


def test_without_word_only_the_number_is_known() -> None:
    result = imported(node("a"), pod("p", "a", 3))
    assert (held(result).gpus, held(result).slots, dict(held(result).within)) == (3, None, {})
    assert said(result, "Pods that do not say which GPUs they hold: placement unknown. (1: default/p)")


def test_a_claim_names_the_gpus() -> None:
    result = imported(node("a", 0), SLICE, claim("c", "gpu-2", "gpu-0"), using("p", "c"))
    assert held(result).slots == (0, 2)


def test_a_claim_from_a_template_is_found_by_its_status() -> None:
    user = using("p")
    user["spec"]["resourceClaims"] = [{"name": "x", "resourceClaimTemplateName": "t"}]
    user["status"]["resourceClaimStatuses"] = [{"name": "x", "resourceClaimName": "p-x-1"}]
    assert held(imported(node("a", 0), SLICE, claim("p-x-1", "gpu-3"), user)).slots == (3,)


def test_pods_that_share_a_claim_hold_even_shares() -> None:
    result = imported(node("a", 0), SLICE, claim("c", "gpu-1"), *(using(name, "c") for name in "pqr"))
    assert {held(result, f"default/{name}").slots for name in "pqr"} == {(1,)}
    assert held(result).share == 0.333333
    assert said(result, "each is taken to hold an even share")


def test_claims_that_take_nothing_of_whole_gpus() -> None:
    result = imported(node("a", 0), SLICE, claim("c", "gpu-1", adminAccess=True), using("p", "c"))
    assert (held(result).slots, held(result).gpus) == (None, None)
    other = claim("c", "nic-1", driver="nic.example.com")
    assert held(imported(node("a", 0), SLICE, other, using("p", "c"))).gpus is None


def test_a_claim_that_is_missing_would_leave_gpus_free() -> None:
    with pytest.raises(InstanceError, match=r"spec\.resourceClaims: found 'c', expected a ResourceClaim among"):
        imported(node("a", 0), SLICE, using("p", "c"))
    result = imported(node("a", 0), using("p", "c"))
    assert said(result, "claims that are not in the data")


def test_a_device_that_no_slice_offers_is_some_gpu() -> None:
    result = imported(node("a", 0), SLICE, claim("c", "gpu-9"), using("p", "c"))
    assert (held(result).slots, held(result).gpus) == (None, 1)
    assert said(result, "GPUs named by claim that are not among those of the node")


def test_gpus_of_claims_that_no_listed_pod_uses_are_taken() -> None:
    result = imported(node("a", 0), SLICE, claim("c", "gpu-1"), claim("d", "gpu-3"), using("p", "c"))
    job, taken = result.instance.pods_by_name["a (claimed)"]
    assert (taken.slots, job.preemptible) == ((3,), False)


@pytest.mark.parametrize(
    "text", ["0,2", " 0 , 2 ", "[0, 2]", "GPU-0,GPU-2", '["GPU-0", "0000:02:00.0"]', "00000000:00:00.0,GPU-2"]
)
def test_an_annotation_names_the_gpus(text: str) -> None:
    device = koordinator(*(minor(n, 0) for n in range(4)))
    assert held(imported(node("a", 4), device, pod("p", "a", 2, annotations={SLOTS: text}))).slots == (0, 2)


def test_an_annotation_in_indices_of_a_known_machine() -> None:
    result = imported(node("a", 8), pod("p", "a", 2, annotations={SLOTS: "7,1"}), machines=rules(a="dgx-h100"))
    assert held(result).slots == (1, 7)


def test_indices_mean_nothing_where_gpus_are_only_counted() -> None:
    result = imported(node("a", 8), pod("p", "a", 2, annotations={SLOTS: "7,1"}))
    assert (held(result).slots, held(result).gpus) == (None, 2)
    assert said(result, "on nodes whose GPUs are only counted: placement unknown")


def test_koordinator_says_what_it_allocated() -> None:
    text = json.dumps({"gpu": [{"minor": 3, "resources": {}}, {"minor": 1}]})
    annotations = {"scheduling.koordinator.sh/device-allocated": text}
    device = koordinator(*(minor(n, 0) for n in range(4)))
    assert held(imported(node("a", 4), device, pod("p", "a", 2, annotations=annotations))).slots == (1, 3)


def test_as_many_as_asked_or_unknown() -> None:
    device = koordinator(*(minor(n, 0) for n in range(4)))
    result = imported(node("a", 4), device, pod("p", "a", 3, annotations={SLOTS: "0,1"}))
    assert (held(result).slots, held(result).gpus) == (None, 3)
    assert said(result, "not as many as the pod asks for")


ZONES = nrt("a", zone(0, 3, cpu="32", memory="64Gi"), zone(1, 5, cpu="32", memory="64Gi"))
FULL = {"limits": {"cpu": "4", "memory": "8Gi", "nvidia.com/gpu": "2"}}


def pinned(name: str = "p", **more: object) -> dict:
    found = pod(name, "a", 2, **more)
    found["spec"]["containers"][0]["resources"] = FULL
    return found


def test_an_annotation_names_the_numa_node() -> None:
    for text in ("1", "node-1", "n1"):
        found = held(imported(node("a"), ZONES, pinned(annotations={NUMA: text})))
        assert (found.gpus, dict(found.within), dict(found.domain_resources)) == (2, {"numa": "n1"}, {})


def test_cpus_of_a_pod_without_gpus_sit_where_the_annotation_says() -> None:
    found = pod("p", "a", annotations={NUMA: "0"})
    found["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "4", "memory": "8Gi"}}
    assert held(imported(node("a"), ZONES, found)).domain_resources == {"numa": {"n0": {"cpus": 4, "memory_gib": 8}}}


def test_pods_that_the_kubelet_does_not_pin_hold_no_cores_of_a_numa_node() -> None:
    found = held(imported(node("a"), ZONES, pod("p", "a", 2, cpu="4")))
    assert (found.gpus, found.domain_resources) == (2, {"numa": {"n0": {}}})
    assert held(imported(node("a"), ZONES, pinned())).domain_resources == {}


def test_the_kubelet_lists_devices_and_their_numa_nodes() -> None:
    device = {"resourceName": "nvidia.com/gpu", "deviceIds": ["GPU-1", "GPU-3"], "topology": {"nodes": [{"ID": 1}]}}
    nic = {"resourceName": "rdma/hca", "deviceIds": ["x"]}
    listing = {
        "podResources": [{"name": "p", "namespace": "default", "containers": [{"name": "m", "devices": [device, nic]}]}]
    }
    snake = json.dumps(listing).replace("podResources", "pod_resources").replace("resourceName", "resource_name")
    snake = snake.replace("deviceIds", "device_ids")
    for text in (json.dumps(listing), snake):
        options = {"files": {"kubelet.json": text}, "devices": ("{dir}/kubelet.json",)}
        assert dict(held(imported(node("a"), ZONES, pod("p", "a", 2), **options)).within) == {"numa": "n1"}
        exact = koordinator(*(minor(n, n // 2) for n in range(4)))
        assert held(imported(node("a", 4), exact, pod("p", "a", 2), **options)).slots == (1, 3)


def test_dynamic_resources_of_the_kubelet_name_the_gpus() -> None:
    part = {"driverName": "gpu.nvidia.com", "poolName": "a", "deviceName": "gpu-2"}
    container = {"name": "m", "dynamicResources": [{"claimName": "c", "claimResources": [part]}]}
    listing = json.dumps({"podResources": [{"name": "p", "namespace": "default", "containers": [container]}]})
    result = imported(node("a", 4), SLICE, pod("p", "a", 1), files={"k": listing}, devices=("{dir}/k",))
    assert held(result).slots == (2,)


GPUS = "index, uuid, pci.bus_id, name\n1, GPU-b, 00000000:3B:00.0, H100\n0, GPU-a, 00000000:1B:00.0, H100\n"
APPS = "pod, gpu_uuid, pid, used_gpu_memory [MiB]\np, GPU-b, 7, 100 MiB\ndefault/p, GPU-b, 8, 5 MiB\n,GPU-a,9,1 MiB\n"


def test_nvidia_smi_lists_gpus_and_processes() -> None:
    options = {"files": {"g.csv": GPUS, "p.csv": APPS}, "devices": ("a={dir}/g.csv", "{dir}/p.csv")}
    result = imported(node("a", 2), pod("p", "a", 1), **options)
    assert held(result).slots == (1,)
    assert result.instance.shape("a").models == ("H100", "H100")
    # A pod with idle GPUs has no process on them.
    result = imported(node("a", 2), pod("p", "a", 2), **options)
    assert (held(result).slots, held(result).gpus) == (None, 2)


def test_a_table_with_pods_and_indices() -> None:
    table = "namespace,pod,index\nml,p,1\nml,p,0\n"
    result = imported(
        node("a", 2), pod("p", "a", 2, space="ml"), files={"g": GPUS, "t": table}, devices=("a={dir}/g", "{dir}/t")
    )
    assert held(result, "ml/p").slots == (0, 1)


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ({SLOTS: "0,0"}, "annotations['topreempt/gpus']: found '0,0', expected GPUs, each once"),
        ({SLOTS: "[1"}, "expected GPUs, each once"),
        ({SLOTS: ","}, "expected GPUs, each once"),
        ({SLOTS: "0,9"}, "metadata.annotations: found '9', expected a GPU of node a"),
        ({"scheduling.koordinator.sh/device-allocated": '{"gpu": [{"minor": "0"}]}'}, "expected JSON such as"),
        ({NUMA: "7"}, "expected a NUMA node of a with room for 2 GPUs: n0 with 4 GPUs"),
        ({"gpu-fraction": "1.5"}, "expected a share of a GPU such as 0.5"),
        ({"gpu-fraction": "half"}, "expected a share of a GPU such as 0.5"),
        ({"gpu-fraction": "0.5", "gpu-fraction-num-devices": "0"}, "expected a number of GPUs from 1 to 4096"),
    ],
)
def test_annotations_that_cannot_be_read_are_refused(annotations: dict, message: str) -> None:
    device = koordinator(*(minor(n, 0) for n in range(4)))
    gpus = 0 if any(key.startswith("gpu-fraction") for key in annotations) else 2
    with pytest.raises(InstanceError) as refused:
        imported(node("a", 4), device, pod("p", "a", gpus, annotations=annotations))
    assert message in str(refused.value)
    assert "items[2]" in str(refused.value)
    assert "(Pod default/p)" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{}", "a listing of the kubelet's pod-resources endpoint"),
        ('{"podResources": {}}', "podResources: found an empty mapping, expected a list"),
        ('{"podResources": [{"namespace": "x"}]}', "podResources[0].name"),
        ('{"podResources": [7]}', "podResources[0]: found 7"),
        (
            '{"podResources": [{"name": "p", "containers": [{"devices": '
            '[{"resourceName": "nvidia.com/gpu", "deviceIds": [7]}]}]}]}',
            "deviceIds[0]: found 7",
        ),
        ("a,b\n1,2\n", "expected a header with one of the columns"),
        ("gpu_uuid,pid\nGPU-1,7\n", "expected a column pod"),
        ("pod,gpu_uuid\nx\n", "expected 2 cells, as the header has"),
        ("index,uuid\n0,GPU-a\n0,GPU-b\n", "expected each GPU of the node once"),
        ("index,uuid\nzero,GPU-a\n", "found 'zero', expected the index of a GPU"),
        (",,\n,,\n", "expected a header"),
    ],
)
def test_broken_listings_are_refused(text: str, message: str) -> None:
    with pytest.raises(InstanceError) as refused:
        imported(node("a", 4), files={"listing": text}, devices=("a={dir}/listing",))
    assert message in str(refused.value)
    assert "listing: " in str(refused.value)


def test_listings_of_unknown_nodes_are_refused() -> None:
    with pytest.raises(ConfigError, match="a table of GPUs belongs to a node"):
        imported(node("a", 2), files={"g": GPUS}, devices=("{dir}/g",))
    with pytest.raises(ConfigError, match="no node of this name"):
        imported(node("a", 2), files={"g": GPUS}, devices=("b={dir}/g",))


def test_shares_by_annotation_and_by_resource() -> None:
    result = imported(
        node("a", 4),
        pod("p", "a", annotations={"gpu-fraction": "0.25"}),
        pod("q", "a", annotations={"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"}),
        pod("stand-in", "a", 1, space="kai-resource-reservation"),
    )
    assert (held(result).gpus, held(result).share) == (1, 0.25)
    assert (held(result, "default/q").gpus, held(result, "default/q").share) == (2, 0.5)
    assert "kai-resource-reservation/stand-in" not in result.instance.pods_by_name
    parts = {"koordinator.sh/gpu-core": "400"}
    fraction = pod("p", "a")
    fraction["spec"]["containers"][0]["resources"] = {"limits": {"koordinator.sh/gpu-core": "150"}}
    result = imported(node("a", 0, capacity=parts, allocatable=parts), fraction)
    assert (held(result).gpus, held(result).share) == (2, 0.75)


def test_a_node_whose_pods_hold_more_than_it_has() -> None:
    result = imported(node("a", 2), pod("p", "a", 2), pod("q", "a", 1))
    assert result.instance.shape("a").gpus == 3
    assert result.instance.cluster.nodes[0].offline_slots == (2,)
    assert said(result, "hold more GPUs than they have")
    with pytest.raises(InstanceError, match="node a: found pods that hold 9 GPUs, expected no more than the 8"):
        imported(node("a", 8), pod("p", "a", 8), pod("q", "a", 1), machines=rules(a="dgx-h100"))


def test_pods_on_a_node_that_is_not_in_the_data_still_count() -> None:
    result = imported(node("a", 2), pod("p", "gone", 2), pod("q", "a", 1))
    lost = result.instance.nodes_by_name["gone"]
    assert (lost.cordoned, result.instance.shape("gone").gpus, lost.offline_slots) == (True, 2, (0, 1))
    assert said(result, "Nodes that are not among the Node objects: taken as cordoned. (1: gone)")


def test_use_that_no_listed_pod_explains_is_taken() -> None:
    zones = nrt("a", zone(0, 4, 4, 1), zone(1, 4, 4, 2))
    result = imported(node("a", 8), zones, pod("p", "a", 2))
    job, other = result.instance.pods_by_name["a (used by pods not in the data)"]
    assert (other.gpus, dict(other.within), job.preemptible) == (3, {}, False)
    # What a pod holds that the agent has not seen yet takes nothing more.
    assert len(imported(node("a", 8), zones, pod("p", "a", 6)).instance.jobs) == 1
