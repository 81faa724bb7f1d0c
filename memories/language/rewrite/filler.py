"""Leave out what a message says around its question: courtesy, hesitation, pasted text."""

from __future__ import annotations

import re

from memories.language.entities import FUNCTION_WORDS, TITLES
from memories.language.wordlists import words

_ADVERB = r"(?:please|maybe|possibly|kindly|just|quickly|perhaps|still|also|even|actually|by any chance|happen to)"
_AGAIN = r"(?:,?\s*(?:once )?again)?"

OPENERS = (
    r"(?:hey|hi|hiya|hello(?! world)|howdy|greetings|good (?:morning|afternoon|evening))"
    r"(?: (?:there|all|again|everyone|team|folks|guys))?(?:,? [a-z]+(?=\s*[,!]))?(?=[\s,.!:-]|$)",
    r"(?:u+m+|u+h+|e+r+m?|h+m+|oh|ah)(?=[\s,.!…]|$)",
    r"(?:well|right|great|nice|cool|perfect|awesome|actually|basically|sorry|okay|ok|alright|anyway|thanks|thank you"
    r"|got it|i see|wow|excuse me|yeah|sure|lol|haha)\s*[,.!…:-]+(?:\s*[a-z]+(?=!))?",
    r"(?:okay|ok|so)"
    r"(?= (?:so|what|who|where|when|why|how|which|can|could|do|does|did|is|are|was|were|i|tell|remind|and)\b)",
    r"(?:by the way|btw|quick question|one (?:more )?(?:thing|question)|just (?:wondering|curious)|fyi)\b",
    r"(?:please|pls|kindly)\b",
    rf"(?:can|could|would|will) you (?:{_ADVERB} )*(?:tell|remind|show|help|give|let) (?:me|us)"
    rf"(?: (?:know|find out|figure out|find|remember|recall|understand))?(?: (?:about|of|if|whether)\b)?{_AGAIN}",
    rf"(?:do|did|would|don't|can|could) (?:you|we) (?:{_ADVERB} )*(?:remember|recall|know)"
    rf"(?: (?:if|whether)\b)?{_AGAIN}",
    r"what do you (?:know|remember|recall)(?: about)\b",
    r"(?:have i (?:ever |already )?(?:told|mentioned to)|did i (?:ever |already )?(?:tell|mention to)) you"
    r"(?: (?:about|that)\b)?",
    r"(?:i was|i'm|i am|was|been) (?:just )?(?:wondering|curious|trying to (?:remember|recall|figure out|find out))"
    r"(?:,? (?:about|if|whether)\b)?(?: you (?:could|can|would|might|know|remember|recall|still)\b)*",
    r"i (?:just )?(?:want|wanted|need|needed|would like|'d like|'d love)"
    r"(?: you)? to (?:know|ask|find out|hear about|check(?= if| whether))"
    r"(?: you)?(?: (?:if|whether|about)\b)?",
    r"i'd (?:like|love) to (?:know|ask|find out|hear about|check(?= if| whether))(?: you)?(?: (?:if|whether|about)\b)?",
    r"i (?:can't|cannot|can not|don't|do not)(?: quite| really)? (?:remember|recall)(?: (?:if|whether)\b)?",
    r"i(?: have|'ve)? (?:forgot|forgotten|forget)\b",
    r"(?:tell|remind|show) (?:me|us)(?: (?:about|of|again|if|whether)\b)*",
    r"let me know(?: (?:if|whether)\b)?",
    r"(?:is there )?any (?:idea|chance|clue)(?: (?:if|whether|about|of|that)\b)?",
    r"it would be (?:great|nice|helpful|good) if you could(?: tell me)?",
    r"(?:may|can) i ask(?: you)?(?: (?:something|a question)\b)?",
    r"would you mind (?:telling|reminding|showing) me(?: (?:if|whether|about)\b)?",
)
"""They open a sentence and ask nothing. Matched in any case, one after another."""

