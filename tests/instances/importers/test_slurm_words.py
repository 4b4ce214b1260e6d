"""Slurm's small languages: host lists, generic resources, amounts and links."""

import pytest

from topreempt import InstanceError
from topreempt.instances.importers.number_list import numbers
from topreempt.instances.importers.slurm.gres import gpu_count, memory_mib, parse_gres, parse_tres
from topreempt.instances.importers.slurm.gres_conf import read_gres_conf
from topreempt.instances.importers.slurm.hostlist import expand
from topreempt.instances.importers.slurm.words import duration, state_words

HERE = {"source": "s", "where": "w"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", ["n1"]),
        ("n[08-11,3]", ["n08", "n09", "n10", "n11", "n3"]),
        ("r[1-2]n[0-1]-x,login", ["r1n0-x", "r1n1-x", "r2n0-x", "r2n1-x", "login"]),
        ("switch.2.[1-2]", ["switch.2.1", "switch.2.2"]),
        ("[1101-1102]", ["1101", "1102"]),
        ("a,a", ["a"]),
        ("", []),
    ],
)
def test_host_lists(text: str, names: list[str]) -> None:
    assert list(expand(text, **HERE)) == names


@pytest.mark.parametrize(
    "text", ["n[1", "n1]", "n[2-1]", "n[]", "n[a]", "n[1-]", "a b", ",a", "n[0-999999999]", "n[0-999]x[0-999]"]
)
def test_wrong_host_lists(text: str) -> None:
    with pytest.raises(InstanceError):
        expand(text, **HERE)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("gpu:h100:4(IDX:0-1,4-5)", [("gpu", "h100", 4, (0, 1, 4, 5), None)]),
        ("gpu:4(S:0-1)", [("gpu", None, 4, None, (0, 1))]),
        ("gpu:(null):0(IDX:N/A)", [("gpu", None, 0, (), None)]),
        ("gpu:a100:2(S:0),gpu:v100:2(S:1)", [("gpu", "a100", 2, None, (0,)), ("gpu", "v100", 2, None, (1,))]),
        ("gres/gpu:h100:4", [("gpu", "h100", 4, None, None)]),
        ("gres:gpu:4", [("gpu", None, 4, None, None)]),
        ("gpu", [("gpu", None, 1, None, None)]),
        ("gpu:a100_1g.5gb:7", [("gpu", "a100_1g.5gb", 7, None, None)]),
        ("gpu:rtx-3090:1", [("gpu", "rtx-3090", 1, None, None)]),
        ("shard:t4:5(3/4,2/4)", [("shard", "t4", 5, None, None)]),
        ("(null)", []),
        ("N/A", []),
        ("", []),
    ],
)
def test_generic_resources(text: str, entries: list[tuple]) -> None:
    found = [(g.name, g.type, g.count, g.indices, g.sockets) for g in parse_gres(text, **HERE)]
    assert found == entries


@pytest.mark.parametrize("text", ["gpu:h100:2(IDX:0)", "gpu:(4", "gpu:4)", "gpu::x:y:4", "4", "gpu:2(IDX:b)", "gpu 2"])
def test_wrong_generic_resources(text: str) -> None:
    with pytest.raises(InstanceError):
        parse_gres(text, **HERE)


def test_trackable_resources() -> None:
    tres = parse_tres("cpu=64,mem=1.5G,node=1,billing=2K,gres/gpu:h100=3,gres/gpu:a100=1", **HERE)
    assert tres["mem"] == 1536
    assert tres["billing"] == 2048
    assert gpu_count(tres) == 4
    assert gpu_count({**tres, "gres/gpu": 4.0}) == 4
    assert memory_mib("4000Mn", **HERE) == 4000
    for text in ("cpu", "cpu=x", "mem=G"):
        with pytest.raises(InstanceError):
            parse_tres(text, **HERE)


def test_numbers_states_and_times() -> None:
    assert numbers("0,3-5,4", **HERE) == (0, 3, 4, 5)
    assert state_words("idle*") == {"IDLE", "NOT_RESPONDING"}
    assert state_words("IDLE+CLOUD+POWERED_DOWN") == {"IDLE", "CLOUD", "POWERED_DOWN"}
    assert duration("1-00:00:01", **HERE) == 86401
    assert duration("10:00", **HERE) == 600
    assert duration("UNLIMITED", **HERE) is None


def test_links_of_gres_conf() -> None:
    lines = [
        "Name=gpu File=/dev/a0 Links=-1,4,0",
        "Name=gpu File=/dev/a1 Links=4,-1,2",
        "Name=gpu File=/dev/a2 Links=0,2,-1",
    ]
    assert [gpu.links for gpu in read_gres_conf("\n".join(lines), source="g").of_node("n")] == [
        (-1, 4, 0),
        (4, -1, 2),
        (0, 2, -1),
    ]
    for old, new, message in [
        ("4,-1,2", "5,-1,2", "line 1, Links, field 2: found 4, expected 5, as line 2 has in field 1"),
        ("4,-1,2", "-1,4,2", "line 2, Links: found -1, expected -1 in field 2"),
        ("4,-1,2", "4,-1", "line 2, Links: found 2 fields, expected 3 fields"),
        ("4,-1,2", "4,-1,", "line 2, Links: found field 3 is empty"),
        ("4,-1,2", "4,-1,x", "line 2, Links"),
        ("File=/dev/a1", "File=/dev/a1 oops", "line 2: found 'oops'"),
    ]:
        with pytest.raises(InstanceError) as caught:
            read_gres_conf("\n".join(lines).replace(old, new), source="g")
        assert message in str(caught.value)


def test_what_gres_conf_does_not_say_of_single_gpus_is_noted() -> None:
    conf = read_gres_conf("AutoDetect=nvml\nName=mps Count=100\nName=gpu Count=2 Type=t4\n", source="g")
    assert [gpu.type for gpu in conf.of_node("n")] == ["t4", "t4"]
    assert len(conf.notes) == 2
