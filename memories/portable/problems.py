"""What can be wrong with a file."""


class BadFile(Exception):
    """The file cannot be taken in, and nothing of it is kept. The text says why, and where."""

    def __init__(self, detail: str, line: int | None = None) -> None:
        super().__init__(f"Line {line:,}: {detail}" if line else detail)
