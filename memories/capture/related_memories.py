"""What is already known about a candidate's matter, and how the candidate relates to it.

Most of it is found out before the app's write lock is taken, where a model may take its time. Under the lock only what
changed since is judged again, by rules: so that parallel captures of one fact make one memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np
from django.db.models import Q
from django.utils import timezone
from numpy.typing import NDArray

from memories.index.app_index import IndexView
from memories.index.columns import NOBODY, counts_of
from memories.language.dates.windows import find_windows
from memories.language.relate import Relation, Thresholds, Verdict, relate
from memories.language.relate.lexicon import canonical_text
from memories.models import Memory, Source, Vector, Visibility
from memories.models.memory import MemoryQuerySet
from memories.models.vector import by_number
from memories.providers.embeddings import Embedder
from memories.providers.llm.provider import RULES, Comparison, Provider
from memories.providers.relation import FARTHER, IN_DOUBT, MOST_PAIRS, Pair, clear_case, nearness, relate_all
from memories.retrieve.pipeline import index_of
from memories.retrieve.question import tells_of_past
from memories.store import Candidate, Writer
from memsite.config.conf import get_conf
from memsite.tenancy.models import App
from memsite.tenancy.policy import Preset

NEAREST = 16
OUTDATED = Verdict(Relation.SUPERSEDES, "the model named it as outdated", 0.9)
OTHER_MATTER = Verdict(Relation.DIFFERENT, "not clearly of the same matter", 0.5)
NEAREST_LOOKED_AT = 64
NEWEST_WITHOUT_VECTOR = 16
MET = NEAREST + NEWEST_WITHOUT_VECTOR
"""With so many of those that were looked at a candidate is compared."""
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
ALIKE, ALIKE_IN_WORDS = 1.25, 0.6
"""How far a cosine is from related (0) to the same (1), plus the share of words matched, and that share alone.

Of 180 labelled paraphrases without a subject nine in ten reach it. Of 781 pairs of statements from ten conversations
(LoCoMo, REALTALK) that words and meaning made the same, and of which few are, one in five does.
"""
AT_ODDS = 1.8
"""Where two statements found in talk are at odds, how far a cosine is from related (0) to the same (1), the share of
words matched and the rules' certainty (0 to 1) come to this together, at least.

Of 358 labelled contradictions nine in ten reach it. Of 921 pairs of statements from fourteen conversations (LoCoMo,
REALTALK) that the rules took for contradictions, and of which hardly any is one, one in three does.
"""
FRAME_WORDS = 2
"""With which both begin that may take each other's place: "Lena drives a Golf", "Lena drives a Leaf"."""
OF_LATER = Verdict(Relation.SUPERSEDES, "the same of a later time", 0.5)
LONG_TIMES = frozenset({"month", "quarter", "season", "half", "part", "year", "decade"})
PRESENT_OF = {
    "was": "is", "were": "are", "had": "has", "lived": "lives", "worked": "works", "stayed": "stays", "used": "uses",
    "studied": "studies", "owned": "owns", "rented": "rents", "ran": "runs", "drove": "drives", "paid": "pays",
    "led": "leads", "managed": "manages", "headed": "heads", "taught": "teaches", "belonged": "belongs",
    "charged": "charges", "kept": "keeps", "served": "serves", "wore": "wears", "spoke": "speaks",
}  # fmt: skip
HELD_ONCE = re.compile(rf"\bused to [a-z]+\b|\b(?:{'|'.join(PRESENT_OF)})\b", re.IGNORECASE)
FIRST_PERSON = re.compile(r"I ([a-z]+)\b")
SAYS_CHANGE = re.compile(
    r"\b(?:moved|relocated|switched|changed|started|quit|left|stopped|gave up|no longer|any ?more|now|instead)\b",
    re.IGNORECASE,
)
CHANGED_SURELY = 0.8
"""The certainty from which a text that tells of a change replaces what it said before."""
MOST_CHANGED = 500
"""More are asked for by when they changed: a statement has room for so many parameters."""


