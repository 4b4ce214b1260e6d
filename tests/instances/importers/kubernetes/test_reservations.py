from kubectl import imported, node, pod, said


def waiting(name: str, gpus: int, on: str | None, **more: object) -> dict:
    return pod(name, None, gpus, status={"nominatedNodeName": on} if on else {}, **more)


def test_nominated_pods_are_promised_their_room() -> None:
    result = imported(
        node("a"), waiting("p", 4, "a", priority=50), waiting("wanted", 2, None), request="default/wanted"
    )
    (held,) = result.instance.reservations
    assert (held.owner, held.priority, held.node, held.gpus, held.slots) == ("default/p", 50, "a", 4, None)


def test_the_request_owns_its_own_nomination() -> None:
    result = imported(node("a"), waiting("p", 4, "a"))
    assert result.instance.reservations[0].owner == result.instance.request.name == "default/p"


def test_gangs_own_the_nominations_of_their_pods() -> None:
    mark = {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}
    result = imported(node("a"), waiting("p", 4, "a", **mark), waiting("q", 1, None), request="default/q")
    assert result.instance.reservations[0].owner == "default/g"


def test_nominations_that_an_instance_cannot_hold() -> None:
    result = imported(
        node("a", 2),
        waiting("cpu", 0, "a"),
        waiting("away", 1, "gone"),
        waiting("large", 4, "a"),
        pod("bound", "a", 1, status={"nominatedNodeName": "a"}),
        waiting("wanted", 1, None),
        request="default/wanted",
    )
    assert [(held.owner, held.gpus) for held in result.instance.reservations] == [("default/large", 2)]
    assert said(result, "Nominated pods without GPUs")
    assert said(result, "Pods nominated to a node that is not in the data")
    assert said(result, "fewer GPUs than they ask for")
