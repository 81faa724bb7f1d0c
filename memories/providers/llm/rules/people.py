"""Whom "he", "she" and "they" mean: the person named last, as far as it can be that one."""

from __future__ import annotations

import re

from memories.providers.llm.rules.verbs import AUXILIARIES, is_base, is_finite
from memories.providers.llm.rules.words import (
    ADVERBS,
    BETWEEN_NAMES,
    DETERMINERS,
    KIN,
    PREPOSITIONS,
    SUBORDINATORS,
    TITLE,
)
from memories.text.wordlist import words

_SHE = words("""
    wife girlfriend fiancee fiancée mother mom mum mam mama mommy sister daughter grandmother grandma granny
    granddaughter aunt niece stepdaughter stepmother mother-in-law sister-in-law ex-wife landlady oma mamie
    auntie nana
    """)
_HE = words("""
    husband boyfriend fiance fiancé father dad papa daddy brother son grandfather grandpa grandson uncle nephew
    stepson stepfather father-in-law brother-in-law ex-husband grandad granddad opa
    """)
_THEY = words("""
    parents sisters brothers siblings sons daughters kids children twins grandparents cousins dogs cats pets friends
    colleagues coworkers roommates neighbors neighbours in-laws family team boys girls
    """)
_OWN = words("""
    wife husband hubby girlfriend boyfriend fiance fiancee fiancé fiancée son daughter brother sister grandson
    granddaughter mother father stepson stepdaughter mother-in-law father-in-law sister-in-law brother-in-law boss
    landlord landlady flatmate roommate housemate neighbour neighbor kids twins in-laws dog cat puppy baby
    """)
"""Whose they are is not said of one's own: "husband's away", "kids are asleep". Neither "children" nor "friends"."""
_OF_US = re.compile(r"(?:I|we)\b(?:'\w+)?", re.IGNORECASE)
_OWN_OPENS = re.compile(
    rf"(?P<who>{'|'.join(sorted(_OWN, key=len, reverse=True))})(?P<own>'s)? (?P<verb>[\w']+)"
    r"(?: (?P<next>[\w']+))?",
    re.IGNORECASE,
)
_BY_THEMSELVES = words("mum mom mam dad grandma granny grandpa nana oma opa grandad mummy daddy")
_ALL_KIN = KIN | _SHE | _HE | _THEY
_KIN = "|".join(sorted(map(re.escape, _ALL_KIN), key=len, reverse=True))
_PERSON = re.compile(
    rf"\b(?:(?:[Mm]y|[Oo]ur|[Tt]he) (?:[\w-]+ )?(?:{_KIN})\b"
    rf"(?: (?:{TITLE} )?{BETWEEN_NAMES}(?!I\b|{TITLE})[A-Z][\w-]+)?"
    rf"|(?<![\w'])[\w-]+'s (?:{_KIN})\b|\b(?:[Aa]unt|[Uu]ncle) [A-Z]\w+|(?<![\w'])(?i:{'|'.join(_BY_THEMSELVES)})\b"
    r"|(?P<name>(?<![\w'./-])[A-Z][a-zà-ÿ]+(?![\w./-])))"
)
_NOT_PEOPLE = words("""
    I The A An And But So If When Is It He She They We You My Our This That There What How Why Who Where Which Yes No
    Ok Okay Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mondays Tuesdays Wednesdays Thursdays Fridays
    Saturdays Sundays January February March April May June July August
    September October November December Christmas Easter English Polish German French Spanish Thanks Sorry Noted
    Added Right Good Done Hi Hey Dear User Assistant Then Try Do Will Shall Would Your Not Great Set Every Two Just
    """)
