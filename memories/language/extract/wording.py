"""The words a statement is kept in: in the third person, whoever said it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from memories.language.dates.words import NUMBERS
from memories.language.extract.clauses import has_verb
from memories.language.extract.evidence import count_ops, is_first_person
from memories.language.extract.lexicon import (
    ADVERBS,
    DETERMINERS,
    MODALS,
    NOUNLIKE,
    PREPOSITIONS,
    SUBORDINATORS,
    is_base,
    is_participle,
    is_past,
    third_person,
)
from memories.language.messages import USER
from memories.language.wordlists import words

_TOKEN = re.compile(r"\s+|[^\s\w]+|[\w](?:[\w'-]*[\w])?|\w")
_TOGETHER = re.compile(
    r"^(?:([Mm]y [\w' -]{2,40}?|[A-Z][\w' -]{1,40}?) and I|(?:[Mm]e|I) and ([Mm]y [\w' -]{2,30}?|"
    r"[A-Z]\w+))\s+(?=\w)"
)
_ALL_OF_US = re.compile(r" (?:both|all)\b")
"""A group that speaks as one has no members: "we both work" is that it works."""
_CONTRACTED = {"'m": "am", "'ve": "have", "'ll": "will", "'re": "are"}
_I = words("i i'm i've i'll i'd")
_WE = words("we we're we've we'll we'd")
_FORMS = {"my": ("their", "{}'s"), "mine": ("theirs", "{}'s"), "me": ("", "{}"), "myself": ("themselves", "{}")}
"""Once the speaker was named, and before."""
_GROUP_FORMS = {"our": "my", "ours": "mine", "us": "me", "ourselves": "myself"}
_THIRD = {
    "am": "is",
    "have": "has",
    "don't": "does not",
    "haven't": "has not",
    "do": "does",
    "are": "is",
    "were": "was",
    "aren't": "is not",
    "weren't": "was not",
    "didn't": "did not",
    "wasn't": "was not",
    "hadn't": "had not",
    "ain't": "is not",
    "haven": "has",
} | {form: form for form in ("was", "had", "did")}
_PLURAL = {"am": "are", "was": "were", "wasn't": "were not", "ain't": "are not"}
_LONG = {
    "can't": "cannot",
    "won't": "will not",
    "wouldn't": "would not",
    "couldn't": "could not",
    "shouldn't": "should not",
    "mustn't": "must not",
}
_SAME_IN_PAST = words("put cut hit let set read hurt cost spread split bet")
_FOND = words("like love enjoy hate prefer study have teach do need want dislike")
_HABIT = re.compile(r"\b(?:usually|always|never|often|generally|sometimes|normally)\b")
_QUOTE = re.compile(
    r"\"[^\"]*\"|“[^”]*”|`[^`]*`|"
    r"(?<![\w'’])(?:'(?!(?:em|cause|til|till|tis|twas|n|bout)\b|\d)|‘)(?=\w)(?:[^'’\n]|(?<=\w)['’](?=\w))+['’](?!\w)",
    re.IGNORECASE,
)
"""What others said, or what is called so. An apostrophe stands in a word, behind one, or for its beginning."""
_NAME = re.compile(
    r"\S*[@/\\]\S*[\w/]|\b[\w-]+(?:[._][\w-]+)+\b"  # addresses, paths, hosts, identifiers
    r"|\b(?:US|ME|WE|MY|I(?=/O\b))\b(?! [A-Z]{2})"  # acronyms and places that are spelt as pronouns are
    r"|(?<=[a-z,] )(?:My|Our|Me|We|Us|I)(?: [A-Z]\w+)+"  # titles: "My Neighbor Totoro"
)
_HELD = "\ue000"
"""Stands for a quote or a name while the words around it are read."""
_KEPT = re.compile(f"(?:{_QUOTE.pattern})|(?-i:{_NAME.pattern})", re.IGNORECASE)


class _UnsureError(Exception):
    pass


@dataclass(slots=True)
class _State:
    speaker: str
    group: str
    """Whom "we" means."""
    named: set[str] = field(default_factory=set)
    """Those who were named already, so that a pronoun can follow."""
    is_side: bool = False
    """Whether we are in a side clause behind the speaker's own main clause."""
    is_fond: bool = False
    """Whether what follows the verb may be a list of doings: "I like rock and dance music"."""
    form: str = ""
    """The tense of the speaker's last verb: "present", "past" or ""."""
    out: list[str] = field(default_factory=list)


