"""Queues kept in a folder: one file per message, moved between folders by atomic renames.

    tmp/      messages being written; nobody reads here
    queue/    Q/NAME: waiting, oldest name first
    held/     OWNER/Q@NAME: taken, not yet done; OWNER/lock is locked for as long as its owner lives
    bad/      Q@NAME: nobody could read or survive these; for people to look at

A process may die between any two lines here: a message is then in exactly one folder, whole. Nothing is
synced to the disk, so a power cut may lose messages: they are doorbells, the database is the truth.
No Django, no Celery: `memsite.ops.broker` gives this to kombu.
"""

import fcntl
import hashlib
import logging
import os
import shutil
import time
import weakref
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from urllib.parse import quote
from uuid import uuid4

logger = logging.getLogger(__name__)

LONGEST_ENCODED_QUEUE = 120  # characters: with name and mark the file name stays below 255
MOST_RETURNS = 5  # dead owners a message may have before it is taken for what killed them
ABANDONED_AFTER_SECONDS = 3600  # a file in tmp/ this old has no living writer

_counter = count()


class Spool:
    """The folders. Any number of processes may put, and claim through `Claims`, at the same time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.queues, self.taken, self.bad, self.tmp = (root / name for name in ("queue", "held", "bad", "tmp"))

    def put(self, queue: str, data: bytes) -> None:
        """Queue a message. OSError (a full disk, say) means that it is not queued and left nothing behind."""
        # Sorts by time of day: a monotonic clock starts anew at every boot.
        name = f"{time.time_ns():020d}-{next(_counter):08d}-{uuid4().hex}-0"
        draft = make_folder(self.tmp) / name
        try:
            draft.write_bytes(data)
            draft.replace(make_folder(self.queues / encode_queue(queue)) / name)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def put_back(self, path: Path) -> None:
        """Return a held message to the place in its queue that it came from, if it is still held."""
        encoded, _, name = path.name.partition("@")
        with suppress(FileNotFoundError):
            path.replace(make_folder(self.queues / encoded) / name)

    def set_aside(self, path: Path) -> None:
        path.replace(make_folder(self.bad) / path.name)

    def names(self, queue: str) -> list[str]:
        """Return names of the waiting messages, oldest first. Reads the folder once: 1 ms per 1,000 messages."""
        try:
            return sorted(path.name for path in (self.queues / encode_queue(queue)).iterdir())
        except FileNotFoundError:
            return []

    def size(self, queue: str) -> int:
        return len(self.names(queue))

    def purge(self, queue: str) -> int:
        """Delete the waiting messages, not the held ones; say how many."""
        return sum(unlink(self.queues / encode_queue(queue) / name) for name in self.names(queue))

    @contextmanager
    def one_at_a_time(self) -> Iterator[None]:
        """Hold off every other owner that comes or goes, in any process."""
        lock = os.open(make_folder(self.root) / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


class Claims:
    """What one consumer holds. Made at its first look into a queue, which also revives what the dead held.

    A claim is a rename, so of several consumers exactly one gets a message. `claim` belongs to one thread;
    `drop`, `put_back` and `set_aside` may come from any.
    """

    def __init__(self, spool: Spool) -> None:
        self.spool = spool
        self._seen: defaultdict[str, deque[str]] = defaultdict(deque)
        self.folder = spool.taken / f"{os.getpid()}-{uuid4().hex[:12]}"
        with spool.one_at_a_time():
            make_folder(self.folder)
            self._lock = try_lock(self.folder)
            oldest = time.time() - ABANDONED_AFTER_SECONDS
            for draft in list_folder(spool.tmp):
                # Left by a writer who died.
                with suppress(FileNotFoundError):
                    if draft.stat().st_mtime < oldest:
                        draft.unlink()
            # Messages of owners that are no longer alive return to their queues.
            for folder in filter(Path.is_dir, list_folder(spool.taken)):
                lock = try_lock(folder)
                if lock is None:
                    continue
                try:
                    for message in messages_in(folder):
                        # Put back one message of a dead owner, counted in its name; after too many deaths set it
                        # aside.
                        stem, _, digits = message.name.rpartition("-")
                        returns = int(digits) if digits.isdecimal() else MOST_RETURNS
                        if returns < MOST_RETURNS:
                            spool.put_back(message.rename(message.with_name(f"{stem}-{returns + 1}")))
                        else:
                            logger.warning("Set aside %s: %s workers died holding it", message.name, MOST_RETURNS + 1)
                            spool.set_aside(message)
                    shutil.rmtree(folder)
                finally:
                    os.close(lock)
        _open_claims.add(self)

    def claim(self, queue: str) -> tuple[str, bytes] | None:
        """Return the oldest waiting message as (tag, data), or None. One rename and one read per message."""
        seen = self._seen[queue]
        if not seen:
            seen.extend(self.spool.names(queue))
        while seen:
            name = seen.popleft()
            tag = f"{encode_queue(queue)}@{name}"
            if self._take(self.spool.queues / encode_queue(queue) / name, self.folder / tag):
                return tag, (self.folder / tag).read_bytes()
        return None

    def _take(self, waiting: Path, path: Path) -> bool:
        """Return False if another consumer was first; FileNotFoundError if our own folder was deleted."""
        try:
            waiting.rename(path)
        except FileNotFoundError:
            if not self.folder.is_dir():
                raise
            return False
        return True

    def drop(self, tag: str) -> None:
        """Drop a message that is done with. Doing it twice harms nothing."""
        unlink(self.folder / tag)

    def put_back(self, tag: str) -> None:
        self.spool.put_back(self.folder / tag)

    def set_aside(self, tag: str) -> None:
        self.spool.set_aside(self.folder / tag)

    def close(self) -> None:
        """Put back what is still held and let go."""
        with self.spool.one_at_a_time():
            for message in messages_in(self.folder):
                self.spool.put_back(message)
            shutil.rmtree(self.folder, ignore_errors=True)
        self.forget()

    def forget(self) -> None:
        """Close our handle of the lock, no more: a forked child must not keep its parent's claims alive."""
        _open_claims.discard(self)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __del__(self) -> None:
        if getattr(self, "_lock", None) is not None:
            self.forget()


_open_claims: "weakref.WeakSet[Claims]" = weakref.WeakSet()


def _forget_claims_of_parent() -> None:
    for claims in list(_open_claims):
        claims.forget()


os.register_at_fork(after_in_child=_forget_claims_of_parent)


@lru_cache(maxsize=256)
def encode_queue(queue: str) -> str:
    """Return a file name for any queue name: no separator, dot or @; of a long one its start and its digest."""
    encoded = quote(queue, safe="").replace(".", "%2E") or "%"
    if len(encoded) <= LONGEST_ENCODED_QUEUE:
        return encoded
    digest = hashlib.sha256(encoded.encode()).hexdigest()
    return f"{encoded[: LONGEST_ENCODED_QUEUE - len(digest) - 1]}~{digest}"


def try_lock(folder: Path) -> int | None:
    """Lock an owner's folder and return the open lock file, or None while the owner lives."""
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def messages_in(folder: Path) -> list[Path]:
    return [path for path in list_folder(folder) if "@" in path.name]


def list_folder(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        return []


def make_folder(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def unlink(path: Path) -> bool:
    """Delete a file; False if somebody else already did."""
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
