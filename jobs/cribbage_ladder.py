"""How often one cribbage player wins against others: one unit is a pair of matches, two rows."""

import time
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Annotated, ClassVar, Literal, Self, TypeVar

import pyarrow as pa
from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from engines.cribbage import transcript
from engines.cribbage.fast_match import BuiltIn, built_in_player, play_leg
from engines.cribbage.match import IllegalAnswer, Player
from engines.cribbage.observation import Observation
from engines.cribbage.players import open_rolls
from engines.cribbage.tiers import PROFILES, Tier
from engines.cribbage.transcript import Seat
from jobs.job import JobSpec, ReadRows, Row, RunView, no_deals, nothing_found, one_stage
from jobs.matches import match_estimates
from jobs.matches.match_rows import (
    BUILT_IN,
    COLUMNS,
    LEGS,
    LOST,
    RANDOM,
    WON,
    Pairing,
    Schedule,
    engine_signature,
    result_columns,
)
from jobs.matches.outside_players import (
    OpenPlayer,
    OutsidePlayer,
    fault_text,
    open_player,
    read_player,
)
from jobs.matches.player_process import PlayerFault
from jobs.matches.transcribed import transcribed_columns, verify_transcribed
from jobs.reports import match_report
from results.ai_benchmark import FILE_NAME as AI_BENCHMARK_FILE
from results.ai_benchmark import AiBenchmark, Rung
from results.benchmark import Benchmark
from results.report.parts import Section
from results.statistics import share

T = TypeVar("T")

NAME = "cribbage-ladder"
SUMMARY = "How often one cribbage player wins against others."
TRANSCRIPTS_FILE = "transcripts.jsonl"
MAX_ELO = 1000
"""Of an SPRT: at it the stronger player wins 99.7 %, more than Expert does against random play."""


def _entrant(given: object) -> object:
    """A built-in player by name; any other text names a player from outside."""
    if not isinstance(given, str) or given in BUILT_IN:
        return given
    try:
        return read_player(given)
    except ValueError as error:
        raise PydanticCustomError(
            "player",
            "expected {names}, or a player from outside: {reason}",
            {"names": ", ".join(BUILT_IN), "reason": str(error)},
        ) from None


Entrant = Annotated[OutsidePlayer | str, BeforeValidator(_entrant)]


def name_of(entrant: OutsidePlayer | str) -> str:
    """What rows and metrics call a player."""
    return entrant if isinstance(entrant, str) else entrant.name


