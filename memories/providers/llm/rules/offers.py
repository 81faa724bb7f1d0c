"""Questions that only ask what to do next, and answers that say nothing without their question."""

from __future__ import annotations

import re

from memories.providers.llm.rules.asked import REQUEST

_EMPTY = re.compile(
    r"^(?:yes|yeah|yep|no|nope|nah|ok|okay|sure|thanks|thank you|later|maybe|please|pls|do|do it|go on|perfect|great|"
    r"right|fine|either|both|dunno|i don't know|no idea(?: \w+)?|idk|not yet|not now|good|grand|y|n|ya|done|sold|first|"
    r"no need(?: for (?:it|that|this|now))?|don't bother|not necessary|maybe later|(?:some )?other time|another time|"
    r"tomorrow maybe|"
    r"second|none|nothing|same|never mind|nvm|good question|yes please|please do|go ahead|no thanks|not sure|"
    r"i'll ask .*)?$",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:shall|can|could|will|would|may) i\b|^(?:and )?should i\b|\b(?:shall|should) we\b|"
    r"\b(?:want|would you like|do you want|like) (?:me|help|to|a|another|anything|something|some)\b|"
    r"^(?:and |do you )?need (?:me|help|to|a|another|anything|something|some)\b|"
    r"^(?:and|what|which)\?$|^(?:how|what) about\b|"
    r"\b(?:anything else|anything left|what's left|what is left|what else|what's next|ready|sore|"
    r"on (?:the|your|our) (?:list|plate|agenda|menu)"
    r"|how (?:did|was|are) (?:you|it|that|things)|"
    r"which one|or shall|on your mind|what happened|what's (?:up|wrong|the matter|going on)|"
    r"(?:can|could|would|will) you|does that|is that (?:ok|all|right))\b",
    re.IGNORECASE,
)
_WHAT_TO_DO = re.compile(r"^(?:and )?what (?:should|shall|can|do) i (?!call)", re.IGNORECASE)
_ASKS_WHICH = re.compile(
    r"^(?:and )?(?:which (?!one)|what (?:\w+ ){0,3}should|how (?:many|much|old|long|often)|where|when|who)\b",
    re.IGNORECASE,
)


def is_offer(question: str) -> bool:
    """Whether a question only asks what to do next, so that its answer tells nothing."""
    if REQUEST.match(question):
        return False
    return bool(_WHAT_TO_DO.match(question) or (_OFFER.search(question) and not _ASKS_WHICH.match(question)))


def is_empty(answer: str) -> bool:
    return bool(_EMPTY.match(answer.strip(" ,.!")))
