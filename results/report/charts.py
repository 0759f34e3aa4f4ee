"""Charts of a report as inline SVG: altair describes them, vl-convert draws them, offline.

Colours are CSS variables of the page, so that one picture suits light and dark. Charts are as wide
as a phone and scale up, so that their letters are never smaller than the page's.
"""

import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import altair as alt
import vl_convert

from results.report.parts import (
    Chart,
    Histogram,
    HistogramRows,
    Intervals,
    Narrowing,
    RatioPath,
)

_WIDTH, _HEIGHT = 340, 210
_ROW, _ABOVE, _BELOW, _AXIS = 38, -9, 6, 42
"""Pixels: of a row, from its middle to its label and to its interval, and of an axis."""
_BAR_ROW = 46
_SERIES = [f"var(--series-{number})" for number in range(1, 8)]
_Drawn = alt.LayerChart | alt.FacetChart
_INK, _SOFT, _FAINT, _PAPER = "var(--ink)", "var(--soft)", "var(--line)", "var(--paper)"
_FIRST, _BAND = _SERIES[0], "var(--band)"

_CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _SOFT,
        "titleColor": _SOFT,
        "gridColor": _FAINT,
        "domainColor": _SOFT,
        "tickColor": _SOFT,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    },
    "legend": {"labelColor": _INK, "labelFontSize": 11, "orient": "top", "title": None},
    "header": {"labelColor": _INK, "labelFontSize": 11},
}
_FIGURES = ((1,), (1, 2, 5), range(1, 10), [1 + fifth / 5 for fifth in range(45)])
"""First digits of the ticks of a log axis, from few to many."""
_PERCENT = "format(100 * datum.value, '~r') + ' %'"
_SHORT = "datum.value < 1 ? format(datum.value, '~g') : format(datum.value, '~s')"
_TIME = (
    "datum.value < 0.00099 ? format(datum.value * 1e6, '~r') + ' µs' : "
    "datum.value < 0.99 ? format(datum.value * 1e3, '~r') + ' ms' : "
    "format(datum.value, '~r') + ' s'"
)


def draw(part: Chart, number: int) -> str:
    """The SVG of a chart. number: of the chart on its page, so that ids inside differ."""
    chart = _DRAW[type(part)](part)
    spec = chart.properties(autosize=alt.AutoSizeParams(type="fit", contains="padding")).to_dict()
    if "facet" in spec or "vconcat" in spec:
        del spec["autosize"]  # such charts have the size of their parts
    spec["config"] = _CONFIG
    text = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    # Ids are the same in every picture of the library, and must be unique in a page.
    text = re.sub(r'(id="|url\(#)', rf"\g<1>chart{number}-", text)
    return re.sub(r' width="[\d.]+" height="[\d.]+"', "", text, count=1)


def _data(rows: list[dict[str, Any]]) -> alt.InlineData:
    return alt.InlineData(values=rows)


def _axis(unit: str, title: str | None = None) -> alt.Axis:
    if unit == "share":
        return alt.Axis(title=title, labelExpr=_PERCENT, tickCount=5)
    return alt.Axis(title=title or unit, tickCount=5)


