"""What Slurm prints about its nodes, jobs, GPUs and switches."""
