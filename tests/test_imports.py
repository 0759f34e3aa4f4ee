"""Imports go one way: farm -> jobs -> engines, farm -> results, jobs -> results."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAY_IMPORT = {
    "engines": {"engines"},
    "results": {"results"},
    "jobs": {"jobs", "engines", "results"},
    "farm": {"farm", "jobs", "engines", "results"},
}
NO_ENGINE_IMPORTS = {"ray", "random", "time", "datetime", "pyarrow", "pydantic"}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_it_may(package):
    for path in (ROOT / package).rglob("*.py"):
        ours = set(imported(path)) & set(MAY_IMPORT)
        assert ours <= MAY_IMPORT[package], path


def test_engines_have_no_clock_no_randomness_and_no_farm():
    for path in (ROOT / "engines").rglob("*.py"):
        assert not set(imported(path)) & NO_ENGINE_IMPORTS, path


def test_only_the_pool_imports_ray():
    users = {path.name for path in (ROOT / "farm").rglob("*.py") if "ray" in imported(path)}
    assert users == {"pool.py"}
