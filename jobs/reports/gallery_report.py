"""What a report shows of players of Gallery: scores, paired differences, and a game in pictures."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa

from engines.gallery.deal import Deal
from engines.gallery.moves import DEAL_MOVE, Move, parse_moves
from engines.gallery.picture import svg
from engines.gallery.rules import Position
from results.report.distributions import tail_table
from results.report.metrics import intervals
from results.report.parts import (
    HistogramRow,
    HistogramRows,
    Part,
    Picture,
    Pictures,
    Section,
    Table,
)
from results.statistics import Estimate, Metric, Share
from results.tables import estimate, interval, number


def score_sections(
    table: pa.Table, metrics: Mapping[str, Metric], players: list[str]
) -> list[Section]:
    """Distributions of scores, and by how much the first player differs from each of the others.

    table: unit, leg, player, score, moves and seconds of all rows, in order.
    metrics: by name; those of PLAYER are "PLAYER, mean score", "PLAYER, solved" and
        "FIRST minus PLAYER, paired".
    """
    legs = np.asarray(table["leg"])
    scores = _by_player(table, "score", legs, players)
    if not scores:
        return []
    paired = {
        name: metrics[f"{players[0]} minus {name}, paired"]
        for name in scores
        if f"{players[0]} minus {name}, paired" in metrics
    }
    found = [_score_section(scores, metrics)]
    if paired:
        found.append(_paired_section(players[0], paired, _differences(table, legs, players)))
    times = _by_player(table, "seconds", legs, players)
    moves = _by_player(table, "moves", legs, players)
    tails = [_tail("seconds", times, "time of a game"), _tail("moves", moves, "moves of a game")]
    return [*found, Section("Time and length of games", "", tails)]


def _score_section(scores: Mapping[str, np.ndarray], metrics: Mapping[str, Metric]) -> Section:
    means = {name: metrics[f"{name}, mean score"] for name in scores}
    rows = [
        HistogramRow(name, Counter(values.tolist()), _value(means[name]))
        for name, values in scores.items()
    ]
    text = (
        "Cards of 96 not in place at the end: fewer are better, and 0 is a deal solved. The line "
        "through each distribution is its mean."
    )
    distributions = HistogramRows("How often each score came up", "score", tuple(rows))
    drawn = intervals("Mean score", list(means.items()))
    return Section("Scores", text, _present(distributions, drawn, _player_table(metrics, scores)))


def _paired_section(
    first: str, paired: Mapping[str, Metric], differences: Mapping[str, Counter[int]]
) -> Section:
    rows = [
        HistogramRow(f"{first} minus {name}", differences[name], _value(metric))
        for name, metric in paired.items()
    ]
    named = [(f"minus {name}", metric) for name, metric in paired.items()]
    text = (
        f"Score of {first} minus that of another player on the same deal: below 0, {first} left "
        "fewer cards."
    )
    distributions = HistogramRows("How often each difference came up", "difference", tuple(rows))
    note = f"{100 * named[0][1].confidence:.0f} % intervals"
    drawn = intervals(f"Mean difference, {first}", named, zero=0.0, note=note)
    return Section("Paired differences", text, _present(distributions, drawn))


def _present(*parts: Part | None) -> list[Part]:
    return [part for part in parts if part is not None]


def _value(metric: Metric) -> float | None:
    return metric.estimate if isinstance(metric, Estimate) else None


def _by_player(
    table: pa.Table, column: str, legs: np.ndarray, players: list[str]
) -> dict[str, np.ndarray]:
    """The values of each player that has any."""
    found = {}
    for leg, name in enumerate(players):
        values = table.filter(pa.array(legs == leg))[column].drop_null().to_numpy()
        if len(values):
            found[name] = values
    return found


def _differences(table: pa.Table, legs: np.ndarray, players: list[str]) -> dict[str, Counter[int]]:
    """How often the first player's score differed by how much, on deals where both have one."""
    scores = table["score"].cast(pa.float64()).to_numpy()  # NaN where there is none
    first = scores[legs == 0]
    found = {}
    for leg, name in enumerate(players):
        difference = first - scores[legs == leg]
        found[name] = Counter(difference[~np.isnan(difference)].astype(int).tolist())
    return found


def _player_table(metrics: Mapping[str, Metric], players: Iterable[str]) -> Table:
    rows = []
    for name in players:
        mean, solved = metrics[f"{name}, mean score"], metrics[f"{name}, solved"]
        assert isinstance(solved, Share)
        rows.append(
            (
                name,
                number(mean.n),
                estimate(mean),
                interval(mean),
                number(solved.k),
                estimate(solved),
                interval(solved),
            )
        )
    return Table(
        head=("player", "deals", "mean score", "95 %", "solved", "share", "95 %"),
        rows=tuple(rows),
        numeric=frozenset(range(1, 7)),
    )


def _tail(column: str, values: Mapping[str, np.ndarray], what: str) -> Table:
    return tail_table(values, "games", head=what, is_time=column == "seconds")


def replay_section(deal: Deal, unit: int, player: str, moves: str) -> Section:
    """A game as pictures: the start, before each deal from the stock, and the end."""
    played = parse_moves(moves)
    pictures = []
    position = Position.start(deal)
    pauses = [0, *_pauses(played), len(played)]
    pictures.append(Picture(svg(position), "The deal."))
    for begin, end in pairwise(pauses):
        words = " ".join(map(str, played[begin:end]))
        for move in played[begin:end]:
            position = position.apply(move)
        pictures.append(Picture(svg(position), f"After moves {begin + 1} to {end}: {words}"))
    return Section(
        "A game in pictures",
        f"{player} on the deal of unit {unit}, its best of this run: "
        f"score {position.score} after {len(played)} moves. Grey cards are not in place; D deals a "
        "card to each tableau pile, A1 to C8 move a card of the gallery, 1 to 8 the top one of a "
        "pile.",
        [Pictures(tuple(pictures))],
    )


def _pauses(moves: Sequence[Move]) -> list[int]:
    """Where a deal follows moves of cards."""
    return [
        index
        for index, move in enumerate(moves)
        if index and move == DEAL_MOVE and moves[index - 1] != DEAL_MOVE
    ]
