"""Put names in the place of the words that stand for them: "Where does it run?" → "Where does Redis run?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.language.dates.words import ADVERBS, DAY_PARTS, MONTHS, UNITS, WEEKDAYS
from memories.language.entities import FUNCTION_WORDS, NAME_VERBS, TITLES, entity_key, find_mentions
from memories.language.rewrite.filler import (
    ARTICLES,
    AUXILIARIES,
    CLAUSE_ENDS,
    EMPTY_IT,
    EMPTY_NOUNS,
    FIRST_NAMES,
    LIGHT_WORDS,
    PERSON_NOUNS,
    PERSONS,
    PLACE_LEADS,
    PLURALS,
    POSSESSIVES,
    REFERRING_LEADS,
    THINGS,
    sentences,
)
from memories.language.wordlists import words

MAX_SENTENCES = 12
MAX_NOUN_WORDS = 3
_WORD = re.compile(r"[\w'’-]+")
_NOT_SUBJECTS = frozenset({"version", "port", "flag", "tag"})
_SPEAKING = words(
    "said says told tells asked asks likes liked loves loved hates lives wants wanted thinks thought knows"
)
_TIMES = ADVERBS | DAY_PARTS.keys() | MONTHS.keys() | UNITS.keys() | WEEKDAYS.keys()
_NO_NOUNS = FUNCTION_WORDS | NAME_VERBS | EMPTY_NOUNS | _TIMES


@dataclass(frozen=True, slots=True)
class Subject:
    """`is_sure_person` has a first name, a title or a role; a lone name without one may be anything.

    `sentence` numbers the sentence it was said in.
    """

    text: str
    is_sure_person: bool = False
    is_name: bool = False
    is_place: bool = False
    sentence: int = 0


def recent_subjects(messages: Sequence[str]) -> list[Subject]:
    """Return subjects of messages, oldest first as given, the most recent first as returned, each once.

    The last sentence comes first, and in a sentence what is said first: it mostly is the topic.
    """
    spoken = (sentence for message in reversed(messages) for sentence in reversed(sentences(message)[-MAX_SENTENCES:]))
    subjects: dict[str, Subject] = {}
    for number, sentence in enumerate(spoken):
        for subject in find_subjects(sentence):
            subjects.setdefault(entity_key(subject.text), replace(subject, sentence=number))
    return list(subjects.values())


def find_subjects(sentence: str) -> list[Subject]:
    """Return names and nouns with an article, in order."""
    placed = sorted([*_named(sentence), *_nouns(sentence)], key=lambda pair: pair[0])
    subjects: list[Subject] = []
    end = -2
    for start, last, subject in placed:
        if subject.is_sure_person and start == end + 1 and subjects[-1].is_sure_person:
            # "My wife Anna" is one person.
            subjects[-1] = replace(subject, text=f"{subjects[-1].text} {subject.text}")
        else:
            subjects.append(subject)
        end = last
    return subjects


def _named(sentence: str) -> Iterator[tuple[int, int, Subject]]:
    for mention in find_mentions(sentence):
        entity = mention.entity
        if entity.kind in _NOT_SUBJECTS:
            continue
        before = [word.lower() for word in _WORD.findall(sentence[max(0, mention.start - 40) : mention.start])]
        is_name = entity.kind == "name"
        first, follower = entity_key(entity.name).split()[:1], _WORD.match(sentence[mention.end :][:20].lstrip())
        is_person = is_name and (
            not {*first}.isdisjoint(FIRST_NAMES | TITLES)
            or not PERSON_NOUNS.isdisjoint(before[-1:])
            or (follower is not None and follower.group() in _SPEAKING)
        )
        is_place = is_name and not is_person and bool(before) and before[-1] in PLACE_LEADS
        subject = Subject(entity.name, is_person, is_name and entity.name.istitle(), is_place)
        yield mention.start, mention.end, subject


def _nouns(sentence: str) -> Iterator[tuple[int, int, Subject]]:
    """Read "my new bike", "the backup job": an article and up to three words that are in lower case.

    What the agent calls "your bike" is "my bike" in the user's question.
    """
    matches = list(_WORD.finditer(sentence))
    place = 0
    while place < len(matches):
        run = [match.group() for match in matches[place : place + MAX_NOUN_WORDS + 2]]
        size = _noun_size(sentence, run, matches, place)
        if size:
            first, last = matches[place + 1], matches[place + size]
            article = "my" if matches[place].group().lower() in {"my", "your"} else "the"
            text = f"{article} {sentence[first.start() : last.end()]}"
            yield matches[place].start(), last.end(), Subject(text, is_sure_person=last.group() in PERSON_NOUNS)
        place += size + 1


def _noun_size(sentence: str, run: list[str], matches: Sequence[re.Match[str]], place: int) -> int:
    """Return how many words behind the article at `place` name a thing; 0 if there is none."""
    if run[0].lower() not in ARTICLES:
        return 0
    size = 0
    for offset, word in enumerate(run[1 : MAX_NOUN_WORDS + 1], start=1):
        is_adjacent = sentence[matches[place + offset - 1].end() : matches[place + offset].start()] == " "
        if not is_adjacent or not (word.islower() and word.isalpha() and len(word) > 1 and word not in _NO_NOUNS):
            break
        size = offset
    # Of "the backup job writes" the last word is a verb; of "my new running shoes" it is none.
    is_verb = size == MAX_NOUN_WORDS and run[size].endswith(("s", "ed")) and not run[size - 1].endswith("ing")
    return size - 1 if is_verb else size


_REFERENCE = re.compile(
    r"\b(?:the (?P<order>same|other|first|second|former|latter)(?: ones?\b|(?=\s*(?:[?.!,;]|$)))"
    r"|(?:that|this) one\b"
    rf"|(?P<word>{'|'.join(sorted(PERSONS | THINGS | {'there'}, key=len, reverse=True))})(?P<short>['’]s|['’]re)?)"
    r"(?![\w'’-])",
    re.IGNORECASE,
)
_ASKED = re.compile(r"(?:[^.!?\n]|[.!?](?!\s|\Z)){0,400}(?:\?|\Z)")
_MARK = re.compile(r"\s*[?.!,;:)]|\s*$")
_CONTEXT_CHARS = 60
MAX_JOINED = 3
SHORT_WORDS = 8
_BE = frozenset({"is", "was", "are", "were", "'s"})


@dataclass(frozen=True, slots=True)
class Reference:
    """A place of a text that stands for something. `kind` is person, thing, place or other (not the most recent)."""

    start: int
    end: int
    kind: str
    is_possessive: bool = False
    contraction: str = ""
    is_led: bool = False


def resolve_references(text: str, subjects: Sequence[Subject]) -> tuple[str, list[tuple[str, str]]]:
    """Return the text with its references resolved to the first subject that fits, and what became what.

    Each subject is put in once; what the text itself named before stays a pronoun. In a long text only questions are
    resolved: what people tell at length explains itself.
    """
    pieces: list[str] = []
    changes: list[tuple[str, str]] = []
    end = 0
    is_short = text.count(" ") < SHORT_WORDS
    read = (_read(match, text) for match in _REFERENCE.finditer(text))
    for reference in [reference for reference in read if reference]:
        if not (is_short or _ASKED.match(text, reference.end)):
            continue
        subject = _resolve(reference, text[: reference.start], subjects)
        if not subject or any(subject.text == written for _, written in changes):
            continue
        words = text[reference.start : reference.end]
        if reference.kind == "place" and not reference.is_led:
            written = f"in {subject.text}"
        else:
            written = f"{subject.text}{reference.contraction}"
        written = f"{subject.text}'s" if reference.is_possessive else written
        pieces += [text[end : reference.start], written]
        changes.append((words, subject.text))
        end = reference.end
    return "".join([*pieces, text[end:]]), changes


def _read(match: re.Match[str], text: str) -> Reference | None:
    order, word = match["order"], (match["word"] or "").lower()
    before = _WORD.findall(text[max(0, match.start() - _CONTEXT_CHARS) : match.start()].lower())
    rest = text[match.end() : match.end() + _CONTEXT_CHARS].lower()
    after = _WORD.findall(rest)
    lead = before[-1] if before else ""
    follower = "" if _MARK.match(rest) or not after else after[0]  # none where a mark stands
    verb = {"s": " is", "re": " are"}.get((match["short"] or "")[1:].lower(), "")
    if not word:
        is_other = order and order.lower() in {"other", "former", "second"}
        return Reference(*match.span(), "other" if is_other else "thing")
    if word in PERSONS:
        is_possessive = word in POSSESSIVES and (word != "her" or (bool(follower) and follower not in LIGHT_WORDS))
        return Reference(*match.span(), "plural" if word in PLURALS else "person", is_possessive, verb)
    if word == "there":
        stands = not verb and (not AUXILIARIES & {lead, follower} and lead not in {"", "hi", "hey", "hello"})
        return Reference(*match.span(), "place", is_led=lead in PLACE_LEADS) if stands else None
    stands = _stands_for_thing(word, bool(verb), lead, follower, after)
    return Reference(*match.span(), "thing", word == "its", verb) if stands else None


def _stands_for_thing(word: str, has_verb: bool, lead: str, follower: str, after: list[str]) -> bool:
    """Tell whether it, its, this, that, these or those stand alone and for something.

    `lead` is the word before, `after` those behind, `follower` the first of these unless a mark stands before it.
    """
    if word == "its":
        return bool(follower)
    if word == "it":
        described = after[1] if follower in _BE and len(after) > 1 else follower
        return described not in EMPTY_IT and not (lead in _BE and follower in EMPTY_IT)
    is_alone = not follower or follower in CLAUSE_ENDS or has_verb
    return is_alone and (not lead or lead in REFERRING_LEADS | AUXILIARIES or not follower)


def _resolve(reference: Reference, before: str, subjects: Sequence[Subject]) -> Subject | None:
    """Return the subject a reference stands for; None if there is none or the words before it name one."""
    if _fitting(find_subjects(before), reference.kind):
        return None
    fitting = _fitting(subjects, reference.kind)
    place = 1 if reference.kind == "other" else 0
    if len(fitting) <= place:
        return None
    if reference.kind != "plural":
        return fitting[place]
    # People who were named together: "Bob and Alice".
    together = [subject for subject in fitting if subject.sentence == fitting[0].sentence]
    if not all(subject.is_sure_person for subject in together):
        return fitting[0]
    return replace(fitting[0], text=" and ".join(subject.text for subject in together[:MAX_JOINED]))


def _fitting(subjects: Sequence[Subject], kind: str) -> list[Subject]:
    """Return subjects that fit a kind, the surest first, otherwise in order."""
    sure = [subject for subject in subjects if subject.is_sure_person]
    if kind == "person":
        return sure or [subject for subject in subjects if subject.is_name and not subject.is_place]
    if kind == "plural":
        return sure or [subject for subject in subjects if subject.is_name or subject.text.endswith("s")]
    if kind == "place":
        return [subject for subject in subjects if subject.is_place]
    return [subject for subject in subjects if not subject.is_sure_person]
