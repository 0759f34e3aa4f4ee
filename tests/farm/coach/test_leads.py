"""farm coach cribbage: how sure it is of leads and of chances."""

import numpy as np
import pytest
from coach_desk import cards

from engines.cribbage.lead_analysis import LeadAnalysis, analyze_lead, opponent_hands
from engines.cribbage.observation import Observation
from farm.commands import coach_leads
from farm.commands.coach_leads import is_right, lead_errors
from farm.commands.coach_text import percent_lost_text
from farm.commands.cribbage_table import chance_text


def lead_of(hand, opponent_cards=4):
    return Observation.for_play(cards(hand), (), opponent_cards, cards("2S")[0], False)


@pytest.mark.parametrize("hand", ["4H 6D 6S 9C", "2D 3C 3H 5H", "TH JD"])
def test_the_hands_of_the_errors_are_those_of_the_analysis(hand):
    seen = lead_of(hand)
    found = analyze_lead(seen, seen.own_hand[0])
    margins = coach_leads._margins_by_hand(seen, found.hands)
    assert margins.mean(axis=0).tolist() == pytest.approx(list(found.margins.values()))
    best = seen.own_hand.index(found.best)
    for place, card in enumerate(seen.own_hand):
        behind = margins[:, best] - margins[:, place]
        expected = np.sqrt(np.var(behind, ddof=1) / len(behind))
        assert lead_errors(seen, found)[card] == pytest.approx(expected)


def test_errors_are_those_that_other_samples_show():
    """Over many samples of 120 the mean differences spread as the error of one says."""
    seen, differences, errors = lead_of("2D 3C 3H 5H"), [], []
    pool_hands, _ = opponent_hands(seen, 120 * 60)
    whole = coach_leads._margins_by_hand(seen, 120 * 60)
    assert len(pool_hands) == len(whole) == 120 * 60
    for start in range(0, len(whole), 120):
        behind = whole[start : start + 120, 0] - whole[start : start + 120, 3]
        differences.append(behind.mean())
        errors.append(behind.std(ddof=1) / np.sqrt(120))
    assert np.std(differences, ddof=1) == pytest.approx(np.mean(errors), rel=0.3)


def test_an_exact_analysis_has_no_error():
    seen = lead_of("5H JD", opponent_cards=1)
    found = analyze_lead(seen, seen.own_hand[0])
    assert found.exact
    assert set(lead_errors(seen, found).values()) == {0.0}
    assert is_right(seen, LeadAnalysis(found.best, found.margins, found.hands, True))


@pytest.mark.parametrize(
    ("margins", "errors", "expected"),
    [
        ((1.0, 0.5), (0.0, 0.2), True),
        ((1.0, 0.5), (0.0, 0.3), False),
        ((1.0, 1.0), (0.0, 0.0), False),
        ((1.0, 1.0, 0.0), (0.0, 0.0, 0.1), True),
        ((1.0, 1.0, 0.0), (0.0, 0.1, 0.1), False),
        ((0.5, 1.0), (0.1, 0.0), False),
    ],
)
def test_right_is_a_lead_that_is_ahead_by_two_standard_errors(
    margins, errors, expected, monkeypatch
):
    monkeypatch.setattr(coach_leads, "lead_errors", lambda *_: dict(enumerate(errors)))
    lead = LeadAnalysis(0, dict(enumerate(margins)), 120, False)
    assert is_right(lead_of("4H 6D 6S 9C"), lead) == expected


@pytest.mark.parametrize(
    ("chance", "tenths", "whole"),
    [
        (0.0, "<0.1 %", "<1 %"),
        (0.0004, "<0.1 %", "<1 %"),
        (0.0006, "0.1 %", "<1 %"),
        (0.5, "50.0 %", "50 %"),
        (0.9994, "99.9 %", ">99 %"),
        (0.9996, ">99.9 %", ">99 %"),
        (1.0, ">99.9 %", ">99 %"),
    ],
)
def test_no_estimated_chance_is_none_or_certain(chance, tenths, whole):
    assert (chance_text(chance), chance_text(chance, 0)) == (tenths, whole)


def test_what_was_given_up_is_nothing_only_where_it_is():
    assert [percent_lost_text(lost) for lost in (0.0, 0.0004, 0.02)] == ["0.0 %", "<0.1 %", "2.0 %"]
    assert [percent_lost_text(lost, "-") for lost in (0.0004, 0.02)] == ["<0.1 %", "-2.0 %"]
