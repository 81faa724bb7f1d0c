"""What secrets are called, and whether what stands behind such a name is one."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "words.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_LOOKS_BEHIND = re.compile(r"^(?:\(\?<[=!][^()]*\))+")
_GROUP = re.compile(r"\(\?:((?:[^()]|\([^()]*\))*)\)")
_LETTERS = re.compile(r"(?:[^\W_](?![?*{]))*")


@cache
def any_of(name: str) -> str:
    """Return a pattern of all the entries of a list."""
    return "|".join(entry for part, _, entries in _ROWS if part == name for entry in entries.split(", "))


def starts(name: str) -> Iterator[str]:
    """Return the letters that begin what the entries of a list match: of a group that comes first, of each branch."""
    for part, _, entries in _ROWS:
        for entry in entries.split(", ") if part == name else ():
            bare = _LOOKS_BEHIND.sub("", entry)
            group = _GROUP.match(bare)
            rest = bare[group.end() + 1 :] if group and bare[group.end() : group.end() + 1] in ("?", "*") else ""
            branches = [*group[1].split("|"), *filter(None, [rest])] if group else [bare]
            yield from (_LETTERS.match(branch)[0] for branch in branches)  # type: ignore[index]


Threes = NDArray[np.uint16]
"""Hashes of each three bytes of a text in a row."""
_BY_FREQUENCY = b"zqjxkvbwypgfmculdrhsnioate "


class Lookup:
    """Which of many entries are in a text: one is looked for only where three of its bytes come in a row."""

    def __init__(self, entries: Iterable[str]) -> None:
        self._short: list[str] = []
        self._by_hash: dict[int, list[str]] = {}
        for entry in dict.fromkeys(entries):
            data, hashes = entry.encode(), threes_of(entry)
            if hashes.size:
                rarest = min(range(len(hashes)), key=lambda i: sum(map(_BY_FREQUENCY.find, data[i : i + 3])))
                self._by_hash.setdefault(int(hashes[rarest]), []).append(entry)
            else:
                self._short.append(entry)
        self._is_known = np.zeros(1 << 16, dtype=bool)
        self._is_known[list(self._by_hash)] = True

    def entries_in(self, text: str, threes: Threes) -> list[str]:
        """`threes` are of the text, or of one that differs by spaces for words."""
        met = set(threes[self._is_known[threes]].tolist())
        near = (entry for one in met for entry in self._by_hash[one])
        return [entry for entry in (*self._short, *near) if entry in text]


def threes_of(text: str) -> Threes:
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8).astype(np.uint32)
    threes = data[:-2] << 16 | data[1:-1] << 8 | data[2:]
    hashes: Threes = (threes * np.uint32(2_654_435_761) >> np.uint32(16)).astype(np.uint16)
    return hashes


@cache
def words(name: str, language: str = "") -> frozenset[str]:
    return frozenset(
        word for part, spoken, entries in _ROWS if part == name and language in ("", spoken) for word in entries.split()
    )


NO_VALUES = words("no_values")
"""They say something of a password, or stand in code where one would."""
NO_VALUES_OF_CODE = words("no_values", "en")
GRAMMAR = words("grammar")
"""In quotes they make a label or an explanation of what could be a passphrase."""
WELL_KNOWN_PASSWORDS = words("well_known")
"""Weak, and in use all the same."""
UNITS_OF_RULES = words("units")
"""Behind a number they make it a rule for passwords."""
GOES_ON = words("goes_on")
"""Words that may follow a secret in its sentence; before any other word, a plain word is prose."""
PHRASE_STARTS = words("phrase_starts")
"""Words of NO_VALUES that may begin a passphrase."""
TAIL_WORDS = words("tail_words")
"""Behind the name of a secret they name something else: "password reset", "token type"."""

TECHNICAL = (
    r"(?:sha|md|aes|rsa|dsa|ecdsa|argon|pbkdf|bcrypt|scrypt|hs|rs|es|oauth|base|utf|iso|ascii|ipv|http|tls|ssl|ntlm|"
    r"erc|gpt|llama|qwen|totp|fido|webauthn|wpa|web|latin|log|win|int|uint|float|python|node|postgres|redis|mysql|"
    r"keycloak|openssl|windows|ios|android|office|django|java|php|debian|ubuntu)"
    r"[-_]?\d{1,4}(?:[._-][\w.-]{0,12})?[a-z]{0,3}|scram-sha-\d{1,3}(?:-plus)?|utf8mb4|(?:ed|curve|x)25519|secp\d\w*|v\d+(?:\.\d+)*|"
    r"[a-z]\d{1,3}[a-z]?|\d{1,4}[a-z]{1,2}|#[0-9a-f]{3,8}"
)
"""Names of algorithms, encodings, versions and colours, which look like passwords."""


MIN_RANDOM_CHARS = 6
MIN_LONG_CHARS = 16
_STAND_IN = re.compile(
    r"""<[^<>]*>?.*|\$\{.*|\$[a-z_]\w*|\$\(.*|`.*|\{(?![0-9a-f-]{16,}\})[^{}]*\}?|\{\{.*|%[\w()]*%?[sd]?|\[[^\[\]]*\].*|:.*|"""
    r"""\?|\?[^}]*\}.*|[（【〔［].*|[\[(][^\W\d_]+|[-?]?change[-_ ]?(?:me|this)(?:please|now)?[!?]*\d?[)}\]]*|"""
    r"""!(?:secret|vault|ref|env|sub|getatt|var|include)\b.*|(?:op|vault|env|file|ref|ssm|enc|secret|keychain)[:+\[].*|"""
    rf"""arn:aws.*|(?:{any_of("placeholder_start")})[-_ ](?:[^\W\d_]+[-_ ]?){{1,5}}\d?|"""
    rf"""(?:[^\W\d_]+[-_]){{1,7}}(?:{any_of("placeholder_end")})|"""
    rf"""[^!-~]*(?:{any_of("placeholder_cjk")})[^!-~]*|"""
    r"""[\w-]*?x{8,}|[x*•.·…_-]{3,}|[x*]{4,}[^!-~].*|\^\(?[?\[\\].*|[)\]].*|\W+""",
    re.DOTALL,
)
_PATH = re.compile(r"(?:~|\.{1,2})/[\w./-]+|/[\w.-]+(?:/[\w.-]+)+/?|[a-z]:\\.*|[\w-]+(?:/[\w.-]+){2,}")
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://")
_CODE = re.compile(
    r"[&*]?[a-z_$]+(?:(?:\.|::|->|\?\.)[a-z_$]\w*)*(?:[(\[]|<[a-z])|"
    r"[a-z_$][a-z_]*(?:(?:\.|::|->|\?\.)[a-z_$][a-z_]*)+(?:[;,].*)?\Z|"
    r"(?:sha\d{1,3}|md5|blake2\w?)[:-]|[a-z_]\w*\([\w., ]*\)"
)
_PLAIN_WORD = re.compile(r"[^\W\d_]+(?:[-_'’./][^\W\d_]+)*")
_DESCRIBING = re.compile(
    r".{3,}(?:ed|ing|able|ible|[aiu][dt][oa]s?|ées?|és?|abile|ibile|ável|ível|lich|isch|los|oso|osa|euse?|mente?)"
    r"|ge.{3,}(?:t|en)|(?:ver|be|er|ent|ab|aus|ein|an|auf|um)(?:ge)?.{4,}(?:t|en)"
)
"""Participles and adjectives: they say how a password is."""
_NAMES_ONE = re.compile(
    r"(?:\w+_|confirm|new|old|current|user|repeat|raw|plain|hashed|encoded|admin|root|bind|login|access|refresh|api|csrf|id)?"
    r"(?:password|passwd|passwort|pwd|pass|secret|token|key)s?\d?\)*"
)
_TECHNICAL = re.compile(TECHNICAL)
_WORDLIKE = re.compile(r"[^\W\d_]+\d{0,4}|\d+[a-z]{0,2}")
_NUMBER = re.compile(r"[\d.,+~<>=%$€-]+")
_NEXT_WORD = re.compile(r"[ \t]+[\"'(]?([^\W\d_]+\+?)")
_GROUPS = re.compile(r"\d{4,5}(?:-\d{4,5}){2,7}|(?=(?:\D{0,30}\d){4})[0-9a-z]{4,6}(?:-[0-9a-z]{4,6}){3,7}")
_RUNS = re.compile(r"[^\W_]+")
_SYMBOLS = frozenset("!@#$%^&*+=?~")
_MARKS = _SYMBOLS | {"_"}
_SEPARATORS = frozenset("-_./: ")


@dataclass(frozen=True, slots=True)
class Value:
    """What may be a secret: `text` as written, `rest` of its line (at most some words), and how it was given."""

    text: str
    rest: str = ""
    is_quoted: bool = False
    is_said: bool = False
    """In a sentence ("is", "was changed to"), not behind ":" or "="."""
    is_tight: bool = False
    """Directly behind "="."""


def is_password(value: Value) -> bool:
    """Behind a name for passwords anything counts, unless it is a stand-in, code, or the sentence going on."""
    plain = value.text.lower().strip("*_ ")
    no_values = NO_VALUES_OF_CODE if value.is_tight else NO_VALUES
    if is_stand_in(plain) or {plain.rstrip("!?;,."), re.split(r"[|,]|!(?!\w)", plain, maxsplit=1)[0]} & no_values:
        return False
    if " " in plain:
        return value.is_quoted and (_is_phrase(plain) or (value.is_tight and any(map(str.isdigit, plain))))
    if value.is_quoted:
        return True
    if _is_reference(plain):
        return False
    following = _NEXT_WORD.match(value.rest.lower())
    next_word = following[1] if following else ""
    if _PLAIN_WORD.fullmatch(plain.rstrip("!?")):
        # A word without digits is a password where nothing else can follow: "is swordfish.",
        # "password=swordfish".
        bare = plain.rstrip("!?")
        if bare in WELL_KNOWN_PASSWORDS:
            return True
        if _NAMES_ONE.fullmatch(bare) or "'" in bare or "’" in bare or "/" in bare:
            return False
        hyphens = bare.count("-")
        if _DESCRIBING.fullmatch(bare) or (value.is_said and 0 < hyphens < 3):
            return False
        return not next_word or next_word in GOES_ON
    if _NUMBER.fullmatch(plain):
        return any(char.isdigit() for char in plain) and (not next_word or next_word in GOES_ON) and len(plain) > 2
    is_described = _DESCRIBING.fullmatch(plain.rpartition("-")[2]) if "-" in plain else None
    return not is_described and not _TECHNICAL.fullmatch(plain) and next_word not in UNITS_OF_RULES


def is_token(value: Value) -> bool:
    """Behind "token", "secret" or "key" only what looks made to be one: those words are used of much else."""
    plain = value.text.lower().strip("*_ ")
    if plain in WELL_KNOWN_PASSWORDS:
        return True
    if " " in plain or is_stand_in(plain) or plain in NO_VALUES or (not value.is_quoted and _is_reference(plain)):
        return False
    following = _NEXT_WORD.match(value.rest.lower())
    if following and following[1] in UNITS_OF_RULES:
        return False
    if plain.isdigit():
        return len(plain) >= MIN_RANDOM_CHARS and not (following and following[1] not in GOES_ON)
    if _GROUPS.fullmatch(plain):
        return True
    is_mixed = value.is_quoted and plain != value.text and bool(_SYMBOLS & set(plain[1:-1])) and is_made(plain)
    return not _TECHNICAL.fullmatch(plain) and (is_mixed or looks_random(value.text.strip("*")))


def is_stand_in(plain: str) -> bool:
    """`***`, `<password>`, `${VAR}`, `{{ x }}`, `%s`, `!secret x`, "your-key-here", `[redacted: x]`. Lower case."""
    return _STAND_IN.fullmatch(plain) is not None


def is_described(word: str) -> bool:
    """Whether a word of lower case is a participle or an adjective, which says how a password is."""
    return _DESCRIBING.fullmatch(word) is not None


def looks_random(text: str) -> bool:
    """Letters and digits mixed as in no word or name; "db-creds-01" and "utf8mb4" are not. At least 6 characters."""
    if len(text) < MIN_RANDOM_CHARS or not any(char.isalpha() for char in text):
        return False
    runs = _RUNS.findall(text)
    if any(_is_odd(run) for run in runs):
        return True
    has_digit = any(char.isdigit() for char in text)
    if has_digit and not _SEPARATORS & set(text[:-1]):
        return True
    return len(text) >= MIN_LONG_CHARS and bool(_SYMBOLS & set(text)) and has_digit


def is_made(text: str) -> bool:
    """Letters together with digits, symbols, or hyphens between words: no word of a sentence. At least 6 characters."""
    has_mark = any(char.isdigit() or char in _MARKS for char in text) or text.count("-") > 1
    return len(text) >= MIN_RANDOM_CHARS and has_mark and any(char.isalpha() for char in text)


def entropy(text: str) -> float:
    """Shannon's, in bits per character, of the characters of `text`."""
    counts = Counter(text).values()
    return -sum(count / len(text) * math.log2(count / len(text)) for count in counts)


def _is_odd(run: str) -> bool:
    """Letters and digits alternate, or capitals stand where no word has them."""
    if len(run) < MIN_RANDOM_CHARS:
        return False
    if any(char.isdigit() for char in run) and not _WORDLIKE.fullmatch(run.lower()):
        return any(char.isalpha() for char in run) and not _TECHNICAL.fullmatch(run.lower())
    changes = sum(a.islower() != b.islower() for a, b in pairwise(run))
    return len(run) >= MIN_LONG_CHARS and changes >= len(run) // 3


def _is_reference(plain: str) -> bool:
    """Tell whether a value is a path, an address or a piece of code: it says where the secret is."""
    if _URL.match(plain) or _CODE.match(plain):
        return True
    return _PATH.fullmatch(plain) is not None and not looks_random(plain)


def _is_phrase(plain: str) -> bool:
    """Words in quotes: a passphrase has no grammar, a label has."""
    found = plain.split()
    has_grammar = any(word.strip(".,:!?") in GRAMMAR for word in found)
    return not has_grammar and (len(found) > 2 or any(char.isdigit() for char in plain))


KINDS = (
    "private key", "jwt", "memsite key", "aws key", "github token", "gitlab token", "slack token", "slack webhook",
    "stripe key", "anthropic key", "openai key", "google key", "npm token", "pypi token", "sendgrid key",
    "twilio key", "telegram token", "hugging face token", "vendor key", "card number", "iban", "ssn",
    "pin", "password", "token", "key", "secret",
)  # fmt: skip
"""What a secret may be, the most telling first: where two finds overlap, the first names both."""

MARK_RE = re.compile(rf"\[redacted: (?:{'|'.join(KINDS)})\]")
_RANKS = {kind: rank for rank, kind in enumerate(KINDS)}


class Found(NamedTuple):
    start: int
    end: int
    kind: str


def mark(kind: str) -> str:
    return f"[redacted: {kind}]"


def without_marks(text: str) -> str:
    """Return a text of the same length with spaces for marks: what they name is no word of it."""
    return MARK_RE.sub(lambda mark: " " * len(mark[0]), text) if "[redacted: " in text else text


def settle(found: Iterable[Found], text: str) -> list[Found]:
    """Disjoint finds in order; what touches a mark that is there already is dropped, unless it goes all around it."""
    settled: list[Found] = []
    for item in sorted(found):
        last = settled[-1] if settled else None
        if last and item.start < last.end:
            kind = min(last.kind, item.kind, key=_RANKS.__getitem__)
            settled[-1] = Found(last.start, max(last.end, item.end), kind)
        else:
            settled.append(item)
    marks = [match.span() for match in MARK_RE.finditer(text)]
    return list(_clear_of(settled, marks))


def _clear_of(settled: list[Found], marks: list[tuple[int, int]]) -> Iterable[Found]:
    place = 0
    for item in settled:
        while place < len(marks) and marks[place][1] <= item.start:
            place += 1
        touched = marks[place] if place < len(marks) and marks[place][0] < item.end else None
        if touched is None or (item.start < touched[0] and touched[1] < item.end and item.kind == "private key"):
            yield item


MIN_CHARS, MAX_CHARS = 32, 256
MIN_BITS = 3.5
MIN_BITS_HEX = 2.8
"""Of Shannon's entropy per character; random hexadecimal of 32 characters has 3.2 to 3.9."""
CONTEXT_CHARS = 48

_RUN = re.compile(r"(?<![0-9A-Za-z+/_=.-])[0-9A-Za-z+/_=.-]{32,}+")
_OPENS = re.compile(
    r"(?<![a-z])(?:keys?|secrets?|tokens?|passwords?|credentials?|apikey|cookie|schlüssel|clave|clé)(?![a-z])"
)
_OPENS_CLEARLY = re.compile(
    r"(?<![a-z])(?:(?:api|access|secret|auth|private|encryption|signing)[ _-]?key|secret|token|password|credentials?)"
    r"(?![a-z])[^\n]{0,20}\Z"
)
NAMES_NO_SECRET = re.compile(
    r"sha-?\d|(?<![a-z])(?:md5|sha|hash|digest|checksum|commit|etag|fingerprint|thumbprint|revision|rev|blob|tree|uuid|"
    r"guid|public|publishable|release|trace|span|cache|primary|foreign|idempotency|integrity|key[ _-]?id|base64,|"
    r"ssh-(?:rsa|ed25519|dss)|ecdsa-\S*)"
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F]+")


def find_random(text: str) -> Iterator[Found]:
    for match in _RUN.finditer(text):
        run = match.group().rstrip(".")
        if MIN_CHARS <= len(run) <= MAX_CHARS and _is_secret(run, _before(text, match.start())):
            yield Found(match.start(), match.start() + len(run), "secret")


def _before(text: str, start: int) -> str:
    return text[max(start - CONTEXT_CHARS, 0) : start].rpartition("\n")[2].lower()


def _is_secret(run: str, before: str) -> bool:
    if not _OPENS.search(before) or NAMES_NO_SECRET.search(before) or run.startswith("AAAA"):
        return False
    if _UUID.search(run) or run.count("/") > 3 or run.count(".") > 1 or not looks_random(run):
        return False
    if _HEX.fullmatch(run):
        return bool(_OPENS_CLEARLY.search(before)) and entropy(run) >= MIN_BITS_HEX
    return entropy(run) >= MIN_BITS and any(char.isdigit() for char in run)


_MARK_AHEAD = re.compile(r"\[redacted: |</")
_NEXT_PAIR = re.compile(r"[&;,](?=[\"']?[\w.-]{1,40}[\"']?[=:]|\s|$)")


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a bare value without what surrounds it: emphasis, closing marks, the next pair of a list, our mark."""
    value = text[start:end]
    for pattern in (_MARK_AHEAD, _NEXT_PAIR):
        cut = pattern.search(value)
        if cut and (cut.start() or pattern is _MARK_AHEAD):
            value = value[: cut.start()]
    bare = value.lstrip("*\"'`“„«(")
    start += len(value) - len(bare)
    bare = bare.rstrip("\"'`”“»\\")
    bare = bare.rstrip(".,;:)]}>\"'`”“»") if not bare.startswith(("<", "[", "{", "$")) else bare
    if bare.endswith("**"):
        bare = bare.rstrip("*")
    return start, start + len(bare)


CLOSING = r"\d{0,2}[\"'`*_)\]}]{0,4}[ \t]{0,4}(?:[(（][^()（）\n]{0,40}[)）][*_]{0,2}[ \t]{0,4})?"
SCHEME = r"(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?"
OF = rf"(?:[ \t]{{1,4}}(?:{any_of('of')})(?:[ \t]|(?<=['’]))(?:[^\n.:;!?=]|\.(?=\S)){{1,60}}?,?)?"
ADVERB = rf"(?:{any_of('adverb')})"
IS = rf"(?<![^\W_])(?:{ADVERB}[ \t])?(?:{any_of('is')})(?:[ \t]{{1,3}}{ADVERB})?:?"
BECAME = rf"(?<![^\W_])(?:{any_of('lead')})?(?:{ADVERB}[ \t])?(?:{any_of('became')}):?"
VERB = rf"(?:[:=：]|['’]s(?=[ \t])|{BECAME}|{IS})"
ARTICLE = rf"(?:(?:{any_of('article')})[ \t])"
NUMBER_LEAD = rf"{CLOSING}{OF}[,、，]?[ \t]{{0,4}}(?:[:=：]|{VERB})?\s{{0,4}}{ARTICLE}?[\"'`*#]{{0,2}}"
