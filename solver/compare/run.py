"""Run policies on many instances: in this process, in several, or on a Dask cluster, with the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from ...models.errors import ConfigError
from ...models.instance import Instance
from ..greedy.judge import judged
from ..greedy.registry import policies
from ..greedy.survey import situation_of
from .outcome import Outcome, outcome_of
from .rows import EXACT


@dataclass(frozen=True)
class Case:
    """One instance of a comparison, by how it is made.

    Attributes
    ----------
    number : int
        Its place in the comparison, from 0.
    name : str
        What it is called.
    recipe : mapping
        What the loader needs to make it.
    """

    number: int
    name: str
    recipe: Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """What is done with every instance; a value that can be sent to another process or machine.

    Attributes
    ----------
    load : callable
        From a recipe to an instance; a function of a module.
    policies : tuple of str
        ``exact`` and baselines.
    time_limit : float
        Seconds a decision of the exact engine.
    keep_plans : bool
        Whether outcomes carry their plans.
    """

    load: Callable[[Mapping[str, Any]], Instance]
    policies: tuple[str, ...]
    time_limit: float
    keep_plans: bool

    def __call__(self, case: Case) -> list[Outcome]:
        """Run all policies on one instance.

        Parameters
        ----------
        case : Case
            The instance.

        Returns
        -------
        list of Outcome
            One a policy, in their order.
        """
        instance = self.load(case.recipe)
        start = perf_counter()
        situation = situation_of(instance)
        compiled = perf_counter() - start
        outcomes = []
        for policy in self.policies:
            start = perf_counter()
            if policy == EXACT:
                from ..solve import solve_preemption

                plan = solve_preemption(instance, time_limit=self.time_limit, workers=1, seed=0)
                seconds = perf_counter() - start
            else:
                decision = policies()[policy].rule(situation)
                seconds = compiled + perf_counter() - start
                plan = judged(situation, policy, decision)
            outcomes.append(outcome_of(case.number, case.name, instance, plan, seconds, keep_plan=self.keep_plans))
        return outcomes


def run_all(cases: Sequence[Case], work: Work, *, jobs: int = 1, cluster: str | None = None) -> Iterator[list[Outcome]]:
    """Run the work on all cases, wherever there is room.

    Parameters
    ----------
    cases : sequence of Case
        The instances.
    work : Work
        What is done with each.
    jobs : int
        Processes on this machine.
    cluster : str, optional
        Address of a Dask scheduler; then `jobs` does not matter.

    Yields
    ------
    list of Outcome
        Those of one case, as they are done; in the order of the cases only with one process.

    Raises
    ------
    ConfigError
        An extra is not installed, or the cluster cannot be reached.
    """
    if cluster is not None:
        yield from _on_cluster(cases, work, cluster)
    elif jobs > 1 and len(cases) > 1:
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=min(jobs, len(cases)), return_as="generator_unordered")
        yield from parallel(delayed(work)(case) for case in cases)
    else:
        yield from map(work, cases)


def _on_cluster(cases: Sequence[Case], work: Work, address: str) -> Iterator[list[Outcome]]:
    try:
        import distributed
    except ImportError:
        raise ConfigError("--cluster needs the extra distributed: pip install 'topreempt[distributed]'") from None
    try:
        connect: Any = distributed.Client
        client = connect(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise ConfigError(f"--cluster: found {address}, expected the address of a Dask scheduler ({error})") from None
    with client:
        futures = client.map(work, cases, pure=False)
        completed: Any = distributed.as_completed
        for _, outcomes in completed(futures, loop=client.loop, with_results=True):
            yield outcomes
