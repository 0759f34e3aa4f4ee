"""How sure a deep analysis of a lead is."""

from engines.cribbage.lead_analysis import LeadAnalysis

SURE = 2.0
"""Standard errors by which a lead has to be ahead to be called right."""

OPEN_CARDS = "with its cards open to you and by your best line"
"""What a margin to the end of the play stands for."""


def is_right(lead: LeadAnalysis) -> bool:
    """Whether the chosen lead is surely one of the best, and another is not.

    Surely: each other one brings as much in every hand, or less by SURE standard errors.
    """
    errors = lead.errors
    if lead.gain > 0.0 or errors[lead.chosen] > 0.0:  # or only as good as the best on average
        return False
    top = lead.margins[lead.best]
    behind = {card: top - margin for card, margin in lead.margins.items()}
    return any(behind.values()) and all(
        lost > SURE * errors[card] or lost == errors[card] == 0.0 for card, lost in behind.items()
    )
