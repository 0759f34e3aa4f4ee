"""How often Expert keeps a flush, and how often Master reckons with one.

Over both hands of deals at random, each seen from the other seat: first where no card of it is
laid, then where three are that are of one suit.

    python tests/benchmarks/cribbage_flushes.py --deals 20000 --seed 11
"""

import argparse
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product

import numpy as np

from engines.cards import PACK_SIZE
from engines.cribbage import fast_brain
from engines.cribbage.master_tables import default_master_tables
from engines.cribbage.match import random_deals
from engines.cribbage.observation import Observation
from engines.cribbage.scoring_kernel import show_index
from engines.cribbage.tiers import EXPERT

TABLES = default_master_tables()
Z_95 = 1.96


def kept_hands(deals: int, seed: int) -> Iterator[tuple[list[int], set[int], bool]]:
    """Four cards as Expert keeps them, the cards the other has seen, and whether they deal."""
    for deal in islice(random_deals(seed, 0), deals):
        for own, other, is_dealer in (
            (deal.pone, deal.dealer, False),
            (deal.dealer, deal.pone, True),
        ):
            seen = Observation.for_discard(own, is_dealer)
            thrown = fast_brain.choose_discard(seen, EXPERT, 0.0)
            kept = [card for card in own if card not in thrown]
            yield kept, {*other, deal.starter}, is_dealer


def is_flush(cards: Sequence[int]) -> bool:
    """Whether all are of a suit."""
    return len({card & 3 for card in cards}) == 1


def chance_of_flush(kept: Sequence[int], known: set[int], is_dealer: bool) -> float:
    """Of a hand of which only the ranks are known: the share of its ways that are of a suit."""
    ranks = [card >> 2 for card in kept]
    if len(set(ranks)) < len(ranks):
        return 0.0
    unseen = [
        [card for card in range(4 * rank, 4 * rank + 4) if card not in known] for rank in ranks
    ]
    return share_of_flushes(product(*unseen), is_dealer)


def chance_of_fourth(laid: Sequence[int], known: set[int], is_dealer: bool) -> float:
    """That the fourth card is of the suit of three."""
    unseen = [card for card in range(PACK_SIZE) if card not in known and card not in laid]
    return share_of_flushes([(*laid, card) for card in unseen], is_dealer)


def share_of_flushes(hands: Iterable[Sequence[int]], is_dealer: bool) -> float:
    """Of hands, as often as Master reckons that each is kept."""
    weights = [0.0, 0.0]
    for hand in hands:
        row = show_index(*sorted(card >> 2 for card in hand))
        table = TABLES.flushes if is_flush(hand) else TABLES.keeps
        weights[is_flush(hand)] += table[int(is_dealer), row]
    return weights[True] / sum(weights)


def report(name: str, are: Sequence[bool], chances: Sequence[float]) -> None:
    """Prints a line: in truth, with its 95 % interval, and as reckoned."""
    share = float(np.mean(are))
    half = Z_95 * math.sqrt(share * (1.0 - share) / len(are))
    found = f"{100 * share:.2f} ±{100 * half:.2f} % of {len(are):,}"
    print(f"{name}: {found}, reckoned {100 * float(np.mean(chances)):.2f} %")


def main() -> None:
    """Prints both shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    whole: list[tuple[bool, float]] = []
    fourth: list[tuple[bool, float]] = []
    for kept, known, is_dealer in kept_hands(options.deals, options.seed):
        whole.append((is_flush(kept), chance_of_flush(kept, known, is_dealer)))
        rng.shuffle(kept)
        if is_flush(kept[:3]):
            fourth.append((is_flush(kept), chance_of_fourth(kept[:3], known, is_dealer)))
    report("flushes among hands", *zip(*whole, strict=True))
    report("the fourth of three of a suit", *zip(*fourth, strict=True))


if __name__ == "__main__":
    main()
