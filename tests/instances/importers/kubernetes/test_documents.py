from pathlib import Path

import pytest

from topreempt.instances.importers.kubernetes.documents import raw_objects
from topreempt.models import InstanceError

POD = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%s"}}'


def read(path: Path, text: str) -> list[tuple[str, str, str]]:
    file = path / "file.txt"
    file.write_text(text, encoding="utf-8")
    return [(raw.path, raw.data["kind"], raw.data.get("metadata", {}).get("name", "")) for raw in raw_objects(file)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (POD % "a", [("", "Pod", "a")]),
        (
            f'{{"apiVersion": "v1", "items": [{POD % "a"}, {POD % "b"}], "kind": "List"}}',
            [("items[0]", "Pod", "a"), ("items[1]", "Pod", "b")],
        ),
        ('{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}', [("items[0]", "Pod", "a")]),
        ('{"kind": "List", "apiVersion": "v1", "items": []}', []),
        (POD % "a" + "\n" + POD % "b", [("", "Pod", "a"), ("document[1]", "Pod", "b")]),
        (
            '{"kind": "List", "apiVersion": "v1", "items": [{"kind": "List", "apiVersion": "v1", "items": [%s]}]}'
            % (POD % "a"),
            [("items[0].items[0]", "Pod", "a")],
        ),
        ("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", [("", "Pod", "a")]),
        ("{apiVersion: v1, kind: Pod, metadata: {name: a}}", [("", "Pod", "a")]),
        (
            "---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: List\nitems:\n"
            "- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
            [("document[0]", "Pod", "a"), ("document[1].items[0]", "Pod", "b")],
        ),
        ('{"apiVersion": "v1", "kind": "ConfigMap", "items": [1]}', [("", "ConfigMap", "")]),
        ('{"apiVersion": "v1", "items": null, "kind": "List"}', []),
    ],
)
def test_every_form_of_a_file(tmp_path: Path, text: str, found: list[tuple[str, str, str]]) -> None:
    assert read(tmp_path, text) == found


def test_nulls_are_absent(tmp_path: Path) -> None:
    for text in (
        '{"apiVersion": "v1", "kind": "Pod", "spec": null, "x": {"y": null}}',
        "{apiVersion: v1, kind: Pod, spec: null, x: {y: ~}}",
    ):
        file = tmp_path / "file"
        file.write_text(text, encoding="utf-8")
        assert [raw.data for raw in raw_objects(file)] == [{"apiVersion": "v1", "kind": "Pod", "x": {}}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a JSON or YAML document"),
        ("[1]", "found [1], expected a Kubernetes object"),
        ("word", "found 'word', expected a Kubernetes object"),
        ("{}", "apiVersion: expected a Kubernetes object"),
        ('{"apiVersion": "v1"}', "kind: expected a Kubernetes object"),
        ('{"apiVersion": 1, "kind": "Pod"}', "apiVersion: found 1"),
        (
            '{"apiVersion": "v1", "kind": "List", "items": {}}',
            "items: found an empty mapping, expected a list of objects",
        ),
        ('{"apiVersion": "v1", "kind": "List", "items": [7]}', "items[0]: found 7"),
        ('{"apiVersion": "v1", "items": [], "kind": "Pod"}', "kind: found 'Pod', expected List"),
        (
            '{"kind": "Pod",\n "kind": "Pod"}',
            "line 2, column 8: expected well-formed JSON (the key 'kind' stands twice)",
        ),
        ('{"kind": {"a": 1, "a": 2}}', "the key 'a' stands twice"),
        ('{"kind": "Pod"', "line 1, column 15: expected well-formed JSON"),
        ((POD % "a") + " x", "line 1, column 64: expected well-formed JSON"),
        ('{"apiVersion": "v1", "items": [{"apiVersion": "v1", "kind": "Pod"} {', "well-formed JSON"),
        ('{"kind": NaN}', "NaN is not a number that JSON has"),
        ('{"a": ' + "[" * 100_000, "too deep"),
        ("a: &x 1\nb: *x\n", "aliases are not allowed"),
        ("a: 1\na: 2\n", "the key 'a' stands twice"),
        ("a: [", "well-formed YAML"),
        ("kind: Pod\x00", "NUL"),
    ],
)
def test_broken_files_are_refused_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InstanceError) as refused:
        read(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path / 'file.txt'}: ")
    assert message in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InstanceError, match="No such file"):
        list(raw_objects(tmp_path / "absent.json"))
