"""A text made ready for dates: code left out, and five other languages read as English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from enum import Enum
from itertools import pairwise

from memories.language.dates.calendar import DAY, Span
from memories.language.dates.words import Reading, Token, tokenize
from memories.language.wordlists import words

BREAK = "\n"
"""The word of the token that stands for the end of a line, where a line ends a thought."""


@dataclass(frozen=True, slots=True)
class Speech(Reading):
    """A text being read, its time words in English. `language` is "en", "de", "es", "fr", "it" or "pt"."""

    language: str = "en"

    def said(self, at: int) -> str:
        """Return the word as it was said, in lower case and with a plain apostrophe; "" outside of the text."""
        return self.tokens[at].text.lower().replace("’", "'") if 0 <= at < len(self.tokens) else ""

    def is_glued(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].glued


class Proof(Enum):
    """What the clause must tell before a time counts as coming."""

    NONE = "it is coming whatever is said about it"
    NOT_OVER = "nothing tells that it is over"
    NOT_PAST = "nothing tells that it is over or any such day"
    NO_HABIT = "no verb in the plain present either"
    FUTURE = "something tells that it is to come"


@dataclass(frozen=True, slots=True)
class Found:
    """What was read over `words` tokens. `first` and `last` are midnights; `last` is a day of the span.

    `begin` is where a span that may be running begins. `part` is a key of DAY_PARTS where one was said, and tells
    whether a bare "at 8" is early or late.
    """

    words: int
    first: datetime
    last: datetime | None = None
    proof: Proof = Proof.NOT_PAST
    at: time | None = None
    rule: str = ""
    part: str = ""
    begin: datetime | None = None

    @property
    def end(self) -> datetime:
        return self.last or self.first

    def moved(self, more_words: int) -> Found:
        return replace(self, words=self.words + more_words)


def from_span(words: int, span: Span, today: datetime, proof: Proof = Proof.NOT_PAST) -> Found:
    """Return what of a span is still to come; all of it if it is over."""
    last = span.end - DAY
    first = max(span.start, today) if last >= today else span.start
    return Found(words, first, last if last > first else None, proof, begin=span.start)


AFTER = "⟨next⟩"


def _row(names: str) -> list[str]:
    return names.split()


_ENGLISH_DAYS = _row("monday tuesday wednesday thursday friday saturday sunday")
_ENGLISH_MONTHS = _row("january february march april may june july august september october november december")
_ENGLISH_NUMBERS = _row("one two three four five six seven eight nine ten")

DAYS = {
    "de": _row("montag dienstag mittwoch donnerstag freitag samstag sonntag"),
    "es": _row("lunes martes miércoles jueves viernes sábado domingo"),
    "fr": _row("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    "it": _row("lunedì martedì mercoledì giovedì venerdì sabato domenica"),
    "pt": _row("segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo"),
}
MONTHS = {
    "de": _row("januar februar märz april mai juni juli august september oktober november dezember"),
    "es": _row("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
    "fr": _row("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    "it": _row("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    "pt": _row("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
}
_NUMBERS = {
    "de": _row("einem zwei drei vier fünf sechs sieben acht neun zehn"),
    "es": _row("un dos tres cuatro cinco seis siete ocho nueve diez"),
    "fr": _row("un deux trois quatre cinq six sept huit neuf dix"),
    "it": _row("un due tre quattro cinque sei sette otto nove dieci"),
    "pt": _row("um dois três quatro cinco seis sete oito nove dez"),
}
_UNITS = {
    "de": "tag tage tagen=day, woche wochen=week, monat monate monaten=month, jahr jahre jahren=year,"
    " stunde stunden=hour, minute minuten=minute, wochenende=weekend",
    "es": "día días=day, semana semanas=week, mes meses=month, año años=year, hora horas=hour, minuto minutos=minute",
    "fr": "jour jours=day, semaine semaines=week, mois=month, an ans année=year, heures heure=hour,"
    " minute minutes=minute, week-end=weekend",
    "it": "giorno giorni=day, settimana settimane=week, mese mesi=month, anno anni=year, ora ore=hour,"
    " minuto minuti=minute, weekend=weekend",
    "pt": "dias=day, semana semanas=week, mês meses=month, ano anos=year, hora horas=hour, minuto minutos=minute",
}
_PHRASES = {
    "de": """
    morgen=tomorrow, übermorgen=the day after tomorrow, heute=today, heute abend=tonight, heute nacht=tonight,
    morgen früh=tomorrow morning, morgen abend=tomorrow evening, morgen nachmittag=tomorrow afternoon,
    täglich=daily, wöchentlich=weekly, monatlich=monthly, jährlich=yearly, mittags=noon, mitternacht=midnight,
    jeden=every, jede=every, jedes=every, alle zwei=every two, alle drei=every three, alle vier=every four,
    nächsten=next, nächste=next, nächstes=next, nächster=next, kommenden=coming, kommende=coming, diesen=this,
    bis=until, bis zum=until, vor dem=before, ab=from, um=at, gegen=at, einer=one, einem=one, eine=one, ein=one,
    zweiten=second, zweite=second, seit=since,
    werktags=weekdays, geburtstag=birthday, am wochenende=on the weekend, im nächsten=next
    """,
    "es": """
    mañana=tomorrow, pasado mañana=the day after tomorrow, hoy=today, esta noche=tonight,
    mañana por la mañana=tomorrow morning, mañana por la tarde=tomorrow afternoon,
    mañana por la noche=tomorrow night, por la mañana=morning, por la tarde=afternoon, por la noche=night,
    de la mañana=am, de la tarde=pm, de la noche=pm, mediodía=noon, medianoche=midnight, al mediodía=at noon,
    cada=every, todos los=every, todas las=every, diariamente=daily, mensualmente=monthly,
    próximo=next, próxima=next, el próximo=next, la próxima=next, que viene=⟨next⟩, este=this,
    la semana=week, el mes=month, el año=year, dentro de=in, en=in, hasta=until, antes de=before, antes del=before,
    a las=at, a la=at, desde=since, una=one, cumpleaños=birthday, hasta el=until, para el=by,
    fin de semana=weekend, el fin de semana=on the weekend
    """,
    "fr": """
    demain=tomorrow, après-demain=the day after tomorrow, aujourd'hui=today, ce soir=tonight, cette nuit=tonight,
    demain matin=tomorrow morning, demain soir=tomorrow evening, demain après-midi=tomorrow afternoon,
    midi=noon, minuit=midnight, du matin=am, du soir=pm, chaque=every, tous les=every, toutes les=every,
    prochain=⟨next⟩, prochaine=⟨next⟩, la semaine=week, le mois=month, l'année=year, l'an=year, dans=in, en=in,
    jusqu'à=until, jusqu'au=until, avant le=before, avant=before, à=at, une=one, depuis=since, ce=this,
    anniversaire=birthday, le week-end=on the weekend, ce week-end=this weekend, 1er=1st, au mois de=in, d'ici=by,
    quotidiennement=daily, mensuellement=monthly
    """,
    "it": """
    domani=tomorrow, dopodomani=the day after tomorrow, oggi=today, stasera=tonight, stanotte=tonight,
    domani mattina=tomorrow morning, domani sera=tomorrow evening, domani pomeriggio=tomorrow afternoon,
    mezzogiorno=noon, mezzanotte=midnight, ogni=every, tutti i=every, tutte le=every, prossimo=⟨next⟩,
    prossima=⟨next⟩, tra=in, fra=in, fino a=until, fino al=until, entro il=by, prima del=before, alle=at,
    una=one, dal=from, compleanno=birthday, questo=this, questa=this, il 1º=on 1st, il fine settimana=on the weekend
    """,
    "pt": """
    amanhã=tomorrow, depois de amanhã=the day after tomorrow, hoje=today, hoje à noite=tonight,
    amanhã de manhã=tomorrow morning, amanhã à tarde=tomorrow afternoon, amanhã à noite=tomorrow night,
    meio-dia=noon, meia-noite=midnight, cada=every, todos os=every, todas as=every, próximo=next, próxima=next,
    na próxima=next, no próximo=next, que vem=⟨next⟩, daqui a=in, em=in, até=until, até ao=until, até o=until,
    até dia=until, até ao dia=until, até o dia=until, antes de=before, às=at, uma=one, desde=since,
    aniversário=birthday, no dia=on, dia=on, este=this, esta=this, fim de semana=weekend,
    segunda-feira=monday, terça-feira=tuesday, quarta-feira=wednesday, quinta-feira=thursday, sexta-feira=friday,
    na segunda-feira=on monday, na terça-feira=on tuesday, na quarta-feira=on wednesday,
    na quinta-feira=on thursday, na sexta-feira=on friday
    """,
}
_BEFORE_DAYS = {
    "de": {"am": "on", "an diesem": "this"},
    "es": {"el": "on"},
    "fr": {"ce": "this"},
    "it": {"questo": "this"},
    "pt": {"no": "on", "neste": "this"},
}
_BEFORE_MONTHS = {
    "de": {"im": "in", "anfang": "early", "ende": "late", "mitte": "mid"},
    "es": {},
    "fr": {},
    "it": {"a": "in"},
    "pt": {},
}
_HABITS = {"de": "{}s", "es": "los {}", "fr": "le {}", "it": "il {}", "pt": "aos {}s"}

SIGNS = {
    "de": words(
        """montag dienstag mittwoch donnerstag freitag samstag sonntag übermorgen morgen heute nächste nächsten
        nächstes jeden jede jedes montags dienstags mittwochs donnerstags freitags samstags sonntags täglich
        wöchentlich monatlich tage tagen woche wochen monat monaten jahre jahren stunden uhr märz juni juli
        januar februar dezember oktober ich wir und nicht ist bitte geburtstag bis habe mein meine meinen zum einen
        termin urlaub vertrag zahnarzt"""
    ),
    "es": words(
        """lunes martes miércoles jueves viernes sábado domingo sábados domingos mañana hoy próxima próximo cada dentro
        días semana mes enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
        cumpleaños tengo vamos estoy hasta cita vacaciones contrato médico del"""
    ),
    "fr": words(
        """lundi mardi mercredi jeudi vendredi samedi dimanche lundis mardis mercredis jeudis vendredis samedis
        dimanches demain aujourd'hui prochain prochaine chaque jours
        semaine mois janvier février avril juin juillet août octobre décembre anniversaire je nous
        c'est j'ai soir matin jusqu'au jusqu'à mon vacances chez rendez suis"""
    ),
    "it": words(
        """lunedì martedì mercoledì giovedì venerdì domenica gennaio febbraio aprile maggio giugno luglio settembre
        ottobre dicembre domani dopodomani oggi stasera prossimo prossima settimana giorni mesi sono fino della
        appuntamento compleanno vacanza contratto ogni"""
    ),
    "pt": words(
        """segunda-feira janeiro fevereiro março maio junho julho setembro outubro novembro dezembro amanhã hoje feira
        próximo próxima semana tenho estou até não aniversário férias consulta reunião meu minha"""
    ),
}
"""Words that tell a language; one that English has, too, must not be here."""


def _listed(entries: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return each form before the "=" of each comma-separated entry with the English words behind it."""
    pairs = (entry.split("=") for entry in entries.split(",") if "=" in entry)
    return {tuple(said.split()): tuple(meant.split()) for said, meant in pairs}


