"""Scripts and manifests: what they say, that they run, and that no word becomes a command."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from farm.main import main
from farm.options import make_spec, read_job_file
from farm.submission.render import toml_text, yaml_text

JOB = "klondike-solvability"
CRD = Path(__file__).parents[3] / "shared" / "oracles" / "kuberay" / "ray.io_rayjobs.yaml"
NASTY = [
    *("a b", "it's", 'say "x"', "$(touch bad)", "`touch bad`", "; touch bad", "../up", "-x", "é"),
    "😀",
]
STUB = """#!/bin/bash
printf '%s\\0' "$@" >"{folder}/arguments"
[ "$2" = "${{2%.toml}}" ] || cat "$2" >"{folder}/seen.toml"
[ "$4" = "${{4%.toml}}" ] || cat "$4" >"{folder}/seen.toml"
exit 7
"""


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def submit(target, *options, job=JOB):
    return main(["submit", target, job, *map(str, options)])


def run_with_stubs(script, tmp_path):
    """The exit status and the farm's arguments, of a script run where `farm` is a stub."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir(exist_ok=True)
    for name in ("farm", "python"):
        stub = bin_folder / name
        stub.write_text(STUB.format(folder=tmp_path))
        stub.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "SLURM_ARRAY_TASK_ID": "3",
        "SLURM_CPUS_PER_TASK": "2",
    }
    done = subprocess.run(["bash", script], cwd=tmp_path, env=environment, timeout=30)
    arguments = (tmp_path / "arguments").read_bytes().decode().split("\0")[:-1]
    return done.returncode, arguments


@pytest.mark.parametrize("word", NASTY)
def test_no_word_of_a_user_is_a_command_in_a_batch_script(word, tmp_path):
    out = tmp_path / "runs" / word
    code = submit("slurm", "--array", 4, "--shard-size", 50, "--out", out, "--deals", 1000)
    assert code == 0
    script = tmp_path / f"{JOB}.sbatch"
    assert subprocess.run(["bash", "-n", script]).returncode == 0
    status, arguments = run_with_stubs(script, tmp_path)
    assert status == 7
    assert arguments[0] == "run"
    assert arguments[2:] == [
        *("--out", str(out.absolute()), "--resume", "--shard-size", "50"),
        *("--share", "3/4", "--max-cpus", "2"),
    ]
    assert not list(tmp_path.rglob("bad"))
    assert tomllib.loads((tmp_path / "seen.toml").read_text()) == {"job": JOB, "deals": 1000}


@pytest.mark.parametrize("word", NASTY)
def test_no_word_of_a_user_is_a_command_in_the_script_of_a_ray_job(word, tmp_path):
    assert submit("ray", "--out", tmp_path / word, "--deals", 5, "--script", "folder") == 0
    _, arguments = run_with_stubs(tmp_path / "folder" / "package" / "drive.sh", tmp_path)
    assert arguments[:4] == ["-m", "farm.main", "run", "job.toml"]
    assert arguments[4:7] == ["--out", str((tmp_path / word).absolute()), "--resume"]
    assert not list(tmp_path.rglob("bad"))


@pytest.mark.parametrize("word", NASTY)
def test_words_of_a_job_file_come_back_as_they_were(word):
    fields = {"name": word, "many": [word, word], "number": 3, "yes": True, "odd": "\x7f\n\t\\"}
    assert tomllib.loads(toml_text("j", fields)) == {"job": "j", **fields}
    assert len(toml_text("j", fields).splitlines()) == 6


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_of_a_manifest_comes_back_as_it_was(text):
    written = yaml_text({text: [text]})
    assert yaml.safe_load(written) == {text: [text]}
    assert written.isprintable()


def test_a_batch_script_says_what_was_asked_for(tmp_path):
    asked = ("--nodes", 3, "--cpus", 32, "--memory", "64G", "--time", "36h", "--drain", "5m")
    more = ("--partition", "long", "--account", "cards", "--extra", "--constraint=avx2")
    activation = (
        "--activate",
        "module load python/3.12",
        "--activate",
        "source ~/farm/bin/activate",
    )
    assert submit("slurm", *asked, *more, *activation, "--out", "s3://b/x", "--units", "0-99") == 0
    text = (tmp_path / f"{JOB}.sbatch").read_text()
    directives = [line[8:] for line in text.splitlines() if line.startswith("#SBATCH ")]
    assert directives == [
        *(f"--job-name={JOB}", "--time=1-12:00:00", "--nodes=3", "--ntasks-per-node=1"),
        *(f"--output={JOB}-%j.log", "--cpus-per-task=32", "--mem=65536M", "--partition=long"),
        *("--account=cards", "--requeue", "--open-mode=append", "--signal=B:USR1@300"),
        "--constraint=avx2",
    ]
    assert "\nmodule load python/3.12\nsource ~/farm/bin/activate\n" in text
    assert "--out s3://b/x --resume --units 0-99 --address" in text
    assert subprocess.run(["bash", "-n", tmp_path / f"{JOB}.sbatch"]).returncode == 0


