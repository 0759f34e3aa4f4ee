"""farm query and farm export RUN: the rows of a run for other programs."""

import csv
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from farm.commands.job_commands import single_command
from farm.commands.running import AsJson, RunArgument, warn_of_gaps
from farm.errors import UsageProblem
from farm.examples import epilog
from farm.run_directory import open_run
from results.export import ExportError, export_csv, export_parquet, json_text
from results.query import Answer, QueryError, ask

_TABLE_ROWS = 1000
_WITHOUT_TERMINAL = 100_000  # characters of a line, so that nothing is cut


def query(
    run_directory: RunArgument,
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="A query on `rows`, or on the files, `shards`.")
    ],
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the answer as CSV.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask the final rows of a run in SQL, answered by DuckDB."""
    if as_csv and as_json:
        raise UsageProblem("expected --csv or --json, got both")
    run = open_run(run_directory)
    warn_of_gaps(run)
    try:
        answer = ask(run.store, sql)
        if as_csv:
            _print_csv(answer)
        elif as_json:
            _print_json(answer)
        else:
            _print_table(answer)
    except QueryError as error:
        raise UsageProblem(str(error)) from None


def _print_csv(answer: Answer) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    for row in answer.rows:
        writer.writerow(map(_cell, row))


def _cell(value: Any) -> Any:
    """A value as `farm export` writes it: lists and the like are JSON."""
    return json_text(value) if isinstance(value, bool | list | tuple | dict) else value


def _print_json(answer: Answer) -> None:
    separator = "["
    for row in answer.rows:
        document = dict(zip(answer.columns, row, strict=True))
        print(f"{separator}{json_text(document)}", end="")
        separator = ",\n "
    print("[]" if separator == "[" else "]")


def _print_table(answer: Answer) -> None:
    shown = list(islice(answer.rows, _TABLE_ROWS))
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, name in enumerate(answer.columns):
        numbers = all(isinstance(row[place], int | float | None) for row in shown)
        table.add_column(Text(name), justify="right" if numbers else "left", no_wrap=True)
    for row in shown:
        table.add_row(*(Text("" if value is None else str(value)) for value in row))
    console = Console(width=None if sys.stdout.isatty() else _WITHOUT_TERMINAL)
    unbounded = console.options.update(width=_WITHOUT_TERMINAL)
    if console.measure(table, options=unbounded).maximum > console.width:
        _print_blocks(answer.columns, shown)
    else:
        console.print(table)
    if next(answer.rows, None) is not None:
        more = f"these are the first {_TABLE_ROWS:,} rows; --csv and --json print all"
        print(f"farm: {more}", file=sys.stderr)


def _print_blocks(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    """Rows too wide for the terminal: a line for each value, an empty one between rows."""
    width = max(map(len, columns))
    for number, row in enumerate(rows):
        if number:
            print()
        for name, value in zip(columns, row, strict=True):
            print(f"{name:{width}}  {'' if value is None else value}")


class ExportGroup(TyperGroup):
    """`farm export` has commands of its own; any other word is a run directory."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, or the export of the run of this name."""
        return super().get_command(ctx, cmd_name) or _export_command(cmd_name)


def _export_command(run_directory: str) -> Any:
    """The export of a run."""

    def export(
        csv_file: Annotated[
            str | None, typer.Option("--csv", metavar="FILE", help="Write a CSV file.")
        ] = None,
        parquet_file: Annotated[
            str | None, typer.Option("--parquet", metavar="FILE", help="Write a Parquet file.")
        ] = None,
        force: Annotated[
            bool, typer.Option("--force", help="Write over a file that is there.")
        ] = False,
    ) -> None:
        targets = [
            (option, Path(path), write)
            for option, path, write in (
                ("--csv", csv_file, export_csv),
                ("--parquet", parquet_file, export_parquet),
            )
            if path is not None
        ]
        if not targets:
            raise UsageProblem("expected --csv FILE or --parquet FILE")
        run = open_run(run_directory)
        for option, path, _ in targets:
            if path.exists() and not force:
                raise UsageProblem(f"{option}: {path} exists; write over it with --force")
        warn_of_gaps(run)
        for _, path, write in targets:
            try:
                print(f"{write(run.store, path):,} rows in {path}")
            except ExportError as error:
                raise UsageProblem(str(error)) from None

    help_text = "Write the final rows of a run as one file."
    return single_command(export, run_directory, help_text, epilog("farm export"))
