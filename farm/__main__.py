"""The program `farm`, also as `python -m farm`."""

import sys


def main() -> int:
    """Runs the command of this process; Ctrl-C is clean from the first moment on."""
    try:
        from farm.main import main as run_command  # takes a second

        return run_command()
    except KeyboardInterrupt:
        print("farm: interrupted", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
