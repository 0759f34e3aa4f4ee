"""The recursive skip-action solver: an incomplete method that wins about four deals of five.

Method (a hobby solver published in 2009 as "80% of solitaire deals are now solvable"): play the
position out greedily by a fixed order of preference among the significant actions. If that does not
win, play it out again for each action met, passing that one over and taking what comes next
instead. From the action passed over a check point is pending: the first position after it that was
not tried before is the check point, and unless the attempt wins, the same is done from there.

Beyond the published text, each measured in SKIP_ACTION.md:

- The positions of a play-out with nothing skipped count as tried, too, and its actions past a
  position tried before are not skipped in turn: that was done from there.
- Where a search ends without a win and below its limit, it is made again passing over up to two
  actions at one step, then up to three, and so on, until no step has more to pass over.
- A top card of the tableau that nothing will ever need below goes up without asking and is no
  significant action.

The search proves nothing when it ends without a win.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.klondike import play_kernel as play
from engines.klondike import skip_action_kernel as core
from engines.klondike.deal import COLUMNS, Deal
from engines.klondike.moves import DRAW_MOVE, REDEAL_MOVE, Move, MoveKind
from engines.klondike.rules import Position, Rules
from engines.limits import Limits, Outcome

DEFAULT_LIMITS = Limits(nodes=300_000, bytes=2**28)
_SLICE = 20_000
_FIRST_TABLE = 2**12
_FIRST_ROWS = 2**13

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class SkipActionResult:
    """How the solver ended on a deal.

    outcome: SOLVED, EXHAUSTED, NODE_LIMIT or MEMORY_LIMIT.
    moves: the shortest solution found, as ordinary moves played on the rules; else empty.
    playouts: play-outs made: the solver's nodes.
    check_points: attempts that led to a position not tried before.
    deepest_level: the deepest level of the recursion, 1 at the deal.
    wins: solutions met: 1 unless asked to keep going.
    """

    outcome: Outcome
    moves: tuple[Move, ...]
    playouts: int
    check_points: int
    deepest_level: int
    wins: int


def solve(
    deal: Deal,
    rules: Rules | None = None,
    limits: Limits = DEFAULT_LIMITS,
    *,
    keep_going: bool = False,
    progress: Progress | None = None,
) -> SkipActionResult:
    """Searches a deal for a win; a solution is played on the rules before it is returned.

    limits.nodes: play-outs. limits.bytes: the memory of positions tried.
    keep_going: go on after the first win, up to the limit, and return the shortest solution met.
    progress: called now and then with the step of the top level and its number of steps.
    """
    rules = rules or Rules()
    space = _new_workspace()
    load_row(space.rows[core.START_ROW], deal, rules)
    outcome, line, counters = _search_by_width(space, rules, limits, keep_going, progress)
    moves: tuple[Move, ...] = ()
    if line is not None:
        outcome = Outcome.SOLVED
        moves, end = ordinary_moves(Position.start(deal, rules), line)
        if not end.won:
            raise AssertionError(f"the solution does not win: {' '.join(map(str, moves))}")
    return SkipActionResult(
        outcome,
        moves,
        playouts=int(counters[core.PLAYOUTS]),
        check_points=int(counters[core.CHECK_POINTS]),
        deepest_level=int(counters[core.DEEPEST]) + 1,
        wins=int(counters[core.WINS]),
    )


def _search_by_width(
    space: core.Workspace,
    rules: Rules,
    limits: Limits,
    keep_going: bool,
    progress: Progress | None,
) -> tuple[Outcome, list[int] | None, np.ndarray]:
    """Searches with widths 1, 2, 3, ... until a win, a limit, or nothing more to pass over.

    Returns how the search ended, the actions of the shortest win, and the counters.
    """
    counters = space.counters
    line = None
    width = 1
    _restart(space)
    while True:
        until = min(limits.nodes, int(counters[core.PLAYOUTS]) + _SLICE)
        status = core.search(space, rules.draw, rules.worrying_back, width, until)
        if progress and space.levels[0, core.STEP] != core.TO_PLAY:
            progress(int(space.levels[0, core.STEP]) + 1, int(space.levels[0, core.END]))
        if status == core.WON:
            line = _winning_line(space)
            if not keep_going:
                return Outcome.SOLVED, line, counters
        elif status == core.EXHAUSTED:
            if not counters[core.CUT]:
                return Outcome.EXHAUSTED, line, counters
            width += 1
            _restart(space)
        elif status == core.TABLE_FULL:
            if space.table.nbytes * 2 > limits.bytes:
                return Outcome.MEMORY_LIMIT, line, counters
            table = np.zeros(space.table.size * 2, np.uint64)
            core.rehash(space.table, table)
            space = space._replace(table=table)
        elif status == core.ROWS_FULL:
            space = space._replace(
                rows=np.concatenate([space.rows, np.zeros_like(space.rows)]),
                marks=np.concatenate([space.marks, np.zeros_like(space.marks)]),
            )
        elif counters[core.PLAYOUTS] >= limits.nodes:
            return Outcome.NODE_LIMIT, line, counters


def _winning_line(space: core.Workspace) -> list[int]:
    """The actions from the deal to the win just met: each level's up to where it was left."""
    levels, counters = space.levels, space.counters
    last, on_attempt = int(counters[core.WIN_LEVEL]), bool(counters[core.WIN_ON_ATTEMPT])
    line: list[int] = []
    for level in range(last + 1):
        size = int(counters[core.WIN_SIZE])
        if level < last or on_attempt:
            row = levels[level, core.FIRST_ROW] + levels[level, core.STEP]
            line += space.logs[2 * level, : space.marks[row, core.LOG_SIZE]].tolist()
            upto = size if level == last else levels[level, core.BRANCH_SIZE]
            line += space.logs[2 * level + 1, :upto].tolist()
        else:
            line += space.logs[2 * level, :size].tolist()
    return line


