"""Secrets known by their shape: vendors' keys, key blocks, table cells, card numbers, private parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from memories.language.secrets.values import (
    GRAMMAR,
    NAMES_NO_SECRET,
    Found,
    Lookup,
    Threes,
    Value,
    any_of,
    entropy,
    is_made,
    is_password,
    is_stand_in,
    is_token,
    looks_random,
)

DATA = Path(__file__).parent / "data"
MIN_DISTINCT_CHARS = 5
"""With fewer, "ghp_xxxxxxxx…" shows how a key looks."""

_LONG_RUN = re.compile(r"[0-9A-Za-z_~.+/=%|:$-]{16}")
"""What any vendor's key has."""
_ALONE = r"(?:(?<![0-9A-Za-z_-])|(?<=\\[nrt])|(?<=%[2-7][0-9A-F]))(?:{})(?![0-9A-Za-z])"
_ASSIGNED = r"[ \t\w.-]{0,20}['\"\s]{0,3}(?::{0,3}=|>|\|\||:|=>|\?=)[`'\"\s=]{0,5}"
_VALUE = r"(?:\"([^\"\n]{1,128})\"|'([^'\n]{1,128})'|([^\s\"'|;&<>`][^\s\"'|;&<>]{0,127}))"
_COMMAND = re.compile(r"\{C:([^{}]*(?:\{[\d,]+\}[^{}]*)*)\}")
_PORTS = re.compile(r"[\d.:/-]+")
_OWN_NAMES = frozenset(("password", "passwort", "pass", "passwd", "pwd", "pw", "senha", "contraseña", "mdp"))
"""Behind "user:" they show what an address looks like."""


class Shape(NamedTuple):
    kind: str
    check: str
    pattern: str
    needs: str = ""
    """A pattern of what a text has that it is in: cheap to look for."""


Shapes = tuple[tuple[Shape, ...], tuple[tuple[str, int], ...]]
"""Rows, and each word that has to be in the lower-cased text with the place of its row."""


@cache
def vendors() -> Shapes:
    return _read(
        (hints, Shape(kind, check, rf"(?i:{word}){_ASSIGNED}({shape})(?![\w-])" if word else _ALONE.format(shape)))
        for file in ("vendors.tsv", "shapes.tsv")
        for kind, hints, check, word, shape in _rows(file)
    )


@cache
def forms() -> Shapes:
    return _read(
        (
            hints.partition(" needs:")[0],
            Shape(
                kind,
                check,
                "(?i)" + _COMMAND.sub(_command, pattern).replace("{V}", _VALUE),
                hints.partition(" needs:")[2],
            ),
        )
        for kind, hints, check, pattern in _rows("forms.tsv")
    )


def _read(rows: Iterable[tuple[str, Shape]]) -> Shapes:
    """Read hints, which are apart by spaces; a backslash keeps the space behind it."""
    hints, shapes = zip(*rows, strict=True)
    apart = (one.replace("\\ ", "\0").split(" ") for one in hints)
    return shapes, tuple((hint.replace("\0", " "), i) for i, some in enumerate(apart) for hint in some)


def _rows(file: str) -> Iterator[list[str]]:
    """Return the rows of a data file without their names."""
    for line in (DATA / file).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")[1:]


def _command(match: re.Match[str]) -> str:
    return rf"\b(?:{match[1]})(?:\.exe)?\b(?:[^\n|;&]|\\\n){{0,200}}?[ \t]"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _lookup(shapes: Callable[[], Shapes]) -> tuple[Lookup, dict[str, list[Shape]]]:
    rows, hints = shapes()
    rows_of: dict[str, list[Shape]] = {}
    for hint, i in hints:
        rows_of.setdefault(hint, []).append(rows[i])
    return Lookup(rows_of), rows_of


def _matches(
    shapes: Callable[[], Shapes], text: str, folded: str, threes: Threes
) -> Iterator[tuple[Shape, re.Match[str]]]:
    lookup, rows_of = _lookup(shapes)
    for row in dict.fromkeys(row for hint in lookup.entries_in(folded, threes) for row in rows_of[hint]):
        if not row.needs or _compiled(row.needs).search(text):
            for match in _compiled(row.pattern).finditer(text):
                yield row, match


def find_vendor_keys(text: str, folded: str, threes: Threes) -> Iterator[Found]:
    """`folded` is `text` in lower case, as long as `text`. Every shape is bounded, so the search is linear."""
    if _LONG_RUN.search(text):
        for shape, match in _matches(vendors, text, folded, threes):
            if _is_key(match, float(shape.check)):
                yield Found(*match.span(match.lastindex or 0), shape.kind)


