"""The embedded broker, through kombu as Celery uses it and, for processes that die, file by file."""

import errno
import multiprocessing
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from queue import Empty

import pytest
from celery import Celery
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from kombu import Connection, Exchange, Queue
from kombu.exceptions import OperationalError
from kombu.transport.virtual import Channel, Message

from memsite.config.celery_settings import celery_settings, transport_options
from memsite.config.conf import BROKERS
from memsite.ops import broker
from memsite.ops.broker import MOST_RETURNS, Claims, Spool, Transport, embedded_url, encode_queue, folder_of

ROOT = Path(__file__).resolve().parent.parent.parent
# Claims one message, says so, and waits to be killed.
HOLDER = """
import sys
from pathlib import Path
from memsite.ops.broker import Claims, Spool
claims = Claims(Spool(Path(sys.argv[1])))
print(claims.claim("work")[1].decode(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "odd folder;with+%25 ünïcode"


@pytest.fixture
def box(folder: Path) -> Spool:
    return Spool(folder)


@pytest.fixture
def connection(folder: Path) -> Iterator[Connection]:
    with Connection(embedded_url(folder)) as connection:
        yield connection


@pytest.fixture
def channel(connection: Connection) -> Channel:
    return connection.default_channel


def publish(connection: Connection, *bodies: object, queue: str = "work") -> None:
    producer = connection.Producer()
    for body in bodies:
        producer.publish(body, routing_key=queue, serializer="json")


def take(channel: Channel, queue: str = "work") -> Message:
    message = channel.basic_get(queue)
    assert message is not None
    return message


def drain(channel: Channel, queue: str = "work") -> list[object]:
    bodies = []
    while message := channel.basic_get(queue, no_ack=True):
        bodies.append(message.decode())
    return bodies


def held_files(box: Spool) -> list[Path]:
    return [path for path in box.taken.rglob("*") if "@" in path.name]


@pytest.fixture
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that will claim one message."""
    process = subprocess.Popen(  # noqa: S603  # our own lines
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with process:
        yield process
        process.kill()


def wait_until_held(holder: subprocess.Popen[str]) -> str:
    assert holder.stdout is not None
    return holder.stdout.readline().strip()


def test_messages_come_in_the_order_they_were_put(connection, channel):
    publish(connection, *range(20))
    assert drain(channel) == list(range(20))


def test_one_message_passes_through_exchange_and_consumer(connection):
    queue = Queue("letters", Exchange("post", type="direct"), routing_key="letters")
    got = []
    with connection.Consumer([queue], callbacks=[lambda body, message: (got.append(body), message.ack())]):
        connection.Producer().publish({"hello": "wörld"}, exchange="post", routing_key="letters")
        connection.drain_events(timeout=60)
    assert got == [{"hello": "wörld"}]


def test_waiting_for_nothing_ends_with_a_timeout(connection):
    with connection.Consumer([Queue("work")]), pytest.raises(TimeoutError):
        connection.drain_events(timeout=0.01)


def test_a_worker_may_be_told_to_look_up_sooner_than_it_asked(folder):
    soon = {"longest_drain_seconds": 0.01}
    with (
        Connection(embedded_url(folder), transport_options=soon) as connection,
        connection.Consumer([Queue("work")]),
        pytest.raises(TimeoutError),
    ):
        connection.drain_events(timeout=3600)


def test_the_first_queue_is_emptied_before_the_second(connection):
    publish(connection, "later", "later", queue="upkeep")
    publish(connection, "now", "now", "now", queue="interactive")
    got = []
    queues = [Queue("interactive"), Queue("upkeep")]
    with connection.Consumer(queues, callbacks=[lambda body, message: got.append(body)], no_ack=True):
        for _ in range(5):
            connection.drain_events(timeout=60)
    assert got == ["now", "now", "now", "later", "later"]


def test_ack_deletes_the_message(connection, channel, box):
    publish(connection, "done")
    take(channel).ack()
    assert held_files(box) == []
    assert channel.basic_get("work") is None


def test_reject_deletes_the_message(connection, channel, box):
    publish(connection, "unwanted")
    take(channel).reject()
    assert held_files(box) == []
    assert channel.basic_get("work") is None


def test_requeue_puts_the_message_back_in_its_place(connection, channel):
    publish(connection, 1, 2)
    take(channel).requeue()
    assert sorted(drain(channel)) == [1, 2]


def test_requeued_message_is_first_again_for_the_next_consumer(folder, connection, channel):
    publish(connection, 1, 2)
    take(channel).requeue()
    with Connection(embedded_url(folder)) as other:
        assert drain(other.default_channel) == [1, 2]


def test_no_ack_leaves_nothing_held(connection, channel, box):
    publish(connection, "a", "b")
    drain(channel)
    assert held_files(box) == []


def test_closing_puts_back_what_was_not_done(folder, connection, box):
    publish(connection, 1, 2, 3)
    with Connection(embedded_url(folder)) as other:
        take(other.default_channel)
        take(other.default_channel).ack()
    assert drain(connection.default_channel) == [1, 3]


def test_an_acknowledgement_after_closing_harms_nothing(folder, connection):
    publish(connection, "late")
    with Connection(embedded_url(folder)) as other:
        message = take(other.default_channel)
        late_channel = other.default_channel
    late_channel.basic_ack(message.delivery_tag)
    assert drain(connection.default_channel) == ["late"]


def test_size_and_purge_count_only_what_waits(connection, channel):
    publish(connection, 1, 2, 3)
    publish(connection, "other", queue="other")
    take(channel)
    assert channel.queue_declare("work").message_count == 2
    assert channel.queue_purge("work") == 2
    assert channel.queue_purge("work") == 0
    assert drain(channel, "other") == ["other"]


TORN = [b"", b"{", b"\xff\xfe", b"[]", b"{}", b'{"properties": 1}', b'{"body": "?", "properties": {}']
ODD_NAMES = [
    "..",
    ".",
    "../../etc",
    "/abs",
    "a/b",
    "a@b",
    "Ünï cødé",
    "nul\0",
    "%2e%2e",
    "x" * 500,
    "*?[",
    "a.b",
]


@pytest.mark.parametrize("torn", TORN)
def test_torn_message_is_set_aside_and_the_next_one_comes(torn, connection, channel, box, caplog):
    caplog.set_level("WARNING")
    box.put("work", torn)
    publish(connection, "good")
    assert drain(channel) == ["good"]
    assert [path.read_bytes() for path in box.bad.iterdir()] == [torn]
    assert "Set aside the unreadable message" in caplog.text


def test_body_that_cannot_be_decoded_is_set_aside(channel, box):
    box.put("work", b'{"body": "x", "properties": {"body_encoding": "base64"}}')
    assert channel.basic_get("work") is None
    assert len(list(box.bad.iterdir())) == 1


def test_foreign_file_in_a_queue_is_set_aside(connection, channel, box):
    publish(connection, "good")
    (box.queues / "work" / ".foreign@file").write_text("?")
    assert drain(channel) == ["good"]
    assert len(list(box.bad.iterdir())) == 1


def test_foreign_file_among_the_held_does_not_stop_a_worker(box):
    (box.taken / "1-dead").mkdir(parents=True)
    (box.taken / "README").write_text("?")
    (box.taken / "1-dead" / "work@foreign").write_text("?")
    Claims(box).close()
    assert [path.name for path in box.bad.iterdir()] == ["work@foreign"]


def test_a_reader_never_sees_half_a_message(box, monkeypatch):
    def half(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[:3])
        seen.extend(box.names("work"))
        raise OSError(errno.ENOSPC, "No space left on device")

    seen: list[str] = []
    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(OSError, match="No space left"):
        box.put("work", b"whole message")
    assert seen == box.names("work") == list(box.tmp.iterdir()) == []


def test_full_disk_is_told_to_the_publisher_at_once(connection, monkeypatch):
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OperationalError, match="No space left"):
        connection.Producer().publish(1, routing_key="work", retry=True, retry_policy={"max_retries": None})


