"""From a line of states to ordinary moves that can be played on the rules.

A state does not say where cards lie. Here they lie somewhere, and what a state promises is made
true by moving runs from a card to its twin.
"""

from heapq import heappop, heappush
from itertools import pairwise

from engines.cards import KING, rank_of
from engines.klondike import step_kernel as core
from engines.klondike.moves import DRAW_MOVE, REDEAL_MOVE, Move, MoveKind
from engines.klondike.rules import Position, stacks_on
from engines.klondike.workspace_kernel import DETAIL_SHIFT, KIND_SHIFT

Foundations = tuple[int, int, int, int]


class _Player:
    """A position and the moves that led to it."""

    def __init__(self, position: Position, moves: tuple[Move, ...] = ()) -> None:
        self.position = position
        self.moves = moves

    def then(self, *moves: Move) -> "_Player":
        """The player after more moves; raises IllegalMove."""
        position = self.position
        for move in moves:
            position = position.apply(move)
        return _Player(position, self.moves + moves)

    def column_for(self, card: int) -> int | None:
        """A column that takes a card."""
        for number, column in enumerate(self.position.tableau):
            if stacks_on(card, column.up[-1]) if column.up else rank_of(card) == KING:
                return number
        return None

    def promised_column_for(self, card: int) -> int:
        """A column that takes a card, which the state says there is."""
        target = self.column_for(card)
        if target is None:
            raise AssertionError(f"no place for card {card}\n{self.position}")
        return target

    def column_of(self, card: int) -> int | None:
        """The column in which a card lies face up."""
        for number, column in enumerate(self.position.tableau):
            if card in column.up:
                return number
        return None

    def is_head(self, card: int) -> bool:
        """Whether a card is the lowest face-up card of its column, and no king at the bottom."""
        number = self.column_of(card)
        if number is None:
            return False
        column = self.position.tableau[number]
        return column.up[0] == card and (bool(column.down) or rank_of(card) != KING)

    def expose(self, card: int) -> "_Player | None":
        """The card made the top of its column, if need be by moving what lies on it to its twin."""
        number = self.column_of(card)
        if number is None:
            return None
        up = self.position.tableau[number].up
        above = len(up) - up.index(card) - 1
        if above == 0:
            return self
        target = self.column_for(up[-above])
        if target is None:
            return None
        return self.then(Move(MoveKind.TABLEAU_TO_TABLEAU, number, target, above))

    def put_up(self, card: int) -> "_Player | None":
        """The card played to its foundation from the tableau, where that can be done."""
        ready = self.expose(card)
        if ready is None:
            return None
        return ready.then(Move(MoveKind.TABLEAU_TO_FOUNDATION, ready.column_of(card) or 0))

    def take_back(self, suit: int) -> "_Player | None":
        """The top card of a foundation worried back, where that can be done."""
        height = self.position.foundations[suit]
        target = self.column_for(4 * (height - 1) + suit) if height else None
        if target is None:
            return None
        return self.then(Move(MoveKind.FOUNDATION_TO_TABLEAU, suit, target))

    def next_cards(self) -> list[int]:
        """The card that is next on each foundation that is not full."""
        heights = self.position.foundations
        return [4 * height + suit for suit, height in enumerate(heights) if height <= KING]

    def draw_to(self, card: int) -> "_Player":
        """Draws, turning the waste over where needed, until a talon card is on top of the waste."""
        player = self
        while not player.position.waste or player.position.waste[-1] != card:
            player = player.then(DRAW_MOVE if player.position.stock else REDEAL_MOVE)
        return player


