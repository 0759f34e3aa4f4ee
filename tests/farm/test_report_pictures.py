"""Reports as a browser shows them: in light and dark, and as narrow as a phone."""

import numpy as np
import pytest
from browser import WIDTHS, chromium, look
from farm_pools import InlinePool

from farm.loop import Stop, Watcher, drive
from farm.main import main
from farm.run_directory import create
from jobs import gallery_pimc, load_job
from results.store import Store

cv2 = pytest.importorskip("cv2", reason="opencv-python-headless is not installed")
KLONDIKE, LADDER = load_job("klondike-solvability"), load_job("cribbage-ladder")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The files of three reports by job."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery_pimc, "_ALWAYS", ())
        runs = {
            "klondike": (KLONDIKE, KLONDIKE.Spec(solver="skip-action", limit_nodes=20, deals=50)),
            "ladder": (LADDER, LADDER.Spec(matches=20, cross_table=True)),
            "gallery": (
                gallery_pimc,
                gallery_pimc.Spec(deals=20, player="greedy", against="random-uniform"),
            ),
        }
        found = {}
        for name, (job, spec) in runs.items():
            folder = tmp_path_factory.mktemp(name)
            run = create(Store(str(folder)), job, spec, range(spec.unit_count))
            run.record.signature = job.signature(spec)
            run.save()
            drive(run, InlinePool(), Stop(), Watcher(), 10)
            assert main(["report", str(folder)]) == 0
            found[name] = folder / "report.html"
        return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", "desktop"), ("dark", "desktop"), ("light", "phone")]
)
@pytest.mark.parametrize("name", ["klondike", "ladder", "gallery"])
def test_a_page_is_shown_without_a_word_in_the_console_or_on_the_network(
    browser, pages, name, scheme, width, tmp_path
):
    said, asked_for = look(browser, pages[name], scheme, WIDTHS[width], tmp_path / "page.png")
    assert (said, asked_for) == ([], [])
    # No wider than the screen: nobody scrolls the page sideways.
    assert browser.execute_script("return document.documentElement.scrollWidth") == WIDTHS[width]
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
