"""farm merge and compact: the commands that change how rows are stored, and none of them."""

from typing import Annotated

import typer

from farm import arranging
from farm.commands.running import AsJson, RunArgument
from farm.driver import check_writable, show
from farm.lease import Lease
from farm.run_directory import open_run
from results.store import Store


def merge(
    runs: Annotated[list[str], typer.Argument(metavar="RUN RUN ...", help="Run directories.")],
    out: Annotated[str, typer.Option(help="Run directory of the whole.")],
    as_json: AsJson = False,
) -> None:
    """Make one run of several with different units."""
    parts = [open_run(location) for location in runs]
    store = Store(out)
    check_writable(store)
    show(*arranging.merge(parts, store), as_json)


def compact(run_directory: RunArgument) -> None:
    """Put many shard files into few; the rows stay the same."""
    run = open_run(run_directory)
    with Lease(run.store):
        before, after = arranging.compact(run)
    print(f"{before:,} shards became {after:,}")
