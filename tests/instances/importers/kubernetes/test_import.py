import random
from pathlib import Path

import pytest
import yaml
from kubectl import gpu, listed, node, nrt, offered, pod, thing, zone

from topreempt.instances.importers.kubernetes import Options, Settings, import_kubernetes
from topreempt.instances.write import plain_instance, text_of
from topreempt.models import ConfigError, Instance, InstanceError

EXAMPLE = Path(__file__).parents[4] / "examples" / "kubernetes"


def objects() -> list[dict]:
    return [
        *(node(f"n{number}", labels={"topology.kubernetes.io/rack": f"r{number // 2}"}) for number in range(4)),
        nrt("n0", zone(0, 4, 4, 2, cpu="32"), zone(1, 4, 3, 3, cpu="32")),
        node("d0", 0),
        offered("d0", *(gpu(number, number // 2) for number in range(4))),
        *(
            pod(f"p{number}", f"n{number % 4}", 2, owner=("Job", f"j{number // 3}"), labels={"app": "x"})
            for number in range(9)
        ),
        thing(
            "PodDisruptionBudget", "policy/v1", "b", "default", spec={"selector": {}}, status={"disruptionsAllowed": 1}
        ),
        pod("wanted", None, 4, priority=100),
    ]


def text(path: Path) -> str:
    return text_of(plain_instance(import_kubernetes([path]).instance), json_only=True)


def test_the_same_bytes_whatever_the_order_and_the_form(tmp_path: Path) -> None:
    items = objects()
    first = tmp_path / "first.json"
    first.write_text(text_of(listed(*items), json_only=True), encoding="utf-8")
    expected = text(first)
    assert text(first) == expected
    mixed = random.Random(7)
    for number in range(5):
        mixed.shuffle(items)
        again = tmp_path / f"again-{number}.yaml"
        again.write_text(yaml.safe_dump_all(items), encoding="utf-8")
        assert text(again) == expected


def test_objects_may_be_spread_over_files(tmp_path: Path) -> None:
    items = objects()
    for name, part in (("a.json", items[:5]), ("b.yaml", items[5:12]), ("c", items[10:])):
        (tmp_path / name).write_text(text_of(listed(*part), json_only=name != "b.yaml"), encoding="utf-8")
    whole = tmp_path / "whole.json"
    whole.write_text(text_of(listed(*items), json_only=True), encoding="utf-8")
    spread = import_kubernetes([tmp_path / name for name in ("c", "a.json", "b.yaml")]).instance
    assert spread == import_kubernetes([whole]).instance


def test_one_object_that_says_two_things_is_refused(tmp_path: Path) -> None:
    for name, gpus in (("a.json", 1), ("b.json", 2)):
        (tmp_path / name).write_text(text_of(listed(node("n"), pod("p", "n", gpus)), json_only=True), encoding="utf-8")
    with pytest.raises(InstanceError) as refused:
        import_kubernetes([tmp_path / "a.json", tmp_path / "b.json"])
    assert f"{tmp_path / 'b.json'}: items[1]: found 'default/p'" in str(refused.value)
    assert f"items[1] in {tmp_path / 'a.json'}" in str(refused.value)


def test_every_broken_object_of_a_file_is_named(tmp_path: Path) -> None:
    broken = [pod("p", "n", 1, priority="high"), pod("q", "n", 1, tolerations=[{"operator": "Like"}]), node("n")]
    broken[0]["metadata"]["labels"] = {"a": 1}
    file = tmp_path / "broken.json"
    file.write_text(text_of(listed(*broken), json_only=True), encoding="utf-8")
    with pytest.raises(InstanceError) as refused:
        import_kubernetes([file])
    lines = str(refused.value).splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{file}: items[") for line in lines)
    assert "items[0].metadata.labels.a: found 1" in lines[0]
    assert "items[0].spec.priority: found 'high'" in lines[1]
    assert "items[1].spec.tolerations[0].operator: found 'Like'" in lines[2]
    assert "(Pod p)" in lines[1]


def test_other_kinds_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    others = [thing("ConfigMap", "v1", str(n), "default", data={"kind": "Pod"}) for n in range(3)]
    others.append(thing("Device", "other.example.com/v1", "d", spec=7))
    file.write_text(text_of(listed(node("n"), *others), json_only=True), encoding="utf-8")
    said = import_kubernetes([file]).assumptions
    assert "3 objects of kind ConfigMap (v1) passed over." in said
    assert "1 object of kind Device (other.example.com/v1) passed over." in said


def test_assumptions_are_kept_as_the_comment(tmp_path: Path) -> None:
    file = tmp_path / "f.json"
    file.write_text(text_of(listed(*objects()), json_only=True), encoding="utf-8")
    result = import_kubernetes([file])
    assert result.instance.comment == result.assumptions
    assert len(result.assumptions) > 3
    assert Instance.parse(plain_instance(result.instance)) == result.instance


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("levels: {levels: {zone: 7}}", "levels.levels.zone: found 7"),
        ("colours: {}", "colours: "),
        ("devices: {gpu_resource: [x]}", "devices.gpu_resource: "),
        ("devices: {shared_resources: {x: 0}}", "devices.shared_resources.x: found 0"),
        ("request: {tolerated: [{effect: Never}]}", "request.tolerated[0].effect: found 'Never'"),
        ("[]", "found []"),
    ],
)
def test_broken_settings_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InstanceError) as refused:
        Settings.load(file)
    assert f"{file}: " in str(refused.value)
    assert message in str(refused.value)


def test_settings_keep_what_a_file_does_not_name(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("devices: {gpu_resources: [site/npu]}", encoding="utf-8")
    settings = Settings.load(file).with_options(levels={"levels": {"hall": "site/hall"}})
    assert settings.devices.gpu_resources == ("site/npu",)
    assert settings.levels.levels == {"hall": "site/hall"}
    assert settings.jobs == Settings().jobs


def test_the_example_of_the_documentation() -> None:
    files = [EXAMPLE / "cluster.json", EXAMPLE / "topology.yaml"]
    result = import_kubernetes(files, Options(request="serving/chat-70b"))
    assert result.instance.request.gpus == 4
    with pytest.raises(ConfigError, match="several workloads wait"):
        import_kubernetes(files)