def _translated(language: str) -> dict[tuple[str, ...], tuple[str, ...]]:
    table: dict[tuple[str, ...], tuple[str, ...]] = {}
    for entry in _UNITS[language].split(","):
        forms, meant = entry.split("=")
        table |= {tuple(form.split("-")) if "-" not in form else _hyphened(form): (meant,) for form in forms.split()}
    table |= {(said,): (meant,) for said, meant in zip(_NUMBERS[language], _ENGLISH_NUMBERS, strict=True)}
    table |= {_hyphened(" ".join(said)): meant for said, meant in _listed(_PHRASES[language]).items()}
    for said, meant in zip(DAYS[language], _ENGLISH_DAYS, strict=True):
        table |= {(said,): (meant,)}
        table |= {(*lead.split(), said): (english, meant) for lead, english in _BEFORE_DAYS[language].items()}
        table |= {tuple(_HABITS[language].format(said).split()): ("on", f"{meant}s")[-(1 if language == "de" else 2) :]}
        table |= {("los", f"{said}s"): ("on", f"{meant}s")} if language == "es" else {}
        table |= {(lead, *every, f"{said}s"): ("every", meant) for lead, *every in [("tous", "les")]}
    for said, meant in zip(MONTHS[language], _ENGLISH_MONTHS, strict=True):
        table |= {(said,): (meant,)}
        table |= {(lead, said): (english, meant) for lead, english in _BEFORE_MONTHS[language].items()}
    return table