class MemoryText(NamedTuple):
    """What a memory says, of what and when: most that are met are another matter, and no more is read of these."""

    pk: int
    content: str
    subject: str | None
    valid_from: datetime | None
    valid_until: datetime | None
    created_at: datetime
    resource__content_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    memory: Memory
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RelatedMemories:
    """Verdicts on what was known when the app had the change number `seen`, other than that it is another matter."""

    seen: int
    telling: list[RelatedMemory] = field(default_factory=list)


def find_related(
    app: App, candidates: Sequence[Candidate], embedder: Embedder, provider: Provider | None = None
) -> list[RelatedMemories]:
    """Return what is related to each candidate.

    Verdicts are the model's, if the provider is one; else the rules', by similarity and words.
    """
    if not candidates:
        return []
    ((seen, _),) = counts_of(app.pk)
    view = index_of(app, embedder).view()
    if get_conf().relations == "learned" and (provider is None or provider.name == RULES):
        judge_among(candidates, embedder)
    near = [nearest(app, view, candidate) for candidate in candidates]
    met = [first_found(comparable(app, item), list(pks)) for item, pks in zip(candidates, near, strict=True)]
    alike = [[pks[text.pk] for text in texts] for texts, pks in zip(met, near, strict=True)]
    if provider is None or provider.name == RULES:
        verdicts = [judge_all(*item, embedder) for item in zip(met, candidates, alike, strict=True)]
    else:
        verdicts = judge_by_model(met, candidates, alike, embedder, provider)
    return [RelatedMemories(seen, telling_of(app, *item)) for item in zip(candidates, met, verdicts, strict=True)]


def judge_among(candidates: Sequence[Candidate], embedder: Embedder) -> None:
    """Judge what is stored together ahead: under the write lock, where each meets those before it, this is known."""
    bands = Thresholds(embedder.thresholds.same, embedder.thresholds.related)
    measured = [item for item in candidates if item.vector is not None]
    vectors = np.array([item.vector for item in measured])
    for place, candidate in enumerate(measured[1:], 1):
        cosines = vectors[:place] @ vectors[place]
        near = np.argsort(-cosines, kind="stable")[:NEAREST].tolist()
        pairs = [pair_of(measured[other], candidate, float(cosines[other]), is_turned=False) for other in near]
        relate_all(pairs, bands, "learned")


def judge_by_model(
    all_met: Sequence[Sequence[MemoryText]],
    candidates: Sequence[Candidate],
    all_alike: Sequence[Sequence[float | None]],
    embedder: Embedder,
    provider: Provider,
) -> list[list[Verdict]]:
    """Return a model's verdicts on what is near each candidate: one question for all where there is a doubt.

    Clear cases are not asked about, nor is a candidate that already says which memory it makes outdated: how it stands
    to the others is judged without a model.
    """
    bands = Thresholds(embedder.thresholds.same, embedder.thresholds.related)
    all_verdicts: list[list[Verdict]] = []
    questions: list[tuple[int, list[int], Comparison]] = []
    for met, candidate, alike in zip(all_met, candidates, all_alike, strict=True):
        clear = [
            clear_case(Pair(text.content, candidate.content, "", cosine), bands)
            for text, cosine in zip(met, alike, strict=True)
        ]
        doubtful = [place for place, first in enumerate(clear) if not first]
        doubtful.sort(key=lambda place: -nearness(alike[place]))
        outdated = [place for place in doubtful if met[place].pk == candidate.updates]
        if outdated:
            judged = judge_all(met, candidate, alike, embedder)
            clear = [OUTDATED if place in outdated else first or judged[place] for place, first in enumerate(clear)]
        elif doubtful:
            near = [met[place] for place in doubtful[:MOST_PAIRS]]
            subject = candidate.subject if all(is_about_one(text, candidate) for text in near) else None
            cosines = [alike[place] for place in doubtful[:MOST_PAIRS]]
            question = Comparison(candidate.content, [text.content for text in near], subject or "", cosines)
            questions.append((len(all_verdicts), doubtful[:MOST_PAIRS], question))
        all_verdicts.append([first or FARTHER for first in clear])
    answers = provider.relate_many([question for *_, question in questions]) if questions else []
    for (number, places, _), verdicts in zip(questions, answers, strict=True):
        for place, verdict in zip(places, verdicts, strict=True):
            all_verdicts[number][place] = verdict
    return all_verdicts


