"""The two ways a command can end that are not success."""


class UsageProblem(Exception):
    """Wrong use: the user can mend the command or its input. Exit code 2."""


class RunProblem(Exception):
    """Right use, but the work failed or is incomplete. Exit code 1."""
