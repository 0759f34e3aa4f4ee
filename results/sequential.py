"""A sequential test of two Elo hypotheses on pairs of matches, in the order of the pairs.

The generalised sequential probability ratio test (A. Wald, Sequential Tests of Statistical
Hypotheses, 1945) with the normal approximation of the log-likelihood ratio of the mean pair score.
"""

import math
from dataclasses import dataclass, field

import numpy as np

ERROR_RATE = 0.05
"""Of either kind."""
BOUND = math.log((1 - ERROR_RATE) / ERROR_RATE)
BIASED = (
    "stopped by its sequential test: shares, Elo and their intervals are biased by the stopping; "
    "measure with a fixed number of matches"
)
"""What must be said of the figures of a run that a test ended."""


@dataclass
class Sprt:
    """Whether the player is elo_0 (or less) or elo_1 (or more) stronger, elo_0 < elo_1.

    pairs: how many none, one or both of were won, up to the decision. accepted: the hypothesis, 0
    or 1; None while neither is. ratio: the log-likelihood ratio of 1 over 0 at that point.
    """

    elo_0: float
    elo_1: float
    pairs: np.ndarray = field(default_factory=lambda: np.zeros(3, np.int64))
    ratio: float = 0.0
    accepted: int | None = None

    def take(self, won: np.ndarray) -> None:
        """The next pairs in order, each 0, 1 or 2 matches won; none after a decision count."""
        if self.accepted is not None or not len(won):
            return
        kinds = np.asarray(won)[:, None] == np.arange(3)
        sums = self.pairs + np.cumsum(kinds, axis=0)
        ratios = self._ratios(sums)
        decided = np.flatnonzero(np.abs(ratios) >= BOUND)
        last = decided[0] if len(decided) else len(won) - 1
        self.pairs, self.ratio = sums[last], float(ratios[last])
        if len(decided):
            self.accepted = int(self.ratio > 0)

    def _ratios(self, sums: np.ndarray) -> np.ndarray:
        """Log-likelihood ratios of float64[n, 3] counts.

        The variance is that of the pairs and one more of each kind, so that the first few equal
        pairs do not look like certainty.
        """
        n = sums.sum(axis=1)
        mean = (sums @ [0.0, 0.5, 1.0]) / n
        smooth = (sums + 1) / (n + 3)[:, None]
        variance = smooth @ [0.0, 0.25, 1.0] - (smooth @ [0.0, 0.5, 1.0]) ** 2
        share_0, share_1 = share_of_elo(self.elo_0), share_of_elo(self.elo_1)
        ratios: np.ndarray = n * (share_1 - share_0) * (mean - (share_0 + share_1) / 2) / variance
        return ratios

    @property
    def verdict(self) -> str | None:
        """The decision in words."""
        if self.accepted is None:
            return None
        elo = (self.elo_0, self.elo_1)[self.accepted]
        bound = "at most" if self.accepted == 0 else "at least"
        return (
            f"SPRT: {bound} {elo:+g} Elo after {self.pairs.sum():,} pairs "
            f"({self.elo_0:+g} against {self.elo_1:+g}, error rates {ERROR_RATE:.0%})"
        )


def share_of_elo(elo: float) -> float:
    """The share of points expected of a player this much stronger."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))
