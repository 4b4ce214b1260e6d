"""Slurm to an instance: what each file says, in every shape, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from topreempt import ConfigError, Instance, InstanceError
from topreempt.instances.importers.merge import MachineRules
from topreempt.instances.importers.slurm import SlurmOptions, column_names, import_slurm, priorities

DATA = Path(__file__).parents[2] / "data" / "slurm"
REQUEST = {"name": "r", "priority": 9000, "gpus": 4}


def read(*names: str | Path, **options: Any) -> Instance:
    options = options or {"request_fields": REQUEST}
    return import_slurm([DATA / name for name in names], SlurmOptions(**options))[0]


def pods(instance: Instance, job: str) -> dict[str, Any]:
    return {pod.node: pod for pod in instance.jobs_by_name[job].pods}


@pytest.fixture
def changed(tmp_path: Path):
    def change(name: str, *pairs: tuple[str, str]) -> Path:
        text = (DATA / name).read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / name
        path.write_text(text)
        return path

    return change


@pytest.mark.parametrize("jobs", ["jobs.txt", "jobs.json", "jobs-old.json"])
@pytest.mark.parametrize("nodes", ["nodes.txt", "nodes.json"])
def test_text_and_json_say_the_same(nodes: str, jobs: str) -> None:
    instance = read(nodes, jobs, "topology.conf", "gres.conf")
    assert instance.shape("gn01").resources == {"cpus": 124 * 10**6, "memory_gib": 1020 * 10**6}
    assert instance.shape("gn01").models == ("h100",) * 8
    assert instance.shape("gn01").domains["cores"] == {"0-31": (0, 1, 2), "32-63": (3, 4, 5, 6, 7)}
    assert instance.shape("cpu1").gpus == 0
    state = {node.name: (node.cordoned, node.offline_slots) for node in instance.cluster.nodes}
    assert state == {"cpu1": (False, ()), "gn01": (False, ()), "gn02": (False, (7,)), "gn03": (True, ())}
    assert instance.nodes_by_name["gn01"].labels == {
        "partition/gpu": "true",
        "partition/long": "true",
        "feature/h100": "true",
        "feature/ib": "true",
    }
    assert pods(instance, "101")["gn01"].slots == (0, 1, 4, 5)
    assert {node: pod.slots for node, pod in pods(instance, "102").items()} == {
        "gn01": (2, 3),
        "gn02": (0, 1, 2, 3, 4, 5, 6),
    }
    assert pods(instance, "102")["gn01"].resources == {"cpus": 32, "memory_gib": 128}
    assert instance.jobs_by_name["101"].labels["user"] == "ann"
    assert not instance.jobs_by_name["102"].preemptible
    assert "103" not in instance.jobs_by_name
    assert "201" not in instance.jobs_by_name


def test_states_and_times_of_jobs() -> None:
    new, old = read("nodes.json", "jobs.json"), read("nodes.json", "jobs-old.json")
    for instance in (new, old):
        assert instance.jobs_by_name["102"].state == "terminating"
        assert pods(instance, "104")["gn02"].gpus == 1
        assert pods(instance, "104")["gn02"].slots is None
    assert new.jobs_by_name["101"].running_seconds == 2000
    assert old.jobs_by_name["101"].running_seconds == 1500
    assert any("latest start of a job, 1750001500" in note for note in old.comment)
    assert read("nodes.txt", "jobs.txt").jobs_by_name["101"].running_seconds == 26 * 3600 + 3 * 60 + 4
    assert read("nodes.json", "jobs-old.json", now=1750000600, request_fields=REQUEST).jobs_by_name[
        "101"
    ].running_seconds == 600  # fmt: skip


@pytest.mark.parametrize("jobs", ["jobs.txt", "jobs.json", "jobs-old.json"])
def test_a_pending_job_is_the_request(jobs: str) -> None:
    request = read("nodes.json", jobs, "topology.conf", request=201).request
    assert (request.name, request.priority, request.pods, request.gpus) == ("201", 9000, 2, 4)
    assert request.gpu_models == ("h100",)
    assert request.resources == {"cpus": 32, "memory_gib": 128}
    assert request.node_labels == {"partition/gpu": "true", "feature/h100": "true", "feature/ib": "true"}
    assert (request.affinity.gang.island, request.affinity.gang.mode) == ("tier-1", "best-effort")


def test_fields_of_a_file_win_over_the_pending_job() -> None:
    request = read("nodes.json", "jobs.json", request=201, request_fields={"priority": 7, "gpus": 2}).request
    assert (request.name, request.priority, request.gpus) == ("201", 7, 2)


def test_use_that_no_job_explains_is_nobodys_to_evict() -> None:
    instance = read("nodes.txt", "jobs.txt")
    assert pods(instance, "unexplained-gn01")["gn01"].slots == (6,)
    assert pods(instance, "unexplained-cpu1")["cpu1"].resources == {"cpus": 8}
    assert not instance.jobs_by_name["unexplained-gn01"].preemptible
    alone = read("nodes.txt")
    assert {job.name for job in alone.jobs} == {f"unexplained-{node}" for node in ("cpu1", "gn01", "gn02")}


def test_counts_without_indices_stay_counts(changed) -> None:
    nodes = changed("nodes.txt", ("   GresUsed=gpu:h100:7(IDX:0-6)\n", ""))
    instance = read(nodes)
    assert pods(instance, "unexplained-gn01")["gn01"].gpus == 7
    lines = ("   JOB_GRES=gpu:h100:4\n     Nodes=gn01 CPU_IDs=0-63 Mem=524288 GRES=gpu:h100:4(IDX:0-1,4-5)\n", "")
    assert pods(read("nodes.txt", changed("jobs.txt", lines)), "101")["gn01"].gpus == 4


def test_what_is_not_told_by_node_is_split_evenly_or_refused(changed) -> None:
    detail = (
        "     Nodes=gn01 CPU_IDs=64-95 Mem=131072 GRES=gpu:h100:2(IDX:2-3)\n"
        "     Nodes=gn02 CPU_IDs=0-127 Mem=1048576 GRES=gpu:h100:7(IDX:0-6)\n"
    )
    with pytest.raises(InstanceError, match=r"job 102.*9 GPUs on 2 nodes.*scontrol -d"):
        read("nodes.txt", changed("jobs.txt", (detail, "")))
    even = changed(
        "jobs.txt",
        (detail, ""),
        ("AllocTRES=cpu=160,mem=1152G,node=2,billing=160,gres/gpu=9", "AllocTRES=cpu=160,mem=1152G,gres/gpu=6"),
    )
    instance = read("nodes.txt", even)
    assert {node: pod.gpus for node, pod in pods(instance, "102").items()} == {"gn01": 3, "gn02": 3}
    assert pods(instance, "102")["gn01"].resources == {"cpus": 80, "memory_gib": 576}
    assert any("GPUs of a job by node are not told" in note for note in instance.comment)


def test_one_line_a_record_reads_the_same(tmp_path: Path) -> None:
    for name in ("nodes.txt", "jobs.txt"):
        text = (DATA / name).read_text().replace(" State=lies", "").replace(" NodeList=nowhere", "")
        records = ["".join(f"{line.strip()} " for line in part.splitlines()) for part in text.split("\n\n")]
        (tmp_path / name).write_text("\n".join(records).replace(" with JobState=PENDING", ""))
    many, one = (
        read("nodes.txt", "jobs.txt", request=201),
        read(tmp_path / "nodes.txt", tmp_path / "jobs.txt", request=201),
    )
    assert one == many


def test_sinfo_json_groups_nodes() -> None:
    instance = read("sinfo.json")
    assert [node.name for node in instance.cluster.nodes] == ["gn01", "gn02", "gn03"]
    assert pods(instance, "unexplained-gn03")["gn03"].slots == tuple(range(8))


def test_default_table_of_sinfo_needs_gpus_from_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "sinfo.txt"
    path.write_text("PARTITION AVAIL TIMELIMIT NODES STATE NODELIST\ngpu* up infinite 2 drng gn[01-02]\n")
    instance = read(path, "gres.conf")
    assert {node.name: node.cordoned for node in instance.cluster.nodes} == {"gn01": True, "gn02": True, "gn03": False}
    with pytest.raises(InstanceError, match=r"node gn01.*the number of its GPUs"):
        read(path)


@pytest.mark.parametrize(
    ("options", "levels"),
    [({}, ("tier-3", "tier-2", "tier-1")), ({"fabric_levels": ("zone", "row", "rack")}, ("zone", "row", "rack"))],
)
@pytest.mark.parametrize("file", ["topology.conf", "topology.yaml"])
def test_a_tree_of_uneven_depth(file: str, options: dict[str, Any], levels: tuple[str, ...]) -> None:
    instance = read("nodes.txt", file, request_fields=REQUEST, **options)
    assert instance.cluster.levels_above == levels
    paths = {node.name: tuple(node.within[level] for level in levels) for node in instance.cluster.nodes}
    assert paths == {
        "gn01": ("top", "spine", "leaf1"),
        "gn02": ("top", "spine", "leaf1"),
        "gn03": ("top", "spine", "leaf2"),
        "cpu1": ("top", "lone", "lone"),
    }
    assert any("gn09" in note for note in instance.comment)


def test_blocks_join_in_their_order() -> None:
    instance = read("nodes.txt", "topology.yaml", topology="block1", request_fields=REQUEST)
    paths = {node.name: tuple(node.within.values()) for node in instance.cluster.nodes}
    assert paths == {"gn01": ("b1+1", "b1"), "gn02": ("b1+1", "b1"), "gn03": ("b1+1", "b2"), "cpu1": ("b1+1", "b2")}
    assert read("nodes.txt", "topology.yaml", topology="plain", request_fields=REQUEST).cluster.levels_above == ()


def test_machine_rules_give_places_and_slurm_gives_counts() -> None:
    rules = MachineRules.from_options(machine=["gn*=dgx-h100"])
    instance = read("nodes.txt", "jobs.txt", request_fields=REQUEST, rules=rules)
    shape = instance.shape("gn01")
    assert shape.fully_linked
    assert shape.domains["numa"] == {"n0": (0, 1, 2, 3), "n1": (4, 5, 6, 7)}
    assert shape.models == ("h100",) * 8
    alone = read("jobs.json", request_fields=REQUEST, rules=rules)
    assert {node.name for node in alone.cluster.nodes} == {"gn01", "gn02"}
    wrong = MachineRules.from_options(machine=["gn*=l40s-4"])
    with pytest.raises(InstanceError, match=r"node gn01.*8 GPUs.*4 GPUs"):
        read("nodes.txt", request_fields=REQUEST, rules=wrong)


def test_priorities_of_qos_win_over_partitions_and_both_over_the_job() -> None:
    options = {"qos_priority": {"normal": 5}, "partition_priority": {"gpu": 3}, "request_fields": REQUEST}
    instance = read("nodes.txt", "jobs.txt", **options)
    assert {name: instance.jobs_by_name[name].priority for name in ("101", "102")} == {"101": 3, "102": 5}
    assert priorities(["a=b=-3"], "--qos-priority") == {"a=b": -3}
    for word in ("a", "=3", "a=x", "a=1.5"):
        with pytest.raises(ConfigError):
            priorities([word], "--qos-priority")


def test_parts_of_a_heterogeneous_job_are_one_job(tmp_path: Path) -> None:
    document = json.loads((DATA / "jobs.json").read_text())
    for job in document["jobs"][::2]:
        job["het_job_id"] = {"set": True, "infinite": False, "number": 101}
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps(document))
    assert {pod.name for pod in read("nodes.json", path).jobs_by_name["101"].pods} == {"101-gn01", "104-gn02"}


def test_shards_are_shares_of_gpus(tmp_path: Path) -> None:
    nodes, jobs = tmp_path / "nodes.json", tmp_path / "jobs.json"
    nodes.write_text(
        '{"nodes": [{"name": "a", "state": ["MIXED"], "gres": "gpu:t4:2,shard:t4:8",'
        ' "gres_used": "gpu:t4:0(IDX:N/A),shard:t4:5(3/4,2/4)"}]}'
    )
    job = (
        '{{"job_id": {}, "job_state": "RUNNING", "priority": 1, "nodes": "a", "tres_alloc_str": "cpu=1,gres/shard={}"}}'
    )
    jobs.write_text(f'{{"jobs": [{job.format(1, 3)}, {job.format(2, 2)}]}}')
    instance = read(nodes, jobs)
    assert [(pod.gpus, pod.share) for job in instance.jobs for pod in job.pods] == [(1, 0.75), (1, 0.5)]
    jobs.write_text('{"jobs": []}')
    assert [pod.gpus for job in read(nodes, jobs).jobs for pod in job.pods] == [2]


@pytest.mark.parametrize(
    ("state", "cordoned"),
    [("IDLE", False), ("MIXED+PLANNED", False), ("IDLE+DRAIN", True), ("idle*", True), ("drng", True), ("FUTURE", True),
     ("IDLE+NEWSTATE", True), ("mix", False), ("ALLOCATED+MAINT", True), ("down~", True)],
)  # fmt: skip
def test_states_in_which_a_node_takes_no_work(changed, state: str, cordoned: bool) -> None:
    path = changed("nodes.txt", ("State=MIXED", f"State={state}"))
    assert read(path).nodes_by_name["gn01"].cordoned is cordoned
    usual = read(path, cordoning_states=frozenset({"MIXED"}), request_fields=REQUEST)
    assert not usual.nodes_by_name["cpu1"].cordoned


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("nodes.txt", "CPUEfctv=124", "CPUEfctv=many", "line 2, CPUEfctv"),
        ("nodes.txt", "Gres=gpu:h100:8(S:0-1)", "Gres=gpu:h100:8(S:0-1", "line 5, Gres"),
        ("nodes.txt", "gpu:h100:7(IDX:0-6)", "gpu:h100:7(IDX:0-5)", "line 7, GresUsed"),
        ("nodes.txt", "gpu:h100:1(IDX:7)", "gpu:h100:1(IDX:8)", "node gn02"),
        ("nodes.txt", "NodeName=gn01", "NodeName=gn[01-02]", "the name of one node"),
        ("jobs.txt", "NodeList=gn01\n", "NodeList=gn[01\n", "a list of names"),
        ("jobs.txt", "NodeList=gn01\n", "NodeList=gn77\n", "a node of the job's NodeList"),
        ("jobs.txt", "RunTime=1-02:03:04", "RunTime=yesterday", "a time such as"),
        ("jobs.txt", "mem=512G", "mem=lots", "an amount of memory"),
        ("jobs.txt", "(IDX:0-1,4-5)", "(IDX:0-1,4-9)", "as many indices as the count"),
        ("jobs.txt", "Priority=1000", "Priority=high", "line 3, Priority"),
        ("jobs.txt", "JobId=102", "JobId=101", "one state of each job"),
        ("jobs.json", '"gpu:h100:2(IDX:2-3)", ', "", "jobs[1].gres_detail"),
        ("jobs.json", '"nodes": "gn01"', '"nodes": "gn01-"', "a node that one of the files describes"),
        ("jobs.json", '"job_id": 102', '"job_id": "x"', "jobs[1].job_id"),
        ("jobs.json", '"number": 1000}', '"number": []}', "jobs[0].priority"),
        ("jobs.json", '"errors": []', '"errors": [{"error": "slurm is down"}]', "slurm is down"),
        ("jobs.json", '"jobs": [', '"work": [', "nodes, jobs or sinfo"),
        ("topology.conf", "Switches=leaf[1-2]", "Switches=leaf[1-3]", "leaf3"),
        ("topology.conf", "Nodes=gn03,gn09", "Nodes=gn03,gn01", "a node below one switch only"),
        ("topology.conf", "SwitchName=lone Nodes=cpu1", "SwitchName=lone Switches=top", "a tree without circles"),
        ("topology.conf", "SwitchName=lone", "Switch=lone", "SwitchName=, BlockName= or BlockSizes="),
        ("gres.conf", "[0-2]", "[0-1]", "7 GPUs in gres.conf"),
        ("gres.conf", "Cores=32-63", "Cores=63-32", "line 3, Cores"),
    ],
)
def test_damage_is_refused_with_its_place(changed, name: str, old: str, new: str, message: str) -> None:
    files = {"nodes.txt", "jobs.txt", "topology.conf", "gres.conf"} - ({"jobs.txt"} if name == "jobs.json" else set())
    others = sorted(files - {name})
    with pytest.raises(InstanceError) as caught:
        read(*others, changed(name, (old, new)))
    assert message in str(caught.value)


def test_a_request_must_be_told() -> None:
    with pytest.raises(InstanceError, match=r"pending job \(201\)"):
        import_slurm([DATA / "nodes.txt", DATA / "jobs.txt"])
    with pytest.raises(InstanceError, match=r"job 101.*RUNNING.*pending are 201"):
        read("nodes.txt", "jobs.txt", request=101)
    with pytest.raises(InstanceError, match=r"job 7.*not in the files"):
        read("nodes.txt", "jobs.txt", request=7)
    with pytest.raises(InstanceError, match=r"request.*colour"):
        read("nodes.txt", request_fields={**REQUEST, "colour": "red"})


def test_options_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="3 names"):
        read("nodes.txt", "topology.conf", fabric_levels=("rack",), request_fields=REQUEST)
    with pytest.raises(ConfigError):
        column_names("memory,gres")
    assert column_names("gres,name") == ("gres", "name")


def test_files_of_no_kind_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    for text in (
        "JOB_GRES=gpu:2\n",
        "hello world\n",
        "{}",
        "[]",
        '{"nodes": 3}',
        '{"jobs": [3]}',
        "# only a comment\n",
    ):
        path.write_text(text)
        with pytest.raises(InstanceError) as caught:
            read(path)
        assert "x.txt" in str(caught.value) or "no nodes" in str(caught.value)


def test_the_same_files_give_the_same_instance_in_any_order() -> None:
    files = ["nodes.json", "jobs.json", "gres.conf", "topology.conf"]
    first, second = read(*files), read(*reversed(files))
    assert first.model_copy(update={"comment": ()}) == second.model_copy(update={"comment": ()})
    assert first == read(*files)
