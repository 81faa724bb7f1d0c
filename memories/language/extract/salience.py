"""How much of substance a statement or conversation has: marks are found, weighed and added up."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memories.language.extract.evidence import count_ops, weigh_impersonal, weigh_personal
from memories.language.extract.lexicon import KIN, is_finite
from memories.language.messages import ASSISTANT, USER

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


_DAY = (
    r"\b(?:(?:[Mm]on|[Tt]ues|[Ww]ednes|[Tt]hurs|[Ff]ri|[Ss]atur|[Ss]un)days?|tomorrow|tmrw|[Jj]an(?:uary)?|"
    r"[Ff]eb(?:ruary)?|[Aa]pril|[Jj]une|[Jj]uly|[Aa]ugust|[Ss]ept(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|"
    r"[Dd]ec(?:ember)?|[Ee]aster|[Cc]hristmas|next (?:week|month|year|spring|summer|fall|autumn|winter)|(?:on|"
    r"until|till|by) the \d+(?:st|nd|rd|th)|\d{1,2}(?:st|nd|rd|th)|\d{1,2}[:.]\d\d|\d ?(?:am|pm|utc|UTC|CEST)|"
    r"birthday|deadline|since (?:19|20)\d\d|[Jj]anuar|[Ff]ebruar|[Mm]ärz|[Jj]uni|[Jj]uli|[Oo]ktober|[Dd]ezember|"
    r"[Mm]ontag|[Dd]ienstag|[Mm]ittwoch|[Dd]onnerstag|[Ff]reitag|lundi|mardi|mercredi|jeudi|vendredi|août|mars|"
    r"lunes|martes|jueves|viernes|abril|mayo|junio|julio|agosto)\b|\d月"
)
_IDENTIFIER = (
    r"`[^`\n]+`|[\w-]+\.(?!com\b)[a-z][\w-]+(?:[:/]\S+)?|\w+_\w+|\b[\w.-]+:\d{2,5}\b|/\w+/\w+|"
    r"\b[a-z]+-[a-z]*\d+\w*\b|\bv\d|\b\d+\.\d+\b|\b[A-Z]{2,}-\d+\b"
)
_FIGURE = r"(?<![\w.])\d[\d.,:]*"
_NAME = r"(?<=[a-z,'(:] )[A-Z][a-z]+\w*"


@dataclass(frozen=True)
class GateMark:
    name: str
    most: int
    regex: str
    is_exact: bool
    """Whether capitals count; other patterns are matched against lower case."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when a text is read."""
        return re.compile(self.regex)


def _mark(name: str, most: int, pattern: str, is_exact: bool = False) -> GateMark:
    return GateMark(name, most, pattern, is_exact)


