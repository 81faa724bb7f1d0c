"""Cut what runs on, "stas is coeliac, he can't have pasta and the dog steals it", where a new subject has its verb."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.providers.llm.rules.clauses import has_verb
from memories.providers.llm.rules.leaning import leans_on_what_is_done
from memories.providers.llm.rules.verbs import is_base, is_finite, is_past
from memories.providers.llm.rules.words import ADVERBS, PREPOSITIONS, SUBORDINATORS
from memories.text.wordlist import words

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
_ASKED = re.compile(
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
_BECAUSE = re.compile(r"(?:so |and |but )?because (?!(?:of|I|we)\b)[^,;:]{8,200}$", re.IGNORECASE)
_ITS_RESULT = re.compile(r"(?<=[^\W_]) (?:we|I)(?P<ending>'\w+)? (?P<verb>[\w']+)", re.IGNORECASE)
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
    """Whether a clause ends with a word that wants another: "I never know", not "unless I ask you to"."""
    return bool(_CUT_SHORT.search(text)) and not _LET.search(text)


def join_topic(text: str) -> str:
    """ "fc-1, it's an Ampere box" → "fc-1 is an Ampere box", "mind Redis, the cache is old" → "Redis: the cache …"."""
    text = _MIND.sub(r"\1: ", text)
    match = _TOPIC.match(text)
    if not match or match["topic"].split(" ", 1)[0].lower() in _NO_TOPIC or has_verb(match["topic"]):
        return text
    verb = {"'s": " is", "'re": " are"}.get(match["verb"], f" {match['verb'].strip()}")
    return f"{match['topic']}{verb}{text[match.end() :]}"


def part_from_reason(text: str) -> str:
    """ "Because Erik got a new job we moved" with the comma that people leave out."""
    if not _BECAUSE.match(text):
        return text
    for result in _ITS_RESULT.finditer(text):
        why, verb = text[: result.start()].split("because ", 1)[-1], result["verb"].lower()
        is_clause = bool(result["ending"]) or is_finite(verb) or verb in ADVERBS
        if is_clause and has_verb(why) and not is_cut_short(why) and not _reports(why):
            return f"{text[: result.start()]},{text[result.start() :]}"
    return text


def _reports(text: str) -> bool:
    """Whether what stands behind the last comma or semicolon says or asks that something is so."""
    return bool(_REPORTING.search(text, max(text.rfind(","), text.rfind(";")) + 1))


def cut_run_on(text: str) -> list[str]:
    """The clauses in order; a clause has a subject and a verb, the first may lack them."""
    text = _without_guess(text)
    found: list[str] = []
    start = 0
    for match in _BORDER.finditer(text):
        left = text[max(start, match.start() - NEAR) : match.start()]
        right = text[match.end() : match.end() + NEAR]
        asks = bool(_ASKED.match(right)) and "," in match.group()
        is_open = bool(_IF.match(text[start : min(start + NEAR, match.start())]))
        if len(left.split()) >= MIN_WORDS and (asks or (not is_open and _is_new(left, match.group(), right))):
            found.append(text[start : match.start()])
            start = match.end()
    found.append(text[start:])
    return [part for clause in found for part in _cut_told(clause.strip(" ,;–—-"))]


def _without_guess(text: str) -> str:
    """ "I work in logistics, so words about ships would help": what may follow from it is none of its facts."""
    guess = _GUESSED.search(text)
    is_guess = guess and not _opens_clause(text[guess.end() :], guess.group()) and has_verb(text[: guess.start()])
    return text[: guess.start()] if guess and is_guess else text


def cut_reply(text: str) -> Iterator[tuple[str, str]]:
    """What may be a short answer, and the clause that follows it: "Postgres · we moved in May"."""
    for match in _BORDER.finditer(text):
        if match.start() > NEAR:
            return
        near = text[match.end() : match.end() + NEAR]
        is_clause = _opens_clause(near, match.group()) or _tells_of_the_past(near)
        if _are_two(text[: match.start()].strip(), match.group(), near):
            return
        if is_clause and (answer := text[: match.start()].strip()):
            yield answer, text[match.end() :]


def _are_two(answer: str, border: str, rest: str) -> bool:
    """ "Mondays and Tuesdays are taken": neither answers by itself."""
    following = rest.lower().split()[1:2]
    return border.strip() == "and" and " " not in answer and bool(_PLURAL_VERB & set(following))


def _tells_of_the_past(rest: str) -> bool:
    """ "My father gave it to me"."""
    found = rest.lower().split()
    return len(found) >= MIN_WORDS and found[0] in _OWNERS and any(map(is_past, found[2:4]))


def _is_new(left: str, border: str, right: str) -> bool:
    """Whether a clause of its own begins behind the border, not one more of what somebody says or knows."""
    if len(right.split()) < MIN_WORDS or not _opens_clause(right, border):
        return False
    if leans_on_what_is_done(right):
        return False
    if "," in border or ";" in border:
        return True
    if _is_second_subject(border, right):
        return False
    return not _SPOKEN.search(left) and (_opens_with_pronoun(right) or not _reports(left))


def _is_second_subject(border: str, right: str) -> bool:
    """Whether a plural verb tells that "and" only joins two things: "charts in red and green don't work"."""
    match = _SUBJECT.match(right)
    noun = match["noun"] if match and border.strip() == "and" else None
    is_one = bool(noun) and " " not in str(noun) and str(noun).islower() and not str(noun).endswith("s")
    return match is not None and is_one and str(noun) not in _PRONOUN | _MANY and match["verb"].lower() in _PLURAL_VERB


def _cut_told(clause: str) -> list[str]:
    """ "Remind her that Emil can't have nuts" → what she is told."""
    match = _TOLD_THAT.search(clause)
    if match and len(clause) - match.end() > 10:
        return [clause[match.end() :]]
    return [clause] if clause else []


def _opens_with_pronoun(right: str) -> bool:
    return right.split(" ", 1)[0].split("'")[0].lower() in _PRONOUN


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
