"""The English words that tell time. Data only; `temporal_names.py` decides when one of them is a date."""

from memories.text.wordlist import numbered, words

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
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50,
    "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90,
}  # fmt: skip
SHORT_DECADES = frozenset({50, 60, 70, 80, 90})
"""The decades people write in two digits; "in his 20s" and "a 30s timeout" are none."""
OWNERS = words("my your his her its our their whose")

HOLIDAYS = (
    "christmas eve", "christmas day", "christmas", "xmas", "boxing day", "new year eve", "new years eve",
    "new year day", "new years day", "new year", "new years", "halloween", "thanksgiving", "black friday",
    "easter sunday", "easter monday", "good friday", "easter", "valentine day", "valentines day",
)  # fmt: skip
"""As `Token.word` spells them, without possessives. Longer before shorter."""
NOT_A_HOLIDAY_BEFORE = frozenset({"egg", "eggs", "island", "bunny"})

SINCE, AFTER, BEFORE, UNTIL = "since", "after", "before", "until"
OPERATORS = {
    ("since",): SINCE, ("ever", "since"): SINCE, ("starting",): SINCE, ("as", "of"): UNTIL,
    ("after",): AFTER, ("following",): AFTER,
    ("before",): BEFORE, ("prior", "to"): BEFORE,
    ("until",): UNTIL, ("till",): UNTIL, ("by",): UNTIL, ("up", "to"): UNTIL,
}  # fmt: skip

PREPOSITIONS = words("in on at during over throughout around for within of from through circa about")
"""What may stand before a time and belongs to its span."""
DEMONSTRATIVES = words("last this next previous past coming upcoming current")
PARTITIVES = words("early late mid end beginning start middle begin half")
LEADS = (
    PREPOSITIONS | DEMONSTRATIVES | PARTITIVES | {"since", "after", "before", "until", "till", "by", "between", "to"}
)
"""Behind one of these, an ambiguous word is a time."""
MONTH_LEADS = LEADS - frozenset({"for", "to", "about", "from", "of", "at", "on", "by", "over", "around", "between"})
"""What also fits before a person's name ("from June", "about April") does not make a month of it."""
DETERMINERS = words("the a an our my your their this that")
PERSON_VERBS = words(
    """
    said says told tells asked asks left came comes is was has had does did wants wanted likes liked lives
    lived works worked called calls wrote writes went goes moved got gets joined quit thinks thought knows
    knew
    """
)
"""Behind April, May, June, August or Jan they tell a person."""

NOT_AFTER_A_YEAR = words("ms kb mb gb tb px percent people rpm kcal usd eur km kg m cm mm dollar euro w kw hz lux k")
NO_PLURALS = words("was is as has does this us its his perhaps always yes")
"""Words in -s that count nothing: behind a number in the place of a year, a plural tells an amount."""

TIME_WORDS = (
    MONTHS.keys() | WEEKDAYS.keys() | SEASONS.keys() | DAY_PARTS.keys() | UNITS.keys() | CYCLE_UNITS | NUMBERS.keys()
    | VAGUE_NUMBERS.keys() | ORDINALS.keys() | DECADES.keys() | DEMONSTRATIVES | PARTITIVES
    | {name.split()[0] for name in HOLIDAYS}
    | words("the today tonight yesterday tomorrow recently lately earlier later other between from q1 q2 q3 q4 h1 h2")
)  # fmt: skip
"""What a time can begin with, numbers, prepositions and operators aside. Most words of a text are none of them."""
ADVERBS = words("today tonight yesterday tomorrow recently lately")
"""They take no preposition: in "come over tomorrow" it belongs to the verb."""
