"""Whom and what pronouns mean: "It expires on Friday", said of the certificate; "she", of the person named last."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.language.extract.lexicon import (
    ADVERBS,
    AUXILIARIES,
    BETWEEN_NAMES,
    DETERMINERS,
    KIN,
    OPS_NOUNS,
    PREPOSITIONS,
    SUBORDINATORS,
    TITLE,
    is_base,
    is_finite,
)
from memories.language.extract.mentions import Mention, has_bare_noun, is_bare_phrase, read_mentions
from memories.language.wordlists import any_of, words

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
    rf"(?P<who>{any_of(_OWN)})(?P<own>'s)? (?P<verb>[\w']+)"
    r"(?: (?P<next>[\w']+))?",
    re.IGNORECASE,
)
_BY_THEMSELVES = words("mum mom mam dad grandma granny grandpa nana oma opa grandad mummy daddy")
_ALL_KIN = KIN | _SHE | _HE | _THEY
_KIN = any_of(_ALL_KIN)
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
        """Return whom a pronoun means; "" if nobody fits."""
        nearest = [_opener(previous)] if previous and pronoun in {"he", "she", "his", "her", "him"} else []
        return next((seen for seen in [*nearest, *self._seen] if seen and self._may_be(seen, pronoun)), "")

    def said_ago(self, person: str) -> int:
        """Return how many clauses ago somebody was named; 0 for the last one."""
        return self._clauses - self._said_in.get(person, 0)

    def is_person(self, name: str) -> bool:
        return name in self._known or name in self._seen or name in self._addressed

    def resolve(self, text: str, previous: str = "", somebody: str = "") -> str:
        """Return the statement with the pronoun it opens with named, if somebody fits; else the statement.

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
        """Return the statement with "with her" named, if only one person fits of those spoken of just now."""
        match = _BEHIND.search(text)
        if match and len({found.group() for found in _PERSON.finditer(text[: match.start()])}) > 1:
            return text  # one of these may be meant
        kin = _THEIR_KIN.search(text)
        if not match and kin and _OF_US.match(text) and not _PERSON.search(text[: kin.start()]):
            match = kin  # of somebody's people, by who names nobody else
        if not match:
            return text
        fitting = [
            one for one in self._seen if self._may_be(one, match["word"]) and self.said_ago(one) <= _NEAR_CLAUSES
        ]
        if len({self._called.get(one, one).lower() for one in fitting}) != 1:
            return text
        if any(re.search(rf"\b{re.escape(one)}\b", text) for one in fitting):
            return text
        ending = "'s" if match.re is _THEIR_KIN else ""
        person = re.sub(r"^(?:My|Our|The)\b", lambda found: found[0].lower(), fitting[0])
        return f"{text[: match.start('word')]}{person}{ending}{text[match.end('word') :]}"

    def _may_be(self, person: str, pronoun: str) -> bool:
        """Tell whether a pronoun can mean somebody; of "Tom" it tells what "my son Tom" does."""
        low = self._called.get(person, person).lower()
        kin = [word for word in re.split(r"[\s']+", low) if word in _SHE or word in _HE or word in _THEY or word in KIN]
        if pronoun in {"they", "their", "them"}:
            return bool(kin) and kin[-1] in _THEY
        if not kin:
            return True
        if kin[-1] in _THEY:
            return False
        return kin[-1] not in (_HE if pronoun in {"she", "her"} else _SHE)


def with_owner(clause: str) -> str:
    """Name the owner: "Husband's away" → "my husband's away", said by him or her whose they are."""
    match = _OWN_OPENS.match(clause)
    if not match:
        return clause
    verb, following = match["verb"].lower(), (match["next"] or "").lower()
    # Neither "boss fights are fun" nor "cat prints the file".
    acts = is_finite(verb) and not is_base(verb) and following not in AUXILIARIES and match["who"].lower() != "cat"
    return f"my {clause[:1].lower()}{clause[1:]}" if match["own"] or verb in AUXILIARIES or acts else clause


def _opener(clause: str) -> str:
    """Return the name in lower or upper case that is the subject of a clause; "" if it cannot be a name."""
    match = _OPENER.match(clause)
    if not match or not (match["own"] or is_finite(match["verb"].lower())):
        return ""
    word = match["word"]
    if match["own"] and match["verb"] in _ALL_KIN:
        return f"{word.capitalize()}'s {match['verb']}"
    low = word.lower()
    is_common = low in _COMMON or is_finite(low) or low.endswith(("ing", "ly", "thing", "body"))
    return "" if is_common and low not in _BY_THEMSELVES else word.capitalize()