USER_MARKS = (
    _mark(
        "a lasting word",
        3,
        r"\b(?:never|always|only|from now on|no longer|any ?more|every ?(?:day|time|week|year|night|morning|\w+day)|"
        r"until|till|forever|for life|for good|in future|going forward|by default|ever|everywhere|not up for debate|"
        r"final|period|rule|off limits|nie|immer|nur|ab sofort|jamais|toujours|siempre|nunca|sempre)\b",
    ),
    _mark(
        "a decision word",
        2,
        r"\b(?:decided|final|settled|agreed|go(?:ing)? with|let's (?:do|go|use|keep)|we(?:'ll| will) (?:use|keep|go)|"
        r"scrap|stick(?:ing)? (?:with|to)|instead|approved|voted|new deal|switch(?:ing|ed)? to|beschlossen|"
        r"entschieden|wir nehmen|tranché|decidimos)\b",
    ),
    _mark(
        "people",
        3,
        r"\b(?:my|our|his|her|mein\w*|ma|mon|mi|mis|meu|minha) (?:[\w-]+ )?(?:wife|husband|partner|mother|mom|mum|"
        r"father|dad|parents|sister|brother|son|daughter|kids?|children|baby|twins|grand\w+|uncle|aunt|cousin|niece|"
        r"nephew|dog|cat|boss|manager|neighbou?r|girlfriend|boyfriend|fille|fils|mari|femme|tochter|sohn|frau|mann|"
        r"hija|hijo|physio|doctor|vet|teacher)\b|\b(?:mum|mom|dad|grandma|grandpa|granny|husband|wife|mamie)\b|夫|妻|息子|"
        r"娘",
    ),
    _mark(
        "health",
        2,
        r"\b(?:allerg\w+|intoleran\w+|vegan|vegetarian|gluten|celia\w+|coeliac|diabet\w+|asthma|pregnan\w+|diagnos\w+|"
        r"medication|insulin|migraine\w*|surgery|\d+ ?mg|pills?|drops|tablets|physio|doc(?:tor)?s?|vet|hip|knee|"
        r"herniated|dyslex\w+|alérg\w+|unverträg\w+|\w*[ck]ardiolog\w*|therapy|heart|hearing aids?|blood|crohn's|"
        r"colou?r ?blind|adhd|epilep\w+|carne)\b|アレルギー|ベジタリアン|过敏",
    ),
    _mark("figures of the user", 3, _FIGURE),
    _mark("a date of the user", 3, _DAY, is_exact=True),
    _mark("identifiers of the user", 3, _IDENTIFIER, is_exact=True),
    _mark("names of the user", 3, _NAME, is_exact=True),
    _mark(
        "a reason",
        2,
        r"\b(?:because|since|cos|bc|cuz|so (?:that|no|please|don't|i|we)|due to|as (?:he|she|i|we|it)|that's why|"
        r"the reason)\b",
    ),
    _mark("we", 3, r"\b(?:we|we're|our|we've|wir|nous|nos)\b"),
    _mark(
        "I",
        3,
        r"\b(?:i'm (?:on|a|an|in|at|from)|i'm|im|i am|i have|i've|i work|i live|i use|i don't|i never|i always|"
        r"i can't|i coach|i play|i want|i hate|i prefer|i like|i need|ich|je|j'ai|soy|tengo)\b",
    ),
    _mark("my", 3, r"\b(?:my|mine)\b"),
    _mark(
        "must",
        2,
        r"\b(?:must|mustn't|need to|needs|has to|have to|should|shouldn't|not allowed|only allowed|may not|can't|"
        r"cannot|won't|don't|do not|no (?:more|sudo|\w+ing))\b",
    ),
    _mark(
        "setting right",
        2,
        r"\b(?:no,|nope|wrong|not \w+[,.;]|actually|i said|i told you|stop|instead of|rather than|not \w+ but|"
        r"you keep|keep giving|you used|non non|nicht)\b|\?\?",
    ),
    _mark(
        "asked to note",
        2,
        r"\b(?:remember|note|keep in mind|write (?:this|it) down|save this|for the record|btw|fyi|heads up|psa|"
        r"don't forget|keep (?:it|the|that)|make a note|remind me|dump this|hand ?over)\b",
    ),
    _mark(
        "a question",
        2,
        r"(?:^|[.!?\n] ?)\s*(?:hey |hi |ok |so |and )?(?:what|how|why|when|who|which|whats|what's|is|are|can|could|do|"
        r"does|did|where|explain|eli5|tell me|recommend|any)\b",
    ),
    _mark(
        "a task of the moment",
        2,
        r"\b(?:translate|write (?:me )?(?:an?|seed)|tell (?:me )?an?|convert|rename|regex|recipe|joke|poem|story|"
        r"explain|eli5|what's the difference|difference between|vs|summari[sz]e|quick (?:idea|question)|riddle|define|"
        r"meaning of|synonym|calculate|spell|rhyme|quiz)\b",
    ),
    _mark(
        "chatter of the user",
        3,
        r"\b(?:lol|haha\w*|hehe|thanks|thx|thank you|ty|omg|ugh|wow|cool|nice|great|perfect|love (?:it|that|this)|"
        r"cheers|bye|good night|good morning|brb|yay|legend|merci|danke|gracias|ok|k|ah+|oh+|hmm+|yesss?|lmao|cute|"
        r"woah|funny|sigh)\b",
    ),
    _mark(
        "the moment",
        2,
        r"\b(?:today|tonight|now|right now|this morning|just|so far|back|still|waiting|running late|again)\b",
    ),
    _mark(
        "made up",
        2,
        r"\b(?:pretend|imagine|suppose|fictional|role-?play|let's practice|you're the|if (?:i|you) (?:won|were|was|"
        r"had)|would (?:you )?rather|what if|story|novel|d&d|character|lyrics|movie|song|dream(?:t|ed)?|someone on|"
        r"quote)\b",
    ),
)
ASSISTANT_MARKS = (
    _mark(
        "the assistant noted it",
        2,
        r"\b(?:noted|understood|got it|i've (?:added|noted|updated|saved|put|corrected)|i'll (?:remember|keep|stick|"
        r"use|make sure|leave|do that|target|ask|avoid|add|collect|stop|note|refer)|kept|updated|agreed|will do|"
        r"i won't|i will (?:not|remember|keep|use)|from now on|corrected|anotado|noté|corrige|notiert|combinado|"
        r"my mistake|apolog\w+|then i'd|only \w+ from)\b",
    ),
    _mark(
        "a cause",
        2,
        r"\b(?:root cause|caused by|because|turned out|due to|the (?:cause|fix|culprit|reason)|fixes it|since the|"
        r"as it|so that|was (?:missing|capped|set|moved|wrong|renamed)|had (?:the same|expired|been)|found it|"
        r"same cause)\b",
    ),
    _mark(
        "something done",
        3,
        r"\b(?:i(?:'ve| have)? (?:raised|moved|added|pinned|set|disabled|enabled|silenced|reverted|rolled|migrated|"
        r"changed|replaced|switched|created|pushed|opened|fixed|removed|restored|rotated|scheduled|resubmitted|"
        r"limited|bumped|updated|renamed)|is now|now (?:uses|runs|has|reads|points)|has been|have been|are now|"
        r"was (?:moved|removed|added|enabled))\b",
    ),
    _mark(
        "something left open",
        2,
        r"\b(?:not yet|open(?: items)?:|still to|remaining|todo|isn't (?:yet )?(?:applied|done|merged|deployed)|"
        r"hasn't been|until|pending|blocked|awaiting|before then|must(?: not)?|never|only|requires?|not by|"
        r"known (?:issue|problem|false)|agreed|for the record|capped)\b",
    ),
    _mark("identifiers of the assistant", 3, _IDENTIFIER, is_exact=True),
    _mark("figures of the assistant", 3, _FIGURE),
    _mark("a date of the assistant", 3, _DAY, is_exact=True),
    _mark("names of the assistant", 3, _NAME, is_exact=True),
    _mark(
        "a thing of this place",
        3,
        r"\b(?:the|your|this) (?:\w+ ){0,2}(?:host|repo|server|job|runner|partition|cluster|table|pool|service|ticket|"
        r"runbook|wiki|policy|contract|account|config|migration|branch|alert|cert|key|golden|files?|hook|module|"
        r"fixture|env|vlan|mount|disk|pipeline|ci|bucket|queue|token|image|provider|vendor|customer|tests?|board|"
        r"increase)\b",
    ),
    _mark(
        "general knowledge",
        3,
        r"\b(?:usually|typically|generally|commonly|in general|often|most|you can|can be|it's (?:a|an)|is (?:a|an)|"
        r"are (?:a|an)?|refers to|means|for example|such as|try|use|simply|just|add|works? (?:just )?(?:as )?well)\b",
    ),
    _mark("an offer", 2, r"\?|\b(?:would you like|want (?:me )?to|shall i|let me know|happy to|i can)\b"),
    _mark(
        "chatter of the assistant",
        3,
        r"!|\b(?:congrat\w+|lovely|enjoy|good luck|glad|hope|sorry|frustrating|haha|funny|you're welcome|sounds)\b",
    ),
    _mark(
        "nothing found",
        2,
        r"\b(?:all (?:pass|green)|pass(?:es|ed)|no errors|nothing|succeeded|looks (?:good|fine)|healthy|running|"
        r"pushed\.|renamed|reading|let me|waiting|checking|clean)\b",
    ),
)

