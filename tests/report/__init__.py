"""Tests of the output formats, of merging, and of what they make of hostile text."""