REACH = 4
"""Clauses; what was named before that is not meant any more."""
_LEADING_PRONOUN = re.compile(
    r"^(?P<word>it|its|ours|mine|they|their|these|those|this|that)(?P<ending>'s|'re|'ll|'d|'ve)?(?= (?P<next>[\w'`]+))",
    re.IGNORECASE,
)
_THAT_ONE = re.compile(r"^(?:that|this) one(?P<ending>'s)?(?= \w)", re.IGNORECASE)
_ONE_OF = re.compile(r"^(?P<which>the (?!only |last |first )[a-z-]+) one(?= \w)", re.IGNORECASE)
_PRONOUN_ENDINGS = {"'re": " are", "'ll": " will", "'d": " would", "'ve": " have"}
_NOT_SAID_OF_A_THING = re.compile(
    r"^(?:it|that|this)(?:'s been|'s| is| was| has been| will be|'ll be| must be| must have been| can be)? "
    r"(?:(?:not|so|too|very|really|quite|pretty|about|just|definitely|getting|still|always|n't) )*(?:"
    r"amazing|incredible|awesome|tough|cool|rewarding|crazy|interesting|exciting|inspiring|discouraging|overwhelming|"
    r"frustrating|ages|never too|takes? time|(?:took|takes) (?:me|us|him|her|them|you|[A-Z]\w+)\b|"
    r"an? (?:big deal|pity|shame|pleasure|relief|while|few|(?:\w+ )?ride|great feeling|amazing feeling|"
    r"(?:busy|rough|tough|long|hard|crazy|great|fun|nice) (?:day|week|month|year|time|change|way to|challenge))|"
    r"far|cold|hot|warm|raining|rain|rains|late|early|dark|nice|good|great|fine|ok|okay|"
    r"true|"
    r"possible|clear|important|easy|hard|better|best|worth|time|weird|strange|funny|sad|fun|likely|called off|"
    r"said|like|all|what|why|how|because|exactly|right|wrong|it|enough|turns|turned|seems|seemed|looks|looked|"
    r"depends|sounds|makes sense|does the job|up to|my (?:fault|mistake|bad|guess|turn)|not (?:that|like|a problem)|"
    r"(?:my|our|his|her|their) (?:birthday|anniversary|turn|fault|problem|business)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:\w+ )?day|\d)\b",
    re.IGNORECASE,
)
_OBJECT = re.compile(
    r"(?<=\w )(?P<word>it|them|that)(?=$|[,.;]| (?:in|on|off|up|down|out|at|by|from|to|with|for|under|over|"
    r"below|above|as|into|since|every|once|"
    r"twice|before|after|during|for|through|per|each|tomorrow|today|next|this|himself|herself|ourselves|because|until|and|when|manually|there)\b)"
)
_ORDERED_BEHIND = re.compile(r"\w, (?:so )?(?:please |pls )?(?:don't|do not|never|please) ", re.IGNORECASE)
"""What is ordered behind a statement is of what that tells of: "vlan 20 is for cameras, don't put phones in it"."""
_IDIOMS = words("""
    make makes made making keep call let do does did doing leave get gets got like love hate worth take put
    so such all say said know think like than about for to with at over
    """)
_COLLECTIVE = words("""
    board team company bank office legal marketing finance school hospital clinic council police shop vendor support
    sales crew committee family client customer landlord supplier carrier
    """)
_PLURAL_VERBS = words("are were have do need run")
_OWNED = {"its", "their"}
_WISHED_FOR = words("good great nice decent cheap better reliable proper new")
"""How a thing is that somebody looks for, and not how one's own is: "a good accountant … mine"."""
_ALIKE = {"ours": "our", "mine": "my"}


@dataclass(frozen=True, slots=True)
class Resolved:
    """`is_whole` tells that no pronoun at its beginning is left in doubt."""

    text: str
    is_whole: bool = True
    said: str = ""
    """The same with the pronouns behind its verb as they were."""