def ordinary_moves(position: Position, path: list[list[int]]) -> tuple[tuple[Move, ...], Position]:
    """The moves of a won path of stack entries, and the position after them, which is won."""
    talon = position.waste + position.stock
    player = _Player(position)
    for (before, _), (layer, rest) in pairwise(path):
        kind, detail = rest >> KIND_SHIFT & 15, rest >> DETAIL_SHIFT & 31
        played = [card for place, card in enumerate(talon) if before & ~layer & 1 << place]
        heights = list(_foundations(rest))
        if kind in (core.HEAD_MOVE, core.HEAD_UP, core.RUN_HEAD_MOVE, core.RUN_HEAD_UP):
            card = player.position.tableau[detail].up[0]
        elif kind in (core.TALON_DOWN, core.TALON_UP):
            card = played[0]
        else:
            card = 4 * (heights[detail] - (kind != core.RUN_CARD_BACK)) + detail
        if kind in (core.TALON_UP, core.HEAD_UP, core.CARD_UP, core.RUN_HEAD_UP, core.RUN_CARD_UP):
            heights[card & 3] -= 1
        elif kind == core.RUN_CARD_BACK:
            heights[card & 3] += 1
        player = _within_layer(player, (heights[0], heights[1], heights[2], heights[3]))
        if kind >= core.RUN_HEAD_MOVE:
            for talon_card in sorted(played, key=rank_of, reverse=True):
                player = _step(player, core.TALON_DOWN, talon_card)
        player = _step(player, kind, card)
    return _finish(player)


def _foundations(rest: int) -> Foundations:
    return rest & 15, rest >> 4 & 15, rest >> 8 & 15, rest >> 12 & 15


def _within_layer(player: _Player, heights: Foundations) -> _Player:
    """The foundations brought to these heights by moves that turn no card up.

    Each card goes its way as long as one can, which is nearly always enough; where all are stuck,
    some card has to move the other way for a while, and a search best first finds which.
    """
    while player.position.foundations != heights:
        after = _nearer(player, heights)
        if after is None:
            return _search_within_layer(player, heights)
        player = after
    return player


def _nearer(player: _Player, heights: Foundations) -> _Player | None:
    """The player one card nearer to these heights, by a card up or worried back, if one can go."""
    for suit, height in enumerate(player.position.foundations):
        after = None
        if height < heights[suit] and not player.is_head(4 * height + suit):
            after = player.put_up(4 * height + suit)
        elif height > heights[suit]:
            after = player.take_back(suit)
        if after is not None:
            return after
    return None


def _search_within_layer(player: _Player, heights: Foundations) -> _Player:
    """As `_within_layer`, best first by the number of cards still to be moved."""
    reached = {player.position.foundations}
    queue = [(0, 0, player)]
    while queue:
        _, _, player = heappop(queue)
        if player.position.foundations == heights:
            return player
        following = [
            player.put_up(card) for card in player.next_cards() if not player.is_head(card)
        ]
        if player.position.rules.worrying_back:
            following += [player.take_back(suit) for suit in range(4)]
        for each in following:
            if each is not None and each.position.foundations not in reached:
                reached.add(each.position.foundations)
                pairs = zip(each.position.foundations, heights, strict=True)
                left = sum(abs(height - wanted) for height, wanted in pairs)
                heappush(queue, (left, len(reached), each))
    raise AssertionError(f"heights {heights} cannot be reached")


def _step(player: _Player, kind: int, card: int) -> _Player:
    if kind in (core.HEAD_UP, core.CARD_UP, core.RUN_HEAD_UP, core.RUN_CARD_UP):
        after = player.put_up(card)
        if after is None:
            raise AssertionError(f"card {card} cannot be put up\n{player.position}")
        return after
    if kind == core.RUN_CARD_BACK:
        target = player.promised_column_for(card)
        return player.then(Move(MoveKind.FOUNDATION_TO_TABLEAU, card & 3, target))
    if kind in (core.HEAD_MOVE, core.RUN_HEAD_MOVE):
        source = player.column_of(card) or 0
        count = len(player.position.tableau[source].up)
        target = player.promised_column_for(card)
        return player.then(Move(MoveKind.TABLEAU_TO_TABLEAU, source, target, count))
    player = player.draw_to(card)
    if kind == core.TALON_UP:
        return player.then(Move(MoveKind.WASTE_TO_FOUNDATION))
    target = player.promised_column_for(card)
    return player.then(Move(MoveKind.WASTE_TO_TABLEAU, target=target))


def _finish(player: _Player) -> tuple[tuple[Move, ...], Position]:
    """Plays a position without face-down cards out, lowest card first."""
    while not player.position.won:
        card = min(player.next_cards(), key=rank_of)
        if player.column_of(card) is None:
            player = player.draw_to(card).then(Move(MoveKind.WASTE_TO_FOUNDATION))
        else:
            after = player.put_up(card)
            if after is None:
                raise AssertionError(f"card {card} cannot be put up\n{player.position}")
            player = after
    return player.moves, player.position
