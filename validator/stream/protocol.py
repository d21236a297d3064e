"""The one way to say that what a converter wrote is not a record stream."""


class ProtocolError(Exception):
    """The stream does not follow the protocol: the converter failed.

    `line` counts from 1; 0 where the fault is in no one line.
    """

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}" if line else message)
        self.line = line
