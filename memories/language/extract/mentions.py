"""The things a clause speaks of, and whether it says enough to be understood by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.language.dates.words import DAY_PARTS, MONTHS, NUMBERS, UNITS, WEEKDAY_PLURALS, WEEKDAYS
from memories.language.extract.lexicon import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    MODALS,
    NOUNLIKE,
    NOUNS_IN_ING,
    OPS_NOUNS,
    PREPOSITIONS,
    SUBORDINATORS,
    base_of_gerund,
    is_base,
    is_finite,
    is_participle,
)
from memories.language.wordlists import words

MAX_PHRASE = 3
"""Words of a phrase that stands alone, "cracked filling", and is a thing by that."""
MAX_WORDS = 6
"""Of what one thing is called."""
_TOKEN = re.compile(r"`[^`\n]+`|\b(?:Dr|Mr|Mrs|Ms|Prof)\.(?= [^\W\d_])|[\w][\w'’./@:+#-]*\w|\w|[^\w\s]")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_PRONOUNS = words("""
    i you he she it we they me him her us them this that these those there everyone everybody nobody somebody someone
    nothing
    something anything everything ones who which what mine yours ours theirs hers his myself yourself i'm i've i'll i'd
    we're
    we've we'll you're he's she's it's they're that's there's what's who's where's when's how's here's let's lot bit
    """)
_BREAKS = (
    PREPOSITIONS | SUBORDINATORS | ADVERBS | MODALS | words("and or but not plus no yes ok okay please thanks being")
)
_PLURALS = words("people kids children men women staff data police twins parents metrics feet teeth mice")
_NOT_PLURAL = ("ss", "us", "is", "'s", "as", "os")
_TIMES = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | WEEKDAY_PLURALS
    | UNITS.keys()
    | words("today tomorrow yesterday tonight morning evening time times easter christmas q1 q2 q3 q4")
)
_MANY = words("these those both all many several few some two three four five six seven eight nine ten")
_INDEFINITE = words("a an another some this that these those both all no any every each one")
_BEFORE_ORDERS = words("please then now just also and so ok okay don't do not always never let's")
_WHICH_TIME = words("next last")
_GIVING = words("feed feeds fed give gives gave giving buy bought tell told send sent show showed teach taught call")
_HOW = re.compile(r"(?:al|ar|iv|ent|ant|ous|ed|ing|ate|ete|ab|ib|ck|ct|ul)ly$")
"""Ends like "manually" and "quickly", not like "family" and "reply"."""
_NAMED_BEHIND = words("for with")
_WHERE = words("in at on from near into onto via outside inside behind through")
_BE = words("am is are was were be been isn't aren't wasn't weren't")
_BEHIND_ALL = words("first again anymore either instead too")
_PERHAPS = words("maybe perhaps")
_CLAUSE_ENDS = words("and or but , ; :")
_MAYBE_PLURAL = {f"{noun}s" for noun in OPS_NOUNS | NOUNLIKE}
"""Verbs only where no other verb follows: "the tests in CI take long", "CI tests it"."""
_NO_SUBJECTS = _PRONOUNS | PREPOSITIONS | SUBORDINATORS | _BEFORE_ORDERS
_ORDERED = DETERMINERS | words("it them me us")
"""What may stand behind an order."""
_NOTHING = words("""
    way thing things problem question idea moment sort kind point reason case mind fun sense rest end job lot luck
    whole same other others more last first second third next best worst eldest youngest sorry noted understood perfect
    congratulations night weekend afternoon yeah yea yep nah wow ha haha hello hey instead however anyway
    """)


@dataclass(frozen=True, slots=True)
class Mention:
    """`text` as a later sentence would call it: "a van" has become "the van"."""

    text: str
    is_plural: bool
    is_subject: bool
    is_place: bool = False
    """Whether it only tells where: "a vet in Dunbar"."""


def read_mentions(clause: str) -> list[Mention]:
    """In the order they are said; the subject is the first if there is a verb."""
    tokens = _TOKEN.findall(clause)
    lows = [token.lower() for token in tokens]
    verb = verb_at(lows)
    subject = _subject(tokens[:verb], lows[:verb]) if verb < len(lows) else None
    found = [subject] if subject else []
    if verb == len(lows) and len(lows) <= MAX_PHRASE and _is_name_phrase(tokens, lows):
        start = lows[0] if tokens[-1].islower() else tokens[0]
        called = f"the {' '.join([start, *tokens[1:]])}"
        return [Mention(called, _is_plural(lows[-1]), is_subject=False)] if len(tokens) > 1 else []
    for first, last in _phrases(tokens, lows, verb, start=verb + 1 if subject else 0):
        mention = _mention(tokens[first:last], lows[first:last], lows[first - 1] if first else "")
        if mention:
            found.append(mention)
    return found


def is_bare_phrase(clause: str) -> bool:
    """Tell whether a clause without a verb is a few words, "good plan", "privacy first"."""
    lows = [token.lower() for token in _TOKEN.findall(clause)]
    return verb_at(lows) == len(lows) <= MAX_PHRASE


def has_bare_noun(clause: str) -> bool:
    """Tell whether one plain word behind the verb names a thing, "takes metformin", which "it" may mean as well."""
    tokens = _TOKEN.findall(clause)
    lows = [token.lower() for token in tokens]
    verb = verb_at(lows)
    for first, last in _phrases(tokens, lows, verb, start=0 if verb == len(lows) else verb + 1):
        token, before = tokens[last - 1], lows[last - 2] if last > 1 else ""
        is_one_word = last - first - _is_doing(lows[first]) == 1
        is_plain = token.isalpha() and token.islower() and _is_thing(token) and not _is_plural(token)
        is_behind = before in _NAMED_BEHIND or (before not in PREPOSITIONS and (is_finite(before) or _is_doing(before)))
        is_noun = before not in _BE and not is_base(token) and not _HOW.search(token)
        if is_one_word and is_plain and is_behind and is_noun:
            return True
    return False


def _is_doing(low: str) -> bool:
    return bool(base_of_gerund(low)) and low not in NOUNS_IN_ING


def _is_name_phrase(tokens: list[str], lows: list[str]) -> bool:
    """Tell whether a few words are what something is called, "cracked filling", or a name, which may be a person's."""
    is_plain = bool(tokens) and all(
        token.isalpha() and low not in _NO_SUBJECTS | AUXILIARIES | DETERMINERS
        for token, low in zip(tokens, lows, strict=True)
    )
    says = bool(lows) and lows[0].endswith("s") and is_finite(lows[0]) and not is_base(lows[0])  # "looks great"
    return is_plain and not says and _is_thing(lows[-1])


