"""Selectors, affinity, taints and tolerations by the rules of Kubernetes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from .core_objects import LabelSelector, Node, NodeTerm, Pod, PodSpec, Requirement, Taint, Toleration
from .objects import KubeObject

_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
HARD_EFFECTS = ("NoSchedule", "NoExecute")
UNSCHEDULABLE = Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule")


def meets(labels: Mapping[str, str], requirement: Requirement, owner: KubeObject) -> bool:
    """Return whether labels meet one requirement.

    Parameters
    ----------
    labels : mapping
        Of a node or pod.
    requirement : Requirement
        ``In``, ``NotIn``, ``Exists``, ``DoesNotExist``, ``Gt`` or ``Lt``.
    owner : KubeObject
        Whose selector it is, for messages.

    Returns
    -------
    bool
        ``NotIn`` is met by an absent label; ``Gt`` and ``Lt`` compare integers and are unmet by anything else.

    Raises
    ------
    InstanceError
        An operator that Kubernetes does not know.
    """
    value = labels.get(requirement.key)
    match requirement.operator:
        case "In":
            return value is not None and value in requirement.values
        case "NotIn":
            return value not in requirement.values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt" | "Lt":
            if value is None or len(requirement.values) != 1:
                return False
            if not _WHOLE.fullmatch(value) or not _WHOLE.fullmatch(requirement.values[0]):
                return False
            more = int(value) - int(requirement.values[0])
            return more > 0 if requirement.operator == "Gt" else more < 0
        case _:
            expected = "a selector's operator: In, NotIn, Exists, DoesNotExist, Gt or Lt"
            raise owner.mistake("spec", requirement.operator, expected)


def selects(selector: LabelSelector, labels: Mapping[str, str], owner: KubeObject) -> bool:
    """Return whether a label selector selects an object.

    Parameters
    ----------
    selector : LabelSelector
        An empty one selects all.
    labels : mapping
        The object's labels.
    owner : KubeObject
        Whose selector it is, for messages.

    Returns
    -------
    bool
        All its lines must be met.
    """
    return all(labels.get(key) == value for key, value in selector.match_labels.items()) and all(
        meets(labels, line, owner) for line in selector.match_expressions
    )


def unmet_affinity(pod: Pod, node: Node) -> str | None:
    """Return why a node does not meet the required node affinity of a pod.

    Parameters
    ----------
    pod : Pod
        A pod.
    node : Node
        A node.

    Returns
    -------
    str or None
        None if one of the terms is met, or there are none. An empty term is met by no node.
    """
    affinity = pod.spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    if required is None or any(_term_is_met(term, node, pod) for term in required.node_selector_terms):
        return None
    return "required node affinity is not met"


def _term_is_met(term: NodeTerm, node: Node, pod: Pod) -> bool:
    if not term.match_expressions and not term.match_fields:
        return False
    fields = {"metadata.name": node.metadata.name}
    return all(meets(node.metadata.labels, line, pod) for line in term.match_expressions) and all(
        meets(fields, line, pod) for line in term.match_fields
    )


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Return whether a toleration covers a taint.

    Parameters
    ----------
    toleration : Toleration
        Of a pod.
    taint : Taint
        Of a node.

    Returns
    -------
    bool
        An empty effect covers all effects, an empty key with ``Exists`` all keys.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    match toleration.operator:
        case "Exists":
            return True
        case "Gt" | "Lt":
            if not _WHOLE.fullmatch(taint.value) or not _WHOLE.fullmatch(toleration.value):
                return False
            more = int(taint.value) - int(toleration.value)
            return more > 0 if toleration.operator == "Gt" else more < 0
        case _:
            return bool(toleration.key) and toleration.value == taint.value


def untolerated(spec: PodSpec, node: Node) -> str | None:
    """Return the first taint that keeps a pod off a node.

    Parameters
    ----------
    spec : PodSpec
        The pod's.
    node : Node
        A node.

    Returns
    -------
    str or None
        As ``kubectl taint`` writes it; None if the pod stands all taints that keep pods off.
    """
    for taint in node.spec.taints:
        if taint.effect in HARD_EFFECTS and not any(tolerates(line, taint) for line in spec.tolerations):
            value = f"={taint.value}" if taint.value else ""
            return f"{taint.key}{value}:{taint.effect}"
    return None


class LabelIndex:
    """Objects of namespaces by their labels, so that a selector looks at few of them.

    Parameters
    ----------
    objects : iterable of KubeObject
        Whatever selectors look for.
    """

    def __init__(self, objects: Iterable[KubeObject]) -> None:
        self._all: dict[str, list[KubeObject]] = defaultdict(list)
        self._by: dict[tuple[str, str, str], list[KubeObject]] = defaultdict(list)
        for item in objects:
            space = item.metadata.namespace
            self._all[space].append(item)
            for key, value in item.metadata.labels.items():
                self._by[space, key, value].append(item)

    def selected(self, selector: LabelSelector, owner: KubeObject) -> list[KubeObject]:
        """Return what a selector selects in its owner's namespace.

        Parameters
        ----------
        selector : LabelSelector
            Any selector.
        owner : KubeObject
            Whose it is.

        Returns
        -------
        list of KubeObject
            In the order in which they were given.
        """
        space = owner.metadata.namespace
        lists = [self._by.get((space, key, value), []) for key, value in selector.match_labels.items()]
        few = min(lists, key=len) if lists else self._all.get(space, [])
        return [item for item in few if selects(selector, item.metadata.labels, owner)]
