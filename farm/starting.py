"""Starting a run, or going on with the one that is there, and refusing one that is another."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from farm.driver import Means, check_writable, resume_command, work_on, work_on_share
from farm.errors import UsageProblem
from farm.lease import Lease
from farm.options import make_spec, parse_units, read_deals
from farm.run_directory import LIMIT_FIELD, RUN_FILE, Pass, Run, Segment, digest, new_run, open_run
from farm.share import Share
from farm.worker import local_signature
from jobs.job import Job, JobSpec
from results.store import Store


@dataclass(frozen=True)
class Order:
    """What a user asks for.

    fields: of the job's spec. limits: of the passes after the first, growing.
    units: A-B, or None. resume: whether a run that is there already is gone on with.
    share: the part of the shards to compute, None for all of them.
    """

    job: Job
    fields: dict[str, Any]
    out: str | None = None
    limits: Sequence[int] = ()
    units: str | None = None
    deals_file: str | None = None
    resume: bool = False
    share: Share | None = None


@dataclass(frozen=True)
class Plan:
    """An order that has been checked: all that a new run needs."""

    spec: JobSpec
    units: range
    deals: str | None


def checked(order: Order) -> Plan:
    """Checks everything that can be checked without a run directory; raises UsageProblem."""
    job = order.job
    spec = make_spec(job, order.fields)
    lines = read_deals(job, spec, order.deals_file) if order.deals_file else None
    wanted = _wanted_units(spec, order.fields, order.units, lines)
    if len(job.stages(spec)) > 1 and wanted != range(spec.unit_count):
        raise UsageProblem(f"{job.NAME} has stages that need all its units: leave out --units")
    if order.share is not None:
        check_shareable("--share", job, spec, order.limits)
    if len(wanted) != spec.unit_count:
        spec = spec.of_units(len(wanted))
    return Plan(spec, wanted, None if lines is None else "".join(line + "\n" for line in lines))


def check_shareable(flag: str, job: Job, spec: JobSpec, limits: Sequence[int]) -> None:
    """Raises UsageProblem, which begins with the option, unless shares can compute a run."""
    if len(job.stages(spec)) > 1:
        raise UsageProblem(f"{flag}: {job.NAME} has stages: its units cannot be shared out")
    if job.sequential(spec) is not None:
        raise UsageProblem(f"{flag}: a test ends a {job.NAME} for all at once; leave one out")
    if limits:
        raise UsageProblem(
            f"{flag}: shares have one pass: leave out limits, and add passes with `farm resume`"
        )


def start(order: Order, means: Means, command: str | None = None) -> Run:
    """Starts a run, or goes on with it, and drives it to its end.

    command: that goes on with what the run is part of; None for a run by itself.
    """
    plan = checked(order)
    if order.share is not None and (means.shard_size is None or order.out is None):
        raise UsageProblem("--share: expected --shard-size and --out too, the same for all shares")
    store = Store(order.out or default_directory(order.job.NAME))
    check_writable(store)
    there = order.resume and store.exists(RUN_FILE)
    if order.share is not None:
        run = open_run(store.location) if there else _create_for_shares(order, plan, means, store)
        refuse_another(run, order, plan)
        _refuse_what_is_not_shared(run, plan, means)
        work_on_share(run, means, order.share)
        return run
    created = None if there else _new(order, plan, store)
    if created is not None:
        created.save()
    with Lease(store) as lease:
        run = created or open_run(store.location)
        if there:
            refuse_another(run, order, plan)
            _grow(run, order, plan)
        work_on(run, means, lease, command)
    return run


def _new(order: Order, plan: Plan, store: Store) -> Run:
    """The run of an order, not saved yet."""
    limits = [{LIMIT_FIELD: limit} for limit in order.limits]
    return new_run(store, order.job, plan.spec, plan.units, plan.deals, limits)


def _create_for_shares(order: Order, plan: Plan, means: Means, store: Store) -> Run:
    """The run as every share would create it: which of them does it first makes no difference."""
    assert means.shard_size is not None
    run = _new(order, plan, store)
    run.record.signature = local_signature(order.job.NAME, plan.spec.model_dump_json())
    segment = Segment(start=plan.units.start, stop=plan.units.stop, size=means.shard_size)
    run.record.passes[0].segments.append(segment)
    run.save()
    return open_run(store.location)


def _refuse_what_is_not_shared(run: Run, plan: Plan, means: Means) -> None:
    """Raises UsageProblem unless a share can compute just what is asked for: it changes no run."""
    record = run.record
    if len(record.passes) > 1:
        raise UsageProblem(
            f"--share: {run.store} has {len(record.passes)} passes, and shares compute one: "
            f"go on with `{resume_command(run)}`"
        )
    if record.stop != plan.units.stop:
        raise _differs(run, plan.spec.UNIT_FIELD, len(run.units), len(plan.units))
    asked = plan.spec.model_dump(mode="json")
    for field in sorted(plan.spec.GROWS - {plan.spec.UNIT_FIELD}):
        if record.spec.get(field) != asked[field]:
            raise _differs(run, field, record.spec.get(field), asked[field])
    segments = record.passes[0].segments
    if len(segments) != 1 or segments[0].size != means.shard_size:
        sizes = ", ".join(str(segment.size) for segment in segments) or "no plan yet"
        raise UsageProblem(
            f"--shard-size: the run in {run.store} has {sizes}, this share {means.shard_size}"
        )


def refuse_another(run: Run, order: Order, plan: Plan) -> None:
    """Raises UsageProblem naming the first field in which a run differs from the job asked for.

    The number of units and the limits may have grown.
    """
    record = run.record
    asked = plan.spec.model_dump(mode="json", exclude={"found"})
    if record.job != order.job.NAME:
        raise _differs(run, "job", record.job, order.job.NAME)
    for field in sorted(asked):
        if field not in run.spec.GROWS and record.spec.get(field) != asked[field]:
            raise _differs(run, field, getattr(run.spec, field), getattr(plan.spec, field))
    if record.start != plan.units.start:
        raise _differs(run, "first unit", record.start, plan.units.start)
    if plan.units.stop < record.stop:
        raise _differs(run, plan.spec.UNIT_FIELD, len(run.units), len(plan.units))
    hashed = None if plan.deals is None else digest(plan.deals.encode())
    if record.deals_sha256 != hashed:
        raise _differs(run, "deals file (SHA-256)", record.deals_sha256, hashed)
    if LIMIT_FIELD in asked:
        _further_limits(run, order, plan)


def _further_limits(run: Run, order: Order, plan: Plan) -> list[int]:
    """The limits asked for that the run does not have yet; raises UsageProblem where they clash.

    A command may begin with any limit of the run, such as the one that an earlier call of it added.
    """
    own = [
        run.spec_of_pass(index).model_dump()[LIMIT_FIELD] for index in range(len(run.record.passes))
    ]
    asked = [plan.spec.model_dump()[LIMIT_FIELD], *order.limits]
    if asked[0] > own[-1]:
        return asked
    have = own[own.index(asked[0]) :] if asked[0] in own else []
    if not have or any(one != other for one, other in zip(have, asked, strict=False)):
        raise _differs(run, LIMIT_FIELD, own, asked)
    return asked[len(have) :]


def _grow(run: Run, order: Order, plan: Plan) -> None:
    """Gives a run the units and limits that are asked for and that it does not have."""
    if plan.units.stop > run.record.stop:
        run.record.stop = plan.units.stop
        run.record.spec[plan.spec.UNIT_FIELD] = getattr(plan.spec, plan.spec.UNIT_FIELD)
    if LIMIT_FIELD in run.record.spec:
        more = _further_limits(run, order, plan)
        run.record.passes += [Pass(limits={LIMIT_FIELD: limit}) for limit in more]
    run.save()


def _differs(run: Run, field: str, own: object, asked: object) -> UsageProblem:
    return UsageProblem(
        f"{run.store} is another run: its {field} is {_shown(own)}, asked for was "
        f"{_shown(asked)}; choose another folder with --out"
    )


def _shown(value: object) -> str:
    """A field of a spec in a few words: of a player from outside its name and hash."""
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _wanted_units(
    spec: JobSpec, fields: dict[str, Any], units: str | None, lines: list[str] | None
) -> range:
    count_given = spec.UNIT_FIELD in fields
    if units and count_given:
        raise UsageProblem(f"--units and --{spec.UNIT_FIELD} both say which units: give one")
    if units:
        wanted = parse_units(units)
    elif count_given or lines is None:
        wanted = range(spec.unit_count)
    else:
        wanted = range(len(lines))
    if lines is not None and wanted.stop > len(lines):
        raise UsageProblem(
            f"expected at least {wanted.stop} deals in the deal file, got {len(lines)}"
        )
    return wanted


def default_directory(name: str) -> str:
    """A new folder under runs/, named by what runs and when."""
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    return str(Path("runs") / f"{name}-{stamp}")
