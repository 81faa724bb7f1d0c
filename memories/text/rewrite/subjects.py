"""What the last messages were about: the people, things and places a pronoun may stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.text.entities import entity_key, find_mentions
from memories.text.entities.words import FUNCTION_WORDS, NAME_VERBS, TITLES
from memories.text.rewrite.filler import sentences
from memories.text.rewrite.words import ARTICLES, EMPTY_NOUNS, FIRST_NAMES, PERSON_NOUNS, PLACE_LEADS
from memories.text.temporal.words import ADVERBS, DAY_PARTS, MONTHS, UNITS, WEEKDAYS
from memories.text.wordlist import words

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

    @property
    def may_be_person(self) -> bool:
        return self.is_sure_person or (self.is_name and not self.is_place)


def recent_subjects(messages: Sequence[str]) -> list[Subject]:
    """Subjects of messages, oldest first as given, the most recent first as returned, each once.

    The last sentence comes first, and in a sentence what is said first: it mostly is the topic.
    """
    said = (sentence for message in reversed(messages) for sentence in reversed(sentences(message)[-MAX_SENTENCES:]))
    found: dict[str, Subject] = {}
    for number, sentence in enumerate(said):
        for subject in find_subjects(sentence):
            found.setdefault(entity_key(subject.text), replace(subject, sentence=number))
    return list(found.values())


def find_subjects(sentence: str) -> list[Subject]:
    """Names and nouns with an article, in order."""
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
        is_person = is_name and _is_person(entity.name, before, sentence[mention.end : mention.end + 20])
        is_place = is_name and not is_person and bool(before) and before[-1] in PLACE_LEADS
        subject = Subject(entity.name, is_person, is_name and entity.name.istitle(), is_place)
        yield mention.start, mention.end, subject


def _is_person(name: str, before: list[str], after: str) -> bool:
    first = entity_key(name).split()[:1]
    follower = _WORD.match(after.lstrip())
    return (
        bool(first and (first[0] in FIRST_NAMES or first[0] in TITLES))
        or bool(before and before[-1] in PERSON_NOUNS)
        or bool(follower and follower.group() in _SPEAKING)
    )


def _nouns(sentence: str) -> Iterator[tuple[int, int, Subject]]:
    """Read "my new bike", "the backup job": an article and up to three words that are in lower case.

    What the agent calls "your bike" is "my bike" in the user's question.
    """
    found = list(_WORD.finditer(sentence))
    at = 0
    while at < len(found):
        size = _noun_size(sentence, [match.group() for match in found[at : at + MAX_NOUN_WORDS + 2]], found, at)
        if size:
            first, last = found[at + 1], found[at + size]
            article = "my" if found[at].group().lower() in {"my", "your"} else "the"
            text = f"{article} {sentence[first.start() : last.end()]}"
            yield found[at].start(), last.end(), Subject(text, is_sure_person=last.group() in PERSON_NOUNS)
        at += size + 1


def _noun_size(sentence: str, run: list[str], found: Sequence[re.Match[str]], at: int) -> int:
    """How many words behind the article at `at` name a thing; 0 if there is none."""
    if run[0].lower() not in ARTICLES:
        return 0
    size = 0
    for offset, word in enumerate(run[1 : MAX_NOUN_WORDS + 1], start=1):
        is_adjacent = sentence[found[at + offset - 1].end() : found[at + offset].start()] == " "
        if not is_adjacent or not _is_noun(word):
            break
        size = offset
    # Of "the backup job writes" the last word is a verb; of "my new running shoes" it is none.
    is_verb = size == MAX_NOUN_WORDS and run[size].endswith(("s", "ed")) and not run[size - 1].endswith("ing")
    return size - 1 if is_verb else size


def _is_noun(word: str) -> bool:
    return word.islower() and word.isalpha() and len(word) > 1 and word not in _NO_NOUNS
