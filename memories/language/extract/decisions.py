"""What is decided, or ordered from now on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.language.extract.lexicon import base_of_gerund, is_base
from memories.language.wordlists import words

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


@dataclass(frozen=True, slots=True)
class Instruction:
    text: str
    score: float
    is_lesson: bool = False
    """Whether it corrects what the agent did."""
    is_done: bool = True


def read_instruction(clause: str) -> Instruction | None:
    """Return the standing instruction that a clause is, in the imperative; None for a request of the moment."""
    for read in (_read_call, _read_reproach, _read_rule, _read_stop, _read_do_not, _read_when, _read_style):
        found = read(clause)
        if found:
            return found
    return None


def without_courtesy(clause: str) -> str:
    """Return the order in "Can you keep lists to ten lines?", if it is one for good; else the clause."""
    order = _CAN_YOU.sub("", clause)
    return order if order != clause and read_instruction(order) else clause


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
    return re.sub(r"\s*\b(?:please|pls)\b,?", "", text).strip(" ,")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