def verb_at(lows: list[str]) -> int:
    """Return the place of the first word that can be the verb of the clause; its length if there is none."""
    start = next((at for at, low in enumerate(lows) if low not in _BEFORE_ORDERS), len(lows))
    following = lows[start + 1] if start < len(lows) - 1 else ""
    is_ordered = following in _ORDERED or not following.isalpha() or bool(base_of_gerund(following))
    if following and is_base(lows[start]) and is_ordered and following not in NOUNS_IN_ING:
        return start
    found = len(lows)
    for at in range(1, len(lows)):
        low = lows[at]
        if found < len(lows) and (low in SUBORDINATORS or low in _CLAUSE_ENDS):
            break
        before, following = lows[at - 1], lows[at + 1] if at + 1 < len(lows) else ""
        if low in AUXILIARIES and not (low == "may" and before in PREPOSITIONS):
            return at
        if not before[-1].isalnum() or before in {"and", "or"}:
            continue
        if not is_finite(low) or before in DETERMINERS or before.endswith("'s") or before in PREPOSITIONS:
            continue
        if following in AUXILIARIES or (is_finite(following) and not is_base(following)):
            continue
        if is_base(low) and not (before in _PRONOUNS or any(_is_plural(word) for word in lows[:at])):
            continue
        if low not in _MAYBE_PLURAL:
            return at
        found = min(found, at)
    return found


