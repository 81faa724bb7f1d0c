"""The closed classes of English words that decide how a statement is read, and the stems of all others."""

from functools import lru_cache

from memories.language.wordlists import forms_of, numbered, phrases, words

STOP_WORDS = words("""
    a an the this that these those it its itself he she they them their his her him hers theirs i me my we us
    our you your one ones someone somebody anyone everyone who whom whose which what there here
    be is are was were been being am do does did done doing will would shall should can
    could may might must get gets got getting go goes went gone going let lets make makes made
    and or as so too also both either just still yet already very quite really rather even much many more most
    some any all each every own other another such same then than thus else otherwise again
    usually normally often mostly typically generally commonly frequently currently presently
    fine ok okay well please able about approximately around roughly circa nearly almost
    possible possibly probably perhaps maybe likely how where why
    user users user's say says said tell told mention mentioned ask asked want wants wanted wish
    now today new since last year current
    """)
"""Words that carry no matter of their own. Single words only."""

PHRASES_WITHOUT_MATTER = (
    "in order",
    "in order to",
    "have to",
    "has to",
    "had to",
    "need to",
    "needs to",
    "be able to",
    "as well as",
    "not only",
    "but also",
    "as soon as",
    "take place",
    "due to",
    "in case of",
    "as long as",
    "at the moment",
    "of course",
    "make sure",
    "no matter",
    "no doubt",
    "in general",
    "so that",
    "a lot of",
    "lots of",
    "kind of",
    "for example",
    "at the same time",
    "at once",
    "such as",
    "suffer from",
    "by default",
    "in use",
    "by means of",
    "with respect to",
    "be used to",
    "be used for",
    "used for",
    "on time",
)

PREPOSITIONS = words("""
    in on at by to from for of with into onto over under above below between through during within via inside
    outside behind near against across along toward towards upon per off out up down first before after
    """)
"""Single words only. They name the slot that a value fills ("lives in", "is led by")."""

CONDITIONALS = words("when whenever if unless while until once because although though whereas")
"""Single words only. They open a side clause: the circumstances, not the claim."""

CLAUSE_BOUNDARIES = words(", ; . : ! ? ( ) -- → but however")
"""Where the reach of a negation ends."""

NEGATING_PHRASES = tuple(
    phrases("""
    not, never, terminate, call off, wind down, die, forbid, prohibit, ban, disallow, outlaw, step down,
    withdraw from, opt out of, pass away, split from, break up with, none, nor, neither, nothing, nobody, cannot,
    hardly, barely, no longer, not any more, not anymore, no more, none of, at no time, under no circumstances, stop,
    quit, give up, cease, refuse, refuse to, fail to, avoid, refrain from, abandon, unable, unable to, incapable of,
    get rid of, lack, lack of, drop out of, be done with, used to, formerly, previously, former, in the past, leave,
    resign from, move away from, sell, lose, cancel, retire, abolish, discontinue, decommission, drop support for
    """)
)
"""They deny what follows up to the end of the clause."""

NARROW_NEGATORS = tuple(
    phrases("""
    no, without, instead of, rather than, as opposed to, independent of, independently of, regardless of,
    irrespective of, except, except for, apart from, other than, free of, exclude, in place of, in lieu of, away from,
    non, more than just
    """)
)
"""They deny only the phrase that follows, and cancel a `not` earlier in their clause."""

LIGHT_PREDICATES = words("""
    run help helps happen happens happened occur occurs exist exists apply applies matter matters enough suffice
    suffices sufficient necessary needed required true correct allowed guaranteed supported used recommended
    useful worth work works working hold holds permitted possible done
    """)
"""When one of these is denied, what stands before it is denied too ("restarting does not help")."""

ENDINGS = words("""
    terminated died dead cancelled canceled abandoned discontinued decommissioned retired scrapped abolished
    quit resigned left forbidden prohibited banned disallowed outlawed
    """)
"""Negators whose subject is gone, too: what stands before them is denied ("the project was cancelled")."""

