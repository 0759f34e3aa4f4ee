"""Run directories on an S3 server that speaks HTTP on loopback."""

import json
import os
from collections import Counter

import pyarrow.parquet as pq
import pytest
from farm_pools import InlinePool

from farm.arranging import compact
from farm.commands.inspecting import _check
from farm.loop import drive
from farm.main import main
from farm.run_directory import create, open_run
from farm.watching import Stop, Watcher
from jobs import load_job
from results.rows import comparable, rows
from results.shards import Shard, list_shards
from results.store import StorageError, Store

server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
JOB = load_job("klondike-solvability")
SPEC = JOB.Spec(solver="skip-action", limit_nodes=20, deals=40)


@pytest.fixture(scope="module")
def s3():
    """The address of a server with an empty bucket `farm`; clients find it by the environment."""
    import boto3

    names = {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    names["AWS_ENDPOINT_URL"] = f"http://{host}:{port}"
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    boto3.client("s3").create_bucket(Bucket="farm")
    yield names["AWS_ENDPOINT_URL"]
    started.stop()
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


def new_run(location):
    run = create(Store(location), JOB, SPEC, range(40), None, [{"limit_nodes": 300}])
    run.record.signature = JOB.signature(SPEC)
    run.save()
    return run


def finish(run, pool=None):
    pool, stop = pool or InlinePool(), Stop()
    drive(run, pool, stop, Watcher(), 7)
    return pool.submitted, stop


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    run = new_run(str(tmp_path_factory.mktemp("local")))
    finish(run)
    return comparable(rows(run.store))


def test_a_run_on_an_object_store_is_the_run_on_a_disk(s3, reference):
    run = new_run("s3://farm/some/run")
    finish(run)
    assert comparable(rows(run.store)).equals(reference)
    assert _check(open_run("s3://farm/some/run"))[0] == []
    run.store.delete(Shard(0, 14, 21).name)
    assert finish(open_run("s3://farm/some/run"))[0] == [Shard(0, 14, 21)]
    compact(run)
    assert len(list_shards(run.store)) == 2
    assert comparable(rows(run.store)).equals(reference)


def test_a_run_on_an_object_store_is_followed_asked_exported_and_compared(
    s3, reference, tmp_path, capsys
):
    location, file = "s3://farm/looked/at", tmp_path / "rows.parquet"
    finish(new_run(location))
    assert main(["status", location, "--follow"]) == 0
    assert capsys.readouterr().out.startswith("units           40\n")
    sql = "select outcome, count(*) from rows group by outcome"
    assert main(["query", location, sql, "--csv"]) == 0
    outcomes = Counter(reference["outcome"].to_pylist())
    assert sorted(capsys.readouterr().out.splitlines()[1:]) == sorted(
        f"{name},{number}" for name, number in outcomes.items()
    )
    assert main(["export", location, "--parquet", str(file)]) == 0
    assert comparable(pq.read_table(file).replace_schema_metadata()).equals(reference)
    assert main(["compare", location, location]) == 0


def test_a_report_is_written_beside_the_rows_and_suggests_no_command_that_cannot_read_them(
    s3, capsys
):
    run = new_run("s3://farm/reported")
    finish(run)
    assert main(["report", "s3://farm/reported"]) == 0
    assert capsys.readouterr().out == "s3://farm/reported/report.html\n"
    page = run.store.read("report.html").decode()
    assert "farm resume s3://farm/reported --limit-nodes 3000" in page
    assert "farm solve" not in page


def test_the_command_runs_on_it_with_workers_of_its_own(farm, s3):
    options = ("--solver", "skip-action", "--deals", 30, "--limit-nodes", 20, "--shard-size", 5)
    where = ("--out", "s3://farm/command", "--max-cpus", 2)
    done = farm("run", "klondike-solvability", *options, *where, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["units_done"] == 30
    refused = farm("run", "klondike-solvability", *options, *where)
    assert refused.returncode == 2
    assert "holds a run already: continue it with `farm resume s3://farm/command`" in refused.stderr


def test_a_store_that_refuses_a_write_stops_the_run_and_loses_nothing(s3, reference, monkeypatch):
    run = new_run("s3://farm/refusing")
    write, left = Store.write, [5]

    def refuses(self, name, content):
        if "part-" in name:
            left[0] -= 1
            if left[0] < 0:
                raise StorageError(f"cannot write {name}: AWS Error INTERNAL_FAILURE (HTTP 500)")
        write(self, name, content)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "write", refuses)
        _, stop = finish(run)
    assert "HTTP 500" in stop.reason
    assert not run.is_complete()
    finish(open_run("s3://farm/refusing"))
    assert comparable(rows(run.store)).equals(reference)


def test_a_store_that_is_not_there_is_one_clear_line(farm, s3):
    done = farm("run", "klondike-solvability", "--deals", 5, "--out", "s3://no-such-bucket/run")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "cannot write s3://no-such-bucket/run/write-probe-" in done.stderr
