"""What a pronoun means: "It expires on Friday", said of the certificate, → "The certificate expires on Friday".

Nearness decides, and of one clause its subject before anything else. What stays in doubt stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.providers.llm.rules.mentions import Mention, has_bare_noun, is_bare_phrase, read_mentions
from memories.providers.llm.rules.people import People
from memories.providers.llm.rules.words import DETERMINERS, KIN, OPS_NOUNS
from memories.text.wordlist import words

REACH = 4
"""Clauses; what was named before that is not meant any more."""
_LEADING = re.compile(
    r"^(?P<word>it|its|ours|mine|they|their|these|those|this|that)(?P<ending>'s|'re|'ll|'d|'ve)?(?= (?P<next>[\w'`]+))",
    re.IGNORECASE,
)
_THAT_ONE = re.compile(r"^(?:that|this) one(?P<ending>'s)?(?= \w)", re.IGNORECASE)
_ONE_OF = re.compile(r"^(?P<which>the (?!only |last |first )[a-z-]+) one(?= \w)", re.IGNORECASE)
_WRITTEN = {"'re": " are", "'ll": " will", "'d": " would", "'ve": " have"}
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
_CONTRAST = re.compile(r", (?:not|never) [a-z]+ $")
"""Behind it, what is meant was named in the clause itself: "must include VAT, not exclude it"."""
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
        """Hear a clause. What the assistant calls "your car" is "my car" in the words of the user, and what it only
        exclaims, "Good plan!", nobody means.
        """
        said = clause if by_user else _YOURS.sub(_my, clause)
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
        """The statement with its pronouns named. `previous` is the clause before."""
        one_of = _ONE_OF.match(text)
        if one_of:
            return self._with_kind(text, one_of)
        match = _THAT_ONE.match(text)
        if match:
            return self._with_last(text, match)
        match = _LEADING.match(text)
        if not match or match["word"].isupper():  # "IT is Rob"
            said = self.people.name_behind(self.people.resolve(text, previous, self._somebody()))
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
        """The nearest thing and how many clauses ago it was named; "that" means the one said last."""
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
        """ "That one is still on Jenkins" is said of the thing that was named last."""
        thing = self._thing(is_plural=False, is_last=True)[0]
        said = f"{thing}{' is' if match['ending'] else ''}{text[match.end() :]}" if thing else text
        return Resolved(self._with_objects(said), bool(thing), said)

    def _with_kind(self, text: str, match: re.Match[str]) -> Resolved:
        """ "The red one is small", behind "the blue folder", is "the red folder is small"."""
        thing = self._thing(is_plural=False)[0].split(" ")
        if len(thing) < len(match["which"].split()) + 1 or thing[0].lower() not in DETERMINERS:
            return Resolved(text, False, text)
        said = f"{match['which']} {thing[-1]}{text[match.end() :]}"
        return Resolved(self._with_objects(said), said=said)

    def _with_owner(self, text: str, match: re.Match[str]) -> Resolved:
        """ "Ours was 4 %", behind "a churn rate", is "our churn rate"."""
        is_plural = match["next"].lower() in _PLURAL_VERBS
        thing = (self._of_others() or self._kind(is_plural) or self._kind(not is_plural)).split(" ")
        bare = thing[1:] if thing[0].lower() in DETERMINERS or thing[0].endswith("'s") else thing
        bare = bare[1:] if len(bare) > 1 and bare[0].lower() in _WISHED_FOR else bare
        if not bare or not bare[0]:
            return Resolved(text, False, text)
        said = f"{_ALIKE[match['word'].lower()]} {' '.join(bare)}{_ending(match)}{text[match.end() :]}"
        return Resolved(said, said=said)

    def _kind(self, is_plural: bool) -> str:
        """The nearest thing that others may have as well, no place: "an accountant in Bristol"."""
        last = [[one for one in clause if one.is_plural == is_plural and not one.is_place] for clause in self._clauses]
        fitting = next((clause for clause in reversed(last) if clause), [])
        return "" if not fitting else fitting[0].text if fitting[0].is_subject else fitting[-1].text

    def _somebody(self) -> str:
        """Who of the nearest clause may be a person: "our accountant", "a tutor", else the only name."""
        nearest = next((clause for clause in reversed(self._clauses) if clause), [])
        last = [one.text for one in nearest if not one.is_plural]
        places = {one.text for one in nearest if one.is_place}
        at_work = [text for text in last if _DOES_A_JOB.fullmatch(text) and not OPS_NOUNS & set(text.lower().split())]
        names = [text for text in last if _NAME.fullmatch(text) and text not in places]
        return at_work[0] if at_work else names[0] if len(names) == 1 else ""

    def _of_others(self) -> str:
        """What the clause before calls somebody else's: "on GitHub's runners, ours …"."""
        last = self._clauses[-1] if self._clauses else []
        return next((one.text for one in last if one.text.split(" ")[0].endswith("'s")), "")

    def _collective(self) -> str:
        """Those who are many under one name: "the board … they"."""
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
            or _CONTRAST.search(before)
            or _ORDERED_BEHIND.search(before)
            or (verb == "of" and match["word"] == "them")
            or any(not one.is_subject for one in read_mentions(before))
        ):
            return text
        thing = self._pointed_at() if match["word"] == "that" else self._thing(match["word"] == "them")[0]
        return f"{before}{thing}{text[match.end() :]}" if thing else text

    def _pointed_at(self) -> str:
        """What "that" means behind a verb: the last thing of the clause before, one or many."""
        last = self._clauses[-1] if self._clauses else []
        return last[-1].text if last else ""

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


def _my(found: re.Match[str]) -> str:
    return "My" if found[0][0] == "Y" else "my"


def _points(match: re.Match[str]) -> bool:
    """Whether "that", "these" stand for a thing: "that's our registry", not "that job is slow" nor "that's low"."""
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
    return _WRITTEN.get(ending, "")