class Antecedents:
    """Remembers what was spoken of, and answers what "it", "they", "he" and "her" mean."""

    def __init__(self) -> None:
        self.people = People()
        self._clauses: list[list[Mention]] = []
        self._doubtful: list[bool] = []
        """For each, whether it names something that no mention tells of, and "it" may mean."""

    def note(self, clause: str, by_user: bool = True, is_question: bool = False) -> None:
        """Note what a clause names.

        What the assistant calls "your car" is "my car" in the words of the user, and what it only exclaims,
        "Good plan!", nobody means.
        """
        said = clause if by_user else _YOURS.sub(lambda your: "My" if your[0][0] == "Y" else "my", clause)
        self.people.note(said)
        is_heard = by_user or is_question or not is_bare_phrase(said)
        self._clauses = [*self._clauses[1 - REACH :], list(self._things_in(said)) if is_heard else []]
        self._doubtful = [*self._doubtful[1 - REACH :], has_bare_noun(said)]

    def _things_in(self, clause: str) -> Iterator[Mention]:
        """Neither people nor what they are: "the landlord is a pain"."""
        is_of_person = bool(_SOMEBODY_IS.match(clause))
        for one in read_mentions(clause):
            if self._is_person(one):
                is_of_person |= one.is_subject and bool(_IS.match(clause[len(one.text) :]))
            elif not is_of_person or one.is_subject:
                yield one
            else:
                is_of_person = False

    def resolve(self, text: str, previous: str = "") -> Resolved:
        """Return the statement with its pronouns named. `previous` is the clause before."""
        one_of = _ONE_OF.match(text)
        if one_of:
            return self._with_kind(text, one_of)
        match = _THAT_ONE.match(text)
        if match:
            return self._with_last(text, match)
        match = _LEADING_PRONOUN.match(text)
        if not match or match["word"].isupper():  # "IT is Rob"
            # Who of the nearest clause may be a person: "our accountant", "a tutor", else the only name.
            nearest = next((clause for clause in reversed(self._clauses) if clause), [])
            last = [one.text for one in nearest if not one.is_plural]
            places = {one.text for one in nearest if one.is_place}
            at_work = [
                text for text in last if _DOES_A_JOB.fullmatch(text) and not OPS_NOUNS & set(text.lower().split())
            ]
            names = [text for text in last if _NAME.fullmatch(text) and text not in places]
            somebody = at_work[0] if at_work else names[0] if len(names) == 1 else ""
            said = self.people.name_behind(self.people.resolve(text, previous, somebody))
            return Resolved(self._with_objects(said), not _PERSONAL.match(said), said)
        word = match["word"].lower()
        if word in _ALIKE:
            return self._with_owner(text, match)
        if _NOT_SAID_OF_A_THING.match(text) or (word in {"this", "that", "these", "those"} and not _points(match)):
            return Resolved(text, False, text)
        thing = self._find(word)
        if not thing:
            return Resolved(text, False, text)
        said = thing + _ending(match) + text[match.end() :]
        whole = self._with_objects(said)
        # "It needs it": the two are two things, and nobody knows which.
        is_one = word in {"it", "they"} and whole != said and whole.count(thing) > 1
        return Resolved(said if is_one else whole, not is_one, said)

    def _find(self, word: str) -> str:
        if word in {"it", "its", "this", "that"}:
            return self._thing(is_plural=False, is_last=word in {"this", "that"})[0]
        thing, ago = self._thing(is_plural=True)
        person = self.people.find("they")
        if person and (not thing or self.people.said_ago(person) <= ago):
            return person
        return thing or self._collective()

    def _thing(self, is_plural: bool, is_last: bool = False) -> tuple[str, int]:
        """Return the nearest thing and how many clauses ago it was named; "that" means the one said last."""
        for ago, clause in enumerate(reversed(self._clauses)):
            fitting = [one for one in clause if one.is_plural == is_plural and not self._is_person(one)]
            if fitting:
                last = [one for one in fitting if not one.is_place][-1:] or fitting[:1]
                chosen = fitting[-1] if is_last else fitting[0] if fitting[0].is_subject else last[0]
                return chosen.text, ago
            if not is_plural and self._doubtful[-1 - ago]:
                break
        return "", REACH

    def _with_last(self, text: str, match: re.Match[str]) -> Resolved:
        """Name the last thing: "That one is still on Jenkins" is said of what was named last."""
        thing = self._thing(is_plural=False, is_last=True)[0]
        said = f"{thing}{' is' if match['ending'] else ''}{text[match.end() :]}" if thing else text
        return Resolved(self._with_objects(said), bool(thing), said)

    def _with_kind(self, text: str, match: re.Match[str]) -> Resolved:
        """Name the kind: "The red one is small", behind "the blue folder", is "the red folder is small"."""
        thing = self._thing(is_plural=False)[0].split(" ")
        if len(thing) < len(match["which"].split()) + 1 or thing[0].lower() not in DETERMINERS:
            return Resolved(text, False, text)
        said = f"{match['which']} {thing[-1]}{text[match.end() :]}"
        return Resolved(self._with_objects(said), said=said)

    def _with_owner(self, text: str, match: re.Match[str]) -> Resolved:
        """Name the thing that is owned: "Ours was 4 %", behind "a churn rate", is "our churn rate"."""
        is_plural = match["next"].lower() in _PLURAL_VERBS
        # What the clause before calls somebody else's: "on GitHub's runners, ours …".
        last = self._clauses[-1] if self._clauses else []
        of_others = next((one.text for one in last if one.text.split(" ")[0].endswith("'s")), "")
        thing = (of_others or self._kind(is_plural) or self._kind(not is_plural)).split(" ")
        bare = thing[1:] if thing[0].lower() in DETERMINERS or thing[0].endswith("'s") else thing
        bare = bare[1:] if len(bare) > 1 and bare[0].lower() in _WISHED_FOR else bare
        if not bare or not bare[0]:
            return Resolved(text, False, text)
        said = f"{_ALIKE[match['word'].lower()]} {' '.join(bare)}{_ending(match)}{text[match.end() :]}"
        return Resolved(said, said=said)

    def _kind(self, is_plural: bool) -> str:
        """Return the nearest thing that others may have as well, no place: "an accountant in Bristol"."""
        last = [[one for one in clause if one.is_plural == is_plural and not one.is_place] for clause in self._clauses]
        fitting = next((clause for clause in reversed(last) if clause), [])
        return "" if not fitting else fitting[0].text if fitting[0].is_subject else fitting[-1].text

    def _collective(self) -> str:
        """Return those who are many under one name: "the board … they"."""
        for clause in reversed(self._clauses):
            for one in clause:
                many = next((word for word in one.text.lower().split() if word in _COLLECTIVE), "")
                if many:
                    return one.text if one.text.lower().endswith(many) else f"the {many}"
        return ""

    def _with_objects(self, text: str) -> str:
        """Name the thing that "it" means behind the verb, unless the clause itself names one before."""
        match = _OBJECT.search(text)
        if not match:
            return text
        before = text[: match.start()]
        verb = before.split()[-1].lower()
        if (
            verb in _IDIOMS
            or _ORDERED_BEHIND.search(before)
            or (verb == "of" and match["word"] == "them")
            or any(not one.is_subject for one in read_mentions(before))
        ):
            return text
        if match["word"] == "that":  # the last thing of the clause before, one or many
            last = self._clauses[-1] if self._clauses else []
            thing = last[-1].text if last else ""
        else:
            thing = self._thing(is_plural=match["word"] == "them")[0]
        first, space, rest = thing.partition(" ")
        thing = (first.lower() if first.lower() in DETERMINERS else first) + space + rest
        return f"{before}{thing}{text[match.end() :]}" if thing else text

    def _is_person(self, mention: Mention) -> bool:
        last = mention.text.split()[-1]
        return last.lower() in KIN or self.people.is_person(mention.text) or self.people.is_person(last)


