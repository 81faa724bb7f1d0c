"""The English words that tell time, a text cut into them, and names that only sound like times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memories.language.wordlists import forms_of, numbered, phrases, read_lists, words

_LISTS = {name: words(text) for name, text in read_lists(Path(__file__).with_name("words.tsv")).items()}

MONTHS = numbered(
    """january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sept sep,
    october oct, november nov, december dec""",
    start=1,
)
MONTH_NAMES = tuple(name.capitalize() for name in MONTHS if len(name) > 4 or name in {"june", "july", "may"})
PLAIN_MONTHS = words("january february july september october november december")
"""They are nothing but months: they need no preposition. April, June and Jan are people, too; march and may are verbs,
august is an adjective, sun and sat are words."""
VERBLIKE_MONTHS = frozenset({"march", "mar", "may", "august"})
MONTHS_THAT_LEAVE = frozenset({"on", "for", "against", "through", "with", "toward", "towards", "back", "out", "into"})
"""Behind a capital March they make it an event or an order."""

WEEKDAYS = numbered(
    "monday mon, tuesday tues tue, wednesday wed, thursday thurs thur thu, friday fri, saturday sat, sunday sun"
)
PLAIN_WEEKDAYS = frozenset(name for name in WEEKDAYS if name.endswith("day"))
SHORT_WEEKDAYS = words("tues thu thur thurs fri")
"""They are nothing but weekdays: they need no preposition. Mon, tue and wed are words, too."""
WORDLIKE_WEEKDAYS = frozenset({"sun", "sat"})
WEEKDAY_PLURALS = frozenset(f"{name}s" for name in PLAIN_WEEKDAYS)

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Season → first month, of the northern half of the world, by the calendar (meteorological seasons)."""
WORDLIKE_SEASONS = frozenset({"spring", "fall"})

DAY_PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Part of the day → its hours, counted from that day's midnight."""

UNITS = forms_of(
    "minute: minute minutes min mins; hour: hour hours hr hrs; day: day days; week: week weeks; month: month months;"
    "fortnight: fortnight fortnights; quarter: quarter quarters; year: year years; decade: decade decades"
)
CYCLE_UNITS = frozenset({"week", "weekend", "month", "quarter", "year", "decade"})

NUMBERS = numbered(
    """a an one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen""",
    start=1,
) | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
VAGUE_NUMBERS = {"couple": (2, 2), "few": (2, 5), "several": (3, 8)}
"""Word → the least and the most that people mean by it."""

ORDINALS = numbered(
    """first 1st, second 2nd, third 3rd, fourth 4th, fifth 5th, sixth 6th, seventh 7th, eighth 8th, ninth 9th,
    tenth 10th, eleventh 11th, twelfth 12th""",
    start=1,
)
DECADES = {
    name: 10 * tens
    for name, tens in numbered(
        "twenties, thirties, forties, fifties, sixties, seventies, eighties, nineties", start=2
    ).items()
}
SHORT_DECADES = frozenset({50, 60, 70, 80, 90})
"""The decades people write in two digits; "in his 20s" and "a 30s timeout" are none."""
OWNERS = words("my your his her its our their whose")

THIRDS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
"""Which third of a whole: "early May", "the end of May"."""
THIRDS_WITH_OF = frozenset({"beginning", "start", "middle", "end"})

HOLIDAYS = tuple(
    phrases("""
    christmas eve, christmas day, christmas, xmas, boxing day, new year eve, new years eve, new year day,
    new years day, new year, new years, halloween, thanksgiving, black friday, easter sunday, easter monday,
    good friday, easter, valentine day, valentines day
    """)
)
"""As `Token.word` spells them, without possessives. Longer before shorter."""
NOT_A_HOLIDAY_BEFORE = frozenset({"egg", "eggs", "island", "bunny"})

SINCE, AFTER, BEFORE, UNTIL = "since", "after", "before", "until"
OPERATORS = {
    tuple(phrase.split()): operator
    for operator, forms in (
        (SINCE, "since, ever since, starting"),
        (AFTER, "after, following"),
        (BEFORE, "before, prior to"),
        (UNTIL, "until, till, as of, by, up to"),
    )
    for phrase in phrases(forms)
}

