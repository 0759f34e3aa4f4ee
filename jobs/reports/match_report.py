"""What a report shows of cribbage matches: cross-table, bands, Elo, and the path of an SPRT."""

from collections.abc import Iterable, Mapping
from copy import deepcopy

import pyarrow as pa
import pyarrow.compute as pc

from jobs.job import RunView
from jobs.matches.match_estimates import TALLY_COLUMNS, PairSprt, strength
from jobs.matches.match_rows import LEGS
from results.report.metrics import intervals
from results.report.parts import Cell, RatioPath, Section, Table
from results.sequential import BOUND, ERROR_RATE
from results.statistics import Metric, Share, share
from results.tables import band, estimate, interval, number

_STEPS = 300

Shares = dict[tuple[str, str], Share]


def sections(
    pairings: Iterable[tuple[str, str]], run: RunView, sprt: PairSprt | None = None
) -> list[Section]:
    """Who beats whom, where each share lies in its band, and Elo; the SPRT's path if there is one.

    pairings: player and opponent; they are listed in the order of the metrics.
    sprt: as it is before the first row.
    """
    path = []
    if sprt is not None:
        table = run.read(TALLY_COLUMNS)
        without_gap = table.filter(pc.less(table["unit"], run.first_gap))
        path.append(_sprt_section(sprt, without_gap))
    by_name: dict[str, Metric] = {metric.name: metric for metric in run.metrics()}
    pairing_of = {" over ".join(pairing): pairing for pairing in pairings}
    shares: Shares = {
        pairing_of[metric.name]: metric
        for metric in by_name.values()
        if metric.name in pairing_of and isinstance(metric, Share) and metric.n
    }
    found: list[Section] = []
    if shares:
        found += [_strength_section(shares, by_name), *_cross_section(shares)]
    return [*found, *path]


def _strength_section(shares: Shares, by_name: Mapping[str, Metric]) -> Section:
    named = [(" over ".join(pairing), metric) for pairing, metric in shares.items()]
    elo = [(name, by_name[f"{name}, Elo"]) for name, _ in named]
    bands = any(metric.band for _, metric in named)
    rows: list[tuple[Cell | str, ...]] = []
    for (name, metric), (_, difference) in zip(named, elo, strict=True):
        paired = by_name[f"{name}, paired"]
        cells: list[Cell | str] = [
            name,
            number(metric.n),
            Cell(estimate(metric), small=interval(metric)),
            Cell(estimate(paired), small=interval(paired)),
            Cell(estimate(difference), small=interval(difference)),
        ]
        if bands:
            cells.append(band(metric).removeprefix("band "))
        rows.append(tuple(cells))
    head = ("", "matches", "share", "by pairs", "Elo")
    table = Table(
        head=(*head, "target band") if bands else head,
        rows=tuple(rows),
        numeric=frozenset({1, 2, 3, 4}),
        note="Below each figure its 95 % interval; that by pairs heeds that the two matches of a "
        "pair are played on the same cards, and Elo follows from it.",
    )
    note = "Green: the target band of a tier." if bands else ""
    charts = [
        intervals("Share of matches won", named, note=note),
        intervals("Elo difference", elo, zero=0.0),
    ]
    text = "How often the first player named wins."
    return Section("Strength", text, [*(chart for chart in charts if chart), table])


def _cross_section(shares: Shares) -> list[Section]:
    """Every pairing twice, once from either side; nothing where one player met all others."""
    if len({player for player, _ in shares}) == 1:
        return []
    cells: dict[tuple[str, str], Cell] = {}
    for (player, opponent), found in shares.items():
        seen_by_other = share("", found.n - found.k, found.n)
        cells[opponent, player] = Cell(estimate(seen_by_other), small=interval(seen_by_other))
        cells[player, opponent] = Cell(estimate(found), small=interval(found))
    names = sorted({name for pairing in shares for name in pairing}, key=strength, reverse=True)
    table = Table(
        head=("", *names),
        rows=tuple(
            (player, *(cells.get((player, opponent), "–") for opponent in names))
            for player in names
        ),
        numeric=frozenset(range(1, len(names) + 1)),
        note="Below each share its 95 % Wilson interval.",
    )
    text = "The share of matches that the player of the row wins against that of the column."
    return [Section("Cross-table", text, [table])]


def _sprt_section(sprt: PairSprt, table: pa.Table) -> Section:
    path = ratio_path(sprt, table)
    weaker, stronger = sprt.hypotheses
    text = (
        f"Is the player {weaker:+g} Elo or less, or {stronger:+g} or more? Error rates "
        f"{ERROR_RATE:.0%}; evaluated in the order of pairs, so that no order of computing can "
        "bias it. "
    )
    return Section("Sequential test", text + (sprt.verdict or "Not decided yet."), [path])


def ratio_path(sprt: PairSprt, table: pa.Table) -> RatioPath:
    """Feeds the test and notes its ratio on the way. table: all rows in order of unit and leg."""
    whole = deepcopy(sprt)
    whole.take(table)
    step = max(1, -(-whole.counted // _STEPS))
    points: list[tuple[int, float]] = [(0, 0.0)]
    for start in range(0, table.num_rows // LEGS, step):
        sprt.take(table.slice(start * LEGS, step * LEGS))
        if sprt.verdict and sprt.counted == points[-1][0]:
            break
        if sprt.counted > points[-1][0]:
            points.append((sprt.counted, sprt.ratio))
    weaker, stronger = sprt.hypotheses
    note = f"Above the upper line {stronger:+g} Elo is accepted, below the lower one {weaker:+g}."
    return RatioPath("Log-likelihood ratio by pairs", tuple(points), BOUND, note)
