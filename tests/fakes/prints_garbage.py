"""Prints a log where the record stream belongs, and exits with 0."""

print("Converting…")
print("14 messages converted, 0 errors.")