SLURM = ("slurm", "--out", "run")
KUBERAY = ("kuberay", "--image", "i", "--out", "s3://b/x")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("slurm",), "expected --out with a run directory that all nodes can reach"),
        ((*SLURM, "--out", "a\nb"), "--out: expected one line of text, got 'a\\nb'"),
        ((*SLURM, "--name", "a b"), "--name: expected a name of letters, digits and . _ -, got"),
        ((*SLURM, "--partition", "x\n#SBATCH -w y"), "--partition: expected letters, digits and"),
        ((*SLURM, "--extra", "a\nrm"), "--extra: expected one line of text, got 'a\\nrm'"),
        ((*SLURM, "--memory", "much"), "--memory: expected a size such as 4G or 512M, got 'much'"),
        ((*SLURM, "--time", "1m"), "--drain: expected less than the time limit of 60 s, got 180 s"),
        ((*SLURM, "--array", "2"), "--array: expected --shard-size as well"),
        ((*SLURM, "--draw", "25"), "--draw: Input should be less than or equal to 24, got 25"),
        ((*SLURM, "--deals-file", "none"), "deal file none: "),
        (("ray", "--out", "run", "--name", "../x"), "--name: expected a name of letters, digits"),
        ((*KUBERAY, "--name", "A"), "--name: expected at most 47 of a-z, 0-9 and -, got 'A'"),
        ((*KUBERAY, "--out", "runs/x"), "--out: expected a URI such as s3://bucket/run, or a fol"),
        ((*KUBERAY, "--min-nodes", "9"), "--min-nodes: expected at most the 1 of --nodes, got 9"),
        ((*KUBERAY, "--namespace", "a: b"), "--namespace: expected at most 47 of a-z, 0-9 and -"),
    ],
)
def test_wrong_use_gets_one_clear_line_and_writes_nothing(options, message, tmp_path, capsys):
    target, *rest = options
    assert submit(target, *rest) == 2
    output = capsys.readouterr()
    assert output.err.startswith(f"farm: {message}")
    assert output.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_a_user_has_changed_is_not_replaced(tmp_path, capsys):
    assert submit("slurm", "--out", "run") == 0
    assert submit("slurm", "--out", "run") == 0
    with (tmp_path / f"{JOB}.sbatch").open("a") as script:
        script.write("# mine\n")
    assert submit("slurm", "--out", "run") == 2
    assert "exists and differs: choose another with --script" in capsys.readouterr().err


def test_a_missing_target_is_named_after_the_script_is_written(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert submit("slurm", "--out", "run", "--go") == 2
    assert "--go: sbatch is not installed here; " in capsys.readouterr().err
    assert (tmp_path / f"{JOB}.sbatch").exists()


def test_a_sweep_and_growing_limits_travel_in_the_job_file(tmp_path):
    Path("study.toml").write_text(f'job = "{JOB}"\ndraw = [1, 2, 3]\nlimits = [1e5, 1e7]\n')
    assert submit("slurm", "--out", "run", "--deals", 100, job="study.toml") == 0
    text = (tmp_path / f"{JOB}.sbatch").read_text()
    own = text.partition("<<'END_OF_JOB_FILE'\n")[2].partition("END_OF_JOB_FILE")[0]
    expected = {"job": JOB, "draw": [1, 2, 3], "limits": [1e5, 1e7], "deals": 100}
    assert tomllib.loads(own) == expected


LADDER = ("cribbage-ladder", "--against", "easy")


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ("cribbage-calibrate", "cribbage-calibrate has stages: its units cannot be shared out"),
        (
            f"{shlex.join(LADDER)} --sprt 0,10",
            "a test ends a cribbage-ladder for all at once; leave one out",
        ),
        ("limits.toml", "shares have one pass: leave out limits, and add passes with"),
        ("sweep.toml", "a sweep has several runs; submit each by itself"),
        ("one.toml", "a sweep has several runs; submit each by itself"),
    ],
)
def test_an_array_is_refused_where_its_tasks_could_only_fail(job, message, capsys):
    Path("limits.toml").write_text(f'job = "{JOB}"\nlimits = [1e5, 1e7]\n')
    Path("sweep.toml").write_text(f'job = "{JOB}"\ndraw = [1, 3]\n')
    Path("one.toml").write_text(f'job = "{JOB}"\ndraw = [1]\n')
    name, *options = job.split()
    array = ("--array", 4, "--shard-size", 50, "--out", "run", "--script", "script")
    assert submit("slurm", *options, *array, job=name) == 2
    assert capsys.readouterr().err.startswith(f"farm: --array: {message}")
    assert not Path("script").exists()


