"""Constructed captures, for the claims that no capture of an agent exercises.

`themes` and `cells` say what stands in each, `construct` writes them: one folder a theme, beside these modules.
"""
