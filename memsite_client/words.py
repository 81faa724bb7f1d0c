"""How much of something there is, in words."""


def many(number: int, noun: str) -> str:
    """ "1 line", "2 lines": of a noun that takes an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
