"""Priorities of pods: the number, the class it names, the default class; and whether a pod may preempt."""

from __future__ import annotations

from ..notes import Notes
from .core_objects import Pod, PriorityClass
from .job_settings import JobSettings
from .settings import first_of
from .state import State


def priority_of(pod: Pod, state: State, settings: JobSettings, notes: Notes) -> int:
    """Return the priority of a pod.

    Parameters
    ----------
    pod : Pod
        A pod.
    state : State
        For the priority classes.
    settings : JobSettings
        Priorities of classes that are not among the objects.
    notes : Notes
        Told what was assumed.

    Returns
    -------
    int
        By the first place of the settings' order that says it, else that of the default class, else 0.

    Raises
    ------
    InstanceError
        It names a class that neither the objects nor the settings know.
    """
    for place in settings.priority_order:
        if place == "number" and pod.spec.priority is not None:
            return pod.spec.priority
        if place == "class" and pod.spec.priority_class_name:
            field = "spec.priorityClassName"
            return class_priority(pod.spec.priority_class_name, pod, field, state, settings, notes)
        label = first_of(settings.priority_class_labels, pod.metadata.labels) if place == "label" else None
        if label is not None:
            return class_priority(label[1], pod, f"metadata.labels[{label[0]!r}]", state, settings, notes)
    default = _default(state)
    if default is not None:
        return default.value
    notes.of(pod.key, "Pods without priority, and no default class: priority 0.")
    return 0


def class_priority(name: str, owner: Pod, field: str, state: State, settings: JobSettings, notes: Notes) -> int:
    """Return the priority of a class.

    Parameters
    ----------
    name : str
        The class.
    owner : Pod
        Who names it.
    field : str
        Where, for messages.
    state : State
        For the priority classes.
    settings : JobSettings
        Priorities of classes that are not among the objects.
    notes : Notes
        Told which classes came from the settings.

    Returns
    -------
    int
        Its value.

    Raises
    ------
    InstanceError
        The class is not known.
    """
    known = state.of(PriorityClass).get(name)
    if known is not None:
        return known.value
    if name not in settings.priority_classes:
        expected = "a PriorityClass among the objects, or a number for it in jobs.priority_classes of the settings"
        raise owner.mistake(field, name, expected)
    notes.say(f"Priority class {name} is not in the data: {settings.priority_classes[name]}, as the settings say.")
    return settings.priority_classes[name]


def may_preempt(pod: Pod, state: State) -> bool:
    """Return whether a waiting pod may have others evicted.

    Parameters
    ----------
    pod : Pod
        A pod.
    state : State
        For the priority classes.

    Returns
    -------
    bool
        False if it, or the class that it takes its policy from, says ``Never``.
    """
    policy = pod.spec.preemption_policy
    if not policy:
        named = state.of(PriorityClass).get(pod.spec.priority_class_name)
        default = None if pod.spec.priority_class_name or pod.spec.priority is not None else _default(state)
        chosen = named or default
        policy = chosen.preemption_policy if chosen is not None else ""
    return policy != "Never"


def _default(state: State) -> PriorityClass | None:
    """Return the default class; of several the lowest, as the API server takes it."""
    defaults = [item for item in state.of(PriorityClass).values() if item.global_default]
    return min(defaults, key=lambda item: item.value, default=None)
