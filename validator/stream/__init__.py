"""The record stream: runs external converters, checks every line and loads them into the workbench."""
