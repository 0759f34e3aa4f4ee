"""The sequential test keeps its error rates and looks at pairs in order only."""

import numpy as np
import pytest

from results.sequential import Sprt, share_of_elo

SPLIT = 0.6


def pairs_of(share, size, random):
    """Pairs of matches of which SPLIT are shared and the rest won or lost both."""
    both = share - SPLIT / 2
    return random.choice(3, size=size, p=[1 - SPLIT - both, SPLIT, both])


def accepted(elo, runs=300):
    random = np.random.Generator(np.random.Philox(3))
    decisions = []
    for _ in range(runs):
        test = Sprt(0.0, 20.0)
        test.take(pairs_of(share_of_elo(elo), 20_000, random))
        decisions.append(test.accepted)
    assert None not in decisions
    return np.array(decisions)


def test_the_error_rates_are_kept():
    # 5 % of 300 is 15; 30 is four standard deviations more.
    assert accepted(0.0).sum() <= 30
    assert (1 - accepted(20.0)).sum() <= 30


def test_beyond_the_hypotheses_the_answer_is_sure():
    assert accepted(60.0, 30).all()
    assert not accepted(-40.0, 30).any()


@pytest.mark.parametrize("size", [1, 7, 64, 5_000])
def test_the_decision_does_not_depend_on_the_pieces(size):
    won = pairs_of(share_of_elo(30.0), 5_000, np.random.Generator(np.random.Philox(1)))
    whole, pieces = Sprt(0.0, 20.0), Sprt(0.0, 20.0)
    whole.take(won)
    for start in range(0, len(won), size):
        pieces.take(won[start : start + size])
    assert pieces.verdict == whole.verdict
    assert pieces.pairs.tolist() == whole.pairs.tolist()
    assert whole.verdict.startswith("SPRT: at least +20 Elo after ")


def test_a_few_equal_pairs_decide_nothing():
    test = Sprt(0.0, 10.0)
    test.take(np.full(5, 2))
    assert test.verdict is None


def test_pairs_after_the_decision_do_not_count():
    test = Sprt(0.0, 20.0)
    test.take(np.full(5_000, 2))
    decided_at = test.pairs.sum()
    test.take(np.zeros(50_000, int))
    assert (test.accepted, test.pairs.sum()) == (1, decided_at)
