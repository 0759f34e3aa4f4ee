"""The random words of unit i of seed s: counter-based, unbiased, the same on every machine.

A stream is opened by (seed, unit, purpose). Its words are those of Philox4x64-10 (Salmon, Moraes,
Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011) with

    key      (seed, first 8 bytes of SHA-256(purpose), big-endian)
    counter  (block, unit, 0, 0), block = 1, 2, 3, ...

four words a block: those of numpy's `Philox(key=key, counter=[0, unit, 0, 0])` with the key as an
array of uint64. Two purposes, units or seeds never share a counter and key, so their streams are
independent, and a player's stream tells nothing about a deal.
"""

import hashlib
from functools import lru_cache
from typing import Any

import numpy as np

from engines.kernel import kernel

# Layout of a stream, an array of uint64[STREAM_SIZE].
_KEY_0, _KEY_1, _BLOCK, _UNIT, _USED, _WORDS = 0, 1, 2, 3, 4, 5
_WORDS_PER_BLOCK = 4
STREAM_SIZE = _WORDS + _WORDS_PER_BLOCK

_ROUNDS = 10
_MULTIPLIER_0 = np.uint64(0xD2E7470EE14C6C93)
_MULTIPLIER_1 = np.uint64(0xCA5A826395121157)
_WEYL_0 = np.uint64(0x9E3779B97F4A7C15)
_WEYL_1 = np.uint64(0xBB67AE8584CAA73B)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ZERO, _ONE = np.uint64(0), np.uint64(1)

SEED_LIMIT = 2**63


@lru_cache
def purpose_key(purpose: str) -> int:
    """The second key word of a purpose such as "klondike deal"."""
    return int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")


def open_stream(seed: int, unit: int, purpose: str) -> np.ndarray:
    """A fresh stream at its first word; raises ValueError for a seed or unit outside 0..2**63-1."""
    for name, value in (("seed", seed), ("unit", unit)):
        if not 0 <= value < SEED_LIMIT:
            raise ValueError(f"expected a {name} from 0 to 2**63 - 1, got {value}")
    stream = np.zeros(STREAM_SIZE, np.uint64)
    stream[_KEY_0], stream[_KEY_1], stream[_UNIT] = seed, purpose_key(purpose), unit
    stream[_BLOCK], stream[_USED] = 1, _WORDS_PER_BLOCK
    return stream


@kernel
def reopen(stream: np.ndarray, unit: int) -> None:
    """Turns a stream into that of another unit, at its first word; seed and purpose stay."""
    stream[_UNIT] = np.uint64(unit)
    stream[_BLOCK], stream[_USED] = _ONE, np.uint64(_WORDS_PER_BLOCK)


@kernel
def high_word(a: np.uint64, b: np.uint64) -> np.uint64:
    """The upper 64 bits of the 128-bit product of two words."""
    a_low, a_high = a & _LOW_HALF, a >> _HALF
    b_low, b_high = b & _LOW_HALF, b >> _HALF
    middle = a_high * b_low + ((a_low * b_low) >> _HALF)
    return a_high * b_high + (middle >> _HALF) + ((a_low * b_high + (middle & _LOW_HALF)) >> _HALF)


@kernel
def _fill_block(stream: np.ndarray) -> None:
    key_0, key_1 = stream[_KEY_0], stream[_KEY_1]
    x0, x1, x2, x3 = stream[_BLOCK], stream[_UNIT], _ZERO, _ZERO
    for _ in range(_ROUNDS):
        product_0, product_1 = _MULTIPLIER_0 * x0, _MULTIPLIER_1 * x2
        high_0, high_1 = high_word(_MULTIPLIER_0, x0), high_word(_MULTIPLIER_1, x2)
        x0, x1, x2, x3 = high_1 ^ x1 ^ key_0, product_1, high_0 ^ x3 ^ key_1, product_0
        key_0 += _WEYL_0
        key_1 += _WEYL_1
    stream[_WORDS], stream[_WORDS + 1], stream[_WORDS + 2], stream[_WORDS + 3] = x0, x1, x2, x3
    stream[_BLOCK] += _ONE
    stream[_USED] = _ZERO


@kernel
def next_word(stream: np.ndarray) -> Any:
    """The next 64 random bits of a stream."""
    if stream[_USED] == np.uint64(_WORDS_PER_BLOCK):
        _fill_block(stream)
    word = stream[np.int64(stream[_USED]) + _WORDS]
    stream[_USED] += _ONE
    return word


@kernel
def below(stream: np.ndarray, bound: int) -> Any:
    """A whole number from 0 to bound - 1, each equally likely, for a bound from 1 to 2**63.

    Lemire's multiplication with rejection (ACM TOMACS 29:1, 2019): the upper word of word * bound,
    drawn again while the lower word is under 2**64 mod bound.
    """
    width = np.uint64(bound)
    word = next_word(stream)
    if word * width < width:  # the threshold is below the bound: no division where it cannot matter
        threshold = (_ZERO - width) % width
        while word * width < threshold:
            word = next_word(stream)
    return np.int64(high_word(word, width))


@kernel
def shuffle_end(stream: np.ndarray, cards: np.ndarray, count: int) -> None:
    """The first `count` swaps of `shuffle`: they settle the last `count` places."""
    for i in range(cards.shape[0] - 1, cards.shape[0] - 1 - count, -1):
        j = below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def shuffle(stream: np.ndarray, cards: np.ndarray) -> None:
    """Fisher-Yates in place: for i from the last index down to 1, swaps i with below(i + 1)."""
    shuffle_end(stream, cards, cards.shape[0] - 1)