class Spec(JobSpec):
    """The options of the job."""

    UNIT_FIELD: ClassVar[str] = "matches"
    GROWS: ClassVar[frozenset[str]] = frozenset({"matches"})
    DEALS: ClassVar[frozenset[str]] = frozenset({"transcripts"})

    matches: int = Field(
        10_000,
        ge=2,
        description="Matches of each pairing, two on the same cards with seats swapped.",
    )
    profile: Literal["calibrated", "published"] = Field(
        "calibrated", description="How often the weaker tiers err."
    )
    player: Entrant = Field(
        "expert",
        description=f"Who is measured: {', '.join(BUILT_IN)}, FILE.py:CLASS, MODULE:CLASS, or "
        "'cmd:PROGRAM ARGUMENTS'.",
    )
    against: tuple[Entrant, ...] | None = Field(
        None, description="Its opponents, with commas between: all weaker built-in ones."
    )
    cross_table: bool = Field(
        False, description="All pairings of the built-in players up to the one measured as well."
    )
    seconds_per_answer: float = Field(
        10.0,
        gt=0,
        allow_inf_nan=False,
        description="How long a player from outside may take for an answer.",
    )

    transcripts: bool = Field(
        False,
        description="Play fair matches, whose deals and rolls anyone can recompute, and keep their "
        "transcripts; slower.",
    )
    sprt: tuple[float, float] | None = Field(
        None,
        description="With one opponent: stop once it is decided whether the player is A or less, "
        "or B or more Elo stronger, as A,B such as 0,10.",
    )

    @field_validator("against", "sprt", mode="before")
    @classmethod
    def _split(cls, given: object) -> object:
        return given.split(",") if isinstance(given, str) else given

    @model_validator(mode="after")
    def _check_pairings(self) -> Self:
        if self.matches % LEGS:
            raise PydanticCustomError(
                "matches",
                "--matches: expected an even number, since each pair of matches is "
                "played on the same cards, got {matches}",
                {"matches": self.matches},
            )
        if self.sprt is not None:
            self._check_sprt(*self.sprt)
        return self

    def _check_sprt(self, low: float, high: float) -> None:
        if len(self.entrants) > 1 or low >= high:
            raise PydanticCustomError(
                "sprt", "--sprt: expected one opponent with --against, and A below B"
            )
        if not -MAX_ELO <= low < high <= MAX_ELO:  # also where one is no number
            raise PydanticCustomError(
                "sprt",
                "--sprt: expected A and B from {low} to {high} Elo, got {given}",
                {"low": -MAX_ELO, "high": MAX_ELO, "given": f"{low:g},{high:g}"},
            )

    @cached_property
    def entrants(self) -> list[tuple[OutsidePlayer | str, OutsidePlayer | str]]:
        """Who plays whom."""
        # A player from outside may be anything up to Expert; Master is slow, and for who asks.
        strength = BUILT_IN.index(self.player if self.player in BUILT_IN else Tier.MASTER)
        against: Sequence[OutsidePlayer | str] = self.against or BUILT_IN[:strength]
        pairings = [(self.player, opponent) for opponent in against]
        if self.cross_table:
            pairings += [
                (stronger, weaker)
                for place, stronger in enumerate(BUILT_IN[: strength + 1])
                for weaker in BUILT_IN[:place]
            ]
        return list(dict.fromkeys(pairings))

    @cached_property
    def schedule(self) -> Schedule:
        """What each unit is."""
        return Schedule(self.seed, [self._pairing(*entrants) for entrants in self.entrants])

    def _pairing(self, player: OutsidePlayer | str, opponent: OutsidePlayer | str) -> Pairing:
        players = None
        if isinstance(player, str) and isinstance(opponent, str):
            players = self.built_in(player), self.built_in(opponent)
        return Pairing(name_of(player), name_of(opponent), players)

    @property
    def unit_count(self) -> int:
        """Pairs of matches, of all pairings."""
        return self.matches // LEGS * len(self.entrants)

    def of_units(self, count: int) -> Self:
        """The same for this number of pairs, rounded up to whole rounds of the pairings."""
        rounds = -(-count // len(self.entrants))
        return self.model_copy(update={"matches": LEGS * rounds})

    def built_in(self, name: str) -> BuiltIn:
        """The skill of a built-in player, None for the random one."""
        return None if name == RANDOM else PROFILES[self.profile].tier(Tier(name))


SCHEMA = pa.schema(COLUMNS, metadata={"schema": f"{NAME}/1"})
stages, found, read_line = one_stage, nothing_found, no_deals(NAME)
TALLY_COLUMNS = match_estimates.TALLY_COLUMNS
is_open, tally, counts = match_estimates.is_open, match_estimates.tally, match_estimates.counts
metrics, remarks = match_estimates.metrics, match_estimates.remarks


def sequential(spec: Spec) -> match_estimates.PairSprt | None:
    """The SPRT that was asked for."""
    return None if spec.sprt is None else match_estimates.PairSprt(*spec.sprt)


def signature(spec: Spec) -> str:
    """A hash of the crib tables and of some matches of all built-in players."""
    del spec
    return engine_signature()


def compute_many(spec: Spec, units: Sequence[int]) -> pa.Table | None:
    """All units by the kernel; None where it cannot: players from outside, and transcripts."""
    schedule = spec.schedule
    if spec.transcripts or any(pairing.players is None for pairing in schedule.pairings):
        return None
    return schedule.play(units)


def compute(spec: Spec, unit: int, line: str | None) -> list[Row]:
    """Both matches of a pair."""
    del line
    schedule = spec.schedule
    if schedule.place(unit)[0].players is not None and not spec.transcripts:
        return list(schedule.play([unit]).to_pylist())
    return [_plain_row(spec, unit, leg) for leg in range(LEGS)]


def _plain_row(spec: Spec, unit: int, leg: int) -> Row:
    """One match on the plain rules: with a player from outside, or with a transcript.

    A player that answers wrongly, late or not at all forfeits the match.
    """
    started = time.perf_counter()
    _, pair = spec.schedule.place(unit)
    entrants = spec.entrants[unit % len(spec.entrants)]
    try:
        first, second = (
            _Seat(spec, entrant, pair, leg, index) for index, entrant in enumerate(entrants)
        )
        if spec.transcripts:
            seats = [_transcript_seat(spec, entrant) for entrant in entrants]
            played = transcribed_columns(spec.seed, pair, leg, seats, (first, second))
        else:
            played = result_columns(play_leg(spec.seed, pair, leg, (first, second)))
    except _Forfeit as forfeit:
        played = _forfeited(forfeit.index, forfeit.fault)
    except IllegalAnswer as fault:
        played = _forfeited(fault.seat ^ leg, fault)
    seconds = time.perf_counter() - started
    return {**spec.schedule.given_columns(unit, leg), **played, "seconds": seconds}


def _transcript_seat(spec: Spec, entrant: OutsidePlayer | str) -> Seat:
    if isinstance(entrant, OutsidePlayer):
        return Seat(transcript.OUTSIDE, entrant.name)
    if entrant == RANDOM:
        return Seat(transcript.RANDOM, RANDOM)
    return Seat.brain(Tier(entrant), spec.profile)


def _forfeited(index: int, fault: PlayerFault | IllegalAnswer) -> Row:
    return {"result": LOST if index == 0 else WON, "error": fault_text(fault)}


class _Forfeit(Exception):
    """A fault, and which of the two players committed it."""

    def __init__(self, index: int, fault: PlayerFault) -> None:
        super().__init__(str(fault))
        self.index, self.fault = index, fault


class _Seat:
    """A player of a match who says so when a fault is his."""

    def __init__(
        self, spec: Spec, entrant: OutsidePlayer | str, pair: int, leg: int, index: int
    ) -> None:
        self._index = index
        self._player = self._blamed(lambda: _player(spec, entrant, pair, leg, index))

    def discard(self, seen: Observation) -> Sequence[int]:
        return self._blamed(lambda: self._player.discard(seen))

    def play(self, seen: Observation) -> int:
        return self._blamed(lambda: self._player.play(seen))

    def _blamed(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except PlayerFault as fault:
            raise _Forfeit(self._index, fault) from None


def _player(spec: Spec, entrant: OutsidePlayer | str, pair: int, leg: int, index: int) -> Player:
    if isinstance(entrant, OutsidePlayer):
        return _open(entrant, spec.seconds_per_answer, index).seat(spec.seed, pair, leg)
    return built_in_player(spec.built_in(entrant), open_rolls(spec.seed, pair, leg, index))


@lru_cache(maxsize=8)
def _open(player: OutsidePlayer, seconds: float, index: int) -> OpenPlayer:
    """A player kept open as long as this process lives: programs can be slow to start.

    index: 0 or 1, so that a player can meet itself.
    """
    del index
    return open_player(player, seconds)


def failed_rows(spec: Spec, unit: int, line: str | None, error: str) -> list[Row]:
    """The rows of a pair that ended in an error."""
    del line
    return spec.schedule.failed_rows(unit, error)


def verify(spec: Spec, row: Row, line: str | None) -> bool:
    """Plays the match again, by its transcript or as `Schedule.verify` says.

    Raises VerificationError.
    """
    del line
    return verify_transcribed(row, spec.seed) if spec.transcripts else spec.schedule.verify(row)


def report_sections(spec: Spec, run: RunView) -> list[Section]:
    """Cross-table, bands and Elo; the path of the SPRT, if there is one."""
    pairings = [(each.player, each.opponent) for each in spec.schedule.pairings]
    return match_report.sections(pairings, run, sequential(spec))


def artifacts(spec: Spec, read: ReadRows, benchmark: Benchmark) -> dict[str, str]:
    """`ai_benchmark.json`, for the strength panel of a game; `transcripts.jsonl` if asked for."""
    shares = {metric.name: metric for metric in benchmark.metrics if metric.kind == "share"}
    rungs = []
    for pairing in spec.schedule.pairings:
        if pairing.player == pairing.opponent:
            continue
        name = f"{pairing.player} over {pairing.opponent}"
        found = shares.get(name) or share(name, 0, 0)  # few units do not reach every pairing
        rungs.append(
            Rung(
                player=pairing.player,
                opponent=pairing.opponent,
                matches=found.n,
                wins=found.k,
                share=found.estimate,
                low=found.low,
                high=found.high,
                band=found.band,
                within_band=found.within_band,
            )
        )
    document = AiBenchmark(
        game="cribbage",
        profile=spec.profile,
        seed=spec.seed,
        rungs=rungs,
        measured=benchmark.started,
        dealfarm=benchmark.versions["dealfarm"],
        signature=benchmark.signature,
    )
    files = {AI_BENCHMARK_FILE: document.to_json()}
    if spec.transcripts:
        kept = read(["unit", "transcript"])["transcript"].drop_null().to_pylist()
        files[TRANSCRIPTS_FILE] = "".join(f"{line}\n" for line in kept)
    return files
