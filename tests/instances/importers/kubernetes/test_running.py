from datetime import UTC, datetime

import pytest
from kubectl import imported, node, pod, said, thing

from topreempt.instances.importers.kubernetes import Imported, Settings
from topreempt.models import InstanceError
from topreempt.models.jobs import Job

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
TEN = "2026-03-01T10:00:00Z"


def jobs(result: Imported) -> dict[str, Job]:
    return result.instance.jobs_by_name


def members(result: Imported) -> dict[str, list[str]]:
    return {name: [pod.name.partition("/")[2] for pod in job.pods] for name, job in jobs(result).items()}


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "DaemonSet"])
def test_pods_of_controllers_are_jobs_of_their_own(kind: str) -> None:
    result = imported(node("a"), *(pod(name, "a", 1, owner=(kind, "web")) for name in "pq"))
    assert members(result) == {"default/p": ["p"], "default/q": ["q"]}


@pytest.mark.parametrize("kind", ["Job", "PyTorchJob", "MPIJob"])
def test_pods_of_jobs_live_and_die_together(kind: str) -> None:
    result = imported(node("a"), *(pod(name, "a", 1, owner=(kind, "train")) for name in "qp"))
    assert members(result) == {"default/train": ["p", "q"]}
    assert jobs(result)["default/train"].min_available is None


def test_an_unknown_owner_is_said() -> None:
    result = imported(node("a"), pod("p", "a", 1, owner=("Notebook", "n")))
    assert members(result) == {"default/p": ["p"]}
    assert said(result, "Pods owned by a Notebook, which is no known kind of job")
    site = Settings().with_options(jobs={"job_kinds": ["Notebook"]})
    assert members(imported(node("a"), pod("p", "a", 1, owner=("Notebook", "n")), settings=site)) == {
        "default/n": ["p"]
    }


@pytest.mark.parametrize(
    "mark",
    [
        {"labels": {"scheduling.x-k8s.io/pod-group": "g"}},
        {"annotations": {"scheduling.k8s.io/group-name": "g"}},
        {"annotations": {"pod-group-name": "g"}},
        {"labels": {"kueue.x-k8s.io/pod-group-name": "g"}},
        {"schedulingGroup": {"podGroupName": "g"}},
    ],
)
def test_gangs_by_every_name(mark: dict) -> None:
    result = imported(node("a"), *(pod(name, "a", 1, **mark) for name in "pq"))
    assert members(result) == {"default/g": ["p", "q"]}


@pytest.mark.parametrize(
    ("version", "spec"),
    [
        ("scheduling.x-k8s.io/v1alpha1", {"minMember": 2}),
        ("scheduling.volcano.sh/v1beta1", {"minMember": 2}),
        ("scheduling.run.ai/v2alpha2", {"minMember": 2}),
        ("scheduling.k8s.io/v1alpha2", {"schedulingPolicy": {"gang": {"minCount": 2}}}),
    ],
)
def test_a_gang_goes_on_with_its_minimum(version: str, spec: dict) -> None:
    group = thing("PodGroup", version, "g", "default", spec=spec)
    pods = [pod(name, "a", 1, labels={"scheduling.x-k8s.io/pod-group": "g"}) for name in "pqr"]
    assert jobs(imported(node("a"), group, *pods))["default/g"].min_available == 2
    assert jobs(imported(node("a"), group, *pods[:2]))["default/g"].min_available is None


def test_leader_worker_groups() -> None:
    labels = {"leaderworkerset.sigs.k8s.io/name": "serve"}
    pods = [
        pod(f"serve-{group}-{number}", "a", 1, labels={**labels, "leaderworkerset.sigs.k8s.io/group-index": str(group)})
        for group in range(2)
        for number in range(2)
    ]
    result = imported(node("a"), *pods)
    assert members(result) == {
        "default/serve-0": ["serve-0-0", "serve-0-1"],
        "default/serve-1": ["serve-1-0", "serve-1-1"],
    }
    assert jobs(result)["default/serve-0"].min_available is None
    template = {"size": 2, "restartPolicy": "None", "workerTemplate": {"spec": {}}}
    loose = thing(
        "LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "serve", "default", spec={"leaderWorkerTemplate": template}
    )
    assert jobs(imported(node("a"), loose, *pods))["default/serve-0"].min_available == 0


def test_job_sets_are_wider_than_their_jobs() -> None:
    mark = {"labels": {"jobset.sigs.k8s.io/jobset-name": "set"}}
    result = imported(
        node("a"), pod("p", "a", 1, owner=("Job", "set-a"), **mark), pod("q", "a", 1, owner=("Job", "set-b"), **mark)
    )
    assert members(result) == {"default/set": ["p", "q"]}


