"""What a converter is asked for, what it refuses and how it says so, and what it never needs."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.converter.streams import CAPTURES, FORMAT, SNAPSHOT, captured, lines, of_kind, raw
from tests.stores import BadText, Cell, build, damage, journals
from validator import __version__
from validator.converter import (
    ConversionError,
    NamespaceRequired,
    Request,
    SourceUnusable,
    UnknownFormat,
    WrongRequest,
    convert,
    formats,
)

PACKAGE = CAPTURES.parent / "validator"


def test_the_first_line_says_who_converts_what(tmp_path: Path) -> None:
    assert lines(build(tmp_path / "state.db", 31).path)[0] == {
        "line": "begin",
        "protocol": "0.1",
        "converter": {"name": "hermes-state-sqlite", "version": __version__},
        "producer": "com.nousresearch.hermes",
        "format": "hermes-state-sqlite",
        "after": True,
    }


def test_a_store_without_units_has_a_beginning_and_an_end(tmp_path: Path) -> None:
    found = lines(build(tmp_path / "state.db", 31).path)
    assert [line["line"] for line in found] == ["begin", "end"]


@pytest.mark.parametrize("format_id", ["", "hermes", "../x", "hermes_state_sqlite", "HERMES-STATE-SQLITE", "os", "é"])
def test_a_format_without_a_converter_is_refused_with_those_that_have_one(format_id: str) -> None:
    with pytest.raises(UnknownFormat, match="hermes-state-sqlite"):
        convert(Request(format_id, Path("state.db"), SNAPSHOT))
    assert FORMAT in formats()


def test_a_store_without_an_id_needs_a_namespace(tmp_path: Path) -> None:
    store, installation = captured("0.19.0-text", tmp_path)
    for namespace in (None, ""):
        with pytest.raises(NamespaceRequired, match="--namespace"):
            raw(store, namespace)
    assert {tuple(s["namespace"].items()) for s in of_kind(lines(store, installation), "stream")} == {
        (("value", installation), ("basis", "installation"))
    }


def test_a_store_with_an_id_names_itself_whatever_is_given(tmp_path: Path) -> None:
    store, _ = captured("iot-0.22.2.post1-branch", tmp_path)
    own = {tuple(s["namespace"].items()) for s in of_kind(lines(store, None), "stream")}
    assert len(own) == 1 and dict(*own)["basis"] == "store-instance-id"
    assert raw(store, None) == raw(store, "another")


@pytest.mark.parametrize("value", ["", None, b"id", 5, BadText(b"\xff")])
def test_an_id_that_is_no_text_is_none(tmp_path: Path, value: Cell) -> None:
    rows: dict[str, list[dict[str, Cell]]] = {
        "state_meta": [{"key": "store_instance_id", "value": value}],
        "sessions": [{"id": "s"}],
    }
    store = build(tmp_path / "state.db", 31, rows, raw=True, strict=False).path
    with pytest.raises(NamespaceRequired):
        raw(store, None)
    assert of_kind(lines(store), "stream")[0]["namespace"] == {"value": "inst-1", "basis": "installation"}


def test_an_argument_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31).path
    with pytest.raises(WrongRequest, match="--namespace"):
        raw(store, "\udcff")
    for snapshot in ("", "\udcff"):
        with pytest.raises(WrongRequest, match="--snapshot"):
            list(convert(Request(FORMAT, store, snapshot, "inst-1")))


@pytest.mark.parametrize("make", [damage.empty_file, damage.all_nul, damage.png, damage.random_bytes, damage.directory])
def test_what_is_no_store_is_refused_by_name_without_its_path(tmp_path: Path, make: damage.Choice) -> None:
    make(tmp_path / "state.db")
    with pytest.raises(SourceUnusable, match=r"^state\.db ") as caught:
        raw(tmp_path / "state.db")
    assert str(tmp_path) not in str(caught.value)


def test_a_missing_file_is_refused_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(SourceUnusable, match="not a file"):
        raw(tmp_path / "state.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a?mode=rw#x%41 b.db", "ü.db", "-", "file:state.db", "'\";.db", os.fsdecode(b"\xff.db")]
)
def test_any_file_name_is_opened_and_named(tmp_path: Path, name: str) -> None:
    store = build(tmp_path / "state.db", 31, {"messages": [{"session_id": "gone"}]}).path
    odd = store.rename(tmp_path / name)
    (notice,) = of_kind(lines(odd), "notice")
    assert notice["unit"]["source"] == name.replace("\udcff", "\ufffd")


def test_the_store_is_not_changed(tmp_path: Path) -> None:
    for number, make in enumerate([journals.killed_writer, journals.hot_journal, journals.half_in_log]):
        folder = tmp_path / str(number)
        folder.mkdir()
        store = make(folder / "state.db").path
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        assert len(lines(store)) > 2
        after = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
        assert after == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes to any folder")
def test_a_log_is_read_where_nothing_may_be_written(tmp_path: Path) -> None:
    store = journals.killed_writer(tmp_path / "state.db").path
    tmp_path.chmod(0o500)
    try:
        assert len(of_kind(lines(store), "record")) == 4
    finally:
        tmp_path.chmod(0o700)


def test_a_damaged_schema_costs_what_it_hides_and_says_so(tmp_path: Path) -> None:
    store = build(tmp_path / "state.db", 31, damage.many_rows(5), page_size=1024).path
    image = damage.Image(store.read_bytes())
    leaves = [page for page in damage.walk(image, 1) if page.leaf]
    # The entries of messages stand before those of the last leaf.
    store.write_bytes(image.with_page(leaves[-1].number, bytes(1024)))
    found = lines(store)
    assert len(of_kind(found, "record")) > 0
    assert {name: of_kind(found, "gap")[0][name] for name in ("line", "from", "to")} == {
        "line": "gap",
        "from": {"source": "state.db"},
        "to": {"source": "state.db"},
    }


def test_the_bytes_depend_on_nothing_but_the_store(tmp_path: Path) -> None:
    store, namespace = captured("0.19.0-unicode", tmp_path)
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from validator.converter import Request, convert
        request = Request("hermes-state-sqlite", Path(sys.argv[1]), sys.argv[2], sys.argv[3])
        sys.stdout.buffer.writelines(convert(request))
        """
    )
    outputs = set()
    for seed, zone, locale in [
        ("0", "UTC", "C"),
        ("1", "Asia/Kathmandu", "C.UTF-8"),
        ("2", "America/New_York", "POSIX"),
    ]:
        environment = {"PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": locale, "PYTHONPATH": str(PACKAGE.parent)}
        done = subprocess.run(
            [sys.executable, "-c", program, store, SNAPSHOT, namespace or ""],
            env=environment, cwd=tmp_path, capture_output=True, check=True,
        )  # fmt: skip
        outputs.add(done.stdout)
    assert outputs == {b"".join(raw(store, namespace))}


def test_converters_work_without_any_other_station(tmp_path: Path) -> None:
    store, namespace = captured("0.19.0-edit-review", tmp_path)
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from validator.converter import Request, convert
        request = Request("hermes-state-sqlite", Path(sys.argv[1]), sys.argv[2], sys.argv[3])
        assert len(list(convert(request))) > 2
        print("\\n".join(name for name in sys.modules if name.split(".")[0] == "validator"))
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", program, store, SNAPSHOT, namespace or ""],
        cwd=PACKAGE.parent, capture_output=True, check=True, encoding="utf-8",
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert "validator.converter.hermes_state_sqlite" in loaded
    assert {name for name in loaded if not name.startswith("validator.converter")} == {"validator"}


def test_importing_the_protocol_imports_no_converter() -> None:
    program = "import sys, validator.converter; print('orjson' in sys.modules, 'sqlite3' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PACKAGE.parent, capture_output=True, check=True, encoding="utf-8"
    )
    assert done.stdout.split() == ["False", "False"]


def test_every_refusal_is_a_conversion_error() -> None:
    for error in (NamespaceRequired, SourceUnusable, UnknownFormat, WrongRequest):
        assert issubclass(error, ConversionError)
