"""Units that are worth keeping for the matter they have, however they are built."""

from __future__ import annotations

import re

from memories.providers.llm.rules.candidate import SAID, Candidate
from memories.providers.llm.rules.conversation import Conversation
from memories.providers.llm.rules.corrections import denies
from memories.providers.llm.rules.evidence import ENOUGH
from memories.providers.llm.rules.instructions import names_nothing
from memories.providers.llm.rules.matter import Surroundings, weigh_matter
from memories.providers.llm.rules.offers import is_empty
from memories.providers.llm.rules.ordered import is_errand
from memories.providers.llm.rules.standing import points_there, stands_alone
from memories.providers.llm.rules.units import Unit
from memories.text.messages import USER, Message

KEPT_FROM = {True: 0.3, False: 0.4}
"""How much matter a statement of the user, or of the assistant, needs to be kept."""
CLEAR_ANSWER = 0.25
"""So much less, where question and answer make a plain statement."""
DANGLING_FROM = 0.55
"""For one that opens with a word that points elsewhere."""
_HEAD = 2_000
_POINTS_ELSEWHERE = re.compile(r"^(?:which|same|because|so|then|and|but|except|instead)\b", re.IGNORECASE)


_REGRET = re.compile(
    r"^(?:sorry(?! (?:to hear|for (?:you|your)|you))|you(?:'re| are) right"
    r"|apolog\w+|my (?:mistake|apologies|bad)|point taken|fair point|oops)\b|"
    r"\b(?:I should have|won't happen|from now on)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"^(?:he|she|his|her)(?:'|\b)", re.IGNORECASE)
"""Who that is, was not found in what was said before."""
_OF_WHO_LISTENS = re.compile(
    r"^you (?:just |really |always )*(?:sound|seem|look|remind me)\b|"
    r"^you(?:'re| are) (?:just |really |so |such |very )*(?:right|welcome|kind|sweet|funny|the best|"
    r"a (?:star|hero|genius|legend|lifesaver))\b(?! of\b)",
    re.IGNORECASE,
)
"""What the assistant is like is nothing to keep."""
_SAYS_WHAT_NOT = re.compile(r"^(?:(?:ah|oh|god|no|nope|nah|but|and),? )*not\b", re.IGNORECASE)
"""Without a verb it says nothing by itself."""


def weigh_said(unit: Unit, message: Message, place: int, reply: str, heard: Conversation) -> Candidate:
    """The unit with what its matter speaks for it, 0.5 being enough."""
    by_user = message.role == USER
    is_elsewhere = bool(_POINTS_ELSEWHERE.match(unit.text)) or points_there(unit.text)
    is_resolved = unit.is_resolved and not is_elsewhere
    around = Surroundings(
        message.role,
        message.content[:_HEAD],
        heard.asked if heard.role != message.role else "",
        heard.before[:400],
        reply[:300],
        unit.is_asking,
        unit.is_fragment,
        is_resolved,
    )
    needed = (KEPT_FROM[by_user] if is_resolved else DANGLING_FROM) - CLEAR_ANSWER * (unit.is_joined and by_user)
    is_bare_no = unit.is_fragment and not unit.is_joined and bool(_SAYS_WHAT_NOT.match(unit.text))
    is_bare = is_bare_no or denies(unit.text) or not stands_alone(unit.text) or bool(_SOMEBODY.match(unit.text))
    is_bare = is_bare or (by_user and bool(_OF_WHO_LISTENS.match(unit.text)))
    is_order = by_user and not unit.is_joined and (is_errand(unit.text) or names_nothing(unit.text))
    is_nothing = is_bare or is_empty(unit.text) or is_order
    score = 0.0 if is_nothing else weigh_matter(unit.said, around) + ENOUGH - needed
    return Candidate(
        unit.text,
        place,
        message.content[unit.sentence.start : unit.sentence.end],
        max(0.0, min(1.0, score)),
        "said",
        SAID,
        is_hedged=unit.is_hedged,
        is_lesson=by_user and unit.sets_right,
    )


def is_regretted(reply: str) -> bool:
    """Whether an answer owns up: what it answers set something right."""
    return bool(_REGRET.search(reply[:300]))