PREPOSITIONS = words("in on at during over throughout around for within of from through circa about")
"""What may stand before a time and belongs to its span."""
DEMONSTRATIVES = words("last this next previous past coming upcoming current")
PARTITIVES = words("early late mid end beginning start middle begin half")
TIME_LEADS = (
    PREPOSITIONS | DEMONSTRATIVES | PARTITIVES | {"since", "after", "before", "until", "till", "by", "between", "to"}
)
"""Behind one of these, an ambiguous word is a time."""
MONTH_LEADS = TIME_LEADS - frozenset(
    {"for", "to", "about", "from", "of", "at", "on", "by", "over", "around", "between"}
)
"""What also fits before a person's name ("from June", "about April") does not make a month of it."""
DETERMINERS = words("the a an our my your their this that")
PERSON_VERBS = _LISTS["person_verbs"]
"""Behind April, May, June, August or Jan they tell a person."""

NOT_AFTER_A_YEAR = words("ms kb mb gb tb px percent people rpm kcal usd eur km kg m cm mm dollar euro w kw hz lux k")
NO_PLURALS = words("was is as has does this us its his perhaps always yes")
"""Words in -s that count nothing: behind a number in the place of a year, a plural tells an amount."""

TIME_WORDS = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | SEASONS.keys()
    | DAY_PARTS.keys()
    | UNITS.keys()
    | CYCLE_UNITS
    | NUMBERS.keys()
    | VAGUE_NUMBERS.keys()
    | ORDINALS.keys()
    | DECADES.keys()
    | DEMONSTRATIVES
    | PARTITIVES
    | {name.split()[0] for name in HOLIDAYS}
    | words("the today tonight yesterday tomorrow recently lately earlier later other between from q1 q2 q3 q4 h1 h2")
)
"""What a time can begin with, numbers, prepositions and operators aside. Most words of a text are none of them."""
ADVERBS = words("today tonight yesterday tomorrow recently lately")
"""They take no preposition: in "come over tomorrow" it belongs to the verb."""


LIMITS = words("by until till til before")
LEADS = LIMITS | words("on in for at over during from after starting beginning around since through throughout within")
"""What may stand before a time and belongs to its span."""
NEXT, COMING, THIS = frozenset({"next"}), words("coming upcoming"), frozenset({"this"})
PASSED = words("last previous past")
FEASTS = {
    "christmas": "christmas day",
    "xmas": "christmas day",
    "new year": "new year day",
    "new years": "new year day",
    "easter": "easter sunday",
}
"""Feasts of several days → the day people mean by them."""
NOT_A_DATE_BEHIND = words("version v release build chapter section room page port flight order ticket issue")
NO_DAY_BEHIND = _LISTS["no_day_behind"]
"""Before a weekday: names, titles and wishes."""
NO_RULE_BEHIND = words("some other most many few two three four last past several almost nearly all both no better")
"""Before "weekends" and "every day" they make no rule of them."""
SAME_AS = words("as of like than same")
"""Before "today" they compare."""
ABSTRACT_BEFORE_TOMORROW = words("of better brighter")

