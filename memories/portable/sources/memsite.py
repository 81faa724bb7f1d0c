"""An app's own file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from memories.portable.checking import checked
from memories.portable.files import lines_of, unpacked
from memories.portable.sources.items import Limits
from memories.portable.tables import Line


def read(file: IO[bytes], limits: Limits) -> Iterator[Line]:
    return checked(lines_of(unpacked(file, limits.most_bytes), limits.most_bytes_of_one))
