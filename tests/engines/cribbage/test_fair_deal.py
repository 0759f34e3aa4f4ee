import hashlib
import json
import math
from collections import Counter
from fractions import Fraction
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from naive.cribbage_show import cards

from engines.cards import CARD_NAMES, PACK_SIZE, RANKS, SUITS, parse_card, rank_of
from engines.cribbage import brain, fair_deal
from engines.cribbage.fair_deal import (
    FairDealError,
    FairMatch,
    Protocol,
    commit_of,
    hand_seed,
    hash_roll,
    server_secret,
)
from engines.cribbage.observation import Observation
from engines.cribbage.ranked import RankedPlayer, choose_discard_ranked, choose_play_ranked
from engines.cribbage.tiers import Skill, pick

DATA = Path(__file__).parents[2] / "data" / "cribbage"
VECTORS = json.loads((DATA / "fair_deal_vectors.json").read_text())["vectors"]
SHUFFLE = json.loads((DATA / "fair_deal_shuffle.json").read_text())
GUIDE = (Path(fair_deal.__file__).parent / "FAIR_DEAL.md").read_text(encoding="utf-8")

SEEDS = st.integers(-(2**63), 2**63 - 1)
HAND_SEEDS = st.integers(0, 2**63 - 1)


def names(some):
    return " ".join(CARD_NAMES[card] for card in some)


def title(vector):
    return f"{vector['master_seed']} {vector['client_seed']!r}"


# The same once more, from the description alone: cards are texts, bytes are hexadecimal.

PACK = [rank + suit for rank in RANKS for suit in SUITS]


def naive_bits(seed, tag, n):
    told = bytes.fromhex(f"{seed % 2**64:016x}") + f"|{tag}|{n}".encode()
    return int(hashlib.sha256(told).hexdigest()[:14], 16) // 8


def naive_draw(seed):
    """13 cards in the order in which they are dealt."""
    pack, drawn = PACK.copy(), []
    for n in range(13):
        place = naive_bits(seed, "deal", n) * (52 - n) // 2**53
        drawn.append(pack[place])
        pack[place] = pack[51 - n]
    return drawn


def naive_deal(seed):
    drawn = naive_draw(seed)
    pone, dealer = (sorted(drawn[first:12:2], key=PACK.index) for first in (0, 1))
    return " ".join(pone), " ".join(dealer), drawn[12]


def naive_cuts(seed):
    cuts = []
    while not cuts or cuts[-1][0] == cuts[-1][3]:
        places = [
            naive_bits(seed, "cut", 2 * len(cuts) + one) * (52 - one) // 2**53 for one in (0, 1)
        ]
        first = PACK[places[0]]
        cuts.append(f"{first} {[card for card in PACK if card != first][places[1]]}")
    return cuts


def told(deal):
    return names(deal.pone), names(deal.dealer), CARD_NAMES[deal.starter]


class Seeded(FairMatch):
    """A match whose first hand has a given seed."""

    def hand_seed(self, index):
        return int(self.client_seed)


def cuts_of(seed):
    return Seeded(Protocol.COMMIT_FIRST, bytes(32), str(seed)).cuts()


# Secrets, commits and hand seeds.


@pytest.mark.parametrize("vector", VECTORS, ids=title)
def test_published_vectors_of_secret_and_commit(vector):
    master_seed, client_seed = int(vector["master_seed"]), vector["client_seed"]
    secret = server_secret(master_seed, client_seed)
    assert secret.hex() == vector["server_secret_hex"]
    assert commit_of(secret) == vector["commit_hex"]
    match = FairMatch.client_first(master_seed, client_seed)
    assert match == FairMatch(Protocol.CLIENT_FIRST, secret, client_seed, master_seed)
    assert match.commit == vector["commit_hex"]


