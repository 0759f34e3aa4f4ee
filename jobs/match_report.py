"""What a report shows of cribbage matches: cross-table, bands, Elo, and the path of an SPRT."""

from collections.abc import Iterable

import pyarrow as pa

from jobs.job import RunView
from jobs.match_estimates import TALLY_COLUMNS, PairSprt
from jobs.match_rows import LEGS
from results.report.metrics import intervals, share_cell
from results.report.parts import Cell, Part, RatioPath, Section, Table
from results.sequential import BOUND, ERROR_RATE
from results.statistics import Metric, Share, share
from results.tables import number

_STEPS = 300


def sections(
    pairings: Iterable[tuple[str, str]], run: RunView, sprt: PairSprt | None = None
) -> list[Section]:
    """Who beats whom, where each share lies in its band, and Elo; the SPRT's path if there is one.

    pairings: player and opponent, as they are to be listed. sprt: as it is before the first row.
    """
    by_name: dict[str, Metric] = {metric.name: metric for metric in run.metrics}
    played = [
        (player, opponent, by_name[f"{player} over {opponent}"])
        for player, opponent in pairings
        if f"{player} over {opponent}" in by_name
    ]
    shares = {(player, opponent): found for player, opponent, found in played if _is_share(found)}
    found: list[Section] = []
    if shares:
        text = "The share of matches that the player of the row wins against that of the column."
        found.append(Section("Cross-table", text, [_cross_table(shares)]))
        named = [(" over ".join(pairing), metric) for pairing, metric in shares.items()]
        elo = [(name, by_name[f"{name}, Elo"]) for name, _ in named]
        bands = any(metric.band for _, metric in named)
        note = "Green: the target band of a tier." if bands else ""
        charts: list[Part | None] = [
            intervals("Share of matches won", named, note=note),
            intervals("Elo difference", elo, zero=0.0, note="From pairs on the same cards."),
        ]
        found.append(Section("Strength", "", [chart for chart in charts if chart]))
    if sprt is not None:
        found.append(_sprt_section(sprt, run.read(TALLY_COLUMNS)))
    return found


def _is_share(metric: Metric) -> bool:
    return isinstance(metric, Share) and metric.n > 0


def _cross_table(shares: dict[tuple[str, str], Metric]) -> Table:
    """Every pairing twice, once from either side."""
    cells: dict[tuple[str, str], Cell] = {}
    for (player, opponent), found in shares.items():
        assert isinstance(found, Share)
        cells[opponent, player] = share_cell(share("", found.n - found.k, found.n))
        cells[player, opponent] = share_cell(found)
    names = list(dict.fromkeys(name for pairing in shares for name in pairing))
    matches = {number(found.n) for found in shares.values()}
    return Table(
        head=("", *names),
        rows=tuple(
            (player, *(cells.get((player, opponent), "–") for opponent in names))
            for player in names
        ),
        numeric=frozenset(range(1, len(names) + 1)),
        note=f"{' or '.join(sorted(matches))} matches a pairing; 95 % Wilson intervals.",
    )


def _sprt_section(sprt: PairSprt, table: pa.Table) -> Section:
    path = ratio_path(sprt, table)
    weaker, stronger = sprt.hypotheses
    text = (
        f"Is the player {weaker:+g} Elo or less, or {stronger:+g} or more? Error rates {ERROR_RATE:.0%}; evaluated in the order of pairs, "
        "so that no order of computing can bias it. "
    )
    return Section("Sequential test", text + (sprt.verdict or "Not decided yet."), [path])


def ratio_path(sprt: PairSprt, table: pa.Table) -> RatioPath:
    """Feeds the test and notes its ratio on the way. table: all rows in order of unit and leg."""
    pairs = table.num_rows // LEGS
    step = max(1, -(-pairs // _STEPS))
    points: list[tuple[int, float]] = [(0, 0.0)]
    for start in range(0, pairs, step):
        sprt.take(table.slice(start * LEGS, step * LEGS))
        if sprt.counted > points[-1][0]:
            points.append((sprt.counted, sprt.ratio))
    weaker, stronger = sprt.hypotheses
    note = f"Above the upper line {stronger:+g} Elo is accepted, below the lower one {weaker:+g}."
    return RatioPath("Log-likelihood ratio by pairs", tuple(points), BOUND, note)
