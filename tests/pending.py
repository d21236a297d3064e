"""Names what the program does not do yet, so that what is expected of it can be written down before.

A test that needs one of these is known to fail; whoever builds it takes its name out here.
"""

# Codes that no rule computes yet.
CODES_WITHOUT_A_RULE: set[str] = set()
