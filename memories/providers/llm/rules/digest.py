"""A conversation in a few sentences of the third person: facts, decisions and outcomes, in the order they were said."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from math import inf, log

from memories.language.extract.lexicon import is_base
from memories.language.extract.prose import read_sentences
from memories.language.extract.wording import begin_sentence, to_third_person, word
from memories.language.messages import ASSISTANT, SYSTEM, TOOL, USER, Message, strip_fenced
from memories.language.relate.lexicon import is_english
from memories.language.scripts import WIDE
from memories.language.similarity import Gist, cut_words, gist_of, one_line, overlap
from memories.language.wordlists import words
from memories.providers.llm.provider import Chunk, Fact, Setting, Written
from memories.providers.llm.rules.extraction import extract
from memories.providers.relation import Judge


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


def _opening(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{pattern})", re.IGNORECASE)


DECIDED = _any(
    r"decided|decision|agreed|settled on|chose|chosen|opted for|going with|let's (?:go with|use|stick|switch)|"
    r"(?:we|i)(?:'ll| will) (?:use|go with|switch|move to|stick)|from now on|instead of|rather than|approved|"
    r"no longer|(?:we|i)(?:'re| are|'m| am) (?:switching|moving|migrating|using)"
)
RESOLVED = _any(
    r"fixed|solved|resolved|works (?:now|again)|working (?:now|again)|root cause|the cause|caused by|turn(?:s|ed) out|"
    r"because|the (?:problem|issue|bug|reason|culprit|fix|solution) (?:was|is)|deployed|merged|released|shipped|"
    r"migrated|upgraded|installed|completed|succeeded|passes|passed|failed|found (?:that|out|the)|configured|"
    r"forgot|figured out|reali[sz]ed|did the trick|enabled|disabled|renewed|restored|replaced|removed|reverted|"
    r"rolled back|scheduled|booked|ordered|is now|are now|now (?:runs|uses|points|takes|has|set)|set to|raised|"
    r"lowered|moved"
)
LASTING = _any(
    r"prefers?|remember (?:that|to)|important|note that|allergic|hates?|can't stand|favou?rite|vegetarian|vegan|"
    r"diabetic|pregnant|engaged|married|divorced|deadline|due|birthday|depends? on|requires?"
)
RULED = _any(r"always|never|must(?! have| be)|must(?:n't| not)|should(?:n't| not)|don't ever|only when|not allowed")
TROUBLED = _any(
    r"(?:is|are|was|were)(?:n't| not) (?:set|found|installed|running|reachable|allowed|supported)|missing|wrong|broken|"
    r"fails|crash(?:es|ed)|full|expired|too (?:slow|small|large|long|old)|refused|denied|times? out|timed out|leaks?"
)
TIMES = _any(
    r"yesterday|today|tonight|tomorrow|(?:next|last|this) (?:week|month|year|weekend|spring|summer|autumn|fall|winter)|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|april|june|july|august|september|october|november|"
    r"december|years? ago|months? ago|weeks? ago"
)
OWN = _any(
    r"my|our|i(?:'m| am) (?:a|an|the|in|from|on|at|moving|getting|starting|planning|working|learning|going|allergic)|"
    r"i (?:work|live|moved|started|got|bought|lost|quit|plan|want|need|have|had|use|run|study|love|like|prefer|hate)|"
    r"i've (?:been|got|started|had|decided)|i used to"
)
HEDGED = _any(r"maybe|perhaps|might|i think|i guess|not sure|probably|i wonder|kind of|sort of|hopefully|i hope")
LOVELY = _any(
    r"lovely|wonderful|amazing|awesome|beautiful|exciting|delicious|fantastic|inspiring|incredible|cute|so (?:cool|fun|"
    r"great|nice|sweet|happy|proud)|good luck|sounds"
)

TELLING_WORDS = words("""
    decided decision agreed settled chose chosen going instead rather fixed solved resolved works cause caused turns out
    because problem issue bug reason culprit solution deployed merged released shipped migrated upgraded installed
    completed succeeded passed failed found configured enabled disabled renewed restored replaced removed reverted
    scheduled booked ordered forgot realized prefer prefers always never allergic favorite favourite deadline due
    birthday depends requires must should vegetarian married
    """)
"""What a message that is worth a closer look often has."""

REQUEST = _opening(
    r"(?:(?:hi|hey|hello|ok|okay|so|and|then|now|also|please|pls)[ ,!]+){0,4}"
    r"(?:(?:can|could|would|will) you\b|i(?:'d| would) like you to\b|i (?:need|want) you to\b|help me\b|tell me\b|"
    r"(?:please|pls)\b|(?:fix|add|write|make|create|update|change|remove|delete|check|look|find|show|explain|set up|"
    r"install|configure|deploy|restart|rename|move|refactor|implement|build|run|test|debug|investigate|upgrade|"
    r"migrate|enable|disable|use|put|set|turn|stop|start|switch|keep|generate|review|summari[sz]e|translate|plan|book|"
    r"schedule|remind|compare|give me|draft|clean up|convert)\b)"
)
ABOUT_ONESELF = _opening(r"(?:i|i'm|im|i've|my|we|we're|our)\b")
EMPTY = _opening(
    r"let me|let's see|i'll (?:now|start|check|look|take|go ahead|begin|first|also check|be|try|let|keep)|i will now|"
    r"now (?:i'll|let me|i will)|i'm going to|i am going to|looking (?:at|into|forward)|checking|reading|searching|"
    r"running|first,? (?:i|let)|next,? (?:i|let)|would you like|do you want|shall i|should i|want me to|feel free|"
    r"happy to|glad|hope (?:this|that|you)|is there anything|anything (?:else|fun|new|exciting)|you(?:'re| are) "
    r"(?:welcome|right)|(?:great|good|excellent) (?:question|idea|point|luck|job|work|news)|sure\b|of course|"
    r"absolutely|certainly|sounds (?:good|great|like|fun|amazing)|here(?:'s| is| are)\b|i can (?:also |certainly )?"
    r"help|i(?:'d| would) be happy|thanks|thank you|no problem|no worries|nice\b|awesome|cool\b|wow|congrat|haha|lol|"
    r"sorry|i apologi[sz]e|have (?:a|fun)|see you|bye|good (?:morning|evening|night)|take care|how are you|how's\b|"
    r"how have you|what's up|what about you|that(?:'s| is) (?:great|so|awesome|cool|amazing|really|nice|good|wonderful|"
    r"fantastic)|i understand|i see\b|got it|makes sense|you got this|(?:good|nice|great) to|can't wait|same here|"
    r"me too|keep (?:it )?up|great\b|perfect|i appreciate|i mean\b|long time|haven't (?:talked|spoken|seen)|"
    r"check it out|let's (?:keep|make)|as an ai|try again|one moment|done\W*\Z|"
    r"hallo|danke|bitte\b|gern|wie geht|(?:auch )?gut\b|guten|tschüss|hola|gracias|cómo estás|buen[oa]s|bonjour|salut|"
    r"merci|ça va|ciao|grazie|come stai|buon|olá|obrigad|tudo bem|hej|tack|cześć|dzięki|привет|спасибо|как дела|"
    r"こんにちは|ありがとう|わかりました|你好|谢谢|안녕|감사"
)
"""Openings of sentences that tell nothing: courtesy, and an agent's account of what it is about to do."""
DEPENDENT = _opening(
    r"(?:this|that|it|these|those|they|its|their|his|her|he|she|so|and|but|then|which|also|there|because|or|both|same)\b"
)
"""Openings of sentences that are hard to understand without the one before."""
NARRATED = _opening(r"(?:(?:now|next|then|first),? )?[a-z]+ing\b")
INTERJECTIONS = _opening(
    r"\A(?:(?:hi|hey|hello|hallo|hola|bonjour|salut|ciao|btw|by the way|ok|okay|so|well|yes|yeah|yep|no|nope|nah|"
    r"cool|great|nice|perfect|awesome|wow|thanks|sure|right|actually|ah|oh|hmm|um|lol|haha|alright|gut|ja|nein|sí|oui)"
    r"(?: there| all)?(?:[,!.…]+ ?|(?<=\bah|\boh|\bso|\bok|\bhi|\bum) |(?<=hey|hmm|lol|btw) )){1,4}(?=\S+ \S+)"
)
COURTESY = _opening(
    r"\A(?:(?:hi|hey|hello|ok|okay|so|well|please|pls|thanks|great|also|and|now)(?: there| all)?[ ,!.]+){0,4}"
    r"(?:(?:can|could|would|will) you (?:please |maybe |also |quickly )?|i(?:'d| would) like you to |"
    r"i (?:need|want) you to |would you mind )?(?:please |pls )?"
)
"""What a request begins with before it says what is asked for."""
CAPITALS = re.compile(r"(?<=[\w,;:] )(?!I\b)[A-Z]\w+|\b\w*[a-z][A-Z]\w*|\b[A-Z]{2,}\b")
FIRST_PERSON = _any("I|we|my|our|me|us|you|your")