def test_owners_of_one_name_and_several_kinds() -> None:
    result = imported(
        node("a"), pod("p", "a", 1, owner=("Job", "x")), pod("q", "a", 1, owner=("MPIJob", "x")), pod("x", "a", 1)
    )
    assert members(result) == {"default/x (Job)": ["p"], "default/x (MPIJob)": ["q"], "default/x (Pod)": ["x"]}


def test_min_available_by_annotation() -> None:
    pods = [pod(name, "a", 1, owner=("Job", "j"), annotations={"topreempt/min-available": "1"}) for name in "pq"]
    assert jobs(imported(node("a"), *pods))["default/j"].min_available == 1
    with pytest.raises(InstanceError, match="found 'some', expected a number of pods"):
        imported(node("a"), pod("p", "a", 1, annotations={"topreempt/min-available": "some"}))


def test_ages_count_from_the_start_to_now() -> None:
    result = imported(node("a"), pod("p", "a", 1, status={"startTime": TEN}), now=NOON)
    assert jobs(result)["default/p"].running_seconds == 7200
    # Without --now the newest moment of the data counts.
    beat = [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T10:30:00Z"}]
    result = imported(node("a", conditions=beat), pod("p", "a", 1, status={"startTime": TEN}))
    assert jobs(result)["default/p"].running_seconds == 1800
    assert said(result, "as of 2026-03-01T10:30:00Z")
    assert jobs(imported(node("a"), pod("p", "a", 1)))["default/p"].running_seconds is None


def test_what_differs_within_a_job() -> None:
    result = imported(
        node("a"),
        pod("p", "a", 1, owner=("Job", "j"), priority=5, status={"startTime": TEN}, terminationGracePeriodSeconds=60),
        pod(
            "q",
            "a",
            1,
            owner=("Job", "j"),
            priority=9,
            status={"startTime": "2026-03-01T11:00:00Z"},
            terminationGracePeriodSeconds=30,
        ),
        now=NOON,
    )
    job = jobs(result)["default/j"]
    assert (job.priority, job.running_seconds, job.grace_seconds) == (9, 7200, 30)
    for words in ("the highest counts", "the oldest counts", "the shortest counts"):
        assert said(result, words)


def test_costs_by_annotation() -> None:
    annotations = {
        "topreempt/unsaved-seconds": "15m",
        "topreempt/restart-seconds": "60",
        "topreempt/checkpoint-seconds": "20s",
        "topreempt/lost-gpu-seconds": "500",
    }
    result = imported(node("a"), pod("p", "a", 1, annotations=annotations))
    job = jobs(result)["default/p"]
    assert (job.unsaved_seconds, job.restart_seconds, job.checkpoint_seconds) == (900, 60, 20)
    assert (job.lost_gpu_seconds, job.pods[0].lost_gpu_seconds) == (None, 500)
    saved = {"topreempt/saved-at": "2026-03-01T11:59:00Z"}
    assert jobs(imported(node("a"), pod("p", "a", 1, annotations=saved), now=NOON))["default/p"].unsaved_seconds == 60
    renamed = Settings().with_options(jobs={"unsaved_annotations": ["site/unsaved"]})
    result = imported(node("a"), pod("p", "a", 1, annotations={"site/unsaved": "5"}), settings=renamed)
    assert jobs(result)["default/p"].unsaved_seconds == 5


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("topreempt/unsaved-seconds", "soon", "seconds, or a duration such as 1h30m"),
        ("topreempt/saved-at", "noon", "a timestamp such as"),
        ("volcano.sh/preemptable", "maybe", "one of true, yes, preemptible"),
    ],
)
def test_annotations_that_cannot_be_read(key: str, value: str, expected: str) -> None:
    with pytest.raises(InstanceError) as refused:
        imported(node("a"), pod("p", "a", 1, annotations={key: value}))
    assert f"metadata.annotations['{key}']: found '{value}', expected {expected}" in str(refused.value)


