"""What is known by its form: addresses, paths, identifiers, versions. Each takes one word of a text."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

from memories.text.entities.words import FILE_ENDINGS, HOST_WORDS, TOP_DOMAINS, WORDLIKE_DOMAINS
from memories.text.wordlist import words

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
    r"(?:v\d+(?:\.\d+){0,3}|\d+(?:\.\d+){2,3})(?:[-.]?(?:rc|beta|alpha|a|b|dev|post)[.-]?\d*)?", re.IGNORECASE
)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d")
_FLAG = re.compile(r"--[a-z][\w-]*|-[a-zA-Z]", re.ASCII)
_ENV = re.compile(r"\$[A-Za-z_]\w*|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_ABSOLUTE_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@+~%-]+(?:/[\w.@+~%-]*)*|[A-Za-z]:\\\S+")
_RELATIVE_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)+/?")
_FILE = re.compile(r"\.?[\w@+-][\w.@+-]*\.([A-Za-z0-9]{1,11})")
_HIDDEN_FILE = re.compile(r"\.[a-z][\w-]+", re.ASCII)
_SNAKE = re.compile(r"_{0,2}[^\W_]+(?:_+[^\W_]+)+_{0,2}")
_CAMEL = re.compile(r"[a-z][a-z0-9]+(?:[A-Z][a-z0-9]*)+")
_KEBAB = re.compile(r"[^\W\d_][^\W_]*(?:-[^\W_]+)+")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_NOT_KEBAB = words("mid pre post early late top non re ex all")

Form = tuple[str, str]
"""A name and its kind."""


def read_form(word: str) -> Iterator[Form]:
    """The entities that one word is, the whole first; none for an ordinary word. Linear in its length."""
    if not 2 <= len(word) <= MAX_CHARS or (word.isalpha() and word.isascii() and word[1:].islower()):
        return
    if _URL.fullmatch(word):
        yield from _url(word)
        return
    for kind, is_kind in _KINDS:
        if is_kind(word):
            yield word, kind
            return
    ported = _HOST_AND_PORT.fullmatch(word)
    if ported and (_is_ip(ported[1]) or _is_host(ported[1]) or _KEBAB.fullmatch(ported[1])):
        yield ported[1], "ip" if _is_ip(ported[1]) else "host"
        yield f"port {ported[2]}", "port"


def _url(word: str) -> Iterator[Form]:
    """The address without user and password, its host and its port."""
    plain = _USERINFO.sub("", word)
    yield plain, "url"
    host = _URL_HOST.match(plain)
    if host:
        name = host[1].strip("[]")
        yield name, "ip" if _is_ip(name) else "host"
        if host[2]:
            yield f"port {host[2]}", "port"


def _matches(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda word: pattern.fullmatch(word) is not None


def _is_ip(word: str) -> bool:
    """An IPv4 or IPv6 address or network."""
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


def _is_version(word: str) -> bool:
    return bool(_VERSION.fullmatch(word)) and not _DATE.fullmatch(word)


def _is_path(word: str) -> bool:
    """An absolute path, or a relative one with two slashes or a file at its end: "and/or" is none."""
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
    """ "Node.js" and "Next.js" are names."""
    return word.endswith(".js") and word[0].isupper()


def _is_kebab(word: str) -> bool:
    """ "web-01", "gpt-4"; not "well-known", not "mid-2023"."""
    is_form = _KEBAB.fullmatch(word) is not None and any(char.isdigit() for char in word)
    return is_form and word.partition("-")[0].lower() not in _NOT_KEBAB


def _is_dotted(word: str) -> bool:
    """ "memories.retrieve.query", "os.environ_get"; two plain words may be sentences without a space."""
    is_form = _DOTTED.fullmatch(word) is not None and (word.count(".") > 1 or "_" in word)
    return is_form and any(len(label) > 1 for label in word.split("."))


_KINDS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("email", _matches(_EMAIL)),
    ("handle", _matches(_HANDLE)),
    ("tag", _matches(_TAG)),
    ("ip", _is_ip),
    ("version", _is_version),
    ("host", _is_host),
    ("flag", _matches(_FLAG)),
    ("env", _matches(_ENV)),
    ("path", _is_path),
    ("file", _is_file),
    ("name", _is_framework),
    ("identifier", _matches(_SNAKE)),
    ("identifier", _is_dotted),
    ("identifier", _matches(_CAMEL)),
    ("identifier", _is_kebab),
)
