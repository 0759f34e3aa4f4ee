"""What each ingredient of Master is worth: each left out, against Expert, on the same cards.

Shares of matches won with the 99 % interval of the pairs, and matches a second of CPU. All variants
play the same pairs, so that their differences are more certain than the shares; the interval of the
difference from Master is that of the pairs' differences.

    python tests/benchmarks/cribbage_master.py --pairs 4000 --seed 11
"""

import argparse
import math
import time
from dataclasses import replace

import numpy as np

from engines.cribbage.board import endless_board
from engines.cribbage.fast_match import play_pairs
from engines.cribbage.master_tables import MasterTables, default_master_tables
from engines.cribbage.match_kernel import SCORE
from engines.cribbage.scoring import GAME
from engines.cribbage.tiers import EXPERT, MASTER, MASTER_SAMPLES, Skill

TABLES = default_master_tables()
ALIKE, NOTHING = np.ones_like(TABLES.keeps), np.zeros_like(TABLES.pegging)
THROWN_ALIKE, ENDLESS = np.ones_like(TABLES.throws), endless_board()
Z_99 = 2.5758

VARIANTS: dict[str, tuple[Skill, MasterTables]] = {
    "Master": (MASTER, TABLES),
    "without the board": (MASTER, replace(TABLES, board=ENDLESS, throw_board=ENDLESS)),
    "without it in throws": (MASTER, replace(TABLES, throw_board=ENDLESS)),
    "without it in the play": (MASTER, replace(TABLES, board=ENDLESS)),
    "without the play in throws": (MASTER, replace(TABLES, pegging=NOTHING)),
    "without reading of hands": (
        MASTER,
        replace(TABLES, keeps=ALIKE, flushes=ALIKE, throws=THROWN_ALIKE),
    ),
    "without reading of flushes": (MASTER, replace(TABLES, flushes=TABLES.keeps)),
    f"{MASTER_SAMPLES // 4} samples": (replace(MASTER, samples=MASTER_SAMPLES // 4), TABLES),
    f"{MASTER_SAMPLES * 2} samples": (replace(MASTER, samples=MASTER_SAMPLES * 2), TABLES),
    "without a search (Expert)": (EXPERT, TABLES),
}


def pair_scores(variant: str, seed: int, pairs: range) -> np.ndarray:
    """The share that a variant wins of each pair: 0, a half, or 1."""
    skill, tables = VARIANTS[variant]
    found = play_pairs(seed, pairs, (skill, EXPERT), tables)
    shares: np.ndarray = (found[:, :, 0, SCORE] == GAME).mean(axis=1)
    return shares


def interval(scores: np.ndarray) -> str:
    """Mean and half width of its 99 % interval, in percent."""
    half = Z_99 * float(scores.std()) / math.sqrt(len(scores))
    return f"{100 * float(scores.mean()):+6.2f} ±{100 * half:.2f}"


def main() -> None:
    """Prints a line for each variant."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="beside Master")
    options = parser.parse_args()
    play_pairs(0, range(1), (MASTER, EXPERT))
    print(f"{options.pairs:,} pairs of matches against Expert, 99 % intervals")
    whole = None
    for variant in ["Master", *(options.variant or list(VARIANTS)[1:])]:
        begun = time.process_time()
        scores = pair_scores(variant, options.seed, range(options.pairs))
        rate = 2 * options.pairs / (time.process_time() - begun)
        whole = scores if whole is None else whole
        line = f"{variant:28} {interval(scores)} %   {interval(scores - whole)} % beside Master"
        print(f"{line}   {rate:,.0f} matches/s", flush=True)


if __name__ == "__main__":
    main()