def telling_of(
    app: App, candidate: Candidate, met: Sequence[MemoryText], verdicts: Sequence[Verdict]
) -> list[RelatedMemory]:
    now = timezone.now()
    telling = {
        text.pk: verdict
        for text, verdict in zip(met, weigh_for_preset(app, verdicts), strict=True)
        if is_relevant(text, verdict, candidate, now)
    }
    memories = comparable(app, candidate).in_bulk(list(telling)) if telling else {}
    return [RelatedMemory(memories[pk], verdict) for pk, verdict in telling.items() if pk in memories]


def first_found(rows: MemoryQuerySet, pks: Sequence[int]) -> list[MemoryText]:
    """Return the first of these memories that are among the rows, in their order; no more are read than it takes."""
    met: list[MemoryText] = []
    for start in range(0, len(pks), MET):
        some = pks[start : start + MET]
        read = map(MemoryText._make, rows.filter(pk__in=some).values_list(*MemoryText._fields))
        texts = {text.pk: text for text in read}
        met += [texts[pk] for pk in some if pk in texts]
        if len(met) >= MET:
            break
    return met[:MET]


def related_to(
    write: Writer, candidate: Candidate, related: RelatedMemories, embedder: Embedder
) -> list[RelatedMemory]:
    """Return, under the lock, what still stands of what was found, and the rules' verdict on newer, surest first."""
    # Nobody has written since, and nothing was written here.
    is_as_seen = write.change_number == related.seen + 1 and not write.changed
    newer = {} if is_as_seen else nearest_newer(write, candidate, related.seen)
    verdict_of = {item.memory.pk: item.verdict for item in related.telling if item.memory.pk not in newer}
    drawn = comparable(write.app, candidate).select_related("resource").defer("resource__raw_content")
    rows = drawn.in_bulk([*verdict_of, *newer]) if verdict_of or newer else {}
    standing = [RelatedMemory(rows[pk], verdict) for pk, verdict in verdict_of.items() if pk in rows]
    incoming = [rows[pk] for pk in newer]
    verdicts = judge_all(incoming, candidate, list(newer.values()), embedder)
    fresh = [
        RelatedMemory(memory, verdict)
        for memory, verdict in zip(incoming, weigh_for_preset(write.app, verdicts), strict=True)
        if is_relevant(memory, verdict, candidate, write.now) and not is_said_beside(memory, verdict, candidate)
    ]
    return sorted([*standing, *fresh], key=lambda item: -item.verdict.score)


