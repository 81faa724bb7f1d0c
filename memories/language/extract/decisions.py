"""What is decided, ordered from now on, or begun and stopped as a habit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.language.extract.lexicon import base_of_gerund, gerund, is_base
from memories.language.relate.lexicon import SIBLINGS
from memories.language.wordlists import any_of, words

_VAGUE = re.compile(
    r"^(?:it|that|this|this one|that one|the (?:first|second|third|last|other)(?: one)?|option \w+|yours|them|"
    r"those|these|a break|home|go|ahead|back|on|start|see|try|do (?:it|that|this)|now)\b(?! \w+ \w+)",
    re.IGNORECASE,
)
_CHOICE = (
    r"(?:go with|use|stick (?:with|to)|switch (?:to|back to)|adopt|settle on|standardi[sz]e on|move (?:to|"
    r"everything|the)|migrate|keep using|keep|drop|pick|choose|ship|freeze|deprecate|postpone|schedule|hold|"
    r"replace|target|run|host|deploy|release|cut)"
)
_CHOOSING = (
    r"(?:going (?:with|for)|sticking (?:with|to)|switching to|moving (?:to|everything|the)|migrating|adopting|"
    r"dropping|keeping|using|replacing|deprecating|postponing|choosing|picking)"
)
_NOT_BY_ITSELF = words("get book take do leave order buy keep run hold cut drop pick")
_NO_CHOOSING_ALONE = frozenset({"using", "keeping", "dropping", "moving the", "going for"})
_SETTLED = re.compile(r"\d|\b(?:decided|then|instead)\b")
_LETS = re.compile(rf"^(?:ok |so |then )*let'?s (?:just )?(?:all )?({_CHOICE})\s+(.+)$", re.IGNORECASE)
_WE_WILL = re.compile(
    rf"^(?:we|I)(?:'ll| will|'re going to|'m going to| are going to)(?: just| all| now)? ({_CHOICE}|get|book|take|"
    rf"do|leave|order|buy)\s+(.+)$",
    re.IGNORECASE,
)
_WE_ARE = re.compile(
    rf"^(?:(?:we|I)(?:'re| are|'m| am) )?(?:now |just |definitely |officially )*({_CHOOSING})\s+(.+)$",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"^(?:then |so |ok )*we(?:'ll| will)? ((?:\w+) .{6,80}) instead$", re.IGNORECASE)
_PREDICATE = re.compile(
    r"(?:(?!what|how|if|whether|which|who|that|where|why|it)\w+ ){0,3}(?:is|are|was|were|has|starts|ends|takes|"
    r"must|runs|begins)\b"
)
_BARE_DECIDED = re.compile(r"^(?:[^,]{0,30}, )?(?:and )?decided ((?:to|on|against|not to) \w.{3,})$", re.IGNORECASE)
_DECIDED = re.compile(
    r"^(?:(we|I)(?:'ve| have)?|it was|it's(?: been)?|the team|management|the (?:board|client|customer))(?: \w+ly|"
    r" all| just| already| now| finally| both)* (decided|agreed|chose|chosen|settled|opted|picked|went with|"
    r"committed|concluded|voted|approved|signed off)\b(.*)$",
    re.IGNORECASE,
)


def read_decision(clause: str) -> str | None:
    """Return the decision as a statement; None if nothing is decided, or only about "it"."""
    for pattern in (_LETS, _WE_WILL):
        match = pattern.match(clause)
        if match and not _VAGUE.match(match[2]) and len(match[2]) > 2:
            if pattern is _WE_WILL and match[1].lower() in _NOT_BY_ITSELF and not _SETTLED.search(match[2]):
                return None
            return f"Decided to {match[1].lower()} {_without_tail(match[2])}"
    match = _INSTEAD.match(clause)
    if match and is_base(match[1].split()[0].lower()) and not _VAGUE.match(match[1].partition(" ")[2]):
        return f"Decided to {match[1]} instead"
    match = _WE_ARE.match(clause)
    if match and not _VAGUE.match(match[2]):
        has_subject = bool(re.match(r"(?:we|I)\b", clause, re.IGNORECASE))
        verb = match[1].lower()
        if verb != "picking" and (has_subject or verb not in _NO_CHOOSING_ALONE):
            return _without_tail(clause) if has_subject else f"Decided on {_without_tail(match[2])}"
    bare = _BARE_DECIDED.match(clause)
    if bare and not _VAGUE.match(bare[1]):
        return f"Decided {bare[1]}"
    match = _DECIDED.match(clause)
    if match and not _VAGUE.match(match[3].strip()) and len(match[3].split()) > 1:
        return clause
    return None


def _without_tail(text: str) -> str:
    return re.sub(r"[,\s]+(?:then|decided|instead please|i guess|thanks)$", "", text, flags=re.IGNORECASE)


def is_order(clause: str) -> bool:
    """Tell whether a clause begins with a verb in the imperative."""
    first, _, rest = clause.lower().partition(" ")
    return is_base(first) and not _PREDICATE.match(rest)


_NOT_STANDING = re.compile(
    r"\b(?:forget|worry|mind|be (?:silly|shy|sorry|afraid|like that)|get me wrong|know|tell (?:me|anyone) (?:the|"
    r"that|you)|think|care|let me|remind me|give up|you (?:think|dare|love|hate|have|want|feel)|get me|understand|"
    r"bother|panic|ask (?:me )?(?:how|why|what|who|where|when|if)\b(?!.*\b(?:every|always|each)\b))\b",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|henceforth|as a rule|every time|each time|any ?time|"
    r"any ?more|again|ever|at all times|without (?:asking|my|a|approval|checking|telling)|until (?:i|we|further)|"
    r"next time|by default|for all|in all)\b",
    re.IGNORECASE,
)
_HERE_ONLY = re.compile(
    r"\b(?:this(?! (?:repo|project|codebase|house|household|family|team|office|app|account|chat)\b)|that|it|these|"
    r"those|them)(?: (?:one|time|code|function|text|part|line|paragraph|sentence|essay|"
    r"email|story|poem|list|file|section|recipe|answer|version))?\b|\bthe (?:first|second|third|last|above|next|"
    r"intro|title|following|second-last|end(?:ing)?|paragraph|sentence|essay|email|story|poem|part)\b",
    re.IGNORECASE,
)
_ASK = re.compile(
    r"^(?:(?:can|could|would|will) you )?(?:please|pls|kindly|you (?:should|must|need to|have to)|i(?:'d|"
    r" would)? (?:want|like|need|prefer|expect) you to|make sure (?:that )?(?:you |to )?|be sure to|remember to|"
    r"ensure you|try to|just)\s+",
    re.IGNORECASE,
)
_CAN_YOU = re.compile(r"^(?:can|could|would|will) you (?:please |pls |kindly |just )?", re.IGNORECASE)
_ALWAYS = re.compile(r"^(?:always|never(?: ever)?)\s+([a-z]+)\b", re.IGNORECASE)
_REMINDED_NEVER = re.compile(
    r"^(?:please )?(?:remind (?:me|us)|remember|be sure|make sure) (?:never (?:again |ever )?to|"
    r"to never(?: again| ever)?|not to(?=.* (?:ever|again|any ?more)\b)) ",
    re.IGNORECASE,
)
"""Says what never to do, and no day to be reminded on."""
_NEVER_WHAT = re.compile(
    r"^(?:always|never(?: ever)?) [a-z]+ (?:it|them|(?:that|this|these|those)(?!(?: [\w-]+)? (?:repo|project|codebase|"
    r"house|household|family|team|office|app|account|chat)\b))\b(?: [\w-]+)?(?: (?:ever )?again| any ?more)?$",
    re.IGNORECASE,
)
"""What "it" or "that brand" is, nobody knows who reads only this."""
_DO_NOT = re.compile(r"^(?:please )?(?:do not|don't)(?: ever)?\s+([a-z]+)\b(.*)$", re.IGNORECASE)
_NOT = re.compile(r"^not (?=[a-z])", re.IGNORECASE)
_STOP = re.compile(r"^(?:stop|quit|avoid|no more)\s+([a-z]+ing)\b(.*)$", re.IGNORECASE)
_CALL_ME = re.compile(
    r"^(?:(?:just |you can |you may |everyone |everybody |people |friends )?calls? me|I go by|"
    r"I prefer to be called|I'd prefer to be called|I(?:'d| would) rather you call(?:ed)? me)"
    r"\s+(?!when|later|back|if|crazy|a |an |the |on|at|in|tomorrow|"
    r"about|stupid|old|what)([^\W\d_][\w'-]*(?: [A-Z][\w'-]*)?)(?:\W|$)",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"^(?:when|whenever|if|before|after|any ?time|every time|each time)\s+(?:you|i|"
    r"we)\s+[^,]{3,120}?(?:,\s*(?:then )?(?:please |always |never |just |do not |don't )*|\s(?:just|please|always|"
    r"never|don't|do not) )([a-z]+)\b",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"^(?:please )?(?:(?:answer|reply|respond|write to me|talk to me|speak to me|address me)\s+(?:only |always |"
    r"to me )?(?:in|with|as|using|without)\b|(?:be|stay) (?:concise|brief|direct|formal|informal|blunt|short)|"
    r"keep (?:your |the |all )?(?:answers?|responses?|replies|explanations?|messages?|it) (?:\w+ )?(?:short|brief|"
    r"concise|simple|under|formal|informal|technical)|"
    r"keep (?:[\w-]+ ){1,4}?(?:to|under|below|within) (?:one|two|three|four|five|six|seven|eight|ten|half a|an?|\d+)\b|"
    r"(?:skip|drop|leave out) the (?:\w+ )?(?:disclaimers?|intros?|preamble|pleasantries|apolog\w+|"
    r"emojis?|caveats|fluff|small talk)|short answers|no (?:emojis?|"
    r"bullet points|bullets|small talk|disclaimers|jargon|preamble|fluff|markdown|apologies|tables|caveats|"
    r"comments|intros?)\b)",
    re.IGNORECASE,
)
_FOR_GOOD = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|henceforth|every time|next time|by default)\b", re.IGNORECASE
)
_HENCEFORTH = re.compile(
    r"(?:from now on|going forward|in (?:the )?future|henceforth|next time|as a rule|by default),?\s+(?:please )?(.+)",
    re.IGNORECASE,
)
_NO_THING = re.compile(
    r"^no (?!problem|worries|idea|ideas|thanks|thank|way|need|doubt|rush|hurry|luck|clue|one|matter|offense|"
    r"offence|pressure|more|it|that|this|i|you|we|he|she|they|not|but|wonder|big|biggie|longer|joke|shame|wait|"
    r"actually|kidding|reason|sorry)[\w-]+(?: [\w-]+){0,5}(?: (?:on|after|before|in|without|during|to|for|please|"
    r"ever|at)\b.*)?$",
    re.IGNORECASE,
)
_ONLY_USE = re.compile(
    r"^(?:use|prefer|write|put|run|name|store|format|stick to|give me|wrap|commit|squash|ask|check|tag|"
    r"add)\b.*\b(?:instead of|rather than|not\b|only|every time|by default|everywhere|always|never|before you|"
    r"(?:in|for) (?:all|every|each|everything|anything|any)\b|before (?:push|deploy|merg|commit|running)\w*|"
    r"from now on|in this (?:repo|project|codebase))",
    re.IGNORECASE,
)
_YOU_KEEP = re.compile(
    r"^you(?:'re| are)? (?:keep|kept|always|again|constantly)\s+(?:on )?([a-z]+ing)\b(.+)$", re.IGNORECASE
)
_SHOULD_HAVE = re.compile(r"^you should(?:n't| not)? have\b.+$", re.IGNORECASE)
_NOT_TO = re.compile(r"^I (?:told|asked) you (not )?to ([a-z]+)\b(.*)$", re.IGNORECASE)
_SHARED_ENDING = re.compile(r"\s+(?:again|any ?more|please)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Instruction:
    text: str
    score: float
    is_lesson: bool = False
    """Whether it corrects what the agent did."""
    is_done: bool = True


def read_instruction(clause: str) -> Instruction | None:
    """Return the standing instruction that a clause is, in the imperative; None for a request of the moment."""
    if names_nothing(clause):
        return None
    clause = _REMINDED_NEVER.sub("never ", clause)
    for read in (_read_call, _read_reproach, _read_rule, _read_stop, _read_do_not, _read_when, _read_style):
        found = read(clause)
        if found:
            return found
    return None


def without_courtesy(clause: str) -> str:
    """Return the order in "Can you keep lists to ten lines?", if it is one for good; else the clause."""
    order = _CAN_YOU.sub("", clause)
    return order if order != clause and read_instruction(order) else clause


def names_nothing(clause: str) -> bool:
    """Tell whether it orders something for good of what only was in view when it was said: "never buy that again"."""
    return bool(_NEVER_WHAT.match(_REMINDED_NEVER.sub("never ", clause)))


def _read_call(clause: str) -> Instruction | None:
    match = _CALL_ME.match(clause)
    if not match or is_base(match[1].lower()):
        return None
    name = match[1] if match[1][0].isupper() else match[1].capitalize()
    return Instruction(f"User wants to be called {name}", 0.9)


def _read_reproach(clause: str) -> Instruction | None:
    match = _YOU_KEEP.match(clause)
    base = base_of_gerund(match[1].lower()) if match else ""
    if match and base and base not in {"say", "ask", "tell", "get"} and not _HERE_ONLY.search(match[2][:12]):
        return Instruction(f"Do not {base}{match[2]}", 0.7, is_lesson=True)
    match = _NOT_TO.match(clause)
    if match and is_base(match[2].lower()):
        order = f"{'Do not ' if match[1] else ''}{match[2].lower()}{match[3]}"
        return Instruction(_capital(order), 0.8, is_lesson=True)
    if _SHOULD_HAVE.match(clause) and len(clause.split()) > 4 and not _HERE_ONLY.search(clause):
        return Instruction("Assistant" + clause[3:], 0.7, is_lesson=True)
    return None


def _read_rule(clause: str) -> Instruction | None:
    bare = _ASK.sub("", clause)
    match = _ALWAYS.match(bare)
    is_order = match and is_base(match[1].lower()) and not _NOT_STANDING.match(bare[match.start(1) :])
    if is_order and len(bare.split()) > 2:
        return Instruction(_capital(_tidy(bare)), 0.9, is_lesson=bool(re.search(r"\bagain$", bare)))
    first = bare.split(" ", 1)[0].lower()
    if (is_base(first) or first in {"be", "don't"}) and _FOR_GOOD.search(bare):
        return Instruction(_capital(_tidy(bare)), 0.8)
    match = _HENCEFORTH.match(bare)
    if match and (
        is_base(match[1].split(" ", 1)[0].lower())
        or match[1].lower().startswith(("don't", "do not", "never", "always", "no ", "be "))
    ):
        return Instruction(_capital(_tidy(bare)), 0.8, is_lesson=bare.lower().startswith("next time"))
    if _ONLY_USE.match(bare) and not _HERE_ONLY.search(bare):
        return Instruction(_capital(_tidy(bare)), 0.6)
    return None


def _read_stop(clause: str) -> Instruction | None:
    match = _STOP.match(_ASK.sub("", clause))
    base = base_of_gerund(match[1].lower()) if match else ""
    if not match or not match[2].strip() or _HERE_ONLY.search(match[2]) or base in {"worry", "talk", "kid", "wonder"}:
        return None
    if not base:
        return Instruction(_capital(_tidy(clause)), 0.6, is_lesson=True)
    return Instruction(_tidy(f"Do not {base}{match[2]}"), 0.8, is_lesson=True)


def _read_do_not(clause: str) -> Instruction | None:
    bare = _ASK.sub("", clause)
    match = _DO_NOT.match(_NOT.sub("do not ", bare) if bare != clause else bare)
    if not match or not (is_base(match[1].lower()) or match[1].lower() == "be"):
        return None
    if _NOT_STANDING.match(match[1] + match[2]):
        return None
    is_lasting = bool(_LASTING.search(clause))
    is_empty = re.fullmatch(r"\s*(?:\d[\d:.]*)?\s*(?:again|please|ever|any ?more)?\s*", match[2], re.IGNORECASE)
    if is_empty or (not is_lasting and _HERE_ONLY.search(match[2])):
        return None
    is_again = bool(re.search(r"\b(?:again|any ?more)\b", clause, re.IGNORECASE))
    return Instruction(_tidy(f"Do not {match[1].lower()}{match[2]}"), 0.8 if is_lasting else 0.6, is_lesson=is_again)


def _read_when(clause: str) -> Instruction | None:
    match = _WHEN.match(clause)
    if not match or (not is_base(match[1].lower()) and match[1].lower() not in {"be", "don't"}):
        return None
    is_wish = re.match(r"(?:if|when) i (?:were|was|had|die|wanted)\b", clause, re.IGNORECASE)
    if is_wish or _NOT_STANDING.search(clause[match.start(1) :][:20]):
        return None
    is_if = clause.lower().startswith("if ")
    if is_if and not re.search(r"\b(?:always|never|ask|don't|do not|first)\b", clause, re.IGNORECASE):
        return None
    return Instruction(_capital(_tidy(clause)), 0.65, is_done=False)


def _read_style(clause: str) -> Instruction | None:
    bare = _ASK.sub("", clause)
    if _STYLE.match(bare) and len(bare) < 120 and not _HERE_ONLY.search(bare.replace("keep it", "")):
        return Instruction(_capital(_tidy(bare)), 0.6)
    is_of_when = re.search(r"\b(?:on|after|before|without|during|ever|please|for me)\b|(?:s|stuff)$", bare)
    if len(bare.split()) > 2 and _NO_THING.match(bare) and is_of_when:
        return Instruction(_capital(_tidy(bare)), 0.55)
    return None


def _tidy(text: str) -> str:
    bare = text if "never" in text.lower() else _SHARED_ENDING.sub("", text)
    return re.sub(r"\s*\b(?:please|pls)\b,?", "", bare).strip(" ,")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_DRINKS, _MEDICINES, _SPORTS, _INSTRUMENTS = (
    any_of(SIBLINGS[kind].split()) for kind in ("drink", "medicine", "sport", "instrument")
)
_SINCE = r"(?: (?:just|recently|finally|also|actually|slowly|even|lately|now|already))*"
_PASTIMES = sorted(
    words("""
    run jog swim cycle bike row climb hike ski surf sail box fence meditate exercise knit crochet sew paint
    garden fast diet journal babysit volunteer freelance
    """)
)


def _doing(base: str) -> str:
    """Read "to eat" or "eating"."""
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
    rf"(?:(?:black|green|decaf|oat|soy|almond|cow's) )?(?:{_DRINKS}|alcohol|caffeine|decaf|espresso|"
    r"energy drinks|smoothies|protein shakes)"
)
_TAKEN = (
    r"(?:(?:my|a|an|the) )?(?:[\w-]+ ){0,2}?(?:pills?|tablets?|capsules?|supplements?|vitamins?|vitamin \w+|meds|"
    r"medication|medicine|antidepressants?|antibiotics?|painkillers?|statins?|creatine|iron|magnesium|melatonin|zinc|"
    rf"probiotics|hormones|birth control|antihistamines?|ssris?|(?:[\w-]+ )?(?:lessons|classes|course)|"
    rf"{_MEDICINES})"
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
    rf"{_SPORTS}|(?:[\w-]+ ){{1,2}}(?:lessons|classes|club|group))|"
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
_PLAYED = rf"(?:the )?(?:{_INSTRUMENTS}|{_SPORTS}|chess|bridge|in an? (?:band|orchestra))\b"
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
    rf"arms|residence|position|\d+)\b)[a-z]|{_HAVE}{_SINCE} taken up the (?:{_INSTRUMENTS})\b|"
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
    """Read "These days I cycle to work" as "I cycle to work these days", like any other doing."""
    led = _LED.match(clause)
    if not led:
        return clause
    end = _RESERVED.search(clause, led.end())
    told = end.start() if end else len(clause)
    when = (led["days"] or led["hence"]).lower()
    return f"{clause[led.end() : told]} {when}{clause[told:]}"
