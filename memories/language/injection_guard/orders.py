"""Orders to the reader in twelve languages: words by what they mean, from a data file, and what stands together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from memories.language.injection_guard.plain import fold
from memories.language.wordlists import words

PARTS = {
    "fill": ("(?:(?:all|any|every|of|the|your|my|these|those|this|that|and|other|given|safety|security) ){0,5}"),
    "earlier": (
        "(?:(?:previous|prior|preceding|earlier|foregoing|above|former|initial|original|system|existing)(?: and| or)? )"
    ),
    "orders": "(?:instructions?|prompts?|directives?|guidelines?|directions)",
    "rules": (
        "(?:instructions?|prompts?|directives?|guidelines?|directions|rules|orders|commands|programming|"
        "constraints|restrictions|policies|policy|training|safeguards|guardrails|filters|limits)"
    ),
    "model": (
        "(?:ais?|llms?|language models?|assistants?|agents?|models?|chatbots?|bots?|claude|chatgpt|gpt|copilot|gemini)"
    ),
    "user": "(?:(?:the |your )?(?:users?|human|operator))",
}

EARLIER, ROLE, NEW, ADDRESS = (
    "sets earlier instructions aside",
    "gives the reader another role",
    "gives new instructions",
    "speaks to the model",
)
HIDE, TAKE_OVER, PROMPT = "hides something from the user", "takes over every answer", "is about the system prompt"

RULES: tuple[tuple[str, str, str], ...] = (
    # English
    (
        EARLIER,
        "ignore ignoring disregard disregarding forget override overrides overriding bypass discard",
        r" (?:{fill}{earlier}{1,3}(?:\w+ )?{orders}|{fill}(?:previous|prior|preceding|earlier|above) {rules}|(?:all |"
        r"any )?(?:of )?your (?:\w+ ){0,2}{rules}|(?:all|any)(?: the)?(?: other)? {orders})\b(?! of)",
    ),
    (
        EARLIER,
        "ignore disregard forget",
        " (?:everything|anything|all|whatever) (?:(?:that )?(?:was |came |is |written |said )?(?:above|before(?: "
        r"this)?|so far|previously)(?=\s{0,3}(?:$|\n|[.,;:!]|and ))|(?:that )?(?:you were|you've been|you have been|"
        r"i|i've|they|i have) (?:told|said|instructed|given|learned))\b",
    ),
    (
        EARLIER,
        "ignore disregard forget",
        r" {fill}(?:previous|prior|preceding|above|earlier) (?:messages|conversation|context|text|content)\b(?! "
        "(?:from|in|of|when))",
    ),
    (EARLIER, "do", " not (?:follow|obey|listen to|comply with) {fill}{earlier}{rules}"),
    (EARLIER, "don't never stop", " (?:follow|obey|listen to|comply with|following|obeying) {fill}{earlier}{rules}"),
    (
        EARLIER,
        "above previous prior earlier original",
        r" (?:\w+ )?(?:{orders}|rules) (?:no longer|don't|do not) apply\b",
    ),
    (
        EARLIER,
        "above previous prior earlier original your",
        " {orders} (?:are|is|were|have been) (?:now )?(?:void|cancel+ed|overridden|suspended|revoked|invalid|"
        "obsolete|superseded)",
    ),
    (
        EARLIER,
        "this",
        " (?:memory|instruction|message|note|entry|rule) (?:overrides|supersedes|outranks|takes precedence over|has "
        "(?:the )?(?:highest|top|absolute) priority)",
    ),
    (
        ROLE,
        "you you're",
        r"(?: are)? now (?:(?:(?:a|an|the|my|in|called|named) )?(?:\w+ ){0,3}?(?:dan|ai|assistant|bot|chatbot|model|"
        "hacker|pirate|jailbroken|unrestricted|uncensored|unfiltered|evil|(?:developer|debug|god|root|dan|jailbreak|"
        r"unrestricted) mode)\b|(?:acting|operating|playing|pretending|roleplaying) as\b|(?:an?|the) (?!member|user|"
        "customer|subscriber|owner|maintainer|admin|contributor|participant|follower|resident|citizen|parent|father|"
        "mother|dad|mum|mom|grand|proud|new|verified|registered|part|team|step|few|bit|lot|premium|paying|godparent|"
        r"homeowner|manager|lead|senior|certified)\w|free (?:from|of) (?:all|any|your|the)|no longer (?:bound|"
        "restricted|limited|an? {model})|under (?:my|new) (?:control|orders|command))",
    ),
    (
        ROLE,
        "pretend act behave roleplay respond answer imagine",
        r" (?:that |as |like )?(?:if )?(?:you |you're |an? )(?:are |have |had |were )?(?:(?:\w+ ){0,3}?(?:no|without|"
        r"not bound by) (?:any )?(?:\w+ )?{rules}|(?:\w+ ){0,2}?(?:unrestricted|uncensored|unfiltered|jailbroken|"
        r"evil|dan)\b)",
    ),
    (ROLE, "do", r" anything now\b"),
    (ROLE, "dan jailbreak", r" mode (?:is )?(?:now )?(?:on|enabled|activated|unlocked)\b"),
    (
        NEW,
        "your",
        " (?:new|real|actual|true|updated|secret|hidden) (?:instructions?|task|goal|objective|mission|purpose|"
        r"identity)(?: (?:is|are)\b|\s{0,2}:)",
    ),
    (
        NEW,
        "new override",
        r" (?:system |security |priority )?(?:instructions?|directives?)(?: (?:for|to) {fill}{model})?\s{0,3}:",
    ),
    (ADDRESS, "attention", r" (?:to )?{fill}(?:\w+ )?{model}(?: (?:reading|processing) this)?\s{0,2}[:,!-]"),
    (
        ADDRESS,
        "note notice message instruction instructions",
        " (?:to|for) {fill}(?:future )?(?:(?:ai|llm) )?{model}(?: (?:reading|processing) (?:this|it)(?: "
        r"\w+)?)?\s{0,2}(?::|!|-)(?! see )",
    ),
    (
        ADDRESS,
        "if when since as",
        r" (?:you are |you're )?an? (?:(?:large )?language model|ai|llm|chatbot)(?: \w+){0,2}?(?: reading| "
        "processing|,? you (?:must|should|have to|are)|,? (?:ignore|always|reply|respond|send|run|execute|output|"
        r"say|do not|don't))\b",
    ),
    (
        ADDRESS,
        "any every all ai",
        r" {model} (?:reading|that reads?|who reads?|processing|seeing|which reads?|retrieving) (?:this|these|it)\b",
    ),
    (
        ADDRESS,
        "when whenever once after if",
        " you (?:read|see|retrieve|recall|process|receive|are given|load) this(?: (?:memory|message|text|note|line|"
        "document|entry))?,? (?:you must|immediately|always|first|do not|don't|run|execute|send|call|reply|respond|"
        r"ignore|delete|tell)\b",
    ),
    (
        HIDE,
        "do",
        r" not (?:ever )?(?:(?:tell|inform|alert) {user}|let {user} (?:know|see|notice|find out))\b(?! (?:they|he|"
        "she|what|how|to|their|when|where) )",
    ),
    (
        HIDE,
        "don't never",
        r" (?:ever )?(?:(?:tell|inform|alert) {user}|let {user} (?:know|see|notice|find out))\b(?! (?:they|he|she|"
        "what|how|to|their|when|where) )",
    ),
    (
        HIDE,
        "not don't never",
        " (?:ever )?(?:mention|reveal|disclose|admit|show|say) (?:this|that|it|these|any of this|anything|the "
        r"instructions?)(?: \w+){0,4}? to {user}\b",
    ),
    (HIDE, "keep hide conceal", r" (?:this|it|that|everything|all of this)(?: \w+){0,3}? from {user}\b"),
    (HIDE, "without", r" (?:telling|informing|asking|notifying|alerting|warning) {user}\b"),
    (HIDE, "without", r" (?:{user}'s? |the )(?:knowledge|consent|approval|permission)(?: of {user})?\b"),
    (
        TAKE_OVER,
        "from",
        r" now on,? (?:you(?: are|'re| will be| act as) (?:an?|the|my|no|not|dan|free|called|named)\b|(?:act|behave|"
        r"pretend|obey)\b|(?:you (?:will|must|shall|should) |please )?(?:(?:only|exclusively) (?:ever )?(?:reply|"
        r"respond|answer|output|say)|(?:reply|respond|answer|output|say|speak)(?: \w+){0,3}? (?:only|exclusively|"
        r"nothing but))\b(?! in\b))",
    ),
    (PROMPT, "system", r" (?:prompt|instructions?|override|directive)\s{0,2}[:\]](?! ?\S{1,60}[./]\w{1,5}\b)"),
    (
        PROMPT,
        "reveal print show repeat output leak display dump disclose recite tell",
        r" (?:me |us )?(?:back )?(?:all |the full |verbatim )?(?:of )?your (?:\w+ )?(?:system prompt|prompt|"
        r"(?:initial|hidden|original|secret|system) instructions|instructions)\b",
    ),
    (
        PROMPT,
        "reveal repeat leak disclose recite",
        r" (?:the )?(?:\w+ )?(?:system prompt|(?:hidden|system) instructions)\b",
    ),
)
"""(reason, words it may begin with, what follows)."""


WORDS = Path(__file__).with_name("orders.toml")
ENGLISH, CHINESE, JAPANESE, TURKISH = "en", "zh", "ja", "tr"
FROM_OUTSIDE = "gives the reader an order"


class Word:
    """What a word may mean, as bits: a whole text's are looked at at once."""

    (
        ASIDE,
        EARLIER,
        RULES,
        BOSS,
        READER,
        WEAK,
        USER,
        DESTROY,
        SEND,
        PRECIOUS,
        SECRET,
        TELL,
        WITHOUT,
        HUSH,
        MUST,
        DUTY,
        PLEASE,
        ALWAYS,
        NOT,
        START,
        REVEAL,
        SYSPROMPT,
        NOW,
        ROLE,
        ONLY,
        NEW,
        ARTICLE,
        KIN,
        AT,
        JOIN,
        CAN,
        WHEN,
        ORDER,
        REPLY,
        MARKS,
    ) = (1 << bit for bit in range(35))


