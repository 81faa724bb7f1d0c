"""The words of numbers, units, bounds and the calendar. Data only."""

from memories.text.wordlist import numbered, words

INFINITY = float("inf")
SECOND, MINUTE, HOUR, DAY = 1.0, 60.0, 3_600.0, 86_400.0

NUMBER_WORDS = numbered(
    "zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, "
    "sixteen, seventeen, eighteen, nineteen"
)
TENS = {
    word: 10 * value
    for word, value in numbered("twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety", start=2).items()
}
MULTIPLIERS = {"k": 1e3, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "dozen": 12.0}

_UNIT_LINES = {
    "duration": {
        0.001: "ms msec msecs millisecond milliseconds",
        SECOND: "s sec secs second seconds",
        MINUTE: "min mins minute minutes",
        HOUR: "h hr hrs hour hours",
        DAY: "d day days night nights",
        7 * DAY: "week weeks wk",
        14 * DAY: "fortnight",
        30 * DAY: "month months",
        365 * DAY: "year years yr yrs",
        3_650 * DAY: "decade decades",
    },
    "size": {
        1e3: "kb kib kilobyte kilobytes",
        1e6: "mb mib megabyte megabytes",
        1e9: "gb gib gig gigs gigabyte gigabytes",
        1e12: "tb tib terabyte terabytes",
    },
    "bandwidth": {1e6: "mbps mbit", 1e9: "gbps gbit"},
    "percentage": {1.0: "% percent pct"},
    "distance": {0.01: "cm", 1.0: "m metre metres meter meters", 1e3: "km kilometre kilometres kilometer kilometers",
                 1609.0: "mile miles"},
    "mass": {1e-6: "mcg µg μg ug microgram micrograms",
             1e-3: "mg milligram milligrams", 1.0: "g gram grams", 1e3: "kg kilo kilos kilogram kilograms"},
    "volume": {1e-3: "ml", 1.0: "l litre litres liter liters"},
    "temperature": {1.0: "° degrees degree celsius"},
    "euros": {1.0: "€ eur euro euros"},
    "dollars": {1.0: "$ usd dollar dollars"},
    "pounds": {1.0: "£ gbp"},
    "power": {1.0: "w watt watts", 1e3: "kw kilowatt"},
    "energy": {1.0: "kwh"},
}  # fmt: skip
UNITS: dict[str, tuple[str, float]] = {
    word: (kind, factor)
    for kind, factors in _UNIT_LINES.items()
    for factor, words in factors.items()
    for word in words.split()
}
"""Unit word → (kind of quantity, factor to the kind's base unit: s, byte, m, g, l, …)."""

ADJECTIVES_OF_PERIOD = {
    "hourly": HOUR, "daily": DAY, "nightly": DAY, "weekly": 7 * DAY, "biweekly": 14 * DAY, "fortnightly": 14 * DAY,
    "monthly": 30 * DAY, "quarterly": 91 * DAY, "yearly": 365 * DAY, "annually": 365 * DAY, "annual": 365 * DAY,
}  # fmt: skip
PARTS_OF_DAY = {
    "morning": (6 * 60, 12 * 60), "mornings": (6 * 60, 12 * 60), "forenoon": (6 * 60, 12 * 60),
    "afternoon": (12 * 60, 18 * 60), "afternoons": (12 * 60, 18 * 60), "evening": (17 * 60, 23 * 60),
    "evenings": (17 * 60, 23 * 60), "night": (20 * 60, 30 * 60), "nights": (20 * 60, 30 * 60),
    "tonight": (20 * 60, 30 * 60), "overnight": (20 * 60, 30 * 60), "daytime": (6 * 60, 20 * 60),
    "noon": (12 * 60, 12 * 60), "midday": (12 * 60, 12 * 60), "lunchtime": (11 * 60 + 30, 14 * 60),
    "midnight": (24 * 60, 24 * 60), "dawn": (5 * 60, 8 * 60), "sunrise": (5 * 60, 8 * 60),
    "dusk": (17 * 60, 22 * 60), "sunset": (17 * 60, 22 * 60),
}  # fmt: skip
"""Minutes since midnight, (from, to); a night ends on the next day."""

MEALS = {
    "breakfast": (6 * 60, 10 * 60), "lunch": (12 * 60, 14 * 60), "dinner": (18 * 60, 21 * 60),
    "supper": (18 * 60, 21 * 60), "bedtime": (21 * 60, 24 * 60 - 1), "work": (17 * 60, 19 * 60),
}  # fmt: skip
"""Times of day only behind "before" and "after"."""

WEEKDAYS: dict[str, tuple[int, int]] = {
    name: (day, day)
    for name, day in numbered(
        "monday mondays mon, tuesday tuesdays tue tues, wednesday wednesdays wed, thursday thursdays thu thurs, "
        "friday fridays fri, saturday saturdays, sunday sundays"
    ).items()
} | {"weekday": (0, 4), "weekdays": (0, 4), "weekend": (5, 6), "weekends": (5, 6)}
"""Name → first and last day it covers, Monday = 0."""

MONTHS = numbered(
    "january jan, february feb, march mar, april apr, may, june jun, july jul, august aug, september sep sept, "
    "october oct, november nov, december dec",
    start=1,
)
MONTHS_THAT_ARE_WORDS = frozenset({"may", "march", "mar", "jan"})
"""They name a month only next to a day or after "in"."""

DAYS_OF_MONTH = {
    ("first", "of"): 1, ("first", "day", "of"): 1, ("beginning", "of"): 1, ("start", "of"): 1, ("middle", "of"): 15,
    ("last", "day", "of"): 31, ("end", "of"): 31,
}  # fmt: skip
"""What stands before "the month" or "every month", and the day it names."""

ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})

APPROXIMATIONS = words("about around roughly approximately circa ca ~ nearly almost some approx")

BOUNDS: dict[tuple[str, ...], str] = {
    tuple(phrase.split()): side
    for side, phrases in {
        "max": "up to,at most,no more than,not more than,below,under,less than,fewer than,within,maximum,max,"
        "a maximum of,smaller than,shorter than,lower than,<,≤,at the latest",
        "min": "at least,no less than,not less than,above,over,more than,larger than,bigger than,longer than,"
        "greater than,higher than,minimum,min,a minimum of,exceeding,beyond,>,≥",
    }.items()
    for phrase in phrases.split(",")
}

BEFORE_A_UNIT_ALONE = APPROXIMATIONS | words(
    "take takes took last lasts lasted in after within for least most to than over under need needs wait waits be is "
    "half hour hours and at of for than by every is was happens ahead"
)
"""What may stand before "a minute" meaning one minute; "a pack a day" is not a duration."""

STATUS_WORDS = words("http https status code")
ANSWER_VERBS = words("returns return returned returning answers answer responds respond replies with gives")
STATUS_NOUNS = words("redirect error status response code when if for on until while instead")
YEARS = range(1900, 2100)
STATUS_CODES = range(100, 600)
