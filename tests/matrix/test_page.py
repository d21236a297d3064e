"""The page by itself: small, complete without a script, and deaf to what captured text would like it to do."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from validator.matrix.page import render

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=window.hacked=1>\"'{{style}}\u2028&lt;"


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and the text of its data."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def poisoned(document: dict[str, Any]) -> dict[str, Any]:
    """The document with hostile text wherever text from a capture, a descriptor or a converter may stand."""
    copied: dict[str, Any] = json.loads(json.dumps(document))
    copied["converter"] = HOSTILE
    copied["producer"] = HOSTILE
    for version in copied["versions"]:
        version["package"] = HOSTILE
    for cell in copied["cells"]:
        cell["package"] = HOSTILE
    for claim in copied["claims"]:
        claim["statement"] = HOSTILE
    for capture in copied["captures"]:
        capture.update(about=HOSTILE, message=HOSTILE, made=HOSTILE, date=HOSTILE, unidentified=[HOSTILE])
        capture["notices"] = {HOSTILE: 1}
        for finding in capture["findings"]:
            finding.update(expected=HOSTILE, found=HOSTILE)
            finding["where"] = {"source": HOSTILE, "table": HOSTILE, "key": [HOSTILE, None]}
    for history in copied["timeline"]:
        history["format"] = HOSTILE
        for table in history["tables"]:
            table["table"] = table["entity"] = HOSTILE
            for column in table["columns"]:
                column["column"] = column["type"] = HOSTILE
    return copied


def test_the_page_is_under_a_megabyte(shipped: dict[str, Any]) -> None:
    assert len(render(shipped).encode()) < 1_000_000


def test_the_page_refers_to_nothing_outside_itself(shipped: dict[str, Any]) -> None:
    for tag, attributes in Elements(render(shipped)).found:
        for name in ("src", "href", "action", "srcset", "data", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith("#") or value == "data:,", (tag, value)
    text = re.sub(r'<script type="application/json".*?</script>', "", render(shipped), flags=re.DOTALL)
    assert not re.search(r"https?://|url\(|@import|fetch\(|XMLHttpRequest|WebSocket|innerHTML|eval\(", text)


def test_the_page_allows_itself_its_own_script_and_style_only(shipped: dict[str, Any]) -> None:
    (policy,) = [
        a["content"] for t, a in Elements(render(shipped)).found if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_tables_and_states_are_there_without_a_script(shipped: dict[str, Any]) -> None:
    found = Elements(render(shipped)).found
    labels = [a["aria-label"] for t, a in found if t == "button" and "cell" in (a.get("class") or "").split()]
    assert len(labels) == len(shipped["cells"])
    assert sum(str(label).endswith(": not applicable") for label in labels) == sum(
        cell["status"] == "not applicable" for cell in shipped["cells"]
    )


def test_the_data_in_the_page_is_the_document(shipped: dict[str, Any]) -> None:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', render(shipped), flags=re.DOTALL)
    assert json.loads(text) == shipped


def test_hostile_text_makes_no_element_and_ends_no_element(lossy: dict[str, Any]) -> None:
    plain, hostile = Elements(render(lossy)).found, Elements(render(poisoned(lossy))).found
    # One package instead of several, and sentences without code; otherwise the very same elements.
    kept = [[tag for tag, _ in found if tag not in ("option", "code")] for found in (plain, hostile)]
    assert kept[0] == kept[1]
    assert not [a for _, a in hostile if any(name.startswith("on") for name in a)]
