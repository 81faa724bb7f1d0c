"""First pass over a statement: cut its tokens into phrases, quantities, prepositions and the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from memories.text.wordlist import words

from . import concepts, grammar, measures
from .amounts import read_number, version_value
from .lexicon import Entry, Part, concept_of, find_phrase
from .negation import is_no_denial
from .quantities import UNITLESS, Quantity, point
from .stems import stem
from .times import find_quantity, may_begin_quantity
from .tokens import Token

HAVE = "have"
GENERIC_CONCEPTS = frozenset(concept_of(word) for word in concepts.GENERIC)

_VERB_STEMS = frozenset(stem(verb) for verb in grammar.VERBS) | {HAVE}
_PREDICATE_PARTICLES = {
    "on": Entry(Part.MATTER, "enable", 1),
    "off": Entry(Part.MATTER, "enable", -1),
    "up": Entry(Part.MATTER, "healthy", 1),
    "down": Entry(Part.MATTER, "healthy", -1),
}
_BEFORE_YEARS = words("in since until from of by after before") | measures.MONTHS.keys()
_DETERMINERS = words("a an the this that its his her their my our your no each every of in on for with by")
_BEFORE_BARE_VERBS = grammar.AUXILIARIES | {"to", "not", "never", "user", "and", ",", "they", "you", "please"}


@dataclass(frozen=True)
class Item:
    """A stretch of tokens with one part to play."""

    part: str
    word: str
    entry: Entry | None = None
    quantity: Quantity | None = None
    is_verb: bool = False
    stem: str = ""


def cut(tokens: Sequence[Token]) -> list[Item]:
    """Return the items of a statement in order."""
    return _Segmenter(tokens).items()


class _Segmenter:
    """First pass: cut tokens into items."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.words = [token.text for token in tokens]
        self.stems = [stem(word) for word in self.words]

    def items(self) -> list[Item]:
        found: list[Item] = []
        position = 0
        while position < len(self.words):
            length, item = self._item_at(position)
            found.append(item)
            position += length
        return found

    def _item_at(self, start: int) -> tuple[int, Item]:
        phrase = find_phrase(self.stems, start, min_words=2)
        if phrase is not None:
            return phrase[0], self._of_entry(start, *phrase)
        if may_begin_quantity(self.words[start]):
            found = find_quantity(self.words, start) or self._bare_number(start)
            if found is not None:
                return found[0], Item("quantity", found[1].text, quantity=found[1])
        return 1, self._of_word(start)

    def _of_word(self, at: int) -> Item:
        word = self.words[at]
        if word in _PREDICATE_PARTICLES and self._ends_clause(at):
            return Item("term", word, _PREDICATE_PARTICLES[word])
        closed = _closed_class(word, is_last=at + 1 == len(self.words))
        if closed:
            return Item(closed, word)
        single = find_phrase(self.stems, at)
        if single is not None:
            return self._of_entry(at, *single)
        if not word[0].isalnum() and word[0] != "/":
            return Item("stop", word)
        return Item("term", word, is_verb=self._is_verb(at), stem=self.stems[at])

    def _ends_clause(self, at: int) -> bool:
        """Tell whether nothing hangs on the word at `at`: "is on." but not "is on vacation"."""
        after = self.words[at + 1] if at + 1 < len(self.words) else "."
        return at > 0 and (after in grammar.BOUNDARIES or after in grammar.CONDITIONALS or after in ("and", "by"))

    def _of_entry(self, start: int, length: int, entry: Entry) -> Item:
        word = " ".join(self.words[start : start + length])
        role = self._role_of(entry, start, word)
        part = "term" if role is Part.MATTER else role.value
        is_verb = any(self._is_verb(at) for at in range(start, start + length))
        first = self.stems[start]
        return Item(part, word, entry, is_verb=is_verb, stem=first)

    def _role_of(self, entry: Entry, start: int, word: str) -> Part:
        """Some negators deny nothing where they stand, and one that is a gerund reaches no farther than its object."""
        if entry.part in (Part.MATTER, Part.VOID):
            return entry.part
        if is_no_denial(tuple(self.words), start):
            return Part.VOID
        return Part.NARROW_NEGATOR if start == 0 and word.endswith("ing") else entry.part

    def _is_verb(self, at: int) -> bool:
        """Guess whether a word that may be a verb is one here, from its form and what precedes it."""
        if self.stems[at] not in _VERB_STEMS:
            return False
        before = self.words[at - 1] if at else ""
        if before in _DETERMINERS:
            return False
        is_bare = stem(self.words[at]) == self.words[at].removesuffix("e")
        return not is_bare or at == 0 or before in _BEFORE_BARE_VERBS or before.endswith("s")

    def _bare_number(self, start: int) -> tuple[int, Quantity] | None:
        """Read a number without a unit: a status, a version or port ("port 9000"), a count ("two children")."""
        number = read_number(self.words, start)
        if number is None:
            version = version_value(self.words[start]) if self.words[start][0].isdigit() else None
            number = (1, version) if version is not None else None
        if number is None:
            return None
        used, value = number
        kind = self._kind_of_number(start, start + used, value)
        if kind.startswith("label:"):
            value = version_value(self.words[start]) or value
        return used, point(kind, value / self._seconds_of_rate(start + used), self.words[start])

    def _seconds_of_rate(self, start: int) -> float:
        """Return 60 for a count "per minute", 1 for a count that is no rate."""
        for at in range(start, min(start + 3, len(self.words) - 1)):
            if self.words[at] in ("per", "/", "a", "an", "every", "each"):
                kind, seconds = measures.UNITS.get(self.words[at + 1], ("", 1.0))
                return seconds if kind == "duration" else 1.0
        return 1.0

    def _kind_of_number(self, start: int, end: int, value: float) -> str:
        before = self.words[start - 1] if start else ""
        if value in measures.STATUS_CODES and self._names_status(before, end):
            return "status"
        if before in _BEFORE_YEARS and value in measures.YEARS:
            return "year"
        counted = self._noun_at(end)
        if before and self._is_noun(start - 1) and not (counted and self._is_verb(start - 1)):
            return f"label:{concept_of(before)}"
        return f"count:{counted}" if counted else UNITLESS

    def _names_status(self, before: str, end: int) -> bool:
        follows = self.words[end] if end < len(self.words) else "."
        if before in ("a", "an", "the") and follows in ("redirect", "error", "status", "response", "code"):
            return True
        answers = before in measures.ANSWER_VERBS
        return before in measures.STATUS_WORDS or (
            answers and (follows in measures.STATUS_NOUNS or not follows.isalpha())
        )

    def _noun_at(self, at: int, limit: int = 2) -> str:
        """Return the concept of the noun at `at`, looking past one adjective."""
        for position in range(at, min(at + limit, len(self.words))):
            if not self._is_noun(position):
                return ""
            concept = concept_of(self.words[position])
            if concept not in GENERIC_CONCEPTS:
                return concept
        return ""

    def _is_noun(self, at: int) -> bool:
        word = self.words[at]
        entry = find_phrase(self.stems, at)
        if entry is not None and entry[1].part is not Part.MATTER:
            return False
        return word[0].isalpha() and not _closed_class(word, is_last=False) and word not in grammar.AUXILIARIES


def _closed_class(word: str, *, is_last: bool) -> str:
    """Name the closed class of a word, "" if it has none. A final "a" is a name ("on node a")."""
    if word in grammar.EXCLUSIVES:
        return "exclusive"
    if word in grammar.CONDITIONALS:
        return "conditional"
    if word in grammar.BOUNDARIES:
        return "boundary"
    if word in grammar.AUXILIARIES:
        return "auxiliary"
    if word in grammar.PREPOSITIONS or word == "than":
        return "preposition"
    return "stop" if word in grammar.STOP_WORDS and not (is_last and word == "a") else ""