WEIGHTS = (
    (DECIDED, 2.5),
    (RESOLVED, 2.0),
    (LASTING, 1.5),
    (TROUBLED, 1.0),
    (RULED, 0.7),
    (TIMES, 0.7),
    (HEDGED, -0.8),
    (LOVELY, -1.5),
)
EMPTY_POINTS = -4.0
OWN_POINTS = 1.0
ASSISTANT_ASKS, USER_ASKS = -1.5, -0.8
NARRATED_POINTS = -1.5
NUMBER, NAME = 0.6, 0.6
THEME = 1.5
FIRST_OF_MESSAGE = 0.3
TOO_SHORT, TOO_LONG = -2.0, -1.0
SHORTEST_WORDS, LONGEST_WORDS, FULL_MATTER = 4, 34, 8


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence, who said it, and the places of its message in the conversation and of itself in the message."""

    text: str
    speaker: str
    message: int
    place: int
    gist: Gist
    is_question: bool

    @property
    def is_empty(self) -> bool:
        return bool(EMPTY.match(self.text))

    @property
    def leans(self) -> bool:
        """Whether it is hard to understand without the sentence before."""
        return bool(DEPENDENT.match(self.text))

    @property
    def is_request(self) -> bool:
        is_asked = self.is_question and not ABOUT_ONESELF.match(self.text)
        return self.speaker != ASSISTANT and (is_asked or bool(REQUEST.match(self.text)))


def score(utterance: Utterance, spread: Mapping[str, int], count: int) -> float:
    """Cues of English, and in any language: words that run through the conversation, names, numbers, length.

    `spread` says how many of the `count` sentences have a word. About 0 for chatter, 2 to 7 for what is telling.
    """
    total = sum(weight for cue, weight in WEIGHTS if cue.search(utterance.text))
    if utterance.speaker == ASSISTANT:
        total += ASSISTANT_ASKS * utterance.is_question + NARRATED_POINTS * bool(NARRATED.match(utterance.text))
    else:
        total += OWN_POINTS * bool(OWN.search(utterance.text)) + USER_ASKS * utterance.is_question
    total += NUMBER * bool(utterance.gist.figures) + NAME * bool(CAPITALS.search(utterance.text))
    return total + EMPTY_POINTS * utterance.is_empty + _theme(utterance.gist, spread, count) + _shape(utterance)


def _theme(gist: Gist, spread: Mapping[str, int], count: int) -> float:
    """0 to 1.5: how much of the conversation shares the sentence's words, on average."""
    if not gist.words or count < 2:
        return 0.0
    mean = sum(log(spread[word]) for word in gist.words) / len(gist.words)
    return THEME * mean / log(count)


