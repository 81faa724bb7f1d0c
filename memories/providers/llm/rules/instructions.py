"""What an agent is told to do from now on: "always …", "never …", "stop …", "call me …", "when you … , …"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memories.providers.llm.rules.verbs import base_of_gerund, is_base

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
    """The standing instruction that a clause is, in the imperative; None for a request of the moment."""
    if names_nothing(clause):
        return None
    clause = _REMINDED_NEVER.sub("never ", clause)
    for read in (_read_call, _read_reproach, _read_rule, _read_stop, _read_do_not, _read_when, _read_style):
        found = read(clause)
        if found:
            return found
    return None


def without_courtesy(clause: str) -> str:
    """ "Can you keep lists to ten lines?" → the order, if it is one for good; else the clause."""
    order = _CAN_YOU.sub("", clause)
    return order if order != clause and read_instruction(order) else clause


def names_nothing(clause: str) -> bool:
    """Whether it orders something for good of what only was in view when it was said: "never buy that again"."""
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
        return Instruction(
            _capital(f"{'Do not ' if match[1] else ''}{match[2].lower()}{match[3]}"), 0.8, is_lesson=True
        )
    if _SHOULD_HAVE.match(clause) and len(clause.split()) > 4 and not _HERE_ONLY.search(clause):
        return Instruction("Assistant" + clause[3:], 0.7, is_lesson=True)
    return None


def _read_rule(clause: str) -> Instruction | None:
    bare = _ASK.sub("", clause)
    match = _ALWAYS.match(bare)
    if (
        match
        and is_base(match[1].lower())
        and not _NOT_STANDING.match(bare[match.start(1) :])
        and len(bare.split()) > 2
    ):
        is_again = bool(re.search(r"\bagain$", bare))
        return Instruction(_capital(_tidy(bare)), 0.9, is_lesson=is_again)
    first = bare.split(" ", 1)[0].lower()
    is_order = is_base(first) or first in {"be", "don't"}
    if is_order and re.search(
        r"\b(?:from now on|going forward|in (?:the )?future|henceforth|every time|next time|by default)\b",
        bare,
        re.I,
    ):
        return Instruction(_capital(_tidy(bare)), 0.8)
    match = re.match(
        r"(?:from now on|going forward|in (?:the )?future|henceforth|next time|as a rule|"
        r"by default),?\s+(?:please )?(.+)",
        bare,
        re.I,
    )
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
    if (
        not match
        or not (is_base(match[1].lower()) or match[1].lower() == "be")
        or _NOT_STANDING.match(match[1] + match[2])
    ):
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
    if re.match(r"(?:if|when) i (?:were|was|had|die|wanted)\b", clause, re.IGNORECASE) or _NOT_STANDING.search(
        clause[match.start(1) :][:20]
    ):
        return None
    if clause.lower().startswith("if ") and not re.search(
        r"\b(?:always|never|ask|don't|do not|first)\b", clause, re.IGNORECASE
    ):
        return None
    return Instruction(_capital(_tidy(clause)), 0.65, is_done=False)


def _read_style(clause: str) -> Instruction | None:
    bare = _ASK.sub("", clause)
    if _STYLE.match(bare) and len(bare) < 120 and not _HERE_ONLY.search(bare.replace("keep it", "")):
        return Instruction(_capital(_tidy(bare)), 0.6)
    if (
        len(bare.split()) > 2
        and _NO_THING.match(bare)
        and re.search(
            r"\b(?:on|after|before|without|during|ever|please|for me)\b|(?:s|stuff)$",
            bare,
        )
    ):
        return Instruction(_capital(_tidy(bare)), 0.55)
    return None


def _tidy(text: str) -> str:
    return re.sub(
        r"\s*\b(?:please|pls)\b,?", "", _SHARED_ENDING.sub("", text) if "never" not in text.lower() else text
    ).strip(" ,")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
