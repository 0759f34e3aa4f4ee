"""What throws near the end of a match are worth: deals played on by the plain rules of a match.

The opponent's cards and the starter come from the stream that is documented; it throws, and both
play, as Expert.
"""

from naive.cribbage_master import EXPERT, reply
from naive.cribbage_show import show

from engines.cribbage import brain
from engines.cribbage.brain import THROWS
from engines.cribbage.match import Act, Deal, play_match
from engines.cribbage.scoring import total
from engines.streams import below, open_stream

PACK = range(52)
OWN, OTHER = 0, 1


class Expert:
    """Throws as it is told, or as Expert, and plays as Expert."""

    def __init__(self, thrown=None):
        self.thrown = thrown

    def discard(self, seen):
        return self.thrown or brain.choose_discard(seen, EXPERT, 0.0)

    def play(self, seen):
        return reply(
            seen.own_hand, seen.pile, seen.opponent_cards, seen.starter, seen.opponent_score
        )


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
    return {
        throw: mean(chance_of(each)) + slope * (points[throw] - mean(margin_of(each)))
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
    dealer = OWN if is_dealer else OTHER
    by_role = (six, hand) if is_dealer else (hand, six)
    events, winner = [], None
    try:
        winner = play_match(
            [Expert(thrown), Expert()],
            [Deal(*by_role, starter)],
            dealer,
            scores=scores,
            watch=events.append,
        ).winner
    except ValueError as error:
        assert str(error) == "expected enough deals to end a match"
    after = [*scores]
    for event in events:
        if event.act in (Act.CUT, Act.PLAY):
            after[event.seat] += total(event.scored)
    away = {event.seat: event.cards for event in events if event.act is Act.DISCARD}
    for seat, dealt in ((OWN, hand), (OTHER, six)):
        after[seat] += show([card for card in dealt if card not in away[seat]], starter)
    after[dealer] += show((*away[OWN], *away[OTHER]), starter, crib=True)
    margin = after[OWN] - after[OTHER]
    if winner is not None:
        return float(winner == OWN), margin
    # The pone deals next.
    chance_of_pone = wins[after[1 - dealer]][after[dealer]]
    return (1 - chance_of_pone if is_dealer else chance_of_pone), margin


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
