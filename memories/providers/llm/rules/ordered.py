"""What is ordered once: a script, a question to somebody, a text. What a mail is to say is no fact of who orders it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memories.providers.llm.rules.prose import Sentence

_TEXT = (
    r"(?:e-?mails?|mails?|letters?|messages?|msg|texts?|sms|reply|replies|answer|response|posts?|tweet|statement|"
    r"announcement|invitation|card|notice|complaint|apology|dm|comment|report|paragraph|sentence|lines?|review|"
    r"(?:notes?|memo|reminder)(?= (?:to|for) (?!me\b|us\b|myself|yourself|later)))"
)
"""A note to nobody is what is to be remembered."""
_ASK = (
    r"(?:(?:can|could|would|will) (?:you|u) |i(?:'d| would)? (?:want|need|like) you to |help me (?:to )?|let's |"
    r"please |pls )"
)
_FIRST = rf"(?:^|[,;:–—] |\b(?:and|so|then|but),? (?={_ASK}))(?:{_ASK}|just |now |then |maybe |also |quickly |and )*"
_WHOM = r"(?: (?:him|her|them|everyone|(?:the|my|our) [\w-]+|(?-i:[A-Z])[\w'-]+)){0,2}(?: (?-i:[A-Z])[\w'-]+)?"
_THAT = (
    r"that (?=(?:I|we|you|he|she|it|they|there|the|our|my|his|her|their|an?|all|no|nobody|everyone|(?-i:[A-Z])[\w'-]+)"
    r"(?:'|\b))"
)
_SAYING = rf"(?:{_THAT}|(?:saying|telling|stating|explaining|informing|(?:which|that) says|to say|to tell|to let)\b)"
_ORDER = re.compile(
    rf"{_FIRST}(?:(?:draft|write|compose|prepare|word|formulate|phrase|put together|type|send|post)\b[^.;]{{0,60}}? "
    rf"{_TEXT}\b[^.;]{{0,60}}? {_SAYING}"
    rf"|(?:write|text|e-?mail|mail|message|dm|reply|respond|answer)(?: back)?(?: to)?{_WHOM} {_SAYING}"
    rf"|(?:say|state|it should say|have it say) {_THAT})",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"^(?:(?:and|also|oh|plus|then|please),? )*(?:(?:say|mention|add|include|explain|tell|ask|it should|point out|make "
    rf"it clear)\b[^.;]{{0,30}}? )?{_THAT}",
    re.IGNORECASE,
)
"""Goes on with what a text is to say."""
_STANDING = re.compile(
    r"\b(?:always|never|from now on|every|each|whenever|by default|don't|do not|going forward)\b", re.IGNORECASE
)
_ASKS_WHAT_TO_SAY = re.compile(
    r"\bwhat (?:should|shall|do|would) (?:it|I|we|you(?: like| want)?|the \w+)(?: \w+){0,3}? (?:say|write|tell|include|"
    r"contain|mention|cover|be about)\b|\bwhat(?:'s| is) the (?:(?:e-?mail|mail|letter|text) about|message)\b",
    re.IGNORECASE,
)

_ERRAND = re.compile(
    r"^(?:(?:write|create|build|generate|design|draft|prepare|compose|make|plan|pick|suggest|recommend|find|open|file|"
    r"book|invent|think of|come up with|put together|set up|sketch|code) (?:me |us |up )*(?:an?|another|some|the|two|"
    r"three|\d+) (?!point\b|habit\b)"
    r"|(?:ask|tell) [\w' ]{2,40}? (?:whether|if|what|when|how|why|which)\b"
    r"|let [\w' ]{2,40}? know\b|update (?:the|my|our|this) )",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:always|never|from now on|going forward|(?:every|each|any|next) time|whenever|when(?:ever)? (?:you|I|we)|"
    r"before (?:you|I|we)|after (?:you|I|we)|for (?:every|each|all)|by default|only|instead|via|through|as)\b",
    re.IGNORECASE,
)


def is_errand(clause: str) -> bool:
    """Whether it orders something to be made or asked once, which is done with when it is done."""
    return bool(_ERRAND.match(clause)) and not _LASTING.search(clause)


def without_ordered(sentences: Sequence[Sentence], asked: str) -> Iterator[Sentence]:
    """The sentences of a user without what is only to be written; `asked` is the question that they answer."""
    is_text = bool(_ASKS_WHAT_TO_SAY.search(asked))
    for at, sentence in enumerate(sentences):
        if is_text and ((at == 0 and asked) or _MORE.match(sentence.text)):
            continue
        order = None if _STANDING.search(sentence.text) else _ORDER.search(sentence.text)
        is_text = is_text or bool(order)
        said = sentence.text[: order.start()].strip(" ,;:") if order else sentence.text
        if said:
            yield replace(sentence, text=said)
