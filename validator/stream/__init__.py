"""The record stream: runs external converters, checks every line and loads them into the workbench."""


class CommandError(ValueError):
    """`--converter` names nothing that can be run; the message says what to write instead."""
