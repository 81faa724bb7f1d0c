"""Read a text into a `Statement`: settle what each of its words hangs on, and what is denied.

`segments.cut` has made items of the text; the reader walks over them once and keeps the state of the
clause: its slot, its negation, its subject.
"""

from dataclasses import replace
from functools import lru_cache

from . import concepts, grammar
from .language import has_english, is_english
from .lexicon import concept_of
from .quantities import Quantity
from .segments import GENERIC_CONCEPTS, HAVE, Item, cut
from .statement import Statement, Term
from .stems import stem
from .tokens import tokenize

MAX_CHARS = 4_000
"""Longer texts are read up to here; a statement is a sentence or two."""

MAX_QUANTITIES = 24
"""More numbers than this are a table, not a statement; the rest are left unread."""

GENERIC_WEIGHT = 0.3
SUBJECT_NAME_WEIGHT = 0.2

_PREFERENCE_STEMS = frozenset(stem(verb) for verb in grammar.PREFERENCE_VERBS)
_CHANGE_STEMS = frozenset(stem(verb) for verb in grammar.CHANGE_VERBS)
_GENERIC_STEMS = frozenset(stem(word) for word in concepts.GENERIC)
_KIND_OF = {concept_of(member): kind for kind, members in concepts.KINDS.items() for member in members.split()}
_ABSTAINS_FROM = {concept_of(trait): kinds.split() for trait, kinds in concepts.ABSTENTIONS.items()}


@lru_cache(maxsize=4_096)
def read(text: str, subject: str = "") -> Statement:
    """Read one statement. `subject` is the service it is about; its name says nothing new in the text."""
    tokens = tokenize(text[:MAX_CHARS])
    reader = _Reader(subject)
    for item in cut(tokens):
        reader.take(item)
    found = [token.text for token in tokens]
    plain = [token.text for token in tokens if not token.is_name or text.isupper()]
    return replace(reader.statement(), is_english=is_english(found) and has_english(plain))


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

    def statement(self) -> Statement:
        return Statement(tuple(self.terms), tuple(self.quantities))

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
            self.slot = HAVE

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
            self._take_verb(item, concept)
        if item.word in grammar.LIGHT_PREDICATES and self.sign < 0:
            self._deny_what_came_before()
        own_sign = item.entry.sign if item.entry else 1
        self._add_term(concept, item.word, own_sign * self.sign, weight=self._weight(concept, item))
        self._add_implied(concept, own_sign * self.sign)
        if self.order:
            self._add_silent(f"after {concept}", item.word, self.order)
            self.order = 0
        self.terms_in_scope += 1

    def _take_verb(self, item: Item, concept: str) -> None:
        if self.is_narrow and self.terms_in_scope:
            self._end_negation()
        self.verbs.append(concept)
        self.prefers |= item.stem in _PREFERENCE_STEMS
        self.changes |= item.stem in _CHANGE_STEMS
        self.slot = concept

    def _weight(self, concept: str, item: Item) -> float:
        if concept in self.subject_concepts:
            return SUBJECT_NAME_WEIGHT
        if item.stem == HAVE:
            return 0.0
        is_generic = concept in GENERIC_CONCEPTS or item.stem in _GENERIC_STEMS
        return GENERIC_WEIGHT if is_generic else 1.0

    def _add_term(self, concept: str, word: str, sign: int, *, weight: float) -> None:
        self.terms.append(Term(concept, word, sign, self.slot, weight, self.clause, self.cue))

    def _add_implied(self, concept: str, sign: int) -> None:
        """Add what the term entails: steak is meat; a vegetarian goes without meat."""
        if sign < 0:
            return
        entailed = [(kind, -1) for kind in _ABSTAINS_FROM.get(concept, ())]
        if concept in _KIND_OF:
            entailed.append((_KIND_OF[concept], 1))
        for kind, entailed_sign in entailed:
            self._add_silent(kind, concept, entailed_sign)

    def _add_silent(self, concept: str, word: str, sign: int) -> None:
        self.terms.append(Term(concept, word, sign, self.slot, 0.0, self.clause, is_implied=True))

    def _deny_what_came_before(self) -> None:
        clause = self.clause
        denied = (
            replace(t, sign=-t.sign, cue=self.cue) if t.clause == clause and t.cue is None else t for t in self.terms
        )
        self.terms = list(denied)