_AGE = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?! [a-z])"
_ACTS = re.compile(
    r"(?:'s (?!a\b|the\b)[a-z]+| (?:says|said|likes|loves|loved|cried|laughed|hates|wants|needs|lives|works|plays|"
    r"eats|goes|started|starts|moved|got|has (?:his|her|been|no)|did|wrote|gave|brought|bought|visited|can(?:'t)? |"
    r"and (?:I|[A-Z][a-zà-ÿ]+)|joined|left|told|asked|thinks|called|knows|takes|"
    rf"(?:is|isn't|is not) (?:my|our|his|her|\d|{_AGE}|allergic|lactose|intolerant|vegan|vegetarian|diabetic|pregnant|"
    r"away|off|coming|on (?:leave|call))|will|doesn't|won't|might|leaves|drives|owns|approves)\b)"
)
_TREATED = re.compile(
    r"\b(?:with|ask|asked|tell|told|call|rang|saw|text|texted|called|named|name is|name's|for|mind|ring|meet|met|"
    r"know|phoned|visited|hired|invited|invite|thank|"
    r"(?:lent|lend|gave|sold|handed|owe|promised) (?:[\w'-]+ ){1,3}to|"
    r"(?:spoke|speak|talk|talked|wrote|write|reply|replied|said) (?:to|with)|"
    r"(?i:reply|write|talk|speak) to|Aunt|Uncle|Dr|Frau|Herr|Mr|Mrs|and)\.? $"
)
_DENIED = re.compile(r"(?:n't|\bnot)(?: really| actually)? $")
"""Who "isn't my wife" is somebody else."""
_ADDRESSED = re.compile(
    r"(?:thanks|thank you|thx|ta|cheers|hey|hi|hello|hiya|sorry|wow|congrats|congratulations|great|well done|"
    r"good (?:job|work|one)|absolutely|exactly|yes|yeah|yep|sure|oh|ok|okay|no|bye|good ?night|(?:good )?morning)"
    r"(?: so much| a lot)?,? (?P<name>[^\W\d_]+)(?=$|[,.!?;])",
    re.IGNORECASE,
)
"""Who is spoken to is a person, and neither "it" nor "she"."""
_PLACED = re.compile(r"\b(?:in|at|to|from|near|into|on|by|of) $")
_OPENER = re.compile(r"(?P<word>[^\W\d_]{3,15})(?P<own>'s)? (?P<verb>[\w']+)")
_COMMON = (
    PREPOSITIONS
    | DETERMINERS
    | SUBORDINATORS
    | ADVERBS
    | words("""
    she they you there here one everyone nobody somebody someone user people who and but yes yeah not both two three
    then dinner work school lunch today tonight tomorrow yesterday monday tuesday wednesday thursday friday saturday
    sunday staging prod main master status step root nothing everything something
    """)
)
_LEADING = re.compile(
    r"^(?P<lead>(?:(?:on|at|in|the|last|next|this|every|two|three|four|a|weeks?|days?|months?|years?|today|tomorrow|"
    r"yesterday|tonight|morning|evening|now|then|also|\d+\w*|\w+day|from|since|until|after|before|that|"
    r"there),? ){1,6})?"
    r"(?P<word>she|he|they|her|his|their)(?P<ending>'s|'re|'ll|'d|'ve)?(?= \w)",
    re.IGNORECASE,
)
"""The pronoun a statement opens with, maybe behind a time."""
_BEHIND = re.compile(
    r"(?<=\w )(?P<lead>with|for|to|from|at|by|about|after) (?P<word>her|him)"
    r"(?=$|[,.;]| (?:is|was|are|were|for|in|on|at|until|till|to|and|but|every|next|when|if|because|since|tomorrow)\b)"
)
"""Neither "for her birthday" nor "she told her"."""
_TAKEN = re.compile(
    r"^(?:I|[Ww]e|[Mm]y \w+)(?: (?:always|usually|often|also|sometimes))? "
    r"(?:picks?|drops?|takes?|brings?|drives?|fetch(?:es)?|collects?|visits?|calls?|phones?|walks?|sees?|meets?) "
    r"(?P<word>her|him)(?= (?:up|off|home|to|from|every|on|at)\b(?!-))"
)
"""Whom somebody fetches, takes along or goes to see: neither "her bike" nor "bought her a bike"."""
_THEIR_KIN = re.compile(rf"(?<=\w )(?P<word>his|her) (?:[\w-]+ )?(?:{_KIN})\b", re.IGNORECASE)
"""Whose parents come: "we're having his parents over"."""
_NEAR_CLAUSES = 3
_PERFECT = words(
    "been got had gone done made taken moved started joined left become worked lived finished decided agreed"
)
"""Behind "she's" they tell what she has done, and not what she is."""
_WRITTEN = {"'s": " is", "'re": " are", "'ll": " will", "'d": " would", "'ve": " have"}


