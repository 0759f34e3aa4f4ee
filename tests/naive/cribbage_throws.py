"""What throws near the end of a match are worth: deals played on, by plain rules.

The opponent's cards and the starter come from the stream that is documented; it throws, and both
play, as Expert.
"""

from naive.cribbage_master import EXPERT, playable, reply
from naive.cribbage_show import play as points_of_pile
from naive.cribbage_show import show, value

from engines.cribbage import brain
from engines.cribbage.brain import THROWS
from engines.cribbage.observation import Observation
from engines.streams import below, open_stream

PACK, GAME, JACK = range(52), 121, 10
OWN, OTHER = 0, 1


def chances(hand, is_dealer, scores, points, stream_key, samples, spread, wins):
    """The chance to win with each throw that is at most `spread` points below the best.

    points: the value of each throw in points. The mean chance goes with the mean margin of the
    deals; what they had of it beside the points of the throw is taken out, by one slope for all.
    Returns by index of the throw.
    """
    played = {throw: [] for throw in range(len(THROWS)) if max(points) - points[throw] <= spread}
    for six, starter in deals(hand, stream_key, samples):
        for throw, results in played.items():
            results.append(played_on(hand, throw, six, starter, is_dealer, scores, wins))
    covariance = sum(spread_of(chance_of(each), margin_of(each)) for each in played.values())
    variance = sum(spread_of(margin_of(each), margin_of(each)) for each in played.values())
    slope = covariance / max(variance, 1e-9)
    means = {throw: mean(margin_of(each)) for throw, each in played.items()}
    # The points of throws say how far they are apart, not what the other side scores.
    expected = {throw: points[throw] + mean(means.values()) for throw in played}
    common = mean([points[throw] for throw in played])
    return {
        throw: mean(chance_of(each)) + slope * (expected[throw] - common - means[throw])
        for throw, each in played.items()
    }


def deals(hand, stream_key, samples):
    """The opponent's six cards and the starter, from the end of the cards that are left."""
    seed, purpose = stream_key
    stream, cards = open_stream(seed, 0, purpose), [card for card in PACK if card not in hand]
    found = []
    for _ in range(samples):
        for last in range(45, 38, -1):
            other = int(below(stream, last + 1))
            cards[last], cards[other] = cards[other], cards[last]
        found.append((tuple(sorted(cards[-6:])), cards[-7]))
    return found


def played_on(hand, throw, six, starter, is_dealer, scores, wins):
    """The chance to win after the deal, and the margin: all is counted, also where it is won."""
    thrown = tuple(hand[place] for place in THROWS[throw])
    away = thrown, brain.choose_discard(Observation.for_discard(six, not is_dealer), EXPERT, 0.0)
    kept = [
        tuple(card for card in dealt if card not in gone)
        for dealt, gone in zip((hand, six), away, strict=True)
    ]
    dealer, pone = (OWN, OTHER) if is_dealer else (OTHER, OWN)
    after, winner = [*scores], None
    for side, points in scorings(kept, away, starter, dealer, after):
        after[side] += points
        if winner is None and after[side] >= GAME:
            winner = side
    margin = after[OWN] - after[OTHER]
    if winner is not None:
        return float(winner == OWN), margin
    # The pone deals next.
    chance_of_pone = wins[after[pone]][after[dealer]]
    return (1 - chance_of_pone if is_dealer else chance_of_pone), margin


def scorings(kept, away, starter, dealer, scores):
    """Who scores how much, in order: the starter, the play, the hands, the crib.

    scores: as they are when the next is asked for.
    """
    if starter // 4 == JACK:
        yield dealer, 2
    hands, side, pile, goes = [*kept], 1 - dealer, (), 0
    while any(hands):
        if not playable(hands[side], pile):
            side, goes = 1 - side, goes + 1
            if goes == 2:
                pile, goes = (), 0
            continue
        visible = min(scores[1 - side], GAME - 1)
        card = reply(hands[side], pile, len(hands[1 - side]), starter, visible)
        hands[side] = tuple(held for held in hands[side] if held != card)
        pile, goes = (*pile, card), 0
        is_last = sum(map(value, pile)) < 31 and not any(playable(hand, pile) for hand in hands)
        yield side, points_of_pile(pile) + is_last
        if sum(map(value, pile)) == 31:
            pile = ()
        side = 1 - side
    for side in (1 - dealer, dealer):
        yield side, show(kept[side], starter)
    yield dealer, show((*away[OWN], *away[OTHER]), starter, crib=True)


def chance_of(results):
    return [chance for chance, _ in results]


def margin_of(results):
    return [margin for _, margin in results]


def mean(numbers):
    return sum(numbers) / len(numbers)


def spread_of(some, others):
    """The sum of products of what each is above its mean."""
    a, b = mean(some), mean(others)
    return sum((x - a) * (y - b) for x, y in zip(some, others, strict=True))