AI = """
class AI:
    def __init__(self, seed): pass
    def discard(self, seen): return seen.own_hand[:2]
    def play(self, seen): return seen.legal_plays()[0]
"""
BOT = f"""#!{sys.executable}
print('{{"hello": "bot", "protocol": 1}}', flush=True)
"""


@pytest.fixture
def players():
    for name, text in (("ai.py", AI), ("ais/ai.py", AI), ("random.py", AI), ("bot", BOT)):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    Path("bot").chmod(0o755)


@pytest.mark.parametrize(
    ("player", "files"),
    [
        ("ai.py:AI", {"ai.py"}),
        ("ais.ai:AI", {"ais/ai.py"}),
        ("cmd:./bot", {"bot"}),
        (f"cmd:{sys.executable} bot ais/ai.py", {"bot", "ais/ai.py"}),
    ],
)
@pytest.mark.usefixtures("players")
def test_the_files_of_a_player_travel_with_a_ray_job(player, files, tmp_path, monkeypatch):
    plain = {"engines", "results", "jobs", "farm", "job.toml", "drive.sh"}
    name, *against = LADDER
    there = tmp_path / "there"
    options = ("--out", "run", "--script", there)
    assert submit("ray", *against, "--player", player, *options, job=name) == 0
    package = there / "package"
    for file in files:
        assert (package / file).read_text() == Path(file).read_text()
    assert {each.name for each in package.iterdir()} == plain | {
        file.partition("/")[0] for file in files
    }
    for file in ("ai.py", "ais/ai.py", "bot"):
        Path(file).unlink()
    monkeypatch.chdir(package)
    assert make_spec(*read_job_file("job.toml")).player.name == player


@pytest.mark.parametrize(
    ("target", "player", "message"),
    [
        ("ray", "{here}/ai.py:AI", "expected a player's file below the current folder, since "),
        ("ray", "cmd:./bot ais/../ai.py", "expected a player's file below the current folder"),
        ("ray", "random.py:AI", "random.py has a name that the package or Python needs: rename it"),
        ("kuberay", "ai.py:AI", "kuberay: ai.py does not travel with a manifest; use slurm or ray"),
        ("kuberay", "cmd:./bot", "kuberay: ./bot does not travel with a manifest; use slurm or"),
    ],
)
@pytest.mark.usefixtures("players")
def test_a_player_that_cannot_travel_is_refused(target, player, message, tmp_path, capsys):
    name, *against = LADDER
    options = ("--out", "s3://b/x", "--script", "there")
    more = ("--image", "i") if target == "kuberay" else ()
    text = player.format(here=tmp_path)
    assert submit(target, *against, "--player", text, *options, *more, job=name) == 2
    assert capsys.readouterr().err.startswith(f"farm: {message}")
    assert not Path("there").exists()


@pytest.mark.usefixtures("players")
def test_a_program_of_the_image_plays_on_kubernetes(tmp_path):
    name, *against = LADDER
    player = ("--player", f"cmd:{tmp_path}/bot")
    assert submit(*KUBERAY, *against, *player, "--script", "m.yaml", job=name) == 0
    assert str(tmp_path / "bot") in Path("m.yaml").read_text()


def test_an_estimate_says_what_the_job_costs(monkeypatch, capsys):
    monkeypatch.setattr("farm.submission.estimate.SAMPLE_SECONDS", 1.0)
    small = ("--solver", "skip-action", "--limit-nodes", 20, "--deals", 1_000_000)
    assert submit("slurm", *small, "--nodes", 2, "--cpus", 8, "--out", "run", "--estimate") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[:5]] == [
        *("sample", "core hours", "undecided", "rows", "shard size"),
    ]
    assert " of 1,000,000 units" in lines[0]
    assert "; on 16 CPUs " in lines[1]


def pods(job):
    spec = job["spec"]["rayClusterSpec"]
    return [spec["headGroupSpec"], *spec["workerGroupSpecs"]]


