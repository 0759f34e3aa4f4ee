import numpy as np
import pyarrow as pa
import pytest

from jobs import cribbage_calibrate as job

SPEC = job.Spec(matches=8, search_matches=2)


def test_the_search_has_every_temperature_and_the_confirmation_other_cards():
    searched, confirmed = job.stages(SPEC)
    assert (searched, confirmed) == (3 * len(job.TEMPERATURES), 4 * 3)
    assert SPEC.unit_count == searched + confirmed
    first = SPEC.schedule(0).place(0)
    assert (first[0].opponent, first[1]) == ("easy at 0.25", 0)
    told = SPEC.model_copy(
        update={"found": {"temperatures": {"easy": 5.0, "normal": 1.5, "hard": 0.6}}}
    )
    pairing, pair = told.schedule(searched).place(searched + 1)
    assert (pairing.opponent, pair) == ("normal", 1)
    assert (pairing.players[1].level, pairing.players[1].temperature) == (0.35, 1.5)


def curve(middle):
    """Shares that rise in the logarithm of the temperature and are 0.8 at `middle`."""
    return 1 / (1 + np.exp(-1.5 * np.log(np.array(job.TEMPERATURES) / middle))) * 0.6 + 0.5


@pytest.mark.parametrize("middle", [0.6, 1.5, 4.9])
def test_the_temperature_is_read_off_at_the_middle_of_the_band(middle):
    assert job.choose(list(curve(middle)), 0.75, 0.85) == pytest.approx(middle, rel=0.05)


def test_noise_does_not_move_it_far():
    noise = np.random.Generator(np.random.Philox(5)).normal(0, 0.007, len(job.TEMPERATURES))
    assert job.choose(list(curve(1.5) + noise), 0.75, 0.85) == pytest.approx(1.5, rel=0.15)


def test_a_band_that_no_temperature_reaches_is_an_error():
    with pytest.raises(ValueError, match=r"expected shares that reach 0.965, got 0.500 to 0.900"):
        job.choose(list(np.linspace(0.5, 0.9, len(job.TEMPERATURES))), 0.95, 0.98)


def test_only_the_confirmation_is_reported():
    searched, confirmed = job.stages(SPEC)
    told = SPEC.model_copy(
        update={"found": {"temperatures": {"easy": 5.0, "normal": 1.5, "hard": 0.6}}}
    )
    first = job.compute_many(SPEC, range(searched))
    second = job.compute_many(told, range(searched, searched + confirmed))
    assert job.metrics(job.tally(first)) == []
    shown = job.metrics(job.tally(pa.concat_tables([first, second])))
    shares = [metric for metric in shown if metric.kind == "share"]
    assert [metric.name for metric in shares] == [
        "expert over easy",
        "expert over normal",
        "expert over hard",
    ]
    assert all(metric.n == 8 and metric.band for metric in shares)
    assert all(job.verify(told, row, None) for row in second.to_pylist()[:6])
