"""Hypothesis strategies over instances: by seed (fast, named in failures) and by structure (shrinks)."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st
from oracle.draw import RULES, random_instance

from topreempt.models import Instance

ALL = frozenset(RULES)


def instances(rules: frozenset[str] = ALL) -> st.SearchStrategy[Instance]:
    """Instances that use any of these rules, made from a seed."""
    return st.integers(0, 2**32 - 1).map(lambda seed: random_instance(Random(seed), rules))


def shrinkable_instances(rules: frozenset[str] = ALL) -> st.SearchStrategy[Instance]:
    """The same instances with every random choice drawn by Hypothesis, so that a failing one gets simpler."""
    return st.randoms(use_true_random=False).map(lambda rng: random_instance(rng, rules))


def rule_sets() -> st.SearchStrategy[frozenset[str]]:
    """One rule alone, a few together, or all."""
    return st.one_of(
        st.sampled_from(RULES).map(lambda rule: frozenset({rule})),
        st.frozensets(st.sampled_from(RULES), min_size=2, max_size=5),
        st.just(ALL),
    )


def instances_of_some_rules() -> st.SearchStrategy[Instance]:
    """Instances of a random set of rules."""
    return rule_sets().flatmap(instances)


def seeds() -> st.SearchStrategy[int]:
    """Seeds of `oracle.draw.instance_of_seed`."""
    return st.integers(0, 2**32 - 1)
