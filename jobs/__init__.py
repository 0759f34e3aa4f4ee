"""What to run: one module a kind of job. Finding them by name imports none of them."""

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobs.job import Job

_NOT_JOBS = {"columns", "job", "signals", "solvability"}
"""Modules beside the jobs; packages are none either."""


class UnknownJob(ValueError):
    """A name that is no job."""


def job_names() -> list[str]:
    """The names of all jobs: those of their modules, with dashes."""
    names = {module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg}
    return sorted(name.replace("_", "-") for name in names - _NOT_JOBS)


def load_job(name: str) -> "Job":
    """The job of this name; raises UnknownJob naming the jobs there are."""
    if name not in job_names():
        raise UnknownJob(f"expected a job ({', '.join(job_names())}), got {name!r}")
    job: Job = importlib.import_module(f"jobs.{name.replace('-', '_')}")  # type: ignore[assignment]
    return job
