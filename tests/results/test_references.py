import pytest

from results.references import REFERENCES, ReferenceProblem, check_rules, find_reference, hold
from results.statistics import bounds, share

DRAW_3 = REFERENCES["klondike-draw3"]
RULES = {"draw": 3, "redeals": None, "worrying_back": True}


def test_every_figure_has_a_source_and_lies_in_its_interval():
    for reference in REFERENCES.values():
        assert len(reference.source) > 20
        for figure in reference.figures.values():
            assert 0 < figure.low < figure.estimate < figure.high < 1


def test_a_win_by_stricter_rules_is_a_win():
    """At draw 2k or 3k a win is one at draw k; without worrying back it is one with it."""

    def winnable(name):
        return REFERENCES[name].figures["winnable_share"].estimate

    for draw, multiple in ((1, 2), (1, 3), (2, 4), (2, 6), (3, 6), (1, 7)):
        assert winnable(f"klondike-draw{draw}") > winnable(f"klondike-draw{multiple}")
    for draw in (1, 3):
        assert winnable(f"klondike-draw{draw}") > winnable(f"klondike-draw{draw}-no-worrying-back")


@pytest.mark.parametrize(
    ("job", "change", "given", "message"),
    [
        ("shenzhen-solvability", {}, False, "its job is klondike-solvability, this run's shenz"),
        ("klondike-solvability", {"draw": 1}, False, "its draw is 3, this run's 1"),
        ("klondike-solvability", {"redeals": 2}, False, "its redeals is None, this run's 2"),
        ("klondike-solvability", {}, True, "its deals file is False, this run's True"),
    ],
)
def test_other_rules_are_refused_naming_the_field(job, change, given, message):
    check_rules(DRAW_3, "klondike-solvability", RULES, False)
    with pytest.raises(ReferenceProblem, match=message):
        check_rules(DRAW_3, job, {**RULES, **change}, given)


@pytest.mark.parametrize(
    ("k", "n", "overlap"),
    [(820, 1000, True), (819_450, 1_000_000, True), (780, 1000, False), (822_000, 10**6, False)],
)
def test_intervals_overlap_or_not(k, n, overlap):
    (held,) = hold(DRAW_3, [share("solved_share", k, n), bounds("winnable_share", k, k, n)])
    assert held.overlap == overlap


def test_a_run_without_the_figures_is_refused():
    with pytest.raises(ReferenceProblem, match="none of its figures: winnable_share"):
        hold(DRAW_3, [bounds("winnable_share", 0, 0, 0)])


def test_an_unknown_reference_names_those_there_are():
    with pytest.raises(ReferenceProblem, match=r"expected one of klondike-draw1, .*, got 'whist'"):
        find_reference("whist")