AUXILIARIES = words("""
    be is are was were been being do does did have has had will would shall should can could may might must
    """)
"""Where one of these stands, the subject of the sentence is over."""

PREFERENCE_VERBS = words("prefer like love enjoy favour favor choose pick")
"""After one of these, "over" and "more than" introduce the loser of a comparison."""

CHANGE_VERBS = words("move switch migrate change convert transfer relocate upgrade downgrade go transition port")
"""After one of these, "from" introduces what no longer holds."""

EXCLUSIVES = words("only exclusively solely nothing_but strictly")

VERBS = words("""
    accept add affect allow answer appear approve arrive ask assign avoid bake become begin block boot break
    bring build buy cache call cancel cause change check choose clean clear close collect come commit compile
    configure connect contain cook copy crash create cycle dance debug delete deliver depend deploy die disable
    dislike download drain drink drive drop eat emit enable encrypt end enforce enjoy escalate evict execute
    exist expect expire export expose fail fall feed fetch fill find finish fire fix flush follow force forward
    generate give go grow handle hang happen hate help hide hit hold host ignore import increase inject insert
    install invalidate issue join keep kill know last launch lead learn leave like limit listen live load lock
    log lose love lower maintain make manage marry match mean meet migrate monitor mount move need notify occur
    offer open order own park pass pay pick play point poll prefer prepare produce prune publish pull purge push
    put queue quit raise reach read reboot receive redirect reduce refresh refuse register reject reload remove
    renew replace reply report require reset resolve respond restart restore retain retry return ride rotate run
    save scale scan seal see sell send serve set share shut sit skip sleep smoke speak spend squash start stay
    stop store stream study suffer support swap swim switch sync take talk teach tend test throw time tolerate
    train transcode travel trigger trust try turn understand unplug unseal update upgrade upload use validate
    verify visit wait wake walk want warn watch wear work write
    """)
"""Common verbs; where the first one stands, the subject of a sentence ends. Single words only."""

OWN_STEMS = words("""
    stateful supper
    terminal banner bane exception retirement norris hard hardly bare barely former formerly format formal
    formally information quite quiet always bearer building container data dns evening german https kubernetes
    later letter loss manager meeting morning nas news note number port postgres rate red redis runner server
    string timeout tls user wedding weight writable
    """)
"""Words that the suffix rules must leave as they are."""

IRREGULAR_FORMS = forms_of("""
    analysis: analyses; approve: approval; bad: worse worst; bass: bassist; be: was were is are been being am;
    become: became; begin: began begun; belong: belongs; bind: bound; break: broke broken; bring: brought;
    build: built; buy: bought; cancel: cancelled cancelling; catch: caught; cello: cellist; child: children kids
    kid; choose: chose chosen; come: came; container: containers; control: controlled controlling; cycling:
    cyclist; die: dying died; divorce: divorcee; do: does did done; draw: drew drawn; drink: drank; drive: drove
    driven; drum: drummer; eat: ate eaten; fail: failure failures; fall: fell fallen; feed: fed; feel: felt;
    find: found; flute: flautist flutist; fly: flew; foot: feet; forbid: forbidden; forget: forgot forgotten;
    freeze: froze; get: got; give: gave given; go: went gone goes; good: better best; grow: grew growth; guitar:
    guitarist; have: has had having; hear: heard; hide: hid hidden; hold: held; index: indices indexes; keep:
    kept; knife: knives; know: knew known; label: labelled; lay: laid; lead: led; leave: left; live: lives
    living; lose: lost; man: men; manage: managed manages; manager: managers; marry: marriage; meet: met;
    meeting: meetings; model: modelled; mouse: mice; note: notes noted noting; terminal: terminals; banner:
    banners; exception: exceptions; number: numbers; organ: organist; overwrite: overwritten; pay: paid; person:
    people; photography: photographic; piano: pianist; port: ports; rate: rates; rebuild: rebuilt; remove:
    removal; renew: renewal; restore: restoration; rewrite: rewritten rewrote; ride: rode ridden; run: ran;
    runner: runners; say: said; see: saw seen; sell: sold; send: sent; server: servers; show: shown; sing: sang
    sung; sleep: slept; smoke: smoker; speak: spoke spoken; spend: spent; stand: stood; steal: stolen stole;
    swim: swam; take: took taken; teach: taught; tell: told; think: thought; throw: threw thrown; tooth: teeth;
    travel: travelled travelling; understand: understood; use: uses used using; user: users; vegan: veganism;
    vegetarian: vegetarianism; violin: violinist; wake: woke; wear: wore; wife: wives; win: won; wind: wound;
    woman: women; write: wrote written
    """)
