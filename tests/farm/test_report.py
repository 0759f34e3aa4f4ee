"""farm report: the page says what the benchmark and the rows say, and a browser shows it."""

import json
from collections import Counter
from contextlib import closing
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from browser import WIDTHS, chromium, look
from farm_pools import InlinePool

from engines.gallery.deal import random_deal as gallery_deal
from engines.gallery.moves import parse_moves
from engines.gallery.rules import replay
from engines.klondike.deal import random_deal
from farm.commands.deal_source import find_line
from farm.driver import sum_up
from farm.loop import drive
from farm.main import main
from farm.progress import summary
from farm.reporting import gather
from farm.run_directory import Session, create
from farm.watching import Stop, Watcher
from jobs import gallery_pimc, load_job
from results.report.parts import Histogram, HistogramRows, Intervals, Narrowing, Pictures, RatioPath
from results.rows import rows
from results.sequential import BIASED, BOUND
from results.shards import list_shards
from results.store import Store
from results.tables import estimate, interval

HOSTILE = '<script>alert("&")</script>'
KLONDIKE = load_job("klondike-solvability")
LADDER = load_job("cribbage-ladder")
DEALS = 40


class Reader(HTMLParser):
    """The tags and attributes of a page, and its text outside styles with blanks made one."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), []
        self.feed(page)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        if "</style>" not in data:
            self.words.append(data)


def make_run(folder, job, spec, deals=None, limits=(), shard_size=7):
    run = create(Store(str(folder)), job, spec, range(spec.unit_count), deals, limits)
    run.record.signature = job.signature(spec)
    run.record.sessions = [
        Session(command="farm run as-typed", node="node-1", started="2026-01-02T03:04:05+00:00")
    ]
    run.save()
    drive(run, InlinePool(), Stop(), Watcher(), shard_size)
    return run


def failing(job, units):
    """A context in which these units end in an error with a hostile text."""

    def compute(spec, unit, line, whole=job.compute):
        if unit in units:
            raise ValueError(HOSTILE)
        return whole(spec, unit, line)

    patch = pytest.MonkeyPatch()
    patch.setattr(job, "compute", compute)
    patch.setattr(job, "compute_many", lambda spec, units: None)
    return closing(SimpleNamespace(close=patch.undo))


@pytest.fixture(scope="module")
def klondike(tmp_path_factory):
    """Deals solved, undecided after two passes, and one failed; one has a hostile id."""
    lines = []
    for unit in range(DEALS):
        identity = HOSTILE if unit == 3 else f"deal {unit}"
        lines.append(json.dumps({"id": identity, **random_deal(0, unit).as_json()}))

    spec = KLONDIKE.Spec(solver="skip-action", limit_nodes=20, deals=DEALS)
    text = "".join(f"{line}\n" for line in lines)
    with failing(KLONDIKE, [5]):
        folder = tmp_path_factory.mktemp("klondike")
        return make_run(folder, KLONDIKE, spec, text, [{"limit_nodes": 60}])


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    spec = LADDER.Spec(matches=20, player="normal", cross_table=True)
    return make_run(tmp_path_factory.mktemp("ladder"), LADDER, spec)


@pytest.fixture(scope="module")
def sprt(tmp_path_factory):
    spec = LADDER.Spec(matches=60, player="expert", against="random", sprt=(0, 20))
    return make_run(tmp_path_factory.mktemp("sprt"), LADDER, spec, shard_size=30)


@pytest.fixture(scope="module")
def gallery(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery_pimc, "_ALWAYS", ())
        spec = gallery_pimc.Spec(deals=20, player="greedy", against="random-cards-first")
        run = make_run(tmp_path_factory.mktemp("gallery"), gallery_pimc, spec)
        yield run


def page_of(run):
    """The page of a run, made once."""
    page = run.store.path("report.html")
    if not page.exists():
        assert main(["report", run.store.location]) == 0
    return page.read_text()


def parts_of(report, kind):
    return [part for section in report.sections for part in section.parts if isinstance(part, kind)]


def section_of(report, title):
    return next(section for section in report.sections if section.title == title)


@pytest.mark.parametrize("name", ["klondike", "ladder", "sprt", "gallery"])
def test_the_page_has_every_figure_of_the_benchmark_and_needs_nothing_else(name, request, capsys):
    run = request.getfixturevalue(name)
    run.store.path("report.html").unlink(missing_ok=True)
    read = Reader(page_of(run))
    assert capsys.readouterr().out == f"{run.store.location}/report.html\n"
    benchmark, remarks = sum_up(run)
    for metric in benchmark.metrics:
        assert metric.name in read.text
        assert estimate(metric) in read.text and interval(metric) in read.text
    assert benchmark.complete and benchmark.units_done == len(run.units)
    for told in (*remarks, "farm run as-typed", "node-1", run.record.signature, "numba"):
        assert told in read.text
    assert "Incomplete" not in read.text
    assert "script" not in read.tags and "href" in read.attributes  # the icon, which is empty
    assert not {"src", "srcset", "onload", "onerror", "onclick"} & read.attributes


@pytest.mark.parametrize("name", ["klondike", "ladder", "sprt", "gallery"])
def test_a_report_opens_each_shard_once(name, request, monkeypatch):
    run, opened = request.getfixturevalue(name), []
    open_file = Store.open

    def note(store, name):
        opened.append(name)
        return open_file(store, name)

    monkeypatch.setattr(Store, "open", note)
    gather(run)
    shards = sorted(shard.name for shard in list_shards(run.store))
    assert sorted(each for each in opened if each.startswith("shards/")) == shards


@pytest.mark.parametrize("name", ["klondike", "ladder", "sprt", "gallery"])
def test_narrowing_is_that_of_the_first_units(name, request):
    run = request.getfixturevalue(name)
    table, job = rows(run.store), run.job
    first, *_ = charts = parts_of(gather(run), Narrowing)
    for chart in charts:
        assert [point.units for point in chart.points] == sorted(
            {point.units for point in chart.points}
        )
        assert chart.points[-1].units == len(run.units)
    for point in first.points:
        counted = job.tally(table.filter(table["unit"].to_numpy() < point.units))
        headline = job.metrics(counted)[0]
        assert (point.low, point.high) == (headline.low, headline.high)
        assert point.estimate_low == point.estimate_high == headline.estimate


def test_distributions_count_every_deal_and_name_the_tail(klondike):
    report = gather(klondike)
    table = rows(klondike.store)
    histograms = {part.title: part for part in parts_of(report, Histogram)}
    assert {"seconds", "nodes", "moves"} <= set(histograms)
    outcomes = Counter(table["outcome"].to_pylist())
    counted = {name: sum(counts) for name, counts in histograms["nodes"].groups}
    assert outcomes.pop("failed") == 1  # it has no nodes
    assert counted == outcomes
    nodes = np.sort(table["nodes"].drop_null().to_numpy())
    middle = nodes[(len(nodes) - 1) // 2]
    assert histograms["nodes"].marks == (
        (f"median {middle:,}", middle),
        (f"largest {nodes[-1]:,}", nodes[-1]),
    )
    slowest = next(
        part
        for part in section_of(report, "Times, sizes and solutions").parts
        if getattr(part, "head", ("",))[0] == "slowest deals"
    )
    order = np.argsort(-table["seconds"].to_numpy(zero_copy_only=False), kind="stable")[:10]
    assert [row[0].text for row in slowest.rows] == [f"unit {unit}" for unit in order]


def test_undecided_deals_are_listed_with_commands_that_take_them_up(klondike):
    section = section_of(gather(klondike), "Undecided deals")
    table = rows(klondike.store)
    undecided = [
        unit
        for unit, outcome in zip(*map(table.column, ("unit", "outcome")), strict=True)
        if outcome.as_py() != "solved"
    ]
    undecided = [unit.as_py() for unit in undecided]
    assert [row[0].text for row in section.parts[0].rows] == [f"unit {unit}" for unit in undecided]
    assert section.text.startswith(f"{len(undecided)} of {DEALS} deals have no verdict.")
    assert section.commands == (f"farm resume {klondike.store} --limit-nodes 600",)
    command = section.parts[0].rows[0][-1].text
    assert command == f"farm solve klondike {klondike.store}:{undecided[0]} --solver exact"
    source = command.split()[3]
    spec, unit, line = find_line(KLONDIKE, source, None, None, None, {"solver": "exact"})
    assert (spec.solver, unit) == ("exact", undecided[0])
    assert KLONDIKE.position_of(spec, unit, line)[0].deal == random_deal(0, unit)


def test_texts_of_deals_are_shown_and_are_no_html(klondike):
    page = page_of(klondike)
    assert HOSTILE not in page
    text = Reader(page).text
    assert text.count(HOSTILE) >= 2  # the id of a deal, and the error of another
    assert f"ValueError: {HOSTILE}" in text


def test_a_cross_table_has_each_pairing_from_either_side(ladder):
    report = gather(ladder)
    table = section_of(report, "Cross-table").parts[0]
    names = table.head[1:]
    assert names == ("normal", "easy", "random")
    shares = {metric.name: metric for metric in sum_up(ladder)[0].metrics}
    for player, *cells in table.rows:
        for opponent, cell in zip(names, cells, strict=True):
            if player == opponent:
                assert cell == "–"
            elif f"{player} over {opponent}" in shares:
                found = shares[f"{player} over {opponent}"]
                assert (cell.text, cell.small) == (estimate(found), interval(found))
            else:
                found = shares[f"{opponent} over {player}"]
                assert float(cell.text[:-2]) == pytest.approx(100 * (1 - found.estimate), abs=0.01)


def test_shares_are_drawn_with_their_bands_and_elo(tmp_path):
    run = make_run(tmp_path, LADDER, LADDER.Spec(matches=20, player="expert"))
    share, elo = parts_of(gather(run), Intervals)
    assert [row.label for row in share.rows] == [
        "expert over random",
        "expert over easy",
        "expert over normal",
        "expert over hard",
    ]
    assert [row.band for row in share.rows] == [None, (0.95, 0.98), (0.75, 0.85), (0.55, 0.65)]
    assert elo.unit == "Elo" and elo.zero == 0


def test_the_path_of_an_sprt_ends_at_its_bound(sprt):
    report = gather(sprt)
    path = parts_of(report, RatioPath)[0]
    verdict = sum_up(sprt)[0].verdict
    pairs, ratio = path.points[-1]
    assert (
        f"after {pairs:,} pairs" in verdict
        and verdict in section_of(report, "Sequential test").text
    )
    assert ratio >= BOUND == path.bound
    assert all(abs(before) < BOUND for _, before in path.points[:-1])
    assert [count for count, _ in path.points] == list(range(pairs + 1))


def test_scores_and_paired_differences_are_those_of_the_rows(gallery):
    scores, differences = parts_of(gather(gallery), HistogramRows)
    table = rows(gallery.store)
    own, other = np.asarray(table["score"]).reshape(-1, 2).astype(int).T
    assert [row.label for row in scores.rows] == ["greedy", "random-cards-first"]
    assert [row.counts for row in scores.rows] == [Counter(own), Counter(other)]
    assert [row.mean for row in scores.rows] == [own.mean(), other.mean()]
    assert [row.label for row in differences.rows] == ["greedy minus random-cards-first"]
    assert differences.rows[0].counts == Counter(own - other)
    assert differences.rows[0].mean == pytest.approx((own - other).mean())


def test_the_best_game_is_replayed_in_pictures(gallery):
    section = section_of(gather(gallery), "A game in pictures")
    own = [row for row in rows(gallery.store).to_pylist() if row["leg"] == 0]
    best = min(own, key=lambda row: (row["score"], row["unit"]))
    assert f"the deal of unit {best['unit']}, its best of this run: score {best['score']}" in (
        section.text
    )
    pictures = next(part for part in section.parts if isinstance(part, Pictures)).pictures
    end = replay(gallery_deal(0, best["unit"]), parse_moves(best["solution"]))
    assert f"score {end.score}, {end.tableau_cards} on the tableau" in pictures[-1].svg
    shown = " ".join(picture.caption.partition(": ")[2] for picture in pictures).strip()
    assert shown == best["solution"]


def test_an_incomplete_run_and_one_without_rows_say_so(tmp_path):
    spec = KLONDIKE.Spec(solver="skip-action", limit_nodes=20, deals=40)
    empty = create(Store(str(tmp_path / "empty")), KLONDIKE, spec, range(40))
    text = Reader(page_of(empty)).text
    assert "No rows yet: nothing has been measured" in text
    assert f"go on with farm resume {empty.store}" in text
    assert "How the estimate narrowed" not in text

    class Stops(InlinePool):
        def finish(self, task):
            stop.reason = "enough" if len(self.submitted) > 2 else None
            return super().finish(task)

    run, stop = create(Store(str(tmp_path / "part")), KLONDIKE, spec, range(40)), Stop()
    run.record.signature = KLONDIKE.signature(spec)
    run.save()
    drive(run, Stops(), stop, Watcher(), 7)
    benchmark, _ = sum_up(run)
    assert 0 < benchmark.units_done < 40
    text = Reader(page_of(run)).text
    assert f"Incomplete: {benchmark.units_done} of 40 units are done" in text
    assert estimate(benchmark.metrics[0]) in text


@pytest.mark.parametrize(
    ("job", "options"),
    [
        (KLONDIKE, {"solver": "skip-action"}),
        (LADDER, {}),
        (gallery_pimc, {"player": "greedy", "against": "random-cards-first"}),
    ],
)
def test_a_run_in_which_all_failed_is_reported(job, options, tmp_path, monkeypatch):
    monkeypatch.setattr(gallery_pimc, "_ALWAYS", ())
    spec = job.Spec(**options).of_units(4)
    with failing(job, range(9)):
        run = make_run(tmp_path, job, spec)
    text = Reader(page_of(run)).text
    assert "How it was made" in text and "interval inside" not in text
    benchmark, remarks = sum_up(run)
    assert any(remark in text for remark in remarks) or HOSTILE in text
    for line in summary(run, benchmark, remarks).splitlines():
        if any(line.startswith(f"{metric.name} ") for metric in benchmark.metrics if not metric.n):
            assert line.endswith("  no results")


def test_the_machine_is_that_of_the_driver_and_not_that_of_the_report(ladder):
    text = json.loads(sum_up(ladder)[0].to_json())
    text["machine"]["processor"] = "a processor of long ago"
    ladder.store.write("benchmark.json", json.dumps(text).encode())
    machine = dict(section_of(gather(ladder), "How it was made").parts[0].rows)["machine"]
    assert "a processor of long ago" in machine
    ladder.store.delete("benchmark.json")
    machine = dict(section_of(gather(ladder), "How it was made").parts[0].rows)["machine"]
    assert machine == "not noted: no driver has ended yet"


def test_figures_of_a_run_that_its_test_ended_are_said_to_be_biased(sprt, ladder, capsys):
    assert BIASED in gather(sprt).notices
    assert BIASED not in gather(ladder).notices
    assert main(["status", sprt.store.location]) == 0
    assert f"NOTE {BIASED}" in " ".join(capsys.readouterr().out.split())


def test_the_page_goes_where_it_is_asked_to(sprt, tmp_path, capsys):
    assert main(["report", sprt.store.location, "--out", f"{tmp_path}/a/page.html"]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/a/page.html\n"
    assert (tmp_path / "a" / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["page.html"]


@pytest.mark.parametrize("library", ["altair", "jinja2", "vl_convert"])
def test_missing_libraries_are_named_in_one_line(klondike, library, monkeypatch, capsys):
    found = "results.report.page.find_spec"
    monkeypatch.setattr(found, lambda name: None if name == library else True)
    assert main(["report", klondike.store.location]) == 2
    assert capsys.readouterr().err == (
        f"farm: farm report needs the library {library}: pip install 'dealfarm[report]'\n"
    )


def test_wrong_use_is_one_line_and_exit_code_2(klondike, tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "expected a run directory" in capsys.readouterr().err
    assert main(["report", klondike.store.location, "--out", str(tmp_path)]) == 2
    assert "--out: expected a file to write, got the folder" in capsys.readouterr().err


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.mark.parametrize(
    ("name", "scheme", "width"),
    [
        ("klondike", "light", "desktop"),
        ("klondike", "dark", "phone"),
        ("ladder", "dark", "desktop"),
        ("ladder", "light", "phone"),
        ("gallery", "light", "desktop"),
        ("gallery", "dark", "phone"),
    ],
)
def test_a_page_is_shown_without_a_word_in_the_console_or_on_the_network(
    browser, name, scheme, width, tmp_path, request
):
    run = request.getfixturevalue(name)
    page_of(run)
    page = run.store.path("report.html")
    said, asked_for = look(browser, page, scheme, WIDTHS[width], tmp_path / "page.png")
    assert (said, asked_for) == ([], [])
    # No wider than the screen: nobody scrolls the page sideways.
    assert browser.execute_script("return document.documentElement.scrollWidth") == WIDTHS[width]
    cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
    picture = cv2.imread(str(tmp_path / "page.png"))
    assert picture.shape[0] > 1500
    background = np.median(picture.reshape(-1, 3), axis=0)
    assert background.max() < 60 if scheme == "dark" else background.min() > 240
    for number, chart in enumerate(browser.find_elements("css selector", "figure.chart svg")):
        box = chart.rect
        left, top = int(box["x"]), int(box["y"])
        drawn = picture[top : top + int(box["height"]), left : left + int(box["width"])]
        ink = np.abs(drawn.astype(int) - background).max(axis=2)
        assert (ink > 100).mean() > 0.004, f"chart {number} is as good as empty"
        assert box["width"] >= 0.9 * min(340, WIDTHS[width] - 32)


def test_what_a_page_must_not_do_is_noticed(browser, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><title>x</title><link rel='icon' href='data:,'>"
        "<script>console.error('broken')</script><img src='http://127.0.0.1:9/x.png'>"
    )
    said, asked_for = look(browser, page, "light", 390, tmp_path / "page.png")
    assert any("broken" in line for line in said)
    assert "http://127.0.0.1:9/x.png" in asked_for
