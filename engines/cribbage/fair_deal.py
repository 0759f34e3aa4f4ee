"""Deals and rolls that were fixed before a card was shown, and can be recomputed by anyone.

Before a match the server gives out the commit, the SHA-256 of a secret; after it, the secret. Each
hand of the match has a seed made of the secret, the client's seed and its number, and everything
random in the hand is a roll of that seed. FAIR_DEAL.md has the formulas, vectors, and limits.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from engines.cards import PACK_SIZE, rank_of
from engines.cribbage.match import DEALT, Deal

SEED_LIMIT = 2**63
SECRET_BYTES = 32
DEAL_TAG, CUT_TAG, DISCARD_TAG, PLAY_TAG = "deal", "cut", "aid", "aip"
_ROLL_BITS = 53


class FairDealError(ValueError):
    """A seed, secret or index that cannot be."""


class Protocol(IntEnum):
    """In which order secret and client seed come.

    CLIENT_FIRST: the published one; the secret is made of a master seed and the client's seed.
    COMMIT_FIRST: the secret is 32 random bytes and committed before the client names its seed, so
    that the server cannot search for a secret that suits it.
    """

    CLIENT_FIRST = 1
    COMMIT_FIRST = 2


def _seed_bytes(seed: int) -> bytes:
    """Eight bytes, big-endian, in two's complement; raises FairDealError for one of more bits."""
    if not -SEED_LIMIT <= seed < SEED_LIMIT:
        raise FairDealError(f"expected a seed from -2**63 to 2**63 - 1, got {seed}")
    return seed.to_bytes(8, "big", signed=True)


def server_secret(master_seed: int, client_seed: str) -> bytes:
    """The secret of protocol 1: SHA-256 of the master seed's bytes and "|CLIENT SEED|server"."""
    return hashlib.sha256(_seed_bytes(master_seed) + _utf8(f"|{client_seed}|server")).digest()


def _utf8(text: str) -> bytes:
    """Raises FairDealError for a client seed that is no text, such as half of a character."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise FairDealError(f"expected a client seed that is text, got {text!r}") from None


def commit_of(secret: bytes) -> str:
    """What is given out before the match: SHA-256 of the secret in lower-case hexadecimal."""
    if len(secret) != SECRET_BYTES:
        raise FairDealError(f"expected a secret of {SECRET_BYTES} bytes, got {len(secret)}")
    return hashlib.sha256(secret).hexdigest()


def hand_seed(secret: bytes, client_seed: str, index: int) -> int:
    """The seed, 0 to 2**63 - 1, of hand number `index` from 0.

    The first eight bytes, big-endian, of SHA-256 of the secret and "|CLIENT SEED|INDEX", without
    the highest bit.
    """
    digest = hashlib.sha256(secret + _utf8(f"|{client_seed}|{index}")).digest()
    return int.from_bytes(digest[:8], "big") % SEED_LIMIT


def hash_roll(seed: int, tag: str, n: int) -> float:
    """A roll in [0, 1) with 53 bits: those of SHA-256 of the seed's bytes and "|TAG|N"."""
    return _roll_bits(seed, tag, n) / float(2**_ROLL_BITS)


def _roll_bits(seed: int, tag: str, n: int) -> int:
    digest = hashlib.sha256(_seed_bytes(seed) + f"|{tag}|{n}".encode()).digest()
    return int.from_bytes(digest[:7], "big") >> 3


def fair_deal(seed: int) -> Deal:
    """The cards of a hand seed.

    Of a pack in ascending order, clubs to spades within a rank, for n = 0 to 12 the card in place
    51 - n is exchanged with that in place floor(roll * (52 - n)), roll = hash_roll(seed, "deal",
    n), reckoned in whole numbers. From place 51 down the cards go to pone and dealer in turn, six
    each; the thirteenth is the starter. A place is more likely than another by at most 2**-47.
    """
    pack = list(range(PACK_SIZE))
    for n in range(DEALT):
        last = PACK_SIZE - 1 - n
        other = _roll_bits(seed, DEAL_TAG, n) * (last + 1) >> _ROLL_BITS
        pack[last], pack[other] = pack[other], pack[last]
    drawn = pack[: -DEALT - 1 : -1]
    return Deal(tuple(sorted(drawn[:12:2])), tuple(sorted(drawn[1:12:2])), drawn[12])


@dataclass(frozen=True)
class FairMatch:
    """All that the deals and rolls of a match follow from.

    master_seed: of protocol 1, from which the secret was made; None in protocol 2.
    """

    protocol: Protocol
    secret: bytes
    client_seed: str
    master_seed: int | None = None

    @classmethod
    def client_first(cls, master_seed: int, client_seed: str = "") -> "FairMatch":
        """A match of protocol 1."""
        secret = server_secret(master_seed, client_seed)
        return cls(Protocol.CLIENT_FIRST, secret, client_seed, master_seed)

    @classmethod
    def commit_first(cls, secret: bytes, client_seed: str) -> "FairMatch":
        """A match of protocol 2: the secret was committed before the client seed was known."""
        commit_of(secret)
        return cls(Protocol.COMMIT_FIRST, secret, client_seed)

    @property
    def commit(self) -> str:
        """What was given out before the match."""
        return commit_of(self.secret)

    def hand_seed(self, index: int) -> int:
        """The seed of hand number `index`, from 0."""
        return hand_seed(self.secret, self.client_seed, index)

    def cuts(self) -> list[tuple[int, int]]:
        """The cards that seats 0 and 1 cut for the first deal; again while their ranks are equal.

        Cut number c takes the cards in places floor(52 * roll) of a full pack, and floor(51 * roll)
        of the rest, rolls 2 c and 2 c + 1 with the tag "cut" of hand 0.
        """
        seed, cuts = self.hand_seed(0), list[tuple[int, int]]()
        while not cuts or rank_of(cuts[-1][0]) == rank_of(cuts[-1][1]):
            pack = list(range(PACK_SIZE))
            first, second = (
                pack.pop(_roll_bits(seed, CUT_TAG, n) * len(pack) >> _ROLL_BITS)
                for n in (2 * len(cuts), 2 * len(cuts) + 1)
            )
            cuts.append((first, second))
        return cuts

    def deals(self) -> Iterator[Deal]:
        """The deals of the match, without end."""
        index = 0
        while True:
            yield fair_deal(self.hand_seed(index))
            index += 1
