"""`violations`: all rules, one after another, on one plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..instance import Instance
from ..plan import Plan
from . import (
    coherence,
    cost,
    fragmentation,
    islands,
    numa,
    placements,
    reservations,
    resources,
    scopes,
    slots,
    unknown,
    victims,
    waits,
)
from .rules import Violation
from .state import State, look

Check = Callable[[State], Iterator[Violation]]

OF_EVERY_PLAN: tuple[Check, ...] = (
    coherence.plan_answers_this_request,
    coherence.status_fits_the_rest,
    coherence.bound_is_not_above_cost,
    coherence.gap_follows_from_bound,
    coherence.nothing_is_claimed_without_a_plan,
    victims.victims_are_known_once,
    victims.victims_may_be_evicted,
    victims.jobs_die_whole,
    victims.hard_budgets_hold,
    victims.victims_are_few_enough,
    cost.victims_state_their_numbers,
    cost.evicted_pods_are_counted,
    cost.lost_work_is_summed,
    cost.weighted_work_is_summed,
    cost.budget_violations_are_counted,
    cost.tiers_split_the_work,
    scopes.rungs_are_granted,
)

WHERE_THE_REQUEST_LANDS: tuple[Check, ...] = (
    placements.placements_name_what_exists,
    placements.enough_pods_are_placed,
    placements.pods_hold_their_slots,
    slots.nodes_take_new_pods,
    slots.nodes_carry_the_labels,
    slots.slots_are_online,
    slots.slots_are_of_an_asked_model,
    slots.slots_have_room,
    resources.resources_suffice,
    resources.nodes_run_few_enough_pods,
    numa.masks_can_be_admitted,
    numa.pods_fit_into_masks,
    unknown.slots_are_named_where_certain,
    unknown.room_is_certain,
    islands.rungs_are_on_the_ladder,
    islands.one_rung_holds_for_all,
    islands.pods_lie_in_islands,
    islands.islands_are_named,
    scopes.slices_share_domains,
    scopes.gang_shares_a_domain,
    scopes.prices_are_paid,
    reservations.reserved_slots_are_left,
    reservations.reserved_room_is_left,
    reservations.displaced_owners_are_listed,
    reservations.displaced_reservations_are_counted,
    waits.pods_in_the_way_are_listed,
    waits.wait_is_the_longest_grace,
    fragmentation.broken_islands_are_counted,
)


def violations(instance: Instance, plan: Plan) -> list[Violation]:
    """Return every rule that a plan breaks; whether it is the best plan is not looked at.

    Parameters
    ----------
    instance : Instance
        A valid instance.
    plan : Plan
        Any plan, whoever made it. A baseline that evicted in vain (its policy is not ``exact``, its status is
        ``feasible``, ``admitted`` is false) claims nothing about where the request lands: only the rules of every
        plan apply to it, that is who may be evicted, what that costs, and whether the plan contradicts itself.

    Returns
    -------
    list of Violation
        Empty if no rule is broken. Nothing is raised, whatever the plan contains.
    """
    state = look(instance, plan)
    checks = OF_EVERY_PLAN + WHERE_THE_REQUEST_LANDS if state.lands else OF_EVERY_PLAN
    return [found for check in checks for found in check(state)]
