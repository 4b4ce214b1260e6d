"""Kubernetes objects as kubectl prints them, in a line each."""

import json
import tempfile
from pathlib import Path
from typing import Any

from topreempt.instances.importers.kubernetes import Imported, Options, import_kubernetes
from topreempt.instances.importers.merge import MachineRules

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


def zone(number: int, gpus: int, allocatable: int | None = None, available: int | None = None, **more: str) -> dict:
    amounts = {"capacity": str(gpus), "allocatable": str(gpus if allocatable is None else allocatable)}
    if available is not None:
        amounts["available"] = str(available)
    others = [
        {"name": name, "capacity": amount, "allocatable": amount, "available": amount} for name, amount in more.items()
    ]
    return {"name": f"node-{number}", "type": "Node", "resources": [{"name": GPU, **amounts}, *others]}


def nrt(name: str, *zones: dict, policy: str = "single-numa-node", **more: object) -> dict:
    attributes = [{"name": "topologyManagerPolicy", "value": policy}]
    return thing(
        "NodeResourceTopology", "topology.node.k8s.io/v1alpha2", name, attributes=attributes, zones=list(zones), **more
    )


def device(name: str, **attributes: object) -> dict:
    typed = {}
    for key, value in {"type": "gpu", **attributes}.items():
        typed[key.replace("__", "/").replace("_", ".")] = {"int" if isinstance(value, int) else "string": value}
    return {"name": name, "attributes": typed}


def offered(
    node_name: str, *devices: dict, generation: int = 1, count: int = 1, name: str = "s", **spec: object
) -> dict:
    pool = {"name": node_name, "generation": generation, "resourceSliceCount": count}
    body = {"driver": "gpu.nvidia.com", "nodeName": node_name, "pool": pool, "devices": list(devices), **spec}
    return thing("ResourceSlice", "resource.k8s.io/v1", f"{node_name}-{name}", spec=body)


def gpu(number: int, numa: int | None = 0, root: str = "pci0000:16", **more: object) -> dict:
    attributes = {"resource_kubernetes_io__pcieRoot": root, "uuid": f"GPU-{number}", "productName": "H100", **more}
    if numa is not None:
        attributes["resource_kubernetes_io__numaNode"] = numa
    return device(f"gpu-{number}", **attributes)


def koordinator(*gpus: dict, **annotations: str) -> dict:
    meta = {"annotations": {f"scheduling.koordinator.sh/{key.replace('_', '-')}": v for key, v in annotations.items()}}
    return thing("Device", "scheduling.koordinator.sh/v1alpha1", "a", meta=meta, spec={"devices": list(gpus)})


def minor(number: int, numa: int, *, health: bool = True, socket: int = -1) -> dict:
    place = {"nodeID": numa, "pcieID": f"pci{numa}", "socketID": socket, "busID": f"0000:{number:02x}:00.0"}
    return {"type": "gpu", "minor": number, "id": f"GPU-{number}", "health": health, "topology": place}


def rules(**machine: str) -> MachineRules:
    return MachineRules.from_options(machine=[f"{pattern}={preset}" for pattern, preset in machine.items()])


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