def test_drafts_of_dead_writers_are_swept_and_young_ones_kept(box):
    broker.make_folder(box.tmp)
    old, young = box.tmp / "old", box.tmp / "young"
    old.touch()
    young.touch()
    os.utime(old, (0, 0))
    Claims(box).close()
    assert list(box.tmp.iterdir()) == [young]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_queue_names_stay_inside_and_apart(name, connection, channel, box):
    publish(connection, name, queue=name)
    publish(connection, "other", queue=name + "2")
    assert {path.parent for path in box.queues.iterdir()} == {box.queues}
    assert drain(channel, name) == [name]
    assert drain(channel, name + "2") == ["other"]
    assert len(encode_queue(name)) <= broker.LONGEST_ENCODED_QUEUE


def test_only_an_absolute_folder_is_a_url(folder):
    assert folder_of(embedded_url(folder)) == folder
    for url in ("embedded://", "embedded://host/folder", "redis:///folder", "localhost"):
        with pytest.raises(ValueError, match="embedded:///absolute/folder"):
            folder_of(url)


def test_publishing_owns_nothing(connection, box):
    publish(connection, 1)
    assert not box.taken.exists()


def test_threads_share_a_queue_without_sharing_a_message(box):
    for number in range(300):
        box.put("work", str(number).encode())
    got: list[list[bytes]] = [[] for _ in range(4)]
    start = threading.Barrier(len(got))

    def consume(mine: list[bytes]) -> None:
        claims = Claims(box)
        start.wait()
        while claimed := claims.claim("work"):
            mine.append(claimed[1])
            claims.drop(claimed[0])
        claims.close()

    threads = [threading.Thread(target=consume, args=(mine,)) for mine in got]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(data) for mine in got for data in mine) == list(range(300))


