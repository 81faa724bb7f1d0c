"""Read what users and assistants say into statements that may be worth keeping."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.language.extract.answers import denies, read_choice, read_correction
from memories.language.extract.clauses import announces, has_verb, mend, strip_leads, strip_report
from memories.language.extract.conversation import Conversation, Unit
from memories.language.extract.coreference import with_owner
from memories.language.extract.decisions import is_order, read_decision, read_instruction
from memories.language.extract.evidence import (
    ENOUGH,
    UNREAL,
    Surroundings,
    is_first_person,
    says_something,
    weigh_impersonal,
    weigh_matter,
    weigh_personal,
)
from memories.language.extract.lexicon import GREETED, PASSING, RULES, STATEMENTS
from memories.language.extract.mentions import points_there, stands_alone
from memories.language.extract.prose import Sentence, asks_in_general, is_empty, is_errand
from memories.language.extract.wording import is_specific, read_announced, read_outcome
from memories.language.messages import USER, Message
from memories.language.relate.lexicon import is_english
from memories.language.wordlists import words

_STATEMENT = re.compile(
    "|".join(f"(?P<{language}>{pattern})" for language, pattern in STATEMENTS.items()), re.IGNORECASE
)
_RULE = re.compile(RULES, re.IGNORECASE)
_PASSING = re.compile(PASSING, re.IGNORECASE)
_EXCUSE = re.compile(r"\b(?:il disturbo|entschuldig\w+|excusez|disculp\w+|desculp\w+)\b", re.IGNORECASE)
_GREETED = re.compile(GREETED, re.IGNORECASE)
_ENGLISH = words("""
    the a an and or but of to in on at for with from by is are was were be been has have had do does did not no i
    you he she it we they my your his her its our their this that these those what which who when where how if so
    can will would should must never always just only please thanks i'm it's don't
    """)
_WORD = re.compile(r"[^\W\d_]+")
_CUT = re.compile(
    r"(?<!\s)\s*[,;–—]\s+(?=(?:und |et |y |e |aber |mais |pero )?(?:ich|wir|mein|meine|je |j'|ma |mon |nous|soy|vivo|"
    r"tengo|mi |yo|was|welche|kannst|kann|qu|tu |est-ce|así que|entonces|¿|me ajuda|vous|wo |wie |hast)|¿)",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^(?:und |et |y |así que |entonces |alors )?(?:was|welche\w*|kannst|könntest|kann ich|wo|wie|wer|warum|"
    r"hast du|gibt es|qu'|que |quel\w*|comment|où|est-ce|peux-tu|pouvez|t'as|tu as|qué|cuál|cómo|dónde|puedes|"
    r"me ajuda|você|come |dove |puoi|kun je|¿)",
    re.IGNORECASE,
)


def is_foreign(text: str) -> bool:
    """Tell whether a sentence is in another language than English. Names alone are English."""
    found = [word.lower() for word in _WORD.findall(text[:400])]
    if not found:
        return False
    if text.isascii() and sum(word in _ENGLISH for word in found) * 4 >= len(found):
        return False
    if not text.isascii() and any(ord(char) > 0x2FF and char.isalpha() for char in text[:200]):
        return True
    return not is_english(found)


def is_excuse(text: str) -> bool:
    """Tell whether somebody excuses themselves in another language: "mi scusi il disturbo"."""
    return bool(_EXCUSE.search(text))


def read_foreign(text: str) -> list[tuple[str, bool]]:
    """Return the statements of a sentence and whether each is a standing instruction."""
    bare = _GREETED.sub("", text)
    found = []
    for clause in _CUT.split(bare):
        said = _GREETED.sub("", clause).strip(" ,;¿?")
        if _ASKING.match(said) or _PASSING.search(said) or len(said) < 5:
            continue
        if _RULE.match(said):
            found.append((said, True))
        elif _STATEMENT.search(said):
            found.append((said, False))
    return found


STATEMENT, INSTRUCTION, DECISION = "statement", "instruction", "decision"
CORRECTION, OUTCOME = "correction", "outcome"
SAID = "said"
"""In the words it was said in, because of what it has in it rather than how it is built."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`text` stands as it was said, in the first person; `is_final` tells that it is already worded for keeping."""

    text: str
    message: int
    quote: str
    score: float
    evidence: str
    type: str = STATEMENT
    is_final: bool = False
    is_foreign: bool = False
    is_hedged: bool = False
    is_lesson: bool = False
    group: str = ""
    """Whom "we" means."""
    category: str = ""
    """Empty where the words have to tell it."""
    kind: str = ""
    """So is this."""
    worth: float = 0.0
    """The probability that it is worth keeping, where the network was asked."""
    speaker: str = "User"
    """Who says "I"."""
    is_passing: bool = False
    """Kept only where it changes what is known, as "the backup goes to Backblaze now" does."""
    shorter: tuple[str, ...] = ()
    """The same with less of what it leans on, for an app whose memories are short."""
    is_joined: bool = False
    """Whether it was put together of a question and its answer."""
    is_guess: bool = False
    """Whether it names somebody or something that a pronoun may not mean."""