def weigh_for_preset(app: App, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts as the preset weighs them.

    In `ops` nothing is superseded by what is said: it loses confidence, as SPEC-0015 has it.
    """
    if app.preset != Preset.OPS:
        return list(verdicts)
    return [
        replace(verdict, relation=Relation.CONTRADICTS) if verdict.relation == Relation.SUPERSEDES else verdict
        for verdict in verdicts
    ]


def is_relevant(memory: Memory | MemoryText, verdict: Verdict, candidate: Candidate, now: datetime) -> bool:
    """Return whether it says something about the candidate.

    Nothing contradicts what is told of somebody else, or of another time; and what holds at another time is not the
    same.
    """
    if verdict.relation == Relation.DIFFERENT:
        return False
    if verdict.relation == Relation.SAME:
        return holds_as_long(memory, candidate, now)
    is_contrary = verdict.relation == Relation.CONTRADICTS
    is_of_it = not is_contrary or is_about_one(memory, candidate)
    return holds_with(memory, candidate, now) and is_of_it


def is_said_beside(memory: Memory, verdict: Verdict, candidate: Candidate) -> bool:
    """Return whether one text says both, and not of one subject: both are then meant, unless it tells of a change."""
    is_at_odds = verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)
    is_change = verdict.relation == Relation.SUPERSEDES and verdict.score >= CHANGED_SURELY
    is_change = is_change and is_guessed(candidate) and bool(SAYS_CHANGE.search(candidate.content))
    is_of_one_text = candidate.resource is not None and memory.resource_id == candidate.resource.pk
    is_of_one_key = bool(memory.subject) and memory.subject == candidate.subject and not is_guessed(candidate)
    return is_at_odds and is_of_one_text and not is_of_one_key and not is_change


def holds_as_long(memory: Memory | MemoryText, candidate: Candidate, now: datetime) -> bool:
    """Return whether to say the one is to say the other: what has no times of its own holds from now on."""
    if (memory.valid_from, memory.valid_until) == (candidate.valid_from, candidate.valid_until):
        return True
    is_timeless = candidate.valid_from is None and candidate.valid_until is None
    return is_timeless and memory.valid_until is None and (memory.valid_from is None or memory.valid_from <= now)


def holds_with(memory: Memory | MemoryText, candidate: Candidate, now: datetime) -> bool:
    """Return whether there is a time at which both hold: what says no time holds from when it was said."""
    since, until = candidate.valid_from or now, candidate.valid_until
    begins_in_time = until is None or (memory.valid_from or memory.created_at) < until
    return begins_in_time and (memory.valid_until is None or memory.valid_until > since)


def holds_from(statement: Memory | Candidate, now: datetime) -> datetime:
    """Return now, or the day to come on which it begins to hold."""
    return max(statement.valid_from or now, now)


def start_of(memory: Memory | MemoryText) -> datetime:
    """Return from when it holds: from when it was stored, where it does not say."""
    return memory.valid_from or memory.created_at


def is_dated(candidate: Candidate) -> bool:
    """Return whether somebody has said from when it holds: of what is found in talk this is a guess."""
    return candidate.valid_from is not None and not is_guessed(candidate)


def comes_late(candidate: Candidate, memory: Memory | MemoryText, now: datetime) -> bool:
    """Return whether it tells of a time before the memory began to hold, long stored as that may be.

    Where the memory does not say since when, what holds still is news; what held is not.
    """
    since = candidate.valid_from
    if since is None or since >= start_of(memory):
        return False
    if memory.valid_from:
        return is_dated(candidate) or memory.valid_from <= now
    return held_once(candidate.content)


def begins_before(candidate: Candidate, known: RelatedMemory, now: datetime) -> bool:
    return comes_late(candidate, known.memory, now)


def succeeds(candidate: Candidate, known: RelatedMemory, now: datetime) -> bool:
    """Return whether it says that it holds since a day on which the known one, which held before, ended by that."""
    since = candidate.valid_from
    return since is not None and is_dated(candidate) and start_of(known.memory) < since <= now


def interrupts(candidate: Candidate, known: RelatedMemory) -> bool:
    """Return whether it is at odds only for a while, or tells what happened when the other began to hold.

    "There is a freeze" until January ends no rule that goes on afterwards; "moved house on 14 March" does not end
    "lives in Lisbon", which began that day.
    """
    memory = known.memory
    if not is_dated(candidate) or known.verdict.relation not in (Relation.CONTRADICTS, Relation.SUPERSEDES):
        return False
    if candidate.valid_from == memory.valid_from:
        return tells_of_past(candidate.content) != tells_of_past(memory.content)
    return candidate.valid_until is not None and (
        memory.valid_until is None or memory.valid_until > candidate.valid_until
    )


def is_about_one(memory: Memory | MemoryText | Candidate, candidate: Candidate) -> bool:
    """Return whether both have one subject, or one has none and names the other's: "the team deploys the shop …"."""
    if memory.subject == candidate.subject:
        return True
    if memory.subject and candidate.subject:
        return False
    text = candidate.content if memory.subject else memory.content
    return f" {canonical_text(memory.subject or candidate.subject or '')} " in f" {canonical_text(text)} "


def judge_all(
    memories: Sequence[Memory | MemoryText], candidate: Candidate, cosines: Sequence[float | None], embedder: Embedder
) -> list[Verdict]:
    """Return one verdict for each of the memories, in their order, without a language model."""
    if get_conf().relations == "rules":
        return [judge(memory, candidate, cosine, embedder) for memory, cosine in zip(memories, cosines, strict=True)]
    turned = [is_said_before(candidate, memory) for memory in memories]
    pairs = [
        pair_of(memory, candidate, cosine, is_turned=is_turned)
        for memory, cosine, is_turned in zip(memories, cosines, turned, strict=True)
    ]
    verdicts = relate_all(pairs, Thresholds(embedder.thresholds.same, embedder.thresholds.related), "learned")
    verdicts = [
        OF_LATER if is_likely_succession(verdict, pair, memory, candidate) else verdict
        for verdict, pair, memory in zip(verdicts, pairs, memories, strict=True)
    ]
    return [
        settled(verdict, memory, candidate, is_turned=is_turned)
        for verdict, memory, is_turned in zip(verdicts, memories, turned, strict=True)
    ]


def pair_of(
    memory: Memory | MemoryText | Candidate, candidate: Candidate, cosine: float | None, *, is_turned: bool
) -> Pair:
    """Return both as they were said, the earlier first.

    Of what only one of them is about, the name is what they differ in.
    """
    subject = (candidate.subject or memory.subject or "") if is_about_one(memory, candidate) else ""
    stored, new = memory.content, candidate.content
    if candidate.valid_from and held_once(new):
        # When it held is known, and compared as a time.
        stored, new = of_user(stored), of_user(as_held(new))
    elif is_dated(candidate):
        stored, new = of_user(stored), of_user(new)
    return Pair(new, stored, subject, cosine) if is_turned else Pair(stored, new, subject, cosine)


def settled(verdict: Verdict, memory: Memory | MemoryText, candidate: Candidate, *, is_turned: bool) -> Verdict:
    """Return what the verdict means for what is stored: an earlier year changes nothing of what was said since."""
    is_at_odds = verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)
    if is_turned and verdict.relation == Relation.ELABORATES:
        return OTHER_MATTER
    if not is_at_odds:
        return verdict
    if is_turned:
        said_at = candidate.resource.content_at if candidate.resource else timezone.now()
        is_over = is_of_before(memory.content, said_at)
    else:
        is_over = is_of_before(candidate.content, memory.created_at) and not is_ordered(candidate, memory)
    return OTHER_MATTER if is_over else verdict


