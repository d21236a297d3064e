"""Reads a request from the words that follow a converter command, as the protocol gives them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from validator.converter import Request


def request_from(program: str, words: Sequence[str]) -> Request:
    """The request; wrong words end the program with exit code 2 and a line that names them."""
    parser = argparse.ArgumentParser(prog=program, allow_abbrev=False)
    parser.add_argument("--format", required=True)
    parser.add_argument("--source", required=True, type=Path)
    parser.add_argument("--snapshot", required=True)
    parser.add_argument("--namespace")
    parser.add_argument("--after")
    return Request(**vars(parser.parse_args(words)))
