"""Clusters without GPUs in a line: nodes by their cores, jobs of one pod each."""

from __future__ import annotations

from typing import Any

from topreempt.models import Instance


def counted(nodes: dict[str, Any], jobs: dict[str, dict[str, Any]], request: Any = 1, **fields: Any) -> Instance:
    """Return an instance of counted resources.

    `nodes` gives each its cores, or all its resources. Each job is a dict with ``on`` (the node) and ``cpus`` or
    ``resources``; all else is the job's own, by default priority 1 and a loss of 1 GPU-second. A job with ``pods``
    names node and cores of several. `request` is the cores asked for, or the request's fields (``cpus`` as well).
    """
    return Instance.parse(
        {
            "format": "topreempt/v1",
            "cluster": {
                "levels": fields.pop("levels", ["node"]),
                "nodes": [
                    {
                        "name": name,
                        "gpus": 0,
                        "resources": _resources(has),
                        "within": fields.get("within", {}).get(name, {}),
                    }
                    for name, has in nodes.items()
                ],
            },
            "jobs": [_job(name, dict(said)) for name, said in jobs.items()],
            "request": _request(request),
            **{name: value for name, value in fields.items() if name != "within"},
        }
    )


def _resources(said: Any) -> dict[str, float]:
    return said if isinstance(said, dict) else {"cpus": said}


def _job(name: str, said: dict[str, Any]) -> dict[str, Any]:
    places = said.pop("pods", None) or [(said.pop("on"), said.pop("resources", None) or said.pop("cpus"))]
    pods = [
        {
            "name": name if len(places) == 1 else f"{name}-{number}",
            "node": node,
            "resources": _resources(held),
            "lost_gpu_seconds": said.get("lost", 1),
        }
        for number, (node, held) in enumerate(places)
    ]
    said.pop("lost", None)
    return {"name": name, "priority": 1, **said, "pods": pods}


def _request(said: Any) -> dict[str, Any]:
    said = dict(said) if isinstance(said, dict) else {"cpus": said}
    if "cpus" in said:
        said.setdefault("resources", {})["cpus"] = said.pop("cpus")
    return {"name": "ask", "priority": 1000, "gpus": 0, **said}
