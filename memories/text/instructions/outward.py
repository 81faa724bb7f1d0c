"""Text that would carry something out: secrets or the conversation to an address, or an image that calls home."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.instructions.orders import CHINESE, ENGLISH, JAPANESE, LANGUAGES, TURKISH, Word, pattern_of
from memories.text.wordlist import words

WINDOW_CHARS = 240
MIN_STEP_CHARS = 40
MIN_LONG_VALUE_CHARS = 40

_ADDRESS = re.compile(
    r"https?[:;]//|hxxps?://|\bwebhook\b|\bftp://|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\b(?:this|the following|my|our|external|remote|attacker\S{0,20}) (?:url|server|endpoint|address|site)\b"
)
_OTHERS = [language for language in LANGUAGES if language != ENGLISH]
_SENDS = re.compile(
    r"\b(?:send|sends|sending|post|posts|posting|upload|uploads|forward|forwards|transmit|exfiltrate|exfiltrates|leak|"
    r"email|e-mail|submit|append|encode|embed|include|put|deliver|relay)\b|" + pattern_of(Word.SEND, *_OTHERS)
)
_PRECIOUS = re.compile(
    r"\b(?:passwords?|api[ _-]?keys?|tokens?|secrets?|credentials?|private keys?|ssh keys?|env(?:ironment)? "
    r"(?:variables|vars)|\.env|conversations?|chat (?:history|logs?)|chats|transcripts?|history|context|"
    r"system prompt|instructions|memor(?:y|ies)|everything (?:you|the user)|(?:all|any) (?:\w{1,20} )?"
    r"(?:data|information|messages|files)|user(?:'s)? (?:data|messages?|input|details|information|files?)|"
    r"personal (?:data|information)|what (?:the user|you)|contents? of|answers?|replies|responses|passw\w{1,10})\b|"
    + pattern_of(Word.SECRET, *_OTHERS)
)
_VERB_LAST = (TURKISH, CHINESE, JAPANESE)
_SENDS_LAST = re.compile(pattern_of(Word.SEND, *_VERB_LAST))
_PRECIOUS_FIRST = re.compile(pattern_of(Word.SECRET, *_VERB_LAST))
_EXFILTRATES = re.compile(r"\bexfiltrat(?:e|es|ing)\b")
_SENTENCE = re.compile(r"(?:[^\n.!?]|[.!?](?!\s)){1,4000}")

_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,200}\]\(\s{0,4}<?((?:https?:)?//[^\s)>]{1,2300})"
    r"|<(?:img|source|iframe|link|video|audio|embed|object|script|input|body|table|image)\b[^<>]{0,200}?"
    r"\b(?:src|href|poster|data|background|srcset)\s?=\s?[\"']?((?:https?:)?//[^\s\"'>]{1,2300})"
    r"|\burl\(\s{0,4}[\"']?((?:https?:)?//[^\s\"')]{1,2300})"
)
_REFERENCE = re.compile(r"^[ \t>]{0,6}\[[^\[\]\n]{1,80}\]:[ \t]{0,4}<?((?:https?:)?//[^\s>]{1,2300})", re.MULTILINE)
_GAP = re.compile(r"[{}\[\]<>$«»]|%7b|%5b|%3c|__\w{2,40}__|%\w{2,40}%")
_PARAMETER = re.compile(r"[?&;]([^=&;]{1,60})=([^&;]*)")
_CARRIERS = words("""
    q query d data text txt msg message m c content ctx context prompt p payload info secret secrets
    history conv conversation chat log exfil leak user input output answer response memory memories b64 base64 x
    """)
_TEMPLATE = re.compile(r"[{}\[\]<>$]|%7b|%5b|\b(?:your|the|insert|replace)[_-]|^[a-z]+_here$|\.\.\.")
_PRIVATE = (
    r"(?:conversations?|chats?|secrets?|passw|passwd|pwd|context|history|memor|prompts?|credential|user_?data|everything|"
    r"api_?key|private|transcript|exfil|stolen|verlauf|gesprach|zugangsdaten|geheim|contrasena|historial|conversacion|"
    r"mot_?de_?passe|historique|senha|segredo|chiave|segret|wachtwoord|geheugen|haslo|rozmow|sifre|sohbet|"
    r"密码|对话|记忆|会話|秘密|パスワード|记录)"
)
_OPENS = r"(?:[{\[<(|«‹〈《【「『〔⟨⟦$%#*^~@]|%7b|%5b|%3c|%28|__|:{2})"
_URL_TEMPLATE = re.compile(
    r"(?:https?|hxxps?|wss?|ftp)[:;]//(?:[^\s?=]{0,200}[?;][^\s]{0,300}?=" + _OPENS + r"{1,3}[^\s]{0,12}?[\w .-]{0,30}?"
    r"(?:"
    + _PRIVATE[3:-1]
    + r"|token|message)|[^\s]{0,300}?"
    + _OPENS
    + r"{1,3}[\w .-]{0,30}?"
    + _PRIVATE
    + r"(?!\w{0,20}id\b))"
)

Carrier = tuple[int, int, str]
"""Start, end and reason."""


def find_carriers(plain: str) -> Iterator[Carrier]:
    """`plain` in lower case. Linear: sentences do not overlap, and within one the windows move on by steps."""
    for sentence in _SENTENCE.finditer(plain):
        yield from _find_sending(plain, *sentence.span())
    images = list(_IMAGE.finditer(plain)) + (list(_REFERENCE.finditer(plain)) if "![" in plain else [])
    for image in images:
        if _carries(next(filter(None, image.groups()))):
            yield image.start(), image.end(), "shows an image whose address takes text along"
    for url in _URL_TEMPLATE.finditer(plain):
        yield url.start(), url.end(), "has an address to be filled in with what is private"


def _find_sending(plain: str, start: int, end: int) -> Iterator[Carrier]:
    """A word for sending, then something precious, then an address, within one sentence; where verbs come last, in any
    order."""
    done = start
    for address in _ADDRESS.finditer(plain, start, end):
        if address.start() < done:
            continue
        first = max(start, address.start() - WINDOW_CHARS)
        sends = _SENDS.search(plain, first, address.start())
        precious = sends and _PRECIOUS.search(plain, sends.end(), address.start())
        if sends and (precious or _EXFILTRATES.search(plain, first, address.start())):
            yield sends.start(), address.end(), "sends what is private to an address"
        elif _is_sent_last(plain, first, min(address.end() + MIN_STEP_CHARS, end)):
            yield address.start(), address.end(), "sends what is private to an address"
        done = address.start() + MIN_STEP_CHARS


def _is_sent_last(plain: str, start: int, end: int) -> bool:
    return bool(_PRECIOUS_FIRST.search(plain, start, end) and _SENDS_LAST.search(plain, start, end))


def _is_long(value: str) -> bool:
    """An address in an address is what badges are made of."""
    return len(value) >= MIN_LONG_VALUE_CHARS and not value.startswith("http")


def _carries(url: str) -> bool:
    """A picture's size and style are no message; a parameter for text, a gap to fill or a long value is."""
    if _GAP.search(url.partition("?")[0]):
        return True
    for name, value in _PARAMETER.findall(url):
        if _TEMPLATE.search(value) or _is_long(value) or (name in _CARRIERS and len(value) != 1):
            return True
    return False