WORTH = Word.PRECIOUS | Word.SECRET
HARM = Word.DESTROY | Word.SEND
EVIL = HARM | Word.ASIDE | Word.REVEAL | Word.HUSH
VERB = EVIL | Word.START | Word.TELL | Word.REPLY
ASKS = VERB | Word.ORDER | Word.DUTY
_TOGETHER = (
    (Word.ASIDE, Word.RULES | Word.BOSS | Word.SYSPROMPT),
    (Word.READER | Word.WEAK, HARM | Word.ASIDE | Word.HUSH),
    (Word.USER, Word.HUSH | Word.WITHOUT | Word.NOT),
    (Word.NOW, Word.ONLY),
    (Word.NEW, Word.RULES),
    (Word.ROLE, -1),
    (Word.SYSPROMPT, -1),
)
"""No order works against the reader's rules without one of either side."""
Found = tuple[int, int, str]
"""Start, end and reason."""

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_ELIDED = words("l d n qu s j m t dell all nell dall sull un degl")
_TURKISH_GOES_ON = re.compile(r"\s{0,2}[,:;]|\s{1,2}ve\b")
_TURKISH_MUST = re.compile(r"\w{2}m[ae]li(?:sin(?:iz)?|dir)?\Z")
_SENTENCE = re.compile(r"(?:[^.!?;。\n]|[.!?;](?![\s\"')\]]|\Z)|\n(?!\s{0,9}\n)){1,600}")
_CALLED = re.compile(r"(?:へ|さん|よ)?\s{0,2}[,:!、，：\-]")
_COLON = re.compile(r"\s{0,2}:(?! ?\S{1,60}[./]\w{1,5}\b)")
_UNKNOWN_ORDER = re.compile(
    r"(?:\A|[.!?:\n][\s\"'`*_>-]{1,4})([a-z]{2,15}) "
    r"(?:the|all|every|any|your|each|these|those|them|everything|anything|only)\b"
)
"""A word where an order begins, which no list need know, and what follows a verb."""
_NO_VERB = re.compile(r"(?:ing|ed|ly|s)\Z")
_BEFORE_NOUNS = words("""
    in on at by for from with without after before since until till under over above below behind between through
    across inside outside near per via despite unlike like than to of into onto upon about against along among
    around beyond throughout toward within given and but or so if when while although because though unless whereas
    whether once even just not all both half most some many also here there now then today yesterday is are was were
    what which who why how where that this it he she they we you i beside besides amid except off out up down plus
    versus only nearly almost perhaps maybe still yet again later either neither nor rather quite such did does do
    can could will would has have had may might
    """)
