"""The English words that tell what is to come. Data only."""

from memories.text.temporal.words import DAY_PARTS, MONTHS, NUMBERS, ORDINALS, PLAIN_WEEKDAYS, UNITS, WEEKDAYS
from memories.text.wordlist import words

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
NO_DAY_BEHIND = words(
    """
    man girl happy casual throwback freaky ruby lovely great good wonderful nice beautiful calm fun relaxing amazing
    fantastic perfect blessed busy lazy productive typical quiet chill rainy sunny normal long average
    """
)
"""Before a weekday: names, titles and wishes."""
NO_RULE_BEHIND = words("some other most many few two three four last past several almost nearly all both no better")
"""Before "weekends" and "every day" they make no rule of them."""
SAME_AS = words("as of like than same")
"""Before "today" they compare."""
ABSTRACT_BEFORE_TOMORROW = words("of better brighter")

EVERY = words("every each")
ALTERNATE = {"other": 2, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
PERIODS = {
    "daily": "day", "weekly": "week", "fortnightly": "fortnight", "biweekly": "fortnight", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "annually": "year", "nightly": "day",
}  # fmt: skip
BIRTHDAYS = words("birthday bday anniversary")
CELEBRATIONS = words(
    "party parties dinner lunch brunch bash celebration gift gifts present presents cake card trip weekend week month"
    " concert show plans surprise girl boy wish wishes"
)
"""Behind "birthday" they make something of it that happens once."""

SUBJECTS = words("i we he she they i'm we're they're he's she's i'll we'll he'll she'll they'll i've we've they've i'd")
OPENERS = words(
    "let's lets see please can could will would should don't remember remind call meet talk gonna looking hope"
)
"""What begins a new clause behind a comma or "and"."""
BOUNDARIES = words(
    ". ! ? ; : ( ) [ ] … — | but because cause cuz when whenever if which who what where why how although though while"
    " whereas than unless"
) | {"\n", '"', "“", "”"}

FUTURE = words(
    """
    will shall gonna wanna let's lets should must won't planning plan plans plannin gotta tryna finna
    hope hoping hopefully upcoming due deadline remind reminder remember forget tentatively scheduled booked expected
    ought shan't tomorrow bouta soon expecting intend
    """
)
PLANNED = words("can could can't cannot may might would wouldn't couldn't excited supposed expect")
"""They go with what is to come and with much else."""
NEEDED = words("need needs want wants")
"""Who needs or wants something for a day has it still before them."""
FUTURE_BEFORE_TO = words("going need needs have has want wants about ready hoping trying")
PRESENT = words(
    """
    am is are isn't aren't ain't does don't doesn't works means come comes starts begins
    opens closes ends takes has free available busy
    """
)
PAST = words(
    """
    was were wasn't weren't did didn't had hadn't went saw met got made took came gave thought knew felt left kept ate
    drank drove flew ran sat spoke wrote sang swam slept spent sent built caught taught brought bought fought sought
    broke chose fell forgot forgave froze grew hid held hung hurt lay led lent lit lost meant paid rang rode rose sold
    shook shot shone stood stole stuck stung struck swore swept threw told understood woke wore won wound began became
    blew bit bled bred crept dealt dug drew fed fled found heard knelt laid leapt learnt overcame overslept sank shut
    slid spilt spread spun stank strode tore wept withdrew been gone done seen taken gotten born yesterday ago ended
    """
)
"""Forms that are nothing but past. "Got", "been" and the like count as such without a "have", too."""
HEARSAY = words("said told heard")
"""Past verbs that are told of things to come."""
ARRANGED = words(
    """
    planned scheduled rescheduled booked invited moved postponed reserved registered arranged agreed decided promised
    signed confirmed asked expected delayed extended pushed excited interested hoped supposed delighted needed wanted
    """
)
"""What has been done so that something happens later: it does not make the time past."""
SETTLED = HEARSAY | words("agreed decided promised signed confirmed asked")
"""Of these the ones that are done at once, whatever they are about."""
ANNOUNCED = words("announced planned approved proposed promised scheduled arranged")
"""What is done about things that are to come: "announced layoffs for March", "a price rise from March"."""
MADE_FOR = ANNOUNCED | words(
    "booked reserved ordered bought got registered signed requested confirmed invited expected agreed decided set hired"
)
"""What is done before the day that it is done for."""
MOVED = words(
    "move moves moved moving reschedule reschedules rescheduled rescheduling shift shifts shifted shifting push pushed"
    " postpone postponed postponing change changes changed changing switch switched switching delayed"
)
"""What it is moved from is over; what it is moved to is to come."""
NOT = words("not isn't wasn't")
"""Right before a day they tell that it is another one."""
INSTEAD = words("sondern sino")
"""Behind a day they tell the same, but for "sondern auch" and "sino también"."""
TOO = words("auch también")
SWAPPED = words("swap swapped trade traded")
"""A day right behind them is what is given away: "I swapped Friday with Ann"."""
NOT_A_PAST_FORM = words(
    """
    need speed feed seed weed bed red shed wed sled hundred indeed united exceed proceed succeed bleed breed greed
    embed sacred naked wicked beloved aged limited unlimited married united crowded talented gifted instead med
    """
)
OCCASIONS = words(
    """
    launch launches relaunch release releases rollout cutover live kickoff migration migrations deadline deadlines exam
    exams exhibition wedding conference conferences summit workshop workshops webinar hackathon offsite retreat audit
    audits inspection election elections hearing trial surgery operation race marathon festival concert premiere
    graduation ceremony opening reopening move trip tour visit honeymoon vacation holiday holidays interview interviews
    appointment tournament renewal handover
    """
)
"""What somebody says of it in the present tense looks ahead: "the exam is in Q1"."""
TIMETABLED = words(
    """
    start starts begin begins open opens reopen reopens close closes end ends finish finishes launch launches ship ships
    release releases migrate migrates deploy deploys expire expires arrive arrives land lands move moves marry marries
    """
)
"""So do these of what is told of once."""
HABITS = words("usually always often typically generally normally sometimes tend tends")
"""A single day in a clause with one of them is any such day."""
MODALS = words("must should could would might may can")
BE = words("am is are be being get getting gets isn't aren't i'm we're you're they're it's he's she's that's there's")
HAVE = words("have has haven't hasn't i've we've you've they've having")
PRESENT_ENDINGS = ("'m", "'re")
FUTURE_ENDINGS = ("'ll",)

STARTERS = (
    MONTHS.keys() | WEEKDAYS.keys() | {f"{name}s" for name in PLAIN_WEEKDAYS} | UNITS.keys() | NUMBERS.keys()
    | ORDINALS.keys() | DAY_PARTS.keys() | LEADS | NEXT | COMING | THIS | EVERY | PERIODS.keys()
    | words("the today tonight tomorrow early late mid end beginning start middle later weekdays weekends weekday last")
    | words("between noon midnight midday christmas xmas boxing new halloween thanksgiving black easter good valentine")
    | words("valentines once eod few couple week q1 q2 q3 q4")
)  # fmt: skip
"""What a coming time can begin with, digits aside."""
ANCHORS = (
    MONTHS.keys() | WEEKDAYS.keys() | {f"{name}s" for name in PLAIN_WEEKDAYS} | UNITS.keys() | PERIODS.keys()
    | words("today tonight tomorrow weekday weekdays weekend weekends workday workdays morning afternoon evening night")
    | words("summer winter spring autumn fall eod christmas xmas boxing year halloween thanksgiving black easter good")
    | words("valentine valentines years q1 q2 q3 q4")
)  # fmt: skip
"""One of them, or a number, is in each coming time."""
