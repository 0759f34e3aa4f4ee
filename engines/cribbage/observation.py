"""What a cribbage player may know when it decides: a type without a field for hidden cards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from engines.cards import CARD_NAMES, PACK_SIZE, card_names
from engines.cribbage.scoring import GAME, MAX_COUNT, value_of


class ObservationError(ValueError):
    """Cards or numbers that no player can see in a game of cribbage."""


class Played(NamedTuple):
    """One public act of the play: a card laid down, or None for a go; and whether it was one's own.

    A count ends with a card that makes 31 or a go of each player; the last to be out of cards says
    nothing.
    """

    own: bool
    card: int | None


@dataclass(frozen=True, slots=True)
class Observation:
    """All that is public in a deal, and one's own cards. Made by `for_discard` and `for_play`.

    own_hand: six cards to discard from, or those still held; ascending, whatever order they were
        given in, so that "first in hand order" means the same to every caller.
    own_discards: the two thrown to the crib, ascending; none before.
    pile: the cards of the current count, the last one on top.
    history: every card played in this deal and every go, in order.
    opponent_cards: how many cards the opponent holds.
    starter: None before the cut.
    is_dealer: the crib is the dealer's.
    own_score, opponent_score: 0 to 120.
    """

    own_hand: tuple[int, ...]
    own_discards: tuple[int, ...]
    pile: tuple[int, ...]
    history: tuple[Played, ...]
    opponent_cards: int
    starter: int | None
    is_dealer: bool
    own_score: int
    opponent_score: int

    @classmethod
    def for_discard(
        cls,
        own_six: Iterable[int],
        is_dealer: bool,
        own_score: int = 0,
        opponent_score: int = 0,
    ) -> "Observation":
        """What is known before the cut; raises ObservationError."""
        hand = tuple(sorted(own_six))
        if len(hand) != 6:
            raise ObservationError(f"expected six cards to discard from, got {_names(hand)}")
        seen = cls(hand, (), (), (), 6, None, is_dealer, own_score, opponent_score)
        _check(seen)
        return seen

    @classmethod
    def for_play(
        cls,
        own_hand: Iterable[int],
        pile: Iterable[int],
        opponent_cards: int,
        starter: int | None,
        is_dealer: bool,
        *,
        own_discards: Iterable[int] = (),
        history: Iterable[Played] = (),
        own_score: int = 0,
        opponent_score: int = 0,
    ) -> "Observation":
        """What is known when a card must be played; raises ObservationError."""
        seen = cls(
            tuple(sorted(own_hand)),
            tuple(sorted(own_discards)),
            tuple(pile),
            tuple(history),
            opponent_cards,
            starter,
            is_dealer,
            own_score,
            opponent_score,
        )
        if not 1 <= len(seen.own_hand) <= 4 or not 0 <= opponent_cards <= 4:
            raise ObservationError(
                "expected 1 to 4 own cards and 0 to 4 of the opponent in the play, "
                f"got {_names(seen.own_hand) or 'none'} and {opponent_cards}"
            )
        _check(seen)
        return seen

    @property
    def own_crib(self) -> bool:
        """Whether the crib is one's own."""
        return self.is_dealer

    @property
    def count(self) -> int:
        """The running count."""
        return sum(map(value_of, self.pile))

    def legal_plays(self) -> list[int]:
        """The cards that keep the count at 31 or below, ascending; none means go."""
        return legal_plays(self.own_hand, self.count)

    def as_json(self) -> dict[str, Any]:
        """The observation as JSON, cards by name: the form in which programs of others get it."""
        return {
            "own_hand": card_names(self.own_hand),
            "own_discards": card_names(self.own_discards),
            "pile": card_names(self.pile),
            "count": self.count,
            "history": [
                {
                    "by": "self" if act.own else "opponent",
                    "card": None if act.card is None else CARD_NAMES[act.card],
                }
                for act in self.history
            ],
            "opponent_cards": self.opponent_cards,
            "starter": None if self.starter is None else CARD_NAMES[self.starter],
            "dealer": "self" if self.is_dealer else "opponent",
            "own_score": self.own_score,
            "opponent_score": self.opponent_score,
        }


def legal_plays(hand: Sequence[int], count: int) -> list[int]:
    """The cards of a hand that keep the count at 31 or below, in hand order."""
    return [card for card in hand if count + value_of(card) <= MAX_COUNT]


def least_value_held(seen: Observation) -> int:
    """What each card that the opponent holds counts at least, by the gos it has said."""
    least, count = 0, 0
    out: set[bool] = set()
    for act in seen.history:
        if act.card is None:
            out.add(act.own)
            if not act.own:
                least = max(least, MAX_COUNT + 1 - count)
        else:
            count += value_of(act.card)
        # Whose cards are out says nothing more, so that gos that matter come in pairs.
        if count == MAX_COUNT or len(out) == 2:
            count, out = 0, set()
    return least


def _check(seen: Observation) -> None:
    starter = () if seen.starter is None else (seen.starter,)
    cards = (*seen.own_hand, *seen.own_discards, *seen.pile, *starter)
    if strangers := [card for card in cards if not 0 <= card < PACK_SIZE]:
        raise ObservationError(f"expected cards from 0 to {PACK_SIZE - 1}, got {strangers[0]}")
    if doubled := [card for index, card in enumerate(cards) if card in cards[:index]]:
        raise ObservationError(f"expected different cards, got {CARD_NAMES[doubled[0]]} twice")
    if seen.count > MAX_COUNT:
        raise ObservationError(f"expected a count up to {MAX_COUNT}, got {_names(seen.pile)}")
    for score in (seen.own_score, seen.opponent_score):
        if not 0 <= score < GAME:
            raise ObservationError(f"expected scores from 0 to {GAME - 1}, got {score}")


def _names(cards: Sequence[int]) -> str:
    return " ".join(CARD_NAMES[card] if 0 <= card < PACK_SIZE else str(card) for card in cards)
