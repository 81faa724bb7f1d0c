"""Whether an answer made use of a memory: by the words it took up, and by what it means.

Nobody asks the agent. A memory was used when one passage of the answer has

- at least WORDS_ALONE of the memory's words, and no cosine with it below `relevant`, or
- at least WORDS_WITH_MEANING of its words, and a cosine of at least `related`, or
- a cosine of at least the middle of `related` and `same`, and is nearer to the memory than to the question.

Words that the question had already are not counted: an answer that says again what was asked has used nothing.
Blocks and lines that the agent only reads back are left out. The three cosines are the embedder's own; the two shares
were chosen on two thirds of tests/data/feedback-pairs.jsonl.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memories.providers.embeddings import Thresholds, Vectors
from memories.text.fence import strip_fenced
from memories.text.overlap import shared_words, used_share
from memories.text.rewrite.filler import sentences

WORDS_ALONE, WORDS_WITH_MEANING = 0.5, 0.3
PASSAGE_WORDS, PASSAGE_CHARACTERS, MAX_PASSAGES = 60, 600, 40
MAX_EVIDENCE = 500
DIGITS = 6
# Of a memory that the question says nearly whole, too little is left to tell by.
ALL_BUT_ASKED = 0.9

_LEADING_MARKS = re.compile(r"[\s>*~•-]*(?:\d{1,4}[.)]\s+)?[\s*~•-]*")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word_share` 0 to 1, `similarity` None where no vectors could be compared; `evidence` says both in short."""

    used: bool
    word_share: float
    similarity: float | None
    evidence: str


class Answer:
    """An agent's answer as passages, and the question it answers ("" where it is not known)."""

    def __init__(self, text: str, question: str = "", shown_lines: Collection[str] = ()) -> None:
        self.passages = passages_of(without_lines(strip_fenced(text), shown_lines))
        self.question = " ".join(passages_of(question))
        self.vectors: Vectors | None = None
        self.asked: Vectors | None = None

    def texts(self) -> list[str]:
        """What is to be embedded: its passages, and the question after them. At most 40 of 60 words, and that."""
        return [*self.passages, self.question] if self.passages and self.question else list(self.passages)

    def take_vectors(self, vectors: Vectors) -> None:
        """Of `texts()`, shape (n, dim)."""
        count = len(self.passages)
        self.vectors = vectors[:count]
        self.asked = self.vectors @ vectors[count] if len(vectors) > count else None


@dataclass(frozen=True, slots=True)
class Likeness:
    """The highest cosine of a memory with a passage, and with one that is nearer to it than to the question."""

    cosine: float
    beyond_question: float


@dataclass(frozen=True, slots=True)
class Words:
    """The share of a memory's words that an answer has, and those words."""

    share: float
    shared: tuple[str, ...] = ()


def verdict_of(words: Words, likeness: Likeness | None, thresholds: Thresholds) -> Verdict:
    """By words alone where there is no likeness to go by."""
    if likeness is None:
        return Verdict(words.share >= WORDS_ALONE, words.share, None, evidence_of(words.shared, None))
    used = (
        (words.share >= WORDS_ALONE and likeness.cosine >= thresholds.relevant)
        or (words.share >= WORDS_WITH_MEANING and likeness.cosine >= thresholds.related)
        or likeness.beyond_question >= (thresholds.related + thresholds.same) / 2
    )
    return Verdict(used, words.share, likeness.cosine, evidence_of(words.shared, likeness.cosine))


def evidence_of(shared: Sequence[str], similarity: float | None) -> str:
    said = [", ".join(shared)] if shared else []
    alike = [] if similarity is None else [f"cosine {similarity:.2f}"]
    return "; ".join([*said, *alike])[-MAX_EVIDENCE:]


def take_up(memory_text: str, answer: Answer) -> Words:
    """What the answer has of the memory: in the passage that has most of it, or in all where even that is little."""
    best = Words(0.0)
    for part in passages_of(memory_text):
        known = used_share(part, answer.question)
        if not answer.passages or known >= ALL_BUT_ASKED:
            continue
        words = beyond_question(part, "\n".join(answer.passages), answer.question, known)
        if words.share >= WORDS_WITH_MEANING and len(answer.passages) > 1:
            each = [beyond_question(part, passage, answer.question, known) for passage in answer.passages]
            words = max(each, key=lambda one: one.share)
        best = max(best, words, key=lambda one: one.share)
    return best


def beyond_question(part: str, passage: str, question: str, known: float) -> Words:
    """The share of the words that the question did not have; `known` is the share of those it had."""
    both = f"{passage}\n{question}"
    share = round((used_share(part, both) - known) / (1 - known), DIGITS)
    if share <= 0:
        return Words(0.0)
    asked = shared_words(part, question)
    return Words(share, tuple(word for word in shared_words(part, both) if word not in asked))


def likeness_of(vector: Vectors | None, answer: Answer) -> Likeness | None:
    """Of a memory's vector, shape (dim,); None where there is nothing to compare."""
    if vector is None or answer.vectors is None or not len(answer.vectors):
        return None
    cosines = answer.vectors @ vector
    beyond = cosines if answer.asked is None else cosines[cosines > answer.asked]
    return Likeness(float(cosines.max()), float(beyond.max(initial=0.0)))


def passages_of(text: str) -> list[str]:
    """Sentences in groups of at most 60 words; of a text that has more than 40 groups, the first and the last 20."""
    groups: list[list[str]] = []
    for sentence in sentences(text):
        for piece in pieces_of(sentence):
            words = piece.split()
            if groups and len(groups[-1]) + len(words) <= PASSAGE_WORDS:
                groups[-1] += words
            else:
                groups.append(words)
    half = MAX_PASSAGES // 2
    kept = groups if len(groups) <= MAX_PASSAGES else groups[:half] + groups[-half:]
    return [" ".join(group)[:PASSAGE_CHARACTERS] for group in kept]


def pieces_of(sentence: str) -> list[str]:
    """A sentence that is a passage by itself is cut: at a space, or anywhere where there is none."""
    if len(sentence) <= PASSAGE_CHARACTERS:
        return [sentence]
    return [sentence[at : at + PASSAGE_CHARACTERS] for at in range(0, len(sentence), PASSAGE_CHARACTERS)]


def without_lines(text: str, shown_lines: Collection[str]) -> str:
    """Without the lines that are those the agent was shown, with all their furniture."""
    shown = {plain_line(line) for line in shown_lines} - {""}
    return "\n".join(line for line in text.split("\n") if plain_line(line) not in shown) if shown else text


def plain_line(line: str) -> str:
    """Without bullet, number and quotation mark, in lower case."""
    return " ".join(line[_LEADING_MARKS.match(line).end() :].casefold().split())  # type: ignore[union-attr]  # matches ""