def _subject(tokens: list[str], lows: list[str]) -> Mention | None:
    """All before the verb, "the cert on the broker", if it is one thing."""
    while lows and (lows[0] in ADVERBS | _PERHAPS or lows[0] in AUXILIARIES):
        tokens, lows = tokens[1:], lows[1:]
    while lows and lows[-1] in ADVERBS:
        tokens, lows = tokens[:-1], lows[:-1]
    # "Last time · my voice died": the subject begins behind the time.
    start = next((at for at, low in enumerate(lows) if at and low in DETERMINERS), 0)
    if all(low in _TIMES | _WHICH_TIME | DETERMINERS for low in lows[:start]):
        tokens, lows = tokens[start:], lows[start:]
    if not lows or len(lows) > MAX_WORDS + 1 or lows[0] in _NO_SUBJECTS or lows[0] == "no":
        return None
    if any(low in SUBORDINATORS | AUXILIARIES or not _has_letter_or_digit(low) for low in lows[1:]):
        return None
    head = next((lows[at - 1] for at, low in enumerate(lows) if at and low in PREPOSITIONS), lows[-1])
    if not _is_thing(head) or (len(lows) == 1 and _is_verb(tokens[0], lows[0])):
        return None
    is_plural = lows[0] in _MANY or "and" in lows or (_is_plural(head) and (len(lows) == 1 or tokens[-1][0].islower()))
    return Mention(" ".join(_definite(tokens, lows)), is_plural, is_subject=True)


def _has_letter_or_digit(token: str) -> bool:
    return any(char.isalnum() for char in token)


def _phrases(tokens: list[str], lows: list[str], verb: int, start: int) -> Iterator[tuple[int, int]]:
    first = start
    verbs = {verb, verb + 1} if (verb + 1 < len(lows) and lows[verb] in MODALS and is_base(lows[verb + 1])) else {verb}
    for at in range(start, len(tokens) + 1):
        if at < len(tokens) and at not in verbs and not _breaks(tokens, lows, at, first):
            continue
        if at > first:
            yield first, at
        first = at if at < len(tokens) and _is_determiner(lows, at) else at + 1


def _is_determiner(lows: list[str], at: int) -> bool:
    """Behind a noun, "that" begins a clause; "feed her fish" tells whom."""
    before = lows[at - 1] if at else ""
    is_none = (lows[at] == "that" and before and before not in _BREAKS) or (lows[at] == "her" and before in _GIVING)
    return lows[at] in DETERMINERS and not is_none


def _breaks(tokens: list[str], lows: list[str], at: int, first: int) -> bool:
    low = lows[at]
    if _is_determiner(lows, at):
        return at > first
    if low in _BREAKS or low in _PRONOUNS or low in AUXILIARIES or low in _TIMES or not _has_letter_or_digit(low):
        return True
    following = lows[at + 1] if at + 1 < len(lows) else ""
    if following in _TIMES and low in _WHICH_TIME:
        return True
    if at == first or (at == first + 1 and lows[first] in DETERMINERS):
        return False
    if tokens[at][0].isupper() or low in NOUNS_IN_ING:
        return False
    if (
        _HOW.search(low)
        or (low in _BEHIND_ALL and lows[first] not in DETERMINERS)
        or (is_base(low) and base_of_gerund(following))
    ):
        return True
    return is_participle(low) or bool(base_of_gerund(low)) or (is_finite(low) and not is_base(low) and low[-1] != "s")


def _mention(tokens: list[str], lows: list[str], before: str) -> Mention | None:
    """None for a time, a bare adjective or a figure, which no pronoun means."""
    if len(tokens) == 2 and (is_base(lows[0]) or base_of_gerund(lows[0])) and _is_marked(tokens[-1]):
        tokens, lows = tokens[1:], lows[1:]  # "restart · checkout-api"
    if lows[-1].endswith("'s"):  # "the export's · being slow"
        tokens, lows = [*tokens[:-1], tokens[-1][:-2]], [*lows[:-1], lows[-1][:-2]]
    head = lows[-1]
    if lows[0] == "no":
        return None  # what there is none of: "no rush"
    is_owned = lows[0] in DETERMINERS or lows[0].endswith("'s") or lows[0] == "one"
    # Written like a name: with a capital, or with marks inside.
    is_named = (tokens[-1][0].isupper() or _is_marked(tokens[-1])) and (len(tokens) < 3 or is_owned)
    is_plural = _is_plural(head) and not tokens[-1][0].isupper()
    if not (is_owned or is_named or (is_plural and before not in {"in", "at"})):
        return None
    if len(tokens) > MAX_WORDS or not _is_thing(head) or lows[0] in NUMBERS.keys() - _INDEFINITE or lows[0].isdecimal():
        return None
    if not is_owned and any(_is_verb(token, low) for token, low in zip(tokens, lows, strict=True)):
        return None
    is_many = lows[0] in _MANY or is_plural
    return Mention(" ".join(_definite(tokens, lows)), is_many, is_subject=False, is_place=before in _WHERE)