def consume_all(root: Path, results: "multiprocessing.SimpleQueue[list[bytes]]") -> None:
    claims = Claims(Spool(root))
    mine = []
    while claimed := claims.claim("work"):
        mine.append(claimed[1])
        claims.drop(claimed[0])
    results.put(mine)


def test_processes_share_a_queue_without_sharing_a_message(box):
    for number in range(300):
        box.put("work", str(number).encode())
    context = multiprocessing.get_context("fork")
    results: multiprocessing.SimpleQueue[list[bytes]] = context.SimpleQueue()
    processes = [context.Process(target=consume_all, args=(box.root, results)) for _ in range(3)]
    for process in processes:
        process.start()
    got = [data for _ in processes for data in results.get()]
    for process in processes:
        process.join()
    assert sorted(map(int, got)) == list(range(300))


def test_message_of_a_killed_worker_comes_back(box, holder):
    box.put("work", b"precious")
    box.put("work", b"untouched")
    assert wait_until_held(holder) == "precious"
    holder.send_signal(signal.SIGKILL)
    holder.wait()

    claims = Claims(box)
    claimed = claims.claim("work")
    assert claimed is not None
    assert claimed[1] == b"precious"
    assert list(box.taken.iterdir()) == [claims.folder]


def test_message_of_a_living_worker_is_not_stolen(box, holder):
    box.put("work", b"mine")
    assert wait_until_held(holder) == "mine"

    claims = Claims(box)
    assert claims.claim("work") is None
    assert len(held_files(box)) == 1
    claims.close()


def test_forked_child_does_not_keep_the_claims_of_its_dead_parent(box):
    claims = Claims(box)
    box.put("work", b"x")
    claims.claim("work")
    ready, child_ready = os.pipe()
    child_may_end, may_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(child_ready, b"!")
        os.read(child_may_end, 1)
        os._exit(0)
    os.read(ready, 1)
    claims.forget()  # as the kernel does for a killed parent
    came_back = Claims(box).claim("work")
    os.write(may_end, b"!")
    os.waitpid(child, 0)
    for end in (ready, child_ready, child_may_end, may_end):
        os.close(end)
    assert came_back is not None


def test_message_that_kills_its_workers_is_set_aside_in_the_end(box, caplog):
    caplog.set_level("WARNING")
    box.put("work", b"poison")
    for _ in range(MOST_RETURNS + 1):
        claims = Claims(box)
        assert claims.claim("work") is not None
        claims.forget()
    Claims(box).close()
    assert box.size("work") == 0
    assert [path.read_bytes() for path in box.bad.iterdir()] == [b"poison"]
    assert "workers died holding it" in caplog.text


def test_worker_whose_folder_was_deleted_hears_of_it(box):
    claims = Claims(box)
    box.put("work", b"x")
    (claims.folder / "lock").unlink()
    claims.folder.rmdir()
    with pytest.raises(FileNotFoundError):
        claims.claim("work")


def test_two_connections_of_one_process_know_the_same_queues(folder):
    queue = Queue("shared", Exchange("shared", type="direct"), routing_key="shared")
    with Connection(embedded_url(folder)) as item, Connection(embedded_url(folder)) as two:
        queue(item).declare()
        two.Producer().publish("hello", exchange="shared", routing_key="shared")
        assert drain(item.default_channel, "shared") == ["hello"]


