"""What a user agrees to: the assistant's proposal, and the word that accepts it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.providers.llm.rules.evidence import count_ops
from memories.providers.llm.rules.prose import Sentence
from memories.providers.llm.rules.verbs import is_base

_ACCEPTED = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|yep|yup|y|ya|good|great|perfect|fine|sure|right|agreed|nice|cool|alright|please|then|and|"
    r"sounds good|makes sense|lgtm|deal|go ahead|"
    r"go for it)\b[\s,.!;:–—-]*)*(?:(?:let's )?(?:do|fix|use|take|keep|make|go with|ship) "
    r"(?:it|that|this|so)\b|do so\b|agreed\b|approved\b|lgtm\b|go ahead\b|go for it\b|deal\b|make (?:it|that) so\b|"
    r"(?:yes|y|ya|yep|yeah)(?: please| pls)?\W*$)",
    re.IGNORECASE,
)
_BOTH = re.compile(
    r"^(?:(?:yes|yeah|ok|okay|sure),? )?(?:both|all(?: of (?:it|them))?|do both)(?:,? please)?\W*$", re.IGNORECASE
)
_OFFERED = re.compile(
    r"^(?:(?:shall|should|may|can) I|(?:do you )?want me to|ok(?:ay)? to) (?P<what>(?:set|change|switch|move|pin|raise|"
    r"lower|limit|disable|enable|replace|rename|upgrade|migrate|drop|keep|use|schedule|store|rotate)\b.{8,160})$",
    re.IGNORECASE,
)
"""What would hold for long; what is only done once is no decision."""
_REFUSED = re.compile(r"\b(?:no|not|don't|nope|but|later|wait|instead|rather)\b", re.IGNORECASE)
_WOULD = re.compile(
    r"^(?:then |so |here )?I(?:'d| would)(?: suggest| recommend| propose)?,? (?:that we |to )?(.+)$", re.IGNORECASE
)
_LABELLED = re.compile(r"^(?:proposal|suggestion|proposed[\w ]{0,20}|plan|recommendation): (.+)$", re.IGNORECASE)
_WOULD_HELP = re.compile(
    r"^((?:\w+ing) .{8,160}?) would (?:clear|fix|solve|help|cost|avoid|prevent|save|cut|stop|"
    r"be (?:enough|safer|better))\b(.*)$"
)
_GOOD_FOR_IT = re.compile(r"^(.{8,160}?) (?:would|should) (?:work|do|be (?:enough|fine))\b.*$", re.IGNORECASE)
MAX_CHARACTERS = 240


def read_agreement(answer: str, proposed: Sequence[Sentence]) -> str:
    """The decision as a statement; "" if nothing was proposed or it was not accepted."""
    if not (_ACCEPTED.match(answer) or _BOTH.match(answer)) or _REFUSED.search(answer[:60]):
        return ""
    for sentence in reversed(proposed[-4:]):
        found = _read_proposal(sentence.text) if len(sentence.text) <= MAX_CHARACTERS else ""
        if found:
            return found
    return ""


def _read_proposal(text: str) -> str:
    match = _WOULD.match(text)
    if match:
        first = match[1].split(" ", 1)[0].lower()
        return f"Agreed to {match[1]}" if is_base(first) else f"Agreed on {match[1]}"
    offered = _OFFERED.match(text)
    if offered and count_ops(text):
        return f"Agreed to {offered['what']}"
    match = _LABELLED.match(text) or _WOULD_HELP.match(text) or _GOOD_FOR_IT.match(text)
    return f"Agreed: {match[1]}" if match else ""
