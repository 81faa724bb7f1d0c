"""Retrieve by words: which memories hold which of the question's words, stemmed (FTS5 or tsvector), and their BM25."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, zip_longest
from typing import Any

import numpy as np
from django.db import DatabaseError, connection
from numpy.typing import NDArray

from memories.index import scratch_index
from memories.index.app_index import IndexView, Posting
from memories.index.columns import distinct, value_counts
from memories.index.similarity import Floats, Rows
from memories.language.scripts import is_unspaced, spaced
from memories.models import Memory
from memories.models.fulltext import MEMORY, TABLE, WORDS, app_word
from memories.retrieve.question import BROAD_COUNT, BROAD_SHARE
from memories.retrieve.scoped_view import ScopedView
from memories.store.damage import FULLTEXT, noticing_damage, report_damage
from memsite.db.prepared import fetch_all
from memsite.tenancy.models import App
from memsite.tenancy.row_level_security import is_up

LEAST_BEST = 1e-6
"""A best score below this is none."""
# A word that more memories hold than this number, and this share of the app's, tells too little for what it costs.
COMMON_COUNT, COMMON_SHARE = 2_000, 0.05
# So many times as many are asked for: in an app that grows a word stays common for a while.
AHEAD = 1.25
NO_LIMIT = 2**62
# Of so many new rows, or in SQLite of so many numbers from the first to the last of not so few, it is easier to ask of
# all anew.
MOST_NEW, MOST_BETWEEN = 256, 4096
# One text of numbers is read many times as fast as so many rows.
IN_SQLITE = f"(SELECT group_concat(rowid) FROM (SELECT rowid FROM {TABLE} WHERE {TABLE} MATCH %s LIMIT %s))"
# As the tables' owner: under row-level security the index of words could not be used, because its operators might tell
# of rows that are hidden. The function itself looks at nothing but this app.
UNDER_ROW_LEVEL_SECURITY = "memsite_holders(%s, %s, %s)"
IN_POSTGRES = (
    "(SELECT string_agg(id::text, ',') FROM "
    f"(SELECT id FROM {MEMORY} WHERE app_id = %s AND {WORDS} @@ memsite_query(%s, %s) LIMIT %s) AS found)"
)
# An index of words finds a range of numbers as fast as one, and a list one by one.
NEW_IN_SQLITE = f"SELECT {{}}, rowid FROM {TABLE} WHERE {TABLE} MATCH %s AND rowid BETWEEN %s AND %s"
NEW_IN_POSTGRES = (
    f"SELECT {{}}, id FROM {MEMORY} WHERE app_id = %s AND id = ANY(%s) AND {WORDS} @@ memsite_query(%s, %s)"
)
FEW_SUSPECTS = 4
SYMBOL, MOST_SYMBOLS = "So", 8
"""The category of emoji, flags and the like in Unicode. What joins and colours them is of others."""
HANGUL_LETTER = re.compile("[\u1100-\u11ff]")
"""What syllables are made of."""
Pks = NDArray[np.int64]


@dataclass(frozen=True)
class WordMatches:
    """Hold which memories contain which words. `places` has the holders of each of the `names`, 32 at most.

    `weight` (t,) is idf, `shares` (n,) the weight of the words that each memory holds, `bm25` (n,) the score; 0 for
    memories that are not `holding` any. `exact` and `named` (n,) tell of what the question names so: how many of its
    identifiers and quoted phrases each holds, and of its names. What few hold counts 1, what many hold less.
    `own` are, for each word, the places that hold it by themselves, and not because they stand for what held it.
    """

    scoped: ScopedView
    names: list[str]
    places: Sequence[Rows]
    weight: Floats
    shares: Floats
    bm25: Floats
    holding: Rows
    exact: Floats
    named: Floats
    own: Callable[[int], Rows] | None = None

    @cached_property
    def is_exact(self) -> bool:
        """Tell whether any memory holds an identifier or a quoted phrase of the question."""
        return self.exact is not self.scoped.nothing

    @cached_property
    def total(self) -> float:
        return float(self.weight.sum()) or 1.0

    @cached_property
    def best(self) -> float:
        return float(self.bm25[self.holding].max(initial=0))

    @cached_property
    def most_covered(self) -> float:
        """Return the best share of the question's weight that a memory holds."""
        return float(self.shares[self.holding].max(initial=0)) / self.total

    @cached_property
    def within_reach(self) -> float:
        """Return `total`, but with words that nothing holds weighed as if one memory held them.

        In a small app they would outweigh all others together.
        """
        counts = np.array([max(1, len(where)) for where in self.places])
        return float(idf(len(self.bm25), counts).sum()) or 1.0

    @cached_property
    def bits(self) -> NDArray[np.uint32]:
        """Return the words that each memory holds, a bit for each of the names. Shape (n,)."""
        bits = np.zeros(len(self.bm25), np.uint32)
        for number, where in enumerate(self.places):
            bits[where] |= np.uint32(1 << number)
        return bits

    @cached_property
    def by_session(self) -> tuple[NDArray[np.float64], float]:
        """Return BM25 of the sessions as one text each, by their numbers, and the best of them."""
        scoped = self.scoped
        size = len(scoped.session_words)
        # Of most sessions nothing is looked at.
        topic = np.zeros(size)
        if not scoped.has_sessions:
            session = scoped.values_at("session_number", self.holding)
            weight = self.shares[self.holding] * (2.2 / (1 + 1.2 * norm_of(scoped, session)))
            topic[session] = weight
            return topic, float(weight.max(initial=0))
        word = np.repeat(np.arange(len(self.places)), [len(where) for where in self.places])
        # One number for each pair of a word and a session: sorting all at once takes a third of one by one.
        pairs, counts = value_counts(word * size + scoped.values_at("session_number", np.concatenate(self.places)))
        word, session = np.divmod(pairs, size)
        weight = idf(scoped.session_count, np.bincount(word, minlength=len(self.places)))
        np.add.at(topic, session, weight[word] * (counts * 2.2 / (counts + 1.2 * norm_of(scoped, session))))
        return topic, float(topic[session].max(initial=0))

    def topics(self, sessions: NDArray[np.int32]) -> Floats:
        """Return how much some sessions, by number, are about the words: their BM25 as shares of the best of all."""
        if not self.names:
            return np.zeros(len(sessions), np.float32)
        topic, best = self.by_session
        return (topic[sessions] / max(best, LEAST_BEST)).astype(np.float32)

    def work_out(self) -> None:
        """Compute what ranking is going to ask for."""
        if self.names:
            for name in ("total", "best", "most_covered", "bits", "by_session"):
                getattr(self, name)

    def weight_of(self, bits: NDArray[np.uint32]) -> Floats:
        """Return what the words of these bits weigh together."""
        weight: Floats = self.weight @ ((bits & bits_of(len(self.names))[:, None]) != 0)
        return weight

    def share_held(self, rows: Rows) -> Floats:
        """Return the share of what is `within_reach` that each of these holds."""
        share: Floats = self.shares[rows] / np.float32(self.within_reach)
        return share

    def covered(self, rows: Rows) -> Floats:
        """Return the share of the question's weight that each of these holds."""
        share: Floats = self.shares[rows] / np.float32(self.total)
        return share