def to_third_person(text: str, speaker: str = "User", group: str = "") -> str | None:
    """Return the statement about `speaker`; the text itself if it has no first person; None if that is not safe.

    With a `group`, "we" is said of it too, in the singular. What is quoted stays as it is: it is somebody else's "I".
    So do names: addresses, paths, acronyms, titles.
    """
    if _HELD in text:
        return None
    pattern = _QUOTE if text.isupper() else _KEPT
    quotes = iter([match.group() for match in pattern.finditer(text)])
    text = pattern.sub(_HELD, text)
    together = _TOGETHER.match(text)
    together = None if together and has_verb(f"so {together[1] or ''}") else together
    state = _State(speaker, group)
    if together:
        other = re.sub("^[Mm]y", "their", together[1] or together[2])
        state.named.add(speaker)
        text = f"{speaker} and {other} {re.sub('^am ', 'are ', text[together.end() :])}"
    try:
        _walk(_TOKEN.findall(text), state)
    except _UnsureError:
        return None
    return re.sub(_HELD, lambda _: next(quotes), "".join(state.out))


def _walk(tokens: list[str], state: _State) -> None:
    at = 0
    while at < len(tokens):
        token = tokens[at]
        low = token.lower()
        who = state.speaker if low in _I and token[0] == "I" else state.group if low in _WE else ""
        if who:
            at = _read_subject(tokens, at, state, who)
            continue
        if low in _FORMS:
            state.out.append(_written(low, state, state.speaker))
        elif low == "us" and state.group and "".join(state.out).endswith(" of "):
            state.out.append("them")
        elif low in _GROUP_FORMS and state.group:
            if low == "us" and re.search(rf"\b{re.escape(state.speaker)} \w+ $", "".join(state.out)):
                raise _UnsureError  # "I rebooked us": more than the speaker
            state.out.append(_written(_GROUP_FORMS[low], state, state.group))
        elif low in {"and", "but", "or"} and state.form == "present" and not state.is_side:
            at = _read_and(tokens, at, state)
            continue
        else:
            if low in SUBORDINATORS and state.named and at > 0:
                state.is_side = True
            elif token in {";", ":"} or low == "but":
                state.is_side = False
            state.out.append(token)
        at += 1


def _written(form: str, state: _State, who: str) -> str:
    """Whose it is or to whom: by a pronoun, once they were named."""
    pronoun, named = _FORMS[form]
    if who in state.named:
        return pronoun or who
    if form == "my":
        state.named.add(who)
    return named.format(who)


def _next_word(tokens: list[str], at: int) -> int:
    """Return the place of the next word, adverbs passed over; len(tokens) at the end."""
    while at < len(tokens) and (tokens[at].isspace() or _is_adverb(tokens[at].lower())):
        at += 1
    return at


def _is_adverb(low: str) -> bool:
    return low in ADVERBS or (
        low.endswith("ly") and len(low) > 4 and low not in {"apply", "reply", "rely", "supply", "family"}
    )


