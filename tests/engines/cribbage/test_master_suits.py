"""Master near the end: flushes and his nobs that the opponent may hold decide matches.

The expected chances are found by trying every unseen card as the opponent's last one.
"""

import pytest
from naive.cribbage_master import Keeps
from naive.cribbage_show import cards, play, show, value

from engines.cards import CARD_NAMES, PACK_SIZE, parse_card
from engines.cribbage import fast_brain
from engines.cribbage.judge import ALMOST, MASTER_JUDGE
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.observation import Observation, Played
from engines.cribbage.tiers import MASTER

GOAL = 121
OTHER, OWN = range(2)
KEPT_BY_PONE = Keeps.by(default_master_tables(), is_dealer=False)


class Position:
    """The dealer holds two cards, and the pone one; all was played in one count, in turns."""

    def __init__(self, held, thrown, pile, starter, own_score, other_score):
        self.held, self.thrown, self.pile = cards(held), cards(thrown), cards(pile)
        self.starter, self.scores = parse_card(starter), (other_score, own_score)
        self.laid = {OTHER: self.pile[0::2], OWN: self.pile[1::2]}

    def seen(self):
        return Observation.for_play(
            self.held,
            self.pile,
            1,
            self.starter,
            True,
            own_discards=self.thrown,
            history=[Played(place % 2 == OWN, card) for place, card in enumerate(self.pile)],
            own_score=self.scores[OWN],
            opponent_score=self.scores[OTHER],
        )

    def unseen(self):
        known = {*self.held, *self.thrown, *self.pile, self.starter}
        return [card for card in range(PACK_SIZE) if card not in known]

    def wins(self, first, last):
        """Whether the dealer wins with this card now, where the pone holds that one."""
        hands, scores, pile = {OTHER: [last], OWN: list(self.held)}, [*self.scores], [*self.pile]
        side, chosen = OWN, first
        while hands[OTHER] or hands[OWN]:
            allowed = [card for card in hands[side] if sum(map(value, pile)) + value(card) <= 31]
            if allowed:
                card = chosen or allowed[0]
                chosen = None
                hands[side].remove(card)
                pile.append(card)
                scores[side] += play(pile)
            count, left = sum(map(value, pile)), hands[OTHER] + hands[OWN]
            is_over = all(count + value(card) > 31 for card in left)
            if allowed and is_over and count < 31:
                scores[side] += 1
            if scores[side] >= GOAL:
                return side == OWN
            if is_over:
                pile = []
            side = 1 - side
        if scores[OTHER] + show((*self.laid[OTHER], last), self.starter) >= GOAL:
            return False
        assert scores[OWN] + show((*self.held, *self.laid[OWN]), self.starter) >= GOAL
        return True

    def chances(self):
        """The chance of each card, and with which of the pone's cards it loses."""
        found = {}
        for first in self.held:
            whole = won = 0.0
            losing = []
            for last in self.unseen():
                weight = KEPT_BY_PONE.weight((*self.laid[OTHER], last))
                whole += weight
                if self.wins(first, last):
                    won += weight
                else:
                    losing.append(CARD_NAMES[last])
            found[first] = won / whole, " ".join(losing)
        return found


FLUSH = Position("AC 2S", "9C 9D", "KH 3C QH 4C 2H", "7S", 118, 116)
NOBS = Position("AH 3C", "AC 8H", "8S 2H JS 3D 5S", "6C", 112, 112)
COUNTED = Position("4S 5C", "7S 8D", "9H 2D 2H QC AH", "8C", 119, 113)


def test_the_cards_that_lose_are_those_of_the_suit():
    ace, two = FLUSH.chances().values()
    assert ace == (pytest.approx(0.358, abs=5e-4), "AH 3H 5H 6H 7H 8H JH")
    assert two == (1.0, "")


@pytest.mark.parametrize(
    ("position", "chances", "best"),
    [(FLUSH, (0.358, 1.0), "2S"), (NOBS, (0.660, 0.836), "3C"), (COUNTED, (0.879, 1.0), "5C")],
)
def test_what_the_suits_of_the_other_may_score_is_weighed(position, chances, best):
    expected = {card: chance for card, (chance, _) in position.chances().items()}
    assert tuple(expected.values()) == pytest.approx(chances, abs=5e-4)
    seen = position.seen()
    assert dict(fast_brain.play_chances(seen, 512, 0.5)) == pytest.approx(expected, abs=1e-12)
    weighed = MASTER_JUDGE.weigh_cards(seen)
    assert CARD_NAMES[weighed.best] == best
    assert weighed.values == pytest.approx(expected, abs=2e-9)
    played = {fast_brain.choose_play(seen, MASTER, roll / 10) for roll in range(10)}
    assert played == {weighed.best}


def test_only_a_card_that_wins_at_once_is_certain():
    values = MASTER_JUDGE.weigh_cards(FLUSH.seen()).values
    assert [CARD_NAMES[card] for card in values if values[card] == 1.0] == ["2S"]
    values = MASTER_JUDGE.weigh_cards(COUNTED.seen()).values
    assert values[parse_card("5C")] == ALMOST < 1.0


def test_of_cards_that_win_alike_the_one_that_scores_most_at_once_is_played():
    # The pone's hand counts six, whatever it plays, and is counted first; the dealer is far behind.
    laid = cards("7H 8C")
    seen = Observation.for_play(
        cards("4H 8D 8S"),
        laid,
        3,
        parse_card("2S"),
        False,
        own_discards=cards("2C 3C"),
        history=[Played(place % 2 == 0, card) for place, card in enumerate(laid)],
        own_score=115,
    )
    weighed = MASTER_JUDGE.weigh_cards(seen)
    assert set(weighed.values.values()) == {ALMOST}
    assert CARD_NAMES[weighed.best] == "8D"
    played = {fast_brain.choose_play(seen, MASTER, roll / 10) for roll in range(10)}
    assert played == {weighed.best}
