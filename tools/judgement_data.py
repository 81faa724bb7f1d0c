"""The labelled texts that the judgement is trained and measured on.

Nothing of `tests/data/judgement/held-out` is trained on, nor is a seventh of the rest, by a hash of the text.
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from memories.language.dates.statement_dates import make_dates_plain
from memories.language.extract.prose import read_sentences as read_sentences_of
from memories.language.extract.wording import to_third_person
from memories.language.messages import ASSISTANT, USER, Message
from memories.providers.embeddings import MiniLMEmbedder
from memories.providers.judgement_model import BY_ASSISTANT, QUESTIONS, RELATIONS
from memories.providers.llm.rules.weighing import beside

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
JUDGEMENT, LEARNING = DATA / "judgement", DATA / "learning"
HELD_OUT = JUDGEMENT / "held-out"
OLDER = ("relation-pairs-training.jsonl", "relation-pairs-extra.jsonl")
"""Labelled with three relations, two of which stand for two of ours each."""
PUT_TOGETHER = ("pairs-systematic.jsonl", "pairs-conversations.jsonl")
"""Not written by hand, and not measured."""
MEANT = {"different": ("adds", "both"), "clash": ("replaces", "contradicts")} | {
    relation: (relation,) for relation in RELATIONS
}
SYMMETRIC = ("same", "contradicts", "both")
"""Relations that hold the other way round, too."""
DEVELOPMENT_SHARE = 7
"""One in so many texts is not trained on."""
OF_ANOTHER_MATTER = 0.3
"""The cosine of two statements below which one is taken to stay when the other changes."""
BESIDE_CHANGE, BESIDE_OTHER = 3, 1
"""How many statements of other matters are put beside what tells of a change, and beside what does not."""
OTHER_PEOPLE = ("sister", "brother", "neighbour", "mother", "colleague", "friend")
BY_USER = re.compile(r"^User (?=(?!and\b|or\b)[a-z]+s\b|[a-z]+ed\b)")
"""What the user is said to be or do: it can be said of somebody else."""
STATE = re.compile(
    r"^User (has|owns|speaks|plays|drives|keeps|eats|drinks|uses|lives|works|studies|teaches|runs)\b"
    r"(?! (?:no|not|been|had|never)\b)"
)
NOT_YET_OR_NO_LONGER = (
    "wants to {}", "would like to {}", "is thinking about whether to {}", "used to {}", "once wanted to {}",
    "plans to {}", "hopes to {} one day", "might {} soon", "is learning how to {}",
)  # fmt: skip
DENIALS = (
    (re.compile(r"\b(is|are|was|were|can|will|must|should)\b"), r"\1 not"),
    (re.compile(r"^(User) has\b(?= (?:a|an|the|two|three|\w+s)\b)"), r"\1 does not have"),
    (re.compile(r"^(User|I) (?!has\b)([a-z]+[^s\W])s\b"), r"\1 does not \2"),
)
"""Patterns of what a statement affirms, and how it is denied."""
UNCERTAIN = re.compile(
    r"n['’]t\b|[,;]|\b(?:not|never|no|none|nobody|nothing|without|only|un\w+|neither|hardly|if|while|when|because|so|does|may|"
    r"than)\b",
    re.IGNORECASE,
)
"""Found in a statement, another word may have to be denied than the first that can be."""
SHORT_DENIED = 12
"""Words of a statement of which it is certain what a denial denies."""
NOT_THE_SAME = tuple(relation for relation in RELATIONS if relation != "same")
SENTENCES_TIMES = 2
"""How often each labelled sentence is trained on, for one of each pair: there are few, and they answer more."""
IN_THIRD_PERSON = 0.5
STATEMENTS_KEPT = 600
"""Statements of pairs, and as many of what changed, that are trained on as sentences worth keeping."""
SAID, LATER = datetime(2026, 11, 9, 12, tzinfo=UTC), datetime(2026, 11, 16, 12, tzinfo=UTC)
BEFORE_CHARACTERS = 200
SHORT_WORDS = 40
SEED = 1


@dataclass(frozen=True, slots=True)
class Example:
    """One or two texts, and the answers that are right, by question. Those with the same `group` are on one side."""

    texts: tuple[str, ...]
    answers: dict[str, tuple[str, ...]]
    group: str
    is_for_development: bool = True
    """Whether it may be left out of the training and measured."""


def read_examples() -> list[Example]:
    pairs = [pair for path in sorted(JUDGEMENT.glob("pairs-*.jsonl")) for pair in read_pairs(path)]
    by_hand = [pair for pair in pairs if pair.is_for_development]
    older = [pair for name in OLDER for pair in read_pairs(DATA / name)]
    sentences = [sentence for path in sorted(JUDGEMENT.glob("sentences*.jsonl")) for sentence in read_sentences(path)]
    spoken = list(filter(None, map(in_third_person, by_hand)))
    turned = [turn(pair) for pair in by_hand if pair.answers["relation"][0] in SYMMETRIC]
    beside = [*beside_other_matters(by_hand), *of_other_people(by_hand), *wished_or_over(by_hand), *denied(by_hand)]
    beside += [*facts_beside_each_other(), *list(dates_called_off(JUDGEMENT)) * SENTENCES_TIMES]
    dropped = list(filter(is_short, chatter()))
    dropped += filter(is_short, messages_with_facts())
    dropped += [*filter(is_short, sentences_of_conversations())] * SENTENCES_TIMES
    return [
        *pairs,
        *turned,
        *older,
        *spoken,
        *beside,
        *sentences * SENTENCES_TIMES,
        *dropped,
        *statements_kept(by_hand),
    ]


def read_pairs(path: Path) -> Iterator[Example]:
    is_by_hand = path.name not in PUT_TOGETHER and path.name not in OLDER
    for row in rows_of(path):
        relation = "clash" if path.name in OLDER and row["relation"] == "contradicts" else row["relation"]
        yield pair_of(row["existing"], row["new"], relation, row.get("subject") or "", is_by_hand=is_by_hand)


def read_statements() -> Iterator[Example]:
    """Statements made of dialogues, each beside the message it was made of, and whether it is worth keeping so."""
    for row in rows_of(JUDGEMENT / "read.jsonl"):
        messages = [Message(message["role"], message["content"]) for message in row["messages"]]
        for read in row["read"]:
            if "message" in read:
                place = read["message"]
                sentence = read["quote"] or messages[place].content
                context = beside(sentence, messages[place].role, messages[place - 1] if place else None)
                answers: dict[str, tuple[str, ...]] = {"worth": ("keep" if read["label"] == "good" else "drop",)}
                answers |= {name: (read[name],) for name in ("category", "kind") if read.get(name) in QUESTIONS[name]}
                yield Example((context, read["content"]), answers, row["id"])


def as_statement(sentence: Example) -> Example:
    """As the rules would keep a sentence that stands alone, beside itself."""
    text = sentence.texts[-1].removeprefix(BY_ASSISTANT)
    is_own = text == sentence.texts[-1]
    statement = (to_third_person(text) if is_own else None) or text
    return replace(sentence, texts=(beside(text, USER if is_own else ASSISTANT, None), statement.rstrip(".")))


def pair_of(stored: str, new: str, relation: str, subject: str = "", *, is_by_hand: bool = False) -> Example:
    lead = f"{subject}: " if subject else ""
    return Example((lead + stored, lead + new), {"relation": MEANT[relation]}, stored, is_by_hand)


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def in_third_person(pair: Example) -> Example | None:
    """As the rules would keep it, dates written out; None where nothing changes."""
    texts = [text.rstrip(".") for text in pair.texts]
    output = [(to_third_person(text) or "").rstrip(".") for text in texts]
    if not all(output) or output == texts:
        return None
    first, second = output
    return replace(pair, texts=(make_dates_plain(first, SAID).text, make_dates_plain(second, LATER).text))


def turn(pair: Example) -> Example:
    """Return the pair the other way round, for training only."""
    return replace(pair, texts=pair.texts[::-1], is_for_development=is_left_out(pair.group))


def beside_other_matters(pairs: Sequence[Example]) -> Iterator[Example]:
    """Yield new statements beside stored ones of other pairs, near and far, which they leave as they are.

    A stored statement is of another matter if it is unlike the one that the new statement is about.
    """
    chance = random.Random(SEED)  # noqa: S311
    ours = [pair for pair in pairs if not is_development(pair) and pair.texts[0] == pair.group]
    stored = MiniLMEmbedder().embed_documents([pair.texts[0] for pair in ours])
    news = MiniLMEmbedder().embed_documents([pair.texts[1] for pair in ours])
    for index, pair in enumerate(ours):
        others = np.flatnonzero(stored @ stored[index] < OF_ANOTHER_MATTER)
        near = others[np.argsort(-(stored[others] @ news[index]))][:40].tolist()
        number = BESIDE_CHANGE if pair.answers["relation"] == ("replaces",) else BESIDE_OTHER
        for other in chance.sample([*near, *chance.sample(others.tolist(), 80)], number):
            example = Example((ours[other].texts[0], pair.texts[1]), {"relation": ("both",)}, pair.group, False)
            yield (chance.random() < IN_THIRD_PERSON and in_third_person(example)) or example


def of_other_people(pairs: Sequence[Example]) -> Iterator[Example]:
    """Yield pairs of the user with one of the two statements, or both, made one of somebody else."""
    chance = random.Random(SEED)  # noqa: S311
    for pair in (in_third_person(pair) or pair for pair in pairs):
        if is_development(pair) or not all(map(BY_USER.match, pair.texts)):
            continue
        person = f"User's {chance.choice(OTHER_PEOPLE)} "
        theirs = [BY_USER.sub(person, text) for text in pair.texts]
        beside: dict[str, tuple[str, ...]] = {"relation": ("both",)}
        yield Example((pair.texts[0], theirs[1]), beside, pair.group, False)
        yield Example((theirs[0], pair.texts[1]), beside, pair.group, False)
        yield Example((theirs[0], theirs[1]), pair.answers, pair.group, False)


def wished_or_over(pairs: Sequence[Example]) -> Iterator[Example]:
    """Yield what somebody has or does, and that they want to, or did: not the same, whatever else."""
    chance = random.Random(SEED)  # noqa: S311
    for pair in (in_third_person(pair) or pair for pair in pairs):
        state = STATE.match(pair.texts[0])
        if is_development(pair) or not state:
            continue
        verb = {"has": "have", "studies": "study", "teaches": "teach"}.get(state[1], state[1].removesuffix("s"))
        wish = f"User {chance.choice(NOT_YET_OR_NO_LONGER).format(verb + pair.texts[0][state.end() :])}"
        texts = (pair.texts[0], wish) if chance.random() < 0.5 else (wish, pair.texts[0])
        yield Example(texts, {"relation": NOT_THE_SAME}, pair.group, False)


def denied(pairs: Sequence[Example]) -> Iterator[Example]:
    """Yield statements beside the denial of what says the same in other words, and both denied."""
    for pair in (in_third_person(pair) or pair for pair in pairs):
        if is_development(pair) or pair.answers["relation"] != ("same",):
            continue
        first, second = map(deny, pair.texts)
        if second:
            yield Example((pair.texts[0], second), {"relation": MEANT["clash"]}, pair.group, False)
        if first and not second:
            yield Example((first, pair.texts[1]), {"relation": MEANT["clash"]}, pair.group, False)
        if first and second:
            yield Example((first, second), {"relation": ("same",)}, pair.group, False)


def deny(text: str) -> str:
    """Return the denial of a statement that affirms; empty where it is not certain."""
    if UNCERTAIN.search(text) or len(text.split()) > SHORT_DENIED:
        return ""
    return next((pattern.sub(denial, text, count=1) for pattern, denial in DENIALS if pattern.search(text)), "")


def facts_beside_each_other() -> Iterator[Example]:
    """Facts of one conversation that are not too alike: what a person says of several things in one talk."""
    chance = random.Random(SEED)  # noqa: S311
    for path in sorted(LEARNING.glob("labels-development-*.json")):
        facts = [fact["statement"] for fact in json.loads(path.read_text(encoding="utf-8"))["facts"]]
        vectors = MiniLMEmbedder().embed_documents(facts)
        pairs = [
            (item, other)
            for item, other in combinations(range(len(facts)), 2)
            if 0.2 < vectors[item] @ vectors[other] < 0.6
        ]
        for item, other in chance.sample(pairs, min(60, len(pairs))):
            yield pair_of(facts[item], facts[other], "both")


def dates_called_off(folder: Path) -> Iterator[Example]:
    for row in rows_of(folder / "dates-called-off.jsonl"):
        yield pair_of(row["existing"], row["new"], "both" if row["effect"] == "none" else "replaces")


def read_sentences(path: Path) -> Iterator[Example]:
    for row in rows_of(path):
        answers: dict[str, tuple[str, ...]] = {"worth": ("keep" if row["keep"] else "drop",)}
        if row["keep"]:
            answers |= {"category": (row["category"],)} | ({"kind": (row["kind"],)} if row["kind"] else {})
        yield sentence_of(row["text"], row["before"], answers)


def sentence_of(text: str, before: str, answers: dict[str, tuple[str, ...]], *, by_hand: bool = True) -> Example:
    """Return the sentence; what stands before it counts where it asks for something."""
    texts = (before[-BEFORE_CHARACTERS:], text) if "?" in before else (text,)
    return Example(texts, answers, text, by_hand)


def chatter() -> Iterator[Example]:
    """Messages of users in excerpts and conversations of which nothing is kept."""
    drop: dict[str, tuple[str, ...]] = {"worth": ("drop",)}
    for path in sorted(LEARNING.glob("gate-development-*.jsonl")):
        for row in rows_of(path):
            if not row["keep"]:
                yield from (
                    sentence_of(text, before, drop, by_hand=False) for before, text in user_messages(row["messages"])
                )
    for path in sorted(LEARNING.glob("labels-development-*.json")):
        talk = rows_of(path.with_name(path.name.replace("labels", "conversation")).with_suffix(".jsonl"))
        numbers = set(json.loads(path.read_text(encoding="utf-8"))["chatter"])
        yield from (
            sentence_of(row["content"], "", drop, by_hand=False)
            for number, row in enumerate(talk)
            if number in numbers and row["role"] == "user"
        )


def messages_with_facts() -> Iterator[Example]:
    """Messages of users in conversations of which something is kept, with its category if all is of one."""
    for path in sorted(LEARNING.glob("labels-development-*.json")):
        talk = rows_of(path.with_name(path.name.replace("labels", "conversation")).with_suffix(".jsonl"))
        labels = json.loads(path.read_text(encoding="utf-8"))
        facts: dict[int, set[str]] = {}
        for fact in labels["facts"]:
            facts.setdefault(fact["n"], set()).add(fact["category"])
        for number in sorted(facts):
            row, before = talk[number], talk[number - 1] if number else None
            if row["role"] != "user":
                continue
            answers: dict[str, tuple[str, ...]] = {"worth": ("keep",)}
            if len(facts[number]) == 1:
                answers["category"] = tuple(facts[number])
            is_answer = before is not None and before["role"] == "assistant"
            yield sentence_of(row["content"], before["content"] if is_answer and before else "", answers, by_hand=False)


def sentences_of_conversations() -> Iterator[Example]:
    """Sentences of labelled conversations: those that say a fact are worth keeping, with its category.

    What the assistant says is marked as its word. A conversation is trained on or measured as a whole.
    """
    for path in sorted(JUDGEMENT.glob("conversations-*.json")):
        for name, talk in json.loads(path.read_text(encoding="utf-8")).items():
            for messages in talk["sessions"]:
                before = ""
                for message in messages:
                    yield from sentences_of_message(name, message, before)
                    before = message["content"] if message["role"] == "assistant" else ""


def sentences_of_message(name: str, message: dict[str, Any], before: str) -> Iterator[Example]:
    output = [item for item in read_sentences_of(message["content"]) if not item.is_question]
    facts = message.get("facts") or []
    by_assistant = message["role"] == "assistant"
    match = [[fact for fact in facts if re.search(fact["regex"], item.text, re.IGNORECASE)] for item in output]
    # A fact that is told by an answer and its question, or by two sentences together.
    is_unplaced = any(not any(fact in some for some in match) for fact in facts)
    for index, (item, results) in enumerate(zip(output, match, strict=True)):
        if is_unplaced and not results and len(output) > 1:
            continue
        stored = results or (facts if is_unplaced else [])
        answers: dict[str, tuple[str, ...]] = {"worth": ("keep" if stored else "drop",)}
        if stored and len({fact["category"] for fact in stored}) == 1:
            answers["category"] = (stored[0]["category"],)
        text = f"{BY_ASSISTANT}{item.text}" if by_assistant else item.text
        example = sentence_of(text, "" if by_assistant or index else before, answers)
        yield replace(example, group=name)


def is_short(example: Example) -> bool:
    """Longer messages are read by their sentences."""
    return len(example.texts[-1].split()) <= SHORT_WORDS


def user_messages(messages: Sequence[dict[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield (what it answers, what a user said)."""
    before = ""
    for message in messages:
        if message["role"] == "user":
            yield before, message["content"]
        before = message["content"] if message["role"] == "assistant" else ""


def statements_kept(pairs: Sequence[Example]) -> Iterator[Example]:
    """Yield what people say of themselves, and what they say has changed."""
    chance = random.Random(SEED)  # noqa: S311
    talk = [pair for pair in pairs if in_third_person(pair)]
    news = [pair for pair in talk if pair.answers["relation"] in (("replaces",), ("contradicts",))]
    for some, index in ((talk, 0), (news, 1)):
        for pair in chance.sample(some, min(STATEMENTS_KEPT, len(some))):
            yield Example((pair.texts[index],), {"worth": ("keep",)}, pair.group, False)


def is_development(example: Example) -> bool:
    return example.is_for_development and is_left_out(example.group)


def is_left_out(text: str) -> bool:
    return zlib.crc32(text.encode()) % DEVELOPMENT_SHARE == 0
