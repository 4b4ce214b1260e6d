"""`reasons_of`: why there is no plan, or none on the rungs above the granted ones, from counts alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...models.eligibility import binds
from ...models.plan import Reason
from ...models.reasons import ReasonCode
from ...models.request import SCOPES, Scope
from ...models.topology import CLUSTER
from ...models.units import MICRO, from_micro
from ..exact.decision import Decision
from ..exact.layout import Ints
from ..exact.relax import Verdict
from ..exact.rungs import Rungs, rungs_in_order
from .blockers import Blocked, Fact, Group, blocked, members_with, told
from .facts import CODES, HOLDERS
from .nodes import most_by
from .places import Places
from .texts import ISLAND_TOO_SMALL, NAMES_SHOWN, PLACE_TEXTS, REGION_TEXTS, SLOT_TEXTS, amount, counted, listed, span


def reasons_of(decision: Decision, verdict: Verdict) -> tuple[Reason, ...]:
    """Return what blocks the request, or the rungs above the granted ones.

    Parameters
    ----------
    decision : Decision
        The request.
    verdict : Verdict
        How it ended; nothing is solved here again.

    Returns
    -------
    tuple of Reason
        Infeasible: the facts on the loosest rungs, where the tighter ones have no plan either. With a plan under
        tightest-first: for every scope and every rung above the granted one the facts on that rung, the other
        scopes as loose as the proof covers. Otherwise nothing.
    """
    if verdict.found is None or verdict.found.solution is None:
        if not verdict.proved:
            return ()
        return tuple(_reasons(decision, list(rungs_in_order(decision))[-1], None, {}))
    if decision.policy.relaxation == "priced" or not verdict.refused:
        return ()
    solution = verdict.found.solution
    limits = {"violations": solution.value("violations")}
    if decision.policy.extra_pods == "evict":
        limits["pods"] = len(solution.placed)
    found: list[Reason] = []
    for scope, rung, rungs in refused_rungs(decision, verdict.found.rungs):
        found += _reasons(decision, rungs, f"{scope}: {rung}", limits)
    return tuple(found)


def refused_rungs(decision: Decision, granted: Rungs) -> Iterator[tuple[Scope, str, Rungs]]:
    """Yield every rung above the granted ones with the search that refutes it.

    Parameters
    ----------
    decision : Decision
        For the ladders; tightest-first.
    granted : Rungs
        The rungs that were granted.

    Yields
    ------
    tuple
        Scope, its tighter rung, and the rungs to search: scopes before it as granted, scopes after it as loose as
        their ladders go.
    """
    ladders = {scope: decision.ladder(scope) for scope in SCOPES}
    own = {"pod": granted.pod[0], "slice": granted.slice[0], "gang": granted.gang}
    for number, scope in enumerate(SCOPES):
        for rung in ladders[scope][: ladders[scope].index(own[scope])]:
            chosen = {
                other: own[other] if place < number else rung if other == scope else ladders[other][-1]
                for place, other in enumerate(SCOPES)
            }
            yield scope, rung, Rungs((chosen["pod"],), (chosen["slice"],), chosen["gang"])


def _reasons(decision: Decision, rungs: Rungs, rung: str | None, limits: dict[str, int]) -> Iterator[Reason]:
    found = blocked(decision, rungs)
    writer = _Writer(decision, rungs, found, limits)
    if not len(found.places):
        text = PLACE_TEXTS[ReasonCode.TOO_SMALL].format(slots=counted(0, "slot"), needed=decision.gpus)
        yield Reason(code=ReasonCode.TOO_SMALL, scope=CLUSTER, text=text, rung=rung, missing_slots=decision.gpus)
    for group in told(found):
        for fact in group.facts:
            members = members_with(found, group, fact)
            code, text = writer.tell(group, members, fact)
            single = found.places.is_single
            yield Reason(
                code=code,
                scope=_scope(found.places, members),
                text=text,
                rung=rung,
                places=len(members),
                missing_slots=group.short if single else None,
                missing_pods=None if single else group.short,
            )


def _scope(places: Places, members: list[int]) -> str:
    first = places.label(members[0])
    name = first if places.level == CLUSTER else f"{places.level} {first}"
    if len(members) == 1:
        return name
    return (
        f"every {places.level} ({len(places):,})"
        if len(members) == len(places)
        else f"{name} and {len(members) - 1:,} more"
    )


class _Writer:
    """Fills the texts of one search."""

    def __init__(self, decision: Decision, rungs: Rungs, found: Blocked, limits: dict[str, int]) -> None:
        self.decision = decision
        self.rungs = rungs
        self.places = found.places
        self.limits = limits

    def tell(self, group: Group, members: list[int], fact: Fact) -> tuple[ReasonCode, str]:
        """Return the code and the text of one fact of a group."""
        code, name = fact
        if code == ReasonCode.TOGETHER and self.limits:
            code = ReasonCode.SOFT_BUDGET if self._is_soft() else code
            code = ReasonCode.FEWER_PODS if code == ReasonCode.TOGETHER and "pods" in self.limits else code
        if code in SLOT_TEXTS and not group.evictions:
            return code, self._slots(members, code)
        if code == ReasonCode.TOO_SMALL and not self.places.is_single and not self.places.empty_seats[members].any():
            return code, ISLAND_TOO_SMALL.format(kind=self.rungs.pod[-1], needed=self.decision.gpus)
        table = PLACE_TEXTS if self.places.is_single else REGION_TEXTS
        return code, table[code].format(**self._numbers(group, members, name))

    def _is_soft(self) -> bool:
        return self.decision.policy.budgets == "soft" and bool(self.decision.instance.budgets)

    def _slots(self, members: list[int], code: ReasonCode) -> str:
        places, decision = self.places, self.decision
        lost = places.lost[CODES.index(code), members].tolist()
        slots = places.slots[members].tolist()
        fields = {
            "labels": ", ".join(f"{key}={value}" for key, value in sorted(decision.request.node_labels.items())),
            "models": " or ".join(sorted(decision.request.gpu_models)),
            "priority": decision.request.priority,
            "request": decision.request.name,
            "min_running": amount(decision.policy.min_running_seconds),
            "max_victims": decision.policy.max_victims,
            "names": self._names(members, code),
        }
        verb = "is" if max(lost) == min(lost) == 1 else "are"
        text = f"{span(lost)} of {span(slots)} slots {verb} {SLOT_TEXTS[code].format(**fields)}"
        if places.is_single:
            return f"{text}; {span(places.free[members].tolist())} can be free, a pod needs {decision.gpus}"
        return text

    def _names(self, members: list[int], code: ReasonCode) -> str:
        decision, snapshot = self.decision, self.decision.snapshot
        if code == ReasonCode.RESERVED:
            inside = set(self.places.nodes_of(members).tolist())
            held = [r for r in decision.instance.reservations if binds(decision.instance, r)]
            return listed(sorted({r.owner for r in held if snapshot.node_index[r.node] in inside}))
        if code not in HOLDERS:
            return ""
        jobs = self._holders(members, CODES.index(code))
        names = [snapshot.jobs[job].name for job in jobs[:NAMES_SHOWN].tolist()]
        if code == ReasonCode.BUDGET:
            budgets = [decision.instance.budgets[snapshot.job_budget[job]] for job in jobs[:NAMES_SHOWN].tolist()]
            names = [
                f"{name} (budget {budget.name} allows {budget.max_evictions})"
                for name, budget in zip(names, budgets, strict=True)
            ]
        return listed(names, of=len(jobs))

    def _holders(self, members: list[int], number: int) -> Ints:
        """Return the jobs that keep slots of some places for one reason, in the order of names."""
        snapshot, places = self.decision.snapshot, self.places
        on_node = np.zeros(len(snapshot.nodes), dtype=np.bool_)
        on_node[places.nodes_of(members)] = True
        hit = (places.slot_facts == number) & on_node[snapshot.node_of_slot]
        units = snapshot.hold_unit[hit[snapshot.hold_slot] & (places.unit_facts[snapshot.hold_unit] == number)]
        unseen = [
            int(snapshot.pod_unit[pod])
            for node, pods in snapshot.unknown_pods.items()
            if on_node[node]
            for pod in pods
            if places.unit_facts[snapshot.pod_unit[pod]] == number
        ]
        return np.unique(snapshot.unit_job[np.concatenate([units, np.array(unseen, dtype=np.int64)])])

    def _numbers(self, group: Group, members: list[int], name: str) -> dict[str, object]:
        decision, places = self.decision, self.places
        nodes = places.nodes_of(members)
        numbers: dict[str, object] = {
            "slots": _of(places.slots[members].tolist(), "slot"),
            "free": span(places.free[members].tolist()),
            "needed": decision.gpus,
            "kind": self.rungs.pod[-1],
            "empty": span(places.empty_seats[members].tolist()),
            "seats": span(places.seats[members].tolist()),
            "pods": decision.pods_least,
            "short": span((decision.pods_least - places.seats[members]).tolist()),
            "nodes": span([len(places.nodes(place)) for place in members]),
            "violations": self.limits.get("violations", 0),
            "placed": self.limits.get("pods", 0),
            "evictions": counted(group.evictions, "pod"),
            "max_victims": decision.policy.max_victims,
            "resource": name,
            "budget": name,
            "allowed": next((b.max_evictions for b in decision.instance.budgets if b.name == name), 0),
        }
        for what, counts in places.hindered.items():
            if what == name or (not name and what in (ReasonCode.ALIGNMENT, ReasonCode.UNKNOWN_PLACEMENT)):
                numbers["count"] = span(counts[members].tolist())
        for asked in decision.asked:
            if asked.name == name:
                scale = from_micro(1) * self._step(name)
                numbers["asked"] = amount(round(asked.amount * scale, 6))
                numbers["most"] = _amounts(np.maximum(most_by(asked, decision), 0)[nodes] * scale)
                held = decision.snapshot.counted(name)
                numbers["capacity"] = _amounts(held.capacity[nodes] * held.unit / MICRO)
        return numbers

    def _step(self, name: str) -> int:
        """Millionths that one step of an asked resource stands for."""
        asked = next(each for each in self.decision.asked if each.name == name)
        whole = MICRO if name == "pods" else round(self.decision.request.resources[name] * MICRO)
        return whole // asked.amount


def _of(values: list[int], thing: str) -> str:
    """Return a span of numbers with their noun."""
    return counted(values[0], thing) if min(values) == max(values) else f"{span(values)} {thing}s"


def _amounts(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> str:
    low, high = round(float(values.min()), 6), round(float(values.max()), 6)
    return amount(low) if low == high else f"{amount(low)} to {amount(high)}"
