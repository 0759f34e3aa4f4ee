"""The game that engines/README.md adds: its text is what runs here."""

import re
import sys
from pathlib import Path

import pytest
from farm_pools import InlinePool

import engines
import jobs
from farm.loop import drive
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from farm.worker import tally_of
from results.shards import list_shards
from results.store import Store

README = (Path(engines.__file__).parent / "README.md").read_text()
DEALS = 3000


@pytest.fixture
def job(tmp_path, monkeypatch):
    """The job of the README's two files, found as any other."""
    rules, job = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    for name, text in (
        ("engines/clock/__init__.py", ""),
        ("engines/clock/rules.py", rules),
        ("jobs/clock_solvability.py", job),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(tmp_path / "engines")])
    monkeypatch.setattr(jobs, "__path__", [*jobs.__path__, str(tmp_path / "jobs")])
    yield jobs.load_job("clock-solvability")
    for module in ("engines.clock.rules", "engines.clock", "jobs.clock_solvability"):
        sys.modules.pop(module, None)
    del engines.clock, jobs.clock_solvability


def test_an_added_game_runs_on_the_farm_and_is_won_once_in_thirteen(job, tmp_path):
    run = create(Store(str(tmp_path / "run")), job, job.Spec(deals=DEALS), range(DEALS))
    run.record.signature = job.signature(run.spec)
    drive(run, InlinePool(), Stop(), Watcher(), 500)
    assert open_run(str(tmp_path / "run")).is_complete()
    (found,) = job.metrics(tally_of(job, run.store, list_shards(run.store)))
    assert found.n == DEALS
    assert found.low < 1 / 13 < found.high