GATE_BIAS = -2.57
GATE_WEIGHTS = {
    "an instruction": 4.45,
    "the assistant noted it": 3.40,
    "several statements": 3.11,
    "a statement": 3.10,
    "health": 3.06,
    "a date of the user": 2.89,
    "a decision word": 2.73,
    "an outcome": 2.54,
    "names of the user": 2.18,
    "a lasting word": 2.18,
    "identifiers of the assistant": 2.12,
    "much from the user": 2.05,
    "a thing of this place": 1.99,
    "a decision or correction": 1.88,
    "something left open": 1.56,
    "something done": 1.50,
    "a reason": 1.28,
    "much from the assistant": 1.24,
    "operations": 1.20,
    "setting right": 1.07,
    "people": 0.83,
    "another language": 0.82,
    "must": 0.81,
    "we": 0.74,
    "I": 0.66,
    "figures of the assistant": 0.59,
    "identifiers of the user": 0.57,
    "asked to note": 0.53,
    "my": 0.52,
    "figures of the user": 0.50,
    "names of the assistant": 0.35,
    "a cause": -0.34,
    "the moment": -0.64,
    "an offer": -0.65,
    "a date of the assistant": -0.93,
    "chatter of the assistant": -1.22,
    "nothing found": -1.32,
    "general knowledge": -1.33,
    "a question": -1.42,
    "a task of the moment": -1.78,
    "made up": -2.46,
    "chatter of the user": -2.72,
}


