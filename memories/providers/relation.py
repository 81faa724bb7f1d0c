"""How a new statement relates to stored ones, without a language model: a small network, with exact guards.

The network (`judgement_model`) reads English, and the languages of `FOREIGN_WORDS` less surely. Of two statements one
of which is in yet another language the rules of `memories.language.relate` judge. What no embedding brings near is not
looked at: the network takes about 10 ms for each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from math import exp
from typing import Literal

from memories.language.extract.context import begins_pointing
from memories.language.relate import Relation, Thresholds, Verdict, find_room_beside, judge_same_words, relate
from memories.language.relate.features import lay_side_by_side
from memories.language.relate.figures import figures_of as quantities_of
from memories.language.relate.grammar import CHANGE, STOP, UNITS, stem
from memories.language.relate.lexicon import FOREIGN_WORDS, canonical_text, is_english
from memories.language.relate.quantities import Agreement, are_comparable, compare
from memories.language.relate.termination import find_trip_off
from memories.language.relate.verdict import REASON_MAX_CHARS
from memories.providers.judgement_model import Judgement, is_there, load_judgement_model

Judge = Literal["learned", "rules"]
JUDGES: tuple[Judge, ...] = ("learned", "rules")

SAME_FROM, ADDS_FROM, REPLACES_FROM, CONTRADICTS_FROM = 0.5, 0.5, 0.45, 0.6
"""Probabilities from which a relation is believed; below them both statements stay as they are."""
SAME_UNLIKE = 0.6
"""And from which statements are believed to be the same that no embedding calls related, or of which one denies."""
SURER_APART = 6.0
"""By how much the log odds rise from which statements are believed to be at odds that no embedding calls related, for
each unit of scaled cosine. Else "moved to Linz" ends what has nothing to do with it: of 580 changes beside statements
of other matters, drawn at random, 49 are believed from 0.6, and 10 so; of 579 labelled changes 453 and 415."""
CHANGES_OF = (
    (r"\b(?:lives?|living|lived|resides?|based|dwells?)\b", r"\b(?:moved|relocated|moving|moves) (?:\w+ )?to [A-ZÀ-Ý]"),
    (r"\b(?:works?|working|job|employed|employer)\b", r"\b(?:started (?:at|with|as)|joined|hired|new job)\b"),
)
"""What somebody is or does, and words of its change: related, whatever an embedding makes of the names of towns."""
TOPIC = re.compile(r'About "[^"]*", (?:\w+ said: |(?=asked ))')
OF_TOPIC = 0.9
"""The probability from which a statement is believed to be at odds by its topic, where it leans on that."""
NEARER = 0.25
"""A change that is so much nearer to one statement, by scaled cosine, is not one of another that is not related."""
LIKE_THE_SAME, AT_ODDS_SURELY = 0.4, 0.8
"""What is the same with this probability, and at odds with less than 0.6, is neither; nor is what the rules take for
the same, and the network for at odds with less than the second: "code needed" / "u need a code"."""
SURE_NAME, SURE_SAME, SURE_OF_ALL = 0.8, 0.85, 0.96
"""From which the network is believed against a name, against a figure that only the new statement has or a negation
that the rules read, and against figures that differ, opposites and denials: "sold it to Derek" / "Derek bought it".
Of 26 labelled pairs that are not the same and in which these differ, it takes none for the same so surely."""
SAME_FOREIGN = 0.85
"""And from which statements are believed to be the same that are not in English."""
SAYS_MORE_TO = 0.85
"""Up to which probability that they are at odds what has all words of the stored statement only says more."""
USUAL_BANDS = Thresholds()
IN_DOUBT, IN_PART = "in doubt: ", "replaces in part"
DOUBT_FROM = 0.3
"""What may be at odds with such a probability is not the same, however likely that is: the new one would be lost."""
SIDE_BY_SIDE = 0.5
"""Below this probability that both hold, a doubt is one between the same and the contrary."""
EXACT_REASON = re.compile(r"\bdiffers: |^opposed: ")
"""How the rules tell of a measure that differs, and of words that are opposites."""
OTHER_WORD = "another word in its place"
"""How they tell of two statements alike but for a word: "teaches Spanish" / "learns Spanish"."""
VETO_FROM = 0.9
"""The certainty of the rules from which a contradiction of theirs keeps the new statement."""
NEAR = -0.75
"""Of a scaled cosine (0: related, 1: the same). Of 404 labelled changes 10 are farther apart."""
MOST_PAIRS = 6
"""Of one new statement with stored ones, the nearest first."""
KEPT_JUDGEMENTS = 4096
READ_CHARACTERS = 2_000
"""Of a statement tell its language."""
SHOWN_WORDS = 6
POSSESSIVE = re.compile("['’]s?$")
FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
BEFORE_FIGURE = re.compile(r"\b([^\W\d_]{3,})[ #]+\d")
WORD = re.compile(r"[^\W_]+(?:[-'’._/@:][^\W_]+)*")
BEGINNING = re.compile(rf"(?:^|(?<=[.:;!?]\s))\W*{WORD.pattern}")
"""The first word of a sentence, or behind a label: a capital there makes no name."""
NAMED = re.compile(
    r"^(?:(?:the|our|my|on|in|at|for|host|server|node|machine|test)\s+)*(?:([a-z]{2,})[-_]?(?=\d)"
    r"|(run|build|ticket|order|invoice|job|issue|case|room|rack|incident|request|pull request|pr|customer|account|"
    r"sensor|camera|door|gate|table|chapter|lesson|exercise|unit|phase|step|batch|sprint|flight|line|bus|platform|host|"
    r"server|node|machine|printer|site|shop|branch|station|patient|student|candidate|contract|policy|booking|parcel|"
    r"shipment|version|release|day|week)\s+(?:no\.?|number)?\s*#?)(\d[\w.]*(?:-\d[\w.]*)*)\b",
    re.IGNORECASE,
)
"""A kind of thing and which of them, at the beginning: "Host web-1 has …", "Test run 100 failed"."""
REFERENCE = re.compile(r"(?<![\w.])(?:[a-z]{2,}[-_]?\d{3,}|#\d{2,})\b", re.IGNORECASE)
"""What is called by a number of three digits or more: "INC-4471", "#118"."""
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
DAY = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?:{MONTHS})|(?:{MONTHS}) \d{{1,2}}|\d{{4}}-\d\d-\d\d)\b", re.IGNORECASE
)
STANDS = re.compile(
    r"\b(?:is|are|am|will|has|have|moved?|postponed|shifted|pushed|rescheduled|brought forward|now|due|instead|"
    r"comes?|goes|starts?|begins?|ends?|takes place|meets?)\b|['’](?:s|re|ll)\b",
    re.IGNORECASE,
)
"""A word of what stands, and may be on another day now. What happened on a day is not."""
DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|without|no|nobody|none|nothing|dont|doesnt|wont|cant|isnt)|n['’]t)\s+"
    r"(?:(?:be|been|a|an|the|any|ever|to|have|has|longer|more)\s+)*(\w+)",
    re.IGNORECASE,
)
DENIED_OF_ALL = re.compile(r"(?:\b(?:not|never|cannot)|n['’]t)\s+\w+\s+(?:any|a single)\s+(\w+)", re.IGNORECASE)
RANK = re.compile(
    r"\b(?:deputy|vice|assistant|acting|former|ex|used to|learning|training|trying|aspiring)\b", re.IGNORECASE
)
"""Of what is not so in full, not yet or no longer: "is learning Spanish" / "speaks Spanish"."""
NOBODY = re.compile(r"\b(?:nobody|no[ -]one|none)\b", re.IGNORECASE)
EVERYBODY = re.compile(r"\b(?:everyone|everybody|all|each)\b", re.IGNORECASE)
DENIED_TWICE = 2
"""Denials of one sentence that affirm: "no migration is allowed that isn't reversible"."""
LIST = re.compile(r"\s*(?:,|;|&|\+|\b(?:and|or|as well as)\b)\s*")
"""Between the members of a list, and between clauses."""
REST_IS_TOLD = re.compile(r"\b(?:only|just|solely|all|both|none|neither|every\w*|instead|now)\b", re.IGNORECASE)
"""Said with what is given up, it tells what is left: "it is only Pixel now"."""
NARROWING = re.compile(
    r"\b(?:only|just|solely|if|unless|until|except|when|while|deputy|vice|assistant|acting|former|formerly|ex|used|"
    r"plans?|planned|planning|hopes?|wants?|may|might|could|would|almost|nearly|half|part|than)\b",
    re.IGNORECASE,
)
"""Left out of a statement, it says another thing: "deputy chief" / "chief"."""
DENYING = re.compile(
    r"n['’]t\b|\b(?:not|never|cannot|without|no|nobody|none|nothing|dont|doesnt|wont|cant|isnt|instead|rather|spare|"
    r"stop|avoid|hardly|only|neither|nor|un[a-z]{4,})\b",
    re.IGNORECASE,
)
DENYING_ELSEWHERE = re.compile(
    r"\b(?:nicht|nichts|kein\w*|nie|niemals|ohne|ne|n['’]\w+|pas|jamais|sans|rien|aucune?|no|nunca|nada|ni|sin|ning[uú]n\w*|"
    r"non|mai|senza|nessun\w*|não|nao|sem|niet|geen|nooit|zonder|inte|utan|nie|bez)\b",
    re.IGNORECASE,
)
"""The same in the languages of `FOREIGN_WORDS`."""
SPEAKER = re.compile(r"(?:I|User)\b")
NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
}  # fmt: skip
NUMBERS |= {
    f"{tens}-{one}": str(int(NUMBERS[tens]) + int(NUMBERS[one]))
    for tens in ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
    for one in ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
}
NUMBER = "|".join(sorted(NUMBERS, reverse=True))
MEASURE = re.compile(rf"(?<![\w.,])(\d{{1,12}}(?:\.\d{{1,3}})?|{NUMBER})[ -]?([a-z%°]+)\b", re.IGNORECASE)
FEW = ("1", "2")
"""Said in passing, "one charge" and "number two" among them."""
STEM = 5


@dataclass(frozen=True, slots=True)
class Pair:
    """`cosine` of their embeddings, None where there is none. `subject`: what both are filed under, or empty."""

    stored: str
    new: str
    subject: str = ""
    cosine: float | None = None


def relate_all(pairs: Sequence[Pair], bands: Thresholds, judge: Judge) -> list[Verdict]:
    """Return a verdict for each of the pairs, in their order. Where the model's package is missing, by rules."""
    if judge == "rules" or not is_there():
        return [relate(pair.stored, pair.new, pair.cosine, pair.subject, bands) for pair in pairs]
    pairs = [replace(pair, new=with_measures_of(pair.stored, pair.new)) for pair in pairs]
    verdicts = [known_at_once(pair, bands) for pair in pairs]
    open_ones = [at for at, verdict in enumerate(verdicts) if verdict is None]
    open_ones.sort(key=lambda at: -nearness(pairs[at].cosine))
    looked_at = open_ones[:MOST_PAIRS]
    asked = [(pairs[at].stored, pairs[at].new, pairs[at].subject) for at in looked_at]
    judged = dict(zip(looked_at, judgements(asked), strict=True))
    return leave_to_nearest(
        pairs,
        [
            verdict or (judged_verdict(pairs[at], judged[at], bands) if at in judged else FARTHER)
            for at, verdict in enumerate(verdicts)
        ],
        bands,
    )