def test_terminating_pods_are_jobs_of_their_own() -> None:
    meta = {"deletionTimestamp": "2026-03-01T12:00:20Z", "deletionGracePeriodSeconds": 30}
    pods = [pod("p", "a", 1, owner=("Job", "j"), meta=meta), pod("q", "a", 1, owner=("Job", "j"))]
    result = imported(node("a"), *pods, now=NOON)
    assert members(result) == {"default/j": ["q"], "default/p (terminating)": ["p"]}
    going = jobs(result)["default/p (terminating)"]
    assert (going.state, going.grace_seconds) == ("terminating", 20)
    # Without --now, the deletion was asked for 30 seconds before its timestamp: that is the newest moment.
    assert jobs(imported(node("a"), *pods))["default/p (terminating)"].grace_seconds == 30
    late = imported(node("a"), *pods, now=datetime(2026, 3, 1, 13, tzinfo=UTC))
    assert jobs(late)["default/p (terminating)"].grace_seconds == 0
    assert said(late, "grace period is over")


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_finished_pods_hold_nothing(phase: str) -> None:
    result = imported(node("a"), pod("p", "a", 8, status={"phase": phase}), pod("q", "a", 8))
    assert members(result) == {"default/q": ["q"]}
    assert said(result, "finished pods, left out: 1")


def test_bound_pods_that_only_start_hold_their_room() -> None:
    assert members(imported(node("a"), pod("p", "a", 8, status={"phase": "Pending"}))) == {"default/p": ["p"]}


def test_who_is_never_evicted() -> None:
    result = imported(
        node("a"),
        pod("p", "a", 1, owner=("Node", "a")),
        pod("q", "a", 1, annotations={"volcano.sh/preemptable": "false"}),
        pod("r", "a", 1, labels={"kai.scheduler/preemptibility": "preemptible"}),
    )
    assert {name: job.preemptible for name, job in jobs(result).items()} == {
        "default/p": False,
        "default/q": False,
        "default/r": True,
    }


def test_groups_may_refuse_preemption() -> None:
    mark = {"annotations": {"pod-group-name": "g"}}
    for word, preemptible in (("non-preemptible", False), ("preemptible", True), ("", True)):
        group = thing("PodGroup", "scheduling.run.ai/v2alpha2", "g", "default", spec={"preemptibility": word})
        assert jobs(imported(node("a"), group, pod("p", "a", 1, **mark)))["default/g"].preemptible is preemptible
    group = thing("PodGroup", "scheduling.run.ai/v2alpha2", "g", "default", spec={"preemptibility": "seldom"})
    with pytest.raises(InstanceError, match=r"spec\.preemptibility: found 'seldom'"):
        imported(node("a"), group, pod("p", "a", 1, **mark))


def test_where_a_site_looks_for_priorities() -> None:
    site = Settings().with_options(jobs={"priority_order": ["label", "number"]})
    found = pod("p", "a", priority=0, labels={"priorityClassName": "inference"})
    assert jobs(imported(node("a"), found))["default/p"].priority == 0
    assert jobs(imported(node("a"), found, settings=site))["default/p"].priority == 125


def test_zero_times_of_go() -> None:
    zero = "0001-01-01T00:00:00Z"
    found = pod("p", "a", 1, meta={"deletionTimestamp": zero, "deletionGracePeriodSeconds": 30})
    assert jobs(imported(node("a"), found))["default/p (terminating)"].grace_seconds == 0


def test_priorities_by_number_class_label_and_default() -> None:
    classes = (
        thing("PriorityClass", "scheduling.k8s.io/v1", "high", value=500),
        thing("PriorityClass", "scheduling.k8s.io/v1", "low", value=-5, globalDefault=True),
    )
    pods = (
        pod("number", "a", priority=7, priorityClassName="high"),
        pod("named", "a", priority=None, priorityClassName="high"),
        pod("critical", "a", priority=None, priorityClassName="system-node-critical"),
        pod("labelled", "a", priority=None, labels={"priorityClassName": "train"}),
        pod("default", "a", priority=None),
    )
    result = imported(node("a"), *classes, *pods)
    assert {name.partition("/")[2]: job.priority for name, job in jobs(result).items()} == {
        "number": 7,
        "named": 500,
        "critical": 2_000_001_000,
        "labelled": 50,
        "default": -5,
    }
    assert said(result, "Priority class train is not in the data: 50")
    none = imported(node("a"), pod("p", "a", priority=None))
    assert jobs(none)["default/p"].priority == 0
    assert said(none, "Pods without priority, and no default class: priority 0.")


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(InstanceError, match=r"spec\.priorityClassName: found 'gold', expected a PriorityClass"):
        imported(node("a"), pod("p", "a", priority=None, priorityClassName="gold"))


def test_resources_of_a_pod() -> None:
    found = pod("p", "a", 2, cpu="1500m", overhead={"memory": "1Gi"})
    found["spec"]["containers"][0]["resources"]["requests"]["rdma/hca"] = "1"
    assert jobs(imported(node("a"), found))["default/p"].pods[0].resources == {
        "cpus": 1.5,
        "memory_gib": 1,
        "rdma/hca": 1,
    }
