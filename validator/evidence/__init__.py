"""Evidence: what a descriptor rests on, from a replay to a published item.

The modules of this station: ``layout`` changes JSON text in place, ``scope`` says what an item supports, ``add``
appends items to a descriptor, ``check`` holds the committed ones against a fresh replay, ``provenance`` says what
they were made from, and ``page`` writes the descriptor's page.
"""


class EvidenceError(Exception):
    """Evidence that cannot be used, or a place where it cannot be put: wrong usage, exit code 2."""