def leave_to_nearest(pairs: Sequence[Pair], verdicts: Sequence[Verdict], bands: Thresholds) -> list[Verdict]:
    """Return the verdicts, but of what a new statement replaces only what is related to it, or about as near as any.

    "Moved to Linz" replaces where somebody lived, and not the manager.
    """
    near: dict[str, float] = {}
    for pair, verdict in zip(pairs, verdicts, strict=True):
        if verdict.relation == Relation.SUPERSEDES and pair.cosine is not None:
            near[pair.new] = max(bands.scale(pair.cosine), near.get(pair.new, NEAR))

    def is_left(pair: Pair, verdict: Verdict) -> bool:
        scaled = 0.0 if pair.cosine is None else bands.scale(pair.cosine)
        return verdict.relation == Relation.SUPERSEDES and scaled < 0 and near[pair.new] - scaled >= NEARER

    return [
        NEARER_CHANGED if is_left(pair, verdict) else verdict for pair, verdict in zip(pairs, verdicts, strict=True)
    ]


IDENTICAL = Verdict(Relation.SAME, "identical text", 1.0)
FAR = Verdict(Relation.DIFFERENT, "far apart in meaning", 1.0)
FARTHER = Verdict(Relation.DIFFERENT, "others are nearer in meaning", 0.5)
NEARER_CHANGED = Verdict(Relation.DIFFERENT, f"{IN_DOUBT}what changed is nearer", 0.5)


