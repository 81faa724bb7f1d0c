"""Cut a sentence into statements that can stand alone, without greetings and fillers around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from memories.language.extract.evidence import AGE
from memories.language.extract.lexicon import (
    ADVERBS,
    CONTRACTED,
    NOUNLIKE,
    PREPOSITIONS,
    SUBORDINATORS,
    is_base,
    is_finite,
    is_participle,
    is_past,
)
from memories.language.wordlists import words

MOST_LEANING_WORDS = 9
_LEANING = re.compile(
    r"(?:(?:then|so|and|but|instead) )?(?:[\w'-]+ ){1,3}?(?:(?:always|usually|normally|often|still|also) )?"
    r"(?<!\bto )(?:does|do|did|will|can|has to|have to|takes over|take over|steps in|step in)(?: (?:it|that|this|so))?"
    r"(?: instead| for (?:me|us|her|him|them)| then)?",
    re.IGNORECASE,
)
"""What somebody does is told by the clause before."""


def leans_on_what_is_done(clause: str) -> bool:
    """Tell whether a clause only tells who does what was just told: "I can't fetch him, then grandma does it"."""
    return len(clause.split()) <= MOST_LEANING_WORDS and bool(_LEANING.fullmatch(clause))


_OWN = r"(?:I|I'm|I've|I'd|I'll|we|we're|we've|we'll|my|our|My|We|Our)(?=\s)"
_THING = r"(?:the|my|our|she|he|it|it's|she's|he's|they|they're|there's|that's|[A-Z][\w'-]+)(?=\s)"
_STRONG = re.compile(
    r"\s*,?\s+(?:so (?=(?:please|pls|skip|don't|do not|never|always|no|ask|ping|tag|cc) )|and (?=(?:please|pls) ))|"
    r"\s*;\s+|"
    r"\s+[-–—]+\s+|\s*—\s*|\s*,?\s+\bplus\s+(?=" + _OWN + r")"
)
_JOINED = re.compile(
    r"\s*,\s*(?:and|but|so|also|plus|although|though)\s+(?:also\s+|then\s+)?(?="
    + _OWN
    + "|"
    + _THING
    + r")|\s+and\s+(?=(?:on )?\w+days? I\b)|\s+(?:and|but|so)\s+(?:also\s+)?(?="
    + _OWN
    + r")|\s*,\s+(?="
    + _OWN
    + r")"
)
_ASKED = re.compile(
    r"\s*,\s*(?:so |and )?(?=(?:what|which|how|where|when|who|any|is|are|can|could|should|do|does|would)\b)|"
    r"\s*,?\s*(?:so|and|but)?\s*[,:]?\s*\b(?=(?:what|which|how|where|when|why|who|can|could|would|should|do|does|"
    r"is|are|any)\s+(?:can|could|should|would|do|does|did|is|are|I|you|we|there|about|the|a|kind|sort|"
    r"recommendations?|ideas?|tips?|suggestions?|advice)\b|"
    r"(?<!\byou )(?<!\bI )(?<!\bto )(?<!\bwe )(?<!\balways )(?<!\bnever )(?<!n't )(?<!\bnot )"
    r"(?:please|pls|suggest|recommend|tell me|give me|"
    r"show me|help me|write|what's|any ideas|find me|skip|let me know)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\s*,?\s*\b(?:because|since|as|given(?: that)?|seeing as|considering(?: that)?|now that|but|so|and|"
    r"asking because)\s+(?=" + _OWN + r")"
)
_REASON_LEAD = re.compile(
    r"(?:because|since|as|given(?: that)?|seeing as|considering(?: that)?|now that)\s+(?=" + _OWN + "|" + _THING + r")",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\s*\(([^()]{8,160})\)")
_SHARED = re.compile(
    r"^((?:I|We|we)(?: \w+ly| also| currently| still)?) (\w+)\b(.*?),? and (?:also |then )?(\w+) (?=(?:a|an|the|"
    r"my|our|as|at|in|for|on|with|from|to|two|three|\d|every)\b)"
)
_LIVES_WITH = re.compile(
    r"(?P<who>(?:I|[Ww]e|(?:[Mm]y|[Oo]ur) [\w-]+)(?:'m|'re| am| are| is)?"
    r" (?:(?:still|now|currently|also) )?liv(?:es?|ing)) "
    r"(?P<where>(?:in|near|on|at|outside) [^,]+?) (?P<whom>with (?:my|our|his|her|their)(?: [\w'-]+){1,4})"
)
_SHARES_NO_SUBJECT = words("can can't will would want need plan have like hope try decided")
_GOES_ON_TELLING = re.compile(r"\b(?:that|if|whether|both|between|told|said|says)\b[^,]*$", re.IGNORECASE)
"""What stands behind belongs to it: "he said that we ship and I stay"."""
MAX_CLAUSES = 12
_GAP = re.compile(r"(\s{8})\s+")
"""Space that says no more than less of it: borders begin with any, and would be sought from each."""


def split_clauses(text: str, is_open: bool) -> list[str]:
    """Return the clauses of a sentence; with `is_open` (a question, a request) also those that give its reasons."""
    text = _GAP.sub(r"\1", text)
    pieces = [piece for part in _asides(text) for piece in _STRONG.split(part)]
    if is_open:
        parts = [part for piece in pieces for part in _ASKED.split(piece)]
        leads = [_REASON_LEAD.match(part) for part in parts]
        bare = [part[lead.end() :] if lead else part for part, lead in zip(parts, leads, strict=True)]
        pieces = [reason for part in bare for reason in _REASON.split(part) if reason]
    found = [clause for piece in pieces for clause in _split_joined(piece)]
    return [shared for clause in found[:MAX_CLAUSES] for shared in _split_shared(clause.strip(" ,"))]


def _asides(text: str) -> list[str]:
    """Return the sentence without its asides, and those asides that are clauses."""
    asides = [match[1] for match in _ASIDE.finditer(text) if len(match[1].split()) > 2 and has_verb(match[1])]
    if not asides:
        return [text]
    kept = {f"({aside})" for aside in asides}
    rest = _ASIDE.sub(lambda match: "" if match.group().strip() in kept else match.group(), text)
    return [rest, *(re.sub(r"^(?:and|but|because)\s+", "", aside) for aside in asides)]


SOMEBODY = (
    r"(?<!of )(?<!without )(?:him|them|her(?= (?:at|in|on|from|for|with|to|every|each|last|next|when|once|twice|"
    r"since|through|via|there|here|home|back|a|two|three|daily|weekly|often|again|too|now)\b|[.!]?$))"
)
"""Behind a verb, whoever was named before; not "her sister"."""
_OF_SOMEBODY = re.compile(rf"(?:I|we|i) (?!told|tell|asked|said|thanked)[^,;]{{0,120}}?\b{SOMEBODY}(?=[ .!]|$)")
"""What one does with somebody whom the clause before names: it says little without that. What one says to them is of
the moment."""


def _leans(clause: str) -> bool:
    return leans_on_what_is_done(clause) or bool(_OF_SOMEBODY.match(clause))


def _split_joined(piece: str) -> list[str]:
    """Cut where a new subject begins, but only between clauses with verbs of their own."""
    if piece.split(" ", 1)[0].lower() in SUBORDINATORS - {"so", "once"}:
        return [piece]
    clauses: list[str] = []
    end = 0
    for match in _JOINED.finditer(piece):
        left, right = piece[end : match.start()], piece[match.end() :]
        is_left = len(left.split()) > 1 and (has_verb(left) or is_finite(left.split(" ", 1)[0].lower()))
        is_right = has_verb(right[:80]) and not _leans(right)
        if is_left and is_right and not _GOES_ON_TELLING.search(left):
            clauses.append(left)
            end = match.end()
    clauses.append(piece[end:])
    return clauses


def _split_shared(clause: str) -> list[str]:
    """Split "I live in Oslo and work at Acme" into two statements about one subject."""
    home = _LIVES_WITH.fullmatch(clause)
    if home:
        # Whoever moves may take them along.
        return [f"{home['who']} {home['where']}", f"{home['who']} {home['whom']}"]
    match = _SHARED.match(clause)
    if not match or not is_finite(match[2].lower()) or not is_finite(match[4].lower()) or " that " in match[3]:
        return [clause]
    if match[2].lower() in _SHARES_NO_SUBJECT:
        return [clause]
    return [clause[: match.end(3)].rstrip(" ,"), f"{match[1].split()[0]} {clause[match.start(4) :]}"]


def has_verb(text: str) -> bool:
    """Tell whether some word behind the first can be the verb of a sentence."""
    found = re.findall(r"[\w']+", text.lower())
    if found and found[0] in CONTRACTED:
        return True
    return any(
        (is_finite(word) and not (word in NOUNLIKE and before in PREPOSITIONS - {"to"})) or word.endswith(("'s", "'re"))
        for before, word in pairwise(found[:14])
    )


_BORDER = re.compile(
    # From the first of several spaces, or behind what a border before it has taken: from each it would be quadratic.
    r"(?:(?:(?<!\s)|(?<=also )|(?<=then )|(?<=now )|(?<=that ))\s*|(?=\S))(?:,\s*(?:and|but|so|or|then|plus|also)?|;|"
    r"\s[-–—]+\s|—|…|\.\.\.|\s(?:and|but|so(?! that\b)|plus))"
    r"\s+(?:also |then |now |before that,? |that (?!one\b))?"
)
_SUBJECT = re.compile(
    r"(?:(?:(?:this|that) one|I|he|she|it|they|we|you|there|this|that|these|those|everyone|everybody|nobody|"
    r"nothing|both|mine|ours|hers|his|"
    r"theirs|one|all)(?P<ending>'(?:m|s|re|ve|ll|d))?|(?P<noun>(?:(?:my|our|his|her|their|the|"
    r"your|its|an?|every|each|no|all|this|that) )?"
    r"[\w./'-]+(?: [\w./'-]+){0,3}?(?P<own>'s)?)) (?P<verb>[\w']+)",
    re.IGNORECASE,
)
_PRONOUN = words("i he she it they we you there this that these those everyone everybody nobody")
_NO_SUBJECT = words("""
    to for with at in on by from of if when as which who that than what how not no just only even like or and but so
    never always really please because since while where why after before until till about also then still maybe
    """)
_REPORTING = re.compile(
    r"\b(?:that|if|whether|told|said|says|think|know|both|between|either|when|whenever|until|"
    r"after|before|while|unless|where|why|what|how|who)",
    re.IGNORECASE,
)
"""Looked for behind the last comma: see `_reports`."""
_PLAIN_VERB = words("""
    is are was were has have had will can can't won't isn't aren't wasn't doesn't don't didn't does do did must should
    needs wants likes hates loves lives works goes gets got runs uses takes starts comes went says eats drinks plays
    owns keeps makes knows thinks became moved died left joined stays sits falls depends expires arrives lands
    """)


_PLURAL_VERB = words("are were have do don't aren't weren't haven't")
_MANY = words("people kids children men women staff police both all some most many few others two three four five six")


_TOPIC = re.compile(
    r"^(?P<topic>[\w][^,.;:!?]{1,40}), (?:it|he|she|they|that)"
    r"(?P<verb>'s|'re| is| are| was| were| has| have| runs| lives)(?= (?!(?:been|got)\b))",
    re.IGNORECASE,
)
_MIND = re.compile(
    r"^mind (?!if\b|that\b|you\b|the gap)([\w-]+(?: [\w-]+)?), (?=(?:the|its?|their|they) )", re.IGNORECASE
)
_OWNERS = words("my our his her their the")
_QUESTION_OPENING = re.compile(
    r"(?:can|could|should|shall|may|do|does|did|is|are|would|will|what|how|which|where|when|"
    r"why|who|any)\s+(?:i|you|we|it|that|this|there|"
    r"they|he|she|the|a|about|to|do|does|can|could|should|is|are|ideas?|tips?)\b",
    re.IGNORECASE,
)
_TOLD_THAT = re.compile(
    r"\b(?i:put|note|remember|remind|tell|know|knows|mention|forget|means|"
    r"aware|sure|found out|turns out|keep in mind)\b"
    r"[^,;]{0,45}? that (?=(?:the|my|our|he|she|they|we|i|it|all|no|every|[A-Z]|\w+s? (?:is|"
    r"are|go|can|has|have|must|should)))",
)


MIN_WORDS = 3
MOST_SUBJECT_WORDS = 7
NEAR = 500
"""Characters on either side of a border that tell whether a clause begins there: reading all would be quadratic."""


_NO_TOPIC = _NO_SUBJECT | SUBORDINATORS | ADVERBS | PREPOSITIONS | _PRONOUN | words("ok okay oh ah well hey today")
_IF = re.compile(r"(?:if|unless|when|whenever|once|in case|as soon as)\b(?![^,]*,)", re.IGNORECASE)
"""What is said behind it holds only then."""
_ORDERED = words("it them the that this my our your me us")
"""What may stand behind an order."""
_SPOKEN = re.compile(r"\b(?:said|says|told|thinks|thought|claims|believes)\b", re.IGNORECASE)
_CUT_SHORT = re.compile(
    r"\b(?:know|knows|wonder|wonders|ask|asks|tell|tells|the|a|an|to|of|for|with|and|or|but|my|your|our|before you|"
    r"can you|so|because|if|when|than)$",
    re.IGNORECASE,
)
_GUESSED = re.compile(
    r",\s+so (?!that\b|far\b)(?=[^,;]*$)(?=[^,;]*\b(?:would|could|might|maybe|perhaps|probably)\b)", re.IGNORECASE
)
_LET = re.compile(
    r"\b(?:unless|until|till|if|when|whenever|before|than|as) (?:I|we) "
    r"(?:(?:ask|asked|tell|told|want|need|say|know)(?: you)?(?: to)?)$",
    re.IGNORECASE,
)
"""Behind it, what is done then was said before."""


def is_cut_short(text: str) -> bool:
    """Tell whether a clause ends with a word that wants another: "I never know", not "unless I ask you to"."""
    return bool(_CUT_SHORT.search(text)) and not _LET.search(text)


def join_topic(text: str) -> str:
    """Join a topic to what follows it: "fc-1, it's an Ampere box" → "fc-1 is an Ampere box"."""
    text = _MIND.sub(r"\1: ", text)
    match = _TOPIC.match(text)
    if not match or match["topic"].split(" ", 1)[0].lower() in _NO_TOPIC or has_verb(match["topic"]):
        return text
    verb = {"'s": " is", "'re": " are"}.get(match["verb"], f" {match['verb'].strip()}")
    return f"{match['topic']}{verb}{text[match.end() :]}"


def _reports(text: str) -> bool:
    """Tell whether what stands behind the last comma or semicolon says or asks that something is so."""
    return bool(_REPORTING.search(text, max(text.rfind(","), text.rfind(";")) + 1))


def cut_run_on(text: str) -> list[str]:
    """Return the clauses in order; a clause has a subject and a verb, the first may lack them."""
    guess = _GUESSED.search(text)
    is_guess = guess and not _opens_clause(text[guess.end() :], guess.group()) and has_verb(text[: guess.start()])
    text = text[: guess.start()] if guess and is_guess else text
    found: list[str] = []
    start = 0
    for match in _BORDER.finditer(text):
        left = text[max(start, match.start() - NEAR) : match.start()]
        right = text[match.end() : match.end() + NEAR]
        asks = bool(_QUESTION_OPENING.match(right)) and "," in match.group()
        is_open = bool(_IF.match(text[start : min(start + NEAR, match.start())]))
        if len(left.split()) >= MIN_WORDS and (asks or (not is_open and _is_new(left, match.group(), right))):
            found.append(text[start : match.start()])
            start = match.end()
    found.append(text[start:])
    clauses: list[str] = []
    for clause in (one.strip(" ,;–—-") for one in found):
        report = _TOLD_THAT.search(clause)  # "Remind her that Emil can't have nuts"
        clause = clause[report.end() :] if report and len(clause) - report.end() > 10 else clause
        clauses += [clause] if clause else []
    return clauses


def cut_reply(text: str) -> Iterator[tuple[str, str]]:
    """Yield what may be a short answer, and the clause that follows it: "Postgres · we moved in May"."""
    for match in _BORDER.finditer(text):
        if match.start() > NEAR:
            return
        near = text[match.end() : match.end() + NEAR]
        behind = near.lower().split()
        is_of_past = len(behind) >= MIN_WORDS and behind[0] in _OWNERS and any(map(is_past, behind[2:4]))
        is_clause = is_of_past or _opens_clause(near, match.group())  # "my father gave it to me" opens none
        if (
            match.group().strip() == "and"
            and " " not in text[: match.start()].strip()
            and not _PLURAL_VERB.isdisjoint(behind[1:2])
        ):
            return
        if is_clause and (answer := text[: match.start()].strip()):
            yield answer, text[match.end() :]


def _is_new(left: str, border: str, right: str) -> bool:
    """Tell whether a clause of its own begins behind the border, not one more of what somebody says or knows."""
    if len(right.split()) < MIN_WORDS or not _opens_clause(right, border) or _leans(right):
        return False
    if "," in border or ";" in border:
        return True
    match = _SUBJECT.match(right)
    noun = (match["noun"] or "") if match and border.strip() == "and" else ""
    is_one = noun.islower() and " " not in noun and not noun.endswith("s") and noun not in _PRONOUN | _MANY
    if match and is_one and match["verb"].lower() in _PLURAL_VERB:
        return False  # "and" only joins two things: "charts in red and green don't work"
    opens_with_pronoun = right.split(" ", 1)[0].split("'")[0].lower() in _PRONOUN
    return not _SPOKEN.search(left) and (opens_with_pronoun or not _reports(left))


def _opens_clause(right: str, border: str) -> bool:
    match = _SUBJECT.match(right)
    if not match:
        return False
    first = right.split(" ", 1)[0].lower()
    if first.split("'")[0] in _PRONOUN:
        return (
            bool(match["ending"])
            or is_finite(match["verb"].lower())
            or match["verb"].lower().endswith("ly")
            or match["verb"].lower() in {"also", "never", "always", "just", "only", "both", "all", "still", "really"}
        )
    if first in _NO_SUBJECT:
        return False
    if is_base(first) and right.split()[1].lower() in _ORDERED:
        return True
    if first in _OWNERS and any(word in _PLAIN_VERB for word in right.lower().split()[2:MOST_SUBJECT_WORDS]):
        return True
    return match["verb"].lower() in _PLAIN_VERB or (
        first.endswith("'s") and len(right.split()) > 2 and not border.strip().endswith(("and", "or"))
    )


_GREETING = re.compile(
    r"(?:hi|hey|hello|hiya|howdy|yo|good (?:morning|afternoon|evening|day)|morning|evening|greetings|dear \w+|"
    r"happy \w+day|"
    r"hallo|moin|servus|salut|bonjour|coucou|hola|buenas|oye|ciao|oi|olá)(?: (?:there|again|all|everyone|team|"
    r"folks|guys|claude|assistant|zusammen))?(?:(?!-\w)\s*[,!.:)–—-]+\s*|\s+(?=(?:i|i'm|im|my|we|our|quick|just)\b))",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:oh|ah|aha|ahh|ooh|um|uh|uhm|hm+|well|ok|okay|k|"
    r"alright|all right|right|yeah|yep|yes|yup|ya|sure|great|"
    r"cool|nice|perfect|awesome|(?:besides|apart from|other than) (?:me|us)|"
    r"thanks|thank you|thx|ty|cheers|(?:good|great|bad) news|good|fine|lol|haha+|hah|ugh|argh|damn|omg|wow|man|"
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
    r"merci|gracias)(?!-\w)\s*[,!.:;…–—-]+\s*|see,?\s+(?=when|if)|(?:so+|and|but|plus|also|well|ok|okay|oh|ah|aha|yea|hm+|um+|uhm?"
    r"|er+m?|yep|yup|btw|by the way|"
    r"fyi|anyway|for context(?= (?:this|it|the|my|we|I))|"
    r"alright|yeah|"
    r"then|basically|honestly|tbh|actually|just|cos|cuz|because|ok so|okay so|thing is|the thing is|lol|ugh|haha|"
    r"(?:it |as it )?turn(?:s|ed) out(?: that)?|"
    r"ya|yeah no|nah|look|listen|übrigens|aber|und|also|mais|et|pero|y)\s+)",
    re.IGNORECASE,
)
_ANNOUNCED = re.compile(
    r"(?:(?:please |pls |and |just )*(?:remember|note|keep (?:this |that )?in mind|bear in mind|don't forget|"
    r"make a note|be aware|know|save|store|take note|mind you)"
    r"(?: this)?(?: (?:to|in)(?: your)? memory| for (?:the future|later|next time|me))?(?: that|:|,)?\s+|"
    r"(?:i (?:want|need|wanted) (?:you to know|to (?:tell you|mention|let you know|add|note|share))|"
    r"you should know|you (?:need|ought) to know|i should (?:mention|add|note|tell you|say)|"
    r"i forgot to (?:mention|say|tell you)|before i forget|let me (?:tell you|add|mention)|did i (?:mention|tell you)|"
    r"i (?:already )?(?:mentioned|said)(?: before| earlier)?|(?:just )?letting you know|asking(?: because)?|"
    r"asking cos|it's worth (?:noting|mentioning)|worth (?:noting|mentioning)|(?:the )?(?:thing|fact|truth|"
    r"reason) is|important|to give you some context|in case (?:it matters|you need it|it helps)|"
    r"not sure if (?:it matters|it's relevant|that's relevant|this helps) but|what you should know is|"
    r"a bit about me|about me|update(?! (?:the|my|our|this|that|it|all|an?)\b)|"
    r"quick update|i can tell you|rule|new rule|new deal|house rule|decision|"
    r"(?:(?:one|two|three|another|a few|some) )?(?:more )?(?:new |other )?(?:rules?|things?|points?|catch|changes?|"
    r"news)(?: from [\w ]{2,20})?(?=:)|what i meant(?: to (?:say|send|write))?(?: is)?(?=[:,])|long story short|"
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
    r"so (?:no|yes)|(?<!think )(?<!hope )(?<!do )(?:so|and|but)|don't let me forget(?: it)?|remind me)\)?|"
    r"(?:(?<!\s)\s+)?(?:[:;]-?[)(DPp]|\^\^)|(?<![\s,;:–—-])[\s,;:–—-]+)$",
    re.IGNORECASE,
)
_SAYS_HOW = re.compile(
    r"(?:\b(?:is|are|was|were|be|feels?|looks?|sounds?|seems?)|'s|'re)(?: \w+ly| not| also| all| quite| just)? "
    r"(?:right|ok|okay|alright)$",
    re.IGNORECASE,
)
"""What is said of something: "then 8 is ok" is no "8 is" with an "ok" behind it."""
_HAVE_GOT = r"\b([Ii]|[Ww]e|[Yy]ou|[Tt]hey)'ve (?=(?:an?|the|my|our|no|\d+|two|three|four|five|six|ten) [\w-])"
"""Said in Britain: "I've a flight at six"."""
_CAUSE = r"(?:(?<=, )|^)'?[Cc]ause\b(?= (?:the|I|i|it|we|he|she|they|my|our|there)\b)"
_SLIPPED = re.compile(
    r"\b(?:by the way|btw|[Iw]e?'ve to|i|[Ii]m|[Ii]ve|[Ii]d|\w+nt|[Cc]ant|[Ww]ont|[Tt]hats|[Ww]hats|u|cos|cuz|bc|w|"
    rf"gonna|tmrw?|2morrow)\b|'s turning\b|{_HAVE_GOT}|{_CAUSE}"
)
_LAST = words("""
    lol lmao haha hahaha hehe btw fyi tbh though thx thanks ty pls please know guess think right ok okay yeah xd way
    helps matters anyway record mean sorry alright smh ngl imo obviously course danke merci gracias you so no yes
    and but forget it me that them need useful use helps matters
    """)
_SLIPS = (
    (re.compile(r"\bi(?='|\b(?![.'-]?\w))(?!\.e)"), "I"),
    (re.compile(r"\b[Ii]m\b(?! Chat)"), "I'm"),
    (re.compile(r"\b[Ii]ve\b"), "I've"),
    (re.compile(r"\b[Ii]d(?= (?:like|love|rather|prefer)\b)"), "I'd"),
    (
        re.compile(r"\b([Dd]o|[Dd]oes|[Dd]id|[Ii]s|[Aa]re|[Ww]as|[Hh]as|[Hh]ave|[Cc]ould|[Ss]hould|[Ww]ould)nt\b"),
        r"\1n't",
    ),
    (re.compile(r"\b([Cc]an|[Ww]on)t\b(?= [a-z])"), r"\1't"),
    (re.compile(r"\b([Tt]hat|[Ww]hat)s\b"), r"\1's"),
    (re.compile(r"\bu(?= |$)(?! [-])"), "you"),
    (re.compile(r"\b(?:cos|cuz|bc)\b"), "because"),
    (re.compile(_CAUSE), "because"),
    (re.compile(r"\bw/(?= )"), "with"),
    (re.compile(r"\b([Iw]e?)'ve to(?= [a-z])"), r"\1 have to"),
    (re.compile(_HAVE_GOT), r"\1 have "),
    (re.compile(r"(?<=\w),? (?:by the way|btw)\b(?=,? \w|,)"), ""),
    (re.compile(r"\b(?:gonna)\b"), "going to"),
    (re.compile(rf"\b(?!(?i:it|that|this|there|what)\b)([A-Za-zà-ÿ]+)'s (?=turning {AGE}\b)"), r"\1 is "),
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
    """Return what an assistant says it has: "found" before "Root cause: …", "done" before "Written: …"; else ""."""
    if _FOUND.match(text):
        return "found"
    did = _DID.match(text)
    return "done" if did and is_participle(did[1].lower()) else ""


def strip_report(text: str) -> str:
    """Return what an assistant found or did, without the words that announce it: "Found it: …", "Written: …"."""
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
    """Return at most a dozen layers; the statement keeps its wording."""
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
