"""The English words that tell time. Data only; `temporal_dates.py` decides when one of them is a date."""

MONTHS = {
    name: number
    for number, names in enumerate(
        """january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sept sep|october oct
        |november nov|december dec""".split("|"),
        start=1,
    )
    for name in names.split()
}
PLAIN_MONTHS = frozenset("january february july september october november december".split())
"""They are nothing but months: they need no preposition. April, June and Jan are people, too; march and may are verbs,
august is an adjective, sun and sat are words."""
VERBLIKE_MONTHS = frozenset({"march", "mar", "may", "august"})
MONTHS_THAT_LEAVE = frozenset({"on", "for", "against", "through", "with", "toward", "towards", "back", "out", "into"})
"""Behind a capital March they make it an event or an order."""

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        """monday mon|tuesday tues tue|wednesday wed|thursday thurs thur thu|friday fri|saturday sat
        |sunday sun""".split("|")
    )
    for name in names.split()
}
PLAIN_WEEKDAYS = frozenset(name for name in WEEKDAYS if name.endswith("day"))
WORDLIKE_WEEKDAYS = frozenset({"sun", "sat"})
WEEKDAY_PLURALS = frozenset(f"{name}s" for name in PLAIN_WEEKDAYS)

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Season → first month, of the northern half of the world, by the calendar (meteorological seasons)."""
WORDLIKE_SEASONS = frozenset({"spring", "fall"})

DAY_PARTS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Part of the day → its hours, counted from that day's midnight."""

UNITS = {
    form: unit
    for unit, forms in {
        "minute": "minute minutes min mins",
        "hour": "hour hours hr hrs",
        "day": "day days",
        "week": "week weeks",
        "fortnight": "fortnight fortnights",
        "month": "month months",
        "quarter": "quarter quarters",
        "year": "year years",
        "decade": "decade decades",
    }.items()
    for form in forms.split()
}
CYCLE_UNITS = frozenset({"week", "weekend", "month", "quarter", "year", "decade"})

NUMBERS = {
    word: number
    for number, words in enumerate(
        "|a an one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen".split("|")
    )
    for word in words.split()
} | {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90}
VAGUE_NUMBERS = {"couple": (2, 2), "few": (2, 5), "several": (3, 8)}
"""Word → the least and the most that people mean by it."""

ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
}
DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50,
    "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90,
}  # fmt: skip
SHORT_DECADES = frozenset({50, 60, 70, 80, 90})
"""The decades people write in two digits; "in his 20s" and "a 30s timeout" are none."""
OWNERS = frozenset("my your his her its our their whose".split())

HOLIDAYS = (
    "christmas eve", "christmas day", "christmas", "xmas", "boxing day", "new year eve", "new years eve",
    "new year day", "new years day", "new year", "new years", "halloween", "thanksgiving", "black friday",
    "easter sunday", "easter monday", "good friday", "easter", "valentine day", "valentines day",
)  # fmt: skip
"""As `Token.word` spells them, without possessives. Longer before shorter."""
NOT_A_HOLIDAY_BEFORE = frozenset({"egg", "eggs", "island", "bunny"})

SINCE, AFTER, BEFORE, UNTIL = "since", "after", "before", "until"
OPERATORS = {
    ("since",): SINCE, ("ever", "since"): SINCE, ("starting",): SINCE, ("as", "of"): SINCE,
    ("after",): AFTER, ("following",): AFTER,
    ("before",): BEFORE, ("prior", "to"): BEFORE,
    ("until",): UNTIL, ("till",): UNTIL, ("by",): UNTIL, ("up", "to"): UNTIL,
}  # fmt: skip

PREPOSITIONS = frozenset("in on at during over throughout around for within of from through circa about".split())
"""What may stand before a time and belongs to its span."""
DEMONSTRATIVES = frozenset("last this next previous past coming upcoming current".split())
PARTITIVES = frozenset("early late mid end beginning start middle begin half".split())
LEADS = PREPOSITIONS | DEMONSTRATIVES | PARTITIVES | {"since", "after", "before", "until", "till", "by", "between", "to"}
"""Behind one of these, an ambiguous word is a time."""
MONTH_LEADS = LEADS - frozenset({"for", "to", "about", "from", "of", "at", "on", "by", "over", "around", "between"})
"""What also fits before a person's name ("from June", "about April") does not make a month of it."""
DETERMINERS = frozenset("the a an our my your their this that".split())
PERSON_VERBS = frozenset(
    """said says told tells asked asks left came comes is was has had does did wants wanted likes liked lives lived
    works worked called calls wrote writes went goes moved got gets and's joined quit thinks thought knows knew"""
    .split()
)  # fmt: skip
"""Behind April, May, June, August or Jan they tell a person."""

NOT_AFTER_A_YEAR = frozenset(
    "ms kb mb gb tb px percent people rpm kcal usd eur km kg m cm mm dollar euro w kw hz lux k".split()
)
NO_PLURALS = frozenset("was is as has does this us its his perhaps always yes".split())
"""Words in -s that count nothing: behind a number in the place of a year, a plural tells an amount."""
