"""Tests of making, verifying and rewriting captures."""