def judge(memory: Memory | MemoryText, candidate: Candidate, cosine: float | None, embedder: Embedder) -> Verdict:
    """Return the rules' verdict.

    What was found in talk is only at odds with what is clearly of the same matter, and where some word or number shows
    it: "starts on the team" is no contrary of "is new on the team".

    There the subject is guessed or none, so that the words of any two statements come to be compared. Where nobody
    has said what a statement is about, it also takes more to be the same: else the newer one is lost.
    """
    bands = Thresholds(embedder.thresholds.same, embedder.thresholds.related)
    pair = pair_of(memory, candidate, cosine, is_turned=False)
    verdict = relate(pair.stored, pair.new, cosine, pair.subject, bands)
    is_vague = is_guessed(candidate) or not candidate.subject
    if verdict.relation == Relation.SAME and is_vague and not is_alike(verdict, cosine, bands):
        return OTHER_MATTER
    is_sharp = verdict.relation in (Relation.CONTRADICTS, Relation.SUPERSEDES)
    if is_sharp and is_guessed(candidate) and not (verdict.is_shown and is_at_odds(verdict, cosine, bands)):
        return OTHER_MATTER
    return verdict


def is_ordered(candidate: Candidate, memory: Memory | MemoryText) -> bool:
    """Return whether it is known which of both began first, so that a year in the text need not tell."""
    return is_dated(candidate) or comes_late(candidate, memory, timezone.now())


