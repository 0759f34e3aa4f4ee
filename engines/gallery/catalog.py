"""The named players of Gallery, weakest kind first, then the bounds that are no fair players."""

from engines.gallery.deal import Deal
from engines.gallery.hindsight import BestOf, Hindsight
from engines.gallery.pimc import ORIGINAL, PUBLISHED
from engines.gallery.players import (
    Game,
    GreedyPlayer,
    Player,
    RandomPlayer,
    play_game,
    player_stream,
)
from engines.gallery.search import Searcher

QUICK = Searcher("search-quick", stocks=24, tries=10)
STRONG = Searcher("search-strong", stocks=60, tries=16)
DEEP = Searcher("search-deep", stocks=200, tries=20)

PLAYERS: dict[str, Player] = {
    player.name: player
    for player in (
        RandomPlayer("random-uniform", cards_first=False),
        RandomPlayer("random-cards-first", cards_first=True),
        GreedyPlayer(),
        PUBLISHED,
        ORIGINAL,
        QUICK,
        STRONG,
        DEEP,
    )
}
"""Players with one attempt at a deal that do not know the order of its stock."""

BOUNDS: dict[str, BestOf | Hindsight] = {bound.name: bound for bound in (BestOf(), Hindsight())}
"""What is no fair play: many attempts at a deal, or a stock that is known."""

NAMES = (*PLAYERS, *BOUNDS)


def play(deal: Deal, name: str, seed: int, unit: int) -> Game:
    """The game of a named player on a deal, replayed; raises KeyError for other names."""
    stream = player_stream(seed, unit, name)
    if name in BOUNDS:
        return BOUNDS[name].play(deal, stream)
    return play_game(deal, PLAYERS[name], stream)
