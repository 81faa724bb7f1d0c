"""Read a text into a `Statement`: settle what each of its words hangs on, and what is denied.

A first pass makes items of the text; the reader walks over them once and keeps the state of the clause: its slot, its
negation, its subject.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from memories.language.relate import grammar
from memories.language.relate.grammar import stem
from memories.language.relate.lexicon import (
    Entry,
    Part,
    Token,
    concept_of,
    find_phrase,
    has_english,
    is_english,
    tokenize,
)
from memories.language.relate.quantities import (
    UNITLESS,
    Quantity,
    find_quantity,
    may_begin_quantity,
    point,
    read_number,
    version_value,
)
from memories.language.wordlists import words

Tokens = tuple[str, ...]
Phrases = dict[str, list[Tokens]]
"""By their first word."""

NARROW_REACH_WORDS = 2
WIDE_REACH_WORDS = 99
DENIED = 6
"""Tokens up to which a "not" reaches its "before" or "until"."""


_NEGATIVE_PHRASES: Phrases = {}
_NARROW_PHRASES: Phrases = {}
for _table, _phrases in ((_NEGATIVE_PHRASES, grammar.NEGATIVE_PHRASES), (_NARROW_PHRASES, grammar.NARROW_PHRASES)):
    for _phrase in _phrases:
        _table.setdefault(_phrase[0], []).append(_phrase)


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
        for place in range(len(tokens)):
            self._take(place)

    def _take(self, place: int) -> None:
        word = self.tokens[place]
        if word in grammar.BOUNDARIES and not (word == "since" and place == 0):
            self._sign = 1
        elif (
            self._sign < 0
            and self.turns
            and (word in grammar.CANCELS or (word == "before" and "must" not in self.tokens))
        ):
            # It takes the negation before it back: "does not start without X", "not until X".
            self.turns.pop()
            self._sign = 1
            self.signs.append(1)
            return
        self.signs.append(self._sign)  # a negative verb itself keeps the sign it is said with
        if is_negation(self.tokens, place):
            self._deny(place)
        elif word not in grammar.STOP and self._sign < 0:
            self._reach -= 1
            if self._reach <= 0:
                self._sign = 1

    def _deny(self, place: int) -> None:
        if self.turns and self.tokens[self.turns[0]] == "without" and self.turns[0] <= 1 and self._sign > 0:
            self.turns.pop(0)  # "without X nothing works"
            return
        self._sign = -self._sign
        self._reach = NARROW_REACH_WORDS if _is_narrow(self.tokens, place) else WIDE_REACH_WORDS
        self.turns.append(place)


def _begins(tokens: Tokens, place: int, phrases: Phrases) -> bool:
    return any(tokens[place : place + len(phrase)] == phrase for phrase in phrases.get(tokens[place], ()))


def is_negation(tokens: Tokens, place: int) -> bool:
    """Tell whether a negation begins at `place`: "not", "stopped", "no longer", "over" after "prefers"."""
    word = tokens[place]
    if is_no_denial(tokens, place):
        return False
    if _begins(tokens, place, _NEGATIVE_PHRASES):
        return True
    is_more_than = word == "than" and place > 1 and tokens[place - 1] in ("more", "better")
    if is_more_than and not grammar.LIKE.isdisjoint(tokens[:place]):
        return True
    if word in ("over", "than", "to") and not grammar.PREFER.isdisjoint(tokens[: max(place - 1, 0)]):
        return not (word == "to" and tokens[place - 1] in grammar.WITH_INFINITIVE)
    return word in grammar.NEGATORS or word in grammar.NEGATIVE_VERBS


def is_no_denial(tokens: Tokens, place: int) -> bool:
    """Tell whether a negation denies nothing.

    "nothing but", "not only", "no doubt", "cannot wait", "no later than", the second half of "cannot not", and what
    is gone to or left for.
    """
    word, behind, before = tokens[place], tokens[place + 1 : place + 4], tokens[place - 1] if place else ""
    if word in grammar.NEGATIVE_VERBS and word.endswith("ed") and before in ("", "a", "an", "the"):
        return True  # "a failed job": only which one is meant
    following = behind[0] if behind else ""
    if (word in ("without", "no") and following in grammar.TROUBLE) or (word == "no" and following == "matter"):
        return True
    if (
        word == "no"
        and following in grammar.SAID_WITH_NO
        and (not place or before in grammar.BOUNDARIES or before == "time")
    ):
        return True  # not "has no worries"
    # "Cannot wait", "not so long ago", "not mistaken".
    can_wait = before in ("can", "could") and tokens[0] not in grammar.OF_A_THING
    is_said = can_wait if following == "wait" else "ago" in behind or following in grammar.SAID_WITH_NOT
    if word == "not" and is_said:
        return True
    if word in ("nothing", "anything", "not", "never") and (
        ("but" in behind and "," not in behind) or following in ("only", "just")
    ):
        return True
    if word in ("no", "not") and following in grammar.COMPARATIVES and "than" in behind:
        return True
    is_going = following in grammar.TOWARDS or following.endswith("ing")
    is_leaving = word in ("left", "leaves", "leaving") and following == "for"
    if (is_leaving or (word == "gone" and is_going)) and "good" not in behind:
        return True
    return place > 0 and tokens[place - 1] in grammar.NEGATORS and word in grammar.NEGATORS


def _is_narrow(tokens: Tokens, place: int) -> bool:
    word, before = tokens[place], tokens[place - 1] if place else ""
    if word in grammar.NARROW or (word == "no" and before in ("with", "and", ",", "have")):
        return True
    if _begins(tokens, place, _NARROW_PHRASES):
        return True
    return word in ("not", "no", "never") and place > 1 and before in (",", "and") and len(tokens) - place <= 4


def is_tail(tokens: Tokens, place: int) -> bool:
    """Tell whether the negation only sets something else apart: "tabs, never spaces"."""
    return place > 0 and tokens[place - 1] in (",", "and") and tokens[place] in ("not", "never", "no")


HAVE_STEM = "have"
GENERIC_CONCEPTS = frozenset(map(concept_of, grammar.GENERIC))

_VERB_STEMS = frozenset(stem(verb) for verb in grammar.VERBS) | {HAVE_STEM}
_PREDICATE_PARTICLES = {
    "on": Entry(Part.MATTER, "enable", 1),
    "off": Entry(Part.MATTER, "enable", -1),
    "up": Entry(Part.MATTER, "healthy", 1),
    "down": Entry(Part.MATTER, "healthy", -1),
}
_BEFORE_YEARS = words("in since until from of by after before") | grammar.MONTHS.keys()
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


class _Segmenter:
    """First pass: cut tokens into items."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.words = [token.text for token in tokens]
        self.stems = [stem(word) for word in self.words]

    def items(self) -> list[Item]:
        items: list[Item] = []
        position = 0
        while position < len(self.words):
            length, item = 1, None
            if phrase := find_phrase(self.stems, position, min_words=2):
                length, item = phrase[0], self._of_entry(position, *phrase)
            elif may_begin_quantity(self.words[position]):
                quantity = find_quantity(self.words, position) or self._bare_number(position)
                if quantity:
                    length, item = quantity[0], Item("quantity", quantity[1].text, quantity=quantity[1])
            items.append(item or self._of_word(position))
            position += length
        return items

    def _of_word(self, place: int) -> Item:
        word = self.words[place]
        if word in _PREDICATE_PARTICLES and place:
            after = self.words[place + 1] if place + 1 < len(self.words) else "."
            # "Is on." but not "is on vacation".
            if after in grammar.CLAUSE_BOUNDARIES or after in grammar.CONDITIONALS or after in ("and", "by"):
                return Item("term", word, _PREDICATE_PARTICLES[word])
        closed = _closed_class(word, is_last=place + 1 == len(self.words))
        if closed:
            return Item(closed, word)
        single = find_phrase(self.stems, place)
        if single is not None:
            return self._of_entry(place, *single)
        if not word[0].isalnum() and word[0] != "/":
            return Item("stop", word)
        return Item("term", word, is_verb=self._is_verb(place), stem=self.stems[place])

    def _of_entry(self, start: int, length: int, entry: Entry) -> Item:
        word = " ".join(self.words[start : start + length])
        role = entry.part
        if role not in (Part.MATTER, Part.VOID):
            # Some negators deny nothing where they stand, and a gerund reaches no farther than its object.
            if is_no_denial(tuple(self.words), start):
                role = Part.VOID
            elif start == 0 and word.endswith("ing"):
                role = Part.NARROW_NEGATOR
        part = "term" if role is Part.MATTER else role.value
        is_verb = any(self._is_verb(place) for place in range(start, start + length))
        first = self.stems[start]
        return Item(part, word, entry, is_verb=is_verb, stem=first)

    def _is_verb(self, place: int) -> bool:
        """Guess whether a word that may be a verb is one here, from its form and what precedes it."""
        if self.stems[place] not in _VERB_STEMS:
            return False
        before = self.words[place - 1] if place else ""
        if before in _DETERMINERS:
            return False
        is_bare = stem(self.words[place]) == self.words[place].removesuffix("e")
        return not is_bare or place == 0 or before in _BEFORE_BARE_VERBS or before.endswith("s")

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
        seconds = 1.0
        for place in range(start + used, min(start + used + 3, len(self.words) - 1)):
            if self.words[place] in ("per", "/", "a", "an", "every", "each"):
                # 60 for a count "per minute".
                unit, factor = grammar.UNITS.get(self.words[place + 1], ("", 1.0))
                seconds = factor if unit == "duration" else 1.0
                break
        return used, point(kind, value / seconds, self.words[start])

    def _kind_of_number(self, start: int, end: int, value: float) -> str:
        before = self.words[start - 1] if start else ""
        follows = self.words[end] if end < len(self.words) else "."
        if value in grammar.STATUS_CODES:
            is_called = before in ("a", "an", "the") and follows in ("redirect", "error", "status", "response", "code")
            is_answer = follows in grammar.STATUS_NOUNS or not follows.isalpha()
            answers = before in grammar.STATUS_WORDS or (before in grammar.ANSWER_VERBS and is_answer)
            if is_called or answers:
                return "status"
        if before in _BEFORE_YEARS and value in grammar.YEARS:
            return "year"
        # The noun that is counted, past one adjective.
        counted = ""
        for place in range(end, min(end + 2, len(self.words))):
            if counted or not self._is_noun(place):
                break
            concept = concept_of(self.words[place])
            counted = "" if concept in GENERIC_CONCEPTS else concept
        if before and self._is_noun(start - 1) and not (counted and self._is_verb(start - 1)):
            return f"label:{concept_of(before)}"
        return f"count:{counted}" if counted else UNITLESS

    def _is_noun(self, place: int) -> bool:
        word = self.words[place]
        entry = find_phrase(self.stems, place)
        if entry is not None and entry[1].part is not Part.MATTER:
            return False
        return word[0].isalpha() and not _closed_class(word, is_last=False) and word not in grammar.AUXILIARIES


