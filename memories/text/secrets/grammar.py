"""What may stand between the name of a secret and its value: "of the router", "is now", "was changed to"."""

from memories.text.secrets.words import any_of

CLOSING = r"\d{0,2}[\"'`*_)\]}]{0,4}[ \t]{0,4}(?:[(（][^()（）\n]{0,40}[)）][*_]{0,2}[ \t]{0,4})?"
SCHEME = r"(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?"
OF = rf"(?:[ \t]{{1,4}}(?:{any_of('of')})(?:[ \t]|(?<=['’]))(?:[^\n.:;!?=]|\.(?=\S)){{1,60}}?,?)?"
ADVERB = rf"(?:{any_of('adverb')})"
IS = rf"(?<![^\W_])(?:{ADVERB}[ \t])?(?:{any_of('is')})(?:[ \t]{{1,3}}{ADVERB})?:?"
BECAME = rf"(?<![^\W_])(?:{any_of('lead')})?(?:{ADVERB}[ \t])?(?:{any_of('became')}):?"
VERB = rf"(?:[:=：]|['’]s(?=[ \t])|{BECAME}|{IS})"
ARTICLE = rf"(?:(?:{any_of('article')})[ \t])"
NUMBER_LEAD = rf"{CLOSING}{OF}[,、，]?[ \t]{{0,4}}(?:[:=：]|{VERB})?\s{{0,4}}{ARTICLE}?[\"'`*#]{{0,2}}"
