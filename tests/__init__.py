"""The tests of the validator, and the stores and cases they read."""
