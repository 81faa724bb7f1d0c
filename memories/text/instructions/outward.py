"""Text that would carry something out: secrets or the conversation to an address, or an image that calls home."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.wordlist import words

WINDOW_CHARS = 240
MIN_STEP_CHARS = 40
MIN_LONG_VALUE_CHARS = 40

_ADDRESS = re.compile(
    r"https?[:;]//|hxxps?://|\bwebhook\b|\bftp://|\b[\w.+-]{1,64}@[\w-]{1,64}\.[a-z]{2,}|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\b(?:this|the following|my|our|external|remote|attacker\S{0,20}) (?:url|server|endpoint|address|site)\b"
)
_SENDS = re.compile(
    r"\b(?:send|sends|sending|post|posts|posting|upload|uploads|forward|forwards|transmit|exfiltrate|exfiltrates|leak|"
    r"email|e-mail|submit|append|encode|embed|include|put|deliver|relay|sende|schicke|schick|übermittle|leite|"
    r"lade|envía|envíe|envia|manda|mande|sube|reenvía|envoie|envoyez|transmets|transmettez|téléverse)\b"
)
_PRECIOUS = re.compile(
    r"\b(?:passwords?|api[ _-]?keys?|tokens?|secrets?|credentials?|private keys?|ssh keys?|env(?:ironment)? "
    r"(?:variables|vars)|\.env|conversations?|chat (?:history|logs?)|chats|transcripts?|history|context|"
    r"system prompt|instructions|memor(?:y|ies)|everything (?:you|the user)|(?:all|any) (?:\w{1,20} )?"
    r"(?:data|information|messages|files)|user(?:'s)? (?:data|messages?|input|details|information|files?)|"
    r"personal (?:data|information)|what (?:the user|you)|contents? of|answers?|replies|responses|passw\w{1,10}|"
    r"gespräch\w{0,8}|unterhaltung\w{0,8}|erinnerungen|zugangsdaten|schlüssel|geheimnisse|verlauf|nutzerdaten|"
    r"contraseñas?|conversación|claves|credenciales|historial|datos|memorias?|mots? de passe|données|identifiants|"
    r"clés|historique|mémoires?)\b"
)
_EXFILTRATES = re.compile(r"\bexfiltrat(?:e|es|ing)\b")
_SENTENCE = re.compile(r"(?:[^\n.!?]|[.!?](?!\s)){1,4000}")

_IMAGE = re.compile(
    r"!\[[^\[\]\n]{0,200}\]\(\s{0,4}<?(https?://[^\s()<>?]{1,300}\?[^\s)>]{0,2000})"
    r"|<img\b[^<>]{0,200}?\bsrc\s?=\s?[\"']?(https?://[^\s\"'<>?]{1,300}\?[^\s\"'<>]{0,2000})"
)
_PARAMETER = re.compile(r"[?&;]([^=&;]{1,60})=([^&;]*)")
_CARRIERS = words("""
    q query d data text txt msg message m c content ctx context prompt p payload info secret secrets
    history conv conversation chat log exfil leak user input output answer response memory memories b64 base64 x
    """)
_TEMPLATE = re.compile(r"[{}\[\]<>$]|%7b|%5b|\b(?:your|the|insert|replace)[_-]|^[a-z]+_here$|\.\.\.")
_URL_TEMPLATE = re.compile(
    r"https?://[^\s?]{1,300}\?[^\s{\[<%$]{0,300}=(?:\{|\[|<|%7b|\$\{?)[\w .-]{0,40}(?:conversation|secret|password|"
    r"context|history|memor|prompt|credential|token|message|user_?data|everything|api_?key)"
)

Carrier = tuple[int, int, str]
"""Start, end and reason."""


def find_carriers(plain: str) -> Iterator[Carrier]:
    """`plain` in lower case. Linear: sentences do not overlap, and within one the windows move on by steps."""
    for sentence in _SENTENCE.finditer(plain):
        yield from _find_sending(plain, *sentence.span())
    for image in _IMAGE.finditer(plain):
        if _carries(image[1] or image[2]):
            yield image.start(), image.end(), "shows an image whose address takes text along"
    for url in _URL_TEMPLATE.finditer(plain):
        yield url.start(), url.end(), "has an address to be filled in with what is private"


def _find_sending(plain: str, start: int, end: int) -> Iterator[Carrier]:
    """A word for sending, then something precious, then an address, within one sentence."""
    done = start
    for address in _ADDRESS.finditer(plain, start, end):
        if address.start() < done:
            continue
        first = max(start, address.start() - WINDOW_CHARS)
        sends = _SENDS.search(plain, first, address.start())
        precious = sends and _PRECIOUS.search(plain, sends.end(), address.start())
        if sends and (precious or _EXFILTRATES.search(plain, first, address.start())):
            yield sends.start(), address.end(), "sends what is private to an address"
        done = address.start() + MIN_STEP_CHARS


def _is_long(value: str) -> bool:
    """An address in an address is what badges are made of."""
    return len(value) >= MIN_LONG_VALUE_CHARS and not value.startswith("http")


def _carries(url: str) -> bool:
    """A picture's size and style are no message; a parameter for text, a gap to fill or a long value is."""
    for name, value in _PARAMETER.findall(url):
        if _TEMPLATE.search(value) or _is_long(value) or (name in _CARRIERS and len(value) != 1):
            return True
    return False
