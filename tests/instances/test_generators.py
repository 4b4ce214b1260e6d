"""The scenarios: repeatable, valid, as full as asked, and decisions that need evictions."""

import pytest

from topreempt import ConfigError, Instance, solve_preemption
from topreempt.instances.generators import SCENARIOS, fragmented, gangs, paper
from topreempt.instances.write import plain_instance, text_of
from topreempt.models.document import parse_document


@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_same_seed_same_instance_and_files_hold_it(scenario: str) -> None:
    make = SCENARIOS[scenario]
    instance = make(3, 1)
    assert make(3, 1) == instance
    assert make(4, 1).jobs != instance.jobs != make(3, 2).jobs
    for json_only in (True, False):
        text = text_of(plain_instance(instance), json_only=json_only)
        assert Instance.parse(parse_document(text.encode(), name="x")) == instance


@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
@pytest.mark.parametrize("fill", [0.0, 0.5, 1.0])
def test_fill_is_reached(scenario: str, fill: float) -> None:
    instance = SCENARIOS[scenario](1, nodes=6, fill=fill)
    usable = sum(instance.shape(n.name).gpus - len(n.offline_slots) for n in instance.cluster.nodes)
    held = sum(len(pod.slots or ()) for job in instance.jobs for pod in job.pods)
    assert fill * usable <= held
    # The last job may be larger than what was left to fill.
    assert fill == 0.0 or held <= fill * usable + 32


def test_paper_is_the_paper_s_cluster() -> None:
    instance = paper(0, 2)
    assert len(instance.cluster.nodes) == 100
    assert instance.request.gpus == 4
    assert {len(pod.slots or ()) for job in instance.jobs for pod in job.pods} == {1, 2}
    assert all(pod.resources["cpus"] == 7 * len(pod.slots or ()) for job in instance.jobs for pod in job.pods)
    assert [paper(0, index, nodes=2).request.gpus for index in range(4)] == [1, 2, 4, 1]


@pytest.mark.parametrize(("make", "index"), [(paper, 2), (fragmented, 1), (gangs, 0), (gangs, 1)])
def test_decisions_need_evictions(make, index: int) -> None:
    plan = solve_preemption(make(0, index), time_limit=20.0)
    assert plan.status == "optimal"
    assert plan.victims


@pytest.mark.parametrize(
    "sizes", [{"nodes": 0}, {"fill": -0.1}, {"fill": 1.1}, {"request_gpus": 0}, {"request_gpus": 9}]
)
def test_sizes_out_of_range(sizes: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        gangs(0, **sizes)
