"""Captures: immutable folders made by a real run of a producer, verified before anything reads them.

``find`` turns the targets of a command into ``Capture`` values: a capture folder, a folder of captures, a bare
store, or a live home. ``verify`` holds a capture against its manifest; ``copy`` makes a private copy of
some of its files. Nothing is ever opened, created or changed in the place itself.
"""

from __future__ import annotations

from validator.capture.manifest import CaptureError, verify
from validator.capture.private import copy
from validator.capture.targets import Capture, TargetError, find, shipped

__all__ = ["Capture", "CaptureError", "TargetError", "copy", "find", "shipped", "verify"]
