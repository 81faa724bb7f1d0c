"""What somebody began to do as a habit, does again or has stopped: "I've started drinking coffee", "I'm smoking again".

What is only begun for now, such as a download or somebody's answer, is none. Patterns are in lower case.
"""

from __future__ import annotations

import re

from memories.providers.llm.rules.verbs import gerund
from memories.text.relate.siblings import SIBLINGS
from memories.text.wordlist import words


def _any(names: str) -> str:
    """Whichever of these names, the longer ones first."""
    return "|".join(sorted(names.split(), key=len, reverse=True))


_SINCE = r"(?: (?:just|recently|finally|also|actually|slowly|even|lately|now|already))*"
_PASTIMES = sorted(
    words("""
    run jog swim cycle bike row climb hike ski surf sail box fence meditate exercise knit crochet sew paint
    garden fast diet journal babysit volunteer freelance
    """)
)


def _doing(base: str) -> str:
    """ "to eat" or "eating"."""
    return rf"(?:to {base}|{gerund(base)})"


_BARE = (
    r"(?!(?:the|my|this|that|these|those|it|them|your|his|her|their|our|an?|some|something|and|but|or|at|in|on|from|"
    r"with|when|while|lunch|dinner|supper|now|then|already|too|so|again|before|after|up|out|away|into)\b)[a-z][\w'-]*"
)
"""A thing as such: "coffee", not "my coffee"."""
_STAPLE = (
    r"(?:(?:red|white|raw) )?(?:meat|fish|beef|pork|chicken|dairy|cheese|eggs?|gluten|bread|carbs|sugar|sweets|"
    r"chocolate|nuts|fruits?|vegetables|veggies|vegan|vegetarian|keto|organic|healthy|healthier|healthily|clean|breakfast|seafood)"
)
_DRUNK = (
    rf"(?:(?:black|green|decaf|oat|soy|almond|cow's) )?(?:{_any(SIBLINGS['drink'])}|alcohol|caffeine|decaf|espresso|"
    r"energy drinks|smoothies|protein shakes)"
)
_TAKEN = (
    r"(?:(?:my|a|an|the) )?(?:[\w-]+ ){0,2}?(?:pills?|tablets?|capsules?|supplements?|vitamins?|vitamin \w+|meds|"
    r"medication|medicine|antidepressants?|antibiotics?|painkillers?|statins?|creatine|iron|magnesium|melatonin|zinc|"
    rf"probiotics|hormones|birth control|antihistamines?|ssris?|(?:[\w-]+ )?(?:lessons|classes|course)|"
    rf"{_any(SIBLINGS['medicine'])})"
    r"|the (?:bus|train|tram|metro|subway|tube|ferry|stairs) (?:to|home|instead|every)"
)
_AGAIN = (
    r"(?=$|[.,;!:)]| (?:again|every|each|once|twice|three|four|regularly|daily|weekly|instead|since|because|too|"
    r"outdoors|outside|indoors|competitively|seriously|lately|recently|last|this (?:week|month|year|"
    r"spring|summer|autumn|fall|winter)|in (?:the (?:mornings?|evenings?|afternoons?|park|woods|gym)|my (?:free|spare)|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|spring|summer|autumn|"
    r"winter|\d{4})|on (?:mon|tues|wednes|thurs|fri|satur|sun|week)(?:day|end)s?|"
    r"at (?:the weekend|weekends|night|the gym)|"
    r"to (?:lose|get fit|stay|keep|improve|work|school|uni|the office)|with (?:my|a|some) |"
    r"(?:a (?:few|couple)(?: of)?|two|five|six|ten) (?:times|days|weeks|months|years)|"
    r"\d+ (?:km|miles|times|days|weeks|months|years))\b)"
)
"""Behind what is done as a habit, not to something of the moment: "running the tests"."""
_GONE_TO = (
    r"(?:to (?:the (?:gym|pool|sauna|library)|therapy|counselling|church|mass|mosque|synagogue|physio|yoga|pilates|"
    rf"{_any(SIBLINGS['sport'])}|(?:[\w-]+ ){{1,2}}(?:lessons|classes|club|group))|"
    r"for (?:a )?(?:runs?|walks?|swims?) (?=every|each|in the|on \w+days|before|after)|"
    r"(?:running|swimming|jogging|climbing|hiking|dancing|cycling))\b"
)
_SEEN = (
    r"(?:an? )?(?:[\w-]+ )?(?:therapist|psychologist|psychiatrist|physio\w*|counsellor|counselor|dietitian|"
    r"nutritionist|chiropractor|personal trainer)\b"
)
_WORN = (
    r"(?:(?:[\w-]+ )?glasses|contacts|contact lenses|(?:a )?hearing aids?|braces|sunscreen|a (?:hijab|headscarf|wig))\b"
)
_WORKED = (
    r"(?:nights?|(?:night|day|early|late) shifts?|days(?! ago)|shifts|mornings|weekends|part[- ]time|"
    r"full[- ]time|remotely|freelance|from home|as an? [a-z]|"
    r"(?:at|for) (?!(?:it|this|that|the|my|an?|me|you|hours|days|weeks|months|years|ages)\b|\d)\w)"
)
_PLAYED = (
    rf"(?:the )?(?:{_any(SIBLINGS['instrument'])}|{_any(SIBLINGS['sport'])}|chess|bridge|in an? (?:band|orchestra))\b"
)
_KEPT = r"(?:bees|chickens|hens|an? (?:[\w-]+ )?(?:diary|journal))\b"
_HABIT = (
    rf"(?:{_doing('smoke')}(?: (?:cigars|cigarettes|weed|cannabis|a pipe))?{_AGAIN}|{_doing('vape')}{_AGAIN}|"
    rf"{_doing('take')} (?:{_TAKEN})\b|{_doing('go')} {_GONE_TO}|{_doing('see')} {_SEEN}|{_doing('wear')} {_WORN}|"
    rf"{_doing('work')} {_WORKED}|{_doing('play')} {_PLAYED}|{_doing('keep')} {_KEPT}|{_doing('count')} calories\b|"
    rf"(?:to work|working) out{_AGAIN}|(?:to lift|lifting) weights\b|intermittent fasting\b|journaling\b|"
    rf"(?:{'|'.join(map(_doing, _PASTIMES))}){_AGAIN}|"
    rf"(?:{_doing('dance')}|{_doing('walk')}) (?:again|every|each|once a|twice a)\b|"
    r"(?!(?:the|my|our|your|these|those|all|both|some|new|more|two|three|four|of)\b)[a-z-]+ (?:lessons|classes)\b|"
    r"(?:to (?:cycle|walk|bike|run|drive|commute)|cycling|walking|biking|running|driving|commuting) to (?:work|school|"
    r"uni|university|the office|the station)\b)"
)
_HABIT_EATEN = rf"(?:{_doing('eat')} {_STAPLE}|{_doing('drink')} {_DRUNK})\b(?! (?:when|while|at my)\b)"
_AT_FIRST = (
    r"^(?:(?:last \w+|in \w+(?: \d{4})?|this (?:week|month|year|spring|summer|autumn|fall|winter)|"
    r"(?:an?|two|three|four|five|six|some|\d+) (?:\w+ )?\w+ ago|(?:after|since) (?:the|my) \w+(?: \w+)?),? )?"
)
"""No picture that was taken after somebody started something."""
_HAVE = rf"{_AT_FIRST}(?:i|we)(?:'ve| have|'d| had)"
BEGAN = (
    rf"{_AT_FIRST}(?:i|we)(?:'ve| have|'d| had)?{_SINCE} (?:started|began|begun) (?:{_HABIT}|{_HABIT_EATEN}|"
    rf"(?:a|my) new (?:job|diet|medication|treatment|therapy|hobby|course|degree)\b)|"
    rf"{_HAVE}{_SINCE} (?:started|begun) (?:{_doing('eat')}|{_doing('drink')}) {_BARE}\b(?! (?:when|while|at my)\b)|"
    rf"{_HAVE}{_SINCE} taken up (?!(?:the|this|that|it|too|much|more|most|your|my|his|her|their|our|an?|so|space|time|"
    rf"arms|residence|position|\d+)\b)[a-z]|{_HAVE}{_SINCE} taken up the (?:{_any(SIBLINGS['instrument'])})\b|"
    rf"{_AT_FIRST}(?:i|we)(?:'ve| have)?{_SINCE} (?:went|gone) back to (?:{_HABIT}|{_HABIT_EATEN})|"
    rf"{_AT_FIRST}(?:i|we) have{_SINCE} (?:stopped (?:wearing|taking|eating|drinking|smoking|using|going|working|"
    r"playing|seeing|driving)|quit (?:smoking|drinking|my job))\b"
)
RESUMED = (
    rf"{_AT_FIRST}i(?:'m| am){_SINCE} (?:(?:eating {_STAPLE}|drinking {_DRUNK}|smoking|vaping|taking (?:{_TAKEN})|"
    rf"going {_GONE_TO}|seeing {_SEEN}|wearing {_WORN}|working {_WORKED}[\w-]*|playing {_PLAYED}|"
    rf"(?:{'|'.join(gerund(base) for base in _PASTIMES)})) again\b|back (?:on|to) (?:eating {_STAPLE}|{_TAKEN}))"
)
_HENCE = (
    r"(?:from (?:now|today|tomorrow|next (?:week|month|year)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
    r"january|february|march|april|may|june|july|august|september|october|november|december) on(?:wards?)?|"
    r"these days|nowadays|going forward)"
)
_LED = re.compile(
    r"(?:(?P<days>these days|nowadays),? (?=(?:I|we)\b"
    r"(?! (?:feel|think|guess|believe|suppose|mean|know|hope|reckon)\b))|"
    r"(?P<hence>from now on|from today on|going forward)(?:,? (?=(?:I|we)'(?:m|re|ve|ll|d)\b)|"
    r", (?=(?:I|we) (?!(?:want|need|expect|prefer|would|will need|ask)\b))))",
    re.IGNORECASE,
)
_RESERVED = re.compile(r",? (?:because|since|as|so|when|while|if|unless|until|but|and|which|who|after|before)\b|[,;]|$")
_IDLE = (
    r"(?!(?:want|wanted|need|expect|demand|ask|say|tell|see|think|guess|mean|know|hope|feel|wish|believe|promise|swear|"
    r"understand|get|try|look|trust|listen|remember|forget|forgive|agree|appreciate|find|notice|wonder|care|mind|keep|"
    r"should|would|could|might|may|must|can|can't|cannot|have to|had|was|were|did|do|don't|didn't|won't|be|will|"
    r"doing|trying|going|getting|having|not|just|gonna|so|too|very|really|pretty|more|"
    r"here|there|back|done|fine|good|ok|okay|sorry|sure|tired|busy|happy|sad|ready|glad|afraid|lost|stuck|"
    r"thinking|feeling|looking|seeing|wondering|asking|hearing|noticing|finding|being|talking)\b)"
)
"""No doing of somebody, but what they want, think or feel, or how they are."""
_DOES = (
    rf"(?:{_IDLE}[a-z]+|do (?!it\b|that\b|this\b|so\b|my best\b|not\b|better\b|nothing\b|everything\b|what\b)[a-z]+|"
    r"(?:going to|gonna) (?!be\b|try\b|ask\b|get\b|keep\b|have\b|do (?:it|that|this|my)\b)[a-z]+)"
)
_OF_OTHERS = r"(?![^;]{0,60}\b(?:you|your|it|that|this|them|those|him|her|us|everything|something|anything)\b)"
_ADVERBS = r"(?: (?:always|only|usually|mostly|mainly|also|never|often|both|all))*"
FROM_NOW_ON = (
    rf"^{_HENCE},? i(?:'m|'ll| am| will| won't| don't| do not)?{_ADVERBS} {_OF_OTHERS}{_DOES}\b|"
    rf"^i(?:'m|'ll| am| will| won't| don't| do not)?{_ADVERBS} {_OF_OTHERS}{_DOES}\b[^;]{{1,60}}? {_HENCE}(?=$|[.,;!])"
)
_RIDDEN = r"(?:bus|train|tram|metro|subway|tube|ferry|bike|stairs)"
NOWADAYS = (
    rf"^i{_ADVERBS} (?:take (?:the {_RIDDEN}|(?:{_TAKEN}))|go (?:to work |to school )?by {_RIDDEN}|"
    rf"eat {_STAPLE}|drink {_DRUNK}|smoke(?: \w+)?|sleep (?:in|on|with) (?!it\b|that\b)[\w' -]{{3,30}}?|"
    rf"work {_WORKED}[\w' -]{{0,30}}?|do (?:the )?(?:[\w-]+ )?(?:shifts?|yoga|pilates|crossfit|part[- ]time)|"
    rf"(?:walk|cycle|bike|drive|run|commute) to (?:work|school|uni|the office|the station)|wear {_WORN}|play {_PLAYED}|"
    r"(?:get|wake) up at [\w:. ]{1,20}?|see an? (?:new )?(?:therapist|physio\w*|psychologist|dietitian))"
    r"(?: (?:to|from) (?:work|school|uni|the office|home))?"
    r"(?: (?:on \w+days?|in the (?:mornings?|evenings?)|every \w+))? "
    r"now(?: (?:instead|and|too|that|because|since|as)\b|(?=$|[.,;!]))"
)


def begin_with_who(clause: str) -> str:
    """ "These days I cycle to work" → "I cycle to work these days", so that it is read like any other doing."""
    led = _LED.match(clause)
    if not led:
        return clause
    end = _RESERVED.search(clause, led.end())
    told = end.start() if end else len(clause)
    when = (led["days"] or led["hence"]).lower()
    return f"{clause[led.end() : told]} {when}{clause[told:]}"
