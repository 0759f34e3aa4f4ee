"""Programs of others beside ours, in turns in one run, so that only ratios of one run are told."""


class Absent(Exception):
    """A peer that is not installed; the text is the reason and the remedy."""
