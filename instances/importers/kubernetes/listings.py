"""``--devices`` files: the kubelet's list of pod resources, and tables of GPUs and processes with their pods."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from ....models import ConfigError, InstanceError, Problem
from ....models.base import path_of, shown
from ....models.document import parse_document, read_bytes, text_of_bytes
from .device_settings import DeviceSettings
from .inventory import Gpu, Inventory
from .names import bus_id, device_id, numa_name
from .objects import DEFAULT_NAMESPACE
from .quantities import count_in

_PODS: Final = ("pod", "pod_name")
_SPACES: Final = ("namespace", "pod_namespace")
_UUIDS: Final = ("gpu_uuid", "uuid")
_BUSES: Final = ("gpu_bus_id", "pci.bus_id", "gpu_pci.bus_id")
_INDICES: Final = ("index", "gpu_index", "gpu")


@dataclass
class PodDevices:
    """The GPUs of a pod as a listing names them.

    Attributes
    ----------
    ids : list of str
        UUIDs, PCI addresses, device names or indices, each GPU once.
    numa : set of str
        The NUMA nodes that they sit on.
    is_complete : bool
        Whether the listing names all GPUs of the pod: a list of processes only names those in use.
    """

    ids: list[str] = field(default_factory=list)
    numa: set[str] = field(default_factory=set)
    is_complete: bool = True


@dataclass
class Listings:
    """What all ``--devices`` files say.

    Attributes
    ----------
    pods : dict
        ``namespace/name`` to its GPUs.
    gpus : dict
        Node to its GPUs, from tables of GPUs.
    """

    pods: dict[str, PodDevices] = field(default_factory=dict)
    gpus: dict[str, Inventory] = field(default_factory=dict)


def read_listings(options: Sequence[str], settings: DeviceSettings) -> Listings:
    """Read ``--devices`` files.

    Parameters
    ----------
    options : sequence of str
        ``FILE`` or ``NODE=FILE``. JSON: what the kubelet's pod-resources endpoint lists. CSV with a header: GPUs
        (``index``, ``uuid``, ``pci.bus_id``) of NODE as ``nvidia-smi --query-gpu`` prints them, or processes with
        a column ``pod`` (and ``namespace``) joined to what ``nvidia-smi --query-compute-apps`` prints.
    settings : DeviceSettings
        GPU resources and drivers.

    Returns
    -------
    Listings
        All that the files say.

    Raises
    ------
    InstanceError
        A file that is neither.
    ConfigError
        A table of GPUs without its node.
    """
    found = Listings()
    for option in options:
        node, separator, file = option.rpartition("=")
        if separator and (not node or not file):
            raise ConfigError(f"--devices {option}: FILE or NODE=FILE was expected")
        text = text_of_bytes(read_bytes(file), name=file)
        if text.lstrip()[0] in "{[":
            _read_pod_resources(parse_document(text.encode(), name=file, json_only=True), file, settings, found)
        else:
            _read_table(text, file, node, found)
    return found


def _read_pod_resources(data: Any, file: str, settings: DeviceSettings, found: Listings) -> None:
    path: tuple[str | int, ...] = ()
    if isinstance(data, dict):
        key = next((key for key in ("podResources", "pod_resources") if key in data), None)
        if key is None:
            _refuse(file, (), data, "a listing of the kubelet's pod-resources endpoint: podResources")
        path, data = (key,), data[key]
    for index, pod in enumerate(_list(file, path, data)):
        where = (*path, index)
        name = _text(file, where, pod, "name")
        space = _text(file, where, pod, "namespace", DEFAULT_NAMESPACE)
        devices = PodDevices()
        for place, container in enumerate(_list(file, (*where, "containers"), _get(pod, "containers", []))):
            _read_container(file, (*where, "containers", place), container, settings, devices)
        if devices.ids:
            kept = found.pods.setdefault(f"{space}/{name}", PodDevices())
            kept.ids = list(dict.fromkeys((*kept.ids, *devices.ids)))
            kept.numa |= devices.numa


def _read_container(
    file: str, where: tuple[str | int, ...], container: Any, settings: DeviceSettings, devices: PodDevices
) -> None:
    for index, entry in enumerate(_list(file, (*where, "devices"), _get(container, "devices", []))):
        at = (*where, "devices", index)
        if _text(file, at, entry, "resourceName") not in (*settings.gpu_resources, *settings.shared_resources):
            continue
        for place, word in enumerate(_list(file, (*at, "deviceIds"), _get(entry, "deviceIds", []))):
            if not isinstance(word, str) or not word:
                _refuse(file, (*at, "deviceIds", place), word, "the id of a device")
            # A plugin that shares a GPU in time appends ::N to its UUID.
            _append(devices.ids, word.partition("::")[0])
        topology = _get(entry, "topology", {})
        for place, numa in enumerate(_list(file, (*at, "topology", "nodes"), _get(topology, "nodes", []))):
            number = _get(numa, "ID", _get(numa, "id", 0))
            if type(number) not in (int, str) or count_in(str(number), 0, 10**6) is None:
                _refuse(file, (*at, "topology", "nodes", place), numa, 'a NUMA node such as {"ID": 0}')
            devices.numa.add(numa_name(str(number)))
    for index, claim in enumerate(_list(file, (*where, "dynamicResources"), _get(container, "dynamicResources", []))):
        at = (*where, "dynamicResources", index, "claimResources")
        for place, part in enumerate(_list(file, at, _get(claim, "claimResources", []))):
            driver = _text(file, (*at, place), part, "driverName", "")
            if driver in settings.gpu_drivers:
                pool = _text(file, (*at, place), part, "poolName")
                _append(devices.ids, device_id(driver, pool, _text(file, (*at, place), part, "deviceName")))


def _read_table(text: str, file: str, node: str, found: Listings) -> None:
    try:
        lines = list(csv.reader(io.StringIO(text), skipinitialspace=True))
    except csv.Error as error:
        _refuse(file, (), "", f"well-formed CSV ({error})")
    rows = [row for row in lines if any(cell.strip() for cell in row)]
    if not rows:
        _refuse(file, ("line 1",), "", "a header")
    # nvidia-smi adds the unit to a column's name: "used_gpu_memory [MiB]".
    header = [cell.strip().lower().partition(" [")[0] for cell in rows[0]]
    columns = {name: header.index(name) for name in header if name}
    pod, space = _column(columns, _PODS), _column(columns, _SPACES)
    ways = [
        column for column in (_column(columns, names) for names in (_UUIDS, _BUSES, _INDICES)) if column is not None
    ]
    if not ways:
        expected = "a header with one of the columns " + ", ".join((*_UUIDS, *_BUSES, *_INDICES))
        _refuse(file, ("line 1",), rows[0], expected)
    is_list_of_processes = "pid" in columns or "process_name" in columns
    if pod is None and is_list_of_processes:
        expected = "a column pod (namespace/name, or beside a column namespace): join each process with its pod"
        _refuse(file, ("line 1",), rows[0], expected)
    gpus: list[Gpu] = []
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(header):
            _refuse(file, (f"line {number}",), row, f"{len(header)} cells, as the header has")
        cells = [cell.strip() for cell in row]
        if pod is None:
            gpus.append(_gpu_of_row(file, number, cells, columns))
        elif cells[pod] not in ("", "-", "N/A", "[N/A]"):
            name = (
                cells[pod]
                if "/" in cells[pod]
                else f"{cells[space] if space is not None else DEFAULT_NAMESPACE}/{cells[pod]}"
            )
            kept = found.pods.setdefault(name, PodDevices(is_complete=not is_list_of_processes))
            kept.is_complete = kept.is_complete and not is_list_of_processes
            _append(kept.ids, bus_id(cells[ways[0]]))
    if pod is None:
        if not node:
            raise ConfigError(f"--devices {file}: a table of GPUs belongs to a node: --devices NODE={file}")
        gpus.sort(key=lambda gpu: gpu.number or 0)
        if [gpu.number for gpu in gpus] != list(range(len(gpus))):
            _refuse(file, ("index",), [gpu.number for gpu in gpus], "each GPU of the node once: indices from 0")
        found.gpus[node] = Inventory(f"the table {file}", tuple(gpus))


def _gpu_of_row(file: str, number: int, cells: list[str], columns: dict[str, int]) -> Gpu:
    index = _column(columns, _INDICES)
    slot = None if index is None else count_in(cells[index], 0, 4095)
    if slot is None or index is None:
        _refuse(
            file, (f"line {number}",), "" if index is None else cells[index], "the index of a GPU in a column index"
        )
    others = [_column(columns, names) for names in (_UUIDS, _BUSES)]
    ids = [bus_id(cells[column]) for column in others if column is not None and cells[column]]
    model = cells[columns["name"]] if columns.get("name") is not None else ""
    return Gpu((*ids, cells[index]), slot, model or None)


def _column(columns: dict[str, int], names: Iterable[str]) -> int | None:
    return next((columns[name] for name in names if name in columns), None)


def _append(ids: list[str], word: str) -> None:
    if word not in ids:
        ids.append(word)


def _get(data: Any, key: str, default: Any) -> Any:
    """Return a field by its camelCase or snake_case name, as the endpoint's clients print either."""
    if not isinstance(data, dict):
        return default
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key)
    for name in (key, snake):
        if data.get(name) is not None:
            return data[name]
    return default


def _list(file: str, path: Sequence[str | int], data: Any) -> list[Any]:
    if not isinstance(data, list):
        _refuse(file, path, data, "a list")
    return data


def _text(file: str, path: Sequence[str | int], data: Any, key: str, default: str | None = None) -> str:
    if not isinstance(data, dict):
        _refuse(file, path, data, f"a mapping with a {key}")
    value = _get(data, key, default)
    if not isinstance(value, str) or (not value and default is None):
        _refuse(file, (*path, key), value, "a text")
    return value


def _refuse(file: str, path: Sequence[str | int], value: Any, expected: str) -> NoReturn:
    raise InstanceError([Problem(path_of(path), shown(value), expected)], source=str(Path(file)))
