"""How it runs: the command line, the run directory, the Ray loop."""