_SOMEBODY_IS = re.compile(r"(?:I'm|(?:we|they|you)'re|(?:he|she)'s|(?:I am|he is|she is|we are)) an? ", re.IGNORECASE)
_IS = re.compile(r"(?:'s| is| was| are| were) an? ")
_YOURS = re.compile(r"\b[Yy]our\b")
_IS_WHAT = re.compile(r" (?:(?:is|was) )?(?:my|our|the|their|his|her|where|why) ", re.IGNORECASE)
_DOES_A_JOB = re.compile(
    r"(?:my|our|the|his|her) (?:[a-z-]+ )?[a-z-]+(?:er|or|ist|ant|ian|ee|man|woman|yst)(?: [A-Z][a-z]+)?"
)
"""What those who do something are called by what they do."""
_NAME = re.compile(r"[A-Z][a-z]{2,}")
_PERSONAL = re.compile(r"^(?:he|she|his|her|hers|theirs|him)(?:'|\b)", re.IGNORECASE)


def _points(match: re.Match[str]) -> bool:
    """Tell whether "that", "these" stand for a thing: "that's our registry", not "that job is slow"."""
    low = match["next"].lower()
    if match["word"].lower() in {"this", "that"}:
        return bool(_IS_WHAT.match(match.string[match.end() :]))
    return low in {"are", "were", "run", "live", "need", "use", "go", "have", "must", "should", "can", "will"}


def _ending(match: re.Match[str]) -> str:
    if match["word"].lower() in _OWNED:
        return "'s"
    ending = match["ending"] or ""
    if ending == "'s":
        return " has" if match["next"].lower() in {"been", "got"} else " is"
    return _PRONOUN_ENDINGS.get(ending, "")
