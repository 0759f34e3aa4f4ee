"""Fair matches of a ladder: which they are, and what their transcripts say of the result."""

import json
from collections.abc import Sequence
from typing import Any

from engines.cribbage.fair_deal import FairMatch
from engines.cribbage.fast_match import by_player
from engines.cribbage.match import MatchResult, Player, Tally
from engines.cribbage.transcript import Seat, play_transcribed
from engines.cribbage.transcript_check import verify_transcript
from engines.streams import next_word, open_stream
from jobs.job import Row, VerificationError
from jobs.matches.match_rows import LEGS, check_result, result_columns


def fair_match(seed: int, pair: int) -> FairMatch:
    """The fair match of both legs of a pair: protocol 1, its master seed from a stream."""
    master_seed = int(next_word(open_stream(seed, pair, "cribbage master seed"))) >> 1
    return FairMatch.client_first(master_seed, f"cribbage-ladder {seed} {pair}")


def transcribed_columns(
    seed: int, pair: int, leg: int, seats: Sequence[Seat], players: Sequence[Player]
) -> Row:
    """Plays a leg of a pair with a transcript: what its row says of how it went.

    seats and players: by player; a player from outside plays itself, one of ours its fair twin.
    """
    others = [
        None if seat.is_program_of_ours else player
        for seat, player in zip(seats, players, strict=True)
    ]
    in_seats = slice(None, None, -1 if leg else 1)
    match = fair_match(seed, pair)
    document = play_transcribed(match, seats[in_seats], others[in_seats], pair % LEGS)
    result = by_player(result_of(document), leg)
    return {**result_columns(result), "transcript": json.dumps(document)}


def verify_transcribed(row: Row, seed: int) -> bool:
    """Verifies the transcript of a row, and that the row says what it says.

    Raises VerificationError. A match that was forfeited or failed has none: False.
    """
    check_result(row)
    if row["error"] is not None:
        return False
    where = f"unit {row['unit']} leg {row['leg']}"
    try:
        document = json.loads(row["transcript"])
        verify_transcript(document)
    except (TypeError, ValueError) as error:
        raise VerificationError(f"{where}: {error}") from None
    if document["winner"] is None:
        raise VerificationError(f"{where}: the transcript ends before the match")
    expected = result_columns(by_player(result_of(document), row["leg"]))
    expected["commit"] = document["commit"]
    given = {**row, "commit": fair_match(seed, row["pair"]).commit}
    for name, value in expected.items():
        if given[name] != value:
            raise VerificationError(
                f"{where}: {name} is {given[name]!r}, by its transcript {value!r}"
            )
    return True


def result_of(document: dict[str, Any]) -> MatchResult:
    """Winner and tallies by seat, of a transcript that was played to its end."""
    tallies = Tally(), Tally()
    for hand in document["hands"]:
        dealer = hand["dealer"]
        tallies[dealer].deals += 1
        tallies[dealer].heels += _points(hand["cut"])
        for play in hand["plays"]:
            tally, role = tallies[play["seat"]], "dealer" if play["seat"] == dealer else "pone"
            _add(tally, f"pegging_{role}", _points(play))
        for show in hand["shows"]:
            tally, role = tallies[show["seat"]], "dealer" if show["seat"] == dealer else "pone"
            number, source = (
                ("cribs", "crib") if show["what"] == "crib" else (f"hands_{role}", f"hand_{role}")
            )
            _add(tally, number, 1)
            _add(tally, source, _points(show))
    for tally, score in zip(tallies, document["scores"], strict=True):
        tally.score = score
    return MatchResult(document["winner"], tallies)


def _points(entry: dict[str, Any]) -> int:
    return sum(each["points"] for each in entry.get("scored", ()))


def _add(tally: Tally, name: str, points: int) -> None:
    setattr(tally, name, getattr(tally, name) + points)
