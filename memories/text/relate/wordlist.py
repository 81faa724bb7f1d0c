"""How the larger word lists of this package are written down: as text, a group to a line."""

from collections.abc import Iterator


def groups(text: str) -> Iterator[str]:
    """Yield the lines of a list; a line that ends in a comma or a bar goes on in the next."""
    pending = ""
    for line in text.strip().splitlines():
        pending = f"{pending} {line.strip()}".strip()
        if not pending.endswith((",", "|")):
            yield pending
            pending = ""


def phrases(group: str) -> list[str]:
    """Return the comma-separated entries of one line."""
    return [entry.strip() for entry in group.split(",") if entry.strip()]


def forms_of(entries: str) -> dict[str, str]:
    """Return form → base of entries written "base: form form; base: form"."""
    pairs = (entry.partition(":") for entry in entries.split(";"))
    return {form: base.strip() for base, _, forms in pairs for form in forms.split()}
