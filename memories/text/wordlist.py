"""How word lists are written down: as text, for people to read and extend."""


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


def numbered(entries: str, start: int = 0) -> dict[str, int]:
    """Each form of each comma-separated entry with the entry's place in the list."""
    return {form: place for place, forms in enumerate(entries.split(","), start) for form in forms.split()}
