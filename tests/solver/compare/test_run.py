"""Where a comparison runs does not change what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from topreempt import ConfigError, Instance
from topreempt.cli.studies import load, numbered
from topreempt.solver.compare import Outcome, Work, run_all

POLICIES = ("k8s-default", "nomad-device", "exact")
CASES = numbered([{"scenario": "fragmented", "seed": 1, "index": index, "sizes": {"nodes": 6}} for index in range(5)])


def ran(**where: Any) -> list[Outcome]:
    work = Work(load, POLICIES, 10.0, keep_plans=False)
    outcomes = [outcome for outcomes in run_all(CASES, work, **where) for outcome in outcomes]
    plain = [outcome.model_copy(update={"seconds": 0.0}) for outcome in outcomes]
    return sorted(plain, key=lambda outcome: (outcome.case, POLICIES.index(outcome.policy)))


def test_one_process_and_several_find_the_same() -> None:
    alone = ran()
    assert [(outcome.case, outcome.policy) for outcome in alone] == [(n, p) for n in range(5) for p in POLICIES]
    assert ran(jobs=2) == alone


def test_a_dask_cluster_finds_the_same() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert ran(cluster=cluster.scheduler_address) == ran()


def test_an_address_without_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(ConfigError, match="the address of a Dask scheduler"):
        ran(cluster="no address")


def test_plans_are_kept_only_if_asked_for() -> None:
    kept = next(iter(run_all(CASES[:1], Work(load, ("exact",), 10.0, keep_plans=True))))
    assert kept[0].plan is not None and kept[0].plan["policy"] == "exact"


def broken(_: Mapping[str, Any]) -> Instance:
    raise ConfigError("no such recipe")


def test_what_a_loader_raises_comes_through() -> None:
    with pytest.raises(ConfigError, match="no such recipe"):
        list(run_all(CASES[:1], Work(broken, POLICIES, 10.0, keep_plans=False)))