def known_at_once(pair: Pair, bands: Thresholds) -> Verdict | None:
    """Return what is known without a network."""
    clear = clear_case(pair, bands)
    is_read = clear is IDENTICAL or (reads(pair.stored) and reads(pair.new))
    return clear if is_read else relate(pair.stored, pair.new, pair.cosine, pair.subject, bands)


def clear_case(pair: Pair, bands: Thresholds) -> Verdict | None:
    """Return what needs no model of any kind: the same words, matters far apart, and other things of one kind."""
    if canonical_text(pair.stored) == canonical_text(pair.new):
        return IDENTICAL
    if (reordered := judge_same_words(pair.stored, pair.new)) and reordered.relation == Relation.SAME:
        return reordered
    is_far = pair.cosine is not None and bands.scale(pair.cosine) < NEAR
    if is_far and reads(pair.stored) and reads(pair.new):
        return FAR
    other = name_other_thing(pair.stored, pair.new)
    return Verdict(Relation.DIFFERENT, other[:REASON_MAX_CHARS], 1.0) if other else None


def nearness(cosine: float | None) -> float:
    """Return the order in which pairs are looked at: those without a vector yet first."""
    return 1.0 if cosine is None else cosine


def reads(text: str) -> bool:
    """Whether the network can compare it: it knows English, and has met languages told by their small words."""
    return reads_well(text) or not FOREIGN_WORDS.isdisjoint(WORD.findall(text[:READ_CHARACTERS].casefold()))


