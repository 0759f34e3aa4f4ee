"""Ray that does not start is told in a line."""

import pytest
import ray

from farm.errors import RunProblem, UsageProblem
from farm.pool import RayPool


@pytest.mark.parametrize(
    ("address", "error", "problem", "said"),
    [
        (None, Exception("timed out.\nMore."), RunProblem, "start Ray on this machine: timed out."),
        (None, OSError(), RunProblem, "start Ray on this machine: OSError"),
        ("far:1", ConnectionError("nobody"), UsageProblem, "join the Ray cluster at far:1: nobody"),
        ("far:1", Exception("timed out"), UsageProblem, "join the Ray cluster at far:1: timed out"),
    ],
)
def test_why_ray_is_not_there_is_said_in_a_line(address, error, problem, said, monkeypatch):
    def init(**_):
        raise error

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(problem) as told:
        RayPool(address)
    assert str(told.value) == f"cannot {said}"
