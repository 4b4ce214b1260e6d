"""Kubernetes objects as kubectl prints them, in a line each."""

import json
import tempfile
from pathlib import Path
from typing import Any

from topreempt.instances.importers.kubernetes import Imported, Options, import_kubernetes

GPU = "nvidia.com/gpu"


def node(name: str, gpus: int = 8, *, labels: dict | None = None, **more: Any) -> dict:
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110"} | ({GPU: str(gpus)} if gpus else {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": more.pop("spec", {}),
        "status": {"capacity": dict(amounts), "allocatable": dict(amounts)} | more,
    }


def pod(
    name: str,
    on: str | None = None,
    gpus: int = 0,
    *,
    priority: int | None = 0,
    cpu: str | None = None,
    space: str = "default",
    labels: dict | None = None,
    annotations: dict | None = None,
    owner: tuple[str, str] | None = None,
    status: dict | None = None,
    meta: dict | None = None,
    **spec: Any,
) -> dict:
    needs = ({GPU: str(gpus)} if gpus else {}) | ({"cpu": cpu} if cpu else {})
    owners = (
        [{"apiVersion": "x/v1", "kind": owner[0], "name": owner[1], "controller": True, "uid": "u"}] if owner else []
    )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": space,
            "labels": labels or {},
            "annotations": annotations or {},
            "ownerReferences": owners,
            **(meta or {}),
        },
        "spec": {
            "containers": [{"name": "main", "resources": {"requests": needs, "limits": dict(needs)}}],
            **({"nodeName": on} if on else {}),
            **({"priority": priority} if priority is not None else {}),
            **spec,
        },
        "status": {"phase": "Running" if on else "Pending", **(status or {})},
    }


def thing(kind: str, version: str, name: str, space: str | None = None, **fields: Any) -> dict:
    meta = {"name": name} | ({"namespace": space} if space else {}) | fields.pop("meta", {})
    return {"apiVersion": version, "kind": kind, "metadata": meta, **fields}


def listed(*items: dict) -> dict:
    return {"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}}


def written(path: Path, *items: dict) -> Path:
    path.write_text(json.dumps(listed(*items)), encoding="utf-8")
    return path


def imported(*items: dict, files: dict[str, str] | None = None, **options: Any) -> Imported:
    """Import objects; `files` are written beside them, and ``{dir}`` in options names their folder."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        placed = {key: _placed(value, folder) for key, value in options.items()}
        return import_kubernetes([written(Path(folder) / "cluster.json", *items)], Options(**placed))


def _placed(value: Any, folder: str) -> Any:
    if isinstance(value, str):
        return value.replace("{dir}", folder)
    return tuple(_placed(part, folder) for part in value) if isinstance(value, tuple) else value


def said(result: Imported, words: str) -> bool:
    return any(words in line for line in result.assumptions)
