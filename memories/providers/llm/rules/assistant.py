"""Read what an assistant reports. Its questions, offers and explanations tell nothing of this place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.providers.llm.rules.candidate import CORRECTION, GUESS, OUTCOME, Candidate
from memories.providers.llm.rules.evidence import UNREAL, weigh_impersonal
from memories.providers.llm.rules.foreign import is_foreign
from memories.providers.llm.rules.leads import announces, mend, strip_leads, strip_report
from memories.providers.llm.rules.outcomes import is_specific, read_announced, read_outcome
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.questions import asks_in_general
from memories.providers.llm.rules.standing import stands_alone
from memories.providers.llm.rules.user import MAX_WORDS, MIN_WORDS

_DEFINITE = re.compile(
    r"^(?:[Tt]he|[Yy]our|[Tt]his|[Oo]ur|[Bb]oth|[Aa]ll) |^[A-Z][\w-]*[\d_-]\w* |^`?[a-z]\w*[-_./]\w+"
)
SURELY = 0.65
_MISTAKE = re.compile(
    r"\b(?:my (?:mistake|fault|error|bad)|I (?:made|'ve made) (?:a|an) (?:mistake|error)|I messed|I broke)\b", re.I
)
RULE_WORDS = {"": "Remember to ", "always ": "Always ", "never ": "Never ", "not ": "Do not "}
_RESOLVE = re.compile(
    r"\b(?:I (?:should|must|need to|have to)|next time,? I(?:'ll| will| should| must)) "
    r"(?P<when>always |never |not )?(?!have )(?P<what>[a-z][^.;!?]{8,200})"
)


def read_assistant(sentences: list[Sentence], content: str, place: int, earlier: list[str]) -> Iterator[Candidate]:
    is_general = asks_in_general(earlier[-1] if earlier else "")
    for sentence in sentences:
        if sentence.is_question or is_foreign(sentence.text):
            continue
        bare = strip_leads(mend(sentence.text))
        text = strip_report(bare.text)
        if (
            len(text.split()) > MAX_WORDS
            or len(text.split()) < MIN_WORDS
            or UNREAL.search(text)
            or text.count("(") != text.count(")")
        ):
            continue
        outcome = read_outcome(text) or read_announced(text, announces(bare.text))
        if not outcome and not is_general and _DEFINITE.match(text) and is_specific(text):
            finding = weigh_impersonal(text)
            outcome = (text, "a finding", 0.55) if finding.score >= SURELY else None
        resolved = _RESOLVE.search(text) if _MISTAKE.search(content) else None
        if resolved:
            rule = f"{RULE_WORDS[resolved['when'] or '']}{resolved['what'].strip()}"
            quote = content[sentence.start : sentence.end]
            yield Candidate(
                rule, place, quote, 0.8, "a mistake it owns up to", CORRECTION, is_final=True, is_lesson=True
            )
        elif outcome and stands_alone(outcome[0]):
            said, evidence, score = outcome
            kind = GUESS if "guess" in evidence else OUTCOME
            yield Candidate(said, place, content[sentence.start : sentence.end], score, evidence, kind, is_final=True)
