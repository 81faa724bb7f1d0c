"""Celery's broker without a server: `embedded:///absolute/folder` keeps the queues in that folder.

Derived from kombu's virtual transport rather than from its filesystem transport: that one writes messages
and routing tables in place, so that a reader meets half of them, and deletes a message before it is done.
Importing this module makes the URL scheme known to kombu.
No Django here.

A message is one file, moved between folders by atomic renames.

    tmp/      messages being written; nobody reads here
    queue/    Q/NAME: waiting, oldest name first
    held/     OWNER/Q@NAME: taken, not yet done; OWNER/lock is locked for as long as its owner lives
    bad/      Q@NAME: nobody could read or survive these; for people to look at

A process may die between any two lines here: a message is then in exactly one folder, whole. Nothing is
synced to the disk, so a power cut may lose messages: they are doorbells, the database is the truth.
"""

import fcntl
import hashlib
import os
import shutil
import time
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import count
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import quote, unquote, urlsplit
from uuid import uuid4

from kombu.exceptions import OperationalError
from kombu.log import get_logger
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport.virtual.exchange import DirectExchange, TopicExchange
from kombu.utils.json import dumps, loads
from kombu.utils.scheduling import FairCycle

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


SCHEME = "embedded"
POLLING_SECONDS = 0.05
# What parsing a torn or foreign file can raise.
UNREADABLE = (ValueError, KeyError, TypeError, AttributeError)

logger = get_logger(__name__)


def embedded_url(folder: Path) -> str:
    """Return the broker URL of a folder, whatever characters its path has."""
    return f"{SCHEME}://{quote(str(folder.absolute()))}"


def folder_of(url: str) -> Path:
    """Return the folder of a broker URL. ValueError unless it names exactly one absolute folder."""
    parts = urlsplit(url)
    path = Path(unquote(parts.path))
    if parts.scheme != SCHEME or parts.netloc or not path.is_absolute():
        raise ValueError(f"The embedded broker's URL is {SCHEME}:///absolute/folder, not {url!r}.")
    return path


class InOrder(FairCycle):
    """Asks the queues in the order they were consumed in: the second is served when the first is empty."""

    def get(self, callback: Callable[..., Any] | None, **kwargs: Any) -> Any:
        for queue in list(self.resources):
            with suppress(Empty):
                return self.fun(queue, callback, **kwargs)
        raise Empty


class QoS(virtual.QoS):
    """Deletes the file of a message that is acknowledged or rejected. May run in a pool's thread."""

    channel: "Channel"

    def ack(self, delivery_tag: str) -> None:
        self.channel.claims.drop(delivery_tag)
        super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        if not requeue:
            self.channel.claims.drop(delivery_tag)
        super().reject(delivery_tag, requeue=requeue)


class Channel(virtual.Channel):
    """One consumer or publisher. A message's delivery tag is the name of its held file."""

    QoS = QoS
    # Without fanout Celery leaves out remote control and gossip, which a doorbell does not need.
    exchange_types = {"direct": DirectExchange, "topic": TopicExchange}
    connection: "Transport"
    _claims: Claims | None = None

    @property
    def spool(self) -> Spool:
        return self.connection.spool

    @property
    def claims(self) -> Claims:
        """Kept beyond `close`, so that a late acknowledgement finds nothing instead of failing."""
        if self._claims is None:
            self._claims = self.connection.claims
        return self._claims

    def basic_consume(
        self,
        queue: str,
        no_ack: bool = False,
        callback: Callable[..., Any] | None = None,
        consumer_tag: str | None = None,
        **kwargs: Any,
    ) -> str:
        def drop_first(message: virtual.Message) -> Any:
            self.claims.drop(str(message.delivery_tag))
            return callback(message) if callback else None

        receive = drop_first if no_ack else callback
        return super().basic_consume(queue, no_ack, receive, consumer_tag, **kwargs)

    def basic_get(self, queue: str, no_ack: bool = False, **kwargs: Any) -> virtual.Message | None:
        message = super().basic_get(queue, no_ack=no_ack, **kwargs)
        if message is not None and no_ack:
            self.claims.drop(str(message.delivery_tag))
        return message

    def _put(self, queue: str, message: dict[str, Any], **kwargs: Any) -> None:
        """Put a message. OperationalError if the folder cannot be written: trying again would not help."""
        try:
            self.spool.put(queue, dumps(message).encode())
        except OSError as error:
            raise OperationalError(f"Cannot queue a message: {error}") from error

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        while claimed := self.claims.claim(queue):
            tag, data = claimed
            try:
                return self._read(tag, data)
            except UNREADABLE as error:
                logger.warning("Set aside the unreadable message %s: %r", tag, error)
                self.claims.set_aside(tag)
        raise Empty

    def _read(self, tag: str, data: bytes) -> dict[str, Any]:
        payload: dict[str, Any] = loads(data)
        payload["properties"]["delivery_tag"] = tag
        self.Message(payload, channel=self)  # raises here rather than in the worker's loop
        return payload

    def _restore(self, message: virtual.Message) -> None:
        self.claims.put_back(str(message.delivery_tag))

    def _size(self, queue: str) -> int:
        return self.spool.size(queue)

    def _purge(self, queue: str) -> int:
        return self.spool.purge(queue)

    def _reset_cycle(self) -> None:
        self._cycle = InOrder(self._get_and_deliver, self._active_queues, Empty)


class Transport(virtual.Transport):
    """A connection: one folder, and at most one owner of held messages in it."""

    Channel = Channel
    can_parse_url = True
    polling_interval = POLLING_SECONDS
    driver_type = driver_name = SCHEME
    implements = virtual.Transport.implements.extend(exchange_type=frozenset({"direct", "topic"}))
    # A worker that cannot read the folder connects again later instead of dying.
    connection_errors = (*virtual.Transport.connection_errors, OSError)
    # Every connection of a process knows the queues that any of them declared.
    state_of_process = virtual.BrokerState()

    def __init__(self, client: Any, **kwargs: Any) -> None:
        super().__init__(client, **kwargs)
        self.state = self.state_of_process
        self.spool = Spool(folder_of(client.hostname or ""))
        self.longest_drain_seconds = client.transport_options.get("longest_drain_seconds")
        self._claims: Claims | None = None

    @property
    def claims(self) -> Claims:
        """Made when first asked for: a publisher never owns anything."""
        if self._claims is None:
            self._claims = Claims(self.spool)
        return self._claims

    def drain_events(self, connection: Any, timeout: float | None = None, **kwargs: Any) -> None:
        """Wait for one message; TimeoutError after `timeout` seconds, or earlier if the option says so."""
        limits = [limit for limit in (timeout, self.longest_drain_seconds) if limit is not None]
        super().drain_events(connection, timeout=min(limits, default=None), **kwargs)

    def close_connection(self, connection: Any) -> None:
        super().close_connection(connection)
        if self._claims is not None:
            self._claims.close()
            self._claims = None

    def driver_version(self) -> str:
        return "1"


TRANSPORT_ALIASES[SCHEME] = f"{__name__}:Transport"
