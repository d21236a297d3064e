"""Tests of the matrix, its page, and the browser that the page is tried in."""
