"""What an assistant reports as done or found. Its offers, explanations and polite words are none of it."""

from __future__ import annotations

import re

from memories.providers.llm.rules.evidence import count_ops
from memories.providers.llm.rules.person import to_third_person
from memories.providers.llm.rules.verbs import is_past

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
_ABOUT_USER = re.compile(
    r"^(?:it (?:seems|sounds|looks) (?:like |as if )?)?you(?: really| clearly| obviously)? (seem|appear|"
    r"tend) to (.+)$",
    re.IGNORECASE,
)
_SMALL = re.compile(
    r"\b(?:answer|response|reply|example|code|script|above|below|draft|letter|email|essay|version for you|bio|"
    r"list for you|translation|spelling|typo|comma|wording|sentence|paragraph|the note|a note)\b",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(r"\s*(?:it|them)\b(?!.*\d)", re.IGNORECASE)
_TURNS_OUT = re.compile(r"^(?:(?:so )?it )?turns out(?: that)? ", re.IGNORECASE)
_FOR_YOU = re.compile(r"\s+(?:for you|as (?:you )?(?:requested|asked|discussed))\b", re.IGNORECASE)


def read_outcome(clause: str) -> tuple[str, str, float] | None:
    """The statement, the kind of evidence and its weight; None for talk."""
    seemed = _ABOUT_USER.match(clause)
    if seemed:
        return f"User {seemed[1].lower()}s to {seemed[2]}", "a guess about the user", 0.55
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
    """What stood behind "Found it:" or "Written:", if it is matter of this place."""
    if not announced or _SMALL.search(clause) or not count_ops(clause) or not is_specific(clause):
        return None
    return _about(clause), "a cause was found" if announced == "found" else "something was done", 0.6


def is_specific(clause: str) -> bool:
    """Whether a sentence names things of this place, and neither advises nor explains in general."""
    return (
        not _NEVER.match(clause)
        and not _GENERAL.search(clause)
        and bool(_CONCRETE.search(clause))
        and not re.search(r"\b(?:I|my|me|you)\b", clause)
    )


def _is_matter(rest: str) -> bool:
    """Whether what was done says to what: "changed it to UUID" does not."""
    return (
        not _POINTS_BACK.match(rest)
        and not _SMALL.search(rest)
        and bool(_CONCRETE.search(rest) or count_ops(rest))
        and len(rest.split()) > 1
    )


def _about(clause: str) -> str:
    clause = _TURNS_OUT.sub("", clause)
    return re.sub(r"\b([Yy])our\b", "User's", re.sub(r"\byou have\b", "User has", clause))