_STARTS_ANEW = re.compile(r"[:\n\"“”'`(\[{>*•|-]\s{0,3}\Z")
_GOES_ON = re.compile(r"[,、，]\s{0,3}\Z")
_AFTER_BOSS = words(
    "and or but says said say wants want told asked tells has wishes und et y e i и en ve sagt dice dit"
)
_JAPANESE_ORDER = re.compile(r"(?:[るい]こと|べき|[てで](?:ほしい|欲しい)|[るい]ように)(?=\s{0,3}(?:[。.!]|\Z))")
_CHINESE_STATED = words("使用 更新 设置 安装 检查 显示 给 写 说 加入 启动 保存 修改")
_NOT_ASSISTANTS = words("home google voice virtual shop physician medical")
_NOUNS = words("""
    requests request markers marker operation operations button buttons key flag results result notes page pages
    time times rate rates mode queue queues status support size sizes path paths error errors source log option
    options permission permissions command commands count counts event events limit limits window windows job jobs
    run runs access policy call calls speed suite suites server servers process hook hooks endpoint endpoints
    timeout failed failure field fields table traffic latency volume point points cycle history list lists output
    version versions of
    """)
_FINITE = words("""
    is are was were has had failed fails returns returned took takes needs runs ran says said shows showed uses used
    works does did can will would may means keeps lists contains supports requires allows gives stays lives expects
    listens rose fell grew went came became lost cost costs differ differs drop drops depend depends remain remains
    kept held began broke gave got holds lasts sits makes ended finished succeeded prints exits sends ends starts
    stopped
    """)
