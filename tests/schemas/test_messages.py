"""What a schema error says: where, what is asked for, and nothing of what the instance holds."""

from typing import Any

import pytest

from tests.schemas.examples import changed, examples
from validator import schemas

RECORD = examples()["record-stream"][4]
SECRET = "the user's own words"


def wrong(pointer: str, value: Any) -> list[tuple[str, str]]:
    return schemas.errors("record-stream", changed(RECORD, pointer, put=value))


def test_a_wrong_type_names_the_one_found_and_the_one_asked_for() -> None:
    assert wrong("/stream", SECRET) == [("/stream", "is of type string, not integer")]


def test_true_is_a_boolean_and_no_integer() -> None:
    assert wrong("/stream", True) == [("/stream", "is of type boolean, not integer")]


def test_a_missing_member_is_named() -> None:
    record = changed(RECORD, "/native", drop=True)
    assert schemas.errors("record-stream", record) == [("", 'lacks "native"')]


def test_unknown_members_are_named_and_the_rest_counted() -> None:
    record = {**RECORD, "d": 1, "a": 1, "c": 1, "b": 1}
    assert schemas.errors("record-stream", record) == [("", 'has unknown members: "a", "b", "c" and 1 more')]


def test_a_long_member_name_is_cut() -> None:
    [(_, message)] = schemas.errors("record-stream", {**RECORD, "x" * 10_000: 1})
    assert message == 'has unknown members: "' + "x" * 39 + '…"'


def test_a_line_end_in_a_member_name_does_not_break_the_message() -> None:
    [(_, message)] = schemas.errors("record-stream", {**RECORD, "a\nb\u202e": 1})
    assert message == 'has unknown members: "a\\nb\\u202e"'


def test_a_member_without_the_one_it_needs_is_named() -> None:
    gap = changed(examples()["record-stream"][10], "/from/key", drop=True)
    assert schemas.errors("record-stream", gap) == [("/from", 'has "table" without "key"')]


def test_of_alternatives_the_one_of_the_right_type_is_explained() -> None:
    amount = {"amount": [], "basis": "actual"}
    assert [pointer for pointer, _ in wrong("/cost", amount)] == ["/cost/amount"]


def test_a_pointer_escapes_slashes_and_tildes() -> None:
    [(pointer, _)] = wrong("/native/record/row", {"a/b~c": []})
    assert pointer == "/native/record/row/a~1b~0c"


def test_errors_come_in_the_order_of_their_places() -> None:
    calls = [{"occurrence": "1/0"}] * 12
    calls[2] = calls[10] = {}
    assert [pointer for pointer, _ in wrong("/toolCalls", calls)] == ["/toolCalls/2", "/toolCalls/10"]


@pytest.mark.parametrize(
    "pointer",
    ["/stream", "/family", "/time", "/toolCalls", "/native", "/replay", "/entity", "/line"],
)
def test_no_message_quotes_the_instance(pointer: str) -> None:
    found = wrong(pointer, SECRET)
    assert found
    assert all(SECRET not in message for _, message in found)


def test_no_message_and_no_pointer_is_longer_than_200_characters() -> None:
    found = wrong("/native/record/row", {"y" * 5000: [], "z": {"x" * 5000: 1}})
    assert len(found) == 2
    assert all(len(pointer) <= 200 and len(message) <= 200 for pointer, message in found)


def test_a_hostile_number_of_errors_is_bounded() -> None:
    assert len(wrong("/toolCalls", [{}] * 5000)) == 1000


def test_an_instance_nested_beyond_the_stack_is_an_error_and_no_crash() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5000):
        schema = {"items": schema}
    (descriptor,) = examples()["descriptor"]
    descriptor["destinations"]["origin"]["schema"] = schema
    assert ("", "is nested too deeply to be checked") in schemas.errors("descriptor", descriptor)
