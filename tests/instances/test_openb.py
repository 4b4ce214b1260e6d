"""The openb importer: what it reads, the rule by which it places, and what it says of damaged files."""

from collections import Counter
from pathlib import Path

import pytest

from topreempt import ConfigError, InstanceError
from topreempt.instances.importers.openb import OpenbRules, import_openb

DATA = Path(__file__).parent.parent / "data" / "openb"
NODES, PODS = DATA / "nodes.csv", DATA / "pods.csv"
REQUEST = {"name": "r", "priority": 1000, "gpus": 1}


def test_nodes_are_as_the_trace_has_them() -> None:
    instance = import_openb(NODES, PODS, REQUEST)
    rows = [line.split(",") for line in NODES.read_text().splitlines()[1:]]
    assert [node.name for node in instance.cluster.nodes] == [row[0] for row in rows]
    for name, cpu, memory, gpus, model in rows:
        shape = instance.shape(name)
        assert (shape.gpus, shape.models) == (int(gpus), (model,) * int(gpus))
        assert shape.resources["cpus"] == int(cpu) * 1000
        assert shape.resources["memory_gib"] == round(int(memory) / 1024 * 10**6)


def test_sockets_are_halves_unless_said_otherwise() -> None:
    shape = import_openb(NODES, PODS, REQUEST).shape
    eight = next(line.split(",")[0] for line in NODES.read_text().splitlines() if line.endswith("8,G2"))
    assert shape(eight).domains["socket"] == {"socket0": (0, 1, 2, 3), "socket1": (4, 5, 6, 7)}
    rules = OpenbRules(sockets={8: 3}, numa={8: 8})
    uneven = import_openb(NODES, PODS, REQUEST, rules)
    assert [len(slots) for slots in uneven.shape(eight).domains["socket"].values()] == [3, 3, 2]
    assert len(uneven.shape(eight).domains["numa"]) == 8
    assert "8=3" in "".join(uneven.comment)


def test_pods_keep_size_class_and_model() -> None:
    instance = import_openb(NODES, PODS, REQUEST, OpenbRules(seed=3))
    rows = {line.split(",")[0]: line.split(",") for line in PODS.read_text().splitlines()[1:]}
    priority = {"BE": 10, "Burstable": 100, "LS": 500, "Guaranteed": 800}
    assert len(instance.jobs) > 20
    for job in instance.jobs:
        (pod,) = job.pods
        _, cpu, _, gpus, milli, spec, qos, _, _, deleted, scheduled = rows[job.name.rpartition(".")[0]]
        assert len(pod.slots or ()) == int(gpus)
        assert pod.share == int(milli) / 1000
        assert pod.resources["cpus"] == int(cpu) / 1000
        assert job.priority == priority[qos]
        assert not spec or instance.shape(pod.node).models[0] in spec.split("|")
        assert 0 <= (job.running_seconds or 0) <= float(deleted) - float(scheduled)


@pytest.mark.parametrize("placing", ["random", "best-fit"])
def test_fill_and_capacities_hold(placing: str) -> None:
    instance = import_openb(NODES, PODS, REQUEST, OpenbRules(fill=0.6, placing=placing, seed=1))
    held: Counter[tuple[str, int]] = Counter()
    cpus: Counter[str] = Counter()
    for job in instance.jobs:
        for pod in job.pods:
            cpus[pod.node] += round(pod.resources["cpus"] * 1000)
            held.update({(pod.node, slot): round(pod.share * 1000) for slot in pod.slots or ()})
    total = sum(instance.shape(node.name).gpus for node in instance.cluster.nodes)
    assert max(held.values()) <= 1000
    assert all(cpus[node.name] <= instance.shape(node.name).resources["cpus"] / 1000 for node in instance.cluster.nodes)
    assert 0.6 <= sum(held.values()) / 1000 / total < 0.6 + 8 / total


def test_best_fit_leaves_more_whole_nodes_free() -> None:
    def empty(placing: str) -> int:
        instance = import_openb(NODES, PODS, REQUEST, OpenbRules(fill=0.5, placing=placing))
        return len(instance.cluster.nodes) - len({pod.node for job in instance.jobs for pod in job.pods})

    assert empty("best-fit") > empty("random")


def test_same_seed_same_instance() -> None:
    assert import_openb(NODES, PODS, REQUEST, OpenbRules(seed=9)) == import_openb(
        NODES, PODS, REQUEST, OpenbRules(seed=9)
    )
    assert import_openb(NODES, PODS, REQUEST, OpenbRules(seed=9)).jobs != import_openb(NODES, PODS, REQUEST).jobs


