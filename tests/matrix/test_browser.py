"""The page in a real browser: it filters, drills down, obeys the keyboard, says nothing and asks for nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.matrix.browser import Page, browser, found
from tests.matrix.test_page import poisoned
from validator.matrix.page import render

pytestmark = pytest.mark.skipif(found() is None, reason="no Chromium here: install chromium to try the page in it")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, shipped: dict[str, Any], lossy: dict[str, Any]) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    written = {}
    for name, document in (("shipped", shipped), ("lossy", lossy), ("hostile", poisoned(lossy))):
        written[name] = folder / f"{name}.html"
        written[name].write_text(render(document), encoding="utf-8")
    return written


@pytest.fixture(autouse=True)
def quiet(page: Page, files: dict[str, Path]) -> Iterator[None]:
    """Whatever a test does, the page says nothing on the console and asks for nothing but itself."""
    page.said.clear()
    page.asked.clear()
    yield
    page.run("1")
    assert page.said == []
    assert {address for address in page.asked if address != "about:blank"} <= {path.as_uri() for path in files.values()}


ROWS = "[...document.querySelectorAll('tr[data-claim]')].filter(r => r.offsetParent).map(r => r.dataset.claim)"
HEADS = "[...document.querySelectorAll('th[data-version]')].filter(h => h.offsetParent).length"
PANEL = "document.getElementById('panel').open && document.getElementById('panel').innerText"


def pick(page: Page, name: str, value: str) -> None:
    page.run(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('change')); }})(document.getElementById({name!r}))"
    )


def test_everything_is_shown_at_first(page: Page, files: dict[str, Path], shipped: dict[str, Any]) -> None:
    page.open(files["shipped"])
    assert page.run(ROWS) == [claim["claim"] for claim in shipped["claims"]]
    assert page.run(HEADS) == len(shipped["versions"])


def test_words_filter_claims(page: Page, files: dict[str, Path], shipped: dict[str, Any]) -> None:
    page.open(files["shipped"])
    page.press("/")
    page.type("LINKS. fork")
    assert page.run(ROWS) == [
        c["claim"]
        for c in shipped["claims"]
        if all(word in f"{c['claim']} {c['statement']}".lower() for word in ("links.", "fork"))
    ]
    page.press("Escape")
    assert len(page.run(ROWS)) == len(shipped["claims"])


def test_words_that_nothing_has_say_so_and_can_be_cleared(page: Page, files: dict[str, Path]) -> None:
    page.open(files["shipped"], "#q=no+such+claim+anywhere")
    assert page.run(ROWS) == []
    assert page.run("!document.getElementById('none').hidden") is True
    page.run("document.getElementById('reset').click()")
    assert page.run(ROWS) != []


def test_a_state_can_be_put_aside(page: Page, files: dict[str, Path], lossy: dict[str, Any]) -> None:
    page.open(files["lossy"])
    for status in ("holds", "not exercised", "not applicable"):
        page.run(f"document.querySelector('.chip[data-status=\"{status}\"]').click()")
    assert set(page.run(ROWS)) == {c["claim"] for c in lossy["cells"] if c["status"] == "violated"}


def test_a_package_leaves_its_versions(page: Page, files: dict[str, Path], shipped: dict[str, Any]) -> None:
    page.open(files["shipped"])
    pick(page, "package", "hermes-agent")
    assert page.run(HEADS) == sum(v["package"] == "hermes-agent" for v in shipped["versions"])


def test_what_only_a_driver_exercised_is_not_exercised_by_the_agent(
    page: Page, files: dict[str, Path], shipped: dict[str, Any]
) -> None:
    claim, version = "usage.provider-cost", [v["version"] for v in shipped["versions"]].index("0.19.0")
    agents = {c["capture"] for c in shipped["captures"] if c["made"] == "agent"}
    holders = {c["capture"] for c in shipped["captures"] if any(o["claim"] == claim for o in c["claims"])}
    page.open(files["shipped"])
    cell = f"document.querySelector('[data-open=\"cell:{claim}:{version}\"]').dataset.status"
    for made, expected in (
        ("agent", bool(holders & agents & set(shipped["versions"][version]["captures"]))),
        ("driver", True),
    ):
        pick(page, "made", made)
        assert page.run(cell) == ("holds" if expected else "not exercised")


def test_a_cell_opens_its_captures_and_findings(page: Page, files: dict[str, Path], lossy: dict[str, Any]) -> None:
    page.open(files["lossy"])
    version = [v["version"] for v in lossy["versions"]].index("0.13.0")
    page.run(f"document.querySelector('[data-open=\"cell:mapping.conservation:{version}\"]').click()")
    text = page.run(PANEL)
    for part in ("mapping.conservation", "0.13.0-branch", "violated", "one record", "no record", "messages"):
        assert part in text


def test_a_capture_opens_its_sums(page: Page, files: dict[str, Path], lossy: dict[str, Any]) -> None:
    page.open(files["lossy"])
    page.run("document.querySelector('[data-open=\"capture:0.13.0-branch\"]').click()")
    sums = next(c for c in lossy["captures"] if c["capture"] == "0.13.0-branch")["conservation"]
    assert (
        f"{sums['native']} native units = {sums['records']} in records + {sums['excluded']} excluded + 1 lost"
        in page.run(PANEL)
    )


def test_a_claim_and_a_version_open_and_lead_on(page: Page, files: dict[str, Path]) -> None:
    page.open(files["shipped"])
    page.run("document.querySelector('[data-open=\"claim:links.fork\"]').click()")
    page.run("[...document.querySelectorAll('#panel .link')].find(l => l.textContent.endsWith('0.19.0')).click()")
    assert "Captures that exercise it" in page.run(PANEL)
    page.run("[...document.querySelectorAll('#panel .link')].find(l => l.textContent.startsWith('All of')).click()")
    assert "Came with layout 22" in page.run(PANEL)
    assert "messages.api_content" in page.run(PANEL)


def test_the_address_keeps_what_is_shown(page: Page, files: dict[str, Path]) -> None:
    page.open(files["shipped"], "#q=fork&open=claim%3Alinks.fork")
    assert page.run("document.getElementById('search').value") == "fork"
    assert "links.fork" in page.run(PANEL)
    page.press("Escape")
    assert page.run(PANEL) is False
    for _ in range(100):  # a dialog tells of its end a moment later
        if "open" not in page.run("location.hash"):
            break
        time.sleep(0.02)
    assert page.run("location.hash") == "#q=fork"


@pytest.mark.parametrize(
    "fragment", ["#open=cell:x:99", "#open=capture:__proto__", "#off=nothing&package=%3Cb%3E", "#%00%ff"]
)
def test_a_broken_address_does_no_harm(page: Page, files: dict[str, Path], fragment: str) -> None:
    page.open(files["shipped"], fragment)
    assert page.run(ROWS) != []
    assert page.run(PANEL) is False


def test_the_keyboard_walks_the_grid_and_opens_a_cell(
    page: Page, files: dict[str, Path], shipped: dict[str, Any]
) -> None:
    page.open(files["shipped"])
    page.run("document.querySelector('.cell[tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowUp"):
        page.press(key)
    first = shipped["claims"][0]["claim"]
    assert page.run("document.activeElement.dataset.open") == f"cell:{first}:1"
    page.press("Enter")
    assert first in page.run(PANEL)
    page.press("Escape")
    assert page.run("document.activeElement.dataset.open") == f"cell:{first}:1"
    assert page.run("document.querySelectorAll('.cell[tabindex=\"0\"]').length") == 1


def test_light_and_dark_follow_the_reader(page: Page, files: dict[str, Path]) -> None:
    background = "getComputedStyle(document.body).backgroundColor"
    page.open(files["shipped"])
    light = page.run(background)
    page.open(files["shipped"], dark=True)
    dark = page.run(background)
    assert light != dark
    page.run("document.getElementById('theme').click()")
    assert page.run(background) == light
    page.run("document.getElementById('theme').click()")
    assert page.run(background) == dark
    page.run("document.getElementById('theme').click()")


@pytest.mark.parametrize("width", [360, 390, 768, 1360])
def test_the_page_itself_never_scrolls_sideways(page: Page, files: dict[str, Path], width: int) -> None:
    page.open(files["shipped"], width=width, height=800)
    assert page.run("document.documentElement.scrollWidth") <= width


def test_hostile_text_stays_text(page: Page, files: dict[str, Path], lossy: dict[str, Any]) -> None:
    page.open(files["hostile"])
    assert page.run("typeof window.hacked") == "undefined"
    for place in ("claim:mapping.conservation", "version:0", "capture:0.13.0-branch", "cell:mapping.conservation:0"):
        page.run(f"document.querySelector('[data-open=\"{place}\"]').click()")
        assert "<img src=x onerror" in page.run(PANEL)
        assert page.run("document.querySelectorAll('#panel img, #panel script').length") == 0
    assert page.run("typeof window.hacked") == "undefined"
