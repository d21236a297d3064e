"""The built-in converters are found by their packages, and nothing else is."""

from validator.converter import formats


def test_the_formats_with_a_built_in_converter_are_those_of_the_descriptor() -> None:
    assert formats() == ["hermes-home-files", "hermes-state-sqlite"]
