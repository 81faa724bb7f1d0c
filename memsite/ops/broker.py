"""Celery's broker without a server: `embedded:///absolute/folder` keeps the queues in that folder.

Derived from kombu's virtual transport rather than from its filesystem transport: that one writes messages
and routing tables in place, so that a reader meets half of them, and deletes a message before it is done.
The files themselves are `memsite.ops.spool`. Importing this module makes the URL scheme known to kombu.
No Django here.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from kombu.exceptions import OperationalError
from kombu.log import get_logger
from kombu.transport import TRANSPORT_ALIASES, virtual
from kombu.transport.virtual.exchange import DirectExchange, TopicExchange
from kombu.utils.json import dumps, loads
from kombu.utils.scheduling import FairCycle

from memsite.ops.spool import Claims, Spool

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