INLINE_FILLER = (
    r"\b(?:please|pls|kindly|u+m+|u+h+|e+r+m)\b,?",
    r",? if you (?:don't mind|do not mind|can|could|know|remember|please|happen to know)\b",
    r",? by the way\b,?",
    r"(?<=[,.?!]) *(?:thanks|thank you|thx|cheers)(?: (?:so much|very much|a lot|in advance|again))*\s*[.!]*$",
    r" (?:thanks|thank you|thx)(?: (?:so much|very much|a lot|in advance|again))*\s*[.!]*$",
)

COURTESY = words("""
    hey hi hello there thanks thank you so much very a lot again thx ty cheers bye goodbye great nice cool awesome
    perfect ok okay k good morning evening night afternoon lol haha wow yay welcome no problem worries never mind
    nope no nothing all right alright got it see understood exactly of course ciao later fine
    """)
"""A message of nothing but these asks for no memory."""
CONSENT = words("""
    yes yep yeah yup sure ok okay go ahead do it please that sounds
    good proceed continue absolutely definitely
    """)
CONSENT_CORE = words("yes yep yeah yup sure ahead do proceed continue absolutely definitely")
"""A message of CONSENT words with one of these agrees to what the agent last said."""

PERSONS = words("he him his she her hers they them their theirs")
PLURALS = words("they them their theirs")
THINGS = words("it its this that these those")
POSSESSIVES = words("his her hers their theirs its")
AUXILIARIES = words("""
    is are was were be been am does do did has have had can could will would shall should may might must isn't aren't
    wasn't weren't doesn't don't didn't hasn't haven't hadn't can't couldn't won't wouldn't
    """)
CLAUSE_ENDS = AUXILIARIES | words("""
    again too either now yet then still and or but so because when while if for in on at to with from of about than as
    before after happen happened mean means work works cost costs
    """)
"""Behind "that" and "this" they tell that it stands for a thing and points at no noun."""
REFERRING_LEADS = words("""
    about of for with after before from on in to like do did does doing than
    is was were are why how
    """)
EMPTY_IT = words("""
    seems seem rains raining possible impossible true time late early hot cold sunny
    clear worth okay ok going been
    """)
"""Behind "it (is)" they tell that "it" stands for nothing."""

FOLLOW_UPS = (
    r"(?:and |but |so |then |ok |okay )*(?:what|how) about\b",
    r"(?:and|but|or|plus|then)\b",
    r"(?:why|how come|how so|since when|until when|really|such as|like what|for example|same for|same with)\b",
    r"(?:who|what|where|when|which|how) else\b",
    r"(?:else|instead|otherwise)\b",
)
DROPPED_FOLLOW_UPS = (
    r"(?:and |but |so |then |ok |okay )*(?:what|how) about\b",
    r"(?:and|but|or|plus|then|same (?:for|with))\b",
)
"""Openers that carry no question of their own; "why" does."""
ASKING = AUXILIARIES | words("who what where when why how which whose whom")

LIGHT_WORDS = (
    FUNCTION_WORDS
    | AUXILIARIES
    | words("""
    tell know remember recall ask asked mean means get got go goes going went gone come make made let want wanted need
    thing things way kind sort use uses using used lot bit ones i'm i've i'd i'll it's that's what's who's where's
    there's let's he's she's they're you're we're we've don't thanks thank hello hi hey yes sure sorry s t
    """)
)
"""They say nothing about what a question is about."""

PERSON_NOUNS = words("""
    wife husband partner spouse girlfriend boyfriend fiance fiancee mother father mom mum dad mama papa sister brother
    son daughter child kid baby aunt uncle cousin niece nephew grandma grandpa grandmother grandfather friend buddy
    boss manager colleague coworker teammate teacher professor student doctor dentist therapist nurse lawyer landlord
    neighbor neighbour client customer roommate flatmate coach trainer assistant developer engineer designer plumber
    guest host mentor
    """)
EMPTY_NOUNS = words("""
    lot bit way moment time same other thing things one ones question answer idea fact point case example problem end
    beginning start rest most first last next few couple while day week month year morning evening night kind sort
    reason chance need list user assistant following above help work photo picture
    """)
