"""Deep analysis of a lead: what each card brings to the end of the play.

In each hand that the opponent may hold, it plays greedily as Expert, and the player is given the
best line against it: an optimistic view, the same for every lead.
"""

import hashlib
import json
import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage.brain_kernel import THROW_COUNT
from engines.cribbage.lead_kernel import lead_margins
from engines.cribbage.observation import Observation, least_value_held
from engines.cribbage.scoring import value_of
from engines.streams import SEED_LIMIT, open_stream, shuffle_end

SAMPLES = 120
TRAP_MARGIN = 1.5
TRAP_GAIN = 1.0


@dataclass(frozen=True)
class LeadAnalysis:
    """margins: mean of our points less the opponent's, by the card led, in hand order.

    errors: by card, the standard error of how much less it brings than the best lead, each hand
    played with both; 0 where the analysis is exact, infinite of a single hand. hands: how many of
    the opponent's were looked at. exact: whether these are all there are.
    """

    chosen: int
    margins: dict[int, float]
    errors: dict[int, float]
    hands: int
    exact: bool

    @property
    def best(self) -> int:
        """The lead with the largest margin, the first of equal ones."""
        return max(self.margins, key=lambda card: self.margins[card])

    @property
    def gain(self) -> float:
        """How much the best lead brings more than the chosen one."""
        return self.margins[self.best] - self.margins[self.chosen]

    @property
    def is_trap_missed(self) -> bool:
        """Whether the best lead lays a trap that the chosen one leaves out."""
        return self.margins[self.best] >= TRAP_MARGIN and self.gain >= TRAP_GAIN


def analyze_lead(seen: Observation, chosen: int, samples: int = SAMPLES) -> LeadAnalysis:
    """Looks at every hand the opponent may hold, or at a sample that the position decides.

    Raises ValueError where a pile lies, the card is not held, or the opponent can hold no hand.
    Points beyond 121 count like others.
    """
    if seen.pile or chosen not in seen.own_hand:
        raise ValueError("expected a lead: no pile, and a card of the hand")
    if samples < 1:
        raise ValueError(f"expected at least one sample, got {samples}")
    hands, exact = opponent_hands(seen, samples)
    if not len(hands):
        raise ValueError("expected a position in which the opponent can hold its cards")
    held = len(seen.own_hand)
    hand = np.zeros(4, np.int8)
    hand[:held] = seen.own_hand
    every = np.zeros((len(hands), 4), np.int64)
    lead_margins(
        hand,
        held,
        hands,
        -1 if seen.starter is None else seen.starter,
        seen.own_score,
        np.zeros((2, 4), np.int8),
        np.zeros(THROW_COUNT),
        every,
    )
    margins = every[:, :held]
    means, errors = margins.mean(axis=0), np.zeros(held)
    if not exact:
        errors = _errors_behind(margins, int(means.argmax()))
    return LeadAnalysis(
        chosen,
        margins=dict(zip(seen.own_hand, means.tolist(), strict=True)),
        errors=dict(zip(seen.own_hand, errors.tolist(), strict=True)),
        hands=len(hands),
        exact=exact,
    )


def _errors_behind(margins: np.ndarray, best: int) -> np.ndarray:
    """Standard errors of how much less than the best lead each one brings, float64[cards]."""
    hands, cards = margins.shape
    if hands == 1:
        return np.full(cards, np.inf)
    behind = margins[:, [best]] - margins
    errors: np.ndarray = behind.std(axis=0, ddof=1) / math.sqrt(hands)
    return errors


def opponent_hands(seen: Observation, samples: int) -> tuple[np.ndarray, bool]:
    """Hands that the opponent may hold, int8[n, cards], and whether these are all.

    All where there are no more than `samples`; else so many, each drawn on its own.
    """
    pool, count = unseen_pool(seen), seen.opponent_cards
    if math.comb(len(pool), count) <= samples:
        every = list(combinations(pool, count))
        return np.array(every, np.int8).reshape(len(every), count), True
    stream = open_stream(_seed_of(seen), 0, "cribbage lead analysis")
    hands = np.empty((samples, count), np.int8)
    for row in range(samples):
        cards = np.array(pool, np.int8)
        shuffle_end(stream, cards, count)
        hands[row] = np.sort(cards[len(cards) - count :])
    return hands, False


def unseen_pool(seen: Observation) -> list[int]:
    """The cards that the opponent may hold: unseen, and none that it would have had to play.

    Who says go at a count holds nothing that keeps it at 31 or below.
    """
    starter = () if seen.starter is None else (seen.starter,)
    played = [act.card for act in seen.history if act.card is not None]
    known = {*seen.own_hand, *seen.own_discards, *seen.pile, *starter, *played}
    least = least_value_held(seen)
    return [card for card in range(PACK_SIZE) if card not in known and value_of(card) >= least]


def _seed_of(seen: Observation) -> int:
    """A seed that the position alone decides."""
    digest = hashlib.sha256(json.dumps(seen.as_json(), sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big") % SEED_LIMIT
