"""What topology tools print about one machine: nvidia-smi, rocm-smi, NCCL and hwloc."""

from .options import LEVEL_KINDS, MachineOptions
from .reading import TopologyReading
from .recognise import import_topology, read_topology
from .several import import_topologies

__all__ = [
    "LEVEL_KINDS",
    "MachineOptions",
    "TopologyReading",
    "import_topologies",
    "import_topology",
    "read_topology",
]
