"""What an agent's program writes, kept in a file until it has been delivered."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Condition

READ_BYTES = 64 * 1024
# An idle connection is cut by what lies on the way: an empty line says that we are there.
IDLE_SECONDS = 15.0
STILL_HERE = b"\n"


class Recording:
    """One writes, others read along. The lock on the file ends with this process, however that ends."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = path
        self.file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
        fcntl.flock(self.file, fcntl.LOCK_EX)
        self.changed = Condition()
        self.size_bytes, self.is_complete = 0, False
        self.error: OSError | None = None

    def write(self, data: bytes) -> None:
        """Never raises: what passes through is more important than what is kept of it."""
        if self.is_complete:
            return None
        try:
            self.file.write(data)
            self.file.flush()
        except OSError as error:
            self.error = error
            return self.complete()
        with self.changed:
            self.size_bytes += len(data)
            self.changed.notify_all()
        return None

    def complete(self) -> None:
        with self.changed:
            self.is_complete = True
            self.changed.notify_all()

    def chunks(self) -> Iterator[bytes]:
        """All of it from the beginning, as it comes, to its end; an empty line now and then while nothing comes."""
        with self.path.open("rb") as file:
            last = b"\n"
            while True:
                # Asked first: what is written between looking for more and asking would be lost.
                is_complete = self.is_complete
                if data := file.read(min(READ_BYTES, self.size_bytes - file.tell())):
                    last = data[-1:]
                    yield data
                elif is_complete:
                    return
                elif not self.wait_beyond(file.tell()) and last == b"\n":
                    yield STILL_HERE

    def wait_beyond(self, place: int) -> bool:
        """Whether there is more, or it is complete, before the connection has been idle for too long."""
        with self.changed:
            return self.changed.wait_for(lambda: self.size_bytes > place or self.is_complete, IDLE_SECONDS)

    def close(self) -> None:
        """Frees the lock: from now on anybody may deliver it."""
        # Closing tries to write what a full disk refused before.
        with suppress(OSError):
            self.file.close()