EVERY = words("every each")
ALTERNATE = {"other": 2, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
PERIODS = forms_of(
    "day: daily nightly; week: weekly; fortnight: fortnightly biweekly; month: monthly; quarter: quarterly;"
    "year: yearly annually"
)
BIRTHDAYS = words("birthday bday anniversary")
CELEBRATIONS = _LISTS["celebrations"]
"""Behind "birthday" they make something of it that happens once."""

SUBJECTS = words("i we he she they i'm we're they're he's she's i'll we'll he'll she'll they'll i've we've they've i'd")
OPENERS = _LISTS["openers"]
"""What begins a new clause behind a comma or "and"."""
BOUNDARIES = _LISTS["boundaries"] | {"\n", '"', "“", "”"}

FUTURE = _LISTS["future"]
PLANNED = words("can could can't cannot may might would wouldn't couldn't excited supposed expect")
"""They go with what is to come and with much else."""
NEEDED = words("need needs want wants")
"""Who needs or wants something for a day has it still before them."""
FUTURE_BEFORE_TO = words("going need needs have has want wants about ready hoping trying")
PRESENT = _LISTS["present"]
PAST = _LISTS["past"]
"""Forms that are nothing but past. "Got", "been" and the like count as such without a "have", too."""
HEARSAY = words("said told heard")
"""Past verbs that are told of things to come."""
ARRANGED = _LISTS["arranged"]
"""What has been done so that something happens later: it does not make the time past."""
SETTLED = HEARSAY | words("agreed decided promised signed confirmed asked")
"""Of these the ones that are done at once, whatever they are about."""
ANNOUNCED = words("announced planned approved proposed promised scheduled arranged")
"""What is done about things that are to come: "announced layoffs for March", "a price rise from March"."""
MADE_FOR = ANNOUNCED | _LISTS["made_for"]
"""What is done before the day that it is done for."""
MOVED = _LISTS["moved"]
"""What it is moved from is over; what it is moved to is to come."""
NOT = words("not isn't wasn't")
"""Right before a day they tell that it is another one."""
INSTEAD = words("sondern sino")
"""Behind a day they tell the same, but for "sondern auch" and "sino también"."""
TOO = words("auch también")
SWAPPED = words("swap swapped trade traded")
"""A day right behind them is what is given away: "I swapped Friday with Ann"."""
NOT_A_PAST_FORM = _LISTS["not_a_past_form"]
OCCASIONS = _LISTS["occasions"]
"""What somebody says of it in the present tense looks ahead: "the exam is in Q1"."""
TIMETABLED = _LISTS["timetabled"]
"""So do these of what is told of once."""
HABITS = words("usually always often typically generally normally sometimes tend tends")
"""A single day in a clause with one of them is any such day."""
MODALS = words("must should could would might may can")
BE = words("am is are be being get getting gets isn't aren't i'm we're you're they're it's he's she's that's there's")
HAVE = words("have has haven't hasn't i've we've you've they've having")
PRESENT_ENDINGS = ("'m", "'re")
FUTURE_ENDINGS = ("'ll",)

STARTERS = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | {f"{name}s" for name in PLAIN_WEEKDAYS}
    | UNITS.keys()
    | NUMBERS.keys()
    | ORDINALS.keys()
    | DAY_PARTS.keys()
    | LEADS
    | NEXT
    | COMING
    | THIS
    | EVERY
    | PERIODS.keys()
    | words("the today tonight tomorrow early late mid end beginning start middle later weekdays weekends weekday last")
    | words("between noon midnight midday christmas xmas boxing new halloween thanksgiving black easter good valentine")
    | words("valentines once eod few couple week q1 q2 q3 q4")
)
"""What a coming time can begin with, digits aside."""
ANCHORS = (
    MONTHS.keys()
    | WEEKDAYS.keys()
    | {f"{name}s" for name in PLAIN_WEEKDAYS}
    | UNITS.keys()
    | PERIODS.keys()
    | words("today tonight tomorrow weekday weekdays weekend weekends workday workdays morning afternoon evening night")
    | words("summer winter spring autumn fall eod christmas xmas boxing year halloween thanksgiving black easter good")
    | words("valentine valentines years q1 q2 q3 q4")
)
"""One of them, or a number, is in each coming time."""


_CHUNK = re.compile(r"\S+")
_PIECE = re.compile(
    r"(?<![\w/.-])(?:\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]{2,20}(?:Z|[+-]\d\d:?\d\d)?)?|\d{4}-\d{2}"
    r"|\d{1,2}[/-]\d{1,2}[/-]\d{4}|\d{1,2}/\d{1,2}/\d{2}|\d{1,2}\.\d{1,2}\.\d{4})(?![\w/-]|\.\d)"
    r"|\w+(?:['’]\w+)?|\S"
)
_OPAQUE_MARKS = ("@", "_", "\\", "=", "://", "`")
_FILE_NAME = re.compile(r"[^\W\d]\.[^\W_]")
_MAX_CHUNK_CHARS = 200
_PATHLIKE = re.compile(r"[^\W\d]/|/[^\W\d]")
_POSSESSIVE = ("'s", "’s")


class Token(NamedTuple):
    """`word` is lower case and without a possessive; `end` lies before the possessive, too."""

    text: str
    word: str
    start: int
    end: int
    glued: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A text being read at a moment. `now` keeps its time zone; `today` is its midnight, without one."""

    tokens: Sequence[Token]
    now: datetime

    @property
    def local(self) -> datetime:
        return self.now.replace(tzinfo=None)

    @property
    def today(self) -> datetime:
        return self.local.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    def word(self, index: int) -> str:
        """Return the word at a place, "" outside of the text."""
        return self.tokens[index].word if 0 <= index < len(self.tokens) else ""

    def is_capital(self, index: int) -> bool:
        return 0 <= index < len(self.tokens) and self.tokens[index].text[0].isupper()

    def skip(self, index: int, *words: str) -> int:
        """Return the place behind the first of `words` if it stands here, else `index`."""
        return index + 1 if self.word(index) in words and self.word(index) else index

    def before(self, index: int) -> str:
        """Return the word before a place, a "the" overlooked."""
        return self.word(index - 2) if self.word(index - 1) == "the" else self.word(index - 1)


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a text in order. Linear in its length."""
    tokens: list[Token] = []
    for chunk in _CHUNK.finditer(text):
        whole = chunk.group()
        if whole.isalpha() and len(whole) <= _MAX_CHUNK_CHARS:
            tokens.append(_token(whole, chunk.start(), glued=False))
        elif _is_opaque(whole):
            tokens.append(Token(whole, "", chunk.start(), chunk.end(), glued=False))
        else:
            tokens += [
                _token(piece.group(), piece.start(), glued=piece.start() > chunk.start())
                for piece in _PIECE.finditer(text, chunk.start(), chunk.end())
            ]
    return tokens


