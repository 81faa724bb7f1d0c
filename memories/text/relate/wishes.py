"""What somebody wanted, and that it has come about: the one is not the other, however alike they are worded."""

import re

from memories.text.future.words import PAST
from memories.text.wordlist import words

from .outline import Outline

_WISH = re.compile(
    r"\b(?:wants?|wanted|plan(?:s|ned|ning)?|hop(?:es?|ed|ing)|intend(?:s|ed|ing)?|aims?|trying|would like) to\b|"
    r"\b(?:looking|searching|saving(?: up)?|applying|applied) for\b|\b(?:thinking|dreaming|dreams?) (?:about|of)\b|"
    r"\bconsider(?:s|ing)\b",
    re.IGNORECASE,
)
MIN_PAST = 4
"""Letters of what ends in "ed" and may be no past: "need", "seed", "feed"."""
_STATES = words("was were been wasn't weren't had hadn't")
_NO_PAST = words("hundred indeed speed breed exceed proceed succeed")
_BE = words("be being is are am get gets getting")
"""Behind one of these, "addressed" tells how somebody is treated, and of nothing that was done."""


def find_come_true(old: Outline, new: Outline) -> str | None:
    """Say which of them is a wish, where the other tells of something done."""
    for wish, done in ((old, new), (new, old)):
        wished = _WISH.search(wish.written)
        if wished and not _WISH.search(done.written) and any(map(_is_done, ("", *done.tokens), done.tokens)):
            return f"wished and done: {wished.group().lower()}"
    return None


def _is_done(before: str, token: str) -> bool:
    if before in _BE or token in _STATES | _NO_PAST:
        return False
    return token in PAST or (len(token) > MIN_PAST and token.endswith("ed"))
