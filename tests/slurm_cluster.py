"""A Slurm of two nodes on this machine: each slurmd in namespaces of its own, so that Ray on one
node knows nothing of the other but its address."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from engines.kernel import CACHE_DIRECTORY

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "munged", "ip", "nsenter", "unshare")
BRIDGE = "dealfarm0"
CONTROLLER_ADDRESS = "10.77.0.1"
NODES = {"farmnode1": "10.77.0.11", "farmnode2": "10.77.0.12"}
CPUS = 2
CONFIGURATION = """
ClusterName=dealfarm
SlurmctldHost={host}({controller})
SlurmctldPort=9817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=0
ReturnToService=2
OverTimeLimit=1
KillWait=5
MinJobAge=300
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
{nodes}
PartitionName=farm Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Unavailable(Exception):
    """This machine cannot have a Slurm of its own; the text says why."""


def why_unavailable():
    """Why there can be no Slurm of two nodes here; None where there can be one."""
    if missing := [name for name in PROGRAMS if shutil.which(name, path=_path()) is None]:
        return f"not installed: {', '.join(missing)}"
    if os.geteuid() != 0:
        return "network namespaces need root"
    probe = ["unshare", "--net", "--pid", "--mount", "--uts", "--fork", "true"]
    tried = subprocess.run(probe, capture_output=True, text=True)
    return f"no right to make namespaces: {tried.stderr.strip()}" if tried.returncode else None


def _path():
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


class SlurmCluster:
    """Two nodes of CPUS cores. `environment` is what makes the client commands find it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"},
            "PATH": _path(),
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "NUMBA_CACHE_DIR": str(CACHE_DIRECTORY.parent),
            "HOME": str(self.folder),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        self._processes = []

    def start(self):
        """Starts everything; raises Unavailable where the network or a daemon cannot be had."""
        try:
            self._make_network()
            self._write_configuration()
            self._start_munge()
            self._start("slurmctld", "-D", "-f", self.environment["SLURM_CONF"])
            for node in NODES:
                self._start_node(node)
            self._await_idle()
        except (OSError, subprocess.SubprocessError) as error:
            self.stop()
            raise Unavailable(str(error)) from error
        except BaseException:
            self.stop()
            raise

    def stop(self):
        """Ends what was started, by process, and takes the network down."""
        for process in reversed(self._processes):
            process.kill()  # of unshare, which heeds nothing else, with all in its namespace
            process.wait()
        self._processes = []
        for node in NODES:
            subprocess.run(["ip", "netns", "delete", node], capture_output=True, env=self._env())
        subprocess.run(["ip", "link", "delete", BRIDGE], capture_output=True, env=self._env())

    def command(self, *arguments, **options):
        """A finished client command, its texts captured."""
        return subprocess.run(
            list(map(str, arguments)),
            capture_output=True,
            text=True,
            env=self.environment,
            timeout=60,
            **options,
        )

    def state(self, job):
        """The fields that `scontrol show job` prints."""
        shown = self.command("scontrol", "show", "job", job).stdout
        return dict(word.partition("=")[::2] for word in shown.split() if "=" in word)

    def log(self):
        """The daemons' logs, for a test that fails."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    def _env(self):
        return {**os.environ, "PATH": _path()}

    def _run(self, *arguments):
        subprocess.run(arguments, check=True, capture_output=True, env=self._env())

    def _start(self, *arguments, log="daemons.log"):
        with (self.folder / log).open("a") as output:
            process = subprocess.Popen(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                start_new_session=True,
            )
        self._processes.append(process)
        return process

    def _make_network(self):
        self._run("ip", "link", "add", BRIDGE, "type", "bridge")
        self._run("ip", "address", "add", f"{CONTROLLER_ADDRESS}/24", "dev", BRIDGE)
        self._run("ip", "link", "set", BRIDGE, "up")
        for number, (node, address) in enumerate(NODES.items(), start=1):
            outside, inside = f"dealfarm{number}", f"dfin{number}"
            self._run("ip", "netns", "add", node)
            self._run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside)
            self._run("ip", "link", "set", outside, "master", BRIDGE, "up")
            self._run("ip", "link", "set", inside, "netns", node)
            within = ("ip", "-n", node)
            self._run(*within, "address", "add", f"{address}/24", "dev", inside)
            self._run(*within, "link", "set", inside, "up")
            self._run(*within, "link", "set", "lo", "up")
            # It leads nowhere; Ray looks at it to find the node's own address.
            self._run(*within, "route", "add", "default", "via", CONTROLLER_ADDRESS)

    def _write_configuration(self):
        host = os.uname().nodename
        nodes = "\n".join(
            f"NodeName={node} NodeHostname={host} NodeAddr={address} Port={17001 + number} "
            f"CPUs={CPUS} RealMemory=4000 State=UNKNOWN"
            for number, (node, address) in enumerate(NODES.items())
        )
        text = CONFIGURATION.format(
            host=host, controller=CONTROLLER_ADDRESS, folder=self.folder, nodes=nodes
        )
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        (self.folder / "state").mkdir()

    def _start_munge(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self._start(
            "munged",
            "--foreground",
            "--force",
            f"--key-file={key}",
            f"--socket={self.folder}/munge.socket",
            f"--pid-file={self.folder}/munged.pid",
            f"--log-file={self.folder}/munged.log",
            f"--seed-file={self.folder}/munged.seed",
        )
        deadline = time.monotonic() + 10
        while not (self.folder / "munge.socket").exists():
            if time.monotonic() > deadline:
                raise OSError("munged does not answer")
            time.sleep(0.05)

    def _start_node(self, node):
        folders = [self.folder / f"spool-{node}", self.folder / f"ray-{node}"]
        for folder in folders:
            folder.mkdir()
        Path("/tmp/ray").mkdir(exist_ok=True)
        # The shell stays, as the node's init: it reaps what is left by others, as Slurm expects.
        inside = (
            f"mount --bind {folders[1]} /tmp/ray && hostname {node} && "
            f"slurmd -D -N {node} -f {self.environment['SLURM_CONF']}; exit $?"
        )
        unshare = ("unshare", "--pid", "--mount", "--uts", "--ipc", "--mount-proc")
        enter = ["nsenter", f"--net=/var/run/netns/{node}"]
        self._start(*enter, *unshare, "--fork", "--kill-child", "bash", "-c", inside)

    def _await_idle(self):
        deadline = time.monotonic() + 30
        while self.command("sinfo", "-h", "-o", "%t %D").stdout.split() != ["idle", "2"]:
            if time.monotonic() > deadline:
                raise OSError(f"the nodes did not come up:\n{self.log()}")
            time.sleep(0.2)
