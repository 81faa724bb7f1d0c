"""Tell what asks, what makes up and what only passes something on from what is told."""

from __future__ import annotations

import re

from memories.providers.llm.rules.prose import Sentence

_OPENS_QUESTION = re.compile(
    r"^(?:what|which|who|whom|whose|where|when|why|how|is|are|am|was|were|do|does|did|can|could|would|will|should|"
    r"shall|may|might|has|have|isn't|aren't|don't (?=you\b|we\b|they\b|i\b)|doesn't|didn't|can't|any|anyone|anybody|"
    r"ever|whats|what's|who's|"
    r"how's|where's|wdyt|should've)\b(?! (?:i'm|i am|we're|never|not use|not \w+ (?:on|after|before)))",
    re.IGNORECASE,
)
_WANTS_TO_KNOW = re.compile(
    r"^(?:I|we)(?:'d| would)? (?:want|need|like|love) to (?:know|find out|understand|see|figure out) (?:whether|if|how|"
    r"what|which|why|when|where|who)\b",
    re.IGNORECASE,
)
_WHEN_STATED = re.compile(r"^(?:when|where) (?:I|I'm|you|we|he|she|they|it|it's|my|our|the|a|an)\b", re.IGNORECASE)
_ASKS_INSIDE = re.compile(
    r"\b(?:what|how|which|where|when|why|who)(?: \w+)? (?:can|do|does|did|should|could|would|is|are) (?:I|you|we|"
    r"there|one)\b|\b(?:can|could|would) you\b|\b(?:any|some) (?:ideas|tips|recommendations|suggestions|advice)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:can|could|would|will) (?:you|u|we|i)\b|^(?:please|pls|help|give|show|tell|write|make|create|suggest|"
    r"recommend|explain|find|list|summari[sz]e|translate|draft|generate|describe|convert|fix|check|compare|look|"
    r"remind|plan|recipe|need|looking for|proofread|rewrite|rephrase|calculate|run|add|book|order|put|set|send|"
    r"skim|i(?:'m| am) looking for|i need|i want|i'd like|let me|quick question)\b",
    re.IGNORECASE,
)
_FICTION = re.compile(
    r"\b(?:role-?play|pretend|(?:^|[.!?\n] ?|please |you )act as|you are now an? |imagine (?:you|that|i|a|we)|"
    r"in the style of|(?:write|tell|make up|continue|compose)[^.?!\n]{0,40}\b(?:story|poem|haiku|limerick|song|"
    r"scene|dialogue|tale|fiction|novel|joke|screenplay|monologue|rap|sonnet|sketch)|fictional|my character|d&d|"
    r"dungeon|once upon a time|bedtime story|hypothetical(?:ly)?|what would happen if|let's say|lyrics)\b",
    re.IGNORECASE,
)
_ROLE_PLAY = re.compile(
    r"\b(?:role-?play|pretend (?:to be|you|that|we)|you are now an? |let's play)|(?:^|[.!?\n] ?|please |"
    r"you )act as an?\b",
    re.IGNORECASE,
)
_END_OF_FICTION = re.compile(
    r"\b(?:stop (?:the )?(?:role-?play|pretending)|back to (?:reality|normal|work|business)|out of character|ooc|"
    r"end scene)\b",
    re.IGNORECASE,
)
_GENERAL_QUESTION = re.compile(
    r"\b(?:what(?:'s| is| are| does| do)|how (?:do|does|can|to|would)|explain|eli5|difference|in (?:rust|python|"
    r"java|js|go|sql|general|two sentences)|vs\.?|who (?:wrote|is|was|invented)|when (?:did|was)|why (?:do|does|"
    r"is|are) (?:people|the sky|there))\b",
    re.IGNORECASE,
)


def is_open(sentence: Sentence, text: str) -> bool:
    """Whether a sentence asks for something; `text` is what is left of it without greetings and fillers."""
    return sentence.is_question or bool(_REQUEST.match(text) or _ASKS_INSIDE.search(text)) or opens_question(text)


def opens_question(text: str) -> bool:
    is_put = bool(_OPENS_QUESTION.match(text) or _WANTS_TO_KNOW.match(text))
    return is_put and not _WHEN_STATED.match(text)


def asks_in_general(text: str) -> bool:
    """Whether a question is about the world, so that its answer is no news of this place."""
    return bool(_GENERAL_QUESTION.search(text))


def is_made_up(text: str) -> bool:
    """Whether a message asks for fiction: what it tells is not true."""
    return bool(_FICTION.search(text))


def is_role_play(text: str, was: bool) -> bool:
    """Whether a role is played from this message on; it is until somebody ends it."""
    return not _END_OF_FICTION.search(text) and (was or bool(_ROLE_PLAY.search(text)))