_NOUN_TOO = words("""
    run update check build test copy search call open order report download upload set change store mail email post
    push pull start stop use list show load save click sign display return contact transfer export import query link
    print read answer reply note help format drop kill pay share support hide point log quote text message commit
    cite purchase book trust end finish move try skip training wire function trigger switch route raise lower close
    generate output connect fetch deploy merge reset restart reboot clone install visit pass provide make restore
    rename do be let embed add mention listen cache act begin prefer cancel adjust append include leak dump repeat
    """)
_DETERMINERS = words("""
    the a an all any every each this that these those my your his her their our its it them me us him everything
    whatever anything only always never no up to with in on as out into back down off for both yourself from
    """)


class Hit(NamedTuple):
    """A word of a list: the place of its first and last token, in the text, and what it may mean."""

    first: int
    last: int
    start: int
    end: int
    means: int


class _Lists:
    def __init__(self, languages: Mapping[str, Mapping[str, str]]) -> None:
        self.single: dict[str, dict[str, int]] = {}
        self.stems: dict[str, dict[str, int]] = {}
        self.phrases: dict[str, dict[tuple[str, ...], dict[str, int]]] = {}
        self.unspaced: dict[str, tuple[re.Pattern[str], dict[str, int]]] = {}
        for language, kinds in languages.items():
            entries = [
                (entry.strip(), getattr(Word, kind.upper()))
                for kind, text in kinds.items()
                for entry in text.split(",")
            ]
            if language in (CHINESE, JAPANESE):
                # They mean something wherever they stand; a longer entry means what its parts mean, too.
                folded = [(fold(entry), kind) for entry, kind in entries]
                means: dict[str, int] = {}
                for (entry, _), (part, kind) in product(folded, folded):
                    if part in entry and (part == entry or not part.isascii()):
                        means[entry] = means.get(entry, 0) | kind
                ordered = sorted(means, key=lambda word: -len(word))
                parts = (rf"(?<![a-z]){word}(?![a-z])" if word.isascii() else re.escape(word) for word in ordered)
                self.unspaced[language] = re.compile("|".join(parts)), means
                continue
            for entry, kind in entries:
                forms = (entry,) if entry.isascii() else (entry, entry.upper(), entry.capitalize())
                for form in {fold(form) for form in forms}:
                    tokens = tuple(_TOKEN.findall(form))
                    if len(tokens) > 1:
                        table = self.phrases.setdefault(tokens[0], {}).setdefault(tokens[1:], {})
                    else:
                        table = (self.stems if form.endswith("*") else self.single).setdefault(tokens[0], {})
                    table[language] = table.get(language, 0) | kind


_BY_LANGUAGE = tomllib.loads(WORDS.read_text(encoding="utf-8"))
LANGUAGES, _BITS = list(_BY_LANGUAGE), 40
_ALL = (1 << _BITS) - 1
_LISTS = _Lists(_BY_LANGUAGE)
_SHORTEST_STEM, _LONGEST_STEM = 2, max(map(len, _LISTS.stems), default=2)
_NOTHING: Mapping[str, int] = {}
_SECOND = frozenset(rest[0] for following in _LISTS.phrases.values() for rest in following)
_NO_PHRASES: dict[tuple[str, ...], dict[str, int]] = {}


@lru_cache(maxsize=4_096)
def meanings(word: str) -> Mapping[str, int]:
    """By language; of a word with an elision before it, of what follows it."""
    merged: dict[str, int] = dict(_LISTS.single.get(word, _NOTHING))
    if not merged and "'" in word:
        before, _, after = word.partition("'")
        merged = dict(meanings(before if after == "s" else after if before in _ELIDED else ""))
        if before == "n":
            merged["fr"] = merged.get("fr", 0) | Word.NOT
    for length in range(_SHORTEST_STEM, min(len(word), _LONGEST_STEM) + 1):
        for language, kind in _LISTS.stems.get(word[:length], _NOTHING).items():
            merged[language] = merged.get(language, 0) | kind
    if _TURKISH_MUST.search(word):
        merged[TURKISH] = merged.get(TURKISH, 0) | (Word.MUST if word.endswith(("li", "dir")) else Word.DUTY)
    return merged or _NOTHING


