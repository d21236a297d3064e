"""Conformance validator for coding-agent session formats."""

__version__ = "0.1.0"
