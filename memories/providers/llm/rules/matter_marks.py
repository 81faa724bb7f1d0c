"""What is counted in and around a statement to tell how much matter it has, and what each mark weighs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from memories.providers.llm.rules.words import KIN
from memories.text.messages import ASSISTANT, USER

_KIN = "|".join(sorted(map(re.escape, KIN), key=len, reverse=True))


@dataclass(frozen=True)
class Cue:
    name: str
    regex: str
    is_exact: bool
    """Whether capitals count; other patterns are matched against lower case."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text is read."""
        return re.compile(self.regex)


def _low(name: str, pattern: str) -> Cue:
    return Cue(name, pattern, False)


def _exact(name: str, pattern: str) -> Cue:
    return Cue(name, pattern, True)


INSIDE = (
    _low("kin", rf"\b(?:{_KIN}|mam|oma|opa|grandad|eldest|youngest|boys|girls)\b"),
    _low("user opens", r"^(?:i|i'm|i've|we|we're|we've|my|our|user|user's)\b"),
    _low(
        "pronoun opens",
        r"^(?:he|she|they|it|this|that|these|those|there|one|it's|that's|he's|she's|they're|" r"which)\b",
    ),
    _low("thing opens", r"^(?:the|a|an|all|every|both|each)\b"),
    _exact(
        "name opens",
        r"^[A-Z][a-z]+(?:'s)? (?:is|has|was|can|gets|does|doesn't|will|likes|hates|and|works|"
        r"lives|needs|starts|'s)",
    ),
    _low("is or has", r"\b(?:is|are|has|have|'s|'re|isn't|aren't|hasn't|haven't)\b"),
    _low("happened", r"\b(?:was|were|did|went|came|got|had|said|told|asked|took|made|saw|\w{3,}ed)\b"),
    _low(
        "is to come",
        r"\b(?:will|going to|'ll|starts?|starting|coming|due|moves?|moving|by (?:the )?(?:end|mon|"
        r"tues|wed|thurs|fri|sat|sun)\w*|next|booked|from)\b",
    ),
    _low(
        "never or not",
        r"\b(?:never|not|no|n't|don't|doesn't|won't|can't|isn't|cannot|none|without|neither|" r"nobody)\b",
    ),
    _low(
        "likes",
        r"\b(?:hates?|loves?|likes?|prefers?|can't stand|allerg\w+|enjoys?|fav\w+|afraid|scared|"
        r"terrified|into|petrified|obsessed|mad about)\b",
    ),
    _low(
        "does by habit",
        r"\b(?:every|each|usually|always|most|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?\b|"
        r"\b(?:daily|weekly|monthly|nights?|mornings|shifts?|o'clock|half (?:past )?\w+)\b",
    ),
    _low(
        "work",
        r"\b(?:work\w*|job|boss|manager|colleague|office|company|practice|client|customer|team|"
        r"school|teach\w*|study\w*|exam|course|class|nurse|engineer|shop|clinic|shift)\b",
    ),
    _low(
        "home",
        r"\b(?:live[sd]?|moved|house|flat|apartment|room|garden|car|kitchen|street|road|town|"
        r"village|floor|rent|landlord|neighbou?r)\b",
    ),
    _low(
        "body",
        r"\b(?:tooth|teeth|knee|hip|back|leg|heart|eye|ear|skin|sleep|pain|sore|pills?|tablets?|"
        r"dose|doctor|hospital|surgeon|op|glasses|dentist|physio)\b",
    ),
    _low(
        "hobby",
        r"\b(?:choir|club|band|guitar|piano|violin|lessons?|training|league|running|marathon|"
        r"climb\w*|knit\w*|chess|yoga|swim\w*|bik\w*|cycling|football|match|course|sing\w*|"
        r"paint\w*)\b",
    ),
    _low(
        "age",
        r"\b(?:\d+ (?:years?|months?|weeks?)(?: old)?|years?|since|born|turn(?:s|ed|ing)|eldest|"
        r"youngest|retired|aged?)\b",
    ),
    _low("you", r"\b(?:you|your|you're|u)\b"),
    _low(
        "to the agent",
        r"\b(?:when i|if i|every time|whenever|give me|for me|don't (?:ever )?\w+|stop|never|"
        r"always|from now on|please|instead|just)\b",
    ),
    _low(
        "passing",
        r"\b(?:today|tonight|now|just|this (?:morning|evening|week)|yesterday|currently|again|"
        r"still|yet|later|back|lol|haha\w*|brb|thanks|ok|grand|cool|nice|so far)\b",
    ),
    _low(
        "question word",
        r"^(?:what|how|why|when|where|who|which|can|could|would|do|does|did|is|are|any|will|" r"should)\b",
    ),
    _low(
        "order",
        r"^(?:add|make|give|write|tell|show|put|send|remind|order|buy|find|start|do|run|try|book|check|read|call|draft|list|fix|change|move|set|use|remove|delete|skip|explain|translate|help|need|look)\b",
    ),
    _low(
        "opinion",
        r"\b(?:good|bad|great|nice|mad|crazy|lovely|awful|funny|weird|best|worst|terrible|amazing|"
        r"perfect|boring|annoying|hope|feel|think|wish|suppose|guess)\b",
    ),
    _low(
        "threshold",
        r"\b(?:max|min|at (?:most|least)|over|under|above|below|more than|less than|up to|limit|"
        r"cap|budget|tops|within|only|at once)\b",
    ),
    _low(
        "mechanism",
        r"\b(?:because|since|as|when|whenever|only (?:when|if|works)|unless|otherwise|after|"
        r"before|must|needs?|depends?|listens?|runs?|uses?|lives?|sits?|reads?|writes?|expires?|"
        r"restarts?|so)\b",
    ),
    _low(
        "owned",
        r"\b(?:owns?|owned|holds?|signs? off|approv\w+|maintain\w+|responsible|looks after|"
        r"in charge|names|on call|rota)\b",
    ),
    _low("proposed", r"\b(?:i'd|i would|suggest|recommend|could|should|would|might|maybe|perhaps|propos\w+|option)\b"),
    _low("list", r"(?:,[^,]+){3,}"),
    _low("colon", r"\w:\s"),
    _low("brackets", r"\(.{3,}\)"),
    _low("exclaims", r"!"),
)
_APOLOGY = re.compile(
    r"^(?:sorry|you're right|apolog\w+|my mistake|corrected|changed|fixed|understood|"
    r"point taken|fair point|rewritten|removed|oops|my apologies)\b|\b(?:from now on|"
    r"won't happen|i'll stick)\b"
)
AROUND = (
    (
        "the reply notes it",
        "reply",
        re.compile(
            r"^(?:noted|set|got it|right,|added|updated|ok,? (?:noted|i'll)|done|understood|i've|i'll|"
            r"removed|moved|kept|saved|logged|recorded|will do|agreed|booked|scheduled|confirmed)\b"
        ),
    ),
    ("the reply is sorry", "reply", _APOLOGY),
    ("the reply asks", "reply", re.compile(r"\?")),
    (
        "the reply congratulates",
        "reply",
        re.compile(r"\b(?:congrat\w+|lovely|glad|sorry to hear|wonderful|handy|nice)\b"),
    ),
    (
        "the message asks",
        "message",
        re.compile(
            r"\?|^(?:what|how|why|when|where|who|which|can|could|is|are|do|does|any)\b|\b(?:what|"
            r"how)(?:'s| do| should| would| can)\b"
        ),
    ),
    ("the message laughs", "message", re.compile(r"\b(?:lol|haha\w*|hehe|lmao|omg)\b|😂|🤣")),
    (
        "the message sets right",
        "message",
        re.compile(
            r"^(?:no\b|not\b|nope|wrong|ah no|actually|stop)|\b(?:i told you|i said|you keep|again\?|"
            r"instead of|not \w+,)\b"
        ),
    ),
    (
        "asked to make something",
        "before",
        re.compile(
            r"\b(?:recommend|suggest\w*|ideas?|recipe|write|draft|email|message for|rhymes?|jokes?|"
            r"poem|translat\w+|capital of|convert|calculat\w+|explain|mean|meaning|word for|caption|"
            r"what should|tips|cook|gift|plan for|list of|options|regex|command|fix the|typos|shorter|"
            r"rewrite|rephrase)\b"
        ),
    ),
    (
        "asked about the world",
        "before",
        re.compile(
            r"\b(?:what's the (?:best|difference|capital|weather)|how (?:long|far|hot|many|much|do i|"
            r"do you|does a)|is it (?:true|safe|ok|normal|mad)|normal|usually|in general|does anyone|"
            r"difference|vs|weather|which (?:is|one)|should i)\b"
        ),
    ),
    (
        "asked about here",
        "before",
        re.compile(
            r"\b(?:status|handover|hand over|wrap up|summary|why (?:did|is|was|are|does)|what (?:did|"
            r"happened|was|were|are our|is our)|where (?:does|do|is|are)|who (?:owns|do i|is)|"
            r"when (?:do|does|is)|results?|verdict|again|did you|our)\b"
        ),
    ),
    (
        "the message is dictated",
        "message",
        re.compile(
            r"^(?:subject:|dear |hi \w+[,!]|hello \w+[,!]|\")|\b(?:kind regards|best regards|yours|"
            r"sincerely|cheers,)\b|\bhere (?:are|is|'s)\b"
        ),
    ),
    ("the message is long", "message", re.compile(r"(?s)^.{500,}")),
    ("the message is a list", "message", re.compile(r"(?:\n[ \t]*(?:[-*•]|\d+[.)]).*){3,}")),
    ("the message exclaims", "message", re.compile(r"!|🎉|😭")),
    ("asked of the user", "asked", re.compile(r"\b(?:you|your|you're)\b")),
    (
        "offered",
        "asked",
        re.compile(r"\b(?:shall i|should i|want me|would you like|do you want|will i|anything else|need)\b"),
    ),
    ("asked what is", "asked", re.compile(r"\b(?:what|which|who|where|when|how (?:many|much|old|long|often))\b")),
    (
        "asked in general",
        "asked",
        re.compile(
            r"\b(?:what(?:'s| is| are| does| do)|how (?:do|does|can|to|would)|explain|difference|"
            r"vs\.?|who (?:wrote|is|was|invented)|when (?:did|was)|is it)\b"
        ),
    ),
    (
        "asked of this place",
        "asked",
        re.compile(
            r"\b(?:our|my|we|did you|have you|status|results?|found|the [\w-]+ (?:job|alert|test|"
            r"deploy\w*|build|cluster|host|db))\b|[\w]+[-_.]\w+"
        ),
    ),
)
BIAS = {USER: -2.51, ASSISTANT: -2.69}
WEIGHTS: dict[str, dict[str, float]] = {
    USER: {
        "personal": 1.68,
        "many words": 1.34,
        "a lasting word": 1.23,
        "names of the user": 1.17,
        "a long message": 1.15,
        "the reply notes it": 1.10,
        "age": 0.99,
        "health": 0.88,
        "operations": 0.85,
        "name opens": 0.82,
        "mechanism": 0.70,
        "owned": 0.69,
        "a decision word": 0.69,
        "we": 0.66,
        "never or not": 0.59,
        "impersonal": 0.54,
        "the reply is sorry": 0.52,
        "identifiers of the user": 0.52,
        "is or has": 0.47,
        "threshold": 0.32,
        "the message sets right": 0.31,
        "the reply congratulates": 0.30,
        "the message asks": 0.27,
        "figures of the user": 0.22,
        "hobby": 0.20,
        "home": 0.20,
        "kin": 0.19,
        "the reply asks": 0.17,
        "list": 0.17,
        "I": 0.16,
        "body": 0.16,
        "a reason": 0.15,
        "a verb": 0.13,
        "passing": -0.17,
        "you": -0.17,
        "a question": -0.18,
        "question word": -0.18,
        "proposed": -0.19,
        "happened": -0.23,
        "exclaims": -0.24,
        "few words": -0.25,
        "the message laughs": -0.29,
        "user opens": -0.34,
        "asking": -0.36,
        "to the agent": -0.38,
        "order": -0.44,
        "asked about the world": -0.44,
        "asked in general": -0.48,
        "chatter of the user": -0.49,
        "the message is long": -0.58,
        "a task of the moment": -0.79,
    },
    ASSISTANT: {
        "identifiers of the assistant": 1.40,
        "a long message": 1.09,
        "asked about here": 0.89,
        "kin": 0.88,
        "a thing of this place": 0.86,
        "personal": 0.78,
        "impersonal": 0.77,
        "is to come": 0.71,
        "the message sets right": 0.69,
        "operations": 0.67,
        "something done": 0.66,
        "threshold": 0.65,
        "the assistant noted it": 0.61,
        "figures of the assistant": 0.58,
        "likes": 0.48,
        "to the agent": 0.44,
        "brackets": 0.31,
        "hobby": 0.27,
        "many words": 0.25,
        "something left open": 0.25,
        "the reply asks": 0.23,
        "colon": 0.20,
        "a cause": 0.19,
        "owned": 0.18,
        "never or not": 0.18,
        "is or has": 0.16,
        "age": 0.14,
        "the reply notes it": 0.14,
        "order": -0.16,
        "you": -0.21,
        "the message exclaims": -0.21,
        "proposed": -0.26,
        "passing": -0.28,
        "asked about the world": -0.42,
        "nothing found": -0.46,
        "general knowledge": -0.58,
        "opinion": -0.79,
        "asked in general": -1.13,
    },
}
