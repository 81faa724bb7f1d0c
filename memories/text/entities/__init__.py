"""What a text names: people, products, hosts, files, identifiers. The graph has a node for each."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import islice

from memories.text.entities.names import find_names
from memories.text.entities.patterns import read_form

MAX_ENTITIES = 64
MAX_KEY_CHARS = 200
MAX_SUBJECT_WORDS = 8
MAX_QUOTED_WORDS = 6
MOST_WORDS_READ = 100
_CHUNK = re.compile(r"[^\s,;()\[\]{}<>\"“”„|`]+")
_EDGES = ".:!?'‘’*…"
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)")
_NUMBERED = re.compile(
    r"(?<!\w)(?:(port)s? (\d{1,5})|(?:version|release) (\d+(?:\.\d+){0,3}))(?![\w.]*\w)", re.IGNORECASE
)
_APOSTROPHES = str.maketrans("’‘`´", "''''")
_KEY_EDGES = re.compile(r"^[\W_]+|(?:'s|[^\w+#]|_)+$")
_SPELLED_WHOLE = re.compile(r"[/.@:\\]")
_HYPHENS = re.compile(r"[_-]+")
_KEY_VERSION = re.compile(r"v(\d+(?:\.\d+)+.*)")
_PIECES = re.compile(r"[^/:=.]+")


@dataclass(frozen=True, slots=True)
class Entity:
    """`name` as the text spells it, or the app if it is one of its subjects.

    `kind` is one of name, product, identifier, env, flag, path, file, host, ip, port, url, email, version, tag, handle,
    quoted, subject.
    """

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Mention:
    entity: Entity
    start: int
    end: int


def find_entities(text: str, subjects: Collection[str] = ()) -> list[Entity]:
    """The entities of a text in the order of their first mention, one per key, at most MAX_ENTITIES.

    Linear in the length of the text. The app's `subjects` are found as whole words in any spelling of their key.
    """
    return [mention.entity for mention in find_mentions(unicodedata.normalize("NFC", text), subjects)]


def find_mentions(text: str, subjects: Collection[str] = ()) -> list[Mention]:
    """As `find_entities`, with the place of each first mention."""
    known = {key: subject for subject in subjects if (key := entity_key(subject))}
    forms = list(_find_forms(text))
    in_subject = list(_find_subjects(text, known))
    is_taken, is_in_subject = _covered_by(forms), _covered_by(in_subject)
    mentions = [*forms, *in_subject, *_find_numbered(text), *_find_quoted(text)]
    mentions += [
        Mention(Entity(name.text, name.kind), name.start, name.start + len(name.text))
        for name in find_names(text, is_taken)
        if not (is_in_subject(name.start) and is_in_subject(name.start + len(name.text) - 1))
    ]
    mentions.sort(key=lambda mention: (mention.start, -mention.end))
    return _distinct(mentions, known)


def entity_key(name: str) -> str:
    """What all spellings of a name share: "Postgres's" → "postgres", "node_a" → "node a", "v1.2" → "1.2".

    Inside of addresses, paths and versions, punctuation tells one from another and is kept. "" for punctuation alone.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name[:MAX_KEY_CHARS]).casefold())
    return " ".join(word for chunk in plain.translate(_APOSTROPHES).split() for word in _key_words(chunk))


def phrase_keys(text: str, longest: int = MAX_SUBJECT_WORDS) -> list[str]:
    """The keys of all runs of at most `longest` words, and eight: what an entity may be called that the text names."""
    if not longest:
        return []
    words = [word for word, _, _ in islice(_subject_words(text), MOST_WORDS_READ)]
    most = min(longest, MAX_SUBJECT_WORDS)
    runs = (words[at : at + size] for size in range(1, most + 1) for at in range(len(words) - size + 1))
    return list(dict.fromkeys(" ".join(run) for run in runs))


