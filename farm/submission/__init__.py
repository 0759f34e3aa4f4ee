"""Scripts and manifests that bring a run to a cluster: Slurm, Ray Jobs, Kubernetes."""
