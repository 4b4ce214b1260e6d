"""What topology tools print about one machine: nvidia-smi, rocm-smi, NCCL and hwloc."""
