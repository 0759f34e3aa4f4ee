"""The weights of informed games: policy.json, made by tests/benchmarks/gallery_policy.py.

The weight of a move is the product of the entries that policy_kernel.card_features names: one for
the state of its twin, one for what it uncovers, one for the card that may follow on it, one for its
rivals and one for the lowest card that lies under it; a deal has one, for the deals left and the
cards that can move. They were found by policy gradient: games from random deals, and after each the
logarithms of the weights moved along the gradient of its score.
"""

import json
from functools import lru_cache
from pathlib import Path

import numpy as np

from engines.gallery.policy_kernel import ENTRIES

TABLE_FILE = Path(__file__).with_name("policy.json")
_LOWEST = -6.0
"""Logarithms below are cut off here, so that no move is without chance."""


@lru_cache
def policy_table() -> np.ndarray:
    """The weights, float64[ENTRIES]."""
    return table_of(np.array(json.loads(TABLE_FILE.read_text())["logarithms"]))


@lru_cache
def uniform_table() -> np.ndarray:
    """Weights that make every legal move equally likely, a deal included."""
    return np.ones(ENTRIES)


def table_of(logarithms: np.ndarray) -> np.ndarray:
    """The weights of these logarithms."""
    if logarithms.shape != (ENTRIES,):
        raise ValueError(f"expected {ENTRIES} logarithms, got {logarithms.shape}")
    weights: np.ndarray = np.exp(np.maximum(logarithms, _LOWEST))
    return weights