def is_likely_succession(verdict: Verdict, pair: Pair, memory: Memory | MemoryText, candidate: Candidate) -> bool:
    """Return whether a doubt is decided by time: both say since when, not the same, and begin with the same words."""
    if not verdict.reason.startswith(IN_DOUBT) or not is_dated(candidate) or memory.valid_from is None:
        return False
    if candidate.valid_from == memory.valid_from or tells_of_past(memory.content) or tells_of_past(candidate.content):
        return False
    stored, new = canonical_text(pair.stored).split(), canonical_text(pair.new).split()
    return stored[:FRAME_WORDS] == new[:FRAME_WORDS]


def held_once(content: str) -> bool:
    """Return whether it tells of a state that is over: "lived in Berlin in 2020"."""
    return bool(HELD_ONCE.search(content)) and tells_of_past(content)


def as_held(content: str) -> str:
    """Return it as it was said then: "In 2020 Zoe lived in Berlin" was "Zoe lives in Berlin"."""
    for window in reversed(find_windows(content, timezone.now())):
        if window.precision in LONG_TIMES:
            start, end = window.span
            content = content[:start] + content[end:]
    content = HELD_ONCE.sub(lambda match: present_of(match[0]), content, count=1)
    return " ".join(content.split()).strip(" ,;:")


def present_of(verb: str) -> str:
    word = verb.lower()
    return third_person(word.split()[-1]) if word.startswith("used to ") else PRESENT_OF[word]


def third_person(verb: str) -> str:
    return {"be": "is", "am": "is", "are": "is", "have": "has", "do": "does"}.get(
        verb, verb if verb.endswith("s") else f"{verb}s"
    )


def of_user(content: str) -> str:
    """Return a statement of the first person as one of the user, as which relations are judged better."""
    if match := FIRST_PERSON.match(content):
        return f"User {third_person(match[1])}{content[match.end() :]}"
    return f"User's{content[2:]}" if content.startswith("My ") else content


def is_of_before(content: str, moment: datetime) -> bool:
    """Return whether it names an earlier year: what happened in 2015 changes nothing of what was said since."""
    return any(int(year) < moment.year for year in YEAR.findall(content))


def is_said_before(candidate: Candidate, memory: Memory | MemoryText) -> bool:
    """Return whether the candidate was said, in an older text, before the memory.

    An old conversation that is imported is no news.

    Nothing was said after it was stored, whatever its text claims; and what a person lets through is said as of then.
    """
    if candidate.resource is None or candidate.reviewed_at:
        return False
    said_at = (
        memory.resource__content_at
        if isinstance(memory, MemoryText)
        else memory.resource and memory.resource.content_at
    )
    return candidate.resource.content_at < (min(said_at, memory.created_at) if said_at else memory.created_at)


def is_alike(verdict: Verdict, cosine: float | None, bands: Thresholds) -> bool:
    """Return whether two statements resemble each other in meaning and in words. Without a cosine by words alone."""
    if cosine is None:
        return verdict.matched >= ALIKE_IN_WORDS
    return bands.scale(cosine) + verdict.matched >= ALIKE


def is_at_odds(verdict: Verdict, cosine: float | None, bands: Thresholds) -> bool:
    """Return whether both are of one matter, and all that speaks for a contradiction is enough.

    One matter begins a third of the way from related to the same. Without a cosine there is no answer.
    """
    if cosine is None or cosine < bands.related + (bands.same - bands.related) / 3:
        return False
    return bands.scale(cosine) + verdict.matched + verdict.score >= AT_ODDS