def _is_key(match: re.Match[str], least_bits: float) -> bool:
    if not least_bits:
        return True
    if match.lastindex:
        lead = match.string[match.start() : match.start(1)].lower()
        return not NAMES_NO_SECRET.search(lead) and looks_random(match[1]) and entropy(match[1]) >= least_bits
    key = match.group()
    return len(set(key[4:])) >= MIN_DISTINCT_CHARS and looks_random(key[3:]) and entropy(key) >= least_bits


def find_forms(text: str, folded: str, threes: Threes) -> Iterator[Found]:
    for shape, match in _matches(forms, text, folded, threes):
        start, end = match.span(match.lastindex or 0)
        value = text[start:end]
        if not is_stand_in(value.lower()) and value.lower() not in _OWN_NAMES | GRAMMAR and _CHECKS[shape.check](value):
            yield Found(start, end, shape.kind)


_CHECKS: dict[str, Callable[[str], bool]] = {
    "any": lambda value: True,
    "random": looks_random,
    "token": lambda value: is_token(Value(value)),
    "pair": lambda value: is_token(Value(value)) or (is_password(Value(value)) and not value.isalpha()),
    "made": lambda value: is_made(value) and is_password(Value(value)),
    "phrase": lambda value: is_password(Value(value, is_quoted=True)),
    "port": lambda value: not _PORTS.fullmatch(value),
}


KIND = "private key"
MAX_BLOCK_CHARS = 20_000
_NAME = r"[A-Z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d)"
_BEGIN = re.compile(rf"-----?BEGIN {_NAME}-----?|---- BEGIN {_NAME} ----")
_END = re.compile(rf"-----?END {_NAME}-----?|---- END {_NAME} ----")
_GAP = r"(?:[\s\"'+,>|]|\\[nr]){0,40}+"
_HEADER = rf"(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset): ?[^\n\\]{{0,200}}{_GAP})"
_BODY = re.compile(
    rf"{_GAP}{_HEADER}{{0,6}}(?:[0-9A-Za-z+/=]{{16,}}+{_GAP})++(?:[0-9A-Za-z+/]{{1,64}}={{1,2}}(?![\w=]))?"
)
_RUN = re.compile(r"[0-9A-Za-z+/]{16}")
_PUTTY = re.compile(r"(Private-Lines: ?\d{1,3}\s{1,4})((?:[0-9A-Za-z+/=]{4,100}(?:\s{1,4}|\Z))+)")


def find_blocks(text: str) -> Iterator[Found]:
    """Find private keys in blocks. A header without any of its key is only talked about."""
    done = 0
    for begin in _BEGIN.finditer(text):
        if begin.start() < done:
            continue
        done = _end_of(text, begin)
        if done > begin.end():
            yield Found(begin.start(), done, KIND)
    yield from _headless(text)
    for match in _PUTTY.finditer(text):
        yield Found(match.start(2), match.start(2) + len(match[2].rstrip()), KIND)


def _end_of(text: str, begin: re.Match[str]) -> int:
    """Return the end of the block, or of `begin` when no key follows."""
    limit = begin.end() + MAX_BLOCK_CHARS
    end = _END.search(text, begin.end(), limit)
    following = _BEGIN.search(text, begin.end(), end.start() if end else limit)
    if end and not following and _RUN.search(text, begin.end(), end.start()):
        return end.end()
    body = _BODY.match(text, begin.end(), following.start() if following else limit)
    if body is None:
        return begin.end()
    return begin.end() + len(body.group().rstrip(" \t\r\n\"',+>|"))


def _headless(text: str) -> Iterator[Found]:
    """Return the lines before an end whose beginning is cut off."""
    done = 0
    for end in _END.finditer(text):
        start = max(done, end.start() - MAX_BLOCK_CHARS)
        place = end.start()
        while place > start:
            line_start = text.rfind("\n", start, place - 1) + 1 or start
            if not re.fullmatch(r"[0-9A-Za-z+/=]{4,100}\r?\n?", text[line_start:place]):
                break
            place = line_start
        lines = place
        if lines < end.start() and _RUN.search(text, lines, end.start()):
            yield Found(lines, end.end(), KIND)
        done = end.end()


MAX_LINE_CHARS = 2_000
_RULE = re.compile(r"[ \t|:+-]+")
_IDENTIFIER = re.compile(r"[\w.-]{1,40}")
_KUBERNETES = re.compile(r"(?:^|\n)kind:[ \t]*[\"']?secret[\"']?[ \t]*(?:\n|$)")
_DATA = re.compile(r"(?:^|\n)(?:string)?data:[ \t]*((?:\n[ \t]+[^\n]*)+)")
_ENTRY = re.compile(r"\n[ \t]+[\"']?[\w./-]{1,100}[\"']?:[ \t]+[\"']?([^\s\"'|>{][^\s\"']{0,8191})")


