"""Take off what people put before and behind a statement: greetings, fillers, "btw", "I think", "lol"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.providers.llm.rules.evidence_marks import AGE
from memories.providers.llm.rules.verbs import is_participle
from memories.text.wordlist import words

_GREETING = re.compile(
    r"(?:hi|hey|hello|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|morning|evening|greetings|dear \w+|"
    r"hallo|moin|servus|salut|bonjour|coucou|hola|buenas|oye|ciao|oi|olá)(?: (?:there|again|all|everyone|team|"
    r"folks|guys|claude|assistant|zusammen))?(?:\s*[,!.:–—-]+\s*|\s+(?=(?:i|i'm|im|my|we|our|quick|just)\b))",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:oh|ah|aha|ahh|ooh|um|uh|uhm|hm+|well|ok|okay|k|"
    r"alright|all right|right|yeah|yep|yes|yup|ya|sure|great|"
    r"cool|nice|perfect|awesome|(?:besides|apart from|other than) (?:me|us)|"
    r"thanks|thank you|thx|ty|cheers|good|fine|lol|haha+|hah|ugh|argh|damn|omg|wow|man|"
    r"dude|look|listen|anyway|anyways|brb|btw|fyi|psa|heads up|by the way|also|so|and|but|plus|then|first|firstly|"
    r"second|secondly|third|finally|next|honestly|tbh|frankly|basically|obviously|of course|in fact|in short|"
    r"again|note|nb|ps|p\.s|update|reminder|quick (?:note|question|q|one|thing)|one more thing|another thing|"
    r"side note|(?:one|last) thing|last one|"
    r"before (?:we|i|you) (?:start|begin|get started|forget(?: it)?|go on|go|continue)|"
    r"for context|context|background|for the record|for reference|for your information|just so you know|"
    r"just fyi|to be clear|to clarify|to be honest|as i said|like i said|as mentioned|as you know|as i mentioned|"
    r"that's (?:fine|ok|okay|good|great|right|true|perfect|cool|all right)|got it|i see|makes sense|good point|"
    r"same here|me too|(?:(?:a|one|just a) )?(?:(?:quick|short|brief|little|small) )?"
    r"(?:intro(?:duction)?|note|one|thing|word|remark)"
    r"(?: (?:about|on|since|because|before|for|as)\b[^:,.;]{1,40}(?=:))?|unfortunately|sadly|luckily|fortunately|"
    r"thankfully|apparently|turns out|sorry|excuse me|please|pls|gut|also|übrigens|au fait|por cierto|bitte|danke|"
    r"merci|gracias)\s*[,!.:;…–—-]+\s*|see,?\s+(?=when|if)|(?:so|and|but|plus|also|well|ok|okay|oh|hm+|um+|uhm?"
    r"|er+m?|yep|yup|btw|by the way|"
    r"fyi|anyway|"
    r"alright|yeah|"
    r"then|basically|honestly|tbh|actually|just|cos|cuz|because|ok so|okay so|thing is|the thing is|lol|ugh|haha|"
    r"(?:it |as it )?turn(?:s|ed) out(?: that)?|"
    r"ya|yeah no|nah|look|listen|übrigens|aber|und|also|mais|et|pero|y)\s+)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?:please |pls |and |just )*(?:remember|note|keep in mind|bear in mind|don't forget|make a note|be aware|"
    r"know|save|store|take note|mind you)(?: this| for (?:the future|later|next time|me))?(?: that|:|,)?\s+|"
    r"(?:i (?:want|need|wanted) (?:you to know|to (?:tell you|mention|let you know|add|note|share))|"
    r"you should know|you (?:need|ought) to know|i should (?:mention|add|note|tell you|say)|"
    r"i forgot to (?:mention|say|tell you)|before i forget|let me (?:tell you|add|mention)|did i (?:mention|tell you)|"
    r"i (?:already )?(?:mentioned|said)(?: before| earlier)?|(?:just )?letting you know|asking(?: because)?|"
    r"asking cos|it's worth (?:noting|mentioning)|worth (?:noting|mentioning)|(?:the )?(?:thing|fact|truth|"
    r"reason) is|important|to give you some context|in case (?:it matters|you need it|it helps)|"
    r"not sure if (?:it matters|it's relevant|that's relevant|this helps) but|what you should know is|"
    r"a bit about me|about me|update(?! (?:the|my|our|this|that|it|all|an?)\b)|"
    r"quick update|i can tell you|rule|new rule|new deal|house rule|decision|"
    r"final decision)(?: that|:|,|\s[-–—])?\s+)",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?:i (?:already |just )?told you(?: before| already| twice| last time| once)?|as i told you)(?: that|:|"
    r",)?\s+(?!about|to\b|not\b)",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"(?:i (?:think|believe|guess|suppose|assume|reckon|suspect|feel like|would say|'d say|imagine)|i'd say|"
    r"i'm (?:pretty|fairly|quite|almost) sure|i'm afraid|it (?:seems|looks|appears)(?: like| as if| to me)?|"
    r"as far as i know|afaik|iirc|if i remember correctly|if i recall correctly|from what i (?:know|remember|"
    r"can tell)|in my (?:opinion|view|experience)|imo|imho|presumably)(?: that|,)?\s+",
    re.IGNORECASE,
)
_CORRECTED = re.compile(
    r"(?:no|nope|nah|wrong|incorrect|correction|not quite|that's (?:wrong|not (?:right|correct|true|it)|incorrect|"
    r"false)|that is (?:wrong|not (?:right|correct|true)|incorrect)|you(?:'re| are) (?:wrong|mistaken)|"
    r"(?:that's|that is|this is) not what (?:i|we) (?:meant|asked for|asked|said|wanted)(?: [^:,.;!]{1,40})?|"
    r"you got (?:that|it|this) wrong|you misunderstood(?: me)?|(?:no,? )?wait(?:,? no)?|hold on|hang on|stop|sorry|"
    r"my (?:mistake|bad)|oops|scratch that|strike that|let me correct (?:that|myself)|i misspoke|i meant|i mean|"
    r"nein|non)\s*[,.!:;–—-]+\s*|(?:no|nope|no wait|wait|sorry)\s+(?=actually|it's|its|it is|"
    r"that's|i said|i meant|not)|(?:scratch|strike) that\s+|actually,?\s+|i meant?(?: that)?,?\s+|",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    # What may be long is read from its first character only: from each it would be quadratic.
    r"(?:(?:(?<!\s)\s+(?:[,;(–—-]+\s*)?|(?<![\s,;(–—-])[,;(–—-]+\s*|)"
    r"\b(?:lol|lmao|haha+|hehe|btw|fyi|tbh|though|thx|thanks|thank you|ty|pls|please|you know|"
    r"i guess|i think|right|ok|okay|yeah|xd|by the way|if that helps|if that matters|just so you know|anyway|"
    r"as you know|for the record|i mean|sorry|alright|smh|ngl|imo|obviously|of course|danke|merci|gracias|"
    r"in case (?:you (?:ever )?need|it(?:'s| is)? (?:matters|helps|useful|of use)|that helps)(?: it| that| them)?|"
    r"so (?:no|yes)|don't let me forget(?: it)?|remind me)\)?|"
    r"(?:(?<!\s)\s+)?(?:[:;]-?[)(DPp]|\^\^)|(?<![\s,;:–—-])[\s,;:–—-]+)$",
    re.IGNORECASE,
)
_SAYS_HOW = re.compile(
    r"\b(?:is|are|was|were|be|feels?|looks?|sounds?|seems?)(?: \w+ly| not| also| all| quite| just)? "
    r"(?:right|ok|okay|alright)$",
    re.IGNORECASE,
)
"""What is said of something: "then 8 is ok" is no "8 is" with an "ok" behind it."""
_HAVE_GOT = r"\b([Ii]|[Ww]e|[Yy]ou|[Tt]hey)'ve (?=(?:an?|the|my|our|no|\d+|two|three|four|five|six|ten) [\w-])"
"""Said in Britain: "I've a flight at six"."""
_CAUSE = r"(?:(?<=, )|^)'?[Cc]ause\b(?= (?:the|I|i|it|we|he|she|they|my|our|there)\b)"
_SLIPPED = re.compile(
    r"\b(?:by the way|btw|[Iw]e?'ve to|i|[Ii]m|[Ii]ve|\w+nt|[Cc]ant|[Ww]ont|[Tt]hats|[Ww]hats|u|cos|cuz|bc|w|gonna|"
    rf"wanna|tmrw?|2morrow)\b|'s turning\b|{_HAVE_GOT}|{_CAUSE}"
)
_LAST = words("""
    lol lmao haha hahaha hehe btw fyi tbh though thx thanks ty pls please know guess think right ok okay yeah xd way
    helps matters anyway record mean sorry alright smh ngl imo obviously course danke merci gracias you so no yes
    forget it me that them need useful use helps matters
    """)
_SLIPS = (
    (re.compile(r"\bi(?='|\b(?![.'-]?\w))(?!\.e)"), "I"),
    (re.compile(r"\b[Ii]m\b(?! Chat)"), "I'm"),
    (re.compile(r"\b[Ii]ve\b"), "I've"),
    (
        re.compile(r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Hh]as|[Hh]ave|[Cc]ould|[Ss]hould|[Ww]ould)nt\b"),
        r"\1n't",
    ),
    (re.compile(r"\b([Cc]an|[Ww]on)t\b(?= [a-z])"), r"\1't"),
    (re.compile(r"\b([Tt]hat|[Ww]hat)s\b"), r"\1's"),
    (re.compile(r"\bu(?= |$)(?! [-])"), "you"),
    (re.compile(r"\b(?:cos|cuz|bc)\b"), "because"),
    (re.compile(_CAUSE), "because"),
    (re.compile(r"\b(mother|father|sister|brother|son|daughter|parents)s? in law\b"), r"\1-in-law"),
    (re.compile(r"\bw/(?= )"), "with"),
    (re.compile(r"\b([Iw]e?)'ve to(?= [a-z])"), r"\1 have to"),
    (re.compile(_HAVE_GOT), r"\1 have "),
    (re.compile(r"(?<=\w),? (?:by the way|btw)\b(?=,? \w|,)"), ""),
    (re.compile(r"\b(?:gonna)\b"), "going to"),
    (re.compile(rf"\b(?!(?i:it|that|this|there|what)\b)([A-Za-zà-ÿ]+)'s (?=turning {AGE}\b)"), r"\1 is "),
    (re.compile(r"\b(?:wanna)\b"), "want to"),
    (re.compile(r"\btmrw\b|\btmr\b|\b2morrow\b"), "tomorrow"),
)


_REPORT = re.compile(
    r"^(?:done|found it|yes|no|same cause as before|it lines up|status|state|result|results|"
    r"summary(?: [^:]{0,40})?|fixed|"
    r"noted|for the record|right|ok|sorry|kept|got it|understood|correct|verdict)\s*[:,]\s+",
    re.IGNORECASE,
)


_FOUND = re.compile(r"^(?:found it|found the (?:cause|bug|problem|culprit)|got it|there it is): ", re.IGNORECASE)
_DID = re.compile(r"^([A-Z][a-z]+)(?: (?:it|that|this|so|both|all))?: (?=\S)")


def announces(text: str) -> str:
    """What an assistant says it has: "found" before "Root cause: …", "done" before "Written: …"; else ""."""
    if _FOUND.match(text):
        return "found"
    did = _DID.match(text)
    return "done" if did and is_participle(did[1].lower()) else ""


def strip_report(text: str) -> str:
    """What an assistant found or did, without the words that announce it: "Found it: …", "Written: …"."""
    did = _DID.match(text) if announces(text) else None
    text = text[did.end() :] if did else text
    return _REPORT.sub("", text)


@dataclass(frozen=True, slots=True)
class Bare:
    """A statement without its wrapping, and what the wrapping told."""

    text: str
    is_hedged: bool = False
    is_correction: bool = False
    is_told_again: bool = False


def strip_leads(text: str) -> Bare:
    """At most a dozen layers; the statement keeps its wording."""
    hedged = corrected = told = False
    for _ in range(12):
        before = text
        match = _CORRECTED.match(text)
        if match and match.end() > 0:
            corrected, text = True, text[match.end() :]
        for pattern in (_GREETING, _FILLER, _ANNOUNCED):
            match = pattern.match(text)
            if match and len(text) > match.end() + 2:
                text = text[match.end() :]
        match = _TOLD.match(text)
        if match:
            told, text = True, text[match.end() :]
        match = _HEDGE.match(text)
        if match:
            hedged, text = True, text[match.end() :]
        if text == before:
            break
    return Bare(strip_trail(text), hedged, corrected, told)


def strip_trail(text: str) -> str:
    for _ in range(6):
        if _SAYS_HOW.search(text):
            break
        last = text[text.rfind(" ") + 1 :].lower()
        if last not in _LAST and last[-1:].isalnum() and last != "xd":
            break
        shorter = _TRAIL.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text.strip(' \t"“”' if text.count('"') % 2 else " \t")


def mend(text: str) -> str:
    """Slips of the keyboard that would hide a word: "im", "dont", a small "i"."""
    if not _SLIPPED.search(text):
        return text
    for pattern, written in _SLIPS:
        text = pattern.sub(written, text)
    return text
