"""How often the dealer wins from any scores, by all ways in which deals can follow each other."""

from functools import cache

GOAL = 121
NEAR = 115  # from here on Expert fears replies more
DEALER = 0


def dealer_wins(deals):
    """A function of the dealer's and the pone's score.

    deals: by whether the dealer and whether the pone has 115 points, lists of (role, points).
    """

    @cache
    def wins(dealer, pone):
        alike = deals[dealer >= NEAR, pone >= NEAR]
        return sum(after(deal, dealer, pone) for deal in alike) / len(alike)

    def after(deal, dealer, pone):
        scores = [dealer, pone]
        for role, points in deal:
            scores[role] += points
            if scores[role] >= GOAL:
                return float(role == DEALER)
        # Who was the pone deals next.
        return 1.0 - wins(scores[1], scores[0])

    return wins