@pytest.mark.parametrize("vector", VECTORS, ids=title)
def test_published_vectors_of_hand_seeds(vector):
    match = FairMatch.client_first(int(vector["master_seed"]), vector["client_seed"])
    for index, seed in vector["hand_seeds"].items():
        assert match.hand_seed(int(index)) == int(seed)
        assert hand_seed(match.secret, match.client_seed, int(index)) == int(seed)


@pytest.mark.parametrize("vector", VECTORS, ids=title)
def test_published_vectors_of_rolls(vector):
    for each in vector["hash_rolls"]:
        roll = hash_roll(int(each["seed"]), each["tag"], each["n"])
        assert roll == float.fromhex(each["value_hex"]) == float(each["value_repr"])
        assert roll * 2**53 == int(each["v53"])


def test_there_are_vectors():
    assert len(VECTORS) >= 6
    assert {each["tag"] for vector in VECTORS for each in vector["hash_rolls"]} == {"aid", "aip"}


@pytest.mark.parametrize(
    ("seed", "text"),
    [
        (0, "0000000000000000"),
        (1, "0000000000000001"),
        (-1, "ffffffffffffffff"),
        (-2, "fffffffffffffffe"),
        (2**53 + 1, "0020000000000001"),
        (2**63 - 1, "7fffffffffffffff"),
        (-(2**63), "8000000000000000"),
    ],
)
def test_a_seed_is_eight_bytes_in_twos_complement(seed, text):
    assert server_secret(seed, "me") == hashlib.sha256(bytes.fromhex(text) + b"|me|server").digest()
    roll = hashlib.sha256(bytes.fromhex(text) + b"|aid|0").digest()
    assert hash_roll(seed, "aid", 0) == (int.from_bytes(roll[:7], "big") >> 3) / 2**53


def test_a_client_seed_is_utf_8():
    assert (
        server_secret(7, "Zoë ♠")
        == hashlib.sha256(bytes(7) + b"\x07|Zo\xc3\xab \xe2\x99\xa0|server").digest()
    )
    expected = hashlib.sha256(bytes(32) + b"|\xe2\x99\xa0|12").hexdigest()
    assert hand_seed(bytes(32), "♠", 12) == int(expected[:16], 16) & (2**63 - 1)


def test_a_hand_seed_has_63_bits():
    seeds = [hand_seed(bytes(32), "", index) for index in range(2_000)]
    assert len(set(seeds)) == 2_000
    assert 0 <= min(seeds) < 2**55
    assert 2**63 - 2**55 < max(seeds) < 2**63


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 2**64, 10**30])
def test_a_seed_of_more_than_64_bits_is_refused(seed):
    problem = rf"^expected a seed from -2\*\*63 to 2\*\*63 - 1, got {seed}$"
    for refused in (
        lambda: server_secret(seed, ""),
        lambda: FairMatch.client_first(seed),
        lambda: hash_roll(seed, "aid", 0),
        lambda: fair_deal.fair_deal(seed),
    ):
        with pytest.raises(FairDealError, match=problem):
            refused()


@pytest.mark.parametrize("size", [0, 16, 31, 33, 64])
def test_a_secret_of_another_size_is_refused(size):
    for refused in (
        lambda: commit_of(bytes(size)),
        lambda: FairMatch.commit_first(bytes(size), "me"),
    ):
        with pytest.raises(FairDealError, match=f"^expected a secret of 32 bytes, got {size}$"):
            refused()


# Protocols.


def test_in_protocol_1_the_commit_depends_on_the_client_seed():
    matches = [FairMatch.client_first(5, client_seed) for client_seed in ("", "a", "b")]
    assert [match.protocol for match in matches] == [1, 1, 1]
    assert len({match.commit for match in matches}) == 3
    assert FairMatch.client_first(5) == matches[0]