@cache
def _head() -> re.Pattern[str]:
    word = f"(?P<password>{any_of('password')}|pass|{any_of('pin')})"
    return re.compile(rf"(?:[\w -]{{0,20}}[ _-])?(?:{word}|{any_of('token')}|{any_of('key')})")


def find_in_columns(text: str, folded: str) -> Iterator[Found]:
    """Tables of Markdown, of tabs and of commas: a head, and the rows that have as many cells."""
    if "\n" not in text:
        return
    columns: dict[int, bool] = {}
    separator, cells, place = "", 0, 0
    for line in folded.split("\n"):
        spans = _spans(line, separator) if columns else []
        if len(spans) == cells > 1 and not _RULE.fullmatch(line):
            for i, is_word in columns.items():
                cell = text[place + spans[i][0] : place + spans[i][1]]
                bare = cell.strip(" \t\r*`\"'")
                start = place + spans[i][0] + (cell.find(bare) if bare else 0)
                if bare and " " not in bare and (is_password if is_word else is_token)(Value(bare)):
                    yield Found(start, start + len(bare), "password" if is_word else "token")
        elif not _RULE.fullmatch(line) or not columns:
            separator, cells, columns = _read_head(line)
        place += len(line) + 1


def _read_head(line: str) -> tuple[str, int, dict[int, bool]]:
    """Return what separates the cells of a head, how many they are, and which hold secrets (True: passwords)."""
    separator = next((sep for sep in ("|", "\t", ",", ";") if sep in line), "")
    if not separator or len(line) > MAX_LINE_CHARS:
        return "", 0, {}
    heads = [head.strip(" \t\r*`\"'") for head in line.split(separator)]
    if separator in ",;" and not all(_IDENTIFIER.fullmatch(head) for head in heads):
        return "", 0, {}
    named = {i: match for i, head in enumerate(heads) if len(head) <= 40 and (match := _head().fullmatch(head))}
    return separator, len(heads), {i: match["password"] is not None for i, match in named.items()}


def _spans(line: str, separator: str) -> list[tuple[int, int]]:
    """Where the cells of a row are."""
    ends = [place for place, char in enumerate(line) if char == separator]
    return list(zip([0, *(end + 1 for end in ends)], [*ends, len(line)], strict=True))


def find_in_kubernetes(text: str, folded: str) -> Iterator[Found]:
    if "kind:" not in folded or not _KUBERNETES.search(folded):
        return
    for data in _DATA.finditer(folded):
        for entry in _ENTRY.finditer(folded, data.start(1), data.end(1)):
            if not is_stand_in(entry[1]):
                yield Found(*entry.span(1), "secret")


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
_DIGITS_ALONE = frozenset(
    "AE AT BA BE CR CZ DE DK EE ES FI FO GL HR HU IL IS LT ME MR NO PL PT RS SE SI SK TN VA XK".split()  # noqa: SIM905
)
"""Countries whose account numbers have no letters."""

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
    """Check a card's number (ISO/IEC 7812-1): every second digit from the right doubled, the sum divisible by 10."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def passes_mod_97(iban: str) -> bool:
    """Check a bank account (ISO 13616): letters as numbers, the first four characters last, 1 modulo 97."""
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
        if end and _is_iban(text[match.start() : end]):
            yield Found(match.start(), end, "iban")


def _is_iban(written: str) -> bool:
    """Not a random name: letters of one case and where the country has them, no groups apart by hyphens but of four."""
    iban = re.sub(r"[ \u00a0-]", "", written)
    is_mixed = iban not in (iban.upper(), iban.lower())
    is_mixed = is_mixed or (iban[:2].upper() in _DIGITS_ALONE and not iban[2:].isdigit())
    *groups, last = written.split("-")
    is_joined = bool(groups) and (len(last) > 4 or any(len(group) != 4 for group in groups))
    return not (is_mixed or is_joined) and passes_mod_97(iban.upper())


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


_TAG = re.compile(r"<\s{0,8}(/?)\s{0,8}private(?![\w.:-])[^<>]*>", re.IGNORECASE)


def strip_private(text: str) -> str:
    """`text` without its private parts and their tags; a part that is never closed reaches to the end.

    Parts may be nested; of a closing tag alone only the tag goes. A space stands where two pieces would join.
    Linear in the length of the text.
    """
    pieces: list[str] = []
    depth = place = 0
    for tag in _TAG.finditer(text):
        if depth == 0:
            _append(pieces, text[place : tag.start()])
        if tag[1]:
            depth = max(depth - 1, 0)
        elif not tag.group().endswith("/>"):
            depth += 1
        place = tag.end()
    if depth == 0:
        _append(pieces, text[place:])
    return "".join(pieces)


def _append(pieces: list[str], piece: str) -> None:
    if pieces and piece and not pieces[-1][-1].isspace() and not piece[0].isspace():
        pieces.append(" ")
    if piece:
        pieces.append(piece)
