"""farm compare: two runs on the same units, or a run and published figures."""

import json
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.compute as pc
import typer
from pydantic import BaseModel

from farm.commands.running import AsJson, RunArgument, warn_of_gaps
from farm.driver import sum_up
from farm.errors import RunProblem, UsageProblem
from farm.run_directory import BENCHMARK_FILE, Run, open_run
from results.benchmark import BenchmarkError, load_benchmark
from results.compare import (
    RULE_COLUMNS,
    Comparison,
    ComparisonError,
    Verdicts,
    columns_to_compare,
    compare_rows,
)
from results.paired import Difference, Speed
from results.references import REFERENCES, Held, ReferenceProblem, check_rules, find_reference, hold
from results.rows import rows

_SHOWN = 20  # contradictions; all of them are in the JSON
_UNSET = "-"


def compare(
    run_directory: RunArgument,
    other: Annotated[
        str | None, typer.Argument(metavar="[RUN]", help="Another run.", show_default=False)
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Published figures, such as klondike-draw3.",
            autocompletion=lambda: list(REFERENCES),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs, or a run with published figures.

    Of two runs, the units that both have are compared.
    Differences are the second run less the first; a speed is how many times as fast the second is.
    Exits with 1 where one run solved what the other proved unsolvable, or where an interval does
    not overlap the published one.
    """
    if (other is None) == (reference is None):
        raise UsageProblem("expected a second RUN or a --reference to compare with")
    if reference is not None:
        _compare_with_reference(open_run(run_directory), reference, as_json)
    else:
        assert other is not None
        _compare_runs(open_run(run_directory), open_run(other), as_json)


# Published figures.


def _compare_with_reference(run: Run, name: str, as_json: bool) -> None:
    try:
        reference = find_reference(name)
        given_deals = run.record.deals_sha256 is not None
        check_rules(reference, run.record.job, run.spec.rules(), given_deals)
        held = hold(reference, sum_up(run)[0].metrics)
    except ReferenceProblem as problem:
        raise UsageProblem(f"--reference {name}: {problem}") from None
    warn_of_gaps(run)
    if as_json:
        figures = [each.model_dump() for each in held]
        print(json.dumps({"reference": name, "source": reference.source, "figures": figures}))
    else:
        print(f"{name}: {reference.source}")
        for each in held:
            print(_held_text(each))
    if apart := [each.metric for each in held if not each.overlap]:
        raise RunProblem(f"{', '.join(apart)}: the interval does not overlap that of {name}")


def _held_text(held: Held) -> str:
    verdict = "the intervals overlap" if held.overlap else "THE INTERVALS DO NOT OVERLAP"
    return (
        f"{held.metric}  {_range(held.low, held.high)}; "
        f"published {100 * held.published:.3f} % "
        f"({_range(held.published_low, held.published_high)}): {verdict}"
    )


def _range(low: float, high: float) -> str:
    return f"{100 * low:.2f} to {100 * high:.2f} %"


# Two runs.


def _compare_runs(a: Run, b: Run, as_json: bool) -> None:
    _refuse_other_units(a, b)
    try:
        columns = columns_to_compare(a.job.SCHEMA.names)
        tables = [rows(run.store, columns) for run in (a, b)]
        for run, table in zip((a, b), tables, strict=True):
            if table is None:
                raise ComparisonError(f"{run.store} has no rows yet")
        found = compare_rows(*tables)
    except ComparisonError as error:
        raise UsageProblem(str(error)) from None
    for run in (a, b):
        warn_of_gaps(run)
    facts = _facts(a, tables[0]), _facts(b, tables[1])
    differing = _differing(*facts)
    same_rules = _same_rules(a, b, *tables)
    contradictions = found.verdicts.contradictions if found.verdicts else []
    if as_json:
        sides = {"a": a.store.location, "b": b.store.location}
        judged = {"same_rules": same_rules, "differing": differing}
        document = {**sides, **judged, **found.model_dump(mode="json")}
        print(json.dumps(document, default=BaseModel.model_dump))
    else:
        print("\n".join(_lines(a, b, found, differing, same_rules)))
    if contradictions and same_rules:
        raise RunProblem(
            f"CONTRADICTION: {len(contradictions):,} of {found.units:,} units are solved in one "
            "run and proved unsolvable in the other: one of the programs is wrong"
        )


def _refuse_other_units(a: Run, b: Run) -> None:
    """Raises UsageProblem unless the same number means the same unit in both runs."""
    of_a, of_b = _dealt(a), _dealt(b)
    for name in of_a:
        if of_a[name] != of_b.get(name):
            raise UsageProblem(
                f"the runs have different units: {name} is {of_a[name]} in {a.store}, "
                f"{of_b.get(name)} in {b.store}"
            )


def _dealt(run: Run) -> dict[str, Any]:
    """What decides which cards a unit has, the job first."""
    given = run.record.deals_sha256
    return {
        "job": run.record.job,
        "deals file (SHA-256)": given,
        "seed": None if given else run.spec.seed,
        **{name: getattr(run.spec, name) for name in sorted(run.spec.DEALS)},
    }


def _same_rules(a: Run, b: Run, of_a: pa.Table, of_b: pa.Table) -> bool:
    """Whether any unit may have been played by the same rules in both.

    What each row names itself is judged by the rows: a line of a deal file goes before the option.
    """
    rules_a, rules_b = a.spec.rules(), b.spec.rules()
    for name in RULE_COLUMNS:
        if name in of_a.column_names:
            if not set(_values_in(of_a, name)) & set(_values_in(of_b, name)):
                return False
            rules_a.pop(name, None)
            rules_b.pop(name, None)
    return rules_a == rules_b


def _values_in(table: pa.Table, name: str) -> list[Any]:
    """The different values of a column, ascending."""
    values: list[Any] = pc.unique(table[name]).sort().to_pylist()
    return values


def _facts(run: Run, table: pa.Table) -> dict[str, Any]:
    """What may differ between two runs and is no row: spec, versions, machine.

    table: of its rows, which know the rules that each names better than the spec.
    """
    record = run.record
    versions = {f"version of {name}": value for name, value in record.versions.items()}
    last = run.sessions()[-1:]
    machine = {"node": last[0].node, "cpus used": last[0].cpus} if last else {}
    if run.store.exists(BENCHMARK_FILE):
        try:
            found = load_benchmark(run.store.read(BENCHMARK_FILE)).machine
        except BenchmarkError as error:
            raise UsageProblem(f"{run.store}/{BENCHMARK_FILE}: {error}") from None
        machine |= found.model_dump(exclude={"node"})
    return {
        **{name: value for name, value in run.spec if name != "found"},
        **{name: _values_in(table, name) for name in RULE_COLUMNS if name in table.column_names},
        "units": f"{record.start}-{record.stop - 1}",
        "limits of passes": [each.limits for each in record.passes[1:]],
        "engine signature": record.signature,
        **versions,
        **machine,
    }


def _differing(of_a: dict[str, Any], of_b: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"field": name, "a": of_a.get(name), "b": of_b.get(name)}
        for name in dict.fromkeys([*of_a, *of_b])
        if of_a.get(name) != of_b.get(name)
    ]


def _lines(
    a: Run, b: Run, found: Comparison, differing: list[dict[str, Any]], same_rules: bool
) -> list[str]:
    lines = [("A", a.store.location), ("B", b.store.location)]
    lines.append(("job", a.record.job))
    lines += [
        ("differs", f"{each['field']}: {_value(each['a'])}, {_value(each['b'])}")
        for each in differing
    ]
    return [*_aligned(lines), *comparison_lines(found, same_rules)]


def comparison_lines(found: Comparison, same_rules: bool) -> list[str]:
    """A comparison for people, a line for each figure."""
    lines = [("units", f"{found.units:,} in both")]
    if found.verdicts is not None:
        lines += [("verdicts", text) for text in _verdict_lines(found.verdicts, same_rules)]
    lines += [(each.name, _difference_text(each)) for each in found.differences]
    lines += [("speed", _speed_text(each, len(found.speeds) > 1)) for each in found.speeds]
    return _aligned(lines)


def _aligned(lines: list[tuple[str, str]]) -> list[str]:
    width = max(len(name) for name, _ in lines)
    return [f"{name:{width}}  {text}" for name, text in lines]


def _value(value: Any) -> str:
    if isinstance(value, list | tuple) and len(value) == 1:
        return _value(value[0])
    if isinstance(value, list | tuple) and value:
        return f"[{', '.join(map(_value, value))}]"
    return _UNSET if value is None else str(value)


def _verdict_lines(verdicts: Verdicts, same_rules: bool) -> list[str]:
    lines = [
        f"{each.units:,} {each.a} in both"
        if each.a == each.b
        else f"{each.units:,} {each.a} in A, {each.b} in B"
        for each in verdicts.outcomes
    ]
    if verdicts.half_decided:
        lines.append(f"{verdicts.half_decided:,} decided in one run only: no contradiction")
    if not same_rules:
        return [*lines, "the rules differ: no verdict contradicts another"]
    if not verdicts.contradictions:
        return [*lines, "no verdict contradicts another"]
    lines += [
        f"CONTRADICTION: unit {each.unit} is {each.a} in A, {each.b} in B"
        for each in verdicts.contradictions[:_SHOWN]
    ]
    if (more := len(verdicts.contradictions) - _SHOWN) > 0:
        lines.append(f"{more:,} more CONTRADICTIONS")
    return lines


def _difference_text(difference: Difference) -> str:
    share = difference.unit == "share"
    scale, unit = (100, "%") if share else (1, "cards")

    def shown(value: float | None, sign: str = "+") -> str:
        return "unbounded" if value is None else f"{scale * value:{sign}.2f}"

    before, after = (f"{shown(mean, '')} {unit}" for mean in (difference.a, difference.b))
    if difference.p is None:
        test = "no unit differs" if difference.low == difference.high == 0 else "no test"
    else:
        test = f"p {difference.p:.2g} by {difference.test}"
    return (
        f"A {before}, B {after}, B minus A {shown(difference.estimate)} "
        f"({shown(difference.low)} to {shown(difference.high)}), n {difference.n:,}, {test}"
    )


def _speed_text(speed: Speed, named: bool) -> str:
    name = f"{speed.name}: " if named else ""
    seconds = f"by totals ({speed.seconds_a:.3g} s, {speed.seconds_b:.3g} s)"
    if speed.by_units is None:
        return (
            f"{name}B is {speed.by_totals:.3g} times as fast {seconds}, n {speed.n:,}; "
            "timed in batches, so without an interval"
        )
    return (
        f"{name}B is {ratio_text(speed)} times as fast by units, "
        f"{speed.by_totals:.3g} {seconds}, n {speed.n:,}"
    )


def ratio_text(speed: Speed) -> str:
    """How many times as fast by units, and its interval."""

    def shown(value: float) -> str:
        return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"

    if speed.by_units is None:
        return "unknown"
    bounds = "unbounded"
    if speed.low is not None and speed.high is not None:
        bounds = f"{shown(speed.low)} to {shown(speed.high)}"
    return f"{shown(speed.by_units)} ({bounds})"
