"""Whether what stands behind "password:" or "my token is" is a secret, or only more text."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from memories.text.secrets.words import (
    GOES_ON,
    GRAMMAR,
    NO_VALUES,
    NO_VALUES_OF_CODE,
    TECHNICAL,
    UNITS_OF_RULES,
    WELL_KNOWN_PASSWORDS,
    any_of,
)

MIN_RANDOM_CHARS = 6
MIN_LONG_CHARS = 16
_STAND_IN = re.compile(
    r"""<[^<>]*>?.*|\$\{.*|\$[a-z_]\w*|\$\(.*|`.*|\{(?![0-9a-f-]{16,}\})[^{}]*\}?|\{\{.*|%[\w()]*%?[sd]?|\[[^\[\]]*\].*|:.*|"""
    r"""\?|\?[^}]*\}.*|[（【〔［].*|[\[(][^\W\d_]+|[-?]?change[-_ ]?(?:me|this)(?:please|now)?[!?]*\d?[)}\]]*|"""
    r"""!(?:secret|vault|ref|env|sub|getatt|var|include)\b.*|(?:op|vault|env|file|ref|ssm|enc|secret|keychain)[:+\[].*|"""
    rf"""arn:aws.*|(?:{any_of("placeholder_start")})[-_ ](?:[^\W\d_]+[-_ ]?){{1,5}}\d?|"""
    rf"""(?:[^\W\d_]+[-_]){{1,7}}(?:{any_of("placeholder_end")})|"""
    rf"""[^!-~]*(?:{any_of("placeholder_cjk")})[^!-~]*|"""
    r"""[x*•.·…_-]{3,}|\W+""",
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
        return _is_lone_word(plain, value, next_word)
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
    """A path, an address or a piece of code: it says where the secret is."""
    if _URL.match(plain) or _CODE.match(plain):
        return True
    return _PATH.fullmatch(plain) is not None and not looks_random(plain)


def _is_lone_word(plain: str, value: Value, next_word: str) -> bool:
    """A word without digits is a password where nothing else can follow: "is swordfish.", "password=swordfish"."""
    bare = plain.rstrip("!?")
    if bare in WELL_KNOWN_PASSWORDS:
        return True
    if _NAMES_ONE.fullmatch(bare) or "'" in bare or "’" in bare or "/" in bare:
        return False
    hyphens = bare.count("-")
    if _DESCRIBING.fullmatch(bare) or (value.is_said and 0 < hyphens < 3):
        return False
    return not next_word or next_word in GOES_ON


def _is_phrase(plain: str) -> bool:
    """Words in quotes: a passphrase has no grammar, a label has."""
    found = plain.split()
    has_grammar = any(word.strip(".,:!?") in GRAMMAR for word in found)
    return not has_grammar and (len(found) > 2 or any(char.isdigit() for char in plain))