def _hyphened(phrase: str) -> tuple[str, ...]:
    """Return a phrase as the tokenizer cuts it: "week-end" is three tokens."""
    return tuple(phrase.replace("-", " - ").split())


TABLES = {language: _translated(language) for language in DAYS}
LONGEST = max(len(said) for table in TABLES.values() for said in table)


_GREETINGS = frozenset({"guten", "gute", "am", "jeden", "diesen", "schönen"})
"""Before the German "morgen": the morning."""
_NOUNS_OF_NEXT = words(
    """monday tuesday wednesday thursday friday saturday sunday week month year weekend
    january february march april may june july august september october november december"""
)


def language_of(tokens: Sequence[Token]) -> str:
    """Return the language whose words of time and function the text has most of, "en" without any of them."""
    said = {_said(token) for token in tokens}
    counts = {language: len(said & signs) for language, signs in SIGNS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] else "en"


def _said(token: Token) -> str:
    return token.text.lower().replace("’", "'")


def translate(tokens: Sequence[Token], language: str) -> list[Token]:
    """Return the tokens with English words of time. A phrase may become fewer tokens, which cover the same
    characters.
    """
    table = TABLES[language]
    read: list[Token] = []
    at = 0
    while at < len(tokens):
        used, meant = _longest(tokens, at, table)
        if not used:
            # The token of a word that is none of time. The dot of "3. Mai" is dropped.
            token = tokens[at]
            follower = _said(tokens[at + 1]) if at + 1 < len(tokens) else ""
            is_dot = language == "de" and token.word == "." and at > 0 and tokens[at - 1].word.isdecimal()
            read += [] if is_dot and follower in MONTHS["de"] else [token]
            at += 1
            continue
        read += _relabelled(tokens[at : at + used], meant)
        at += used
    return _in_order(_of_dates(read))