def _closed_class(word: str, *, is_last: bool) -> str:
    """Name the closed class of a word, "" if it has none. A final "a" is a name ("on node a")."""
    if word in grammar.EXCLUSIVES:
        return "exclusive"
    if word in grammar.CONDITIONALS:
        return "conditional"
    if word in grammar.CLAUSE_BOUNDARIES:
        return "boundary"
    if word in grammar.AUXILIARIES:
        return "auxiliary"
    if word in grammar.PREPOSITIONS or word == "than":
        return "preposition"
    return "stop" if word in grammar.STOP_WORDS and not (is_last and word == "a") else ""


@dataclass(frozen=True)
class Term:
    """A word or phrase that carries matter.

    `sign` is -1 where the statement denies it; `cue` numbers the negation that does, None if no word but
    its own does. `slot` is the preposition or verb it hangs on, "subject" before the verb.
    """

    concept: str
    word: str
    sign: int
    slot: str
    weight: float
    clause: int = 0
    cue: int | None = None
    is_implied: bool = False


@dataclass(frozen=True)
class Statement:
    """One statement as read."""

    terms: tuple[Term, ...]
    quantities: tuple[Quantity, ...]
    is_english: bool = True

    @cached_property
    def signs(self) -> dict[str, frozenset[int]]:
        """Return concept → the signs it is used with."""
        signs: dict[str, set[int]] = {}
        for term in self.terms:
            signs.setdefault(term.concept, set()).add(term.sign)
        return {concept: frozenset(values) for concept, values in signs.items()}