"""Forms that the suffix rules would get wrong, and players named after their instruments."""


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
    "distance": {
        0.01: "cm",
        1.0: "m metre metres meter meters",
        1e3: "km kilometre kilometres kilometer kilometers",
        1609.0: "mile miles",
    },
    "mass": {
        1e-6: "mcg µg μg ug microgram micrograms",
        1e-3: "mg milligram milligrams",
        1.0: "g gram grams",
        1e3: "kg kilo kilos kilogram kilograms",
    },
    "volume": {1e-3: "ml", 1.0: "l litre litres liter liters"},
    "temperature": {1.0: "° degrees degree celsius"},
    "euros": {1.0: "€ eur euro euros"},
    "dollars": {1.0: "$ usd dollar dollars"},
    "pounds": {1.0: "£ gbp"},
    "power": {1.0: "w watt watts", 1e3: "kw kilowatt"},
    "energy": {1.0: "kwh"},
}
UNITS: dict[str, tuple[str, float]] = {
    word: (kind, factor)
    for kind, factors in _UNIT_LINES.items()
    for factor, words in factors.items()
    for word in words.split()
}
"""Unit word → (kind of quantity, factor to the kind's base unit: s, byte, m, g, l, …)."""

ADJECTIVES_OF_PERIOD = {
    "hourly": HOUR,
    "daily": DAY,
    "nightly": DAY,
    "weekly": 7 * DAY,
    "biweekly": 14 * DAY,
    "fortnightly": 14 * DAY,
    "monthly": 30 * DAY,
    "quarterly": 91 * DAY,
    "yearly": 365 * DAY,
    "annually": 365 * DAY,
    "annual": 365 * DAY,
}
PARTS_OF_DAY = {
    "morning": (6 * 60, 12 * 60),
    "mornings": (6 * 60, 12 * 60),
    "forenoon": (6 * 60, 12 * 60),
    "afternoon": (12 * 60, 18 * 60),
    "afternoons": (12 * 60, 18 * 60),
    "evening": (17 * 60, 23 * 60),
    "evenings": (17 * 60, 23 * 60),
    "night": (20 * 60, 30 * 60),
    "nights": (20 * 60, 30 * 60),
    "tonight": (20 * 60, 30 * 60),
    "overnight": (20 * 60, 30 * 60),
    "daytime": (6 * 60, 20 * 60),
    "noon": (12 * 60, 12 * 60),
    "midday": (12 * 60, 12 * 60),
    "lunchtime": (11 * 60 + 30, 14 * 60),
    "midnight": (24 * 60, 24 * 60),
    "dawn": (5 * 60, 8 * 60),
    "sunrise": (5 * 60, 8 * 60),
    "dusk": (17 * 60, 22 * 60),
    "sunset": (17 * 60, 22 * 60),
}
"""Minutes since midnight, (from, to); a night ends on the next day."""

MEALS = {
    "breakfast": (6 * 60, 10 * 60),
    "lunch": (12 * 60, 14 * 60),
    "dinner": (18 * 60, 21 * 60),
    "supper": (18 * 60, 21 * 60),
    "bedtime": (21 * 60, 24 * 60 - 1),
    "work": (17 * 60, 19 * 60),
}
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
    ("first", "of"): 1,
    ("first", "day", "of"): 1,
    ("beginning", "of"): 1,
    ("start", "of"): 1,
    ("middle", "of"): 15,
    ("last", "day", "of"): 31,
    ("end", "of"): 31,
}
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