def _longest(
    tokens: Sequence[Token], at: int, table: dict[tuple[str, ...], tuple[str, ...]]
) -> tuple[int, tuple[str, ...]]:
    said = tuple(_said(token) for token in tokens[at : at + LONGEST])
    if said[0] == "morgen" and at and (_said(tokens[at - 1]) in _GREETINGS):
        return 1, ("morning",)
    for length in range(len(said), 0, -1):
        meant = table.get(said[:length])
        if meant:
            return length, meant
    return 0, ()


def _relabelled(tokens: Sequence[Token], meant: Sequence[str]) -> list[Token]:
    """Return the English words over the tokens of a phrase; the last covers what is left, the first what is missing."""
    if len(meant) > len(tokens):
        return [tokens[0]._replace(word=word) for word in meant[: -len(tokens)]] + [
            token._replace(word=word) for token, word in zip(tokens, meant[-len(tokens) :], strict=True)
        ]
    kept = [token._replace(word=word) for token, word in zip(tokens, meant, strict=False)]
    kept[-1] = kept[-1]._replace(end=tokens[-1].end)
    return kept


def _of_dates(tokens: list[Token]) -> list[Token]:
    """Read "3 de mayo de 2027" as "3 of may of 2027", "le 3 mai" and "el 3 de mayo" as "on 3 may"; a weekday that
    comes round ("le vendredi") is one day where a date or "prochain" follows."""
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        follower = tokens[at + 1].word if at + 1 < len(tokens) else ""
        if token.word in {"de", "del"} and before and (before.word.isdecimal() or before.word in _NOUNS_OF_NEXT):
            tokens[at] = token._replace(word="of")
        elif token.word in {"le", "el", "am", "il", "em"} and follower[:1].isdecimal():
            tokens[at] = token._replace(word="on")
        elif before and before.word == "on" and token.word[:-1] in _NOUNS_OF_NEXT:
            is_once = follower[:1].isdecimal() or follower == AFTER
            tokens[at] = token._replace(word=token.word[:-1]) if is_once else token
    return tokens


def _in_order(tokens: list[Token]) -> list[Token]:
    """Put "next" before its noun."""
    for at in range(1, len(tokens)):
        if tokens[at].word == AFTER and tokens[at - 1].word in _NOUNS_OF_NEXT:
            noun = tokens[at - 1].word
            tokens[at - 1] = tokens[at - 1]._replace(word="next")
            tokens[at] = tokens[at]._replace(word=noun)
    return tokens


_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]{1,200}`", re.DOTALL)


def read_speech(text: str, now: datetime) -> Speech:
    tokens = list(_with_breaks(text, tokenize(_CODE.sub(_blank, text))))
    language = language_of(tokens)
    return Speech(tokens if language == "en" else translate(tokens, language), now, language)


def _blank(code: re.Match[str]) -> str:
    """As many marks, which the tokenizer takes for code."""
    return "`" * len(code.group())


def _with_breaks(text: str, tokens: list[Token]) -> Iterator[Token]:
    """Yield the breaks: a line ends a thought unless the next one goes on in lower case."""
    if tokens:
        yield tokens[0]
    for before, token in pairwise(tokens):
        lines = text.count("\n", before.end, token.start)
        if lines > 1 or (lines and not token.text[0].islower()):
            yield Token("\n", BREAK, before.end, before.end, glued=False)
        yield token