def _is_thing(head: str) -> bool:
    is_empty = head in _TIMES or head in _NOTHING or head in ADJECTIVES or head in DETERMINERS or head in NUMBERS
    return not is_empty and len(head) > 1 and any(map(str.isalpha, head)) and not _ORDINAL.fullmatch(head)


def _is_verb(token: str, low: str) -> bool:
    return token.islower() and low.isalpha() and (low in AUXILIARIES or (is_finite(low) and low not in _MAYBE_PLURAL))


def _is_marked(token: str) -> bool:
    """Tell whether it has marks inside, as hosts and files have."""
    return token[0] == "`" or (not token.isalnum() and "'" not in token and "’" not in token)


def _definite(tokens: list[str], lows: list[str]) -> list[str]:
    """Return what is spoken of again: "A van" is "the van" then."""
    if lows[0] in _INDEFINITE and len(tokens) > 1:
        return ["the", *tokens[1:]]
    is_known = lows[0] in DETERMINERS or lows[0].endswith("'s") or not tokens[0].islower() or not tokens[-1].isalpha()
    is_bare = not is_known and (len(tokens) > 1 or _is_plural(lows[0]))
    return ["the", *tokens] if is_bare else tokens


def _is_plural(head: str) -> bool:
    return head in _PLURALS or (
        head.endswith("s") and not _is_marked(head) and not head.endswith(_NOT_PLURAL) and len(head) > 3
    )


_COUNTED = NUMBERS.keys() | words("both either neither all none everything that this it those these")
_ONES = words("first second third last other former latter cheaper bigger smaller")
_COPULAS = words("is are was were isn't aren't wasn't weren't be sounds seems looks works")
_PRAISE = words("""
    good fine ok okay enough plenty many much few great perfect better best cheaper worse less more set done ready right
    wrong not too so very quite still also just then now really bit a way alright all clear nice lovely cool for me us
    """)
_OF_TIME = (
    NUMBERS.keys()
    | MONTHS.keys()
    | WEEKDAYS.keys()
    | WEEKDAY_PLURALS
    | UNITS.keys()
    | DAY_PARTS.keys()
    | words("""
    once twice times time at least most about only every other each a an the per and or to max tops more less than on
    in by for from until till noon midnight am pm today tomorrow tonight next last now utc then before after weekend
    weekends roughly maybe back again o'clock half past quarter weekdays mornings afternoons evenings nights never
    always not daily weekly monthly work school lunch dinner breakfast bed
    """)
)
_SAYS = re.compile(
    r"^(?:[\w'-]+ ){1,3}(?:says?|said|suggests?|suggested|recommends?|recommended) (?P<what>(?!that\b).+)$"
)
_DONE = re.compile(
    r"^(?:Assistant (?:has )?)?[A-Za-z][a-z]*(?:ed|et|ut|ent)(?: it| them)?(?: back| up| down)? "
    r"(?P<what>(?:to|for|on|at|from|until|by) .+)$"
)
_ELLIPSIS = re.compile(
    r"^(?:[\w'-]+ ){0,3}[\w'-]+ (?:do|does|did|don't|doesn't|didn't|can|can't|cannot|will|won't|would|should|has|have|"
    r"hasn't|haven't|is|isn't|are|aren't|was|wasn't|says|said|"
    r"thinks|thought|told me)(?: (?:that|it|so|this|too|not|as well|either|already))*$",
    re.IGNORECASE,
)
_SOME_OF_THEM = re.compile(
    r"^(?:\d\d?|both|one|two|three|four|five|some|most|the (?:first|second|third|fourth|last|other|others|rest)) "
    r"(?:is|are|was|were|isn't|aren't) (?!of\b)|^(?:it's|it is|it was|that's) (?-i:[A-Z])[a-z]+ (?:until|on|this)\b|"
    r"^[\w' ]{2,40} told (?:me|us|her|him|them)(?: (?:so|that|it))?(?: (?:on|in|at|last|this|yesterday|today)\b.*)?$",
    re.IGNORECASE,
)
"""Of what, who "it" is, or what was told, is not said."""
_POINTS = re.compile(
    r"^(?P<told>(?:[\w'-]+ ){1,5})(?:it|them|that|those|this|none|(?<=have )one|(?<=has )one|(?<=need )one)"
    r"(?: (?:too|also|already|again|now|as well|so much|very much|a lot|anyway|either|"
    r"(?:him|her|it|them|our|your)sel\w+))*(?=$|[,;])"
)
"""What it is done to or said of is not said, and no thing is named before that it may be: "we like it"."""
_THERE = re.compile(
    r"\bthere\b(?!'| (?:is|are|was|were|will|has|have|had|isn't|aren't|can|must|should|may|might|seems?)\b)"
)
_NAMED_PLACE = re.compile(
    r"\b(?:in|at|on|to|from|near|outside|inside|behind|under) (?!there\b)\w|^there (?:is|are|was|were)\b", re.IGNORECASE
)
_LAST_PLACE = re.compile(
    r"^.*\b(?P<where>(?:on|in|at|near) (?P<place>(?!\d|it\b|them\b|that\b|this\b|fact\b|case\b)[^,;]{3,60}))$"
)
_THEN = re.compile(r"(?<=\w )(?:(?P<lead>until|till|by|before|since) )?then(?=$|[,.;])")
_LAST_TIME = re.compile(
    r"^.*\b(?:(?P<lead>on|in|at) (?P<time>(?:the )?[\w :]+?)|(?:by |until |till )?(?P<end>(?:the )?end of \w+))$"
)
_DATES = MONTHS.keys() | WEEKDAYS.keys() | WEEKDAY_PLURALS
_TOWARDS = re.compile(
    r"\b(?:go|goes|going|went|move|moves|moved|moving|travel|travels|travelled|fly|flies|flying|drive|drives|driving|"
    r"send|commute|commutes|walk|walks|cycle|cycles|get|come|comes)$"
)
_WORD = re.compile(r"[\w'.:]*\w")


