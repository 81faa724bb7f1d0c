"""Numbers that pay or identify: cards, bank accounts, and US social security numbers where they are called so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memories.text.secrets.found import Found

_GAPS = " -.\u00a0\u202f"
_CARD = re.compile(
    rf"(?<![\w.,+-])(?:[2-6][0-9]{{12,18}}|[2-6][0-9]{{3}}(?:[{_GAPS}][0-9]{{2,7}}){{2,4}})(?![\w-]|[.,][0-9])"
)
_GROUPINGS = frozenset(((4, 4, 4, 4), (4, 6, 5), (4, 6, 4), (4, 4, 4, 4, 3), (4, 4, 4, 4, 2), (4, 4, 4, 1)))
_PREFIXES = re.compile(
    r"4(?:.{15}|.{18})|(?:5[1-5].{2}|222[1-9]|22[3-9].|2[3-6]..|27[01].|2720).{12}|3[47].{13}|3(?:0[0-5]|[68].).{11}"
    r"|(?:6011|65..|64[4-9].).{12,15}|35(?:2[89]|[3-8].).{12}|62.{14,17}|(?:50|5[6-9]|6[37]).{14}"
)
_OTHER_NUMBERS = re.compile(
    r"\b(?:order|invoice|tracking|shipment|parcel|id|imei|isbn|ean|gtin|serial|ticket|case|snowflake|article|item|sku|"
    r"build|job|trace|span|tweet|bestell\w*|rechnung\w*|sendung\w*)\b[\s#:.=\"'-]{0,4}(?:(?:no|nr|number|nummer|is|id)\b"
    r"[\s#:.=\"'-]{0,4}){0,2}\Z",
    re.IGNORECASE,
)
_CONTEXT_CHARS = 40

_IBAN = re.compile(r"(?<![0-9A-Za-z])[A-Za-z]{2}[0-9]{2}(?=[ \u00a0-]?[0-9A-Za-z]{4})")
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
    "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
    "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
    "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
    "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19,
    "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
"""Characters of an IBAN by country (SWIFT's registry)."""

_SSN = re.compile(
    r"\b(?:ssn|social[ -]security(?:[ -](?:number|no\.?|nr\.?|#))?)\b[^\n\d]{0,30}"
    r"((?!000|666|9)[0-9]{3}([ -]?)(?!00)[0-9]{2}\2(?!0000)[0-9]{4})(?![\w-])",
    re.IGNORECASE,
)


def find_figures(text: str) -> Iterator[Found]:
    yield from _find_cards(text)
    yield from _find_ibans(text)
    for match in _SSN.finditer(text):
        yield Found(match.start(1), match.end(1), "ssn")


def passes_luhn(digits: str) -> bool:
    """The checksum of cards (ISO/IEC 7812-1): every second digit from the right doubled, the sum divisible by 10."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def passes_mod_97(iban: str) -> bool:
    """The checksum of bank accounts (ISO 13616): letters as numbers, the first four characters last, 1 modulo 97."""
    return int("".join(str(int(char, 36)) for char in iban[4:] + iban[:4])) % 97 == 1


def _find_cards(text: str) -> Iterator[Found]:
    for match in _CARD.finditer(text):
        groups = re.split(f"[{_GAPS}]", match.group())
        digits = "".join(groups)
        is_grouped = len(groups) > 1
        if is_grouped and (tuple(map(len, groups)) not in _GROUPINGS or len(set(match.group()) & set(_GAPS)) > 1):
            continue
        if len(set(digits)) < 2 or not _PREFIXES.fullmatch(digits) or not passes_luhn(digits):
            continue
        before = text[max(match.start() - _CONTEXT_CHARS, 0) : match.start()]
        if is_grouped or not _OTHER_NUMBERS.search(before):
            yield Found(match.start(), match.end(), "card number")


def _find_ibans(text: str) -> Iterator[Found]:
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match.group()[:2].upper())
        end = _end_of_iban(text, match.start(), length) if length else None
        if end and passes_mod_97(re.sub(r"[ \u00a0-]", "", text[match.start() : end]).upper()):
            yield Found(match.start(), end, "iban")


def _end_of_iban(text: str, start: int, length: int) -> int | None:
    """Where `length` letters and digits end, single gaps between them allowed; None if that is not at a word's end."""
    place, missing = start, length
    while missing:
        if place < len(text) and text[place] in " \u00a0-" and place > start and text[place - 1].isalnum():
            place += 1
        if place >= len(text) or not (text[place].isascii() and text[place].isalnum()):
            return None
        place, missing = place + 1, missing - 1
    return None if text[place : place + 1].isalnum() else place
