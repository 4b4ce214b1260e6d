"""Tiny instances in a line: nodes drawn as text, jobs and requests with the fields that matter."""

from __future__ import annotations

from typing import Any

from topreempt.models import Instance

FREE = "."
OFFLINE = "x"
LEVEL = "numa"


def drawn(nodes: dict[str, str], jobs: dict[str, Any] | None = None, request: Any = 1, **fields: Any) -> Instance:
    """Return an instance from a drawing.

    Each node is a text with one letter a slot: ``.`` free, ``x`` offline, else the name of the job that holds
    it; ``|`` separates NUMA domains (named 0, 1, ...). All slots of a letter on one node are one pod, named
    ``a@n1`` for job ``a`` on node ``n1``. `jobs` gives each letter its priority, or the job's fields; `request`
    the GPUs of the single pod, or the request's fields. Jobs have priority 1 and lose 1 GPU-second a GPU, the
    request has priority 100, unless said otherwise. Other fields go to the instance as they are, except that
    ``within`` and ``node_fields`` give nodes their place above and further fields by name.
    """
    within, more = fields.pop("within", {}), fields.pop("node_fields", {})
    levels = fields.pop("levels", ["node", LEVEL])
    pods: dict[str, list[dict[str, Any]]] = {name: [] for name in jobs or {}}
    described = []
    for node, text in nodes.items():
        slots = text.replace("|", "")
        for letter in dict.fromkeys(slots):
            if letter not in (FREE, OFFLINE):
                held = [slot for slot, other in enumerate(slots) if other == letter]
                pods.setdefault(letter, []).append({"name": f"{letter}@{node}", "node": node, "slots": held})
        described.append(
            {"name": node, "gpus": len(slots), "within": within.get(node, {}), **domains_of(text, levels)}
            | {"offline_slots": [slot for slot, letter in enumerate(slots) if letter == OFFLINE]}
            | more.get(node, {})
        )
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {"levels": levels, "nodes": described},
            "jobs": [_job(name, pods[name], (jobs or {}).get(name, 1)) for name in pods],
            "request": _request(request),
            **fields,
        }
    )


def domains_of(text: str, levels: list[str]) -> dict[str, Any]:
    """Return the ``domains`` field of a drawn node; nothing where the drawing has no ``|``."""
    if "|" not in text or LEVEL not in levels:
        return {}
    parts, first = {}, 0
    for number, part in enumerate(text.split("|")):
        parts[str(number)] = list(range(first, first + len(part)))
        first += len(part)
    return {"domains": {LEVEL: parts}}


def _job(name: str, pods: list[dict[str, Any]], said: Any) -> dict[str, Any]:
    said = dict(said) if isinstance(said, dict) else {"priority": said}
    extra = said.pop("pods", [])
    loss = {} if said.keys() & {"unsaved_seconds", "lost_gpu_seconds", "running_seconds"} else {"unsaved_seconds": 1}
    return {"name": name, "priority": 1, **loss, **said, "pods": pods + extra}


def _request(said: Any) -> dict[str, Any]:
    said = dict(said) if isinstance(said, dict) else {"gpus": said}
    for scope in ("pod", "slice", "gang"):
        if scope in said:
            asked = said.pop(scope)
            said.setdefault("affinity", {})[scope] = {"island": asked} if isinstance(asked, str) else asked
    return {"name": "request", "priority": 100, "gpus": 1, **said}
