"""The skip-action method in plain Python on the plain rules: slow, recursive, and easy to check.

An action is a list of ordinary moves that ends with what is significant; draws come first.
"""

from engines.cards import KING, is_red, rank_of, suit_of
from engines.klondike.deal import COLUMNS
from engines.klondike.moves import DRAW_MOVE, REDEAL_MOVE, Move, MoveKind
from engines.klondike.rules import Position, stacks_on


def never_needed(position, card):
    red = is_red(card)
    other = min(h for suit, h in enumerate(position.foundations) if (suit in (1, 2)) != red)
    own = [h for suit, h in enumerate(position.foundations) if (suit in (1, 2)) == red]
    twin = sum(own) - position.foundations[suit_of(card)]
    return other >= rank_of(card) - 1 and twin >= rank_of(card) - 2


def goes_up(position, card):
    return position.foundations[suit_of(card)] == rank_of(card)


def targets(position, card, without=None):
    """Columns that take a card; of several empty ones only the first."""
    found = []
    for number, column in enumerate(position.tableau):
        if number == without:
            continue
        if column.up and stacks_on(card, column.up[-1]):
            found.append(number)
        if not column.up and rank_of(card) == KING:
            return [number]
    return found


def reachable(position):
    """(draws and redeal, card) for each talon card that can be played, as drawing meets them."""
    found, seen, moves = [], set(), []
    while True:
        if position.waste and len(position.waste) not in seen:
            seen.add(len(position.waste))
            found.append((list(moves), position.waste[-1]))
        if position.stock:
            moves.append(DRAW_MOVE)
        elif position.waste and position.redeals_left != 0 and REDEAL_MOVE not in moves:
            moves.append(REDEAL_MOVE)
        else:
            return found
        position = position.apply(moves[-1])


def whole_run(position, source, target):
    return Move(MoveKind.TABLEAU_TO_TABLEAU, source, target, len(position.tableau[source].up))


def forced_action(position):
    for number, column in enumerate(position.tableau):
        card = column.up[-1] if column.up else None
        if card is not None and goes_up(position, card) and never_needed(position, card):
            return [Move(MoveKind.TABLEAU_TO_FOUNDATION, number)]
    return None


def significant_actions(position):
    """All of them, in the order of preference."""
    tableau = position.tableau
    talon = reachable(position)
    actions = []
    for number in reversed(range(COLUMNS)):
        if tableau[number].down:
            for target in targets(position, tableau[number].up[0]):
                actions.append([whole_run(position, number, target)])
    for number, column in enumerate(tableau):
        if column.up and goes_up(position, column.up[-1]):
            actions.append([Move(MoveKind.TABLEAU_TO_FOUNDATION, number)])
    for draws, card in talon:
        if goes_up(position, card):
            actions.append([*draws, Move(MoveKind.WASTE_TO_FOUNDATION)])
    for draws, card in talon:
        for target in targets(position, card):
            actions.append([*draws, Move(MoveKind.WASTE_TO_TABLEAU, target=target)])
    for number, column in enumerate(tableau):
        for kept in range(1, len(column.up)):
            if goes_up(position, column.up[kept - 1]):
                for target in targets(position, column.up[kept], without=number):
                    count = len(column.up) - kept
                    part = Move(MoveKind.TABLEAU_TO_TABLEAU, number, target, count)
                    actions.append([part, Move(MoveKind.TABLEAU_TO_FOUNDATION, number)])
    not_at_bottom = [c for column in tableau for c in (column.down + column.up)[1:]]
    if any(rank_of(card) == KING for card in (*position.stock, *position.waste, *not_at_bottom)):
        for number, column in enumerate(tableau):
            if column.up and not column.down and rank_of(column.up[0]) != KING:
                for target in targets(position, column.up[0]):
                    actions.append([whole_run(position, number, target)])
    if position.rules.worrying_back:
        actions += backs(position, talon)
    return actions