"""Behind an article they name nothing one could come back to."""
ARTICLES = words("a an the my our your his her their")
PLACE_LEADS = words("in at to near from around through visit visited visiting")

FIRST_NAMES = words("""
    aaron adam adrian alan albert alex alexander alexandra alice alison amanda amelia amy ana andrea andreas andrew
    angela anita ann anna anne anthony antonio april aria arthur ashley audrey barbara ben benjamin bernd beth bill bob
    brandon brian bruce calvin camille carl carla carlos carol caroline catherine charles charlie charlotte chloe chris
    christian christina christine christopher claire clara claudia claus craig cynthia daniel daniela dave david deborah
    dennis diana diego dominik donald donna dorothy doug dylan edward elena eli elias elizabeth ella ellen emily emma
    emmanuel eric erik ethan eva evan eve eugene felix fiona florian francesca francesco frank franz fred gabriel gary
    george gerald gina gloria grace greg gregory hannah hans harold harry heather heidi helen helena henry holly hugo
    ian ines ingrid irene isaac isabel isabella ivan jack jacob jake james jamie jan jane janet jason jean jeff jennifer
    jenny jeremy jerry jesse jessica jill jim joan joanna joe joel john johanna jon jonas jonathan jordan jorge jose
    joseph joshua juan julia julian julie june justin karen karin karl kate katherine kathy katie keith kelly ken
    kenneth
    kevin kim klaus kyle lara larry laura lauren lea leah leo leon lena lisa liz logan louis louise lucas lucia lucy
    luis
    luke lukas lydia madison manuel marc marco marcus margaret maria marie mario mark markus martin martha mary mateo
    matt matthew matthias max maya megan melanie melissa mia michael michelle miguel mike mila mohamed monica nadia
    nancy naomi natalie nate nathan nicholas nick nicole nina noah nora oliver olivia omar oscar pablo pam pamela
    patricia patrick paul paula pauline pedro peter petra philip philipp priya rachel ralph raj ravi ray rebecca richard
    rita rob robert roger ron rosa rose roy ruth ryan sabine sam samantha samuel sandra sara sarah scott sean sebastian
    sergio sharon simon sofia sophia sophie stefan stephanie stephen steve steven sue susan sven tanja ted teresa
    terry theo theresa thomas tim timothy tina tobias todd tom tony tyler uwe valentina vanessa vera veronica victor
    victoria vincent walter wei wendy werner will william wolfgang yuki yusuf zoe
    """)
"""The commonest, to tell that a lone name is a person's."""

ERROR_LINE = (
    r"\b(?:\w*error|\w*exception|traceback|failed|failure|fatal|denied|refused|timed out|timeout|not found|cannot"
    r"|unable|panic|undefined|invalid|unexpected|segmentation fault|abort(?:ed)?)\b"
)


MAX_QUERY_WORDS = 64
MAX_CODE_WORDS = 20
MAX_SENTENCE_WORDS = 40
_OPENERS_IN_A_ROW = 6
_OPENER = re.compile(rf"\s*(?:{'|'.join(OPENERS)})[\s,.!:;…-]*", re.IGNORECASE)
_INLINE = re.compile("|".join(INLINE_FILLER), re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?](?!\s)[^.!?\n]*)*[.!?]*")
_TITLED = re.compile(rf"\b(?:{'|'.join(sorted(TITLES))}|vs|no)\.\Z", re.IGNORECASE)
_TITLE_CHARS = 12
_LOOSE_MARK = re.compile(r"[\s,]+(?=[?.!](?:\s|$))")
_WORD = re.compile(r"[\w'’]+")
_ERROR = re.compile(ERROR_LINE, re.IGNORECASE)
_EXCEPTION = re.compile(r"\s*[\w.]*(?:Error|Exception)\b")
_QUOTED_LINE = re.compile(r"^\s*>.*$", re.MULTILINE)


