"""A match of cribbage to 121 between two players: the plain rules, and the authority.

The pone plays first, all points count at once, and a match ends the moment a player has 121, by
heels as well. `match_kernel.py` is the fast twin.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import index as whole_number
from typing import Any, Protocol

import numpy as np

from engines.cards import CARD_NAMES, PACK_SIZE, pretty
from engines.cribbage.observation import Observation, Played, legal_plays
from engines.cribbage.scoring import (
    GAME,
    MAX_COUNT,
    Kind,
    Scored,
    score_heels,
    score_play,
    score_show,
    total,
    value_of,
)
from engines.streams import open_stream, shuffle_end

DEAL_PURPOSE = "cribbage deals"
DEALT = 13


class IllegalAnswer(ValueError):
    """A player's answer that the rules do not allow.

    seat: whose. seen: the position that it was given.
    """

    def __init__(self, seat: int, seen: Observation, problem: str) -> None:
        super().__init__(problem)
        self.seat, self.seen = seat, seen


class Player(Protocol):
    """Decides from what it may know, and from nothing else."""

    def discard(self, seen: Observation) -> Sequence[int]:
        """The two cards of the six held to throw into the crib."""

    def play(self, seen: Observation) -> int:
        """One of `seen.legal_plays()`; asked only where there is one."""


@dataclass(frozen=True)
class Deal:
    """The cards of one deal: six each, ascending, and the card that is cut."""

    pone: tuple[int, ...]
    dealer: tuple[int, ...]
    starter: int


def random_deals(seed: int, pair: int) -> Iterator[Deal]:
    """The deals of matches number `pair` of a seed, one after the other, without end.

    Each takes a fresh pack and the first 13 swaps of a shuffle; the cards are dealt from the end,
    one at a time and the pone's first, and the 13th is the starter.
    """
    stream = open_stream(seed, pair, DEAL_PURPOSE)
    while True:
        pack = np.arange(PACK_SIZE, dtype=np.int8)
        shuffle_end(stream, pack, DEALT)
        drawn = pack[: -DEALT - 1 : -1].tolist()
        yield Deal(tuple(sorted(drawn[:12:2])), tuple(sorted(drawn[1:12:2])), drawn[12])


class Act(StrEnum):
    """What happens in a match."""

    DEAL = "deal"
    DISCARD = "discard"
    CUT = "cut"
    PLAY = "play"
    GO = "go"
    HAND = "hand"
    CRIB = "crib"


@dataclass(frozen=True)
class Event:
    """One thing that happened, for those who watch all cards.

    seat: who did it or whose it is; at a cut the dealer. cards: those dealt to the seat, thrown,
    turned up, played, or counted. scored: what it scored, the point for a go with the card that
    nobody can follow, before the gos are said. scores: of both seats after it.
    """

    act: Act
    seat: int
    cards: tuple[int, ...]
    scored: tuple[Scored, ...]
    scores: tuple[int, int]

    def __str__(self) -> str:
        cards = " ".join(map(pretty, self.cards))
        points = "".join(f"; {each.kind} for {each.points}" for each in self.scored)
        return f"seat {self.seat} {self.act} {cards}{points}".rstrip()


@dataclass
class Tally:
    """What one seat made of a match. Points of a count are whole, also where 121 cut it short.

    score: at most 121. deals: dealt by it. hands and cribs: how many were counted.
    """

    score: int = 0
    deals: int = 0
    pegging_dealer: int = 0
    pegging_pone: int = 0
    hands_dealer: int = 0
    hand_dealer: int = 0
    hands_pone: int = 0
    hand_pone: int = 0
    cribs: int = 0
    crib: int = 0
    heels: int = 0


@dataclass(frozen=True)
class MatchResult:
    """Who won, and what both seats made of it."""

    winner: int
    tallies: tuple[Tally, Tally]


class _Won(Exception):
    """A seat has reached 121."""


Watch = Callable[[Event], None]


def nobody(event: Event) -> None:
    """Watches nothing."""


def play_match(
    players: Sequence[Player],
    deals: Iterable[Deal],
    first_dealer: int = 0,
    *,
    scores: tuple[int, int] = (0, 0),
    watch: Watch = nobody,
) -> MatchResult:
    """Plays a match; seat i is players[i]. Raises IllegalAnswer.

    deals: enough of them, as in `random_deals`. scores: to begin with.
    """
    if first_dealer not in (0, 1):
        raise ValueError(f"expected a seat, 0 or 1, to deal first, got {first_dealer}")
    board = _Board(watch, (Tally(score=scores[0]), Tally(score=scores[1])))
    dealer = first_dealer
    try:
        for deal in deals:
            _DealPlay(board, players, deal, dealer).play()
            dealer = 1 - dealer
    except _Won:
        return MatchResult(board.winner(), board.tallies)
    raise ValueError("expected enough deals to end a match")


@dataclass
class _Board:
    """Both tallies, and the one place where points are given."""

    watch: Watch
    tallies: tuple[Tally, Tally]

    @property
    def scores(self) -> tuple[int, int]:
        """Of both seats."""
        return self.tallies[0].score, self.tallies[1].score

    def give(
        self, seat: int, source: str, act: Act, cards: Sequence[int], scored: Sequence[Scored]
    ) -> None:
        """Notes what happened and gives its points; raises _Won when that ends the match."""
        tally = self.tallies[seat]
        points = total(scored)
        setattr(tally, source, getattr(tally, source) + points)
        tally.score = min(GAME, tally.score + points)
        self.tell(act, seat, cards, scored)
        if tally.score == GAME:
            raise _Won

    def tell(self, act: Act, seat: int, cards: Sequence[int], scored: Sequence[Scored]) -> None:
        """Shows an event to who watches."""
        self.watch(Event(act, seat, tuple(cards), tuple(scored), self.scores))

    def winner(self) -> int:
        """The seat with 121."""
        return self.scores.index(GAME)


@dataclass
class _DealPlay:
    """One deal on its way."""

    board: _Board
    players: Sequence[Player]
    deal: Deal
    dealer: int
    hands: list[list[int]] = field(default_factory=list)
    discards: list[tuple[int, ...]] = field(default_factory=list)
    pile: list[int] = field(default_factory=list)
    history: list[tuple[int, int | None]] = field(default_factory=list)
    out: set[int] = field(default_factory=set)

    def play(self) -> None:
        """From the discards to the count of the crib."""
        self.board.tallies[self.dealer].deals += 1
        dealt = [self.deal.dealer, self.deal.pone]
        by_seat = dealt if self.dealer == 0 else dealt[::-1]
        for seat in (0, 1):
            self.board.tell(Act.DEAL, seat, by_seat[seat], ())
        self.discards = [self._discard(seat, by_seat[seat]) for seat in (0, 1)]
        kept = [
            [card for card in by_seat[seat] if card not in self.discards[seat]] for seat in (0, 1)
        ]
        starter = self.deal.starter
        self.board.give(self.dealer, "heels", Act.CUT, (starter,), score_heels(starter))
        self.hands = [list(hand) for hand in kept]
        self._play_cards()
        pone = 1 - self.dealer
        self._show(pone, "hands_pone", "hand_pone", kept[pone])
        self._show(self.dealer, "hands_dealer", "hand_dealer", kept[self.dealer])
        self._show(self.dealer, "cribs", "crib", sorted(self.discards[0] + self.discards[1]))

    def _discard(self, seat: int, six: tuple[int, ...]) -> tuple[int, ...]:
        scores = self.board.scores
        seen = Observation.for_discard(six, seat == self.dealer, scores[seat], scores[1 - seat])
        answer = self.players[seat].discard(seen)
        thrown = _card_numbers(answer)
        if len(thrown) != 2 or thrown[0] == thrown[1] or not set(thrown) <= set(six):
            raise IllegalAnswer(seat, seen, f"expected two cards of the hand, got {_text(answer)}")
        self.board.tell(Act.DISCARD, seat, thrown, ())
        return thrown

    def _play_cards(self) -> None:
        """The play, until all eight cards are down."""
        seat = 1 - self.dealer
        while any(self.hands):
            if not self._can_play(seat):
                self._say_go(seat)
                seat = 1 - seat
                if not self._can_play(seat):
                    # Nobody can: the last to play has had his point, the other leads.
                    self._say_go(seat)
                    self.pile, self.out = [], set()
                    seat = 1 - seat
                    continue
            card = self._ask(seat)
            self.hands[seat].remove(card)
            self.pile.append(card)
            self.history.append((seat, card))
            self._score_card(seat, card)
            if self._count == MAX_COUNT:
                self.pile, self.out = [], set()
            seat = 1 - seat

    @property
    def _count(self) -> int:
        return sum(map(value_of, self.pile))

    def _can_play(self, seat: int) -> bool:
        return bool(legal_plays(self.hands[seat], self._count))

    def _say_go(self, seat: int) -> None:
        """Once a count, and only with cards in hand."""
        if self.hands[seat] and seat not in self.out:
            self.out.add(seat)
            self.history.append((seat, None))
            self.board.tell(Act.GO, seat, (), ())

    def _score_card(self, seat: int, card: int) -> None:
        """Gives a card's points, and 1 for the last of its count, which is not 31."""
        scored = score_play(self.pile)
        if self._count < MAX_COUNT:
            if not any(self.hands):
                scored.append(Scored(Kind.LAST_CARD, (card,), 1))
            elif not (self._can_play(0) or self._can_play(1)):
                scored.append(Scored(Kind.GO, (card,), 1))
        source = "pegging_dealer" if seat == self.dealer else "pegging_pone"
        self.board.give(seat, source, Act.PLAY, (card,), scored)

    def _ask(self, seat: int) -> int:
        scores = self.board.scores
        seen = Observation.for_play(
            self.hands[seat],
            self.pile,
            len(self.hands[1 - seat]),
            self.deal.starter,
            seat == self.dealer,
            own_discards=self.discards[seat],
            history=[Played(who == seat, card) for who, card in self.history],
            own_score=scores[seat],
            opponent_score=scores[1 - seat],
        )
        answer = self.players[seat].play(seen)
        for card in _card_numbers([answer]):
            if card in seen.legal_plays():
                return card
        legal = " ".join(CARD_NAMES[card] for card in seen.legal_plays())
        raise IllegalAnswer(seat, seen, f"expected one of {legal}, got {_text([answer])}")

    def _show(self, seat: int, number: str, source: str, cards: Sequence[int]) -> None:
        tally = self.board.tallies[seat]
        setattr(tally, number, getattr(tally, number) + 1)
        is_crib = source == "crib"
        scored = score_show(cards, self.deal.starter, crib=is_crib)
        act = Act.CRIB if is_crib else Act.HAND
        self.board.give(seat, source, act, (*cards, self.deal.starter), scored)


def _card_numbers(answer: Any) -> tuple[int, ...]:
    """An answer's cards in ascending order; none where they are not all whole numbers."""
    try:
        cards = list(answer)
        return tuple(sorted(whole_number(card) for card in cards if not isinstance(card, bool)))
    except TypeError:
        return ()


def _text(answer: object) -> str:
    """Cards by name, anything else as Python shows it."""
    if isinstance(answer, Sequence) and all(
        type(card) is int and 0 <= card < PACK_SIZE for card in answer
    ):
        return " ".join(CARD_NAMES[card] for card in answer) or "none"
    return repr(answer)
