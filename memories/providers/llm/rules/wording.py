"""The words a statement is kept in: in the third person, whoever said it."""

from __future__ import annotations

import re

from memories.providers.llm.rules.evidence import is_first_person
from memories.providers.llm.rules.person import to_third_person
from memories.providers.llm.rules.verbs import is_base, third_person
from memories.text.messages import USER

_TO_THE_USER = (
    (re.compile(r"\b[Yy]ou(?:'re| are)\b"), "User is"),
    (re.compile(r"\b[Yy]ou(?:'ve| have)\b"), "User has"),
    (re.compile(r"\b[Yy]ou(?:'ll| will)\b"), "User will"),
    (re.compile(r"\b[Yy]ours?\b"), "User's"),
)
_YOU_DO = re.compile(r"\b[Yy]ou (\w+)")
_TO_THE_ASSISTANT = (
    (re.compile(r"^[Yy]ou(?:'ll| will) "), "Assistant will "),
    (re.compile(r"^assistant\b"), "Assistant"),
)
_BARE_KIN = re.compile(
    r"(?<![\w'-])(?<!my )(?<!our )(?<!his )(?<!her )(?<!their )(?<!your )(?<!a )(?<!the )(?<!'s )"
    r"(mum|mom|mam|mummy|dad|daddy|granny|grandma|"
    r"grandpa|nana)(?='s\b|\b(?!\w))",
    re.IGNORECASE,
)
"""Whose they are goes without saying for the speaker only."""
_JUST_TURNED = re.compile(r"\b(?:(?:has|have) )?just (?=turned (?:\d|[a-z]+(?:$|[.,!;])))")
"""Whose age it tells is that old afterwards, too."""
_SPACES = re.compile(r"\s+")
_WRITTEN_SMALL = re.compile(r"[a-z][\w./:@-]*(?:\d|[a-z_][._/:@][a-z_])")
"""What hosts, files and settings are called: "pg-02", "app.example.org", "max_retries"."""


def word(text: str, role: str, group: str, speaker: str = "User") -> str:
    """What `role` said, told by somebody else; "we" are the `group`, "I" is the `speaker`."""
    said = _of_user(text, group, speaker) if role == USER else _of_assistant(text)
    said = _SPACES.sub(" ", _JUST_TURNED.sub("", said)).strip(" ,;:–—-")
    return begin_sentence(said)


def begin_sentence(text: str) -> str:
    """With a capital, but for what is called by a name in small letters."""
    return text if _WRITTEN_SMALL.match(text.partition(" ")[0]) else text[:1].upper() + text[1:]


def _of_user(text: str, group: str, speaker: str) -> str:
    for pattern, written in _TO_THE_ASSISTANT:
        text = pattern.sub(written, text)
    text = _BARE_KIN.sub(lambda found: f"my {found[1].lower()}", text)
    if not is_first_person(text):
        return text
    return to_third_person(text, speaker, group) or f'{speaker} said "{text}"'


def _of_assistant(text: str) -> str:
    said = to_third_person(text, "Assistant") or text
    for pattern, written in _TO_THE_USER:
        said = pattern.sub(written, said)
    return _YOU_DO.sub(lambda match: f"User {third_person(match[1]) if is_base(match[1]) else match[1]}", said)