def manifest(tmp_path, *options):
    assert submit(*KUBERAY[:1], *KUBERAY[1:], *options, "--script", "m.yaml") == 0
    return list(yaml.safe_load_all((tmp_path / "m.yaml").read_text()))


def test_a_manifest_says_what_was_asked_for(tmp_path):
    options = ("--nodes", 4, "--cpus", 8, "--memory", "16G", "--time", "2h", "--ttl", "10m")
    more = ("--namespace", "cards", "--secret", "s3-keys", "--deals", 500, "--min-nodes", 1)
    files, job = manifest(tmp_path, *options, *more, "--extra", "nodeSelector: {pool: batch}")
    assert tomllib.loads(files["data"]["job.toml"]) == {"job": JOB, "deals": 500}
    assert "--out s3://b/x --resume --address auto" in files["data"]["drive.sh"]
    spec = job["spec"]
    assert (spec["shutdownAfterJobFinishes"], spec["ttlSecondsAfterFinished"]) == (True, 600)
    assert (spec["activeDeadlineSeconds"], job["metadata"]["namespace"]) == (7200, "cards")
    assert spec["rayClusterSpec"]["enableInTreeAutoscaling"] is True
    workers = spec["rayClusterSpec"]["workerGroupSpecs"][0]
    assert [workers[name] for name in ("minReplicas", "replicas", "maxReplicas")] == [1, 4, 4]
    for pod in pods(job):
        container = pod["template"]["spec"]["containers"][0]
        assert container["resources"]["requests"] == container["resources"]["limits"]
        assert container["resources"]["limits"] == {"cpu": "8", "memory": "16384Mi"}
        assert container["envFrom"] == [{"secretRef": {"name": "s3-keys"}}]
        assert pod["template"]["spec"]["nodeSelector"] == {"pool": "batch"}


@pytest.mark.parametrize("word", NASTY)
def test_no_word_of_a_user_changes_the_shape_of_a_manifest(word, tmp_path):
    options = ("--claim", "data", "--out", f"/data/{word}", "--image", f"{word}: [x]")
    files, job = manifest(tmp_path, *options)
    _, plain = manifest_of_plain(tmp_path)
    assert pods(job)[0]["template"]["spec"]["containers"][0]["image"] == f"{word}: [x]"
    assert job["spec"].keys() == plain["spec"].keys()
    assert set(files["data"]) == {"job.toml", "drive.sh"}


def manifest_of_plain(tmp_path):
    (tmp_path / "m.yaml").unlink()
    return manifest(tmp_path)


def strict(schema):
    """The schema with what Kubernetes adds to JSON Schema, and unknown fields refused."""
    if not isinstance(schema, dict):
        return schema
    if schema.get("x-kubernetes-int-or-string"):
        return {"type": ["integer", "string"]}
    known = {key: strict(value) for key, value in schema.items() if key not in ("properties",)}
    if "properties" in schema:
        known["properties"] = {key: strict(each) for key, each in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            known.setdefault("additionalProperties", False)
    return known


@pytest.mark.skipif(not CRD.exists(), reason="the RayJob CRD is not beside this checkout")
def test_a_manifest_is_a_ray_job_by_the_schema_of_kuberay(tmp_path):
    versions = yaml.load(CRD.read_text(), yaml.CSafeLoader)["spec"]["versions"]
    schema = next(each for each in versions if each["name"] == "v1")["schema"]["openAPIV3Schema"]
    root = strict(schema)
    root["properties"]["metadata"] = {"type": "object"}
    validator = Draft202012Validator(root)
    options = ("--claim", "data", "--secret", "s3-keys", "--min-nodes", 0)
    for more in ((), options, ("--extra", "nodeSelector: {pool: batch}")):
        (tmp_path / "m.yaml").unlink(missing_ok=True)
        _, job = manifest(tmp_path, *more)
        assert [error.message for error in validator.iter_errors(job)] == []
        job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]["nonsense"] = 1
        assert len(list(validator.iter_errors(job))) == 1


def test_watch_and_cancel_commands_are_printed(tmp_path, capsys):
    assert submit(*KUBERAY, "--namespace", "cards") == 0
    assert capsys.readouterr().out == (
        f"wrote   {JOB}.yaml\nsubmit  kubectl apply -f {JOB}.yaml\n"
        f"watch   kubectl get rayjob {JOB} --namespace cards --watch\n"
        f"cancel  kubectl delete rayjob {JOB} --namespace cards\n"
    )
