"""How sure a deep analysis of a lead is: each is compared with the best one in the same hands."""

from functools import lru_cache

import numpy as np

from engines.cribbage.brain_kernel import THROW_COUNT
from engines.cribbage.lead_analysis import LeadAnalysis, opponent_hands
from engines.cribbage.lead_kernel import lead_margins
from engines.cribbage.observation import Observation

SURE = 2.0
"""Standard errors by which a lead has to be ahead to be called right."""

OPEN_CARDS = "with its cards open to you and by your best line"
"""What a margin to the end of the play stands for."""


def lead_errors(seen: Observation, lead: LeadAnalysis) -> dict[int, float]:
    """By card, the standard error of how much less it brings than the best lead, in points.

    Zero where all hands that the opponent may hold were looked at.
    """
    if lead.exact:
        return dict.fromkeys(lead.margins, 0.0)
    margins = _margins_by_hand(seen, lead.hands)
    cards = list(lead.margins)
    behind = margins[:, [cards.index(lead.best)]] - margins
    errors = behind.std(axis=0, ddof=1) / np.sqrt(lead.hands) if lead.hands > 1 else [np.inf]
    return dict(zip(cards, map(float, errors), strict=True))


def is_right(seen: Observation, lead: LeadAnalysis) -> bool:
    """Whether the chosen lead is surely one of the best, and another is not.

    Surely: each other one brings as much in every hand, or less by SURE standard errors.
    """
    if lead.gain > 0.0:
        return False
    errors = lead_errors(seen, lead)
    if errors[lead.chosen] > 0.0:  # only as good as the best on average
        return False
    top = lead.margins[lead.best]
    behind = {card: top - margin for card, margin in lead.margins.items()}
    return any(behind.values()) and all(
        lost > SURE * errors[card] or lost == errors[card] == 0.0 for card, lost in behind.items()
    )


@lru_cache(maxsize=64)
def _margins_by_hand(seen: Observation, samples: int) -> np.ndarray:
    """The margins of which `analyze_lead` gives the means, int64[hands, cards]."""
    hands, _ = opponent_hands(seen, samples)
    held = len(seen.own_hand)
    hand = np.zeros(4, np.int8)
    hand[:held] = seen.own_hand
    starter = -1 if seen.starter is None else seen.starter
    space, values = np.zeros((2, 4), np.int8), np.zeros(THROW_COUNT)
    margins = np.zeros((len(hands), 4), np.int64)
    for index in range(len(hands)):
        one = hands[index : index + 1]
        lead_margins(hand, held, one, starter, seen.own_score, space, values, margins[index])
    return margins[:, :held]
