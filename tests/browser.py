"""A headless Chromium of the system, for tests that look at a page."""

import base64
import json
import shutil
from contextlib import contextmanager

import pytest

WIDTHS = {"desktop": 1280, "phone": 390}


@contextmanager
def chromium(profile):
    """A started browser; skips the test where there is none. profile: a new folder for it."""
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if None in programs:
        pytest.skip("chromium or chromedriver is not installed: apt-get install chromium-driver")
    options = selenium.ChromeOptions()
    options.binary_location = programs[0]
    for argument in (
        "headless",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        "disable-quic",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        f"user-data-dir={profile}",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = selenium.Chrome(options, selenium.ChromeService(programs[1]))
    try:
        yield driver
    finally:
        driver.quit()


def look(driver, page, scheme, width, picture):
    """Opens a page file as light or dark, takes a picture of all of it.

    Returns what the console said and the addresses that were asked for beside the page's own.
    """
    command = driver.execute_cdp_cmd
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    command("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    command("Emulation.setDeviceMetricsOverride", metrics)
    driver.get_log("performance")
    driver.get(page.as_uri())
    taken = command("Page.captureScreenshot", {"captureBeyondViewport": True})
    picture.write_bytes(base64.b64decode(taken["data"]))
    return [entry["message"] for entry in driver.get_log("browser")], _asked_for(driver, page)


def _asked_for(driver, page):
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    addresses = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    return [address for address in addresses if address != page.as_uri()]
