"""How long a text is for a model: four characters to a token, rounded up, and one where a script has no spaces between
words. Good enough for a budget.
"""

from memories.text.unspaced import characters_in, is_unspaced

CHARACTERS_PER_TOKEN = 4
LEAST_CHARACTERS_PER_TOKEN = 3
MOST_TOKENS_OF_OTHERS = 2


def estimate_tokens(text: str) -> int:
    weight = len(text)
    if not text.isascii():
        weight += (CHARACTERS_PER_TOKEN - 1) * characters_in(text)
    return -(-weight // CHARACTERS_PER_TOKEN)


def beginning(text: str, tokens: int) -> str:
    """As much of it as that makes."""
    room = tokens * CHARACTERS_PER_TOKEN
    if text.isascii():
        return text[:room]
    for at, character in enumerate(text):
        room -= CHARACTERS_PER_TOKEN if is_unspaced(character) else 1
        if room < 0:
            return text[:at]
    return text


def most_tokens(text: str) -> int:
    """More than any usual tokeniser makes of it: three characters to a token, two tokens for one outside of ASCII."""
    others = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - others) // LEAST_CHARACTERS_PER_TOKEN) + MOST_TOKENS_OF_OTHERS * others