def stands_alone(clause: str) -> bool:
    """Tell whether who was not there would know what it is about; `points_there` tells more."""
    if only_judges(clause) or _ELLIPSIS.match(clause) or _SOME_OF_THEM.match(clause) or _is_amount(clause):
        return False
    points = _POINTS.match(clause)
    if points and all(one.is_subject for one in read_mentions(points["told"])):
        return False
    told = _SAYS.match(clause) or _DONE.match(clause)
    return not (told and _is_amount(told["what"]))


def points_there(clause: str) -> bool:
    """Tell whether "there" or "until then" is a place or a time that the clause does not name."""
    then = _THEN.search(clause)
    if then and then["lead"] and not any(map(_is_date, _WORD.findall(clause[: then.start()].lower()))):
        return True
    match = _THERE.search(clause)
    return match is not None and not _NAMED_PLACE.search(clause[: match.start()])


def name_there(clause: str, previous: str) -> str:
    """Name "there": "Never put appointments there" → "… on the first Monday", with which the clause before ends."""
    there, named = _THERE.search(clause), _LAST_PLACE.match(previous)
    if not there or not named or not points_there(clause):
        return clause
    before = clause[: there.start()]
    where = f"to {named['place']}" if _TOWARDS.search(before.rstrip()) else named["where"]
    return f"{before}{where}{clause[there.end() :]}"


def name_then(clause: str, previous: str) -> str:
    """Name "then": "Priya stands in until then" → "… until the 1st of December", with which the clause before ends."""
    then, named = _THEN.search(clause), _LAST_TIME.match(previous)
    time = named["time"] or named["end"] if named else ""
    said = _WORD.findall(time.lower())
    is_time = any(map(_is_date, said)) and all(_is_date(one) or one in _OF_TIME | {"of", "end"} for one in said)
    if not then or not named or not is_time:
        return clause
    return f"{clause[: then.start()]}{then['lead'] or named['lead'] or 'at'} {time}{clause[then.end() :]}"


def _is_date(word: str) -> bool:
    return word in _DATES or bool(re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)", word))


def only_judges(clause: str) -> bool:
    """Tell whether a bare count is only praised or blamed: "three is good", "the second one is cheaper"."""
    found = _WORD.findall(clause.lower())
    start = 1 if found[:1] and (found[0] in _COUNTED or found[0].isdecimal()) else 0
    if found[:1] == ["the"] and len(found) > 1 and found[1] in _ONES:
        start = 3 if found[2:3] == ["one"] else 2
    rest = found[start:]
    return bool(start and len(rest) > 1 and rest[0] in _COPULAS) and all(word in _PRAISE for word in rest[1:])


def _is_amount(text: str) -> bool:
    """Tell whether it only says when, how often or how much."""
    return all(word in _OF_TIME or word[0].isdecimal() for word in _WORD.findall(text.lower()))