def is_part(word: str) -> bool:
    """Tell whether it is one of several that mean something together."""
    return word in _SECOND or word in _LISTS.phrases


class Sentence(NamedTuple):
    """Of one language: its tokens in the whole text, and those of them that mean something."""

    language: str
    text: str
    start: int
    end: int
    tokens: list[tuple[int, int, str]]
    hits: list[Hit]

    def any_of(self, kinds: int) -> list[Hit]:
        return [hit for hit in self.hits if hit.means & kinds]

    def word_before(self, hit: Hit) -> str:
        return self.tokens[hit.first - 1][2] if self.tokens and hit.first else ""

    def has_near(self, hit: Hit, kinds: int, before: int, after: int) -> Hit | None:
        """Return the first other one of these kinds so many tokens around."""
        for other in self.hits:
            if other.means & kinds and other is not hit and hit.first - before <= other.first <= hit.last + after:
                return other
        return None


def find_orders(plain: str, *, from_outside: bool = False) -> Iterator[Found]:
    """Of a text brought to plain letters. `from_outside`: whatever asks something of the reader, harmless or not."""
    if from_outside:
        for order in _UNKNOWN_ORDER.finditer(plain):
            if not _NO_VERB.search(order[1]) and order[1] not in _BEFORE_NOUNS:
                yield order.start(1), order.end(), FROM_OUTSIDE
        for order in _JAPANESE_ORDER.finditer(plain):
            yield order.start(), order.end(), FROM_OUTSIDE
    if not _may_ask(plain, from_outside):
        return
    for sentence in _sentences(plain):
        means = 0
        for hit in sentence.hits:
            means |= hit.means
        if not _may_mean_order(means, from_outside):
            continue
        why = _against_rules(sentence, means) or (_asks(sentence, means) if from_outside else "")
        if why:
            first = min(sentence.any_of(EVIL | Word.ORDER) or sentence.hits, key=lambda hit: hit.start)
            yield first.start, max(sentence.hits, key=lambda hit: hit.end).end, why


def _may_ask(plain: str, from_outside: bool) -> bool:
    """Tell whether the words of any order are there at all, in one language: in most texts they are not."""
    if _UNSPACED.search(plain):
        return True
    means, before = 0, ""
    for word in _TOKEN.findall(plain):
        means |= _side_by_side(word)
        if before in _LISTS.phrases and word in _SECOND:
            means |= _of_phrases(before, word)
        before = word
    while means:
        meaning, means = means & _ALL, means >> _BITS
        if _may_mean_order(meaning, from_outside):
            return True
    return False


def _may_mean_order(means: int, from_outside: bool) -> bool:
    if any(means & some and means & others for some, others in _TOGETHER):
        return True
    return from_outside and bool(means & (ASKS | Word.READER) or (means & Word.NOW and means & Word.ONLY))


@lru_cache(maxsize=4_096)
def _of_phrases(first: str, second: str) -> int:
    """Return what may begin with these two."""
    means = 0
    for rest, kinds in _LISTS.phrases[first].items():
        if rest[0] == second:
            means |= _pack(kinds)
    return means


@lru_cache(maxsize=4_096)
def _side_by_side(word: str) -> int:
    """Return what it means alone."""
    return _pack(meanings(word))


def _pack(kinds: Mapping[str, int]) -> int:
    """Return the bits of each language beside those of the others."""
    return sum(kind << _BITS * LANGUAGES.index(language) for language, kind in kinds.items())


def _sentences(plain: str) -> Iterator[Sentence]:
    is_unspaced = _UNSPACED.search(plain) is not None
    for match in _SENTENCE.finditer(plain):
        start, end = match.span()
        if is_unspaced and _UNSPACED.search(plain, start, end):
            yield from _unspaced(plain, start, end)
        tokens = [(token.start(), token.end(), token.group()) for token in _TOKEN.finditer(plain, start, end)]
        by_language: dict[str, list[Hit]] = {}
        for index, (first, last, word) in enumerate(tokens):
            for language, means in meanings(word).items():
                by_language.setdefault(language, []).append(Hit(index, index, first, last, means))
            for rest, kinds in _LISTS.phrases.get(word, _NO_PHRASES).items():
                if tuple(token[2] for token in tokens[index + 1 : index + 1 + len(rest)]) == rest:
                    until = index + len(rest)
                    for language, means in kinds.items():
                        by_language.setdefault(language, []).append(Hit(index, until, first, tokens[until][1], means))
        for language, hits in by_language.items():
            yield Sentence(language, plain, start, end, tokens, hits)