def test_in_protocol_2_the_commit_stands_before_the_client_seed():
    secret = hashlib.sha256(b"thirty-two random bytes").digest()
    matches = [FairMatch.commit_first(secret, client_seed) for client_seed in ("", "a", "b")]
    assert {(match.protocol, match.master_seed) for match in matches} == {(2, None)}
    assert {match.commit for match in matches} == {hashlib.sha256(secret).hexdigest()}
    # All that is random depends on both.
    assert len({match.hand_seed(0) for match in matches}) == 3
    assert len({next(match.deals()) for match in matches}) == 3
    assert FairMatch.commit_first(bytes(32), "a").hand_seed(0) != matches[1].hand_seed(0)


def test_both_protocols_have_the_same_deals_for_the_same_secret():
    first = FairMatch.client_first(5, "a")
    second = FairMatch.commit_first(first.secret, "a")
    assert first.commit == second.commit
    assert list(islice(first.deals(), 5)) == list(islice(second.deals(), 5))
    assert first.cuts() == second.cuts()


# Rolls.


@given(SEEDS, st.text(), st.integers(0, 100))
def test_a_roll_is_53_bits(seed, tag, n):
    roll = hash_roll(seed, tag, n)
    assert 0 <= roll < 1
    assert Fraction(roll) == Fraction(naive_bits(seed, tag, n), 2**53)


def test_rolls_are_uniform():
    rolls = [hash_roll(seed, "aip", n) for seed in range(500) for n in range(8)]
    counts = np.histogram(rolls, bins=40, range=(0, 1))[0]
    assert ((counts - 100) ** 2 / 100).sum() < 80  # chi-square, 39 degrees of freedom
    assert len(set(rolls)) == len(rolls)


# Deals and cuts.


@pytest.mark.parametrize("vector", SHUFFLE["deals"], ids=lambda vector: vector["hand_seed"])
def test_golden_deals(vector):
    seed = int(vector["hand_seed"])
    assert told(fair_deal.fair_deal(seed)) == (vector["pone"], vector["dealer"], vector["starter"])
    assert " ".join(naive_draw(seed)) == vector["drawn"]


@pytest.mark.parametrize("vector", SHUFFLE["cuts"], ids=lambda vector: vector["hand_seed"])
def test_golden_cuts(vector):
    seed = int(vector["hand_seed"])
    assert [names(cut) for cut in cuts_of(seed)] == vector["cuts"]


def test_golden_cuts_have_ties():
    assert [len(vector["cuts"]) for vector in SHUFFLE["cuts"]][-2:] == [2, 3]


def test_the_guide_shows_the_golden_vectors():
    rows = {
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in GUIDE.replace("`", "").splitlines()
        if line.startswith("|")
    }
    for vector in SHUFFLE["deals"]:
        assert (vector["hand_seed"], vector["drawn"]) in rows
    for vector in SHUFFLE["cuts"]:
        assert (vector["hand_seed"], ", ".join(vector["cuts"])) in rows
    for vector in VECTORS:
        if vector["client_seed"] != "x|y":  # a bar would end the cell
            assert (
                vector["master_seed"],
                vector["client_seed"] or "(empty)",
                vector["commit_hex"],
                vector["hand_seeds"]["0"],
            ) in rows
    rolls = [row for row in rows if row[1] in ("aid", "aip")]
    assert len(rolls) == 4
    for seed, tag, n, bits in rolls:
        assert hash_roll(int(seed), tag, int(n)) * 2**53 == int(bits)


@given(SEEDS)
@example(0)
@example(2**63 - 1)
@example(-(2**63))
def test_deals_and_cuts_as_described(seed):
    assert told(fair_deal.fair_deal(seed)) == naive_deal(seed)
    assert [names(cut) for cut in cuts_of(seed)] == naive_cuts(seed)


@given(SEEDS)
def test_a_deal_has_thirteen_different_cards(seed):
    deal = fair_deal.fair_deal(seed)
    dealt = (*deal.pone, *deal.dealer, deal.starter)
    assert (len(deal.pone), len(deal.dealer), len(set(dealt))) == (6, 6, 13)
    assert all(0 <= card < PACK_SIZE for card in dealt)
    assert deal.pone == tuple(sorted(deal.pone))
    assert deal.dealer == tuple(sorted(deal.dealer))