def _read_subject(tokens: list[str], at: int, state: _State, who: str) -> int:
    """Write the subject and its verb; the place behind them."""
    is_plural = who in state.named and state.is_side
    subject = "they" if is_plural else who
    low = tokens[at].lower()
    place = _next_word(tokens, at + 1)
    verb = tokens[place].lower() if place < len(tokens) else ""
    between = "".join(tokens[at + 1 : place])
    state.named.add(who)
    if low in _WE:
        if verb in NUMBERS.keys() - DETERMINERS or verb.isdecimal():
            raise _UnsureError  # "we're four": more than the speaker
        between = _ALL_OF_US.sub("", between)
    if "'" in low:
        written = _contracted(low[low.index("'") :], verb, is_plural)
        state.form = "present" if low in {"i'm", "we're"} else ""
        state.out.append(f"{subject} {written}")
        return at + 1
    if not verb:
        raise _UnsureError
    following = tokens[_next_word(tokens, place + 1) :][:1]
    written = _conjugated(verb, is_plural, between, state, following[0].lower() if following else "")
    state.out.append(f"{subject}{between}{written}")
    return place + 1


def _contracted(ending: str, verb: str, is_plural: bool) -> str:
    if ending == "'d":
        if verb in {"better"} or (is_participle(verb) and not is_base(verb)):
            return "had"
        return "would"
    full = _CONTRACTED[ending]
    if full in MODALS or full == "will":
        return full
    return _PLURAL.get(full, full) if is_plural else _THIRD[full]


def _conjugated(verb: str, is_plural: bool, between: str, state: _State, following: str) -> str:
    if verb in MODALS:
        state.form = ""
        return _LONG.get(verb, verb)
    if verb in _THIRD:
        state.form = "present" if verb in {"am", "have", "do"} else "past"
        return _PLURAL.get(verb, verb) if is_plural else _THIRD[verb]
    if verb in _SAME_IN_PAST and not _HABIT.search(between) and (verb != "read" or following in DETERMINERS):
        state.form = "past"
        return verb
    if verb not in _SAME_IN_PAST and (verb == "quit" or is_past(verb)):
        state.form = "past"
        return verb
    if not is_base(verb):
        raise _UnsureError
    state.form = "present"
    state.is_fond = verb in _FOND
    return verb if is_plural else third_person(verb)


def _read_and(tokens: list[str], at: int, state: _State) -> int:
    """Read a second verb of the same subject: "I eat meat and drink wine"."""
    state.out.append(tokens[at])
    place = _next_word(tokens, at + 1)
    word = tokens[place] if place < len(tokens) else ""
    following = next((token.lower() for token in tokens[place + 1 :] if not token.isspace()), "")
    has_adverb = any(_is_adverb(token.lower()) for token in tokens[at + 1 : place])
    is_led = following in DETERMINERS | PREPOSITIONS | {"to"} or following[:1].isdigit()
    if word in {"am", "have", "do", "don't", "haven't"}:
        verb = _THIRD[word]
    elif not is_base(word) or word in {"let"}:
        return at + 1
    elif word in NOUNLIKE and not is_led and not has_adverb:
        if not following or following in {",", "."}:
            return at + 1
        if state.is_fond or not following.isalpha():
            raise _UnsureError
        verb = third_person(word)
    else:
        verb = third_person(word)
    state.out.append("".join(tokens[at + 1 : place]) + verb)
    return place + 1


_TO_THE_USER = (
    (re.compile(r"\b[Yy]ou(?:'ve| have)\b"), "User has"),
    (re.compile(r"\b[Yy]ours?\b"), "User's"),
)
_YOU_DO = re.compile(r"\b[Yy]ou (\w+)")
_THE_ASSISTANT = re.compile(r"^assistant\b")
_BARE_KIN = re.compile(
    r"(?<![\w'-])(?<!my )(?<!our )(?<!his )(?<!her )(?<!their )(?<!your )(?<!a )(?<!the )(?<!'s )"
    r"(mum|mom|mam|mummy|dad|daddy|granny|grandma|"
    r"grandpa|nana)(?='s\b|\b(?!\w))",
    re.IGNORECASE,
)
"""Whose they are goes without saying for the speaker only."""
_SPACES = re.compile(r"\s+")
_WRITTEN_SMALL = re.compile(r"[a-z][\w./:@-]*(?:\d|[a-z_][._/:@][a-z_])")
"""What hosts, files and settings are called: "pg-02", "app.example.org", "max_retries"."""


