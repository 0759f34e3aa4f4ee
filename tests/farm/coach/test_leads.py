"""farm coach cribbage: how sure it is of leads and of chances."""

from dataclasses import replace

import pytest
from coach_desk import cards

from engines.cribbage.lead_analysis import LeadAnalysis, analyze_lead
from engines.cribbage.observation import Observation
from farm.commands.coach_leads import is_right
from farm.commands.coach_text import percent_lost_text
from farm.commands.cribbage_table import chance_text


def test_right_is_the_best_lead_of_an_exact_analysis():
    seen = Observation.for_play(cards("5H JD"), (), 1, cards("2S")[0], False)
    found = analyze_lead(seen, seen.own_hand[0])
    assert found.exact
    assert [is_right(replace(found, chosen=card)) for card in found.margins] == [
        card == found.best for card in found.margins
    ]


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
def test_right_is_a_lead_that_is_ahead_by_two_standard_errors(margins, errors, expected):
    lead = LeadAnalysis(0, dict(enumerate(margins)), dict(enumerate(errors)), 120, False)
    assert is_right(lead) == expected


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