MAX_CHARS = 4_000
"""Longer texts are read up to here; a statement is a sentence or two."""

MAX_QUANTITIES = 24
"""More numbers than this are a table, not a statement; the rest are left unread."""

GENERIC_WEIGHT = 0.3
SUBJECT_NAME_WEIGHT = 0.2

_PREFERENCE_STEMS = frozenset(stem(verb) for verb in grammar.PREFERENCE_VERBS)
_CHANGE_STEMS = frozenset(stem(verb) for verb in grammar.CHANGE_VERBS)
_GENERIC_STEMS = frozenset(map(stem, grammar.GENERIC))
_KIND_OF = {concept_of(member): kind for kind, members in grammar.LISTS["kinds"].items() for member in members.split()}
_ABSTAINS_FROM = {concept_of(trait): kinds.split() for trait, kinds in grammar.LISTS["abstentions"].items()}


@lru_cache(maxsize=4_096)
def read(text: str, subject: str = "") -> Statement:
    """Read one statement. `subject` is the service it is about; its name says nothing new in the text."""
    tokens = tokenize(text[:MAX_CHARS])
    reader = _Reader(subject)
    for item in _Segmenter(tokens).items():
        reader.take(item)
    texts = [token.text for token in tokens]
    plain = [token.text for token in tokens if not token.is_name or text.isupper()]
    return Statement(tuple(reader.terms), tuple(reader.quantities), is_english=is_english(texts) and has_english(plain))