_REPORTED = re.compile(
    r"^(?!(?:my|our)\b).*\b(?:says?|claims?|thinks?|assumes?|assumed|wrote|thought|believes?) (?:that )?(?:I|I'm|"
    r"my|we)\b",
    re.IGNORECASE,
)
_SETS_RIGHT = re.compile(
    r"^(?:(?:it's|its|it is) (?:[A-Z]\w*|\d\S*)(?: \w+)?, not|not (?:[A-Z]\w*|\d\S*),(?: but)?) \w+"
)
_OWN_START = re.compile(r"(?:I|I'm|I've|I'd|I'll|my|our|we|we're|we've|we'll)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"^(?:ideas|thoughts|tips|suggestions|mine|ours|yours|you|you're|your|what|let's|lets|never|always|don't|"
    r"do not|please|never mind|nvm|thanks|thank|no|not|yes|good|love)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]\s*[\"”]|^['\"“]")
_ALLERGIC = re.compile(
    r"^(?:also |severely |very |highly )*(?:allergic to|intolerant to|based in|living in|married (?:to|with|for)|"
    r"born (?:in|on)|vegan|vegetarian|lactose intolerant|diabetic|pregnant)\b",
    re.IGNORECASE,
)
_NO_SUBJECT = re.compile(
    r"^(?:just |already |finally |also )?(?:got|bought|booked|ordered|moved|signed up|started|switched|adopted|"
    r"joined|quit|hired|upgraded|downgraded|migrated|renamed|work|live|hate|prefer|don't like|can't stand|"
    r"have) (?=(?:an?|my|two|three|\d|to|at|in|the|for|from|on|as|when)\b)(?!a (?:nice|good|great|look|question|"
    r"problem|go|lovely)|to (?:go|run)|the same|this|that|it)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:I'm|we're|he's|she's)\b|[^\W\d_]+ (?:resigned|retired|retires)$", re.IGNORECASE)
"""Says all it has to in two words."""
MAX_WORDS = 45
MIN_WORDS = 3


def read_whole(
    sentence: Sentence, quote: str, place: int, heard: Conversation, own: Sequence[str]
) -> list[Candidate] | None:
    """Return what a sentence says as a whole: in another language, or setting right what was said; None for any other.

    `own` are the sentences before it in its message.
    """
    if " " not in sentence.text and sentence.text.isascii():
        return None
    mended = mend(sentence.text)
    if is_foreign(with_owner(mended)):
        return [
            Candidate(text, place, quote, 0.7, "said in another language", kind, is_foreign=True)
            for text, is_rule in read_foreign(sentence.text)
            for kind in (INSTRUCTION if is_rule else STATEMENT,)
        ]
    bare = strip_leads(mended)
    chosen = read_choice(bare.text, own[-1]) if own and not sentence.is_question else ""
    if chosen:
        return [Candidate(chosen, place, quote, 0.8, "a correction", CORRECTION, is_lesson=True)]
    if not sentence.is_question and (bare.is_correction or _SETS_RIGHT.match(bare.text)):
        right = read_correction(bare.text, heard.earlier, own, heard.own)
        if right:
            # Who takes back their own words corrects nobody else.
            is_other = not right.is_own
            return [Candidate(right.text, place, quote, 0.8, "a correction", CORRECTION, is_other, is_lesson=is_other)]
    return None


def read_unit(unit: Unit, place: int, quote: str) -> Candidate | None:
    """Return a standing instruction, a decision, or a statement with what its build speaks for it."""
    # "got a dog", "allergic to nuts".
    text = (
        f"I {unit.text[:1].lower()}{unit.text[1:]}"
        if _NO_SUBJECT.match(unit.text)
        else (f"I'm {unit.text[:1].lower()}{unit.text[1:]}" if _ALLERGIC.match(unit.text) else unit.text)
    )
    words = len(text.split())
    is_lesson = unit.sets_right
    needed = MIN_WORDS - bool(_SHORT.match(text))
    if not MIN_WORDS - 1 <= words <= MAX_WORDS or denies(text) or not stands_alone(text) or points_there(text):
        return None
    instruction = None if unit.is_joined else read_instruction(text)
    if instruction:
        return Candidate(
            instruction.text,
            place,
            quote,
            instruction.score,
            "a standing instruction",
            INSTRUCTION,
            is_final=instruction.is_done,
            is_lesson=instruction.is_lesson or is_lesson,
        )
    decision = None if unit.is_asking or unit.is_hedged else read_decision(text)
    if decision:
        return Candidate(decision, place, quote, 0.75, "a decision", DECISION)
    if words < needed or not unit.is_whole or (unit.is_fragment and not unit.is_joined and text == unit.text):
        return None
    return _weigh_statement(text, place, quote, unit.is_asking, unit.is_hedged, is_lesson)


def _weigh_statement(
    resolved: str, place: int, quote: str, asks: bool, is_hedged: bool, is_lesson: bool
) -> Candidate | None:
    if resolved.count("(") != resolved.count(")") or _REPORTED.search(resolved):
        return None
    if (
        not has_verb(resolved)
        or _NO_STATEMENT.match(resolved)
        or (_QUOTED.search(resolved) and not re.match(r"(?:my|our) \w+ said", resolved, re.IGNORECASE))
    ):
        return None
    first = is_first_person(resolved)
    is_own = bool(_OWN_START.match(resolved))
    if not is_own and (is_order(resolved) or not (first or says_something(resolved))):
        return None
    finding = weigh_personal(resolved) if first else weigh_impersonal(resolved)
    if first and finding.score < ENOUGH:
        other = weigh_impersonal(resolved)
        finding = other if other.score - 0.1 > finding.score and not re.match(r"I\b", resolved) else finding
    score = finding.score - (0.15 if asks and not first else 0.0) - (0.1 if is_hedged else 0.0)
    score += 0.3 if is_lesson and first else 0.0
    return Candidate(
        resolved,
        place,
        quote,
        max(0.0, min(1.0, score)),
        finding.name,
        is_hedged=is_hedged,
        is_lesson=is_lesson,
    )


_DEFINITE = re.compile(
    r"^(?:[Tt]he|[Yy]our|[Tt]his|[Oo]ur|[Bb]oth|[Aa]ll) |^[A-Z][\w-]*[\d_-]\w* |^`?[a-z]\w*[-_./]\w+"
)
SURELY = 0.65


_MISTAKE = re.compile(
    r"\b(?:my (?:mistake|fault|error|bad)|I (?:made|'ve made) (?:a|an) (?:mistake|error)|I messed|I broke)\b", re.I
)
RULE_WORDS = {"": "Remember to ", "always ": "Always ", "never ": "Never ", "not ": "Do not "}
_RESOLVE = re.compile(
    r"\b(?:I (?:should|must|need to|have to)|next time,? I(?:'ll| will| should| must)) "
    r"(?P<when>always |never |not )?(?!have )(?P<what>[a-z][^.;!?]{8,200})"
)


def read_assistant(sentences: list[Sentence], content: str, place: int, earlier: list[str]) -> Iterator[Candidate]:
    is_general = asks_in_general(earlier[-1] if earlier else "")
    for sentence in sentences:
        if sentence.is_question or is_foreign(sentence.text):
            continue
        bare = strip_leads(mend(sentence.text))
        text = strip_report(bare.text)
        if (
            len(text.split()) > MAX_WORDS
            or len(text.split()) < MIN_WORDS
            or UNREAL.search(text)
            or text.count("(") != text.count(")")
        ):
            continue
        outcome = read_outcome(text) or read_announced(text, announces(bare.text))
        if not outcome and not is_general and _DEFINITE.match(text) and is_specific(text):
            finding = weigh_impersonal(text)
            outcome = (text, "a finding", 0.55) if finding.score >= SURELY else None
        resolved = _RESOLVE.search(text) if _MISTAKE.search(content) else None
        if resolved:
            rule = f"{RULE_WORDS[resolved['when'] or '']}{resolved['what'].strip()}"
            quote = content[sentence.start : sentence.end]
            yield Candidate(
                rule, place, quote, 0.8, "a mistake it owns up to", CORRECTION, is_final=True, is_lesson=True
            )
        elif outcome and stands_alone(outcome[0]):
            said, evidence, score = outcome
            quote = content[sentence.start : sentence.end]
            yield Candidate(said, place, quote, score, evidence, OUTCOME, is_final=True)


KEPT_FROM = {True: 0.3, False: 0.4}
"""How much matter a statement of the user, or of the assistant, needs to be kept."""
CLEAR_ANSWER = 0.25
"""So much less, where question and answer make a plain statement."""
DANGLING_FROM = 0.55
"""For one that opens with a word that points elsewhere."""
_HEAD = 2_000
_POINTS_ELSEWHERE = re.compile(r"^(?:which|same|because|so|then|and|but|except|instead)\b", re.IGNORECASE)


_REGRET = re.compile(
    r"^(?:sorry(?! (?:to hear|for (?:you|your)|you))|you(?:'re| are) right"
    r"|apolog\w+|my (?:mistake|apologies|bad)|point taken|fair point|oops)\b|"
    r"\b(?:I should have|won't happen|from now on)\b",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"^(?:(?:he|she|his|her)(?:'|\b)|(?:I|we)(?:'ve| have)? \w+ (?:him|them)\b)", re.IGNORECASE)
"""Who that is, was not found in what was said before."""
_OF_WHO_LISTENS = re.compile(
    r"^you (?:just |really |always )*(?:sound|seem|look|remind me)\b|"
    r"^you(?:'re| are) (?:just |really |so |such |very )*(?:right|welcome|kind|sweet|funny|the best|"
    r"a (?:star|hero|genius|legend|lifesaver))\b(?! of\b)",
    re.IGNORECASE,
)
"""What the assistant is like is nothing to keep."""
_SAYS_WHAT_NOT = re.compile(r"^(?:(?:ah|oh|god|no|nope|nah|but|and),? )*not\b", re.IGNORECASE)
"""Without a verb it says nothing by itself."""


def weigh_said(unit: Unit, message: Message, place: int, reply: str, heard: Conversation) -> Candidate:
    """Return the unit with what its matter speaks for it, 0.5 being enough."""
    by_user = message.role == USER
    is_elsewhere = bool(_POINTS_ELSEWHERE.match(unit.text)) or points_there(unit.text)
    is_resolved = unit.is_resolved and not is_elsewhere
    around = Surroundings(
        message.role,
        message.content[:_HEAD],
        heard.asked if heard.role != message.role else "",
        heard.before[:400],
        reply[:300],
        unit.is_asking,
        unit.is_fragment,
        is_resolved,
    )
    needed = (KEPT_FROM[by_user] if is_resolved else DANGLING_FROM) - CLEAR_ANSWER * (unit.is_joined and by_user)
    is_bare_no = unit.is_fragment and not unit.is_joined and bool(_SAYS_WHAT_NOT.match(unit.text))
    is_bare = is_bare_no or denies(unit.text) or not stands_alone(unit.text) or bool(_SOMEBODY.match(unit.text))
    is_bare = is_bare or (by_user and bool(_OF_WHO_LISTENS.match(unit.text)))
    is_order = by_user and not unit.is_joined and is_errand(unit.text)
    is_nothing = is_bare or is_empty(unit.text) or is_order
    score = 0.0 if is_nothing else weigh_matter(unit.said, around) + ENOUGH - needed
    return Candidate(
        unit.text,
        place,
        message.content[unit.sentence.start : unit.sentence.end],
        max(0.0, min(1.0, score)),
        "said",
        SAID,
        is_hedged=unit.is_hedged,
        is_lesson=by_user and unit.sets_right,
    )


def is_regretted(reply: str) -> bool:
    """Tell whether an answer owns up: what it answers set something right."""
    return bool(_REGRET.search(reply[:300]))
