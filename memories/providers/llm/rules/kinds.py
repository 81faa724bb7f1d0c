"""What kind of memory a statement is, and how much it matters."""

from __future__ import annotations

import re

_PREFERENCE = re.compile(
    r"\b(?:(?:I|we|they|not|n't|really|would) (?:really )?(?:like|love|enjoy|hate|prefer)|prefers|likes|loves|"
    r"hates|dislikes?|enjoys|adores|can't stand|cannot stand|favou?rite|would rather|wants? to be called|"
    r"not a fan|is a fan|does not (?:like|want|care)|doesn't (?:like|want)|detests?|loathes?|swears by|"
    r"refuses? to|allergic to bad|bevorzug\w+|ich (?:mag|liebe|hasse)|j'(?:aime|adore)|je (?:préfère|déteste)|"
    r"prefiero|me gustan?|me encantan?|odio)\b",
    re.IGNORECASE,
)
_PROJECT = re.compile(
    r"\b(?:working on|building|writing a|developing|launch\w*|release[sd]?|roadmap|milestone|deadline|sprint|"
    r"project|repo|repository|thesis|branch|deploy\w*|ships?|startup)\b",
    re.IGNORECASE,
)
_GRAVE = re.compile(
    r"\b(?:allerg\w+|anaphyla\w+|epipen|diabet\w+|pregnan\w+|insulin|medication|epilep\w+|celiac|coeliac|"
    r"emergency|asthma|password|credential\w*|secret|api keys?|never|must not|production|prod|deadline|due|"
    r"root cause|security|intoleran\w+|diagnos\w+|allergique|alérgic[oa]|heart|surgery)\b",
    re.IGNORECASE,
)
_WEIGHTY = re.compile(
    r"\b(?:decided|always|must|appointment|flight|wedding|exam|birthday|vegan|vegetarian|married|moving|"
    r"works? (?:at|as|for)|lives? in|name is|called|staging|backup|cluster|database|migrat\w+|only|wife|husband|"
    r"daughter|son)\b|\d",
    re.IGNORECASE,
)
_LIGHT = re.compile(r"\b(?:likes?|loves?|enjoys?|watch\w*|reads?|listens?|usually|sometimes)\b", re.IGNORECASE)


def read_kind(content: str, candidate_type: str, is_lesson: bool, evidence: str) -> str:
    if is_lesson:
        return "lesson"
    if candidate_type == "decision":
        return "decision"
    if evidence == "a cause was found":
        return "insight"
    if candidate_type == "instruction" or _PREFERENCE.search(content):
        return "preference"
    if _PROJECT.search(content) and not re.match(
        r"User's (?:\w+ )?(?:wife|husband|sister|brother|son|daughter|mother|father)\b",
        content,
    ):
        return "project" if not content.startswith("Assistant") else "fact"
    return "fact"


def read_importance(content: str, kind: str) -> int:
    """1 to 5."""
    if _GRAVE.search(content):
        return (
            5
            if re.search(
                r"\b(?:severe\w*|allerg\w+|anaphyla\w+|never|credential\w*|secret|password|insulin|production|emergency)\b",
                content,
                re.I,
            )
            else 4
        )
    if kind in {"decision", "lesson"}:
        return 4
    if _LIGHT.search(content) and kind == "preference":
        return 2
    return (
        4
        if kind == "preference" and content.startswith(("Always", "Do not"))
        else 3
        if _WEIGHTY.search(content) or kind != "fact"
        else 2
    )
