"""The fence around every block of memories we hand to an agent.

Each block gets a nonce of its own, so no memory text can know how to close it.
"""

import re

_NONCE_RE = re.compile(r"[0-9a-f]{8,32}")

FENCED_RE = re.compile(r'<memory-context nonce="([0-9a-f]{8,32})">.*?(?:</memory-context nonce="\1">|\Z)', re.DOTALL)
"""One fenced block. A fence that is never closed reaches to the end of the text."""


def open_fence(nonce: str) -> str:
    """Raises ValueError unless `nonce` is 8 to 32 lower-case hexadecimal digits."""
    return f'<memory-context nonce="{_checked(nonce)}">'


def close_fence(nonce: str) -> str:
    """Raises ValueError like `open_fence`."""
    return f'</memory-context nonce="{_checked(nonce)}">'


def strip_fenced(text: str) -> str:
    """`text` without its fenced blocks.

    A newline stays in the place of each, so that the pieces around it do not join into something new.
    """
    return FENCED_RE.sub("\n", text)


def _checked(nonce: str) -> str:
    if not _NONCE_RE.fullmatch(nonce):
        raise ValueError("a fence nonce is 8 to 32 lower-case hexadecimal digits")
    return nonce
