"""What the gate counts in a conversation, and what each mark weighs.

The weights were fitted by logistic regression on labelled conversations and rounded; a mark that is counted up to
`most` adds its weight times its share of that. A reader can add them up by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

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

BIAS = -2.57
WEIGHTS = {
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