def _key_words(chunk: str) -> Iterator[str]:
    trimmed = _KEY_EDGES.sub("", chunk)
    whole = [trimmed] if _SPELLED_WHOLE.search(trimmed) else _HYPHENS.sub(" ", trimmed).split()
    for word in whole:
        bare = _KEY_EDGES.sub("", word)
        version = _KEY_VERSION.fullmatch(bare)
        if bare:
            yield version[1] if version else bare


def _distinct(mentions: list[Mention], known: dict[str, str]) -> list[Mention]:
    kept: dict[str, Mention] = {}
    for mention in mentions:
        key = entity_key(mention.entity.name)
        if key and key not in kept:
            subject = known.get(key)
            kept[key] = Mention(Entity(subject, "subject"), mention.start, mention.end) if subject else mention
            if len(kept) == MAX_ENTITIES:
                break
    return list(kept.values())


def _find_forms(text: str) -> Iterator[Mention]:
    for chunk in _CHUNK.finditer(text):
        trimmed = chunk.group().lstrip("'‘*:!?").rstrip(_EDGES)
        if not trimmed:
            continue
        start = chunk.start() + chunk.group().find(trimmed)
        is_assignment = "=" in trimmed and "://" not in trimmed
        for piece, offset in _assigned(trimmed) if is_assignment else [(trimmed, 0)]:
            bare = piece[:-2] if piece.endswith(("'s", "’s")) else piece
            for name, kind in read_form(bare):
                yield Mention(Entity(name, kind), start + offset, start + offset + len(bare))


def _assigned(word: str) -> Iterator[tuple[str, int]]:
    """Read "PORT=8080" as two words, with their places."""
    offset = 0
    for piece in word.split("="):
        yield piece, offset
        offset += len(piece) + 1


def _find_numbered(text: str) -> Iterator[Mention]:
    """Read "port 8080", "version 3.11"."""
    for match in _NUMBERED.finditer(text):
        entity = Entity(f"port {match[2]}", "port") if match[1] else Entity(match[3], "version")
        yield Mention(entity, match.start(), match.end())


def _find_quoted(text: str) -> Iterator[Mention]:
    """Terms in quotation marks or backticks; longer ones are speech."""
    for match in _QUOTED.finditer(text):
        term = next(group for group in match.groups() if group).strip()
        if term and len(term.split()) <= MAX_QUOTED_WORDS:
            yield Mention(Entity(term, "quoted"), match.start() + 1, match.end() - 1)


def _covered_by(mentions: list[Mention]) -> Callable[[int], bool]:
    """Whether a place lies inside one of these mentions, which come in order."""
    starts = [mention.start for mention in mentions]

    def is_covered(place: int) -> bool:
        at = bisect_right(starts, place) - 1
        return at >= 0 and place < mentions[at].end

    return is_covered


def _find_subjects(text: str, known: dict[str, str]) -> Iterator[Mention]:
    """Known subjects as runs of whole words, the longest at each place first."""
    if not known:
        return
    most = min(MAX_SUBJECT_WORDS, max(key.count(" ") + 1 for key in known))
    words = list(_subject_words(text))
    for at, (_, start, _) in enumerate(words):
        run = words[at : at + most]
        for size in range(len(run), 0, -1):
            key = " ".join(word for word, _, _ in run[:size])
            if key in known:
                yield Mention(Entity(known[key], "subject"), start, run[size - 1][2])
                break


def _subject_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Each word's key with its place; of "redis/postgres" and "nas:22" the pieces as well."""
    for chunk in _CHUNK.finditer(text):
        yield from ((word, chunk.start(), chunk.end()) for word in entity_key(chunk.group()).split())
        if _SPELLED_WHOLE.search(chunk.group().strip(_EDGES)):
            for piece in _PIECES.finditer(chunk.group()):
                start = chunk.start() + piece.start()
                yield from ((word, start, start + len(piece.group())) for word in entity_key(piece.group()).split())
