"""The page of a report: whatever data says, it is text."""

from html.parser import HTMLParser

import numpy as np
import pytest

from results.report.distributions import log_histogram, tail, tail_table
from results.report.metrics import intervals, metrics_table, narrowings
from results.report.page import render
from results.report.parts import (
    Cell,
    Histogram,
    HistogramRow,
    HistogramRows,
    IntervalRow,
    Intervals,
    Narrowing,
    Picture,
    Pictures,
    Point,
    RatioPath,
    Report,
    Section,
    Table,
)
from results.statistics import bounds, elo, paired_share, share

HOSTILE = "<script>alert('1')</script>\"><img src=x onerror=alert(1)> & </svg></style>"


class Elements(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.found, self.text = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, tuple(name for name, _ in attributes)))

    def handle_data(self, data):
        self.text.append(data)


def report_saying(text):
    """A report with every kind of part, whose texts are all the same."""
    parts = [
        Table(
            (text, text), ((text, Cell(text, small=text, bar=0.5)), (text, Cell(text, code=True)))
        ),
        Narrowing(
            text, "share", (Point(10, 0.1, 0.9, 0.4, 0.5), Point(99, 0.3, 0.7, 0.4, 0.5)), text
        ),
        Histogram(text, text, (1, 10, 100), ((text, (3, 4)),), ((text, 20.0),), note=text),
        HistogramRows(text, text, (HistogramRow(text, {-1: 3, 4: 5}, 2.1),), text),
        Intervals(text, "Elo", (IntervalRow(text, 5.0, None, 9.0, (1.0, 8.0)),), 0.0, text),
        RatioPath(text, ((0, 0.0), (9, 1.5)), 2.9, text),
        Pictures((Picture("<svg></svg>", text),)),
    ]
    return Report(
        title=text,
        summary=text,
        headline=(text, text, text),
        facts=((text, text),),
        command=text,
        notices=(text,),
        sections=(Section(text, text, parts, (text,)),),
    )


def test_no_text_of_the_data_becomes_an_element_or_an_attribute():
    hostile, harmless = (
        Elements(render(report_saying(HOSTILE))),
        Elements(render(report_saying("x"))),
    )
    # The library says in a label what a mark of a chart shows, where it has one.
    assert [tag for tag, _ in hostile.found] == [tag for tag, _ in harmless.found]
    assert {name for _, names in hostile.found for name in names} == {
        name for _, names in harmless.found for name in names
    }
    text = " ".join("".join(hostile.text).split())
    assert text.count("<script>alert('1')</script>\">") >= 20


def test_ids_of_charts_differ():
    page = render(report_saying("x"))
    ids = [part.partition('"')[0] for part in page.split(' id="')[1:]]
    assert len(ids) == len(set(ids))
    used = {part.partition(")")[0] for part in page.split("url(#")[1:]}
    assert used <= set(ids)


def test_the_tail_is_named_by_values_that_occurred():
    values = np.arange(1, 1001)
    assert tail(values) == [
        ("median", 500), ("90 %", 900), ("99 %", 990), ("99.9 %", 999), ("largest", 1000),
    ]  # fmt: skip
    assert tail(np.array([3, 7])) == [("median", 3), ("largest", 7)]
    table = tail_table(
        {"seconds": np.array([0.0041, 12.3]), "nodes": np.array([5, 12_345])}, "deals"
    )
    assert table.rows == (
        ("seconds", "2", "4.1 ms", "", "", "", "12.3 s"),
        ("nodes", "2", "5", "", "", "", "12,345"),
    )


@pytest.mark.parametrize(
    "values", [[1], [7, 7, 7], [1, 2, 3, 1_000_000], [0.5], [1e-6, 3600.0], [2**40, 1]]
)
def test_a_log_histogram_counts_every_value_above_0(values):
    values = np.array(values)
    found = log_histogram("nodes", "nodes", {"all": values})
    assert sum(found.groups[0][1]) == len(values)
    assert list(found.edges) == sorted(set(found.edges)) and found.edges[0] > 0


def test_zeros_are_told_and_nothing_is_drawn_of_zeros_alone():
    found = log_histogram("nodes", "what they are", {"a": np.array([0, 0, 5]), "b": np.array([8])})
    assert found.note == "what they are; 2 of 0 are not drawn"
    assert [sum(counts) for _, counts in found.groups] == [1, 1]
    assert log_histogram("nodes", "", {"a": np.array([0])}) is None


def test_figures_are_those_of_the_tables():
    metrics = [share("a", 80, 100, (0.7, 0.9)), bounds("b", 8, 10, 10)]
    assert metrics_table(metrics).rows == (
        (
            "a",
            "100",
            "80.00 %",
            "71.12 to 86.66 %",
            "95 % wilson",
            "70 to 90 %: whole interval inside",
        ),
        ("b", "10", "80.00 to 100.00 %", "49.02 to 100.00 %", "95 % wilson bounds", ""),
    )


def test_narrowing_leaves_out_what_says_the_same_and_what_is_of_another_unit():
    def after(pairs):
        paired = paired_share("p", (pairs, 0, pairs))
        same = share("solved", pairs, 2 * pairs), bounds("winnable", pairs, pairs, 2 * pairs)
        return [*same, paired, elo("e", paired), share("other", 1, 2 * pairs)]

    found = narrowings([(pairs, after(pairs)) for pairs in (5, 50)])
    assert [each.title for each in found] == ["solved", "other"]
    assert [point.units for point in found[0].points] == [5, 50]
    assert narrowings([]) == []


def test_intervals_leave_out_what_has_no_estimate():
    assert intervals("t", [("none", share("n", 0, 0))]) is None
    found = intervals("t", [("none", share("n", 0, 0)), ("one", share("n", 1, 2))])
    assert [row.label for row in found.rows] == ["one"]
