"""Read what an assistant reports. Its questions, offers and explanations tell nothing of this place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.providers.llm.rules.candidate import GUESS, OUTCOME, Candidate
from memories.providers.llm.rules.evidence import UNREAL, weigh_impersonal
from memories.providers.llm.rules.foreign import is_foreign
from memories.providers.llm.rules.leads import mend, strip_leads
from memories.providers.llm.rules.outcomes import is_specific, read_outcome
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import asks_in_general
from memories.providers.llm.rules.user import MAX_WORDS, MIN_WORDS

_DEFINITE = re.compile(
    r"^(?:[Tt]he|[Yy]our|[Tt]his|[Oo]ur|[Bb]oth|[Aa]ll) |^[A-Z][\w-]*[\d_-]\w* |^`?[a-z]\w*[-_./]\w+"
)
SURELY = 0.65


def read_assistant(sentences: list[Sentence], content: str, place: int, earlier: list[str]) -> Iterator[Candidate]:
    is_general = asks_in_general(earlier[-1] if earlier else "")
    for sentence in sentences:
        if sentence.is_question or is_foreign(sentence.text):
            continue
        bare = strip_leads(mend(sentence.text))
        text = re.sub(
            r"^(?:done|found it|yes|no|same cause as before|it lines up|status|result|summary|fixed)\s*[:,]\s+",
            "",
            bare.text,
            flags=re.IGNORECASE,
        )
        if (
            len(text.split()) > MAX_WORDS
            or len(text.split()) < MIN_WORDS
            or UNREAL.search(text)
            or text.count("(") != text.count(")")
        ):
            continue
        outcome = read_outcome(text)
        if not outcome and not is_general and _DEFINITE.match(text) and is_specific(text):
            finding = weigh_impersonal(text)
            outcome = (text, "a finding", 0.55) if finding.score >= SURELY else None
        if outcome:
            said, evidence, score = outcome
            kind = GUESS if "guess" in evidence else OUTCOME
            yield Candidate(said, place, content[sentence.start : sentence.end], score, evidence, kind, is_final=True)
