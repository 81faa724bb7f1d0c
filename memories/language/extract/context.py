"""What a statement that does not stand by itself is kept with: the question it answers, and what that is about.

"Which model is it?" "the 500, in red" says nothing without the blender that was spoken of, and "it" may mean anything
that was named before. Where no rule puts a sound statement together, the words are kept as they were said.
"""

from __future__ import annotations

import re

from memories.language.extract.clauses import mend, strip_leads
from memories.language.extract.conversation import without_time
from memories.language.extract.lexicon import DETERMINERS, GREETED, base_of_gerund, is_base
from memories.language.extract.mentions import read_mentions
from memories.language.extract.prose import is_offer, read_sentences, shares_kind
from memories.language.extract.statements import is_foreign
from memories.language.rewrite.filler import CONSENT, COURTESY, LIGHT_WORDS
from memories.language.wordlists import words

MOST_CHARACTERS = 1_000
QUOTED_CHARACTERS = 200
TOPIC_CHARACTERS = 140
OPENING = 60
"""Characters in which somebody says that they were wrong."""
MATTER = 2
"""Words of matter from which a question tells by itself what it asks for."""
SHORT_OFFER_ANSWER = 4
LEAST_WORDS = 3
_WORD = re.compile(r"[^\W_]+(?:['’.@:/_-][^\W_]+)*")
_GREETED = re.compile(GREETED, re.IGNORECASE)
_POINTING = words("""
    it its this that these those they them their he him his she her hers one ones there both either neither other
    latter former mine yours ours theirs which's
    """)
_OF_A_QUESTION = words("""
    number name address time date day part please sure okay exactly roughly now currently today need know say put add
    remind note prefer like want give send set model make type year size colour color first list new right correct
    """)