def _log_ticks(low: float, high: float) -> list[float]:
    """Round values for a log axis: powers of ten, and what lies between where these are few."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    step = -(-len(exponents) // 8)
    ticks: list[float] = []
    for figures in _FIGURES:
        # By text, since 3 * 10 ** -4 need not be 0.0003.
        every = [float(f"{figure}e{power}") for power in exponents[::step] for figure in figures]
        ticks = [tick for tick in every if low <= tick <= high]
        if len(ticks) >= 3:
            break
    return ticks


def _text(base: alt.Chart, align: str, dx: float, name: str, **place: Any) -> list[alt.Chart]:
    """Text that can be read over bars and lines: with a rim of paper below."""
    style: dict[str, Any] = {"align": align, "dx": dx, "fontSize": 11}
    rim = base.mark_text(**style, color=_PAPER, stroke=_PAPER, strokeWidth=4)
    return [mark.encode(text=name, **place) for mark in (rim, base.mark_text(**style, color=_INK))]


def _narrowing(part: Narrowing) -> _Drawn:
    rows = [vars(point) for point in part.points]
    last = part.points[-1]
    x = alt.X(
        "units:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(
            title="units, in order",
            labelExpr=_SHORT,
            values=_log_ticks(part.points[0].units, last.units),
            grid=False,
        ),
    )
    y = alt.Scale(zero=False, nice=True)
    base = alt.Chart(_data(rows), width=_WIDTH, height=_HEIGHT)
    area = base.mark_area(color=_FIRST, opacity=0.22).encode(
        x=x, y=alt.Y("low:Q", scale=y, axis=_axis(part.unit)), y2="high:Q"
    )
    layers = [area]
    if any(point.estimate_low != point.estimate_high for point in part.points):
        layers.append(
            base.mark_area(color=_FIRST, opacity=0.3).encode(
                x=x, y="estimate_low:Q", y2="estimate_high:Q"
            )
        )
    line = base.mark_line(color=_FIRST, strokeWidth=1.8)
    layers += [line.encode(x=x, y=f"{name}:Q") for name in ("estimate_low", "estimate_high")]
    rule = alt.Chart(_data([{"end": last.estimate_low}, {"end": last.estimate_high}])).mark_rule(
        color=_INK, strokeDash=[2, 3], opacity=0.7
    )
    return alt.layer(*layers, rule.encode(y="end:Q"))


def _histogram(part: Histogram) -> _Drawn:
    names = [name for name, _ in part.groups]
    rows = []
    highest = 0
    for index, (low, high) in enumerate(pairwise(part.edges)):
        floor = 0
        for name, counts in part.groups:
            if counts[index]:
                top = floor + counts[index]
                rows.append({"low": low, "high": high, "group": name, "from": floor, "to": top})
                floor = top
        highest = max(highest, floor)
    scale = alt.Scale(type="log", domain=[part.edges[0], part.edges[-1]], nice=False)
    # Room for the names of the marks above the bars.
    room = alt.Scale(domain=[0, 1.35 * highest], nice=False)
    label = _TIME if part.is_time else _SHORT
    # Whole numbers have edges between them.
    first = part.edges[0] if part.is_time else max(1.0, part.edges[0])
    ticks = _log_ticks(first, part.edges[-1])
    axis = alt.Axis(title=part.axis, labelExpr=label, values=ticks, grid=False)
    x = alt.X("low:Q", scale=scale, axis=axis)
    bars = (
        alt.Chart(_data(rows), width=_WIDTH, height=_HEIGHT)
        .mark_rect(stroke=_PAPER, strokeWidth=0.6)
        .encode(
            x=x,
            x2="high:Q",
            y=alt.Y("from:Q", axis=alt.Axis(title=None, labelExpr=_SHORT, tickCount=5), scale=room),
            y2="to:Q",
            color=alt.Color(
                "group:N",
                scale=alt.Scale(domain=names, range=_SERIES[: len(names)]),
                legend=alt.Legend(columns=4) if len(names) > 1 else None,
            ),
        )
    )
    layers: list[Any] = [bars]
    for height, (name, value) in enumerate(part.marks):
        mark = alt.Chart(_data([{"at": value, "name": name}]))
        rule = mark.mark_rule(color=_INK, strokeDash=[3, 3], strokeWidth=1)
        layers.append(rule.encode(x="at:Q"))
        align, dx = ("right", -4) if _place(value, part) > 0.6 else ("left", 4)
        layers += _text(mark, align, dx, "name:N", x="at:Q", y=alt.value(8 + 15 * height))
    return alt.layer(*layers)


def _place(value: float, part: Histogram) -> float:
    """Where a value lies on the axis, from 0 to 1."""
    first, last = map(math.log, (part.edges[0], part.edges[-1]))
    return (math.log(value) - first) / (last - first)


def _histogram_rows(part: HistogramRows) -> alt.FacetChart:
    values = [value for row in part.rows for value in row.counts]
    domain = [min(values, default=0) - 0.5, max(values, default=0) + 0.5]
    rows = []
    for row in part.rows:
        total = sum(row.counts.values())
        for value, count in row.counts.items():
            rows.append(
                {"label": row.label, "low": value - 0.5, "high": value + 0.5, "part": count / total}
            )
        if row.mean is not None:
            rows.append({"label": row.label, "mean": row.mean})
    x = alt.X(
        "low:Q",
        scale=alt.Scale(domain=domain, nice=False),
        axis=alt.Axis(title=part.axis, tickCount=6, format="~r"),
    )
    base = alt.Chart(width=_WIDTH - 10, height=_BAR_ROW)
    bars = base.mark_rect(color=_FIRST).encode(
        x=x,
        x2="high:Q",
        y=alt.Y("part:Q", axis=None, scale=alt.Scale(domainMin=0)),
        y2=alt.datum(0),
    )
    mean = base.mark_rule(color=_INK, strokeWidth=2).encode(x="mean:Q")
    chart: alt.FacetChart = (
        alt.layer(bars, mean, data=_data(rows))
        .facet(
            row=alt.Row(
                "label:N",
                sort=[row.label for row in part.rows],
                header=alt.Header(
                    title=None,
                    labelOrient="top",
                    labelAnchor="start",
                    labelPadding=2,
                    labelLimit=_WIDTH - 10,
                ),
            ),
            spacing=4,
        )
        .resolve_scale(y="independent")
    )
    return chart


def _intervals(part: Intervals) -> _Drawn:
    order = [row.label for row in part.rows]
    rows = [
        {
            "label": row.label,
            "estimate": row.estimate,
            "low": row.estimate if row.low is None else row.low,
            "high": row.estimate if row.high is None else row.high,
        }
        for row in part.rows
    ]
    bands = [
        {"label": row.label, "from": row.band[0], "to": row.band[1]}
        for row in part.rows
        if row.band is not None
    ]
    y = alt.Y("label:N", sort=order, axis=None)
    domain = {"domain": [0, 1]} if part.unit == "share" else {"zero": False}
    x = alt.X("low:Q", scale=alt.Scale(**domain), axis=_axis(part.unit))
    base = alt.Chart(_data(rows), width=_WIDTH, height=_ROW * len(rows) + _AXIS)
    label: dict[str, Any] = {"align": "left", "dy": _ABOVE, "limit": _WIDTH, "fontSize": 11}
    layers: list[Any] = [
        base.mark_rule(color=_FIRST, strokeWidth=3, yOffset=_BELOW).encode(x=x, x2="high:Q", y=y),
        base.mark_point(color=_FIRST, filled=True, size=42, opacity=1, yOffset=_BELOW).encode(
            x="estimate:Q", y=y
        ),
        base.mark_text(**label, color=_INK).encode(x=alt.value(0), y=y, text="label:N"),
    ]
    if part.zero is not None:
        zero = alt.Chart(_data([{"zero": part.zero}]))
        rule = zero.mark_rule(color=_SOFT, strokeDash=[3, 3])
        layers.insert(0, rule.encode(x="zero:Q"))
    if bands:
        band = alt.Chart(_data(bands)).mark_bar(color=_BAND, height=15, yOffset=_BELOW)
        layers.insert(0, band.encode(x="from:Q", x2="to:Q", y=y))
    return alt.layer(*layers)


def _ratio_path(part: RatioPath) -> _Drawn:
    rows = [{"pairs": pairs, "ratio": ratio} for pairs, ratio in part.points]
    ratios = [part.bound, -part.bound, *(ratio for _, ratio in part.points)]
    scale = alt.Scale(domain=[1.1 * min(ratios), 1.1 * max(ratios)], nice=False)
    line = (
        alt.Chart(_data(rows), width=_WIDTH, height=_HEIGHT)
        .mark_line(color=_FIRST, strokeWidth=1.8)
        .encode(
            x=alt.X("pairs:Q", axis=alt.Axis(title="pairs", labelExpr=_SHORT, tickCount=5)),
            y=alt.Y(
                "ratio:Q",
                scale=scale,
                axis=alt.Axis(title="log-likelihood ratio", tickCount=5),
            ),
        )
    )
    ends = [
        {"bound": part.bound, "name": "stronger"},
        {"bound": -part.bound, "name": "no stronger"},
    ]
    bounds = alt.Chart(_data(ends))
    rule = bounds.mark_rule(color=_INK, strokeDash=[3, 3]).encode(y="bound:Q")
    names = _text(bounds, "left", 0, "name:N", x=alt.value(6), y="bound:Q")
    return alt.layer(line, rule, *names)


_DRAW: dict[type, Callable[[Any], Any]] = {
    Narrowing: _narrowing,
    Histogram: _histogram,
    HistogramRows: _histogram_rows,
    Intervals: _intervals,
    RatioPath: _ratio_path,
}
