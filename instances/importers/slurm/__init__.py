"""What Slurm prints about its nodes, jobs, GPUs and switches, as an instance."""

from .build import import_slurm
from .options import SlurmOptions, column_names, priorities

__all__ = ["SlurmOptions", "column_names", "import_slurm", "priorities"]
