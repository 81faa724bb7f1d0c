"""Tell whether a statement is in English, the only language whose grammar is known here."""

from collections.abc import Sequence

from memories.text.wordlist import words

from . import grammar
from .lexicon import find_phrase
from .stems import stem

MAX_FOREIGN_SHARE = 0.34
"""Share of words with letters outside ASCII above which a text is not taken for English."""

FOREIGN_WORDS = words("""
    der die das den dem des ein eine einen einem und oder aber nicht kein keine ist sind wird werden mit nach für
    auf bei aus vom zum zur im ich du er sie wir ihr sich auch nur noch immer wenn dass läuft muss soll alle
    le la les un une des et ou mais ne pas est sont avec dans pour sur sous chez du au aux je tu il elle nous vous
    qui que quand très toujours jamais
    el los las una unos y o pero no es son con en para por sin del al yo usted nosotros cuando muy siempre nunca
    il lo gli uno ed è sono con per tra fra della dello degli sempre mai quando non
    de het een en of maar niet geen zijn wordt met voor naar op uit bij ik jij wij jullie altijd nooit
    och eller inte är som på av till med för att det den ett jag vi
    nie jest są się w z na do i oraz ale który
    não é são com para por uma um dos das mas sempre
    """)
"""Short words of German, French, Spanish, Italian, Dutch, Swedish, Polish and Portuguese."""

_ENGLISH_TOO = words("die des a i in on no me an or of is as at do was so per war all den man son pour sous par con")

_SHARED = (FOREIGN_WORDS | _ENGLISH_TOO) - words("is in or of an at on")


def is_english(found: Sequence[str]) -> bool:
    """Judge by the short words: any language has its own. A text of unknown names counts as English."""
    letters = [word for word in found if word[0].isalpha()]
    foreign = sum(word in FOREIGN_WORDS and word not in _ENGLISH_TOO for word in letters)
    english = sum(_is_known(word) for word in letters)
    accented = sum(not word.isascii() for word in letters)
    return foreign <= english * 0.5 and accented <= MAX_FOREIGN_SHARE * max(len(letters), 1)


def has_english(plain: Sequence[str]) -> bool:
    """Whether words that are no names are known here, and not from another language, too ("no", "a", "me").

    One word of English grammar is enough; of others ("team", "server") more than a quarter has to be known, for they
    are borrowed in many languages. Nearly all of 2,000 labelled statements have that; hardly any has it in a language
    whose words are not known here. Names alone count as English.
    """
    letters = [word for word in plain if word[0].isalpha()]
    telling = [word for word in letters if word not in _SHARED]
    known = sum(map(_is_known, telling))
    return any(map(_is_grammar, telling)) or known * 4 > len(telling) or not letters


def _is_grammar(word: str) -> bool:
    return word in grammar.STOP_WORDS or word in grammar.AUXILIARIES or word in grammar.PREPOSITIONS


def _is_known(word: str) -> bool:
    return _is_grammar(word) or find_phrase([stem(word)], 0) is not None