_MOST = 2
"""So many finds of a mark count in full."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was said around a statement. `message` is what it stands in; `asked` the question it may answer."""

    role: str
    message: str = ""
    asked: str = ""
    before: str = ""
    """The message before, another speaker's."""
    reply: str = ""
    is_asking: bool = False
    """Whether it stands in a question or a request."""
    is_fragment: bool = False
    is_resolved: bool = True


_MARKS: dict[str, tuple[GateMark, ...]] = {USER: USER_MARKS, ASSISTANT: ASSISTANT_MARKS}
_USED = {
    role: (
        tuple(mark for mark in _MARKS[role] if mark.name in weights),
        tuple(cue for cue in INSIDE if cue.name in weights),
    )
    for role, weights in WEIGHTS.items()
}


def weigh_matter(text: str, around: Surroundings) -> float:
    """0 to 1: how likely somebody would want to keep this."""
    weights = WEIGHTS[around.role]
    shares = measure(text, around, *_USED[around.role])
    total = BIAS[around.role] + sum(weights.get(name, 0.0) * share for name, share in shares.items())
    return 1.0 / (1.0 + math.exp(-total))


def measure(text: str, around: Surroundings, marks: tuple[GateMark, ...], cues: tuple[Cue, ...]) -> dict[str, float]:
    """Return each mark's share, 0 to 1."""
    low = text.lower()
    shares = {mark.name: _count(mark.pattern, text if mark.is_exact else low) / _MOST for mark in marks}
    shares |= {cue.name: float(bool(cue.pattern.search(text if cue.is_exact else low))) for cue in cues}
    shares |= _measure_around(around.message, around.asked, around.before, around.reply)
    words = re.findall(r"[\w']+", low)
    return shares | {
        "few words": max(0.0, (6 - len(words)) / 6),
        "many words": min(1.0, len(words) / 25),
        "operations": min(3, count_ops(text)) / 3,
        "personal": weigh_personal(text).score,
        "impersonal": weigh_impersonal(text).score,
        "asking": float(around.is_asking),
        "an answer": float(bool(around.asked)),
        "a fragment": float(around.is_fragment),
        "left dangling": float(not around.is_resolved),
        "a verb": float(any(is_finite(word) for word in words[1:])),
    }


def _count(pattern: re.Pattern[str], text: str) -> int:
    first = pattern.search(text)
    if not first:
        return 0
    return 2 if pattern.search(text, first.end()) else 1


@lru_cache(maxsize=32)
def _measure_around(message: str, asked: str, before: str, reply: str) -> dict[str, float]:
    """Return what speaks for all statements of a message alike."""
    said = {"message": message.lower(), "asked": asked.lower(), "before": before.lower(), "reply": reply.lower()}
    shares = {name: float(bool(pattern.search(said[place]))) for name, place, pattern in AROUND}
    return shares | {"a long message": min(1.0, len(message) / 400)}