def _token(text: str, start: int, glued: bool) -> Token:
    stem = text[:-2] if text.endswith(_POSSESSIVE) else text
    return Token(text, stem.lower(), start, start + len(stem), glued)


def _is_opaque(chunk: str) -> bool:
    """Tell whether it is an address, a path, a file or other code; what is too long to be a word is, too."""
    if len(chunk) > _MAX_CHUNK_CHARS or any(mark in chunk for mark in _OPAQUE_MARKS):
        return True
    if _PATHLIKE.search(chunk):
        return not all(piece in MONTHS or piece in WEEKDAYS for piece in chunk.strip(".,;:!?()").lower().split("/"))
    return bool(_FILE_NAME.search(chunk))


READ_BEFORE = 120
"""So many characters before a time tell what it is."""
_WORD = re.compile(r"[^\W\d_]+")
_ALWAYS_CAPITAL = (
    MONTHS.keys() | WEEKDAYS.keys() | SEASONS.keys() | {part for name in HOLIDAYS for part in name.split()}
)
_SENTENCE_BEGINS = re.compile(r"(?:^|[.!?:;\n])\W*$")
_OPENS_QUOTE = re.compile(r"(?:^|\s)[\"“'‘]$")
_WORK = r"(?:films?|movies?|songs?|books?|novels?|albums?|series|musical|magazine|podcast|band|track)"
_OF_WORK = re.compile(rf"\b(?:{_WORK}|watch\w*|read(?:s|ing)?|saw|seen|listen\w* to)\b[^.!?;]{{0,40}}$", re.IGNORECASE)
_IS_NAMED = re.compile(rf"\b(?:{_WORK}|(?:is|are|was|were) (?:called|named)|titled|entitled) $", re.IGNORECASE)
_STREET = re.compile(r" (?:Street|Road|Rd|Avenue|Ave|Lane|Drive|Square|Terrace|Gardens|Crescent|Boulevard)\b")
_NAME_GOES_ON = re.compile(r" (?!I\b|I['’])[A-Z][a-z]")

_DAY_OF_MONTH = r"(?:the )?\d{1,2}(?:st|nd|rd|th)"
_OF_PERIOD = re.compile(
    rf"(?:(?:, and| and| or|,) (?:on )?{_DAY_OF_MONTH})* (?:of the|(?:of|in) (?:every|each|any)) "
    r"(?:\w+ )?(?:month|quarter|year|week)\b",
    re.IGNORECASE,
)
_DAY = rf"(?:on )?(?:{'|'.join(sorted(PLAIN_WEEKDAYS))})(?: (?:morning|afternoon|evening|night))?"
_BARE_WEEKDAY = re.compile(_DAY, re.IGNORECASE)
_COURSE = re.compile(r"\b(?:class|classes|lessons|practice|choir|stand-?up) (?:is|are) $", re.IGNORECASE)
_ONCE = re.compile(r"\b(?:first|next|last|final|trial)\b", re.IGNORECASE)
_OPENING_HOUR = re.compile(
    r"\b(?:bakery|shop|store|supermarket|pharmacy|gym|library|pool|bank|office|museum|caf[eé]|restaurant|market|clinic|"
    r"canteen|bar|pub|nursery|school)\b[^.!?;]* (?:(?:opens|closes) (?:at|from)|(?:is )?open (?:until|till|from|to)) "
    r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)? $",
    re.IGNORECASE,
)