def test_empty_queue_says_so(channel):
    with pytest.raises(Empty):
        channel._get("nothing")


def test_a_worker_never_gives_up_on_its_broker(tmp_path):
    config = celery_settings("redis://localhost/0", tmp_path, "UTC")
    app = Celery("test", set_as_current=False)
    app.conf.update({name.removeprefix("CELERY_").lower(): value for name, value in config.items()})
    assert app.conf.broker_connection_max_retries is None
    assert app.conf.broker_connection_retry
    assert app.conf.broker_connection_retry_on_startup


@pytest.mark.parametrize("scheme", [scheme for scheme in BROKERS if scheme.startswith("redis")])
def test_a_redis_that_hangs_holds_nothing_up_for_long_however_it_is_reached(scheme):
    """By a socket of the machine, too; and what is waited for comes first."""
    options = transport_options(f"{scheme}://queue/0")
    assert (options["socket_timeout"], options["queue_order_strategy"]) == (1, "priority")


@pytest.mark.parametrize(
    ("name", "is_known", "expected"),
    [
        ("localhost", False, "certificate verify failed: self-signed"),
        ("elsewhere.example", True, "certificate verify failed: Hostname mismatch"),
        ("localhost", True, "trusted"),
    ],
    ids=["of nobody known", "of another host", "its own"],
)
@pytest.mark.parametrize("scheme", ["rediss", "amqps"])
def test_a_broker_shows_a_certificate_that_is_its_own(scheme, name, is_known, expected, tmp_path, monkeypatch):
    """What is in the queue is nobody else's, and whoever writes into it starts tasks."""
    # Before it tries once more.
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _: None)
    displayed = server_certificate(tmp_path, name)
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(displayed))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(displayed)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as other:
        accepted = other.submit(shake_hands, server, context)
        config = celery_settings(f"{scheme}://localhost:{server.getsockname()[1]}", tmp_path, "UTC")
        app = Celery("test", set_as_current=False)
        app.conf.update({name.removeprefix("CELERY_").lower(): value for name, value in config.items()})
        # A busy machine may take long to shake hands.
        app.conf.broker_connection_timeout = 60
        if scheme == "rediss":
            app.conf.broker_transport_options |= {"socket_timeout": 60, "socket_connect_timeout": 60}
        with app.connection_for_write() as connection, pytest.raises(Exception, match=r".") as refused:
            connection.channel()
        server.shutdown(socket.SHUT_RDWR)
        output = accepted.result()
    assert ("trusted" in output) == (expected == "trusted")
    assert expected == "trusted" or expected in str(refused.value)


def server_certificate(folder, name):
    """Of its own making, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    made, names = datetime.now(UTC), x509.SubjectAlternativeName([x509.DNSName(name)])
    certificate = x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
    certificate = certificate.not_valid_before(made - timedelta(days=1)).not_valid_after(made + timedelta(days=1))
    plain = (Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "server.pem"
    path.write_bytes(
        certificate.add_extension(names, critical=False).sign(key, SHA256()).public_bytes(Encoding.PEM)
        + key.private_bytes(*plain)
    )
    return path


def shake_hands(server, context):
    """What comes of it, each time, until the server is shut down."""
    output = []
    while True:
        try:
            with (
                server.accept()[0] as raw,
                context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False) as item,
            ):
                try:
                    item.do_handshake()
                    item.recv(1)
                    output.append("trusted")
                except OSError as error:
                    output.append(str(error))
        except OSError:
            return output


def test_celery_sends_each_task_to_the_queue_its_name_asks_for(tmp_path):
    config = celery_settings("", tmp_path, "UTC")
    app = Celery("test", set_as_current=False)
    app.conf.update({name.removeprefix("CELERY_").lower(): value for name, value in config.items()})
    app.send_task("memories.tasks.extract")
    app.send_task("memories.tasks.upkeep_decay")
    box = Spool(tmp_path / "broker")
    assert (box.size("interactive"), box.size("upkeep")) == (1, 1)
    with app.connection_for_read() as connection:
        assert isinstance(connection.transport, Transport)
        assert take(connection.default_channel, "upkeep").headers["task"] == "memories.tasks.upkeep_decay"
    app.close()
