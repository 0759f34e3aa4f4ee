"""A game of cribbage on the screen: cards, hints, and what happens."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from engines.cards import CARD_NAMES, pretty
from engines.cribbage import brain
from engines.cribbage.board import default_board
from engines.cribbage.match import Act, Event
from engines.cribbage.observation import Observation
from engines.cribbage.scoring import GAME, Kind, Scored, total, value_of
from engines.cribbage.tiers import EXPERT

YOU, OPPONENT = 0, 1
WIDTH, MARGIN, HOLES = 78, " " * 10, 60  # a hole of the board line stands for two points
END_OF_COUNT = {Kind.THIRTY_ONE, Kind.GO, Kind.LAST_CARD}
HELP = """\
Type cards by name, as 5H or td: T is ten, and C D H S are ♣ ♦ ♥ ♠. Or by
place: "1 4" are the first and the fourth card of your hand.
  hint   what Expert would do, and the points that every other choice gives up
  ?      this help
  q      leaves the match, as Ctrl-D and Ctrl-C do
In the play 15 and 31 score 2, a pair 2, three of a kind 6, four 12, a run of
three or more its length, a go or the last card 1. Go is said for you, and the
only card that can be played is played for you."""


def say(text: str, end: str = "\n") -> None:
    """Prints a text, its red cards in red where the terminal has colours."""
    shown = Text(text)
    shown.highlight_regex(r"\w[♦♥]", "red")
    shown.highlight_regex(r"\b[1-6] \w[CDHS]\b", "dim")
    Console(soft_wrap=True).print(shown, end=end)


def cards_text(cards: Sequence[int]) -> str:
    """Cards with their suit symbols: "5♥ K♦"."""
    return " ".join(map(pretty, cards))


def hand_text(hand: Sequence[int]) -> str:
    """A hand, and below each card its place and its name to type."""
    cards = "".join(f"{pretty(card):8}" for card in hand)
    names = "".join(f"{place} {CARD_NAMES[card]:6}" for place, card in enumerate(hand, start=1))
    return f"  hand    {cards.rstrip()}\n{MARGIN}{names.rstrip()}"


def count_text(scored: Sequence[Scored]) -> str:
    """A show counted aloud: "15-2 (5♥ K♦), pair is 4 (5♥ 5♦)"; empty where nothing scored."""
    items, points = [], 0
    for each in scored:
        points += each.points
        name = f"run of {each.points}" if each.kind is Kind.RUN else each.kind
        counted = f"15-{points}" if each.kind is Kind.FIFTEEN else f"{name} is {points}"
        # Lines break between items only.
        items.append(f"{counted} ({cards_text(each.cards)})".replace(" ", "\xa0"))
    lines = textwrap.wrap(", ".join(items), WIDTH - len(MARGIN))
    return "".join(f"\n{MARGIN}{line}" for line in lines).replace("\xa0", " ")


def hint_text(seen: Observation) -> str:
    """What Expert would do, what that is worth, and how much every other choice gives up.

    Before the cut also how likely the match is won.
    """
    values: dict[tuple[int, ...], float]
    if seen.starter is None:
        found = brain.throws(seen)
        best = found[brain.best_throw(found)]
        values = {throw.cards: throw.value for throw in found}
        chosen: tuple[int, ...] = best.cards
        crib = f"{best.crib:.2f} in your crib" if seen.own_crib else f"-{best.crib:.2f} in theirs"
        worth = f"{best.value:.2f} points ({best.mean_hand:.2f} in hand, {crib})"
        said = f"throws {cards_text(chosen)}: {worth}"
    else:
        values = {(card,): value for card, value in brain.play_values(seen, EXPERT.level)}
        chosen = (brain.choose_play(seen, EXPERT, 0.0),)
        worth = f"{values[chosen]:.2f} points, net of the reply it invites"
        said = f"plays {cards_text(chosen)}: {worth}"
    # Of throws that are all but equal Expert takes the safest, which may be worth a trifle less.
    lost = {cards: max(0.0, values[chosen] - value) for cards, value in values.items()}
    others = sorted((cards for cards in lost if cards != chosen), key=lambda cards: lost[cards])
    items = [f"{cards_text(cards)} {lost[cards]:.2f}" for cards in others]
    rows = ["".join(f"{item:13}" for item in items[at : at + 5]) for at in range(0, len(items), 5)]
    lines = [f"Expert {said}", "what every other choice gives up:", *rows]
    if seen.starter is None:
        chance = default_board().chance(seen.own_score, seen.opponent_score, seen.is_dealer)
        lines.append(f"between equals, {chance_text(chance, 0)} win from these scores")
    return "\n".join(f"  {line}".rstrip() for line in lines)


def chance_text(chance: float, digits: int = 1) -> str:
    """An estimated chance in percent, which is never as good as none or as certain."""
    least = 10.0**-digits
    percent = 100.0 * chance
    if float(f"{percent:.{digits}f}") <= 0.0:
        return f"<{least:.{digits}f} %"
    if float(f"{percent:.{digits}f}") >= 100.0:
        return f">{100.0 - least:.{digits}f} %"
    return f"{percent:.{digits}f} %"


def result_text(opponent: str, winner: int, scores: Sequence[int]) -> str:
    """Who won, and by how much."""
    lost = scores[1 - winner]
    skunk = "" if lost > 90 else ": a skunk" if lost > 60 else ": a double skunk"
    who = "you win" if winner == YOU else f"{opponent} wins"
    return f"\n{who} {GAME} to {lost}, by {GAME - lost}{skunk}"


@dataclass
class Narrator:
    """Tells the person at seat YOU what happens, and nothing that is not public yet.

    dealer: of the deal that is played or comes next. scores: after all that was told.
    """

    opponent: str
    dealer: int
    scores: tuple[int, int] = (0, 0)
    deals: int = 0
    pile: list[int] = field(default_factory=list)

    def tell(self, event: Event) -> str | None:
        """The text of an event; None for what the person may not see or need not be told."""
        self.scores = event.scores
        match event.act:
            case Act.DEAL if event.seat == YOU:
                self.deals += 1
                who = "you deal" if self.dealer == YOU else f"{self.opponent} deals"
                return f"\n── deal {self.deals}: {who}, {self._crib()} ".ljust(WIDTH + 1, "─")
            case Act.DISCARD if event.seat == YOU:
                return self._line("you", f"{cards_text(event.cards)} into {self._crib()}")
            case Act.CUT:
                return self._line("cut", cards_text(event.cards), event.scored)
            case Act.PLAY:
                self.pile += event.cards
                count = sum(map(value_of, self.pile))
                what = f"{cards_text(event.cards)}{count:6}"
                line = self._line(self._name(event.seat), what, event.scored)
                if END_OF_COUNT.isdisjoint(each.kind for each in event.scored):
                    return line
                self.pile = []
                return line if GAME in event.scores else f"{line}\n"
            case Act.GO if self.pile:  # else the go is paid for already, and the count is over
                return self._line(self._name(event.seat), "go")
            case Act.HAND:
                return self._show(self._name(event.seat), event)
            case Act.CRIB:
                shown = self._show("crib", event)
                self.dealer = 1 - self.dealer
                return f"{shown}\n\n{self._track(YOU)}\n{self._track(OPPONENT)}"
        return None

    def _name(self, seat: int) -> str:
        return "you" if seat == YOU else self.opponent

    def _crib(self) -> str:
        return "your crib" if self.dealer == YOU else f"{self.opponent}'s crib"

    def _line(self, label: str, what: str, scored: Sequence[Scored] = ()) -> str:
        line = f"  {label:8}{what}"
        said = ", ".join(f"{each.kind} for {each.points}" for each in scored)
        return f"{line:22}{said:36}{self._score()}" if scored else line

    def _show(self, label: str, event: Event) -> str:
        *hand, starter = event.cards
        line = f"  {label:8}{cards_text(hand)} + {pretty(starter)}{total(event.scored):7}"
        return f"{line:58}{self._score()}{count_text(event.scored)}"

    def _score(self) -> str:
        return f"you {self.scores[YOU]}  {self.opponent} {self.scores[OPPONENT]}"

    def _track(self, seat: int) -> str:
        """The peg of a seat on its track of the board."""
        behind = self.scores[seat] * HOLES // GAME
        track = "━" * behind + "●" + "·" * (HOLES - behind)
        return f"  {self._name(seat):8}{self.scores[seat]:3}  {track}"