def _shape(utterance: Utterance) -> float:
    """Up to 1 for matter; fragments and endless sentences count less."""
    length = utterance.text.count(" ") + 1
    matter = min(utterance.gist.size, FULL_MATTER) / FULL_MATTER
    if length < SHORTEST_WORDS and utterance.gist.size < SHORTEST_WORDS:
        return matter + TOO_SHORT
    return matter + TOO_LONG * (length > LONGEST_WORDS) + FIRST_OF_MESSAGE * (utterance.place == 0)


MOST_READ_MESSAGES = 200
MOST_READ_CHARACTERS = 80_000
LEAST_SHARE = 400
"""Characters that are read of any message: two thirds from its beginning, the rest from its end."""

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_MARKER = re.compile(r"[*_`]{0,3}\[(?:MEMORY|EVENT)(?::[^\[\]\n]{0,300})?\][*_`]{0,3}[ \t]*")
_LINK = re.compile(r"!?\[([^\[\]\n]{1,200})\]\([^()\s]{1,500}\)")
_INDENTED = re.compile(r"^(?: {4}|\t)(?!\s*(?:[-*•]|\d{1,3}[.)])\s).*$", re.MULTILINE)
_CODE_LIKE = re.compile(r"[!-~]{70,}|[{}<>]{2}|\\n|\w\.\w+\(|\A\S+ ?[=:]= ?\S|\A\S+ = \S")