def test_every_card_comes_to_every_place_about_equally_often():
    seeds = 5_200
    places = np.zeros((13, PACK_SIZE), int)
    holders = np.zeros((3, PACK_SIZE), int)
    for number in range(seeds):
        seed = hand_seed(bytes(32), "places", number)
        for place, card in enumerate(naive_draw(seed)):
            places[place, PACK.index(card)] += 1
        deal = fair_deal.fair_deal(seed)
        for holder, dealt in enumerate((deal.pone, deal.dealer, (deal.starter,))):
            holders[holder, list(dealt)] += 1
    assert np.array_equal(holders[0], places[0:12:2].sum(0))
    assert np.array_equal(holders[1], places[1:12:2].sum(0))
    assert np.array_equal(holders[2], places[12])
    for row in places:
        assert ((row - 100) ** 2 / 100).sum() < 110  # chi-square, 51 degrees of freedom


def test_no_two_places_hang_together():
    seeds = 8_000
    ranks = Counter(
        (PACK.index(first) // 4, PACK.index(second) // 4)
        for first, second in (naive_draw(seed)[:2] for seed in range(seeds))
    )
    chi_square = 0.0
    for first in range(13):
        for second in range(13):
            expected = seeds * 4 * (3 if first == second else 4) / (52 * 51)
            chi_square += (ranks[first, second] - expected) ** 2 / expected
    assert chi_square < 260  # 168 degrees of freedom


def test_the_deals_of_a_match_are_those_of_its_hand_seeds():
    match = FairMatch.client_first(42, "seed-42")
    deals = list(islice(match.deals(), 30))
    assert deals == [fair_deal.fair_deal(match.hand_seed(index)) for index in range(30)]
    assert len(set(deals)) == 30
    assert list(islice(match.deals(), 30)) == deals


def test_cuts_go_on_until_the_ranks_differ():
    lengths, firsts, lower = Counter(), Counter(), Counter()
    for number in range(5_200):
        cuts = FairMatch.commit_first(number.to_bytes(32, "big"), "cuts").cuts()
        assert all(rank_of(first) == rank_of(second) for first, second in cuts[:-1])
        assert rank_of(cuts[-1][0]) != rank_of(cuts[-1][1])
        assert all(first != second for first, second in cuts)
        lengths[len(cuts)] += 1
        firsts[cuts[0][0]] += 1
        lower[cuts[-1][0] < cuts[-1][1]] += 1
    assert lengths[1] / 5_200 == pytest.approx(48 / 51, abs=0.015)
    assert sum((firsts[card] - 100) ** 2 / 100 for card in range(PACK_SIZE)) < 110
    assert lower[True] / 5_200 == pytest.approx(0.5, abs=0.03)


# Ranked players.

SIX = Observation.for_discard(cards("2C 5D 5H 9S JC KD"), True)
FOUR = Observation.for_play(cards("5D 5H JC KD"), (), 4, parse_card("2S"), True)
FORCED = Observation.for_play(cards("KD"), (), 0, parse_card("2S"), True)
ERRING = Skill(0.35, 3.0)


@pytest.mark.parametrize("suffix", ["", "0", "1"])
def test_a_ranked_choice_is_that_of_the_brain_with_the_roll(suffix):
    throws, played, values = set(), set(), [throw.value for throw in brain.throws(SIX)]
    for seed in range(60):
        roll = hash_roll(seed, f"aid{suffix}", 0)
        throw = choose_discard_ranked(SIX, ERRING, seed, suffix)
        chosen = brain.THROWS[pick(values, ERRING.temperature, roll)]
        assert throw == tuple(SIX.own_hand[place] for place in chosen)
        throws.add(throw)
        for n in range(4):
            roll = hash_roll(seed, f"aip{suffix}", n)
            card = choose_play_ranked(FOUR, ERRING, seed, n, suffix)
            assert card == brain.choose_play(FOUR, ERRING, roll)
            played.add(card)
    assert len(throws) > 5
    assert len(played) == 4


@pytest.mark.parametrize("skill", [ERRING, Skill(1.0, 0.0), None], ids=str)
@pytest.mark.parametrize("suffix", ["", "0", "1"])
def test_a_ranked_player_counts_its_hands_and_plays(skill, suffix):
    match = FairMatch.client_first(3, "me")
    player = RankedPlayer(skill, match, suffix)
    expected = []
    for index in range(3):
        player.discard(SIX)
        for _ in range(4 - index):
            player.play(FORCED)  # counts as the others do
        player.play(FOUR)
        seed = match.hand_seed(index)
        expected.append(hash_roll(seed, f"aid{suffix}", 0))
        expected += [hash_roll(seed, f"aip{suffix}", n) for n in range(5 - index)]
    assert player.rolls == expected


def test_the_random_player_takes_its_share_of_the_roll():
    match = FairMatch.client_first(11, "me")
    player = RankedPlayer(None, match)
    throws, played = Counter(), Counter()
    for index in range(1_500):
        throw = player.discard(SIX)
        number = math.floor(hash_roll(match.hand_seed(index), "aid", 0) * 15)
        assert throw == tuple(SIX.own_hand[place] for place in brain.THROWS[number])
        card = player.play(FOUR)
        number = math.floor(hash_roll(match.hand_seed(index), "aip", 0) * 4)
        assert card == FOUR.own_hand[number]
        throws[throw] += 1
        played[card] += 1
    assert len(throws) == 15
    assert 60 < min(throws.values()) <= max(throws.values()) < 140
    assert 300 < min(played.values()) <= max(played.values()) < 450


# The boundary between two choices, for those whose exp differs by the last bits.

TOLERANCE = 2.0**-46


def acceptable(values, temperature, roll):
    """The choices that the guide tells a verifier elsewhere to accept."""
    best = max(values)
    weights = [math.exp((value - best) / temperature) for value in values]
    whole = sum(weights)
    mark, slack, passed, found = roll * whole, TOLERANCE * whole, 0.0, []
    for index, weight in enumerate(weights):
        if weight > 0 and passed - slack <= mark < passed + weight + slack:
            found.append(index)
        passed += weight
    return found


def picked_elsewhere(values, temperature, roll, off):
    """As `pick`, with an exp that is off by some last bits."""
    best = max(values)
    weights = []
    for value, bits in zip(values, off, strict=True):
        exact = math.exp((value - best) / temperature)
        weights.append(exact + bits * math.ulp(exact) if exact < 1 else 1.0)
    whole = sum(weights)
    passed = 0.0
    for index, weight in enumerate(weights):
        passed += weight
        if roll * whole < passed:
            return index
    return max(index for index, weight in enumerate(weights) if weight > 0)


@given(
    st.lists(st.tuples(st.floats(-20, 20), st.integers(-2, 2)), min_size=2, max_size=15),
    st.sampled_from([0.15, 0.58, 1.2, 4.9]),
    st.data(),
)
def test_a_verifier_elsewhere_accepts_what_another_exp_picks(drawn, temperature, data):
    values, off = zip(*drawn, strict=True)
    weights = [math.exp((value - max(values)) / temperature) for value in values]
    boundary = sum(weights[: data.draw(st.integers(1, len(values)))]) / sum(weights)
    for steps in range(-12, 13):
        roll = min(max(boundary + steps * 2**-53, 0.0), 1 - 2**-53)
        accepted = acceptable(values, temperature, roll)
        assert pick(values, temperature, roll) in accepted
        assert picked_elsewhere(values, temperature, roll, off) in accepted


def test_away_from_boundaries_one_choice_is_accepted():
    values = [3.0, 2.5, 2.5, 0.0, -4.0]
    for number in range(2_000):
        roll = hash_roll(number, "aid", 0)
        assert acceptable(values, 1.2, roll) == [pick(values, 1.2, roll)]