_EXCEPTED = re.compile(
    r"\b(?:except(?:ing)?|excluding|(?:apart|aside)(?: from)?|other than|exception of|(?:days?|month) but)"
    r"(?: (?:for|on|in|at))?(?: the)? $",
    re.IGNORECASE,
)
_EVERY = re.compile(r"(?:every|each)\b", re.IGNORECASE)
_PARTS_OF_DAYS = re.compile(r" (?:mornings|afternoons|evenings|nights)\b", re.IGNORECASE)
_BREAK = re.compile(r" (?:break|holidays?|vacation|term|semester|sale|collection|edition|menu)\b", re.IGNORECASE)
_ANNOUNCED = re.compile(
    r"\b(?:announced|promised|proposed|approved) (?!(?:on|in|that|to)\b)[\w%. -]{3,80} $", re.IGNORECASE
)
_WHAT_FOLLOWS = re.compile(r" (?:that|to)\b")
_FEAST_SEASON = re.compile(r" (?:season|party|dinner|market|play|concert|card|presents?|tree)\b", re.IGNORECASE)
"""Of a feast, "before the Christmas season": its year goes behind none of them."""
_IN_MONTH = re.compile(rf"in (?:{'|'.join(MONTHS)})", re.IGNORECASE)
_OF_EVERY_YEAR = re.compile(
    r"\b(?:schools?|school year|terms?|semesters?|academic year|fiscal year|financial year|tax year|(?<!this )seasons?|"
    r"summer holidays|harvest|hunting|monsoon|rainy season|university|lectures|classes|kindergarten|nursery)\b"
    r"(?: \w+){0,2} (?:starts?|begins?|ends?|opens?|closes?|runs?|(?:is|are)(?: usually| always)?) $",
    re.IGNORECASE,
)
"""Begins or ends in the same month of each year, if it is told in the present."""
_FROM_TODAY = re.compile(r"\b(?:last|next|this|past|coming|today|tonight|tomorrow|yesterday|ago)\b", re.IGNORECASE)


def stays_as_said(text: str, start: int, end: int) -> bool:
    """Tell whether the time from `start` to before `end` is no date to write out."""
    time, before, behind = text[start:end], text[max(0, start - READ_BEFORE) : start], text[end:]
    if is_name(text, start, end) or comes_round(text, start, end) or behind.startswith(" of an hour"):
        return True
    if _IN_MONTH.fullmatch(time) and _ANNOUNCED.search(before) and not _WHAT_FOLLOWS.match(behind):
        return True  # "announced a road closure in August": then or for then
    if _FROM_TODAY.search(time):
        return False
    # Part of a name, "after the autumn break", "before the Christmas season".
    is_season = time.lower().split()[-1] in SEASONS and _BREAK.match(behind)
    is_feast = time.lower().endswith(HOLIDAYS) and _FEAST_SEASON.match(behind)
    return bool(is_season or is_feast) or is_excepted(text, start)


def is_excepted(text: str, start: int) -> bool:
    """Tell whether what stands before a time takes it out: "every day except for Friday" names no day."""
    return bool(_EXCEPTED.search(text[max(0, start - READ_BEFORE) : start]))


def is_name(text: str, start: int, end: int) -> bool:
    """Tell whether words of time are a name: "the song Yesterday", "12 March Street"; "Tomorrow" may begin one."""
    time, before, behind = text[start:end], text[max(0, start - READ_BEFORE) : start], text[end:]
    words = _WORD.findall(time)
    usual = [word.lower() in _ALWAYS_CAPITAL for word in words]
    if _STREET.match(behind):
        return any(usual)
    is_capital = time[:1].isupper() and not time.isupper() and any(word.lower() in TIME_WORDS for word in words)
    if not is_capital or _SENTENCE_BEGINS.search(before):
        return False
    if _IS_NAMED.search(before) or _NAME_GOES_ON.match(behind):
        return True
    is_title = all(word[0].isupper() for word in words) and not all(usual)
    return is_title and bool(_OF_WORK.search(before) or _OPENS_QUOTE.search(before))


def is_of_every_year(text: str, start: int, end: int) -> bool:
    """Tell whether a time is of every year: "School starts in September", whichever."""
    before = text[max(0, start - READ_BEFORE) : start]
    return bool(_IN_MONTH.fullmatch(text[start:end]) and _OF_EVERY_YEAR.search(before))


def comes_round(text: str, start: int, end: int) -> bool:
    """Tell whether a time comes round.

    "The 1st of every month", "our yoga class is on Wednesday evening", "closes at 8 on Saturday", "school starts in
    September".
    """
    time, before, behind = text[start:end], text[max(0, start - READ_BEFORE) : start], text[end:]
    if _EVERY.match(time) or (_BARE_WEEKDAY.fullmatch(time) and _PARTS_OF_DAYS.match(behind)):
        return True
    if _OF_PERIOD.match(behind) or is_of_every_year(text, start, end):
        return True
    is_course = _COURSE.search(before) and not _ONCE.search(before)
    return bool(_BARE_WEEKDAY.fullmatch(time) and (is_course or _OPENING_HOUR.search(before)))