def reads_well(text: str) -> bool:
    """Whether the network can tell what a statement is worth by itself: it is in English."""
    return is_english(WORD.findall(text[:READ_CHARACTERS].casefold()))


def is_foreign(pair: Pair) -> bool:
    return not (reads_well(pair.stored) and reads_well(pair.new))


def judgements(asked: Sequence[tuple[str, str, str]]) -> list[Judgement]:
    """Return the network's judgements, from memory for pairs that were judged a moment ago.

    So under a write lock only newer pairs take their time.

    It is kept under a digest of the texts: no words of theirs stay behind.
    """
    keys = [blake2b("\0".join(one).encode("utf-8", "surrogatepass"), digest_size=16).digest() for one in asked]
    missing = {key: one for key, one in zip(keys, asked, strict=True) if key not in _kept}
    found = {key: _kept[key] for key in keys if key not in missing}
    if missing:
        found |= zip(missing, load_judgement_model().relate(list(missing.values())), strict=True)
        if len(_kept) > KEPT_JUDGEMENTS:
            _kept.clear()
        _kept.update(found)
    return [found[key] for key in keys]


_kept: dict[bytes, Judgement] = {}


def forget_judgements() -> None:
    """For measurements: what was judged is judged anew."""
    _kept.clear()


def judged_verdict(pair: Pair, judgement: Judgement, bands: Thresholds) -> Verdict:
    """Return what the network and the rules read together; in doubt where nothing but a topic relates the two."""
    verdict = read_again(verdict_of(pair, judgement, bands), judgement, pair, bands)
    if verdict.relation != Relation.DIFFERENT and not holds_without_topic(pair, verdict, judgement):
        return Verdict(Relation.DIFFERENT, f"{IN_DOUBT}by its topic alone: {verdict.reason}"[:REASON_MAX_CHARS], 0.5)
    return verdict


