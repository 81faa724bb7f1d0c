"""How long a text is for a model: four characters to a token, rounded up. Good enough for a budget."""

CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
