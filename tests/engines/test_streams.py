import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.streams import below, high_word, next_word, open_stream, purpose_key, shuffle

WORDS = st.integers(0, 2**64 - 1)
SEEDS = st.integers(0, 2**63 - 1)
PURPOSES = st.sampled_from(["klondike deal", "player 0", "player 1", ""])


def numpy_words(seed, unit, purpose):
    """Endless words of numpy's own Philox."""
    key = np.array([seed, purpose_key(purpose)], np.uint64)
    philox = np.random.Philox(key=key, counter=np.array([0, unit, 0, 0], np.uint64))
    while True:
        yield int(philox.random_raw())


def naive_below(words, bound, bits=64):
    """Lemire's draw as published, in whole numbers of any size."""
    while True:
        product = next(words) * bound
        if product % 2**bits >= 2**bits % bound:
            return product >> bits


def naive_shuffle(words, cards):
    for last in range(len(cards) - 1, 0, -1):
        other = naive_below(words, last + 1)
        cards[last], cards[other] = cards[other], cards[last]


def first_words(seed, unit, purpose, count=8):
    stream = open_stream(seed, unit, purpose)
    return [next_word(stream) for _ in range(count)]


@pytest.mark.parametrize(
    ("seed", "unit", "words"),
    [
        (
            0,
            0,
            [
                0x6DA69CDEDC197D6A,
                0x76A304CEA74F30BA,
                0x0341E28087C84AF8,
                0x2F30CE24542004E2,
                0x1187C11EEC9D8474,
                0xCD3FD03242296D73,
            ],
        ),
        (
            7,
            3,
            [
                0x8F7978FCEEC91D46,
                0x6082D8C778365568,
                0x0CBF65431857579A,
                0xB895FE0B18E5DD62,
                0x5C1AB3FB45309950,
                0x161EA05EF9E2E2DC,
            ],
        ),
    ],
)
def test_golden_words_of_the_klondike_deals(seed, unit, words):
    assert first_words(seed, unit, "klondike deal", len(words)) == words


def test_the_key_of_a_purpose_is_the_start_of_its_sha_256():
    assert purpose_key("klondike deal") == 0xA187F657E01E5761
    assert hashlib.sha256(b"klondike deal").hexdigest().startswith("a187f657e01e5761")


@settings(deadline=None)
@given(SEEDS, SEEDS, PURPOSES, st.integers(1, 20))
@example(2**63 - 1, 2**63 - 1, "klondike deal", 20)
def test_words_are_those_of_numpy_philox(seed, unit, purpose, count):
    words = numpy_words(seed, unit, purpose)
    assert first_words(seed, unit, purpose, count) == [next(words) for _ in range(count)]


@settings(deadline=None)
@given(WORDS, WORDS)
@example(2**64 - 1, 2**64 - 1)
@example(2**32, 2**32)
@example(2**32 - 1, 2**32 + 1)
def test_high_word_is_the_upper_half_of_the_product(a, b):
    assert high_word(np.uint64(a), np.uint64(b)) == (a * b) >> 64


@settings(deadline=None)
@given(SEEDS, st.lists(st.integers(1, 2**63 - 1) | st.integers(1, 60), max_size=20))
def test_below_is_in_range_and_equals_the_naive_draw(seed, bounds):
    stream, words = open_stream(seed, 5, "player 0"), numpy_words(seed, 5, "player 0")
    for bound in bounds:
        drawn = below(stream, bound)
        assert 0 <= drawn < bound
        assert drawn == naive_below(words, bound)


def test_below_draws_again_where_the_naive_draw_does():
    bound, draws = 2**63 + 1, 200  # 2**64 mod bound is bound - 2: nearly half the words are refused
    words_used = 0

    def counted(words):
        nonlocal words_used
        for word in words:
            words_used += 1
            yield word

    stream, words = open_stream(0, 0, "player 0"), counted(numpy_words(0, 0, "player 0"))
    for _ in range(draws):
        assert below(stream, np.uint64(bound)) == naive_below(words, bound)
    assert words_used > 1.5 * draws
    assert next_word(stream) == next(words)


def test_a_bound_of_one_leaves_only_zero():
    assert below(open_stream(0, 0, "player 0"), 1) == 0


@pytest.mark.parametrize("bound", range(1, 65))
def test_the_naive_draw_has_as_many_words_for_each_number(bound):
    bits = 6
    drawn = Counter()
    for word in range(2**bits):
        try:
            drawn[naive_below(iter([word]), bound, bits)] += 1
        except StopIteration:
            continue  # the word is refused
    assert drawn == dict.fromkeys(range(bound), 2**bits // bound)


@settings(deadline=None)
@given(SEEDS, st.integers(0, 60))
def test_shuffle_is_the_naive_fisher_yates(seed, size):
    cards, naive = np.arange(size), list(range(size))
    shuffle(open_stream(seed, 1, "klondike deal"), cards)
    naive_shuffle(numpy_words(seed, 1, "klondike deal"), naive)
    assert cards.tolist() == naive
    assert sorted(naive) == list(range(size))


def test_shuffle_reaches_every_order_of_four_about_equally_often():
    orders = Counter()
    for unit in range(2400):
        cards = np.arange(4)
        shuffle(open_stream(0, unit, "klondike deal"), cards)
        orders[tuple(cards.tolist())] += 1
    assert len(orders) == 24
    assert 60 < min(orders.values()) <= 100 <= max(orders.values()) < 140


@pytest.mark.parametrize(
    ("seed", "unit", "message"),
    [
        (-1, 0, "expected a seed from 0 to 2**63 - 1, got -1"),
        (2**63, 0, "expected a seed from 0 to 2**63 - 1, got 9223372036854775808"),
        (0, -1, "expected a unit from 0 to 2**63 - 1, got -1"),
        (0, 2**63, "expected a unit from 0 to 2**63 - 1, got 9223372036854775808"),
    ],
)
def test_a_seed_or_unit_out_of_range_is_refused(seed, unit, message):
    with pytest.raises(ValueError) as error:
        open_stream(seed, unit, "klondike deal")
    assert str(error.value) == message


def test_seeds_units_and_purposes_share_no_word():
    streams = [
        first_words(seed, unit, purpose, 100)
        for seed in (0, 1, 2**63 - 1)
        for unit in (0, 1, 2**63 - 1)
        for purpose in ("klondike deal", "player 0", "player 1")
    ]
    assert len({word for words in streams for word in words}) == 27 * 100


def test_a_stream_opened_again_starts_again():
    assert first_words(3, 4, "player 0") == first_words(3, 4, "player 0")
