import pytest
from kubectl import imported, node, pod, said, thing

from topreempt.instances.importers.kubernetes import Imported


def pdb(name: str, allowed: int | None, selector: dict | None, space: str = "default", **spec: object) -> dict:
    status = {} if allowed is None else {"disruptionsAllowed": allowed, "currentHealthy": 9}
    body = spec | ({} if selector is None else {"selector": selector})
    return thing("PodDisruptionBudget", "policy/v1", name, space, spec=body, status=status)


def app(name: str) -> dict:
    return {"matchLabels": {"app": name}}


def budgets(result: Imported) -> tuple[dict[str, int], dict[str, str | None]]:
    found = {budget.name: budget.max_evictions for budget in result.instance.budgets}
    return found, {job.name.partition("/")[2]: job.budget for job in result.instance.jobs}


def test_a_budget_covers_what_its_selector_selects() -> None:
    result = imported(
        node("a"),
        pdb("web", 2, app("web")),
        pdb("other", 1, app("none")),
        pdb("nobody", 0, None),
        pod("p", "a", labels={"app": "web"}),
        pod("q", "a", labels={"app": "db"}),
        pod("r", "a", space="else", labels={"app": "web"}),
    )
    assert budgets(result) == ({"default/web": 2}, {"p": "default/web", "q": None, "r": None})


def test_expressions_and_the_empty_selector() -> None:
    some = {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}
    pods = (pod("p", "a", labels={"app": "web"}), pod("q", "a", labels={"app": "db"}))
    assert budgets(imported(node("a"), pdb("x", 3, some), *pods))[1] == {"p": "default/x", "q": None}
    assert budgets(imported(node("a"), pdb("x", 3, {}), *pods))[1] == {"p": "default/x", "q": "default/x"}


def test_of_several_budgets_the_tightest_counts() -> None:
    result = imported(
        node("a"),
        pdb("loose", 5, {}),
        pdb("tight", 1, app("web")),
        pdb("also", 1, app("web")),
        pod("p", "a", labels={"app": "web"}),
    )
    assert budgets(result) == ({"default/also": 1}, {"p": "default/also"})
    assert said(result, "Jobs under several disruption budgets: only the tightest counts. (1: default/p)")


def test_a_budget_of_some_pods_covers_the_whole_job() -> None:
    pods = [pod(name, "a", owner=("Job", "j"), labels={"app": name}) for name in "pq"]
    result = imported(node("a"), pdb("x", 1, app("p")), *pods)
    assert budgets(result)[1] == {"j": "default/x"}
    assert said(result, "it is taken to cover all")


def test_terminating_pods_are_under_no_budget() -> None:
    gone = pod("p", "a", labels={"app": "web"}, meta={"deletionTimestamp": "2026-03-01T12:00:00Z"})
    assert budgets(imported(node("a"), pdb("x", 1, {}), gone))[0] == {}


@pytest.mark.parametrize(
    ("spec", "left"),
    [
        ({"maxUnavailable": 1}, 1),
        ({"maxUnavailable": "50%"}, 2),
        ({"maxUnavailable": "34%"}, 1),
        ({"minAvailable": 2}, 1),
        ({"minAvailable": "100%"}, 0),
        ({"minAvailable": "50%"}, 1),
        ({"minAvailable": 9}, 0),
        ({}, 0),
    ],
)
def test_without_status_the_pods_are_counted(spec: dict, left: int) -> None:
    # Three pods, all running: 34 % of 3 is 1.02, rounded up 2 (one of them is already missing below).
    ready = [{"type": "Ready", "status": "True"}]
    pods = [pod(name, "a", status={"conditions": ready}) for name in "pqr"]
    if spec == {"maxUnavailable": "34%"}:
        pods[0]["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    result = imported(node("a"), pdb("x", None, {}, **spec), *pods)
    assert budgets(result)[0] == {"default/x": left}
    assert said(result, "Budgets without status: counted from the pods in the data.")
