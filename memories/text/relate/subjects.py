"""What two statements are about, by how they begin: of two people, hosts or matters each may have its own value."""

from memories.text.wordlist import words

from . import cues, grammar
from .alignment import COVERED
from .evidence import Evidence, Sides
from .lookup import OPPOSITE_SIDES, SYNONYM_GROUPS, classes_of, stems_of
from .outline import Outline, Word
from .reasons import STRONGEST_FIRST
from .stems import stem

_VERBS = frozenset(stem(verb) for verb in grammar.VERBS)
_IS = words("is was")
_COPULAS = _IS | words("are were")
_DOING = _IS | words("has had")
_BEING = _DOING | words("are were am have do does did can will")
_KIN = "kin"
_OF_THINGS = ("s", "ing", "ion", "ment", "er", "or", "ness", "ity", "age")
"""What names of things end in more often than those of people."""
_BEFORE_A_SUBJECT = words("the our its a an")
_CONTRARIES = frozenset({"opposed", "rule_implied"})
_VALUES = frozenset({"other_name", "sibling", "number_conflict", "change_cue"})


def name_other_subjects(sides: Sides) -> str | None:
    """Return the two where each begins with the name of somebody or of a host that the other does not name."""
    old, new = sides.existing, sides.new
    names = [side.tokens[0] for side in (old, new) if side.tokens and _begins_with_a_name(side)]
    if len(names) < 2 or names[0] in new.tokens or names[1] in old.tokens:
        return None
    is_role = _tells_a_role(old) and old.tokens[1:] == new.tokens[1:]
    return None if is_role and _is_numbered(names[0]) else f"of another one: {names[0]} / {names[1]}"


def _begins_with_a_name(side: Outline) -> bool:
    if len(side.tokens) < 3:
        return False
    name, verb = side.tokens[:2]
    is_doing = verb in _DOING or (verb.endswith("s") and stem(verb) in _VERBS)
    return is_doing and (_is_numbered(name) or _is_of_a_person(name, side))


def _is_numbered(name: str) -> bool:
    """Tell whether it is one of several of its kind: "pg-02", "web1"; "v2" is the only one's version."""
    letters = name.rstrip("0123456789").rstrip("-")
    return letters != name and len(letters) > 1 and letters.replace("-", "").isalpha()


def _is_of_a_person(name: str, side: Outline) -> bool:
    if not side.written[:1].isupper() or not name.isalpha():
        return False
    key = stems_of(name)
    is_known = key in SYNONYM_GROUPS or key in OPPOSITE_SIDES or bool(classes_of(name)) or stem(name) in _VERBS
    return not (is_known or name in cues.STOP or name in cues.NEGATORS or name.endswith(_OF_THINGS))


def _tells_a_role(side: Outline) -> bool:
    """Tell whether one alone can be what it says: "is the default", "is used for summaries"."""
    return side.tokens[1] in _IS and (side.tokens[2] == "the" or side.tokens[2].endswith("ed"))


def have_nothing_in_common(sides: Sides, evidence: Evidence) -> bool:
    """Tell whether only values differ of matters that share no word: "the team is live in Portugal" / "the office is in
    Porto".

    Of what is far apart in meaning, too, whatever is denied is denied of something else: "the status page needs no
    token" / "retries are limited to 3". Contraries may be far apart: who is vegan has no scrambled eggs.
    """
    shown = {name for name, least in STRONGEST_FIRST.items() if evidence.features[name] >= least}
    is_far = evidence.features["cosine"] < 0
    if is_far and shown.isdisjoint(_CONTRARIES) and not _share_a_word(sides, frozenset()):
        return True
    is_of_values = shown <= _VALUES and not _share_a_word(sides, cues.LIGHT)
    return is_of_values and all(map(_has_a_subject, (sides.existing, sides.new)))


def deny_of_another(sides: Sides) -> str | None:
    """Return the two where one is denied what is said of another: "the team is on Nomad" / "pg-02 isn't in Nomad".

    A thing may be called by two names; that they are two is sure of hosts, of relatives, and where the one is denied
    it, "either".
    """
    old, new = _subject(sides.existing, sides.aligned.best_existing), _subject(sides.new, sides.aligned.best_new)
    if not old or not new:
        return None
    is_host = any(_is_numbered(word.text) for word in (old, new))
    is_kin = all(_KIN in word.classes for word in (old, new))
    is_either = any(side.tokens[-1:] == ("either",) for side in (sides.existing, sides.new))
    return f"of another one: {old.text} / {new.text}" if is_host or is_kin or is_either else None


def _subject(side: Outline, best: list[tuple[float, int]]) -> Word | None:
    """The last word before its verb, as far as the other statement has nothing of it."""
    verb = next((at for at, token in enumerate(side.tokens) if at and token in _BEING), 0)
    before = [(word, share) for word, (share, _) in zip(side.words, best, strict=True) if word.at < verb]
    return before[-1][0] if before and before[-1][1] < COVERED else None


def _share_a_word(sides: Sides, besides: frozenset[str]) -> bool:
    matched = zip(sides.aligned.existing, sides.aligned.best_existing, strict=True)
    return any(share >= COVERED and word.text not in besides for word, (share, _) in matched)


def _has_a_subject(side: Outline) -> bool:
    """Tell whether it begins with a thing, or with what was done once; "lives in Rome" is said of the user."""
    first, second = (*side.tokens, "", "")[:2]
    if first in _BEFORE_A_SUBJECT:
        return second.isalpha() and second not in cues.STOP
    return (first.endswith("ed") and stem(first) in _VERBS) or (first not in cues.STOP and second in _COPULAS)