def norm_of(scoped: ScopedView, sessions: NDArray[np.int32]) -> Floats:
    """Return BM25's norm of some sessions, by number: half of it is how long they are."""
    norm: Floats = np.float32(0.5) + np.float32(0.5) * scoped.session_lengths(sessions)
    return norm


@cache
def bits_of(count: int) -> NDArray[np.uint32]:
    """Return one bit for each of so many words."""
    return np.left_shift(np.uint32(1), np.arange(count, dtype=np.uint32))


def idf(size: int, counts: NDArray[Any] | int) -> Floats:
    """Return Robertson and Spärck Jones's weight, never negative: ln(1 + (N − n + ½) / (n + ½))."""
    weight: Floats = np.log(1 + (size - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    return weight


def match_words(
    scoped: ScopedView,
    names: list[str],
    places: Sequence[Rows],
    exact: Sequence[Rows] = (),
    named: Sequence[Rows] = (),
) -> WordMatches:
    """Weigh words by who holds them. `places` are, for each word, the memories that hold it, each once.

    BM25 over presence: a word counts once per text. Weights are the app's own: other apps' texts change nothing.
    `exact` and `named` are the holders of what the question names.
    """
    exactly, by_name = specificity(scoped, exact), specificity(scoped, named)
    if not names:
        nothing = np.zeros(0, np.float32)
        no_places = np.zeros(0, np.intp)
        return WordMatches(scoped, [], [], nothing, scoped.nothing, scoped.nothing, no_places, exactly, by_name)
    counts = np.array([len(where) for where in places])
    weight, every = idf(scoped.size, counts), np.concatenate(places)
    shares, bm25 = np.zeros(scoped.size, np.float32), np.zeros(scoped.size, np.float32)
    np.add.at(shares, every, np.repeat(weight, counts))
    holding = distinct(every, scoped.size)
    bm25[holding] = shares[holding] * scoped.length_discount(holding)
    return WordMatches(scoped, names, places, weight, shares, bm25, holding, exactly, by_name)


def specificity(scoped: ScopedView, terms: Sequence[Rows]) -> Floats:
    """Return, for each place, the sum over the terms that it holds of (idf / idf of what one memory holds)².

    A term that very many hold tells of none of them.
    """
    telling = [where for where in terms if 0 < len(where) < max(BROAD_COUNT, BROAD_SHARE * scoped.size)]
    if not telling:
        return scoped.nothing
    scores = np.zeros(scoped.size, np.float32)
    for where in telling:
        scores[where] += np.square(idf(scoped.size, len(where)) / idf(scoped.size, 1))
    return scores


def look_up(
    app: App,
    scoped: ScopedView,
    words: Sequence[str],
    exact: Sequence[str] = (),
    named: Sequence[str] = (),
) -> WordMatches:
    """Match the words against the memories in view. Common ones are left out unless no other word is held by any.

    What is `exact` or `named` is looked up with them, as a phrase: at no further query.
    """
    view = scoped.view
    most = max(COMMON_COUNT, int(COMMON_SHARE * view.size))
    terms = [*dict.fromkeys([*words, *exact, *named])]
    rows = rows_with(app, view, terms, most)
    common = {term for term in terms if len(rows[term]) > most}
    places = {term: scoped.places_holding(rows[term]) for term in terms if term not in common}
    exactly, by_name = ([places[term] for term in some if term in places] for some in (exact, named))
    places = {word: places[word] for word in words if word in places}
    if not common.isdisjoint(words) and not any(map(len, places.values())):
        rows = rows_with(app, view, words, NO_LIMIT)
        places = {word: scoped.places_holding(rows[word]) for word in words}
    places = without_boundary_pairs(places)
    matches = match_words(scoped, [*places], [*places.values()], exactly, by_name)
    return replace(matches, own=lambda number: scoped.places_of(rows[matches.names[number]]))


def is_damaged(app: App, scoped: ScopedView, words: WordMatches, hits: Sequence[Memory]) -> bool:
    """Tell whether SQLite's index of words has lost some, as far as one answer shows it.

    It does if no word of the question is held by anything, or one of them by nothing that the index knows, and yet by
    what was found otherwise. No query as long as nothing speaks for it; else two, of a few memories. Zeroed pages make
    the index answer nothing, and say nothing.
    """
    if scoped.view.postings.is_damaged:
        return True
    unheld = [word for word, where in zip(words.names, words.places, strict=True) if not len(where)]
    if connection.vendor != "sqlite" or not unheld:
        return False
    suspects = [row.pk for row in hits if any(word in row.content.casefold() for word in unheld)]
    if not suspects and len(unheld) == len(words.names):
        suspects = [row.pk for row in hits] or scoped.pks[-FEW_SUSPECTS:].tolist()
    try:
        with noticing_damage(app.pk):
            is_lost = bool(suspects) and bool(scratch_index.missing_from_index(suspects[:FEW_SUSPECTS]))
    except DatabaseError:
        is_lost = True
    if is_lost:
        scoped.view.postings.is_damaged = True
        report_damage(app.pk, FULLTEXT)
    return is_lost


def look_up_symbols(app: App, scoped: ScopedView, text: str) -> WordMatches:
    """Match the emoji and other symbols of a text without words against the memories in view.

    The indexes of words know none of them: a query for each, which looks at all texts of the app.
    """
    symbols = list(dict.fromkeys(letter for letter in text if unicodedata.category(letter) == SYMBOL))[:MOST_SYMBOLS]
    rows = Memory.objects.for_app(app).order_by()
    pks = [rows.filter(content__contains=symbol).values_list("pk", flat=True) for symbol in symbols]
    return match_words(scoped, symbols, [np.sort(scoped.places(np.array([*holders], np.int64))) for holders in pks])


def without_boundary_pairs(places: dict[str, Rows]) -> dict[str, Rows]:
    """Leave out pairs that nothing holds and that reach into one which is kept.

    Of a script without spaces all pairs of a question were asked for, and most are where one word ends and the next
    begins.
    """
    words = [*places]
    rest: dict[str, Rows] = {}
    before = ""
    for word, after in zip_longest(words, words[1:], fillvalue=""):
        if not len(places[word]) and is_unspaced(word):
            is_held_after = after and len(places[after]) and overlaps_next(word, after)
            if is_held_after or overlaps_next(before, word):
                continue
        rest[word] = places[word]
        before = word
    return rest


def overlaps_next(pair: str, other: str) -> bool:
    """Tell whether a pair ends as the next begins."""
    return len(pair) > 1 and pair[1:] == other[:-1]


def rows_with(app: App, view: IndexView, words: Sequence[str], most: int) -> dict[str, Rows]:
    """Return the living rows that hold each word, or more than `most` of them where there are more.

    What was asked before is asked of the new rows alone. At most 3 queries.
    """
    before = {word: posting for word in words if (posting := view.postings.get(word))}
    postings = {word: known for word, known in before.items() if known.whole or len(living(view, known)) > most}
    postings = continued(app, view, postings)
    postings |= asked_anew(app, view, [word for word in words if word not in postings], most)
    for word, posting in postings.items():
        if posting is not before.get(word):
            view.postings.put(word, posting)
    return {word: living(view, postings[word]) for word in words}


def living(view: IndexView, posting: Posting) -> Rows:
    """Return the living rows of a posting in this view, which may be older than the posting."""
    alive = view.columns.alive
    rows = posting.rows[posting.rows < len(alive)] if posting.asked > len(alive) else posting.rows
    return rows[alive[rows]]


def continued(app: App, view: IndexView, postings: dict[str, Posting]) -> dict[str, Posting]:
    """Continue postings with the new rows that hold the words; drop the words of which it is easier to ask anew."""
    alive = view.columns.alive
    behind = {word: posting for word, posting in postings.items() if posting.asked < len(alive)}
    if not behind:
        return postings
    first = min(posting.asked for posting in behind.values())
    new = first + np.flatnonzero(alive[first:])
    pks = view.columns.pk[new]
    holders = new_holders(list(behind), pks, app.pk, int(view.columns.length[new].sum()))
    if holders is None:
        return {word: posting for word, posting in postings.items() if word not in behind}
    row_of = dict(zip(pks.tolist(), new.tolist(), strict=True))
    for (word, posting), holding in zip(behind.items(), holders, strict=True):
        more = sorted(row for pk in holding if (row := row_of.get(pk, -1)) >= posting.asked)
        postings[word] = posting.and_then(more, len(alive))
    return postings


def asked_anew(app: App, view: IndexView, words: Sequence[str], most: int) -> dict[str, Posting]:
    """Return new postings: in SQLite first of all apps at once, where the index answers fast, then of this app alone.

    What others have is not in the view.
    """
    if not words:
        return {}
    size = len(view.columns.pk)
    postings: dict[str, Posting] = {}
    if most < NO_LIMIT:
        limit = int(AHEAD * most) + 1
        whose = None if connection.vendor == "sqlite" else app.pk
        for word, pks in zip(words, holders(words, limit, whose), strict=True):
            posting = Posting(np.sort(view.rows_of(pks)), size, whole=len(pks) < limit)
            if posting.whole or len(posting.rows) > most:
                postings[word] = posting
    unsure = [word for word in words if word not in postings]
    for word, pks in zip(unsure, holders(unsure, NO_LIMIT, app.pk), strict=True):
        postings[word] = Posting(np.sort(view.rows_of(pks)), size, whole=True)
    return postings


def holders(words: Sequence[str], most: int, app_pk: int | None) -> list[Pks]:
    """Return, for each word, the pks of memories with it in content, subject or tags, `most` of them. One query.

    In SQLite of all apps if none is given: ten times as fast where one has most memories, slow where others have many
    more.
    """
    if connection.vendor == "sqlite":
        return fetch_holders(IN_SQLITE, [(expression(word, app_pk), most) for word in words])
    if is_up():
        return fetch_holders(UNDER_ROW_LEVEL_SECURITY, [(app_pk, word, most) for word in words])
    return fetch_holders(IN_POSTGRES, [(app_pk, app_pk, word, most) for word in words])


def new_holders(words: Sequence[str], pks: Pks, app_pk: int, characters: int) -> list[list[int]] | None:
    """Return, for each word, those of these memories that hold it. One query. None where it is easier to ask anew.

    The memories have so many `characters` together; in SQLite others with pks between may be among them. They are few:
    a row for each takes less than to put them together.
    """
    if not len(pks):
        return [[] for _ in words]
    if len(pks) > MOST_NEW:
        return None
    if connection.vendor != "sqlite":
        return fetch_new_holders(NEW_IN_POSTGRES, [[app_pk, pks.tolist(), app_pk, word] for word in words])
    expressions = [expression(word, None) for word in words]
    if len(pks) <= scratch_index.FEW_TEXTS and characters <= scratch_index.FEW_CHARACTERS:
        return scratch_index.holders(expressions, pks.tolist())
    first, last = int(pks.min()), int(pks.max())
    if last - first > MOST_BETWEEN:
        return None
    return fetch_new_holders(NEW_IN_SQLITE, [[expression, first, last] for expression in expressions])


def fetch_new_holders(query: str, parameters: Sequence[Sequence[Any]]) -> list[list[int]]:
    """Return what each of as many queries of this kind finds. One query."""
    holders: list[list[int]] = [[] for _ in parameters]
    union = " UNION ALL ".join(map(query.format, range(len(parameters))))
    for number, pk in fetch_all(union, [*chain.from_iterable(parameters)]):
        holders[number].append(pk)
    return holders


def fetch_holders(subquery: str, parameters: Sequence[tuple[Any, ...]]) -> list[Pks]:
    """Return what each of as many subqueries of this kind finds. One query, if there is anything to ask."""
    if not parameters:
        return []
    (row,) = fetch_all(f"SELECT {', '.join([subquery] * len(parameters))}", [*chain.from_iterable(parameters)])
    return [np.fromstring(pks or "", np.int64, sep=",") for pks in row]


def expression(word: str, app_pk: int | None) -> str:
    """Return FTS5's expression for a word, quoted so that nothing in it is syntax. Several tokens make a phrase.

    A word may have been typed with its marks apart, as in names of files on a Mac. The index takes that for the same of
    Latin letters. What is Korean is a word up to the next space then.
    """
    match, apart = f'"{spaced(word)}"', unicodedata.normalize("NFD", word)
    if apart != word and not all(letter.isascii() or unicodedata.combining(letter) for letter in apart):
        match = f'({match} OR "{spaced(apart)}"{" *" if HANGUL_LETTER.search(apart) else ""})'
    if app_pk is not None:
        return f'app : "{app_word(app_pk)}" AND {{content subject tags}} : {match}'
    # Without naming columns it is faster, but the column of apps holds words, too: each has a number in it.
    return f"{{content subject tags}} : {match}" if any(map(str.isdigit, word)) else match
