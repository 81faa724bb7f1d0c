"""How long a text is for a model: four characters to a token, rounded up. Good enough for a budget."""

CHARACTERS_PER_TOKEN = 4
LEAST_CHARACTERS_PER_TOKEN = 3
MOST_TOKENS_OF_OTHERS = 2


def estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def most_tokens(text: str) -> int:
    """More than any usual tokeniser makes of it: three characters to a token, two tokens for one outside of ASCII."""
    others = len(text) - len(text.encode("ascii", "ignore"))
    return -(-(len(text) - others) // LEAST_CHARACTERS_PER_TOKEN) + MOST_TOKENS_OF_OTHERS * others
