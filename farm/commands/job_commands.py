"""Commands with a subcommand for each job, which has the fields of the job's spec as options."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from farm.options import read_job_file
from jobs import job_names, load_job
from jobs.job import Job

Units = Annotated[str | None, typer.Option(metavar="A-B", help="Only units A to B, B included.")]
DealsFile = Annotated[str | None, typer.Option(metavar="FILE", help="Take the deals from a file.")]

CommandOf = Callable[[Job, dict[str, Any], str], Any]
"""The command of a job with the fields of a job file, under the name that was typed."""


def known(name: str) -> bool:
    """Whether there is such a job or job file: to complete a command line, others are no error."""
    return Path(name).is_file() if name.endswith(".toml") else name in job_names()


def job_group(help_text: str, command_of: CommandOf) -> typer.Typer:
    """A command that has one for each job, and one for each job file that is named."""

    class JobGroup(TyperGroup):
        def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
            return job_names()

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            if ctx.resilient_parsing and not known(cmd_name):
                return None
            if cmd_name.endswith(".toml"):
                return command_of(*read_job_file(cmd_name), cmd_name)
            return command_of(load_job(cmd_name), {}, cmd_name)

    app = typer.Typer(
        cls=JobGroup,
        no_args_is_help=True,
        help=help_text,
        subcommand_metavar="JOB|FILE.toml [OPTIONS]",
    )
    app.callback()(lambda: None)
    return app


def with_options(function: Callable[..., None], options: Sequence[inspect.Parameter]) -> Any:
    """The function with these options in place of its own last parameter, which takes them all."""
    signature = inspect.signature(function)
    parameters = [item.replace(kind=inspect.Parameter.KEYWORD_ONLY) for item in options]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {item.name: item.annotation for item in parameters}
    return function


def own_options(function: Callable[..., None]) -> list[inspect.Parameter]:
    """The parameters that a function names, without the last one."""
    return list(inspect.signature(function).parameters.values())[:-1]


def single_command(function: Any, name: str, help_text: str, epilog: str | None) -> Any:
    """A function as a command of its own."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, help=help_text, epilog=epilog)(function)
    return typer.main.get_command(app)
