"""The command `farm`."""

import os
import sys
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from engines.kernel import source_hash
from farm.commands import (
    arranging,
    benching,
    coach,
    comparing,
    cribbage,
    gallery,
    inspecting,
    klondike,
    querying,
    running,
    shenzhen,
    submitting,
    transcripts,
    validating,
)
from farm.errors import RunProblem, UsageProblem
from farm.examples import epilog
from farm.standard_streams import prepare_standard_streams
from jobs import UnknownJob
from results.shards import ShardError
from results.store import StorageError

_ORDER = [
    "run",
    "resume",
    "extend",
    "merge",
    "submit",
    "status",
    "compare",
    "query",
    "report",
    "verify",
    "compact",
    "validate",
    "bench",
    "jobs",
    "deal",
    "solve",
    "recommend",
    "calibrate",
    "play",
    "coach",
    "verify-transcript",
    "export",
]


_INTERRUPTED = 130  # what typer makes of Ctrl-C
_HELP_INSTEAD = "NoArgsIsHelpError"  # typer does not export it; its text is a page of help


class OrderedGroup(TyperGroup):
    """Lists the commands in the order in which a user meets them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The commands of `_ORDER`."""
        return sorted(super().list_commands(ctx), key=_ORDER.index)


app = typer.Typer(
    cls=OrderedGroup,
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Solve card games by the million and measure card-game AIs, on one machine or many.",
)
app.add_typer(running.run_app, name="run")
app.command("resume")(running.resume)
app.command("extend")(running.extend)
app.command("merge")(arranging.merge)
app.command("compact")(arranging.compact)
submit_app = typer.Typer(no_args_is_help=True, help="Bring a job to a cluster.")
for target in ("slurm", "ray", "kuberay"):
    submit_app.add_typer(submitting.target_app(target), name=target)
app.add_typer(submit_app, name="submit")
app.command("status")(inspecting.status)
app.command("compare")(comparing.compare)
app.command("query")(querying.query)
app.command("report")(inspecting.report)
app.command("verify")(inspecting.verify)
app.command("validate")(validating.validate)
app.command("jobs")(inspecting.jobs)
bench_app = typer.Typer(no_args_is_help=True, help="Run programs of others beside ours.")
bench_app.command("cribbage")(benching.cribbage)
bench_app.command("klondike")(benching.klondike)
app.add_typer(bench_app, name="bench")

deal_app = typer.Typer(no_args_is_help=True, help="Show a deal.")
deal_app.command("gallery")(gallery.deal)
deal_app.command("klondike")(klondike.deal)
deal_app.command("shenzhen")(shenzhen.deal)
solve_app = typer.Typer(no_args_is_help=True, help="Solve a deal and print it move by move.")
solve_app.command("gallery")(gallery.solve)
solve_app.command("klondike")(klondike.solve)
solve_app.command("shenzhen")(shenzhen.solve)
recommend_app = typer.Typer(no_args_is_help=True, help="Recommend the next move.")
recommend_app.command("shenzhen")(shenzhen.recommend_move)
calibrate_app = typer.Typer(no_args_is_help=True, help="Fit a reader of pictures to other art.")
calibrate_app.command("shenzhen")(shenzhen.calibrate_reader)
play_app = typer.Typer(no_args_is_help=True, help="Play a game in the terminal.")
play_app.command("cribbage")(cribbage.play)
play_app.command("gallery")(gallery.play)
coach_app = typer.Typer(no_args_is_help=True, help="Review decisions of a game.")
coach_app.command("cribbage")(coach.coach)
vectors_app = typer.Typer(no_args_is_help=True, help="Decisions to test a port against.")
vectors_app.command("cribbage")(transcripts.vectors)
export_app = typer.Typer(
    cls=querying.ExportGroup,
    no_args_is_help=True,
    help="Write rows, or data for other programs, to a file.",
    subcommand_metavar="RUN [OPTIONS] | COMMAND ...",
)
export_app.add_typer(vectors_app, name="vectors")
app.command("verify-transcript")(transcripts.verify)
app.add_typer(export_app, name="export")
app.add_typer(deal_app, name="deal")
app.add_typer(solve_app, name="solve")
app.add_typer(recommend_app, name="recommend")
app.add_typer(calibrate_app, name="calibrate")
app.add_typer(play_app, name="play")
app.add_typer(coach_app, name="coach")


def _show_version(asked: bool) -> None:
    if asked:
        print(f"dealfarm {version('dealfarm')}, engine sources {source_hash()}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Solve card games by the million and measure card-game AIs, on one machine or many."""


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; returns the exit code: 0 done, 1 failed or incomplete, 2 wrong use."""
    prepare_standard_streams()
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # who reads the output has seen enough
        _drop_output()
        return 1
    except OSError as error:  # such as a full disk behind standard output
        _drop_output()
        return _say(error, 1)
    return code


def _drop_output() -> None:
    """Leaves nothing to be written at the end of the process, where it would fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(arguments: list[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    try:
        _check_text(words)
        code = _command().main(words, "farm", standalone_mode=False) or 0
        return _say("interrupted", 1) if code == _INTERRUPTED else code
    except (UsageProblem, UnknownJob) as error:
        return _say(error, 2)
    except TyperException as error:
        if type(error).__name__ == _HELP_INSTEAD:
            print(error.format_message(), file=sys.stderr)
            return error.exit_code
        return _say(error.format_message(), error.exit_code)
    except (RunProblem, StorageError, ShardError) as error:
        return _say(error, 1)
    except typer.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _say("interrupted", 1)


def _check_text(words: list[str]) -> None:
    """Raises UsageProblem for bytes that are no text: a run keeps its command, and scripts have it.

    Python keeps such bytes of a command line as characters that cannot be written.
    """
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise UsageProblem(f"expected words in UTF-8, got {word!r}") from None


def _command() -> Any:
    """The command with all others below it, and the example of each."""
    command = typer.main.get_command(app)
    _add_examples(command, "farm")
    return command


def _add_examples(command: Any, path: str) -> None:
    command.epilog = epilog(path)
    for name, below in getattr(command, "commands", {}).items():
        _add_examples(below, f"{path} {name}")


def _say(problem: object, code: int) -> int:
    print(f"farm: {' '.join(str(problem).split())}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
