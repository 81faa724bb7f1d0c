"""Which words of a statement are denied, and by what."""

from collections.abc import Iterable

from . import cues

Tokens = tuple[str, ...]
Phrases = dict[str, list[Tokens]]
"""By their first word."""

NARROW_REACH_WORDS = 2
WIDE_REACH_WORDS = 99
DENIED = 6
"""Tokens up to which a "not" reaches its "before" or "until"."""


def _by_first_word(phrases: Iterable[Tokens]) -> Phrases:
    found: Phrases = {}
    for phrase in phrases:
        found.setdefault(phrase[0], []).append(phrase)
    return found


_NEGATIVE_PHRASES, _NARROW_PHRASES = _by_first_word(cues.NEGATIVE_PHRASES), _by_first_word(cues.NARROW_PHRASES)


class Scope:
    """Walks over the tokens once. `signs` holds -1 for a denied word, `turns` the places of the negations.

    A negation reaches to the end of its clause; a narrow one ("no", "without", ", not") over the next words only.
    """

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.signs: list[int] = []
        self.turns: list[int] = []
        self._sign = 1
        self._reach = 0
        for at in range(len(tokens)):
            self._take(at)

    def _take(self, at: int) -> None:
        word = self.tokens[at]
        if word in cues.BOUNDARIES and not (word == "since" and at == 0):
            self._sign = 1
        elif self._cancels(word):
            self.turns.pop()
            self._sign = 1
            self.signs.append(1)
            return
        self.signs.append(self._sign)  # a negative verb itself keeps the sign it is said with
        if is_negation(self.tokens, at):
            self._deny(at)
        elif word not in cues.STOP and self._sign < 0:
            self._spend_reach()

    def _cancels(self, word: str) -> bool:
        """Tell whether a word takes the negation before it back: "does not start without X", "not until X"."""
        is_cancel = word in cues.CANCELS or (word == "before" and "must" not in self.tokens)
        return is_cancel and self._sign < 0 and bool(self.turns)

    def _deny(self, at: int) -> None:
        if self.turns and self.tokens[self.turns[0]] == "without" and self.turns[0] <= 1 and self._sign > 0:
            self.turns.pop(0)  # "without X nothing works"
            return
        self._sign = -self._sign
        self._reach = NARROW_REACH_WORDS if _is_narrow(self.tokens, at) else WIDE_REACH_WORDS
        self.turns.append(at)

    def _spend_reach(self) -> None:
        self._reach -= 1
        if self._reach <= 0:
            self._sign = 1


def _begins(tokens: Tokens, at: int, phrases: Phrases) -> bool:
    return any(tokens[at : at + len(phrase)] == phrase for phrase in phrases.get(tokens[at], ()))


def is_negation(tokens: Tokens, at: int) -> bool:
    """Tell whether a negation begins at `at`: "not", "stopped", "no longer", "over" after "prefers"."""
    word = tokens[at]
    if is_no_denial(tokens, at):
        return False
    if _begins(tokens, at, _NEGATIVE_PHRASES):
        return True
    if word == "than" and at > 1 and tokens[at - 1] in ("more", "better") and not cues.LIKE.isdisjoint(tokens[:at]):
        return True
    if word in ("over", "than", "to") and not cues.PREFER.isdisjoint(tokens[: max(at - 1, 0)]):
        return not (word == "to" and tokens[at - 1] in cues.WITH_INFINITIVE)
    return word in cues.NEGATORS or word in cues.NEGATIVE_VERBS


def is_no_denial(tokens: Tokens, at: int) -> bool:
    """Know "nothing but", "not only", "no doubt", "cannot wait", "no later than", the second half of "cannot not", and
    what is gone to or left for.
    """
    word, behind, before = tokens[at], tokens[at + 1 : at + 4], tokens[at - 1] if at else ""
    if word == "used" and at and tokens[at - 1] in cues.PRESENT:
        return True  # "is used to store"
    if word in cues.NEGATIVE_VERBS and word.endswith("ed") and (at == 0 or tokens[at - 1] in ("a", "an", "the")):
        return True  # "a failed job": only which one is meant
    following = behind[0] if behind else ""
    if word in ("without", "no") and following in cues.TROUBLE:
        return True
    if word == "no" and following in cues.SAID_WITH_NO and (not at or before in cues.BOUNDARIES or before == "time"):
        return True  # not "has no worries"
    if word == "no" and following == "matter":
        return True
    if word == "not" and _is_turn_of_phrase(tokens, at):
        return True
    if word in ("nothing", "anything", "not", "never") and (
        ("but" in behind and "," not in behind) or following in ("only", "just")
    ):
        return True
    if word in ("no", "not") and following in cues.COMPARATIVES and "than" in behind:
        return True
    if _is_under_way(word, following) and "good" not in behind:
        return True
    return at > 0 and tokens[at - 1] in cues.NEGATORS and word in cues.NEGATORS


def _is_turn_of_phrase(tokens: Tokens, at: int) -> bool:
    """Know "cannot wait", "not mistaken", "not so long ago"."""
    behind = tokens[at + 1 : at + 4]
    if behind[:1] == ("wait",):
        return at > 0 and tokens[at - 1] in ("can", "could") and tokens[0] not in cues.OF_A_THING
    return "ago" in behind or not cues.SAID_WITH_NOT.isdisjoint(behind[:1])


def _is_under_way(word: str, following: str) -> bool:
    """Tell whether somebody has only gone somewhere, or left for it."""
    if word == "gone":
        return following in cues.TOWARDS or following.endswith("ing")
    return word in ("left", "leaves", "leaving") and following == "for"


def _is_narrow(tokens: Tokens, at: int) -> bool:
    word, before = tokens[at], tokens[at - 1] if at else ""
    if at == 0 and word.endswith("ing"):
        return True  # "losing the job gave her the time for a studio"
    if word in cues.NARROW or (word == "no" and before in ("with", "and", ",", "have")):
        return True
    if _begins(tokens, at, _NARROW_PHRASES):
        return True
    return word in ("not", "no", "never") and at > 1 and before in (",", "and") and len(tokens) - at <= 4


def is_tail(tokens: Tokens, at: int) -> bool:
    """Tell whether the negation only sets something else apart: "tabs, never spaces"."""
    return at > 0 and tokens[at - 1] in (",", "and") and tokens[at] in ("not", "never", "no")