def comparable(app: App, candidate: Candidate) -> MemoryQuerySet:
    """Return the active memories it is compared with: same end user and visibility, for private ones the same agent.

    What says its subject and category is compared within these; what was found in talk has only guessed them.
    """
    rows = Memory.objects.for_app(app).active().filter(user_id=candidate.user_id, visibility=candidate.visibility)
    if candidate.visibility == Visibility.AGENT:
        rows = rows.filter(agent=candidate.agent)
    if not is_guessed(candidate):
        return rows.filter(subject=candidate.subject, category=candidate.category)
    return rows.filter(Q(subject=candidate.subject) | Q(subject=None)) if candidate.subject else rows


def is_guessed(candidate: Candidate) -> bool:
    return candidate.source in (Source.FACT, Source.DIGEST, Source.INSIGHT)


def nearest(app: App, view: IndexView, candidate: Candidate) -> dict[int, float | None]:
    """Return the nearest comparable memories' cosines by pk; None for the newest that have no comparable vector."""
    columns = view.columns
    allowed = columns.alive & columns.active & (columns.user == code(view.users.numbers, candidate.user_id))
    owner = candidate.agent.pk if candidate.agent and candidate.visibility == Visibility.AGENT else NOBODY
    allowed &= columns.owner == owner
    subject = code(view.subjects.numbers, candidate.subject)
    if not is_guessed(candidate):
        allowed &= columns.subject == subject
    elif subject:
        allowed &= (columns.subject == subject) | (columns.subject == NOBODY)
    near: dict[int, float | None] = {}
    rows = np.flatnonzero(allowed & columns.embedded)
    if candidate.vector is not None and len(rows):
        best, alike = view.held.nearest(candidate.vector, rows, NEAREST_LOOKED_AT)
        near = dict(zip(columns.pk[best].tolist(), alike.tolist(), strict=True))
    blank: NDArray[np.intp] = np.flatnonzero(allowed if candidate.vector is None else allowed & ~columns.embedded)
    newest = np.sort(columns.pk[blank])[::-1][:NEWEST_WITHOUT_VECTOR]
    return near | dict.fromkeys(newest.tolist())


def code(numbers: dict[str, int], name: str | None) -> int:
    """Return a name's number in the index; one that nobody has where it is not in there."""
    return numbers.get(name, -1) if name else NOBODY


def nearest_newer(write: Writer, candidate: Candidate, seen: int) -> dict[int, float | None]:
    """Return the nearest of what changed since `seen`: by the database, which knows this transaction's own writes."""
    app = write.app
    # By themselves, and up to our own: a database that does not know how few they are would sooner look through the
    # whole drawer, or all apps.
    since = Q(change_number__gt=seen, change_number__lte=write.change_number)
    rows = Memory.objects.for_app(app).filter(since).order_by()
    changed = list(rows.values_list("pk", flat=True)[: MOST_CHANGED + 1])
    few = Q(pk__in=changed) if len(changed) <= MOST_CHANGED else since
    rows = comparable(app, candidate).filter(few).order_by("-pk")
    pks = list(rows.values_list("pk", flat=True))
    if not pks or candidate.vector is None:
        return dict.fromkeys(pks[:NEAREST])
    vectors = Vector.objects.for_app(app).filter(
        model=candidate.vector_model, dim=len(candidate.vector), memory__in=rows
    )
    newer, matrix = by_number(vectors.values_list("memory_id", "data"), len(candidate.vector))
    alike = matrix @ candidate.vector
    best = np.argsort(-alike, kind="stable")[:NEAREST]
    near: dict[int, float | None] = {newer[place]: float(alike[place]) for place in best}
    compared = set(newer)
    return near | dict.fromkeys([pk for pk in pks if pk not in compared][:NEWEST_WITHOUT_VECTOR])