class _Reader:
    """Second pass: walk over the items and keep the state of the clause."""

    def __init__(self, subject: str) -> None:
        self.subject_concepts = {concept_of(token.text) for token in tokenize(subject)}
        self.terms: list[Term] = []
        self.quantities: list[Quantity] = []
        self.verbs: list[str] = []
        self.clause = 0
        self.cues = 0
        self._open_clause()

    def _open_clause(self) -> None:
        self.clause += 1
        self.slot = "subject"
        self.cue: int | None = None
        self.sign = 1
        self.is_narrow = False
        self.terms_in_scope = 0
        self.order = 0
        self.prefers = self.changes = False

    def take(self, item: Item) -> None:
        handler = getattr(self, "_take_" + item.part.replace(" ", "_"), None)
        if handler is not None:
            handler(item)

    def _take_boundary(self, item: Item) -> None:
        self._open_clause()

    def _take_conditional(self, item: Item) -> None:
        if item.word in ("unless", "until") and self.cue is not None and not self.is_narrow:
            self._cancel_negation()  # "does not start unless X" starts when X
        self._open_clause()

    def _take_auxiliary(self, item: Item) -> None:
        self.slot = "be" if self.slot == "subject" else self.slot
        if self.terms_in_scope:
            self.is_narrow = False  # "no messages are lost" denies the sentence
        if item.word in ("has", "have", "had"):
            self.slot = HAVE_STEM

    def _take_negator(self, item: Item) -> None:
        self._deny(narrow=False)
        if item.word in grammar.ENDINGS and self.sign < 0:
            self._deny_what_came_before()
        self.slot = "be" if self.slot == "subject" else self.slot

    def _take_narrow_negator(self, item: Item) -> None:
        if item.word == "no" and self.slot == "subject":
            self._deny(narrow=False)  # "no messages are lost"
        elif self.cue is not None and not self.is_narrow:
            self._cancel_negation()  # "does not start without X" needs X
            self._add_silent("need", item.word, 1)
        else:
            self._deny(narrow=True)

    def _deny(self, *, narrow: bool) -> None:
        if self.cue is not None and self.terms_in_scope:
            self._end_negation()  # "sold the boat and gave up sailing" denies twice, not a denial
        self.cues += 1
        self.cue, self.is_narrow, self.terms_in_scope = self.cues, narrow, 0
        self.sign = -self.sign

    def _end_negation(self) -> None:
        self.cue, self.sign, self.is_narrow = None, 1, False

    def _cancel_negation(self) -> None:
        self.terms = [replace(t, sign=-t.sign, cue=None) if t.cue == self.cue else t for t in self.terms]
        self._end_negation()

    def _take_preposition(self, item: Item) -> None:
        if self.is_narrow and self.terms_in_scope:
            self._end_negation()
        if (item.word in ("over", "than") and self.prefers) or (item.word == "from" and self.changes):
            self._deny(narrow=True)
        self.slot = item.word
        self.order = {"before": -1, "after": 1}.get(item.word, 0)
        if item.word == "before" and self.cue is not None and not self.is_narrow:
            self._cancel_negation()  # "does not start before X" starts after X
            self.order = 1

    def _take_quantity(self, item: Item) -> None:
        assert item.quantity is not None
        quantity = item.quantity
        if len(self.quantities) < MAX_QUANTITIES:
            self.quantities.append(quantity)
        if quantity.kind == "percentage" and quantity.low < 0 and "store" in self.verbs:
            self._add_term("full", quantity.text, -self.sign, weight=GENERIC_WEIGHT)  # "keeps below 40 percent"

    def _take_term(self, item: Item) -> None:
        concept = item.entry.concept if item.entry else item.stem
        if item.is_verb:
            if self.is_narrow and self.terms_in_scope:
                self._end_negation()
            self.verbs.append(concept)
            self.prefers |= item.stem in _PREFERENCE_STEMS
            self.changes |= item.stem in _CHANGE_STEMS
            self.slot = concept
        if item.word in grammar.LIGHT_PREDICATES and self.sign < 0:
            self._deny_what_came_before()
        own_sign = item.entry.sign if item.entry else 1
        is_generic = concept in GENERIC_CONCEPTS or item.stem in _GENERIC_STEMS
        weight = 0.0 if item.stem == HAVE_STEM else GENERIC_WEIGHT if is_generic else 1.0
        weight = SUBJECT_NAME_WEIGHT if concept in self.subject_concepts else weight
        self._add_term(concept, item.word, own_sign * self.sign, weight=weight)
        if own_sign * self.sign > 0:
            # What the term entails: steak is meat; a vegetarian goes without meat.
            for kind in _ABSTAINS_FROM.get(concept, ()):
                self._add_silent(kind, concept, -1)
            if concept in _KIND_OF:
                self._add_silent(_KIND_OF[concept], concept, 1)
        if self.order:
            self._add_silent(f"after {concept}", item.word, self.order)
            self.order = 0
        self.terms_in_scope += 1

    def _add_term(self, concept: str, word: str, sign: int, *, weight: float) -> None:
        self.terms.append(Term(concept, word, sign, self.slot, weight, self.clause, self.cue))

    def _add_silent(self, concept: str, word: str, sign: int) -> None:
        self.terms.append(Term(concept, word, sign, self.slot, 0.0, self.clause, is_implied=True))

    def _deny_what_came_before(self) -> None:
        self.terms = [
            replace(term, sign=-term.sign, cue=self.cue) if term.clause == self.clause and term.cue is None else term
            for term in self.terms
        ]
