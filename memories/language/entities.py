"""What a text names: people, products, hosts, files, identifiers. The graph has a node for each."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from memories.language.dates.speech import DAYS
from memories.language.dates.speech import MONTHS as FOREIGN
from memories.language.dates.words import MONTHS, TIME_WORDS, WEEKDAY_PLURALS, WEEKDAYS
from memories.language.wordlists import words

FUNCTION_WORDS = words("""
    a about above across actually after again against ago all almost along already also although always am among an and
    another any anybody anyone anything anyway apparently are around as aside at away back basically be because been
    before behind being below beside besides between beyond both but by can cannot certainly could currently definitely
    despite did do does doing done down due during each either else enough especially even ever every everybody
    everyone everything except exactly few fewer finally first for former fortunately from further generally had
    half has have having he hence her here hers herself him himself his honestly how however i if in indeed inside
    instead into is it its itself just last lately later latter least less lets like likely little lot lots luckily
    many may maybe me meanwhile might mine more moreover most mostly much must my myself near nearly neither never
    nevertheless next no nobody none nor normally not nothing now nowadays nowhere obviously of off often ok okay on
    once one only onto or other others otherwise ought our ours out outside over overall own per perhaps please
    possibly probably quite rather really recently regarding same second several shall she should similarly simply
    since so some somebody someone something sometimes somewhere soon still such surely than thanks that the their
    theirs them then there thereby therefore these they third this those though through throughout thus till to
    today together tomorrow tonight too toward towards typically under unfortunately unless until unlike up upon us
    usually various very via was we well were what whatever when whenever where whereas wherever whether which
    whichever while who whoever whom whose why will with within without would yesterday yet you your yours yourself
    """)
"""They are never names, wherever they stand and however they are written."""

COMMON_STARTS = words("""
    absolutely accept according add allow answer apologies apply ask avoid awesome based bring build bye call cannot
    careful change check choose clean click close code come compare configure congrats congratulations consider
    continue cool copy correct could create data date dear debug define delete deploy describe details disable
    disclaimer discuss do don download drop edit email enable ensure error errors example excellent execute expected
    explain export fact failed false fantastic feel file files find fix follow following format found game get getting
    give glad go going good goodbye got great great guess guys happy hello help hey hi hmm hold home hope hopefully
    host how hurray idea ideas import important in info install interesting issue issues job join keep kind know
    known later lead learn leave left let like line link list listen live load log logs look looking looks love luck
    make meet meeting message mistake mom mum dad morning move name need new nice nope note notes notice number open
    option options order output password people perfect person pick place plan plans play point port print prior
    problem problems project pull push put question questions quick read ready reason recommend reminder remember
    remove rename repeat replace report request reset restart result results return review right run running sad save
    say search see seems select send server set setting settings setup share should show shows sign similar simple
    sleep solution sorry sounds source start status step steps stop store stuff subject sudden suggest sum summary
    super sure switch system take talk task tell test tests thank thing things think time times tip tips title todo
    told tool total transfer true try trying turn type understood update updated upgrade use used user users using
    value verify version visit wait waiting want warning watch way week welcome wow whoa wonderful wonder work
    working works write wrong yeah year yep yes yup oh ah aha um uh ugh haha lol btw fyi imo ps nb eg ie
    monthly weekly daily hourly life nature music family love friends friend books dance art game games home yoga food
    animals weddings confidence challenges progress balance freedom tons bet health money business stress school
    sports memories nothing happiness patience practice creativity motivation reading writing cooking hiking painting
    communication support support's teamwork research therapy traffic weather summers winters dogs cats kids parents
    doctors companies customers clients servers backups logs passwords tests deploys deployments errors
    """)
"""Words that begin sentences with a capital that means nothing."""

SHOUTED = words("""
    and but not never no yes all any only must should always ever now please stop wow ok do don't can't won't very
    really too so warning error note important todo fixme xxx caution danger critical info debug am pm the a is are
    """)
"""Words people write in capitals for weight."""

NO_NAMES = FUNCTION_WORDS | MONTHS.keys() | WEEKDAYS.keys() | WEEKDAY_PLURALS | words("o'clock i'm i've i'll i'd")
SENTENCE_STARTS = FUNCTION_WORDS | COMMON_STARTS | TIME_WORDS

TITLES = words("dr mr mrs ms miss prof professor sir st mx madam captain president judge")
CONNECTORS = words("of de da di del della van von la le bin ibn al")
"""They join two capitals into one name: "Bank of America", "Ludwig van Beethoven"."""
SECOND_CONNECTORS = words("the la las los der den")
"""They may follow one: "Lord of the Rings", "Ludwig von der Tann"."""

NAME_VERBS = words("""
    is was are were has had does did can could will would should said says tells told asked asks wants wanted likes
    liked loves loved hates lives lived works worked runs ran uses used moved prefers preferred needs needed knows knew
    thinks thought thinks went goes came comes called calls plays played keeps kept gave gives got gets bought left
    became started stopped listens crashed failed takes took sits supports stores handles lacks won lost met joined
    """)
"""Behind a capital at the start of a sentence they make a name of it: "Anna likes", "Redis listens"."""

NOT_COUNTED = words("times days weeks months years hours minutes seconds percent people and or to euros dollars")
"""Behind "Anna 3" they tell that the number is an amount."""

GERMAN_ARTICLES = words("""
    der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner im am vom zum zur beim ins
    ans mein meine meinen meinem meiner dein deine deinen deinem deiner sein seine seinen seinem seiner ihr ihre ihren
    ihrem ihrer unser unsere unseren unserem unserer euer eure dieser diese dieses diesen diesem jeder jede jedes jeden
    jedem alle welcher welche welches welchen
    """)
"""What stands behind one of these is a thing, written with a capital like all nouns."""
GERMAN_WORDS = GERMAN_ARTICLES | words("""
    ich wir er sie du und oder aber nicht auch nur noch wenn dass weil ist sind hat haben wird werden muss kann mit für
    auf bei nach aus über durch ohne gegen seit bitte herr frau
    """)
GERMAN_STARTS = GERMAN_WORDS - words("am im in hat alle herr frau") - FUNCTION_WORDS
GERMAN_SIGNS = GERMAN_STARTS - words("der den die des mit er es sein")
"""No words of English, nor of names in it ("von der Leyen")."""

GERMAN_DAYS = words(f"uhr {' '.join(DAYS['de'] + FOREIGN['de'])}")

FILE_ENDINGS = words("""
    py pyi ipynb js mjs cjs jsx ts tsx vue svelte html htm css scss less json jsonl yaml yml toml ini cfg conf config
    env
    xml csv tsv txt md rst adoc tex pdf doc docx xls xlsx ppt pptx odt png jpg jpeg gif svg webp ico mp3 mp4 wav mkv
    mov flac zip tar gz tgz bz2 xz zst 7z rar deb rpm apk iso img exe dll so dylib jar war class java kt scala go rs
    c h cc cpp hpp cs fs rb php pl pm lua r jl swift dart ex exs erl hs clj sql sqlite sqlite3 db bak log lock sh bash
    zsh fish ps1 bat service timer socket mount crt pem key pub csr cer p12 onnx safetensors pt bin gguf dockerfile
    proto graphql tf tfvars hcl nix patch diff swp tmp pid map wasm parquet feather npy npz pkl
    """)
TOP_DOMAINS = words("""
    com org net edu gov mil int io dev app ai co me tv info biz name xyz site online cloud tech blog shop store page
    de uk fr it es nl be ch at pl cz se no fi dk ie pt gr ru ua jp cn kr in au nz br mx ca us eu za il tr sg hk
    local lan internal intranet home corp localdomain arpa test example invalid onion svc consul
    """)
WORDLIKE_DOMAINS = words("it is at be in me us no so to am")
"""Two labels with one of these are rather a sentence without a space."""
HOST_WORDS = frozenset({"localhost"})


MAX_NAME_WORDS = 5
_MAX_WORD_CHARS = 64
_LONGEST_ACRONYM = 6
_WORD = re.compile(r"[^\W_](?:[\w'’&+#-]*[\w+#])?")
_SENTENCE_END = re.compile(r"[.!?:;\n\"“”„«»•*]")
_PRODUCT_NUMBER = re.compile(r" v?(\d{1,4}(?:\.\d{1,4}){0,3})(?![\w%:/-]|[.,]\d)(?: ([^\W\d_]+))?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_CONTRACTION = re.compile(r".+['’](?:t|ll|re|ve|d|m|mon)", re.IGNORECASE)
_ADJECTIVE = ("e", "en", "er", "es", "em")
_NEVER_FIRST = ("ing", "ed", "ly")
_POSSESSIVES = ("'s", "’s")


@dataclass(frozen=True, slots=True)
class Word:
    """`text` is without a possessive; `is_first` tells the start of a sentence.

    `is_joined` tells that only a space lies before it, or the full stop of a title.
    """

    text: str
    start: int
    end: int
    is_possessive: bool
    is_first: bool
    is_joined: bool

    @property
    def low(self) -> str:
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Entity:
    """`name` as the text spells it, or the app if it is one of its subjects.

    `kind` is one of name, product, identifier, env, flag, path, file, host, ip, port, url, email, version, tag, handle,
    quoted, subject.
    """

    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class Mention:
    entity: Entity
    start: int
    end: int


def find_names(text: str, is_taken: Callable[[int], bool]) -> Iterator[Mention]:
    """Yield the names in a text in order; words at places that are taken are left out. Linear in its length."""
    words = [word for word in cut_words(text) if not is_taken(word.start)]
    letters = [word for word in words if len(word.text) > 1 and word.text.isalpha()]
    if len(letters) > 3 and sum(word.text.isupper() for word in letters) > 0.6 * len(letters):
        return
    signs = sum(word.low in (GERMAN_STARTS if word.is_first else GERMAN_SIGNS) for word in words)
    if signs > sum(word.low in FUNCTION_WORDS for word in words):
        words = list(_with_small_nouns(words))
    inside = {word.text for word in words if not word.is_first and _is_candidate(word)}
    index = 0
    while index < len(words):
        size = _run(words, index)
        if size:
            yield from _names_of(text, words, index, size, inside)
        index += max(size, 1)


def cut_words(text: str) -> Iterator[Word]:
    """Yield the words of a text in order."""
    end, previous = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        after_title = previous.lower() in TITLES and gap.startswith(".")
        word = match.group()
        base = word[:-2] if word.endswith(_POSSESSIVES) else word
        yield Word(
            text=base,
            start=match.start(),
            end=match.start() + len(base),
            is_possessive=len(base) < len(match.group()),
            is_first=not previous or (bool(_SENTENCE_END.search(gap)) and not after_title),
            is_joined=gap == " " or (after_title and gap == ". "),
        )
        end, previous = match.end(), match.group()


def _with_small_nouns(words: Sequence[Word]) -> Iterator[Word]:
    """Return German text with most nouns written small, as English would.

    Those are days and months, and the noun of an article, also with adjectives between them ("der neue Server");
    not a name behind it ("meine Frau Anna").
    """
    is_of_article = False
    for word in words:
        is_article = word.low in GERMAN_ARTICLES
        is_noun = is_of_article and word.is_joined and word.text.istitle() and word.text.isalpha()
        is_small = is_noun or word.low in GERMAN_WORDS or word.low in GERMAN_DAYS
        yield replace(word, text=word.low) if is_small else word
        is_adjective = word.text.islower() and word.text.endswith(_ADJECTIVE) and word.text not in GERMAN_WORDS
        is_of_article = is_article or (is_of_article and word.is_joined and is_adjective)


def _is_candidate(word: Word) -> bool:
    text = word.text
    if len(text) > _MAX_WORD_CHARS or word.low in NO_NAMES or _CONTRACTION.fullmatch(text):
        return False
    if not text[0].isupper():
        return len(text) > 2 and text[0].islower() and text[1].isupper() and not text.isupper()
    if len(text) == 1:
        return False
    return not text.isupper() or (word.low not in SHOUTED and len(text) <= _LONGEST_ACRONYM)


def _run(words: Sequence[Word], index: int) -> int:
    """Return how many words from here make one name, connectors included."""
    if not _is_candidate(words[index]):
        return 0
    size = 1
    while size < MAX_NAME_WORDS and not words[index + size - 1].is_possessive:
        joint = _joint(words, index + size, is_acronym=size == 1 and words[index].text.isupper())
        if joint is None or size + joint >= MAX_NAME_WORDS + 1:
            break
        size += joint + 1
    return size


def _joint(words: Sequence[Word], index: int, is_acronym: bool) -> int | None:
    """Return how many connectors stand here before the next word of the name; None if the name ends."""
    for connectors in range(3):
        if index + connectors >= len(words) or not words[index + connectors].is_joined:
            return None
        word = words[index + connectors]
        if _is_candidate(word) and not (connectors and is_acronym):
            return connectors
        if word.text not in (CONNECTORS if connectors == 0 else SECOND_CONNECTORS):
            return None
    return None


def _names_of(text: str, words: Sequence[Word], index: int, size: int, inside: set[str]) -> Iterator[Mention]:
    """Yield the name of a run, less a first word that only begins the sentence; without it, too, where that is open."""
    last = index + size - 1
    first = index
    while words[first].is_first and first < last:
        word = words[first]
        if word.low not in SENTENCE_STARTS and not (word.text.istitle() and word.low.endswith(_NEVER_FIRST)):
            break
        first += 1
    if first == last and words[first].low in TITLES:
        return
    if first == last and words[first].is_first and not _is_proved(text, words, first, inside):
        return
    # A name, and before it the product it is with a number behind it.
    start, end = words[first].start, words[last].end
    match = None if words[last].is_possessive else _PRODUCT_NUMBER.match(text, end)
    if match and not _YEAR.fullmatch(match[1]) and (match[2] or "").lower() not in NOT_COUNTED:
        yield Mention(Entity(text[start : match.end(1)], "product"), start, match.end(1))
    yield Mention(Entity(text[start:end], "name"), start, end)
    is_open = words[first].is_first and first < last and words[first].low not in TITLES
    if is_open and words[first + 1].text[0].isupper() and words[first].text not in inside:
        second = words[first + 1].start
        yield Mention(Entity(text[second:end], "name"), second, end)


def _is_proved(text: str, words: Sequence[Word], index: int, inside: set[str]) -> bool:
    """Tell whether a lone word at the start of a sentence is a name."""
    word = words[index]
    if word.low in SENTENCE_STARTS:
        return False
    if "-" in word.text and word.text.partition("-")[2].islower():
        return False
    if word.is_possessive or word.text in inside or not word.text.istitle() or not word.text.isalpha():
        return True
    if word.low.endswith(_NEVER_FIRST):
        return False
    following = words[index + 1] if index + 1 < len(words) else None
    if following and following.is_joined:
        is_list = following.text in {"and", "or"} and index + 2 < len(words) and _is_candidate(words[index + 2])
        return is_list or following.low in NAME_VERBS
    # A sentence of one word: "Redis?"
    is_alone = following is None or following.is_first
    return is_alone and (text[word.end : word.end + 1] == "?" or text.strip() == word.text)


MAX_CHARS = 256
"""What is longer is data, not a name."""
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,14}://\S+", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/?#@]*(?:@[^/?#@]*)*@")
_URL_HOST = re.compile(r"[^:]+://(\[[0-9a-f:.]+\]|[^/:?#]+)(?::(\d{1,5})(?!\d))?", re.IGNORECASE)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"@[^\W\d][\w-]*(?:/[\w.-]+)?")
_TAG = re.compile(r"#(?=\w*[^\W\d])[\w-]+")
_HOST_AND_PORT = re.compile(r"(.+):(\d{1,5})")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?", re.IGNORECASE)
_VERSION = re.compile(
    r"(?!\d{1,2}\.\d{1,2}\.(?:19|20)\d\d\Z)"  # a date
    r"(?:v\d+(?:\.\d+){0,3}|\d+(?:\.\d+){2,3})(?:[-.]?(?:rc|beta|alpha|a|b|dev|post)[.-]?\d*)?",
    re.IGNORECASE,
)
_FLAG = re.compile(r"--[a-z][\w-]*|-[a-zA-Z]", re.ASCII)
_ENV = re.compile(r"\$[A-Za-z_]\w*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ABSOLUTE_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@+~%-]+(?:/[\w.@+~%-]*)*|[A-Za-z]:\\\S+")
_RELATIVE_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+/?")
_FILE = re.compile(r"\.?[\w@+-][\w.@+-]*\.([A-Za-z0-9]{1,11})")
_HIDDEN_FILE = re.compile(r"\.[a-z][\w-]+", re.ASCII)
_SNAKE = re.compile(r"_{0,2}[^\W_]+(?:_+[^\W_]+)+_{0,2}")
_CAMEL = re.compile(r"[a-z][a-z0-9]+(?:[A-Z][a-z0-9]*)+")
_KEBAB = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)+")
_NUMBERED_KEBAB = re.compile(rf"(?=.*\d)(?!(?i:mid|pre|post|early|late|top|non|re|ex|all)-){_KEBAB.pattern}")
""" "web-01", "gpt-4"; not "well-known", not "mid-2023"."""
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")

Form = tuple[str, str]
"""A name and its kind."""


def read_form(word: str) -> Iterator[Form]:
    """Yield the entities that one word is, the whole first; none for an ordinary word. Linear in its length."""
    if not 2 <= len(word) <= MAX_CHARS or (word.isalpha() and word.isascii() and word[1:].islower()):
        return
    if _URL.fullmatch(word):
        # The address without user and password, its host and its port.
        plain = _USERINFO.sub("", word)
        yield plain, "url"
        host = _URL_HOST.match(plain)
        if host:
            name = host[1].strip("[]")
            yield name, "ip" if _is_ip(name) else "host"
            if host[2]:
                yield f"port {host[2]}", "port"
        return
    for kind, is_kind in _KINDS:
        if is_kind(word):
            yield word, kind
            return
    ported = _HOST_AND_PORT.fullmatch(word)
    if ported and (_is_ip(ported[1]) or _is_host(ported[1]) or _KEBAB.fullmatch(ported[1])):
        yield ported[1], "ip" if _is_ip(ported[1]) else "host"
        yield f"port {ported[2]}", "port"


def _is_ip(word: str) -> bool:
    """Return an IPv4 or IPv6 address or network."""
    if not word[:1].isalnum() and word[:1] != ":":
        return False
    try:
        address = ipaddress.ip_interface(word)
    except ValueError:
        return False
    return "." in word or (":" in word and any(address.ip.packed))


def _is_host(word: str) -> bool:
    labels = word.rstrip(".").split(".")
    if word in HOST_WORDS:
        return True
    if len(labels) < (3 if labels[-1] in WORDLIKE_DOMAINS else 2) or labels[-1] not in TOP_DOMAINS:
        return False
    return all(_LABEL.fullmatch(label) for label in labels)


def _is_path(word: str) -> bool:
    """Return an absolute path, or a relative one with two slashes or a file at its end: "and/or" is none."""
    if _ABSOLUTE_PATH.fullmatch(word):
        return any(char.isalnum() for char in word)
    if not _RELATIVE_PATH.fullmatch(word) or not any(char.isalpha() for char in word):
        return False
    return word.rstrip("/").count("/") > 1 or word.endswith("/") or _is_file(word.rpartition("/")[2])


def _is_file(word: str) -> bool:
    match = _FILE.fullmatch(word)
    is_known = match is not None and match[1].lower() in FILE_ENDINGS
    return (is_known and not _is_framework(word)) or _HIDDEN_FILE.fullmatch(word) is not None


def _is_framework(word: str) -> bool:
    """Tell whether a word names a framework: "Node.js", "Next.js"."""
    return word.endswith(".js") and word[0].isupper()


def _is_dotted(word: str) -> bool:
    """Tell whether a word is a dotted path: "memories.retrieve.query"; two words may be sentences without a space."""
    is_form = _DOTTED.fullmatch(word) is not None and (word.count(".") > 1 or "_" in word)
    return is_form and any(len(label) > 1 for label in word.split("."))


_KINDS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("email", _EMAIL.fullmatch),
    ("handle", _HANDLE.fullmatch),
    ("tag", _TAG.fullmatch),
    ("ip", _is_ip),
    ("version", _VERSION.fullmatch),
    ("host", _is_host),
    ("flag", _FLAG.fullmatch),
    ("env", _ENV.fullmatch),
    ("path", _is_path),
    ("file", _is_file),
    ("name", _is_framework),
    ("identifier", _SNAKE.fullmatch),
    ("identifier", _is_dotted),
    ("identifier", _CAMEL.fullmatch),
    ("identifier", _NUMBERED_KEBAB.fullmatch),
)


MAX_ENTITIES = 64
MAX_KEY_CHARS = 200
MAX_SUBJECT_WORDS = 8
MAX_QUOTED_WORDS = 6
MOST_WORDS_READ = 100
_CHUNK = re.compile(r"[^\s,;()\[\]{}<>\"“”„|`]+")
_EDGES = ".:!?'‘’*…"
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|`([^`\n]{2,80})`|(?<!\w)['‘]([^'‘’\n]{2,80})['’](?!\w)")
_NUMBERED = re.compile(
    r"(?<!\w)(?:(port)s? (\d{1,5})|(?:version|release) (\d+(?:\.\d+){0,3}))(?![\w.]*\w)", re.IGNORECASE
)
_APOSTROPHES = str.maketrans("’‘`´", "''''")
_KEY_EDGES = re.compile(r"^[\W_]+|(?:'s|[^\w+#]|_)+$")
_SPELLED_WHOLE = re.compile(r"[/.@:\\]")
_HYPHENS = re.compile(r"[_-]+")
_KEY_VERSION = re.compile(r"v(\d+(?:\.\d+)+.*)")
_PIECES = re.compile(r"[^/:=.]+")


def find_entities(text: str, subjects: Collection[str] = ()) -> list[Entity]:
    """Return the entities of a text in the order of their first mention, one per key, at most MAX_ENTITIES.

    Linear in the length of the text. The app's `subjects` are found as whole words in any spelling of their key.
    """
    return [mention.entity for mention in find_mentions(unicodedata.normalize("NFC", text), subjects)]


def find_mentions(text: str, subjects: Collection[str] = ()) -> list[Mention]:
    """As `find_entities`, with the place of each first mention."""
    known = {key: subject for subject in subjects if (key := entity_key(subject))}
    forms = list(_find_forms(text))
    in_subject = list(_find_subjects(text, known))
    is_taken, is_in_subject = _covered_by(forms), _covered_by(in_subject)
    mentions = [*forms, *in_subject]
    for match in _NUMBERED.finditer(text):
        # "Port 8080", "version 3.11".
        entity = Entity(f"port {match[2]}", "port") if match[1] else Entity(match[3], "version")
        mentions.append(Mention(entity, match.start(), match.end()))
    for match in _QUOTED.finditer(text):
        # Longer ones are speech.
        term = next(filter(None, match.groups())).strip()
        if term and len(term.split()) <= MAX_QUOTED_WORDS:
            mentions.append(Mention(Entity(term, "quoted"), match.start() + 1, match.end() - 1))
    names = find_names(text, is_taken)
    mentions += [name for name in names if not (is_in_subject(name.start) and is_in_subject(name.end - 1))]
    first: dict[str, Mention] = {}
    for mention in sorted(mentions, key=lambda mention: (mention.start, -mention.end)):
        key = entity_key(mention.entity.name)
        if key and key not in first:
            entity = Entity(known[key], "subject") if key in known else mention.entity
            first[key] = Mention(entity, mention.start, mention.end)
            if len(first) == MAX_ENTITIES:
                break
    return list(first.values())


def entity_key(name: str) -> str:
    """Return what all spellings of a name share: "Postgres's" → "postgres", "node_a" → "node a", "v1.2" → "1.2".

    Inside of addresses, paths and versions, punctuation tells one from another and is kept. "" for punctuation alone.
    """
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name[:MAX_KEY_CHARS]).casefold())
    words: list[str] = []
    for chunk in plain.translate(_APOSTROPHES).split():
        trimmed = _KEY_EDGES.sub("", chunk)
        for word in [trimmed] if _SPELLED_WHOLE.search(trimmed) else _HYPHENS.sub(" ", trimmed).split():
            if bare := _KEY_EDGES.sub("", word):
                version = _KEY_VERSION.fullmatch(bare)
                words.append(version[1] if version else bare)
    return " ".join(words)


def phrase_keys(text: str, longest: int = MAX_SUBJECT_WORDS) -> list[str]:
    """Return the keys of all runs of at most `longest` words, and eight: what the text may call an entity."""
    if not longest:
        return []
    words = [word for word, _, _ in islice(_subject_words(text), MOST_WORDS_READ)]
    most = min(longest, MAX_SUBJECT_WORDS)
    runs = (words[index : index + size] for size in range(1, most + 1) for index in range(len(words) - size + 1))
    return list(dict.fromkeys(" ".join(run) for run in runs))


def _find_forms(text: str) -> Iterator[Mention]:
    for chunk in _CHUNK.finditer(text):
        trimmed = chunk.group().lstrip("'‘*:!?").rstrip(_EDGES)
        if not trimmed:
            continue
        start = chunk.start() + chunk.group().find(trimmed)
        # "PORT=8080" is two words.
        for piece in [trimmed] if "://" in trimmed else trimmed.split("="):
            bare = piece[:-2] if piece.endswith(_POSSESSIVES) else piece
            for name, kind in read_form(bare):
                yield Mention(Entity(name, kind), start, start + len(bare))
            start += len(piece) + 1


def _covered_by(mentions: list[Mention]) -> Callable[[int], bool]:
    """Tell whether a place lies inside one of these mentions, which come in order."""
    starts = [mention.start for mention in mentions]

    def is_covered(place: int) -> bool:
        index = bisect_right(starts, place) - 1
        return index >= 0 and place < mentions[index].end

    return is_covered


def _find_subjects(text: str, known: dict[str, str]) -> Iterator[Mention]:
    """Known subjects as runs of whole words, the longest at each place first."""
    if not known:
        return
    most = min(MAX_SUBJECT_WORDS, max(key.count(" ") + 1 for key in known))
    words = list(_subject_words(text))
    for index, (_, start, _) in enumerate(words):
        run = words[index : index + most]
        for size in range(len(run), 0, -1):
            key = " ".join(word for word, _, _ in run[:size])
            if key in known:
                yield Mention(Entity(known[key], "subject"), start, run[size - 1][2])
                break


def _subject_words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield each word's key with its place; of "redis/postgres" and "nas:22" the pieces as well."""
    for chunk in _CHUNK.finditer(text):
        yield from ((word, chunk.start(), chunk.end()) for word in entity_key(chunk.group()).split())
        if _SPELLED_WHOLE.search(chunk.group().strip(_EDGES)):
            for piece in _PIECES.finditer(chunk.group()):
                start = chunk.start() + piece.start()
                yield from ((word, start, start + len(piece.group())) for word in entity_key(piece.group()).split())