def test_comment_says_what_was_assumed() -> None:
    comment = " ".join(import_openb(NODES, PODS, REQUEST, OpenbRules(seed=7)).comment)
    for word in ("no placement", "no topology", "seed 7", "95%", "LS=500", "nodes.csv", "pods.csv"):
        assert word in comment


def test_empty_fill_needs_no_pods_that_ran() -> None:
    assert import_openb(NODES, PODS, REQUEST, OpenbRules(fill=0.0)).jobs == ()


NODE_LINE = "n1,64000,262144,2,T4"
NODE_HEAD = "sn,cpu_milli,memory_mib,gpu,model"
POD_HEAD = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time"
)
POD_LINE = "p1,1000,1024,1,500,,LS,Running,0,100,0"


@pytest.mark.parametrize(
    ("nodes", "pods", "says"),
    [
        ("", POD_LINE, "nodes.csv: found an empty file, expected a CSV file"),
        (NODE_HEAD, POD_LINE, "nodes.csv: found only a first line, expected at least one line of data"),
        ("sn,gpu\nn1,2", POD_LINE, "nodes.csv: line 1: found 'sn,gpu', expected a column named cpu_milli"),
        (f"{NODE_HEAD},sn\n{NODE_LINE},x", POD_LINE, "nodes.csv: line 1: found sn, expected each column once"),
        (f"{NODE_HEAD}\n{NODE_LINE}\nn2,64000", POD_LINE, "nodes.csv: line 3: found 2 cells, expected 5"),
        (
            f"{NODE_HEAD}\nn1,64000,262144,two,T4",
            POD_LINE,
            "nodes.csv: line 2, column gpu: found 'two', expected a whole",
        ),
        (
            f"{NODE_HEAD}\nn1,-1,262144,2,T4",
            POD_LINE,
            "nodes.csv: line 2, column cpu_milli: found '-1', expected at least 0",
        ),
        (
            f"{NODE_HEAD}\n{NODE_LINE}\n{NODE_LINE}",
            POD_LINE,
            "nodes.csv: line 3, column sn: found n1, expected a name that",
        ),
        (f'{NODE_HEAD}\nn1,"640', POD_LINE, "nodes.csv: line 2: expected comma-separated cells"),
        (
            f"{NODE_HEAD}\n{NODE_LINE}",
            "p1,1000,1024,1,1500,,LS,Running,0,100,0",
            "pods.csv: line 2, column gpu_milli: found '1500'",
        ),
        (
            f"{NODE_HEAD}\n{NODE_LINE}",
            "p1,1000,1024,1,0,,LS,Running,0,100,0",
            "pods.csv: line 2, column gpu_milli: found 0",
        ),
        (
            f"{NODE_HEAD}\n{NODE_LINE}",
            "p1,1000,1024,1,500,,XX,Running,0,100,0",
            "pods.csv: line 2, column qos: found XX",
        ),
        (f"{NODE_HEAD}\n{NODE_LINE}", "p1,1000,1024,1,500,,LS,Running,0,nan,0", "column deletion_time: found 'nan'"),
        (
            f"{NODE_HEAD}\n{NODE_LINE}",
            "p1,1000,1024,1,500,,LS,Pending,0,100,",
            "pods: found none, expected a pod with GPUs",
        ),
        (f"{NODE_HEAD}\n{NODE_LINE}\0", POD_LINE, "nodes.csv: found a NUL character"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, nodes: str, pods: str, says: str) -> None:
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "pods.csv").write_text(f"{POD_HEAD}\n{pods}\n")
    with pytest.raises(InstanceError) as caught:
        import_openb(tmp_path / "nodes.csv", tmp_path / "pods.csv", REQUEST)
    assert says in str(caught.value)


def test_missing_file_and_wrong_encoding(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match="expected a readable file"):
        import_openb(tmp_path / "nodes.csv", PODS, REQUEST)
    (tmp_path / "nodes.csv").write_bytes(f"{NODE_HEAD}\nn\xe9,64000,262144,2,T4".encode("latin-1"))
    with pytest.raises(InstanceError, match="line 2, expected UTF-8 text"):
        import_openb(tmp_path / "nodes.csv", PODS, REQUEST)


def test_columns_may_stand_in_any_order_with_others_between(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text("gpu,zone,model,sn,memory_mib,cpu_milli\r\n2,z1,T4,n1,262144,64000\r\n")
    instance = import_openb(tmp_path / "nodes.csv", PODS, REQUEST, OpenbRules(fill=0.0))
    assert instance.shape("n1").models == ("T4", "T4")


def test_rules_out_of_range() -> None:
    with pytest.raises(ConfigError, match="fill"):
        import_openb(NODES, PODS, REQUEST, OpenbRules(fill=-0.1))
