"""Takes all the memory that it can get before it writes a line."""

held = []
while True:
    held.append(bytearray(16 << 20))