def _new_workspace() -> core.Workspace:
    counters = np.zeros(core.COUNTERS, np.int64)
    counters[core.BEST_MOVES] = core.NO_WIN
    return core.Workspace(
        rows=np.zeros((_FIRST_ROWS, play.ROW_SIZE), np.int8),
        marks=np.zeros((_FIRST_ROWS, 2), np.int32),
        levels=np.zeros((core.LINE_LIMIT, core.LEVEL_FIELDS), np.int64),
        logs=np.zeros((2 * core.LINE_LIMIT, core.LINE_LIMIT), np.int64),
        table=np.zeros(_FIRST_TABLE, np.uint64),
        counters=counters,
        scratch=np.zeros(play.SCRATCH_SIZE, np.int64),
    )


def load_row(row: np.ndarray, deal: Deal, rules: Rules) -> None:
    """Writes the start position of a deal into a kernel row, int8[ROW_SIZE]."""
    row[:] = 0
    for number, column in enumerate(deal.tableau):
        row[play.DOWN + number], row[play.SIZE + number] = len(column) - 1, len(column)
        first = play.CARDS + play.COLUMN_STRIDE * number
        row[first : first + len(column)] = column
    row[play.TALON : play.TALON + len(deal.stock)] = deal.stock
    row[play.TALON_SIZE] = len(deal.stock)
    # Each of the 24 plays from the talon takes one redeal at most, so more need not be told apart.
    redeals = play.UNLIMITED if rules.redeals is None else min(rules.redeals, len(deal.stock))
    row[play.REDEALS] = redeals


def _restart(space: core.Workspace) -> None:
    """Back to the deal, with nothing tried; play-outs and wins count on."""
    space.table[:] = 0
    space.rows[core.FREE_ROW] = space.rows[core.START_ROW]
    space.marks[core.FREE_ROW] = 0
    space.levels[0, core.FIRST_ROW], space.levels[0, core.STEP] = core.FREE_ROW, core.TO_PLAY
    for counter in (core.LEVEL, core.STORED, core.CUT):
        space.counters[counter] = 0


def ordinary_moves(position: Position, actions: list[int]) -> tuple[tuple[Move, ...], Position]:
    """The moves, with draws and redeals spelled out, that a line of kernel actions stands for.

    Each is played on the rules; the position after the last one is returned with them.
    """
    moves: list[Move] = []
    for action in actions:
        for move in _moves_of(position, action):
            position = position.apply(move)
            moves.append(move)
    return tuple(moves), position


def _moves_of(position: Position, action: int) -> list[Move]:
    kind, first, second, third = (action >> 8 * field & 0xFF for field in range(4))
    match kind:
        case play.UP:
            return [Move(MoveKind.TABLEAU_TO_FOUNDATION, first)]
        case play.RUN:
            return [_run(position, first, second)]
        case play.PART:
            column = position.tableau[first]
            count = len(column.down) + len(column.up) - third
            part = Move(MoveKind.TABLEAU_TO_TABLEAU, first, second, count)
            return [part, Move(MoveKind.TABLEAU_TO_FOUNDATION, first)]
        case play.TALON_UP:
            return [*_draws_to(position, first), Move(MoveKind.WASTE_TO_FOUNDATION)]
        case play.TALON_DOWN:
            return [*_draws_to(position, first), Move(MoveKind.WASTE_TO_TABLEAU, target=second)]
    back = Move(MoveKind.FOUNDATION_TO_TABLEAU, first, second)
    if kind == play.BACK_RUN:
        return [back, _run(position, third, second)]
    return [*_draws_to(position, third), back, Move(MoveKind.WASTE_TO_TABLEAU, target=second)]


def _run(position: Position, column: int, target: int) -> Move:
    count = len(position.tableau[column].up)
    return Move(MoveKind.TABLEAU_TO_TABLEAU, column, target, count)


def _draws_to(position: Position, reach: int) -> list[Move]:
    """Draws, and a redeal where needed, until the waste holds as many cards as `reach` says."""
    draw = position.rules.draw
    count, waste = reach & ~play.LATER, len(position.waste)
    moves = []
    if reach & play.LATER:
        moves += [DRAW_MOVE] * -(-len(position.stock) // draw) + [REDEAL_MOVE]
        waste = 0
    return moves + [DRAW_MOVE] * -(-(count - waste) // draw)


assert COLUMNS == 7, "the kernel's rows hold seven columns"
