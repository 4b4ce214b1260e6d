import pytest

from topreempt.instances.importers.kubernetes.core_objects import (
    LabelSelector,
    Node,
    Pod,
    Requirement,
    Taint,
    Toleration,
)
from topreempt.instances.importers.kubernetes.selection import (
    LabelIndex,
    meets,
    selects,
    tolerates,
    unmet_affinity,
    untolerated,
)
from topreempt.models import InstanceError

OWNER = Node.model_validate({"metadata": {"name": "n"}})


@pytest.mark.parametrize(
    ("operator", "values", "label", "met"),
    [
        ("In", ["a", "b"], "b", True),
        ("In", ["a"], "b", False),
        ("In", ["a"], None, False),
        ("NotIn", ["a"], "b", True),
        ("NotIn", ["a"], "a", False),
        ("NotIn", ["a"], None, True),
        ("Exists", [], "", True),
        ("Exists", [], None, False),
        ("DoesNotExist", [], None, True),
        ("DoesNotExist", [], "a", False),
        ("Gt", ["8"], "9", True),
        ("Gt", ["8"], "8", False),
        ("Gt", ["8"], "nine", False),
        ("Gt", ["8"], None, False),
        ("Lt", ["8"], "-1", True),
        ("Lt", ["8"], "8", False),
        ("Lt", [], "8", False),
    ],
)
def test_operators(operator: str, values: list[str], label: str | None, met: bool) -> None:
    line = Requirement(key="k", operator=operator, values=tuple(values))
    assert meets({} if label is None else {"k": label}, line, OWNER) is met


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(InstanceError, match="found 'Like', expected a selector's operator"):
        meets({}, Requirement(key="k", operator="Like"), OWNER)


def test_all_lines_of_a_selector_count() -> None:
    selector = LabelSelector.model_validate(
        {"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]}
    )
    assert selects(selector, {"a": "1", "b": ""}, OWNER)
    assert not selects(selector, {"a": "1"}, OWNER)
    assert not selects(selector, {"a": "2", "b": ""}, OWNER)
    assert selects(LabelSelector(), {}, OWNER)


def pod(terms: list[dict] | None) -> Pod:
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    spec = {} if terms is None else {"affinity": {"nodeAffinity": required}}
    return Pod.read({"metadata": {"name": "p"}, "spec": spec}, file="f", path="")


@pytest.mark.parametrize(
    ("terms", "met"),
    [
        (None, True),
        ([], False),
        ([{}], False),
        ([{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a", "c"]}]}], True),
        ([{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]}], False),
        (
            [
                {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["b"]}]},
                {"matchExpressions": [{"key": "gpus", "operator": "Gt", "values": ["4"]}]},
            ],
            True,
        ),
        (
            [
                {
                    "matchExpressions": [{"key": "pool", "operator": "Exists"}],
                    "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}],
                }
            ],
            False,
        ),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}], True),
    ],
)
def test_one_term_of_the_affinity_must_be_met(terms: list[dict] | None, met: bool) -> None:
    node = Node.model_validate({"metadata": {"name": "n1", "labels": {"pool": "a", "gpus": "8"}}})
    assert (unmet_affinity(pod(terms), node) is None) is met


@pytest.mark.parametrize(
    ("toleration", "covered"),
    [
        ({"key": "dedicated", "operator": "Equal", "value": "ml", "effect": "NoSchedule"}, True),
        ({"key": "dedicated", "value": "ml"}, True),
        ({"key": "dedicated", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "dedicated", "value": "web"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"value": "ml"}, False),
        ({}, False),
    ],
)
def test_tolerations(toleration: dict, covered: bool) -> None:
    taint = Taint(key="dedicated", value="ml", effect="NoSchedule")
    assert tolerates(Toleration.model_validate(toleration), taint) is covered


def test_soft_taints_keep_nobody_off() -> None:
    node = Node.model_validate(
        {
            "metadata": {"name": "n"},
            "spec": {
                "taints": [
                    {"key": "soft", "effect": "PreferNoSchedule"},
                    {"key": "hard", "value": "x", "effect": "NoExecute"},
                ]
            },
        }
    )
    assert untolerated(pod(None).spec, node) == "hard=x:NoExecute"
    spec = pod(None).spec.model_copy(update={"tolerations": (Toleration(key="hard", operator="Exists"),)})
    assert untolerated(spec, node) is None


def test_an_index_finds_what_a_scan_finds() -> None:
    pods = [
        Pod.read(
            {"metadata": {"name": f"p{n}", "namespace": f"s{n % 2}", "labels": {"a": str(n % 3)}}, "spec": {}},
            file="",
            path="",
        )
        for n in range(12)
    ]
    owner = Pod.read({"metadata": {"name": "o", "namespace": "s1"}, "spec": {}}, file="", path="")
    index = LabelIndex(pods)
    for data in (
        {},
        {"matchLabels": {"a": "1"}},
        {"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]},
        {"matchLabels": {"z": "1"}},
    ):
        selector = LabelSelector.model_validate(data)
        expected = [p for p in pods if p.metadata.namespace == "s1" and selects(selector, p.metadata.labels, owner)]
        assert index.selected(selector, owner) == expected