"""What a question asks for, or says around it, without telling of what."""
_SEVERAL = re.compile(
    r"[,;:] ?(?:and |or |und |et |y |e )?(?:what|which|who|when|where|why|how|is|are|do|does|did|can|any|your|the|one|"
    r"by|wann|wie|wer|wo|womit|welche\w*|kann|quand|combien|qui|quel\w*|cuánt\w*|cuál\w*|cuándo|quant\w*|qual\w*|quando)\b"
    r"|,? (?:and|und|et|y|e) (?:what|which|who|when|where|why|how|is|are|do|does|did|can|will|could|tell|wann|wie|wer|"
    r"womit|welche\w*|kann|quand|combien|qui|quel\w*|cuánt\w*|cuál\w*|quant\w*|qual\w*)\b|\d\)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"(?:no|not|never|none|neither|only|both|all)\b(?! *[,.;:!–—-])(?= \w)", re.IGNORECASE)
"""An answer that negates a thing and not the question: "no antihistamines"."""
_BEGINS_POINTING = re.compile(
    r"(?:(?:and|but|so|because|also|yes|no|yeah|yep|nope|well|ok|okay|for context)\b[,\s]*)*"
    r"(?:(?:it|this|that|these|those|they|he|she|there|both|one|ones|hers|his|its|their|theirs|mine|ours|yours|her|same)"
    r"(?:['’](?:s|re|ll|d|ve))?|(?:the|that|this) (?:first|second|third|last|latter|former|other|next|"
    r"(?:\w+ )?ones?)|(?:first|last|latter|other|new|old|next) ones?|der|die|das|er|sie|es|c['’]est|il|elle|è)\b"
    r"(?! (?:I|we)\b)",
    re.IGNORECASE,
)
_OWNING = words("its their his her")
_COUNTED = re.compile(r"(?<![\w.,])(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:[a-z]+ )?[a-z]+s\b")
_NEEDED = re.compile(r"\bneeds?\b", re.IGNORECASE)
_SURELY_ENGLISH = words("the my our your his her their is are was for and to with of i we you i'm we're")
_OF_TIME = words("daily weekl month yearl annua hourl same alrea comes then every twice once")
"""Cut like matter: when something is, and nothing of what."""
_OFFERED = re.compile(
    r"(?:soll ich|möchten sie|möchtest du|darf ich|kann ich|veux-tu|voulez-vous|puis-je|dois-je|¿?le puedo|¿?puedo|"
    r"¿?quieres|vuoi|posso|devo|quer que|algo más|anything else|autre chose|noch etwas|sonst noch|serve altro|"
    r"mais alguma coisa|what can i do for you|how (?:can|may) i help)\b",
    re.IGNORECASE,
)
_REPLIED = words("""
    nah nope not now yet later maybe nothing that's that thats all for today certainly absolutely me let think about it
    us do don't bother leave ta cheers please pls fine course by means why not one sec moment go on then good idea
    no nein ja danke später bitte gern gerne passt non merci oui plus tard gracias sí si después sim não obrigado
    obrigada grazie dopo hm hmm um uh oh ah eh well you your i i'll i'd i'm im will would rather thing
    """)
_OF_A_REPLY = words("already got guess think hope appreciate know understand see did can could")
"""Behind "I" they still only take or leave an offer: "I got it now"."""
_FAREWELLS = words("""
    bonne journée soirée nuit bientôt demain au revoir rien tout à c'est schönen schöne tag abend woche noch bis bald
    morgen das war war's wars alles nichts hasta mañana luego buen buenas buenos días día tardes noches adiós nada es
    todo eso buona giornata serata notte a presto domani ciao niente basta così boa bom noite dia tarde tchau até amanhã
    logo só isso é tudo
    """)
"""No answers to an offer, but to other questions: "Wann kommt ihr?" "Morgen Abend"."""
_UNTOLD = re.compile(
    r"\b(?:no idea|don['’]?t know|dunno|not sure|haven['’]?t decided|(?:I['’]?ll|i will|ill) (?:tell|send|let) "
    r"(?:you|u)|ask me (?:again|later)|(?:tell|send)(?: you| u)? (?:it )?later|weiß (?:ich )?(?:noch )?nicht|"
    r"aucune idée|je ne sais pas|no lo sé|non lo so|não sei)\b",
    re.IGNORECASE,
)
_LEAD_IN = r"(?:(?:oh|ah|hm+|um+|er+m?|uh|well|ok|okay|oops|yes|no|nope|and|but|so|that's)\b[\s,.…–—-]*)*"
_LEADS_BACK = re.compile(
    rf"{_LEAD_IN}(?:wait\b(?! (?:for|until|till|an?|on|with)\b)|hang on\b|hold on\b|scratch that|strike that|typo\b|"
    r"sorry,? (?:typo|my mistake|no\b|i meant?\b|it['’]s\b)|i meant\b|i mean (?=(?-i:[A-Z\d]))(?!I\b)|"
    r"correction(?=[,:])|i misspoke|i looked it up|"
    r"my mistake\b|on second thoughts?|change of plans?\b|i was wrong|(?:ach )?nein,? (?:warte|halt|doch)|"
    r"warte\b|quatsch\b|ich meinte?\b|"
    r"(?:euh,? )?non,? (?:attends|pardon)|euh,? non\b|je voulais dire|anzi(?: no)?\b|(?:no,? )?aspetta\b|volevo dire|"
    r"(?:no,? )?espera\b|perdón\b|mejor dicho|quise decir|aliás\b|quer(?:ia|o) dizer)",
    re.IGNORECASE,
)
_WAS_WRONG = re.compile(
    r"\bcorrection[,:]|\b(?:(?:sorry|wait|oops|was a),? typo|scratch that|strike that|i meant|should have said|"
    r"i (?:was wrong|misspoke|mistyped)|changed my mind|je voulais dire|volevo dire|quise decir|mejor dicho|"
    r"ich meinte?)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(r"(?:no|nope|nah|nein|non)\b[\s,.–—-]+", re.IGNORECASE)
_ONE_OF = re.compile(
    r"(?<!not )\b(?:(?:the|my|our) (?:first|second|third|fourth|last|old|older|new|newer|other|bigger|smaller|cheaper|"
    r"earlier|later) one\b|the "
    r"(?:latter|former|first|second)(?=[.,;!]|$))",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"(?=an? |un[ea]? |eine? |[\w-]+ing |(?:(?!the|this|its)[\w-]+ )?[\w-]+s )(?!(?:this|its) )"
    r"(?!.*(?:\d|\b(?:your|our|my|I|User)\b)).*\b(?:often|generally|usually|typically|in general|as a rule|tends? to|"
    r"common (?:annoyance|problem|issue|mistake)|never hurts?|always (?:useful|helpful|worth|a good)|toujours utile|"
    r"en général|di solito|in der Regel|normalmente|geralmente)\b|"
    r"(?:we|I) (?:know|understand) how\b|you can always\b|(?:we|I) look forward\b",
    re.IGNORECASE,
)
"""What an assistant says of the world, or out of courtesy."""
_CHOICE = re.compile(r"(?P<first>[^,;:?.]+?) (?:or|oder|ou|o) (?P<second>[^,;?]+)\?$")
_FIRST = re.compile(r"(?:the |der |die |das )?(?:first|former|1st|erste\w*)(?: one| option)?\b", re.IGNORECASE)
_SECOND = re.compile(
    r"(?:the |der |die |das )?(?:second|latter|2nd|zweite\w*|letztere\w*)(?: one| option)?\b", re.IGNORECASE
)


def last_question(text: str) -> str:
    """Return the questions that a text ends with, without what leads to them; empty if it asks nothing."""
    text = text[-MOST_CHARACTERS:]
    sentences = read_sentences(text)
    while sentences and not sentences[-1].is_question and "?" in text[: sentences[-1].start]:
        sentences.pop()
    asked: list[str] = []
    for sentence in reversed(sentences):
        if not sentence.is_question:
            break
        asked.insert(0, text[sentence.start : sentence.end].strip())
    return " ".join(asked)[-QUOTED_CHARACTERS:].strip()


def matter_of(text: str) -> set[str]:
    """Return the words that tell what a text is about, in lower case, cut to their stems."""
    found = {word.lower() for word in _WORD.findall(text)}
    return {word[:5] for word in found - LIGHT_WORDS - _POINTING - _OF_A_QUESTION if len(word) > 2 or word.isdigit()}


def asks_several(question: str) -> bool:
    return bool(_SEVERAL.search(question)) or question.count("?") > 1


def tells_matter(question: str, least: int = MATTER) -> bool:
    """Tell whether a question names what it asks about: not "Which model is it?" nor "On which day?"."""
    points = any(word.lower() in _POINTING for word in _WORD.findall(question))
    return not points and len(matter_of(question)) >= least


def names_matter(text: str) -> bool:
    """Tell whether somebody who hears nothing else knows what is spoken of: not of "book it for 12 May"."""
    points = any(word.lower() in _POINTING - _OWNING for word in _WORD.findall(text))
    return len(matter_of(text)) >= MATTER * (1 + points)


def is_sound(question: str, answer: str) -> bool:
    """Tell whether one statement can be put together of both by rules."""
    is_plain = not _DENIED.match(answer) and choose(question, answer) == answer
    return is_plain and tells_matter(question, 1) and not asks_several(question)


def begins_pointing(text: str) -> bool:
    """Tell whether who or what a sentence is about was named before it."""
    return bool(_BEGINS_POINTING.match(text))


def is_mere_reply(question: str, answer: str) -> bool:
    """Tell whether an answer to an offer only takes or leaves it: "Shall I send directions?" "yes please".

    "I collect stamps" does neither.
    """
    is_offered = is_offer(question) or bool(_OFFERED.match(question.strip(" ¿")))
    said = [word.lower().replace("’", "'") for word in _WORD.findall(answer)]
    empty = CONSENT | COURTESY | _REPLIED | (_FAREWELLS if is_offered else frozenset())
    rest = [word for word in said if word not in empty]
    is_statement = said[:1] == ["i"] and len(rest) > 1 and rest == said[1:] and rest[0] not in _OF_A_REPLY
    is_ordered = said[:1] in (["never"], ["always"])
    is_short = len(said) <= SHORT_OFFER_ANSWER and said[:1] != rest[:1] and not (is_statement or is_ordered)
    return not rest or (is_offered and is_short and not re.search(r"\d|\b[A-Z]\w+$", answer))


def told_of(text: str) -> str:
    """Return an answer without the clauses that say that something is not known: "free time no idea yet"."""
    if not _UNTOLD.search(text):
        return text
    return ", ".join(clause for clause in re.split(r"[,;] ", text) if not _UNTOLD.search(clause))


def choose(question: str, answer: str) -> str:
    """Return the answer with what was chosen of two: "web-1 or web-2?" "The latter"."""
    options = _CHOICE.search(question)
    if not options:
        return answer
    second = options["second"].strip()
    first = " ".join(options["first"].split()[-max(1, len(second.split())) :])
    for pattern, chosen in ((_FIRST, first), (_SECOND, second)):
        if found := pattern.match(answer):
            return chosen + answer[found.end() :]
    return answer


def topic_of(asked: str, earlier: list[str]) -> str:
    """Return what a question that does not tell its matter is about.

    That is what its own speaker said before it, or else what the other one said last that has any matter. `earlier`:
    their messages, the last one last.
    """
    question = last_question(asked)
    own = asked.partition(question[:TOPIC_CHARACTERS])[0] if question else asked
    for text in (own, *reversed(earlier[-3:])):
        told = [cleaned(sentence.text) for sentence in read_sentences(text[-MOST_CHARACTERS:])]
        told = [
            one for one in told if names_matter(one) and len(one.split()) >= LEAST_WORDS and not _UNTOLD.search(one)
        ]
        while len(told) > 1 and sum(map(len, told)) > TOPIC_CHARACTERS:
            del told[0]
        if told:
            return ". ".join(map(things_of, told))[:TOPIC_CHARACTERS].strip()
    return ""


def things_of(sentence: str) -> str:
    """Return the things that a sentence names: what is wanted of them, or how they are now, is of the moment."""
    opens = sentence.partition(" ")[0].lower()
    is_english = any(word.lower() in _SURELY_ENGLISH for word in _WORD.findall(sentence))
    mentions = read_mentions(sentence) if is_english and not is_foreign(sentence) else []
    is_lost = opens in DETERMINERS and not any(mention.is_subject for mention in mentions)
    if is_lost or _NEEDED.search(sentence):
        return sentence
    is_doing = is_base(opens) or bool(base_of_gerund(opens))
    named = [mention.text for mention in mentions if not (is_doing and mention.text.lower() == opens)]
    counted = [one for one in _COUNTED.findall(sentence) if mentions and not any(one in name for name in named)]
    return ", ".join(dict.fromkeys(named + counted)) or sentence


def cleaned(text: str) -> str:
    """Return a sentence without greeting and opening words."""
    bare = _GREETED.sub("", text) if is_foreign(text) else strip_leads(mend(text)).text
    return bare.lstrip(" )") or text


def answered(question: str, answer: str, topic: str = "", *, asked: str = "Asked", said: str = "User said") -> str:
    """Return an answer in the words of both."""
    about = f'About "{topic}", {asked.lower()}' if topic else asked
    return f'{about} "{question}", {said}: {answer}'


def about(topic: str, text: str, speaker: str = "User") -> str:
    """Return a statement in its own words with what it is about."""
    return f'About "{topic}", {speaker} said: {text}'


def takes_back(text: str, is_asked: bool = True) -> bool:
    """Tell whether a speaker puts right what they said: "hm no wait, Thursday", or "no, Thursday" where none asked."""
    is_back = _LEADS_BACK.match(text) or _WAS_WRONG.search(text[:OPENING])
    return bool(is_back or (not is_asked and _REFUSES.match(text)))


def is_about(text: str, earlier: str) -> bool:
    """Tell whether a sentence that takes something back may mean an earlier one: "wait, I forgot the dog" does not."""
    is_of_it, is_counted = bool(matter_of(text) & matter_of(earlier)), shares_kind(text, earlier)
    if not (_LEADS_BACK.match(text) or _WAS_WRONG.search(text)):
        return is_of_it and is_counted
    points = any(word.lower() in _POINTING or word.lower() == "same" for word in _WORD.findall(text))
    return is_of_it or is_counted or points or bool(_WAS_WRONG.search(text))


def without_taking_back(text: str) -> str:
    """Return what is right, without "oh wait, sorry"."""
    for _ in range(4):
        found = _REFUSES.match(text) or _LEADS_BACK.match(text)
        text = text[found.end() :].lstrip(" ,.:;!–—-") if found else text
    return text


def names_choice(text: str) -> bool:
    """Tell whether it names one of several by its place: "we'll take the second one"."""
    return bool(_ONE_OF.search(text))


def put_together(earlier: str, text: str, speaker: str = "User") -> str:
    """Return what was said first with how its speaker put it right."""
    return f'{speaker} said "{earlier}", and then corrected that: {text}'


def is_general(text: str) -> bool:
    """Tell whether an assistant speaks of no thing of its user: "indexes are often the cheapest win"."""
    return bool(_GENERAL.match(text))


def names_plan(text: str) -> bool:
    """Tell whether a plan says what is then: not "yearly" nor "same day, at six"."""
    points = any(word.lower() in _POINTING for word in _WORD.findall(text))
    what = matter_of(without_time(text)) - _OF_TIME
    return len(what) > 2 * points and not (takes_back(text) or begins_pointing(text))