def holds_without_topic(pair: Pair, verdict: Verdict, judgement: Judgement) -> bool:
    """Whether statements are related by what they say, not only by the topic that one is kept with.

    'About "Lucy, the kids", User said: fridays I bake' ends nothing that Lucy does: in development talk 200 pairs were
    at odds so, few of them rightly; 23 are. "It moved to Friday" leans on its topic. Nor is 'About "40 croissants each
    morning", User said: the invoice goes to the office' the same as the topic.
    """
    stored, new = (TOPIC.sub("", text, count=1) for text in (pair.stored, pair.new))
    if (stored, new) == (pair.stored, pair.new):
        return True
    [alone] = judgements([(stored, new, pair.subject)])
    if verdict.relation == Relation.SAME:
        return alone.same >= SURE_SAME or says_less(pair.stored, new)
    if verdict.relation == Relation.ELABORATES:
        return alone.same + alone.adds >= ADDS_FROM or says_less(new, stored)
    leans = begins_pointing(new) or not CHANGE.isdisjoint(new.casefold().split())
    return alone.at_odds >= CONTRADICTS_FROM or (leans and judgement.at_odds >= OF_TOPIC)


def verdict_of(pair: Pair, judgement: Judgement, bands: Thresholds = USUAL_BANDS) -> Verdict:
    """Return the likeliest relation, if it is likely enough and nothing exact speaks against it."""
    scaled = 0.0 if pair.cosine is None else bands.scale(pair.cosine)
    is_apart = scaled < 0 and not tells_change_of(pair)
    is_elsewhere = is_foreign(pair)
    denying = DENYING_ELSEWHERE if is_elsewhere else DENYING
    is_one_denied = bool(denying.search(pair.stored)) != bool(denying.search(pair.new))
    is_over = judgement.replaces >= judgement.contradicts
    if judgement.at_odds < (DOUBT_FROM if is_over else CONTRADICTS_FROM) and (
        says_less(pair.stored, pair.new) and not (is_elsewhere and is_one_denied)
    ):
        return Verdict(Relation.SAME, "says no more", 1 - judgement.at_odds)
    is_over_surely = is_over and judgement.same < LIKE_THE_SAME
    likely = REPLACES_FROM if is_over_surely else CONTRADICTS_FROM
    if judgement.at_odds >= max(likely, 1 / (1 + exp(SURER_APART * scaled)) if is_apart else 0.0):
        relation = Relation.SUPERSEDES if is_over else Relation.CONTRADICTS
        name = "replaces" if is_over else "contradicts"
        return Verdict(relation, reason_of(name, pair, judgement.at_odds), judgement.at_odds)
    if judgement.at_odds >= DOUBT_FROM:
        return Verdict(Relation.DIFFERENT, f"{IN_DOUBT}at odds {judgement.at_odds:.2f}", 1 - judgement.at_odds)
    least = SAME_FOREIGN if is_elsewhere else SAME_UNLIKE if is_apart or is_one_denied else SAME_FROM
    if judgement.same >= least and not (is_elsewhere and is_one_denied):
        more = name_addition(pair.stored, pair.new, judgement.same) if judgement.same < SURE_OF_ALL else ""
        if more:
            return Verdict(Relation.ELABORATES, f"says more: {more}"[:REASON_MAX_CHARS], judgement.same)
        return Verdict(Relation.SAME, f"same; {judgement.same:.2f}", judgement.same)
    if judgement.adds >= ADDS_FROM:
        return Verdict(Relation.ELABORATES, reason_of("says more", pair, judgement.adds), judgement.adds)
    return Verdict(Relation.DIFFERENT, f"both hold; {judgement.both + judgement.adds:.2f}", judgement.both)


def tells_change_of(pair: Pair) -> bool:
    """Whether both are of the home or of the work of the same, by their first word."""
    if pair.stored.split()[:1] != pair.new.split()[:1]:
        return False
    return any(re.search(state, pair.stored) and re.search(change, pair.new) for state, change in CHANGES_OF)