def word(text: str, role: str, group: str, speaker: str = "User") -> str:
    """Return what `role` said, told by somebody else; "we" are the `group`, "I" is the `speaker`."""
    if role == USER:
        text = _THE_ASSISTANT.sub("Assistant", text)
        said = _BARE_KIN.sub(lambda found: f"my {found[1].lower()}", text)
        if is_first_person(said):
            said = to_third_person(said, speaker, group) or f'{speaker} said "{said}"'
    else:
        said = to_third_person(text, "Assistant") or text
        for pattern, written in _TO_THE_USER:
            said = pattern.sub(written, said)
        said = _YOU_DO.sub(lambda do: f"User {third_person(do[1]) if is_base(do[1]) else do[1]}", said)
    said = _SPACES.sub(" ", said).strip(" ,;:–—-")
    return begin_sentence(said)


def begin_sentence(text: str) -> str:
    """With a capital, but for what is called by a name in small letters."""
    return text if _WRITTEN_SMALL.match(text.partition(" ")[0]) else text[:1].upper() + text[1:]


_DONE = re.compile(
    r"^I(?:'ve| have)?(?: just| now| also| already| successfully| then)* (restarted|deployed|fixed|added|removed|"
    r"raised|increased|lowered|decreased|set|changed|updated|upgraded|downgraded|rolled back|reverted|migrated|"
    r"moved|renamed|created|enabled|disabled|pinned|pushed|merged|replaced|switched|configured|installed|"
    r"scheduled|rotated|renewed|rebuilt|restored|cleared|scaled|patched|opened|closed|tagged|released|bumped|"
    r"reduced|extended|excluded|blocked|whitelisted|allowed|dropped|put|split|found|booked|ordered|cancelled|"
    r"canceled|reserved|registered|confirmed|verified|measured|freed|pruned|resized|reset|stopped|started|killed|"
    r"drained|failed over|cut|filed|committed|implemented|wrapped|documented)\b(.+)$",
    re.IGNORECASE,
)
_BARE_DONE = re.compile(
    r"^(?:done:?\s*)?(Restarted|Deployed|Fixed|Removed|Raised|Increased|Lowered|Upgraded|Downgraded|Rolled back|"
    r"Reverted|Migrated|Renamed|Created|Enabled|Disabled|Pinned|Pushed|Merged|Replaced|Switched|Configured|"
    r"Installed|Scheduled|Rotated|Renewed|Rebuilt|Restored|Cleared|Scaled|Patched|Released|Bumped|Reduced|Booked|"
    r"Cancelled|Moved|Added|Updated|Changed|Set)\b(.+)$",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:root cause|caused by|the (?:cause|culprit|problem|reason|issue) (?:is|was)|turned out|turns out|"
    r"was due to|is due to|the fix (?:is|was)|workaround|happens (?:because|when|only)|"
    r"fails? (?:only )?(?:because|when|between|if)|failed because|fixes it|fixed it|fixes the|same cause|"
    r"because the|resolved by|as it compares|was missing|had expired|(?:was|were) (?:wrong|misconfigured|full|"
    r"exhausted|capped|deleted|overwritten|outdated|stale))\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:is now|are now|(?:is|are) [\w-]+ now$|(?:finished|completed|ended): \d+ (?:s|ms|min|minutes|seconds|hours)|"
    r"now (?:runs?|uses?|has|points?|listens?|lives?|takes?)|has been|have been|was (?:moved|"
    r"renamed|raised|removed|replaced|migrated|deployed|upgraded|installed|merged|rolled back)|took \d|"
    r"takes (?:about |around )?\d|is (?:granted|owned|managed|pinned|scheduled|capped|stored|hosted)|runs (?:on|"
    r"at|every|nightly)|lives (?:in|on|at)|listens on|expires on|per the wiki|according to the|we(?:'ve|"
    r" have)? agreed|requires? approval)\b",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"^(?:I(?:'ll| will| can| could| would|'d| am|'m| understand| see| hope| think| recommend| suggest| don't|"
    r" do not| cannot| can't|'ve noted|'ve saved| have noted)|let me|let's|would you|do you|you (?:can|could|"
    r"should|may|might|need|will|must|want)|here(?:'s| is| are)|sure|if |to \w+|try|use |run |check|make sure|"
    r"consider|note that you|feel free|thanks|thank|sorry|great|congrat|good|nice|happy|glad|please|maybe|perhaps|"
    r"yes$|no$|want|shall|should|once you|after you|when you|step|first,|next,|then,|finally,|for example|"
    r"there are|there's|there is|it(?:'s| is)|this|that|these|those|usually|typically|generally|in general|"
    r"often)\b",
    re.IGNORECASE,
)
_GENERAL = re.compile(
    r"\b(?:usually|typically|generally|in general|often|commonly|most (?:people|projects|teams)|a good|"
    r"for example|such as|you can|you could|you should|you might|would|could|might)\b",
    re.IGNORECASE,
)
_CONCRETE = re.compile(r"`[^`]+`|\d|[\w-]+\.[a-z]\w+|\w+_\w+|\b[A-Z][A-Z_]{2,}\b|(?<=[a-z,] )[A-Z][\w-]+|\w+-\w+")
_SMALL = re.compile(
    r"\b(?:answer|response|reply|example|code|script|above|below|draft|letter|email|essay|version for you|bio|"
    r"list for you|translation|spelling|typo|comma|wording|sentence|paragraph|the note|a note)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\s*(?:it|them)\b(?!.*\d)", re.IGNORECASE)