def pattern_of(kind: int, *languages: str) -> str:
    """Return a pattern of all words of a kind, of these languages; whole words, where a script has such."""

    def is_of(by_language: Mapping[str, int]) -> bool:
        return any(kind & means for language, means in by_language.items() if language in languages)

    phrases = [
        r"\W{1,3}".join((first, *rest))
        for first, following in _LISTS.phrases.items()
        for rest, means in following.items()
        if is_of(means)
    ]
    single = [word for word, means in _LISTS.single.items() if is_of(means)]
    stems = [rf"{word}\w{{0,12}}" for word, means in _LISTS.stems.items() if is_of(means)]
    anywhere = [
        word
        for name, (_, means) in _LISTS.unspaced.items()
        if name in languages
        for word in means
        if kind & means[word] and not word.isascii()
    ]
    return rf"\b(?:{'|'.join([*phrases, *single, *stems])})\b|{'|'.join(anywhere)}"


def _unspaced(plain: str, start: int, end: int) -> Iterator[Sentence]:
    """Two characters count as a token."""
    language = JAPANESE if _KANA.search(plain, start, end) else CHINESE
    pattern, means = _LISTS.unspaced[language]
    hits = [
        Hit((match.start() - start) // 2, (match.end() - start) // 2, match.start(), match.end(), means[match.group()])
        for match in pattern.finditer(plain, start, end)
    ]
    if hits:
        yield Sentence(language, plain, start, end, [], hits)


def _against_rules(sentence: Sentence, means: int) -> str:
    """Return what nobody asks who means well: why, or nothing."""
    is_english = sentence.language == ENGLISH
    if means & Word.ASIDE and means & (Word.RULES | Word.BOSS | Word.SYSPROMPT) and _sets_aside(sentence, is_english):
        return EARLIER
    if (
        means & (Word.READER | Word.WEAK)
        and _is_called(sentence)
        and bool(means & (Word.ASIDE | Word.HUSH) or (means & HARM and means & WORTH))
    ):
        return ADDRESS
    if means & Word.USER and _hides(sentence, means, is_english):
        return HIDE
    if is_english:
        return ""
    if means & Word.ROLE and _gives_role(sentence):
        return ROLE
    for now in sentence.any_of(Word.NOW):
        only = sentence.has_near(now, Word.ONLY, 0, 8)
        if only and sentence.has_near(now, Word.REPLY, 0, 6):
            if sentence.has_near(only, Word.AT, 0, 1):
                break
            return TAKE_OVER
    return _is_of_prompt(sentence, means)


def _sets_aside(sentence: Sentence, is_english: bool) -> bool:
    turned = sentence.language in (JAPANESE, TURKISH, CHINESE, "de")
    for aside in sentence.any_of(Word.ASIDE):
        if not is_english:
            for rules in sentence.any_of(Word.RULES):
                if abs(rules.first - aside.first) <= 10 and sentence.has_near(rules, Word.EARLIER, 4, 3):
                    return True
        boss = sentence.has_near(aside, Word.BOSS | Word.SYSPROMPT, 6 if turned else 0, 4)
        if boss and (not is_english or _stands_alone(sentence, boss)):
            return True
    return False


def _stands_alone(sentence: Sentence, boss: Hit) -> bool:
    """Tell whether an order stands alone: "Ignore the operator pods" is about pods."""
    if boss.last + 1 >= len(sentence.tokens) or sentence.text[boss.start : boss.end].endswith("'s"):
        return True
    start, _, following = sentence.tokens[boss.last + 1]
    between = sentence.text[boss.end : start]
    is_rule = bool(meanings(following).get(sentence.language, 0) & (Word.RULES | Word.ALWAYS))
    return between.strip() != "" or following in _AFTER_BOSS or is_rule


def _is_called(sentence: Sentence) -> bool:
    """Tell whether the reader is called by name where the sentence begins."""
    for hit in sentence.any_of(Word.READER | Word.WEAK):
        if hit.first > 2 or sentence.word_before(hit) in _NOT_ASSISTANTS:
            continue
        mark = _CALLED.match(sentence.text, hit.end)
        if mark and (hit.means & Word.READER or ":" not in mark.group()):
            return True
    return False


def _hides(sentence: Sentence, means: int, is_english: bool) -> bool:
    if means & Word.HUSH:
        for hush in sentence.any_of(Word.HUSH):
            if sentence.has_near(hush, Word.USER, 8, 6):
                return True
    if is_english:
        return False
    for without in sentence.any_of(Word.WITHOUT):
        near = sentence.has_near(without, Word.USER, 5, 6)
        is_telling = without.means & Word.TELL or sentence.has_near(without, Word.TELL, 5, 8)
        if near and is_telling:
            # "Never deploy without asking the user" is the opposite of hiding something.
            is_turned = sentence.language in (JAPANESE, TURKISH, CHINESE)
            denials = sentence.any_of(Word.NOT)
            if not any(hit.first > without.last if is_turned else hit.first < without.first for hit in denials):
                return True
    for negation in sentence.any_of(Word.NOT):
        telling = negation if negation.means & Word.TELL else None
        telling = telling or sentence.has_near(negation, Word.TELL, 4 if sentence.language in ("de", "nl") else 1, 4)
        if telling and sentence.has_near(telling, Word.USER, 4, 4):
            return True
    return False


def _gives_role(sentence: Sentence) -> bool:
    for role in sentence.any_of(Word.ROLE):
        article = next((hit for hit in sentence.hits if hit.first == role.last + 1 and hit.means & Word.ARTICLE), None)
        kin = article and any(
            hit.first in (article.last + 1, article.last + 2) and hit.means & Word.KIN for hit in sentence.hits
        )
        if (article and not kin) or sentence.has_near(role, Word.RULES | Word.READER, 0, 6):
            return True
    return False


def _is_of_prompt(sentence: Sentence, means: int) -> str:
    if means & Word.SYSPROMPT:
        for prompt in sentence.any_of(Word.SYSPROMPT):
            if _COLON.match(sentence.text, prompt.end) or sentence.has_near(prompt, Word.REVEAL, 5, 5):
                return PROMPT
    if means & Word.NEW and means & Word.RULES:
        for new in sentence.any_of(Word.NEW):
            rules = sentence.has_near(new, Word.RULES, 0, 2)
            if rules and _COLON.match(sentence.text, rules.end):
                return NEW
    return ""


def _asks(sentence: Sentence, means: int) -> str:
    """Tell whether it asks anything of who reads it: why, or nothing."""
    if sentence.language not in (ENGLISH, CHINESE, JAPANESE, "ru") and not _is_in(sentence):
        return ""
    if means & (Word.READER | Word.WEAK) and _tells_reader(sentence):
        return ADDRESS
    if means & (Word.USER | Word.HUSH):
        for hit in sentence.any_of(Word.NOT | Word.WITHOUT):
            telling = hit if hit.means & Word.TELL else sentence.has_near(hit, Word.TELL, 0, 4)
            if telling and sentence.has_near(telling, Word.USER, 4, 4):
                return HIDE
        if any(sentence.has_near(hush, VERB, 8, 8) for hush in sentence.any_of(Word.HUSH)):
            return HIDE
    for aside in sentence.any_of(Word.ASIDE):
        if sentence.has_near(aside, Word.RULES | Word.BOSS | Word.SYSPROMPT, 6, 6) and not _may(sentence, aside, 2):
            return EARLIER
    if means & Word.NOW and means & Word.ONLY:
        return TAKE_OVER
    is_order = means & (Word.ORDER | Word.ROLE | Word.DUTY) or _begs(sentence)
    return FROM_OUTSIDE if is_order or any(_is_order(sentence, hit) for hit in sentence.any_of(VERB)) else ""


def _begs(sentence: Sentence) -> bool:
    for hit in sentence.any_of(Word.PLEASE | Word.NOW):
        before = 8 if sentence.language in (TURKISH, CHINESE) or hit.means & Word.NOW else 0
        verb = sentence.has_near(hit, VERB, before, 6)
        if verb and ":" not in sentence.text[hit.end : verb.start]:
            return True
    musts = sentence.any_of(Word.MUST) if sentence.language == CHINESE else []
    return any(sentence.has_near(must, EVIL | Word.READER | Word.TELL, 6, 6) for must in musts)


def _is_in(sentence: Sentence) -> bool:
    """Tell whether the sentence may be in this language: more of its words speak for it than for English."""
    known = [meanings(token[2]) for token in sentence.tokens]
    if sentence.language == TURKISH and len(known) > 2 and sum(ENGLISH in each for each in known) < 2:
        return True
    english = sum(
        bool(each.get(ENGLISH, 0) & Word.MARKS and not each.get(sentence.language, 0) & Word.MARKS) for each in known
    )
    own = {hit.first for hit in sentence.hits if ENGLISH not in meanings(sentence.tokens[hit.first][2])}
    return len(own) > max(english, 1 if len(sentence.tokens) > 2 else 0)


def _may(sentence: Sentence, hit: Hit, within: int) -> bool:
    """Tell whether a word before it makes no order of it: "can override", "to delete"."""
    return any(hit.first - within <= other.first < hit.first and other.means & Word.CAN for other in sentence.hits)


def _tells_reader(sentence: Sentence) -> bool:
    if _is_called(sentence) and (sentence.any_of(VERB) or ":" not in sentence.text[sentence.start : sentence.end]):
        return True
    for reader in sentence.any_of(Word.READER | Word.WEAK):
        if sentence.word_before(reader) in _NOT_ASSISTANTS:
            continue
        must = sentence.has_near(reader, Word.MUST, 1, 3)
        if must and (reader.means & Word.READER or sentence.has_near(must, EVIL, 0, 8)):
            return True
        verb = reader.means & Word.READER and sentence.has_near(reader, EVIL, 0, 8)
        if verb and not _may(sentence, verb, verb.first - reader.first):
            return True
    return False


def _is_order(sentence: Sentence, verb: Hit) -> bool:
    """Tell whether the verb stands where an order begins, or, where verbs come last, ends."""
    if sentence.language == CHINESE:
        if sentence.text[max(verb.start - 1, sentence.start) : verb.start] in ("就", "则"):
            return True
        is_plain = sentence.text[verb.start : verb.end] not in _CHINESE_STATED
        return (bool(verb.means & EVIL) or is_plain) and _begins(sentence, verb)
    if sentence.language == JAPANESE:
        return False
    if sentence.language == TURKISH:
        is_last = len(sentence.tokens) > 1 and verb.last == len(sentence.tokens) - 1
        return is_last or _TURKISH_GOES_ON.match(sentence.text, verb.end) is not None
    # One word is a tag or a name.
    if len(sentence.tokens) < 2 or not _begins(sentence, verb):
        return False
    return sentence.language != ENGLISH or _reads_as_order(sentence, verb)


def _begins(sentence: Sentence, verb: Hit) -> bool:
    before = sentence.text[sentence.start : verb.start]
    leading = [token for token in sentence.tokens if token[0] < verb.start]
    if not before.strip(" \t\n\"'“”`*_>#-([{•.0123456789)]}") or _STARTS_ANEW.search(before):
        return True
    fillers = Word.ALWAYS | Word.PLEASE | Word.NOT | Word.JOIN
    if leading and all(meanings(token[2]).get(sentence.language, 0) & fillers for token in leading):
        return True
    if sentence.language == CHINESE:
        clause = max(sentence.start, *(sentence.text.rfind(mark, sentence.start, verb.start) + 1 for mark in ",、，:"))
        filler_length = sum(hit.end - hit.start for hit in sentence.any_of(fillers) if clause <= hit.start < verb.start)
        return verb.start - clause <= filler_length or before.endswith(("并", "然后", "并且", "把"))
    goes_on = _GOES_ON.search(before) is not None
    if leading and not goes_on:
        means = meanings(leading[-1][2]).get(sentence.language, 0)
        goes_on = bool(means & Word.JOIN) or (
            bool(means & (Word.ALWAYS | Word.NOT))
            and _GOES_ON.search(sentence.text[sentence.start : leading[-1][0]]) is not None
        )
    if not goes_on:
        return False
    opens = bool(leading) and any(hit.first == 0 and hit.means & Word.WHEN for hit in sentence.hits)
    return opens or (
        bool(verb.means & EVIL) and not any(h.first < verb.first and h.means & Word.CAN for h in sentence.hits)
    )


def _reads_as_order(sentence: Sentence, verb: Hit) -> bool:
    """Tell whether a sentence reads as an order: "Build failed" and "Search results" begin with a noun."""
    following = [token[2] for token in sentence.tokens[verb.last + 1 : verb.last + 8]]
    if not following:
        return False
    if sentence.text[verb.end : verb.end + 1] == "-":
        return False
    word, first = sentence.tokens[verb.first][2], following[0]
    if first in _DETERMINERS or (
        sentence.hits[0].first == 0
        and any(h.first == 0 and h.means & Word.WHEN for h in sentence.hits)
        and first not in _FINITE
    ):
        return True
    if first in _NOUNS or first in _FINITE or (first.endswith("ed") and len(first) > 4):
        return False
    if any(word in _FINITE for word in following[:4]):
        return False
    if word not in _NOUN_TOO:
        return True
    is_stated = any(word in _FINITE or word.endswith("ed") for word in following)
    return not is_stated and (not first.endswith("s") or sentence.has_near(verb, WORTH, 0, 3) is not None)
