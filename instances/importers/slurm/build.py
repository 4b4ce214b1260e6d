"""Files of Slurm to an instance: read, build the cluster, the request and the jobs, check the whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....models import Instance
from ..notes import Notes
from .cluster import build_cluster
from .options import SlurmOptions
from .state import read_state
from .waiting import build_request
from .work import build_jobs


def import_slurm(paths: Sequence[str | Path], options: SlurmOptions | None = None) -> tuple[Instance, tuple[str, ...]]:
    """Return the instance that files of one Slurm cluster describe.

    Parameters
    ----------
    paths : sequence of str or Path
        ``scontrol show node|job`` (text or JSON), ``squeue --json``, ``sinfo``, gres.conf, topology.conf or .yaml.
    options : SlurmOptions, optional
        The request, and all that a site may state or rename.

    Returns
    -------
    instance : Instance
        Checked as a whole.
    notes : tuple of str
        What was assumed or left out; also the instance's comment.

    Raises
    ------
    InstanceError
        A file that cannot be used, or files that contradict each other.
    ConfigError
        Options that contradict the files.
    """
    options = options or SlurmOptions()
    state = read_state(paths, options)
    notes = Notes()
    notes.say(*state.notes)
    cluster = build_cluster(state, options, notes)
    request = build_request(state, cluster.fabric_levels, options, notes)
    jobs = build_jobs(state, cluster.gpus, options, notes, keeper_priority=request["priority"])
    lines = notes.lines()
    data: dict[str, Any] = {
        "format": "topreempt/v1",
        "comment": ["Imported from Slurm.", *lines],
        "cluster": cluster.fields,
        "jobs": jobs,
        "request": request,
    }
    return Instance.parse(data, source="slurm"), lines