def read_again(verdict: Verdict, judgement: Judgement, pair: Pair, bands: Thresholds) -> Verdict:
    """Return the verdict with what the rules read, where that may tell more exactly than the network.

    What the network takes for the same, and the rules for opposed or negated ("must be" / "may be started before"), is
    kept beside the other: either may be wrong, and only what is the same is not stored. What the network is sure of
    stays the same where nothing but a negation speaks against it ("not far from" / "near"). Where the network hesitates
    between the two, or nothing but a figure differs, a figure or a contrary that the rules find decides: "takes 12
    minutes" / "takes 35 minutes".

    What is at odds is none where something else is denied, or all of the stored one is said again and more. What ends
    for one of several things is lowered: what holds of the others is told by nothing else.
    """
    if verdict.relation == Relation.SAME and (reordered := judge_same_words(pair.stored, pair.new)):
        return reordered
    is_at_odds = verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)
    if is_at_odds and (other := find_room_beside(pair.stored, pair.new, pair.subject)):
        return Verdict(Relation.DIFFERENT, other[:REASON_MAX_CHARS], verdict.score)
    is_unsure = is_at_odds and judgement.at_odds <= SAYS_MORE_TO
    if is_unsure and says_less(pair.new, pair.stored) and CHANGE.isdisjoint(pair.new.casefold().split()):
        return Verdict(Relation.ELABORATES, "says more", judgement.both + judgement.adds)
    is_over = verdict.relation == Relation.SUPERSEDES or judgement.replaces >= max(DOUBT_FROM, judgement.contradicts)
    if is_over and verdict.relation != Relation.SAME and ends_in_part(pair.stored, pair.new):
        return Verdict(Relation.CONTRADICTS, reason_of(IN_PART, pair, judgement.at_odds), judgement.at_odds)
    if not is_at_odds and (place := find_trip_off(pair.stored, pair.new)):
        return Verdict(Relation.SUPERSEDES, f"replaces: called off: {place}"[:REASON_MAX_CHARS], VETO_FROM)
    return weigh_rules(verdict, judgement, pair, bands)


def weigh_rules(verdict: Verdict, judgement: Judgement, pair: Pair, bands: Thresholds) -> Verdict:
    """Return the verdict, or where the network is not sure, what the rules read against it."""
    is_at_odds = verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)
    is_doubtful = verdict.relation == Relation.DIFFERENT and judgement.at_odds >= DOUBT_FROM
    is_sure = judgement.at_odds >= AT_ODDS_SURELY if is_at_odds else judgement.same >= SURE_OF_ALL
    if is_sure or not (is_doubtful or is_at_odds or verdict.relation == Relation.SAME):
        return verdict
    read = relate(pair.stored, pair.new, pair.cosine, pair.subject, bands)
    if is_at_odds and read.relation == Relation.SAME:
        return Verdict(Relation.DIFFERENT, f"{IN_DOUBT}at odds {judgement.at_odds:.2f}", 1 - judgement.at_odds)
    if verdict.relation == Relation.SAME and read.reason.startswith(OTHER_WORD):
        return Verdict(Relation.DIFFERENT, read.reason, 1 - verdict.score)
    if is_at_odds or read.relation != Relation.CONTRADICTS or not read.is_shown:
        return verdict
    if is_doubtful:
        alike = read.matched == 1 and bool(DENYING.search(pair.stored)) == bool(DENYING.search(pair.new))
        hesitates = judgement.adds + judgement.both < SIDE_BY_SIDE or alike
        return read if hesitates and EXACT_REASON.search(read.reason) else verdict
    if read.score < VETO_FROM or (judgement.same >= SURE_SAME and not EXACT_REASON.search(read.reason)):
        return verdict
    return Verdict(Relation.DIFFERENT, f"in doubt: {read.reason}"[:REASON_MAX_CHARS], 1 - verdict.score)


