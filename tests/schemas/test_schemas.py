"""The schemas: sound in themselves, and saying yes and no where they should."""

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from referencing.exceptions import Unresolvable, Unretrievable

from tests.schemas.examples import changed, examples
from validator import schemas

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted((ROOT / "captures").glob("*/capture.json"))
WRONG = json.loads((Path(__file__).parent / "wrong.json").read_text(encoding="utf-8"))
WRONG_CASES = [pytest.param(name, case, id=f"{name}: {case['why']}") for name, cases in WRONG.items() for case in cases]
PUBLIC = {
    "audit",
    "capture",
    "claims",
    "descriptor",
    "evidence",
    "evidence-add",
    "evidence-check",
    "explain",
    "in-toto-statement",
    "gate",
    "gate-baseline",
    "lint",
    "mutate",
    "observation",
    "provenance",
    "record-stream",
    "report",
    "report-line",
}


def subschemas(schema: Any, at: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema that is the value of a member, with its place."""
    if isinstance(schema, dict):
        for name, below in schema.get("properties", {}).items():
            if isinstance(below, dict):
                yield f"{at}/properties/{name}", below
        for key, below in schema.items():
            if key not in ("if", "then"):
                yield from subschemas(below, f"{at}/{key}")
    elif isinstance(schema, list):
        for index, below in enumerate(schema):
            yield from subschemas(below, f"{at}/{index}")


def references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for below in schema.values():
            yield from references(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from references(below)


def test_every_schema_that_the_contracts_name_is_there() -> None:
    assert set(schemas.names()) >= PUBLIC


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_satisfies_its_metaschema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.schema(name))
    jsonschema_rs.meta.validate(schemas.schema(name))


@pytest.mark.parametrize("name", schemas.names())
def test_a_schema_says_its_draft_its_address_and_what_it_is_for(name: str) -> None:
    schema = schemas.schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"https://validator.invalid/schemas/{name}.json"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", schemas.names())
def test_every_reference_of_a_schema_resolves_without_the_network(name: str) -> None:
    schema = schemas.schema(name)
    resolver = schemas.validator_for(name)._resolver  # the one that carries the metaschemas too
    for reference in references(schema):
        assert resolver.lookup(reference).contents is not None


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_member_of_a_schema_is_described(name: str) -> None:
    resolver = schemas.validator_for(name)._resolver
    bare = [
        place
        for place, below in subschemas(schemas.schema(name))
        if "description" not in below
        and "description" not in (resolver.lookup(below["$ref"]).contents if "$ref" in below else {})
    ]
    assert bare == []


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_object_of_a_schema_is_closed(name: str) -> None:
    def open_objects(schema: Any, at: str = "#") -> Iterator[str]:
        if isinstance(schema, dict):
            if schema.get("type") == "object" and "properties" in schema:
                closed = "additionalProperties" in schema or "allOf" in schema
                if not closed:
                    yield at
            for key, below in schema.items():
                yield from open_objects(below, f"{at}/{key}")
        elif isinstance(schema, list):
            for index, below in enumerate(schema):
                yield from open_objects(below, f"{at}/{index}")

    assert list(open_objects(schemas.schema(name))) == []


def test_there_are_captures_to_look_at() -> None:
    assert len(MANIFESTS) >= 52


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.parent.name)
def test_the_manifest_of_a_capture_is_valid(path: Path) -> None:
    assert schemas.errors("capture", json.loads(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_an_example_is_valid(name: str) -> None:
    for instance in examples()[name]:
        assert schemas.errors(name, instance) == []


@pytest.mark.parametrize(("name", "case"), WRONG_CASES)
def test_one_change_makes_an_example_wrong_and_the_error_says_where(name: str, case: dict[str, Any]) -> None:
    (example,) = examples()[name]
    wrong = changed(example, case["at"], put=case.get("put"), drop=case.get("drop", False))
    expected = case.get("error", case["at"])
    assert expected in [pointer for pointer, _ in schemas.errors(name, wrong)]


@pytest.mark.parametrize(("name", "case"), WRONG_CASES)
def test_the_fast_engine_rejects_what_the_slow_one_rejects(name: str, case: dict[str, Any]) -> None:
    (example,) = examples()[name]
    fast = schemas.fast_validator_for(name)
    assert fast is not None
    assert fast.is_valid(example)
    assert not fast.is_valid(changed(example, case["at"], put=case.get("put"), drop=case.get("drop", False)))


def test_an_observation_is_the_observed_item_of_a_descriptor() -> None:
    (observation,) = examples()["observation"]
    (descriptor,) = examples()["descriptor"]
    assert observation in descriptor["evidence"]


def test_an_unknown_schema_is_refused_by_name() -> None:
    with pytest.raises(schemas.SchemaNotHeldError, match="no schema named 'moods'"):
        schemas.schema("moods")


def test_the_registry_refuses_to_retrieve() -> None:
    with pytest.raises(Unretrievable) as refused:
        schemas.registry().get_or_retrieve("https://example.com/schema.json")
    assert isinstance(refused.value.__context__, schemas.SchemaNotHeldError)


def test_the_slow_engine_opens_no_socket_for_a_foreign_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []

    def no_socket(*args: object, **kwargs: object) -> None:
        opened.append(args)
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", no_socket)
    monkeypatch.setattr(socket, "create_connection", no_socket)
    monkeypatch.setattr(socket, "getaddrinfo", no_socket)
    foreign = {"$ref": "http://127.0.0.1:9/schema.json"}
    with pytest.raises(Unresolvable):
        jsonschema.Draft202012Validator(foreign, registry=schemas.registry()).is_valid(1)
    assert opened == []


def test_the_fast_engine_connects_to_nobody_for_a_foreign_reference() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        port = server.getsockname()[1]
        with pytest.raises(ValueError, match="does not ship with the project"):
            schemas.compiled({"$ref": f"http://127.0.0.1:{port}/schema.json"})
        with pytest.raises(TimeoutError):
            server.accept()


def test_without_the_fast_engine_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema_rs", None)
    schemas.fast_validator_for.cache_clear()
    try:
        assert schemas.fast_validator_for("capture") is None
    finally:
        schemas.fast_validator_for.cache_clear()