_FOR_YOU = re.compile(r"\s+(?:for you|as (?:you )?(?:requested|asked|discussed))\b", re.IGNORECASE)


def read_outcome(clause: str) -> tuple[str, str, float] | None:
    """Return the statement, the kind of evidence and its weight; None for talk."""
    clause = _FOR_YOU.sub("", clause)
    done = _DONE.match(clause)
    if done and _is_matter(done[2]):
        said = to_third_person(clause, "Assistant")
        return (re.sub(r"\byour\b", "User's", said), "something was done", 0.7) if said else None
    bare = _BARE_DONE.match(clause)
    if bare and _is_matter(bare[2]) and is_past(bare[1].split()[0].lower()):
        return f"{bare[1]}{bare[2]}", "something was done", 0.65
    if _NEVER.match(clause) or _GENERAL.search(clause) or re.search(r"\b(?:I|my|me)\b", clause):
        return None
    is_concrete = bool(_CONCRETE.search(clause))
    if _CAUSE.search(clause) and (is_concrete or count_ops(clause)) and len(clause.split()) > 4:
        return _about(clause), "a cause was found", 0.75
    if _STATE.search(clause) and is_concrete and (count_ops(clause) or re.search(r"\d", clause)):
        return _about(clause), "a result was told", 0.6
    return None


def read_announced(clause: str, announced: str) -> tuple[str, str, float] | None:
    """Return what stood behind "Found it:" or "Written:", if it is matter of this place."""
    if not announced or _SMALL.search(clause) or not count_ops(clause) or not is_specific(clause):
        return None
    return _about(clause), "a cause was found" if announced == "found" else "something was done", 0.6


def is_specific(clause: str) -> bool:
    """Tell whether a sentence names things of this place, and neither advises nor explains in general."""
    return (
        not _NEVER.match(clause)
        and not _GENERAL.search(clause)
        and bool(_CONCRETE.search(clause))
        and not re.search(r"\b(?:I|my|me|you)\b", clause)
    )


def _is_matter(rest: str) -> bool:
    """Tell whether what was done says to what: "changed it to UUID" does not."""
    return (
        not _POINTS_BACK.match(rest)
        and not _SMALL.search(rest)
        and bool(_CONCRETE.search(rest) or count_ops(rest))
        and len(rest.split()) > 1
    )


def _about(clause: str) -> str:
    return re.sub(r"\b([Yy])our\b", "User's", re.sub(r"\byou have\b", "User has", clause))
