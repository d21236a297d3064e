"""Writes a matrix as one HTML page that needs nothing but itself.

Tables and history are complete without a script; the script filters and shows details from the same document, which the
page carries. Everything that came from a capture is escaped here, or made into text there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any

from validator.matrix import HOLDS, UNJUDGED, VIOLATED
from validator.matrix.markdown import SIGNS

Document = dict[str, Any]

SUMS = ("native", "records", "excluded", "lost", "duplicated", "unreadable")
COUNTS = ("streams", "errors", "notices", "gaps", "unidentifiedSources")
_WRONG = frozenset(["lost", "duplicated", "unreadable", "errors", "gaps"])


def render(document: Document) -> str:
    """Return the page."""
    folder = files(__package__).joinpath("page")
    style, script, frame = (
        folder.joinpath(f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js", "html")
    )
    # Style attributes are not allowed on the page, so what depends on numbers is a rule.
    style += f".grid {{ --columns: {len(document['versions'])}; }}\n"
    style += "".join(
        f'.history[data-columns="{len(history["layouts"]) + 1}"] {{ --n: {len(history["layouts"]) + 1}; }}\n'
        for history in document["timeline"]
    )
    parts = {
        "title": _text(f"Versions against claims: {document['producer']}"),
        "producer": _text(document["producer"]),
        "lead": _lead(document),
        "tiles": _tiles(document),
        "chips": _chips(document),
        "packages": "".join(
            f'<option value="{_text(package)}">{_text(package)}</option>'
            for package in dict.fromkeys(version["package"] or "" for version in document["versions"])
            if package
        ),
        "matrix": _matrix(document),
        "timeline": "".join(_history(history) for history in document["timeline"]),
        "captures": _captures(document),
        "footer": _footer(document),
        "style": style,
        "style-hash": _hash(style),
        "script": script,
        "script-hash": _hash(script),
        "data": _data(document),
    }
    # One pass over the frame: what a part holds is never looked at for marks again.
    return re.sub(r"\{\{([a-z-]+)\}\}", lambda match: parts[match[1]], frame)


def _text(value: Any) -> str:
    return escape(str(value), quote=True)


def _sentence(text: str) -> str:
    """Return a sentence with what stands in backquotes as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(text))


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _data(document: Document) -> str:
    """Return the document as JSON that cannot end the element it stands in."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _css(status: str) -> str:
    return status.replace(" ", "-")


def _lead(document: Document) -> str:
    claims, versions = len(document["claims"]), len(document["versions"])
    return (
        f"What {_text(document['converter'] or 'the converter')} says of {document['totals']['captures']} captures, "
        f"held against {claims} claims of the format's description, for each of {versions} versions."
    )


def _tiles(document: Document) -> str:
    totals, good = document["totals"], document["verdict"] == "conforms"
    numbers = [
        ("versions", len(document["versions"])),
        ("captures", totals["captures"]),
        ("claims", len(document["claims"])),
        ("records", totals["records"]),
        ("errors", totals["errors"]),
        ("notices", totals["notices"]),
    ]
    tiles = [f'<div class="tile"><b>{number:,}</b><span>{name}</span></div>' for name, number in numbers]
    verdict = f"<b>{_text(document['verdict'])}</b><span>verdict</span>"
    return f'<div class="tile verdict {"good" if good else "wrong"}">{verdict}</div>' + "".join(tiles)


def _chips(document: Document) -> str:
    """Return the legend, which is the filter of states as well; a state that never occurs has no chip."""
    counts = {status: sum(cell["status"] == status for cell in document["cells"]) for status in SIGNS}
    return "".join(
        f'<button type="button" class="chip" data-status="{status}" aria-pressed="true">'
        f'<i class="{_css(status)}">{SIGNS[status]}</i>{status} <b>{counts[status]}</b></button>'
        for status in SIGNS
        if counts[status] or status != UNJUDGED
    )


def _matrix(document: Document) -> str:
    versions = document["versions"]
    cells = {(c["claim"], c["package"], c["version"]): c for c in document["cells"]}
    heads = "".join(_version(number, version) for number, version in enumerate(versions))
    bodies = []
    for section, claims in _sections(document["claims"]):
        rows = "".join(
            _row(claim, [cells[claim["claim"], version["package"], version["version"]] for version in versions])
            for claim in claims
        )
        title = f'<tr><th scope="rowgroup" colspan="{len(versions) + 1}">{_text(section)}</th></tr>'
        bodies.append(f"<tbody>{title}{rows}</tbody>")
    corner = '<th class="corner" scope="col">claim</th>'
    return f'<table class="grid"><thead><tr>{corner}{heads}</tr></thead>{"".join(bodies)}</table>'


def _sections(claims: list[Document]) -> Iterable[tuple[str, list[Document]]]:
    sections: dict[str, list[Document]] = {}
    for claim in claims:
        sections.setdefault(claim["claim"].split(".")[0], []).append(claim)
    return sections.items()


def _version(number: int, version: Document) -> str:
    layout = "?" if version["layout"] is None else version["layout"]
    names = f"<b>{_text(version['version'] or 'unknown')}</b> <small>{_text(version['package'] or 'unknown')}</small>"
    return (
        f'<th scope="col" data-version="{number}"><button type="button" class="version" data-open="version:{number}">'
        f'<span class="names">{names}</span><span class="layout" title="layout">{layout}</span></button></th>'
    )


def _row(claim: Document, cells: list[Document]) -> str:
    name = _text(claim["claim"])
    title = _text(claim["statement"].replace("`", ""))
    head = (
        f'<th scope="row"><button type="button" class="claim" data-open="claim:{name}" title="{title}">'
        f"<b>{name}</b><span>{_sentence(claim['statement'])}</span></button></th>"
    )
    return f'<tr data-claim="{name}">{head}{"".join(_cell(cell, number) for number, cell in enumerate(cells))}</tr>'


def _cell(cell: Document, number: int) -> str:
    status, subjects = cell["status"], cell["subjects"]
    shade = " s3" if subjects > 99 else " s2" if subjects > 9 else ""
    count = {HOLDS: subjects, VIOLATED: cell["violations"]}.get(status)
    sign = (
        f"<i>{SIGNS[status]}</i>"
        if count is None
        else f'<i class="vh">{SIGNS[status]}</i><span class="count">{count}</span>'
    )
    label = f"{cell['claim']}, {cell['version'] or 'unknown'}: {status}"
    if subjects:
        label += f", {subjects} subjects"
    kind = _css(status) + (shade if status == HOLDS else "")
    return (
        f'<td><button type="button" class="cell {kind}" data-version="{number}" '
        f'data-open="cell:{_text(cell["claim"])}:{number}" aria-label="{_text(label)}">{sign}</button></td>'
    )


def _history(history: Document) -> str:
    layouts: list[int | str] = [item["layout"] for item in history["layouts"]]
    layouts.append("source")
    heads = "".join(
        f"<div><b>{item['layout']}</b><small>{_text(_shortened(item['releases']))}</small></div>"
        for item in history["layouts"]
    )
    heads += "<div><b>next</b><small>in the source, in no release yet</small></div>"
    rows = "".join(_table(table, layouts) for table in history["tables"])
    return (
        '<section class="timeline" aria-labelledby="timeline-title"><h2 id="timeline-title">What came when</h2>'
        f'<p class="about">The tables and columns of <code>{_text(history["format"])}</code> by the layout that '
        "brought them. A number says how many columns came; open a table to see which.</p>"
        f'<div class="scroll"><div class="history" data-columns="{len(layouts)}">'
        f'<div class="row head"><div>layout</div>{heads}</div>{rows}</div></div></section>'
    )


def _shortened(releases: list[str]) -> str:
    """Return releases without the name that they share."""
    pairs = [release.rsplit(" ", 1) for release in releases]
    packages = dict.fromkeys(package for package, _ in pairs)
    return "; ".join(
        f"{package} {', '.join(version for other, version in pairs if other == package)}" for package in packages
    )


def _table(table: Document, layouts: list[int | str]) -> str:
    columns = "".join(
        f'<div class="row column"><div class="what">{_text(column["column"])} '
        f"<small>{_text(column['type'] or '')}</small></div>{_spans(column['since'], layouts, {})}</div>"
        for column in table["columns"]
    )
    came: dict[int | str, int] = {}
    for column in table["columns"]:
        came[column["since"]] = came.get(column["since"], 0) + 1
    what = f'<div class="what">{_text(table["table"])} <small>{_text(table["entity"] or table["class"])}</small></div>'
    return f'<details><summary class="row">{what}{_spans(table["since"], layouts, came)}</summary>{columns}</details>'


def _spans(since: int | str, layouts: list[int | str], came: dict[int | str, int]) -> str:
    """Return the bar of a table or column: from the layout with which it came to the newest."""
    cells = []
    releases = layouts[:-1]
    for layout in releases:
        there = isinstance(since, int) and isinstance(layout, int) and since <= layout
        count = came.get(layout, 0)
        classes = ["span"]
        if there:
            classes.append("new" if count or (not came and layout == since) else "there")
            classes += ["first"] if layout == since else []
            classes += ["last"] if layout == releases[-1] else []
        cells.append(f'<div class="{" ".join(classes)}">{f"+{count}" if count and there else ""}</div>')
    later = came.get("source", 0)
    cells.append(
        f'<div class="span source">{f"+{later}" if later else ""}</div>'
        if later or since == "source"
        else '<div class="span"></div>'
    )
    return "".join(cells)


def _captures(document: Document) -> str:
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("capture", "made by", *SUMS, *COUNTS[:-1], "unidentified")
    )
    rows = []
    for capture in document["captures"]:
        name = _text(capture["capture"])
        numbers = [
            *((key, capture["conservation"][key]) for key in SUMS),
            *((key, capture["counts"][key]) for key in COUNTS),
        ]
        cells = "".join(_number(key, number) for key, number in numbers)
        link = f'<button type="button" class="link" data-open="capture:{name}">{name}</button>'
        rows.append(f"<tr><td>{link}</td><td>{_text(capture['made'] or '–')}</td>{cells}</tr>")
    return f'<table class="sums"><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def _number(key: str, number: int) -> str:
    mark = ' class="zero"' if not number else ' class="wrong"' if key in _WRONG else ""
    return f"<td{mark}>{number}</td>"


def _footer(document: Document) -> str:
    return (
        f"{_text(document['validator'])}, converter {_text(document['converter'] or 'unknown')}. "
        "Holds: no subject violates the claim. Not exercised: no capture of the version holds a subject. "
        "Not applicable: the columns by which subjects are found came with a later layout."
    )
