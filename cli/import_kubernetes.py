"""``topreempt import kubernetes``: what ``kubectl get -o json`` prints about a cluster, to an instance."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

import typer

from ..instances.write import writable
from ..models.errors import ConfigError
from .delivery import Out, deliver
from .terminal import note

EXAMPLE = "topreempt import kubernetes cluster.json --request ml/chat-70b --out cluster.yaml"


def run(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Lists or objects in JSON or YAML: nodes, pods, pdb, priorityclasses, noderesourcetopologies,"
            " resourceslices, resourceclaims, pod groups, jobs, topologies, hypernodes; - is standard input.",
        ),
    ],
    out: Out = None,
    request: Annotated[
        str | None,
        typer.Option(metavar="NAMESPACE/NAME", help="The waiting pod or group (KIND/NAMESPACE/NAME if ambiguous)."),
    ] = None,
    request_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON or YAML with fields of a request; they win over the waiting pod's."),
    ] = None,
    island: Annotated[
        str | None,
        typer.Option(metavar="ISLAND[:MODE]", help="What the GPUs of a pod must share, such as numa:best-effort."),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="NAME=LABEL",
            help="A level above node and its node label, or hypernode:TIER; broadest first; default: found.",
        ),
    ] = None,
    hierarchy: Annotated[
        str | None, typer.Option(metavar="NAME", help="The Topology object (Kueue, KAI) whose levels count.")
    ] = None,
    topology: Annotated[
        list[str] | None,
        typer.Option("--topology", metavar="NODE=FILE", help="Machine of a node (or pattern); may be repeated."),
    ] = None,
    machine: Annotated[
        list[str] | None,
        typer.Option("--machine", metavar="PATTERN=PRESET", help="Machine of the catalogue; may be repeated."),
    ] = None,
    devices: Annotated[
        list[str] | None,
        typer.Option(
            "--devices",
            metavar="[NODE=]FILE",
            help="Who holds which GPUs: the kubelet's pod-resources (JSON), or CSV of nvidia-smi with a column pod.",
        ),
    ] = None,
    gpu_resource: Annotated[
        list[str] | None,
        typer.Option("--gpu-resource", metavar="NAME", help="Resources that count GPUs; replaces the usual ones."),
    ] = None,
    keep_label: Annotated[
        list[str] | None, typer.Option("--keep-label", metavar="LABEL", help="Node labels to keep; may be repeated.")
    ] = None,
    tolerate: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerate",
            metavar="KEY[=VALUE][:EFFECT]",
            help="Taints that a request without a pod stands; may be repeated.",
        ),
    ] = None,
    now: Annotated[
        str | None, typer.Option(metavar="TIME", help="Ages count to this moment (RFC 3339); default: the newest.")
    ] = None,
    settings_file: Annotated[
        str | None,
        typer.Option("--settings", metavar="FILE", help="Names of labels, annotations and resources of this site."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, as without --out anyway.")] = False,
) -> None:
    """Turn nodes, pods and what else the API server knows into an instance.

    Where a pod does not say which GPUs it holds, it holds a number of them, wherever they are: nothing is guessed. What
    was assumed is said on standard error and kept as the instance's comment.
    """
    from ..instances.importers.kubernetes import Options, Settings, import_kubernetes
    from ..instances.importers.merge import MachineRules

    if out is not None:
        writable(out)
    settings = Settings() if settings_file is None else Settings.load(settings_file)
    settings = settings.with_options(**_overrides(level, hierarchy, gpu_resource, keep_label, tolerate))
    options = Options(
        request=request,
        request_file=request_file,
        island=island,
        now=None if now is None else _moment(now),
        devices=tuple(devices or ()),
        machines=MachineRules.from_options(topology=topology or (), machine=machine or ()),
        settings=settings,
    )
    imported = import_kubernetes(files, options, _progress())
    note(*imported.assumptions)
    deliver(imported.instance, out)


def _overrides(
    level: list[str] | None,
    hierarchy: str | None,
    gpu_resource: list[str] | None,
    keep_label: list[str] | None,
    tolerate: list[str] | None,
) -> dict[str, dict[str, Any]]:
    levels: dict[str, Any] = {}
    if level:
        levels["levels"] = _pairs(level)
    if hierarchy is not None:
        levels["hierarchy"] = hierarchy
    if keep_label:
        levels["keep_labels"] = keep_label
    found: dict[str, dict[str, Any]] = {"levels": levels}
    if gpu_resource:
        found["devices"] = {"gpu_resources": gpu_resource}
    if tolerate:
        found["request"] = {"tolerated": [_taint(text) for text in tolerate]}
    return found


def _pairs(level: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for option in level:
        name, equals, label = option.partition("=")
        if not equals or not name or not label:
            raise ConfigError(f"--level {option}: NAME=LABEL was expected, such as rack=topology.kubernetes.io/rack")
        if name in pairs:
            raise ConfigError(f"--level {option}: the level {name} is given twice")
        pairs[name] = label
    return pairs


def _taint(text: str) -> dict[str, Any]:
    head, _, effect = text.partition(":")
    key, equals, value = head.partition("=")
    if effect not in ("", "NoSchedule", "NoExecute") or (equals and not key):
        raise ConfigError(f"--tolerate {text}: KEY, KEY=VALUE or KEY=VALUE:EFFECT was expected")
    return {"key": key, "value": value if equals else None, "effect": effect}


def _moment(text: str) -> datetime:
    from ..instances.importers.kubernetes.times import parse_time

    try:
        return parse_time(text)
    except ValueError:
        raise ConfigError(f"--now {text}: a moment such as 2026-03-01T12:00:00Z was expected") from None


def _progress() -> Callable[[str, float], None] | None:
    """Return what draws progress on standard error; None where that is no terminal."""
    if not sys.stderr.isatty():
        return None
    drawn = ""

    def draw(what: str, done: float) -> None:
        nonlocal drawn
        text = f"{what} {done:4.0%}" if done else what
        if text != drawn:
            sys.stderr.write("\r\x1b[K" + text + ("\r\x1b[K" if done >= 1 or not done else ""))
            sys.stderr.flush()
            drawn = text

    return draw