def plain_words(text: str) -> list[str]:
    """Return its words in lower case, with straight apostrophes."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def is_courtesy(text: str) -> bool:
    """Tell whether a message asks nothing: "thanks, got it!"."""
    plain = plain_words(text)
    return all(word in COURTESY for word in plain) and not is_consent(text)


def is_consent(text: str) -> bool:
    """Tell whether a message only agrees to what was said before: "yes please, go ahead"."""
    plain = plain_words(text)
    return bool(plain) and all(word in CONSENT for word in plain) and any(word in CONSENT_CORE for word in plain)


def sentences(text: str) -> list[str]:
    """Return sentences and lines with their marks, blank ones left out."""
    parts: list[str] = []
    for match in _SENTENCE.finditer(text):
        piece = match.group().strip()
        if parts and _TITLED.search(parts[-1][-_TITLE_CHARS:]):
            parts[-1] = f"{parts[-1]} {piece}"
        elif piece:
            parts.append(piece)
    return parts


def drop_filler(text: str) -> str:
    """Return the text without courtesy, hesitation and "could you tell me"; unchanged if it has none.

    Linear in its length.
    """
    remaining = [_without_filler(sentence) for sentence in sentences(text)]
    bare = " ".join(sentence for sentence in remaining if sentence)
    return text.strip() if bare == " ".join(text.split()) else bare


def _without_filler(sentence: str) -> str:
    bare = sentence.replace("’", "'")
    for _ in range(_OPENERS_IN_A_ROW):
        match = _OPENER.match(bare)
        if not match or not match.end():
            break
        bare = bare[match.end() :]
    bare = _LOOSE_MARK.sub("", " ".join(_INLINE.sub(" ", bare).split())).strip(" ,;")
    if not _WORD.search(bare) or is_courtesy(bare):
        return ""
    return sentence if bare == sentence.replace("’", "'") else bare


def cut_pasted(text: str) -> str:
    """Code blocks and quoted lines cut to what tells most: the error they show, or nothing beside words."""
    if "```" not in text and "\n>" not in text and not text.startswith(">"):
        return text
    parts = _QUOTED_LINE.sub("", text).split("```")
    prose = " ".join(parts[::2])
    has_prose = len(_WORD.findall(prose)) > 2
    remaining = [part if place % 2 == 0 else f"\n{telling_line(part, has_prose)}\n" for place, part in enumerate(parts)]
    return "".join(remaining).strip()


def telling_line(code: str, has_prose: bool) -> str:
    """Return the exception or the first error of a block.

    Without one its first line, unless words say what it is about.
    """
    lines = [line for line in code.splitlines() if line.strip()]
    # A block's first line may be the name of its language.
    lines = lines[1:] if len(lines) > 1 and len(lines[0].split()) == 1 else lines
    raised = next((line for line in reversed(lines) if _EXCEPTION.match(line)), None)
    failing = raised or next((line for line in lines if _ERROR.search(line[:400])), None)
    chosen = failing or (lines[0] if lines and not has_prose else "")
    return " ".join(chosen.split()[:MAX_CODE_WORDS])


def shorten(text: str, most: int = MAX_QUERY_WORDS) -> str:
    """Return at most `most` words: questions first, then errors, the first and the last sentence, then what fits."""
    if len(text.split()) <= most:
        return text
    parts = sentences(text)
    order = sorted(range(len(parts)), key=lambda place: (_rank(parts[place], place, len(parts)), place))
    chosen: dict[int, str] = {}
    left = most
    for place in order:
        taken = parts[place].split()[: min(left, MAX_SENTENCE_WORDS)]
        if taken:
            chosen[place] = " ".join(taken)
            left -= len(taken)
        if left <= 0:
            break
    return " ".join(chosen[place] for place in sorted(chosen))


def _rank(sentence: str, place: int, count: int) -> int:
    if sentence.endswith("?"):
        return 0
    if _ERROR.search(sentence[:400]):
        return 1
    return 2 if place in (0, count - 1) else 3