class People:
    """Remembers who was spoken of, the last one first."""

    def __init__(self) -> None:
        self._seen: list[str] = []
        self._known: set[str] = set()
        self._called: dict[str, str] = {}
        """By their names, those who were called by what they are to somebody: "Emma", "my daughter Emma"."""
        self._addressed: set[str] = set()
        self._clauses = 0
        self._said_in: dict[str, int] = {}

    def note(self, text: str) -> None:
        """Those a text names, as it is clear from its words that they are people."""
        self._clauses += 1
        addressed = _ADDRESSED.match(text)
        if addressed and addressed["name"].istitle() and addressed["name"] not in _NOT_PEOPLE:
            self._addressed.add(addressed["name"])
        for match in _PERSON.finditer(text):
            found = match.group()
            before, behind = text[max(0, match.start() - 40) : match.start()], text[match.end() :]
            if _DENIED.search(before):
                continue
            if match["name"]:
                is_known = found in self._known or found in self._called
                if found in _NOT_PEOPLE or not (is_known or _ACTS.match(behind) or _TREATED.search(before)):
                    continue
                if not is_known and _PLACED.search(before) and not _TREATED.search(before):
                    continue
                self._known.add(found)
            elif found.rpartition(" ")[2].istitle() and " " in found:
                self._called[found.rpartition(" ")[2]] = found
            if found in self._seen:
                self._seen.remove(found)
            self._seen.insert(0, found)
            self._said_in[found] = self._clauses
        del self._seen[12:]

    def meet(self, name: str) -> None:
        """Hear of somebody who is known to be a person: "Who is it?" "Ann"."""
        self._known.add(name)
        self._seen = [name, *(one for one in self._seen if one != name)]
        self._said_in[name] = self._clauses

    def find(self, pronoun: str, previous: str = "") -> str:
        """Whom a pronoun means; "" if nobody fits."""
        nearest = [_opener(previous)] if previous and pronoun in {"he", "she", "his", "her", "him"} else []
        return next((seen for seen in [*nearest, *self._seen] if seen and self._may_be(seen, pronoun)), "")

    def said_ago(self, person: str) -> int:
        """How many clauses ago somebody was named; 0 for the last one."""
        return self._clauses - self._said_in.get(person, 0)

    def is_person(self, name: str) -> bool:
        return name in self._known or name in self._seen or name in self._addressed

    def resolve(self, text: str, previous: str = "", somebody: str = "") -> str:
        """The statement with the pronoun it opens with named, if somebody fits; else the statement.

        `previous` is the clause before: who opens it is meant before anybody else. `somebody` is who may be a person,
        and is one where "he" or "she" finds nobody else.
        """
        match = _LEADING.match(text)
        person = self.find(match["word"].lower(), previous) if match else ""
        if match and match["word"].lower() not in {"they", "their"}:
            person = person or somebody
        if not match or not person:
            return text
        pronoun, lead = match["word"].lower(), match["lead"] or ""
        person = person if person.istitle() or " " in person or "'" in person else person.capitalize()
        if pronoun in {"her", "his", "their"}:
            return f"{lead}{person}'s{text[match.end() :]}"
        following = text[match.end() :].split()
        ending = _WRITTEN.get((match["ending"] or "").lower(), "")
        if match["ending"] == "'s" and following and following[0].lower() in _PERFECT:
            ending = " has"
        return f"{lead}{person}{ending}{text[match.end() :]}"

    def name_behind(self, text: str) -> str:
        """The statement with "with her" or "pick her up" named, if only one person fits of those spoken of just now."""
        match = _BEHIND.search(text)
        if match and len({found.group() for found in _PERSON.finditer(text[: match.start()])}) > 1:
            return text  # one of these may be meant
        match = match or _TAKEN.match(text) or _their_kin(text)
        fitting = (
            [one for one in self._seen if self._may_be(one, match["word"]) and self._is_near(one)] if match else []
        )
        if not match or len({self._called.get(one, one).lower() for one in fitting}) != 1:
            return text
        if any(re.search(rf"\b{re.escape(one)}\b", text) for one in fitting):
            return text
        ending = "'s" if match.re is _THEIR_KIN else ""
        return f"{text[: match.start('word')]}{_within(fitting[0])}{ending}{text[match.end('word') :]}"

    def _may_be(self, person: str, pronoun: str) -> bool:
        """Whether a pronoun can mean somebody; of "Tom" it tells what "my son Tom" does."""
        return _fits(self._called.get(person, person), pronoun)

    def _is_near(self, person: str) -> bool:
        return self.said_ago(person) <= _NEAR_CLAUSES


def _their_kin(text: str) -> re.Match[str] | None:
    """Where somebody's people are spoken of, by who names nobody else: whose, is told by what was said before."""
    match = _THEIR_KIN.search(text)
    return match if match and _OF_US.match(text) and not _PERSON.search(text[: match.start()]) else None


def with_owner(clause: str) -> str:
    """ "Husband's away" → "my husband's away", said by him or her whose they are."""
    match = _OWN_OPENS.match(clause)
    if not match:
        return clause
    verb, following = match["verb"].lower(), (match["next"] or "").lower()
    # Neither "boss fights are fun" nor "cat prints the file".
    acts = is_finite(verb) and not is_base(verb) and following not in AUXILIARIES and match["who"].lower() != "cat"
    return f"my {clause[:1].lower()}{clause[1:]}" if match["own"] or verb in AUXILIARIES or acts else clause


def _within(person: str) -> str:
    """As somebody is called inside of a sentence: "my wife"."""
    return re.sub(r"^(?:My|Our|The)\b", lambda found: found[0].lower(), person)


def _opener(clause: str) -> str:
    """The name in lower or upper case that is the subject of a clause; "" if it cannot be a name."""
    match = _OPENER.match(clause)
    if not match or not (match["own"] or is_finite(match["verb"].lower())):
        return ""
    word = match["word"]
    if match["own"] and match["verb"] in _ALL_KIN:
        return f"{word.capitalize()}'s {match['verb']}"
    low = word.lower()
    is_common = low in _COMMON or is_finite(low) or low.endswith(("ing", "ly", "thing", "body"))
    return "" if is_common and low not in _BY_THEMSELVES else word.capitalize()


def _fits(person: str, pronoun: str) -> bool:
    low = person.lower()
    kin = [word for word in re.split(r"[\s']+", low) if word in _SHE or word in _HE or word in _THEY or word in KIN]
    if pronoun in {"they", "their", "them"}:
        return bool(kin) and kin[-1] in _THEY
    if not kin:
        return True
    if kin[-1] in _THEY:
        return False
    return kin[-1] not in (_HE if pronoun in {"she", "her"} else _SHE)