def name_other_thing(stored: str, new: str) -> str:
    """Say that the two are about two things of one kind, or two days; empty where they are not.

    "Open port 443" / "Do not open port 80": what is denied is another.
    "Host web-1 has 4 GB" / "Host web-2 has 8 GB": what begins with another number of the same kind is of another thing.
    """
    days = [[" ".join(day.casefold().split()) for day in DAY.findall(text)] for text in (stored, new)]
    if all(days) and not set(days[0]) & set(days[1]) and not (STANDS.search(stored) or STANDS.search(new)):
        return f"another day: {DAY.findall(stored)[0]} / {DAY.findall(new)[0]}"
    figures = [set(figures_of(text)) for text in (stored, new)]
    is_denied = bool(DENIED.search(stored)) != bool(DENIED.search(new))
    kinds_of_figure = [{word.casefold() for word in BEFORE_FIGURE.findall(text)} for text in (stored, new)]
    if is_denied and all(figures) and not figures[0] & figures[1] and kinds_of_figure[0] & kinds_of_figure[1]:
        return f"denied of another figure: {min(figures[0])} / {min(figures[1])}"
    references = [{found.casefold() for found in REFERENCE.findall(text)} for text in (stored, new)]
    if all(references) and not references[0] & references[1]:
        return f"another reference: {min(references[0])} / {min(references[1])}"
    one, other = NAMED.match(stored), NAMED.match(new)
    kinds = [(found[1] or found[2]).casefold() for found in (one, other) if found]
    if one and other and kinds[0] == kinds[1] and one[3].casefold() != other[3].casefold():
        return f"another {kinds[0]}: {one[3]} / {other[3]}"
    return ""


def name_addition(stored: str, new: str, likeness: float = 0.0) -> str:
    """Return a figure, a name or a denial that only the new statement has; empty if there is none.

    `likeness`: how probably they are the same. If it is high a name may be another spelling ("ADHD"), and so may a
    figure where the stored one has no other: "an hour" is "60 minutes".
    """
    figures = [figures_of(text) for text in (stored, new)]
    lone = [[figure for figure in figures[at] if figure not in figures[1 - at]] for at in (0, 1)]
    more = [figure for figure in lone[1] if figure not in FEW]
    if more and not (likeness >= SURE_SAME and not lone[0]) and not are_equal_amounts(stored, new):
        return " ".join(more)
    known = {part[:STEM].casefold() for word in WORD.findall(stored) for part in (word, *word.split("-"))}
    names = [word for word in WORD.findall(BEGINNING.sub("", new)) if word[0].isupper() and not SPEAKER.match(word)]
    if likeness < SURE_NAME and (others := [word for word in names if word[:STEM].casefold() not in known]):
        return " ".join(others)
    ranks = [{rank.casefold() for rank in RANK.findall(text)} for text in (stored, new)]
    if other := ranks[0] ^ ranks[1]:
        return str(min(other))
    return name_denial(stored, new) or name_denial(new, stored)


def are_equal_amounts(stored: str, new: str) -> bool:
    """Tell whether each amount of the new statement is one of the stored one: "fifteen hundred" is 1500."""
    sides = lay_side_by_side(stored, new, "")
    told = quantities_of(sides.existing_statement, sides.existing)
    own = quantities_of(sides.new_statement, sides.new)
    return bool(own) and all(
        any(are_comparable(one, other) and compare(one, other) is Agreement.EQUAL for one in told) for other in own
    )


def says_less(stored: str, new: str) -> bool:
    """Tell whether the new statement has words of the stored one alone, in their order, from a beginning on.

    "takes 20 mg of omeprazole before breakfast" / "takes omeprazole".
    """
    if DENYING.search(stored) or DENYING.search(new):
        return False
    told, own = words_of(stored), words_of(new)
    matter = [stem(word) for word in own if word not in STOP]
    left = iter([stem(word) for word in told])
    if not matter or len(own) >= len(told) or not all(word in left for word in matter):
        return False
    beginnings = [next((stem(word) for word in words_of(part) if word not in STOP), "") for part in LIST.split(stored)]
    return matter[0] in beginnings and set(NARROWING.findall(stored)) <= set(NARROWING.findall(new))


def ends_in_part(stored: str, new: str) -> bool:
    """Tell whether the new one names some alone of several things that the stored statement lists.

    "two cats, Pixel and Bruno" / "Bruno died".
    """
    first, *others = LIST.split(stored)
    if not others or REST_IS_TOLD.search(new):
        return False
    items = [matter_of(first)[-1:], *map(matter_of, others)]
    own = set(matter_of(new))
    is_named = [bool(own.intersection(item)) for item in items if item]
    return any(is_named) and not all(is_named)


