from decimal import Decimal

import pytest

from topreempt.instances.importers.kubernetes.core_objects import Pod
from topreempt.instances.importers.kubernetes.effective import effective_requests, is_guaranteed, unpinned


def pod(*containers: dict, init: list[dict] | None = None, status: dict | None = None, **spec: object) -> Pod:
    parts = [{"name": f"c{index}", "resources": part} for index, part in enumerate(containers)]
    data = {
        "metadata": {"name": "p"},
        "spec": {"containers": parts, "initContainers": init or [], **spec},
        "status": status or {},
    }
    return Pod.read(data, file="f", path="")


def cpu(amount: object) -> dict:
    return {"requests": {"cpu": amount}}


def init(amount: object, *, sidecar: bool = False) -> dict:
    return {"name": f"i{amount}", "resources": cpu(amount)} | ({"restartPolicy": "Always"} if sidecar else {})


def cores(found: Pod) -> Decimal:
    return effective_requests(found).get("cpu", Decimal(0))


def test_containers_add_up() -> None:
    assert cores(pod(cpu(1), cpu("500m"))) == Decimal("1.5")


def test_the_largest_init_container_counts_if_it_is_more() -> None:
    assert cores(pod(cpu(1), init=[init(3), init(2)])) == 3
    assert cores(pod(cpu(4), init=[init(3), init(2)])) == 4


def test_sidecars_go_on_running() -> None:
    # By hand: 1 beside sidecars of 2 and 1 = 4; the init container of 2 beside the first sidecar only = 4.
    assert cores(pod(cpu(1), init=[init(2, sidecar=True), init(1, sidecar=True)])) == 4
    # The init container starts after the first sidecar: 5 + 2 = 7 is more than 1 + 2 + 1.
    assert cores(pod(cpu(1), init=[init(2, sidecar=True), init(5), init(1, sidecar=True)])) == 7
    # It starts before the sidecars: 5 alone.
    assert cores(pod(cpu(1), init=[init(5), init(2, sidecar=True), init(1, sidecar=True)])) == 5


def test_overhead_comes_on_top() -> None:
    assert cores(pod(cpu(1), init=[init(3)], overhead={"cpu": "250m"})) == Decimal("3.25")


def test_pod_level_requests_replace_the_sum() -> None:
    found = pod(cpu(1), cpu(2), resources={"requests": {"cpu": 8}}, overhead={"cpu": 1})
    assert cores(found) == 9
    limited = pod({}, resources={"limits": {"cpu": 6, "memory": "1Gi"}})
    assert effective_requests(limited) == {"cpu": 6, "memory": Decimal(2**30)}
    # A pod-level limit does not replace what containers request.
    assert cores(pod(cpu(2), resources={"limits": {"cpu": 6}})) == 2
    # Devices are not a pod-level resource.
    assert effective_requests(pod(cpu(1), resources={"requests": {"nvidia.com/gpu": 4}})) == {"cpu": 1}


def test_limits_stand_for_requests_that_are_missing() -> None:
    found = pod({"requests": {"cpu": 1}, "limits": {"cpu": 2, "nvidia.com/gpu": "4"}})
    assert effective_requests(found) == {"cpu": 1, "nvidia.com/gpu": 4}


def test_zeros_are_left_out() -> None:
    assert effective_requests(pod({"requests": {"cpu": 0, "memory": "0"}})) == {}


def test_a_resize_that_is_under_way_counts_with_what_is_still_held() -> None:
    held = {"containerStatuses": [{"name": "c0", "allocatedResources": {"cpu": 4}}]}
    assert cores(pod(cpu(2), status=held)) == 4
    assert cores(pod(cpu(6), status=held)) == 6
    refused = {**held, "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]}
    assert cores(pod(cpu(6), status=refused)) == 4


@pytest.mark.parametrize(
    ("containers", "guaranteed", "loose"),
    [
        ([{"limits": {"cpu": 4, "memory": "1Gi"}}], True, ()),
        ([{"limits": {"cpu": "1500m", "memory": "1Gi"}}], True, ("cpu",)),
        ([{"requests": {"cpu": 2}, "limits": {"cpu": 4, "memory": "1Gi"}}], False, ("cpu", "memory")),
        ([{"limits": {"cpu": 4}}], False, ("cpu", "memory")),
        ([{"limits": {"cpu": 4, "memory": "1Gi"}}, {}], False, ("cpu", "memory")),
        ([{"limits": {"hugepages-1Gi": "1Gi"}}], False, ("cpu", "memory", "hugepages-1Gi")),
    ],
)
def test_what_the_kubelet_pins(containers: list[dict], guaranteed: bool, loose: tuple[str, ...]) -> None:
    found = pod(*containers)
    assert is_guaranteed(found) is guaranteed
    assert unpinned(found) == loose


def test_the_status_knows_the_class() -> None:
    assert is_guaranteed(pod(cpu(1), status={"qosClass": "Guaranteed"}))
    assert not is_guaranteed(pod({"limits": {"cpu": 4, "memory": "1Gi"}}, status={"qosClass": "Burstable"}))
