"""Halves of surrogate pairs, which Python's strings may hold and nothing else takes."""


def without_surrogates(text: str) -> str:
    """`text` that can be encoded: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