STOP = words("""
a an the this that these those it its itself he she they them their his her him we us our you your i me my one ones
be is are was were been being am do does did done doing will would shall should can could may might must has have had
having get gets got getting go goes went gone let and or as so too also both either just still yet already very quite
even than then thus else otherwise again to of in on at by for with from into onto upon per via about around roughly
approximately nearly almost some such own other another there here who whom whose which what where how when while if
because since though although user users 's s not no never none nor without only during within through under over up
out off down until till unless once after before between every each all any more most much many
say says said tell told mention mentioned want wants wanted now today currently usually normally often
""")

NEGATORS = words("not never no none nobody nothing neither nor cannot hardly barely rarely seldom without")
DENIALS = words("not never nobody nothing cannot")
NARROW = words("without over than to instead rather apart except unlike free")
"""Negations that reach over the next words only."""

NEGATIVE_VERBS = words("""
stop stopped stops stopping quit quits ceased ceases avoid avoids avoiding refuse refuses refused fails failed fail lack
lacks lacking forbid forbids forbidden prohibit prohibits prohibited ban bans banned prevent prevents prevented abandon
abandoned cancel cancelled canceled hate hates hated dislike dislikes loathe loathes detest detests despise despises
unable former formerly ex dead gone exclude excluded excludes unwelcome unnecessary impossible mute mutes muted silenced
isolated nobody never hasn haven breaks broke broken reject rejects rejected deny denies denied block blocks blocked
disable disables disabled ignore ignores ignored skip skips skipped disallow disallowed decline declines declined
""")
NEGATIVE_PHRASES = tuple(
    tuple(phrase.split())
    for phrase in (
        "gave up",
        "given up",
        "give up",
        "no longer",
        "instead of",
        "rather than",
        "get rid of",
        "got rid of",
        "used to",
        "can not stand",
        "off limits",
        "free of",
        "gave away",
        "away from",
        "give away",
        "called off",
        "turned down",
        "dropped out",
        "stepped down",
        "not any more",
        "apart from",
        "except for",
        "as opposed to",
        "protected against",
        "independently of",
        "independent of",
        "regardless of",
        "kept out of",
        "free from",
        "not anymore",
        "thrown out",
        "threw out",
        "passed over",
    )
)
NARROW_PHRASES = tuple(phrase for phrase in NEGATIVE_PHRASES if phrase[-1] in ("of", "than", "against", "from"))
COMPARATIVES = words("more later earlier less fewer longer")
PREFER = words("prefer prefers preferred rather favours favors preferable")
"""Behind them "over", "than" and "to" deny what follows."""

LIKE = words("like likes love loves enjoy enjoys want wants")
TROUBLE = words(
    "problem problems issue issues trouble difficulty difficulties error errors restriction hesitation fail"
)
"""Without them all is well: nothing is denied."""
SAID_WITH_NO = words("doubt worries wonder kidding see talk")
"""Where a clause begins with "no" and one of these, nothing is denied: "no worries, …", "long time no see"."""
SAID_WITH_NOT = words("mistaken")
"""Behind "not" it denies nothing of what is told: "if I am not mistaken"."""
TOWARDS = words("on to for through into back home over")
"""Who has gone there is not gone."""
WITH_INFINITIVE = words("possibility chance opportunity ability time way option freedom able")
"""Behind them a "to" begins what one may do, also of somebody who prefers something."""
OF_A_THING = words("the a an it this")
"""What begins with one of these tells of no person, as a rule: "the job cannot wait for the lock"."""

BOUNDARIES = words("""
    , ; . : -- ( ) but because since although though whereas however so → ! ?
    """)
