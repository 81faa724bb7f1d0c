"""Names that hold a secret, in files that are taken in: what stands for them."""

from __future__ import annotations

import re

from django.utils.crypto import salted_hmac

from memories.text.clean import secret_in_name

DIGITS = 12


def stand_in(name: str) -> str:
    """The name; of one that holds a secret a name of its own, the same each time that it is met with this secret key.

    Whoever sends such a name is refused (`memories.api.fields.Name`): a stand-in would match nothing any more once the
    key is another. A file is whole, and has to agree with itself only; and nobody can mend what was noted years ago.
    """
    kind = secret_in_name(name)
    if not kind:
        return name
    digits = salted_hmac("memsite.names", name, algorithm="sha256").hexdigest()[:DIGITS]
    return f"redacted-{re.sub('[^a-z]+', '-', kind.lower())}-{digits}"
