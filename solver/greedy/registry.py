"""The list of baselines: name, rule, source, and what each is blind to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...models.instance import Instance
from ...models.plan import Plan
from .dcm import dcm_cpsat
from .decision import Decision, Rule
from .flextopo import flextopo_early_stop, flextopo_exhaustive
from .gfs import gfs_two_ended
from .godel import godel_standard
from .hived import hived_cells
from .judge import judged
from .k8s_default import k8s_default, k8s_default_filtered
from .k8s_workload import k8s_workload
from .kai import kai_generators
from .koordinator import koordinator_job
from .kueue import kueue_classical
from .lowest_first import lowest_first
from .nomad import nomad_device
from .slurm import slurm_cons_tres
from .survey import situation_of
from .volcano import volcano_dryrun, volcano_preempt
from .volcano_gang import volcano_gangpreempt
from .yunikorn import yunikorn_node

Policy = Callable[[Instance], Plan]


@dataclass(frozen=True)
class Baseline:
    """One existing scheduler's way to choose victims.

    Attributes
    ----------
    name : str
        What ``--policy`` calls it.
    rule : callable
        From what the scheduler sees to what it decides.
    source : str
        Where the rule is taken from.
    blind_to : str
        What it does not look at.
    """

    name: str
    rule: Rule
    source: str
    blind_to: str

    def __call__(self, instance: Instance) -> Plan:
        """Return the baseline's plan for an instance.

        Parameters
        ----------
        instance : Instance
            The decision.

        Returns
        -------
        Plan
            ``feasible`` or ``unknown``.
        """
        situation = situation_of(instance)
        return judged(situation, self.name, self.rule(situation))

    def decide(self, instance: Instance) -> Decision:
        """Return the bare decision, before it is judged.

        Parameters
        ----------
        instance : Instance
            The decision.

        Returns
        -------
        Decision
            Whom it evicts and where it sends the request.
        """
        return self.rule(situation_of(instance))


BASELINES = (
    Baseline("lowest-first", lowest_first, "the classic rule, as in Borg", "cost and place of victims"),
    Baseline("k8s-default", k8s_default, "kube-scheduler DefaultPreemption", "below the node, gangs, work lost"),
    Baseline(
        "k8s-default-filtered",
        k8s_default_filtered,
        "kube-scheduler with a topology filter in preemption",
        "victims on several nodes, gangs, work lost",
    ),
    Baseline("k8s-workload", k8s_workload, "KEP-5710 and KEP-5732", "below the node, slices, work lost"),
    Baseline("volcano-preempt", volcano_preempt, "Volcano preempt action", "below the node, gangs, spare victims"),
    Baseline("volcano-dryrun", volcano_dryrun, "Volcano topology-aware preempt", "below the node, gangs, most nodes"),
    Baseline("volcano-gangpreempt", volcano_gangpreempt, "Volcano gangpreempt action", "cheapest domain, trimming"),
    Baseline("kai-generators", kai_generators, "NVIDIA KAI-Scheduler", "GPU islands and links, work lost"),
    Baseline("kueue-classical", kueue_classical, "Kueue classical preemption with TAS", "below the node, work lost"),
    Baseline("koordinator-job", koordinator_job, "Koordinator job preemption", "gangs of victims, work lost"),
    Baseline("slurm-cons-tres", slurm_cons_tres, "Slurm select/cons_tres", "work lost, budgets"),
    Baseline("hived-cells", hived_cells, "HiveD topology-aware scheduler", "cost of victims, CPUs, links, budgets"),
    Baseline("nomad-device", nomad_device, "Nomad preemption of devices and task groups", "NUMA, gangs, work lost"),
    Baseline("yunikorn-node", yunikorn_node, "YuniKorn queue preemption", "priorities, gangs, below the node"),
    Baseline("godel-standard", godel_standard, "Gödel preemption", "below the node, gangs, work lost"),
    Baseline(
        "flextopo-exhaustive",
        flextopo_exhaustive,
        "arXiv 2411.11560, all subsets",
        "free GPUs that complete an island, links, gangs, work lost",
    ),
    Baseline(
        "flextopo-early-stop",
        flextopo_early_stop,
        "arXiv 2411.11560, smallest subsets",
        "free GPUs that complete an island, links, gangs, work lost",
    ),
    Baseline("gfs-two-ended", gfs_two_ended, "GFS spot preemption", "below the node, budgets, several nodes"),
    Baseline("dcm-cpsat", dcm_cpsat, "VMware DCM", "islands, gangs, how much work a pod loses"),
)


def policies() -> dict[str, Baseline]:
    """Return all baselines.

    Returns
    -------
    dict
        By name, in the order of the tables; each is a callable from an instance to a plan.
    """
    return {baseline.name: baseline for baseline in BASELINES}