CANCELS = frozenset({"unless", "until", "till", "without"})
"""After a negation they cancel it: "does not start without X"."""

CHANGE = words("""
anymore longer moved moves moving switched migrated changed replaced renamed upgraded downgraded became become
rescheduled postponed shifted swapped transferred relocated handed taken recently meanwhile sold quit gave finally
extended promoted retired gone cancelled canceled passed pushed removed rewritten ported converted lately dropped
ended stopped gone split left discontinued
""")
PARTICIPLES = words(
    "moved migrated replaced renamed changed shifted swapped taken handed passed pushed removed dropped ended"
)
PRESENT = words("is are be being gets get")
WEAK_CHANGE = words("now since already instead still any last new")
EXCLUSIVE = words("only exclusively solely strictly sole just single nothing nobody alone limited restricted reserved")
UNIVERSAL = words("all every any anyone everyone both everything always each everybody anybody whole entire everywhere")
"""Words of quantity that, standing on one side only, often make the difference."""

QUANTITY_WORDS = (
    words("half once twice st nd rd th am pm noon midday midnight")
    | frozenset(NUMBER_WORDS)
    | frozenset(TENS)
    | frozenset(unit for unit, (kind, _) in UNITS.items() if kind == "duration")
)
"""Parts of quantities, which are compared as such."""

LIGHT = words("""
take takes run runs use uses using used make makes happen happens need needs like likes set put keep keeps way thing
things time times new first last come comes work works start starts lot kind really always favourite prefers prefer
person people place day days year years week weeks month months minute minutes hour hours second seconds name called
long occur occurs
""")
"""Words met in any statement; they count for less."""
VERBS_OF_MANY = words("""
like likes hate have has own play speak read collect know visit eat drink depend need require support export learn study
contain include cook watch offer provide expose tolerate use bake sing follow send load emit allergic import
""")
"""They hold of several things at once: another object is another fact."""

END = words("after older beyond expire expires")


_VOWELS = frozenset("aeiouy")
_SIBILANT_PLURALS = ("sses", "shes", "ches", "xes", "zzes")
_NOT_PLURAL = ("ss", "us", "is")
_DERIVATIONS = tuple(
    phrases("""
    ization, isation, hood, ation, ement, ment, ness, ible, ibl, able, abl, ance, anc, ence, enc, ful, ion, ist,
    ity, ant, ent, iv, at, al, er, or, ly, ic, iz, is, y
    """)
)
"""Endings, longest first where they overlap; a final "e" is gone by the time they are tried."""

MIN_STEM_CHARS = 4


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """Return the stem of a lower-case word."""
    base = IRREGULAR_FORMS.get(word)
    if base is None:
        is_inflected = word not in OWN_STEMS and len(word) > 3 and word.isalpha()
        base = _strip_inflection(word) if is_inflected else word
        base = IRREGULAR_FORMS.get(base, base)
    if base in OWN_STEMS or not (base.isalpha() and base.isascii()):
        return base
    return _strip_derivation(base)


def _strip_inflection(word: str) -> str:
    """Undo plural, third person, past and -ing."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(_SIBILANT_PLURALS):
        return word[:-2]
    if word.endswith("s") and not word.endswith(_NOT_PLURAL):
        return word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) >= 2 and _VOWELS & set(base):
            return _undouble(base)
    return word


def _undouble(base: str) -> str:
    """Turn "stopp" into "stop" but leave "fill" and "pass" alone."""
    doubled = len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz"
    return base[:-1] if doubled else base


def _strip_derivation(word: str) -> str:
    """Undo the endings that make a noun, an adjective or an adverb of a verb."""
    word = word.removesuffix("e") if len(word) > 3 else word
    word = word.removesuffix("ly") if len(word) > MIN_STEM_CHARS + 3 else word
    for ending in _DERIVATIONS:
        if ending == "y" and word[-2:-1] in _VOWELS:
            continue
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_CHARS:
            return _undouble(word.removesuffix(ending)).removesuffix("e")
    return word