def backs(position, talon):
    actions = []
    for suit, height in enumerate(position.foundations):
        card = 4 * (height - 1) + suit
        if height < 2 or never_needed(position, card):
            continue
        for target in targets(position, card)[:1]:
            back = Move(MoveKind.FOUNDATION_TO_TABLEAU, suit, target)
            for number, column in enumerate(position.tableau):
                if number != target and column.down and stacks_on(column.up[0], card):
                    actions.append([back, whole_run(position, number, target)])
            for draws, follower in talon:
                if stacks_on(follower, card):
                    down = Move(MoveKind.WASTE_TO_TABLEAU, target=target)
                    actions.append([*draws, back, down])
    return actions


def canonical(position):
    """Equal for positions that differ in the order of columns, or by draws that can be undone."""
    waste = len(position.waste)
    if position.redeals_left is None and (waste % position.rules.draw == 0 or not position.stock):
        waste = 0
    talon = position.waste + position.stock
    columns = sorted((column.down, column.up) for column in position.tableau)
    return tuple(columns), position.foundations, talon, waste, position.redeals_left


class LimitReached(Exception):
    pass


class Won(Exception):
    pass


class SkipAction:
    """One search with one width. Ends by Won, by LimitReached, or by returning."""

    def __init__(self, width, limit, playouts=0, check_points=0, deepest_level=0):
        self.width = width
        self.limit = limit
        self.playouts = playouts
        self.check_points = check_points
        self.deepest_level = deepest_level
        self.tried = set()
        self.cut = False
        self.moves = []

    def is_new(self, position):
        key = canonical(position)
        if key in self.tried:
            return False
        self.tried.add(key)
        return True

    def play_list(self, start, moves, level):
        for position, line in self.play_out(start, moves, level):
            for skips, action in enumerate(significant_actions(position)):
                if skips > self.width:
                    self.cut = True
                    break
                if skips > 0:
                    self.attempt(position, line, action, level)

    def count_playout(self):
        if self.playouts == self.limit:
            raise LimitReached
        self.playouts += 1

    def play_out(self, position, moves, level):
        """Plays on with nothing skipped; the steps up to the first position tried before."""
        self.count_playout()
        self.deepest_level = max(self.deepest_level, level)
        steps, merged = [], False
        while True:
            position, moves = self.forced(position, moves)
            actions = significant_actions(position)
            if not actions:
                return steps
            if not merged:
                steps.append((position, moves))
            position, moves = play(position, actions[0]), moves + actions[0]
            merged = merged or not self.is_new(position)

    def attempt(self, position, moves, action, level):
        self.count_playout()
        check_point = None
        while True:
            position, moves = play(position, action), moves + action
            if check_point is None and self.is_new(position):
                check_point = (position, moves)
                self.check_points += 1
            position, moves = self.forced(position, moves)
            actions = significant_actions(position)
            if not actions:
                break
            action = actions[0]
        if check_point is not None:
            self.play_list(*check_point, level + 1)

    def forced(self, position, moves):
        while action := forced_action(position):
            position, moves = play(position, action), moves + action
        if position.won:
            self.moves = moves
            raise Won
        return position, moves


def play(position, action):
    for move in action:
        position = position.apply(move)
    return position


def solve(deal, rules, limit):
    """(outcome, play-outs, check points, deepest level, moves)."""
    start = Position.start(deal, rules)
    search = SkipAction(0, limit)
    outcome = None
    while outcome is None:
        search = SkipAction(
            search.width + 1,
            limit,
            search.playouts,
            search.check_points,
            search.deepest_level,
        )
        try:
            search.play_list(start, [], 1)
        except Won:
            outcome = "solved"
        except LimitReached:
            outcome = "node_limit"
        else:
            if not search.cut:
                outcome = "exhausted"
    deepest = search.deepest_level
    return outcome, search.playouts, search.check_points, deepest, search.moves