def listen(messages: Sequence[Message]) -> Iterator[Utterance]:
    """Yield their sentences in order, without what is code, output, markup or put in by us."""
    places = [index for index, message in enumerate(messages) if message.role not in (SYSTEM, TOOL)]
    places = _most_promising(places, messages)
    share = max(LEAST_SHARE, MOST_READ_CHARACTERS // (len(places) or 1))
    for index in places:
        place = 0
        for part in _parts(messages[index].content, share):
            for sentence in read_sentences(part):
                text = INTERJECTIONS.sub("", one_line(sentence.text).replace("`", ""), count=1)
                if text and not _CODE_LIKE.search(text):
                    yield Utterance(
                        text, _speaker_of(messages[index]), index, place, gist_of(text), sentence.is_question
                    )
                    place += 1


def _speaker_of(message: Message) -> str:
    return (message.speaker if message.role == USER else "") or message.role


def _most_promising(places: list[int], messages: Sequence[Message]) -> list[int]:
    """Return all of a short conversation; of a long one its ends, and between them what tells an outcome."""
    if len(places) <= MOST_READ_MESSAGES:
        return places
    ends = {*places[:10], *places[-20:]}
    tellers = sorted(
        places,
        key=lambda index: (
            -len(TELLING_WORDS.intersection(messages[index].content[:LEAST_SHARE].lower().split())),
            -index,
        ),
    )
    return sorted({*ends, *tellers[: MOST_READ_MESSAGES - len(ends)]})


def _parts(content: str, share: int) -> list[str]:
    """Return the text that was said, in one piece, or the beginning and the end of it."""
    text = _LINK.sub(r"\1", _MARKER.sub("\n", _INDENTED.sub("", _CODE.sub("\n", strip_fenced(content)))))
    return [text] if len(text) <= share else [text[: share * 2 // 3], text[-share // 3 :].partition("\n")[2]]


MOST_SENTENCES = 6
ALIKE = 0.6
"""Sentences that share more of the shorter's words tell one thing twice."""
REPEATED = 0.75
"""An answer with so much of a question's words makes the question needless."""
TELLING = 2.2
"""Where no sentence of English reaches this, the conversation was chatter."""
WORTH_ADDING = 1.7
WORTH_OPENING = 1.0
DEPENDENT_POINTS = 1.3
"""Points lost by "It …" and "So …" where the sentence before is not told."""
OPENING_MESSAGES = 4
LEAST_MATTER = 3
FACT = 1.5
"""Points more for what is a fact, and half a point for each step of its importance above the usual one."""
USUAL_IMPORTANCE = 3
MOST_READ_FOR_FACTS = 60
"""Messages, the most telling ones. Each takes about 10 milliseconds."""
EARLIER_MESSAGES = 3
"""So far back an answer may repeat what it answers to."""
TEAM = "the team"
LANGUAGE_SAMPLE = 20
"""Sentences by which a conversation's language is told."""
LONGEST_NAME = 40

_LETTERS = re.compile(r"[^\W\d_]+")
_WIDE = re.compile(f"[{WIDE}\u3001-\u3020\uff01-\uff60]")
_DAY = re.compile(r"\b(yesterday|today|tonight|tomorrow)(?:['’]s)?\b(?! \()", re.IGNORECASE)
_DAYS_AWAY = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def digest(messages: Sequence[Message], now: datetime, max_characters: int, judge: Judge = "rules") -> Written:
    """Return its most telling facts and sentences; "" for chatter. 2,000 messages take about a second.

    "yesterday" is given its date, counted from when the message was said, or from `now`. Where not even the most
    telling sentence fits, its first words are told, with "…". Languages other than English are told in the words that
    were said, with their speakers.
    """
    utterances = list(listen(messages))
    points = _weigh(utterances, len(messages))
    if is_english := _is_english(utterances):
        utterances, points = _tell(utterances, points, _find_facts(utterances, points, messages, now, judge))
    else:
        utterances = [replace(utterance, text=_label(utterance) + utterance.text) for utterance in utterances]
    if max(points, default=-inf) < (TELLING if is_english else WORTH_ADDING):
        return Written("")
    utterances = [
        replace(utterance, text=_with_date(utterance.text, messages[utterance.message].at, now))
        for utterance in utterances
    ]
    chosen = _choose(utterances, points, max_characters)
    speakers = ["", *(utterance.speaker for utterance in chosen)]
    return Written(
        cut_words(
            " ".join(
                _closed(utterance).removeprefix(_label(utterance) if utterance.speaker == before else "")
                for utterance, before in zip(chosen, speakers, strict=False)
            ),
            max_characters,
        )
    )


def _weigh(utterances: Sequence[Utterance], count: int) -> list[float]:
    spread = Counter(word for utterance in utterances for word in utterance.gist.words)
    points = [score(utterance, spread, len(utterances)) for utterance in utterances]
    return [
        own + float(3 < count <= utterance.message + 3) if own >= WORTH_ADDING else own
        for own, utterance in zip(points, utterances, strict=True)
    ]


def _find_facts(
    utterances: Sequence[Utterance], points: Sequence[float], messages: Sequence[Message], now: datetime, judge: Judge
) -> list[Fact]:
    """Return the facts of the most telling messages; `message` is the place in `messages`."""
    sentences: defaultdict[int, list[str]] = defaultdict(list)
    best: defaultdict[int, float] = defaultdict(lambda: -inf)
    for utterance, own in zip(utterances, points, strict=True):
        sentences[utterance.message].append(_closed(utterance))
        best[utterance.message] = max(own, best[utterance.message])
    places = sorted(sorted(best, key=lambda place: -best[place])[:MOST_READ_FOR_FACTS])
    read = (
        replace(messages[place], content=" ".join(sentences[place]), at=_local(messages[place].at, now))
        for place in places
    )
    facts = extract(Chunk(tuple(read), now), Setting(), judge)
    return [replace(fact, message=places[fact.message], content=one_line(fact.content)) for fact in facts]


def _tell(
    utterances: Sequence[Utterance], points: Sequence[float], facts: Sequence[Fact]
) -> tuple[list[Utterance], list[float]]:
    """Return each sentence in the third person, or the facts that it states; without what repeats others."""
    sentences: list[Utterance] = []
    weights: list[float] = []
    for utterance, own in zip(utterances, points, strict=True):
        stated = [fact for fact in facts if fact.message == utterance.message and _is_from(fact, utterance)]
        for line, gain in _lines(utterance, own, stated):
            if not _is_restated(line, utterance, sentences):
                sentences.append(line)
                weights.append(own + gain)
    return sentences, weights


def _lines(utterance: Utterance, own: float, stated: Sequence[Fact]) -> Iterator[tuple[Utterance, float]]:
    """Yield what is told of a sentence, and the points that it gains by being told so."""
    for fact in stated:
        gain = FACT + (fact.importance - USUAL_IMPORTANCE) / 2
        yield replace(utterance, text=fact.content, gist=gist_of(fact.content), is_question=False), gain
    if not stated and utterance.is_request:
        yield _as_asked(utterance), 0.0
    elif not stated and own >= WORTH_ADDING:
        # What was said, told by somebody else. Where the grammar is not certain, in its own words with its
        # speaker.
        name = _speaker(utterance)
        if utterance.speaker in (USER, ASSISTANT):
            worded = word(utterance.text, utterance.speaker, TEAM)
        else:
            worded = begin_sentence(to_third_person(utterance.text, name, TEAM) or utterance.text)
        is_told = worded.startswith(f'{name} said "') or not FIRST_PERSON.search(worded)
        yield replace(utterance, text=(worded if is_told else f'{name} said "{utterance.text}"')), 0.0


def _is_from(fact: Fact, utterance: Utterance) -> bool:
    quote, sentence = _letters_of(fact.quote), _letters_of(utterance.text)
    return bool(quote and sentence) and (quote in sentence or sentence in quote)


def _letters_of(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _as_asked(utterance: Utterance) -> Utterance:
    """Say what was asked for: "Could you upgrade it?" → "User asked to upgrade it"."""
    text = COURTESY.sub("", utterance.text, count=1) or utterance.text
    first, _, rest = text.partition(" ")
    if is_base(first.lower()) and (text != utterance.text or not utterance.is_question):
        return replace(utterance, text=f"{_speaker(utterance)} asked to {first.lower()} {rest}", is_question=False)
    return replace(utterance, text=f"{_speaker(utterance)} asked: {text}")


def _is_asked(utterance: Utterance) -> bool:
    return utterance.is_request or utterance.text.startswith(f"{_speaker(utterance)} asked")


def _is_restated(line: Utterance, utterance: Utterance, earlier: Sequence[Utterance]) -> bool:
    """Tell whether an assistant only repeats what somebody told it.

    "You live in Lisbon", "So releases are on Mondays".
    """
    if utterance.speaker != ASSISTANT or utterance.is_question:
        return False
    others = [other for other in earlier if other.speaker != ASSISTANT]
    if line.text.startswith("User"):
        return line.gist.figures <= {figure for other in others for figure in other.gist.figures}
    return any(_repeats(line, other) for other in others if utterance.message - EARLIER_MESSAGES <= other.message)


def _repeats(line: Utterance, other: Utterance) -> bool:
    is_new = line.gist.figures > other.gist.figures
    return not _is_asked(other) and not is_new and overlap(line.gist, other.gist) >= ALIKE


def _choose(utterances: Sequence[Utterance], points: Sequence[float], max_characters: int) -> list[Utterance]:
    """Return what tells most and fits, in order.

    If there is capacity, also what was asked for, unless the answer says it too.
    """
    chosen = _pick(utterances, points, max_characters, MOST_SENTENCES)
    opens = [
        index for index, utterance in enumerate(utterances) if utterance.speaker == USER and _has_matter(utterance)
    ]
    first = [index for index in opens if utterances[index].message == utterances[opens[0]].message < OPENING_MESSAGES]
    best = max(first, key=lambda index: (points[index] + _is_asked(utterances[index]), -index), default=None)
    opening = (
        utterances[best] if best is not None and points[best] + _is_asked(utterances[best]) >= WORTH_OPENING else None
    )
    capacity = max_characters - sum(map(_cost, chosen))
    is_new = opening is not None and not any(
        utterance is opening or _answers(utterance, opening) for utterance in chosen
    )
    if opening is not None and is_new and _cost(opening) <= capacity:
        chosen.append(opening)
    chosen = chosen or [utterances[points.index(max(points))]]
    return sorted(chosen, key=lambda utterance: (utterance.message, utterance.place))


def _is_english(utterances: Sequence[Utterance]) -> bool:
    """Of other languages we know no cues, so that less has to do."""
    sample = " ".join(utterance.text for utterance in utterances[:LANGUAGE_SAMPLE]).casefold()
    return is_english(_LETTERS.findall(sample))


def _has_matter(utterance: Utterance) -> bool:
    return not utterance.is_empty and utterance.gist.size >= LEAST_MATTER


def _answers(utterance: Utterance, question: Utterance) -> bool:
    """Tell whether it repeats what was asked for, so that nothing is lost without the question."""
    common = len(utterance.gist.words & question.gist.words) + len(utterance.gist.figures & question.gist.figures)
    return common >= REPEATED * question.gist.size


def _pick(utterances: Sequence[Utterance], points: Sequence[float], capacity: int, most: int) -> list[Utterance]:
    """One after another the best that fits and is new; what leans on a sentence before it counts less without that."""
    at_hand = [index for index in range(len(utterances)) if points[index] >= WORTH_ADDING]
    chosen: list[int] = []
    while len(chosen) < most:
        at_hand = [
            index
            for index in at_hand
            if _cost(utterances[index]) <= capacity and not _is_like_any(utterances, index, chosen[-1:])
        ]
        if not at_hand:
            break
        best = max(
            at_hand, key=lambda index: (points[index] - DEPENDENT_POINTS * _hangs(utterances, index, chosen), index)
        )
        chosen.append(best)
        capacity -= _cost(utterances[best])
    return [utterances[index] for index in chosen]


def _is_like_any(utterances: Sequence[Utterance], index: int, chosen: Sequence[int]) -> bool:
    return any(index == other or overlap(utterances[index].gist, utterances[other].gist) >= ALIKE for other in chosen)


def _hangs(utterances: Sequence[Utterance], index: int, chosen: Sequence[int]) -> bool:
    """Tell whether it leans on the sentence before, and that is not told."""
    return utterances[index].leans and not (
        index - 1 in chosen and utterances[index - 1].message == utterances[index].message
    )


def _cost(utterance: Utterance) -> int:
    return len(utterance.text) + len("? ")


def _label(utterance: Utterance) -> str:
    return f"{_speaker(utterance)}: "


def _speaker(utterance: Utterance) -> str:
    if utterance.speaker in (USER, ASSISTANT):
        return utterance.speaker.capitalize()
    return cut_words(one_line(utterance.speaker), LONGEST_NAME) or "Someone"


def _closed(utterance: Utterance) -> str:
    """With the mark at its end that reading took off; a request that lost its "could you" is no question any more."""
    is_wide = bool(_WIDE.match(utterance.text[-1:]))
    if utterance.is_question:
        return utterance.text + ("？" if is_wide else "?")
    return utterance.text if utterance.text.endswith("…") else utterance.text + ("。" if is_wide else ".")


def _local(moment: datetime | None, now: datetime) -> datetime | None:
    """`at` in the time zone of `now`."""
    with suppress(OverflowError):
        return moment.astimezone(now.tzinfo) if moment and moment.tzinfo and now.tzinfo else moment
    return moment


def _with_date(text: str, moment: datetime | None, now: datetime) -> str:
    """Return the first "yesterday" and the like with the day it was."""

    def dated(match: re.Match[str]) -> str:
        try:
            day = (_local(moment, now) or now) + timedelta(days=_DAYS_AWAY[match[1].lower()])
        except OverflowError:
            return match[0]
        return f"{match[0]} ({day:%Y-%m-%d})"

    return _DAY.sub(dated, text, count=1)