def matter_of(text: str) -> list[str]:
    return [root(word) for word in words_of(text) if word not in STOP]


def words_of(text: str) -> list[str]:
    return [POSSESSIVE.sub("", word).casefold() for word in WORD.findall(text)]


def is_doubtful(stored: str, new: str, relation: Relation) -> bool:
    """Tell whether something exact speaks against what a language model says of two statements.

    Other things of one kind do, and where it takes them for the same, another figure, name or host, or a denial.
    """
    if relation == Relation.DIFFERENT:
        return False
    if name_other_thing(stored, new):
        return True
    if relation != Relation.SAME:
        return False
    new = with_measures_of(stored, new)
    told, own = set(figures_of(stored)), set(figures_of(new))
    is_other = bool(told - own and own - told) or bool(own - told - set(FEW))
    return is_other or names_another(stored, new) or bool(name_denial(stored, new) or name_denial(new, stored))


def names_another(stored: str, new: str) -> bool:
    """Tell whether a name stands in the new statement alone, and the stored one has no other words for it.

    "Anna lives in Porto" / "Paul lives in Porto". "Lives in Portugal's capital" may be Lisbon.
    """
    words = [[POSSESSIVE.sub("", word) for word in WORD.findall(text)] for text in (stored, new)]
    roots = [set(map(root, some)) for some in words]
    names = [word for word in words[1] if word[0].isupper() and root(word) not in roots[0]]
    others = [word for word in words[0] if len(word) > len("the") and root(word) not in roots[1]]
    return any(not SPEAKER.match(name) for name in names) and all(word[0].isupper() for word in others)


def figures_of(text: str) -> list[str]:
    """Numbers as digits: "six" is 6."""
    words = (NUMBERS.get(word.casefold(), "") for word in WORD.findall(text))
    return [*FIGURE.findall(text), *filter(None, words)]


def with_measures_of(stored: str, new: str) -> str:
    """Return the new statement with measures spelt as in the stored one: "60 seconds" is "60s"."""
    spelt = {value_of(found): found.group() for found in MEASURE.finditer(stored)}
    return MEASURE.sub(lambda found: spelt.get(value_of(found)) or found.group(), new)


def value_of(found: re.Match[str]) -> tuple[str, float]:
    """Return what is measured and how much of its first unit; as it is spelt where the unit is none."""
    number = float(NUMBERS.get(found[1].casefold(), found[1]))
    kind, size = UNITS.get(found[2].casefold(), (found[2], 1.0))
    return kind, number * size


def name_denial(said: str, denying: str) -> str:
    """Return what one statement denies and the other says: "restart it" / "never restart it"; empty where nothing.

    What is said by a denial alone denies nothing that was said: "is a vegetarian" / "does not eat meat". Where both
    deny something, the network decides.
    """
    if DENYING.search(said) or len(DENIED.findall(denying)) >= DENIED_TWICE:
        return ""
    if (nobody := NOBODY.search(denying)) and EVERYBODY.search(said):
        return f"denied: {nobody.group()}"
    stems = tuple(root(word) for word in WORD.findall(said) if word.casefold() not in STOP)
    denied = [word for told in (DENIED, DENIED_OF_ALL) for word in told.findall(denying) if word.casefold() not in STOP]
    return next((f"denied: {word}" for word in denied if any(stem.startswith(root(word)) for stem in stems)), "")


def root(word: str) -> str:
    """Return what "run" and "runs" have in common."""
    return word[:STEM].casefold().removesuffix("s")


def reason_of(name: str, pair: Pair, probability: float) -> str:
    """Say the relation, the words that only one of them has, and how sure it is: "replaces: Graz → Leoben; 0.93"."""
    words = WORD.findall(pair.stored), WORD.findall(pair.new)
    known = tuple({word.casefold() for word in one} for one in words)
    old = [word for word in words[0] if word.casefold() not in known[1]][:SHOWN_WORDS]
    new = [word for word in words[1] if word.casefold() not in known[0]][:SHOWN_WORDS]
    certainty = f"; {probability:.2f}"
    return f"{name}: {' '.join(old)} → {' '.join(new)}"[: REASON_MAX_CHARS - len(certainty)] + certainty
