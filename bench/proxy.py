"""What the proxy adds to a model's answer. Writes "The proxy" of bench/results/performance.md.

    .venv/bin/python -m bench.proxy [--questions 60] [--memories 1000]

A scripted model thinks for 100 ms; a client asks it directly and through a server that has memories, in turns. No
question comes twice, so each is embedded; the worker learns from what was said beside it, on the same machine.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from bench.options import parser
from bench.page import PERFORMANCE, circumstances, table, write_section
from bench.promises.site import PATIENCE_SECONDS, Site, answer_of
from bench.questions_at_once import questions_of
from bench.synthetic import texts_of
from tools.ports import free_port

GOAL_MS, THINKING_SECONDS, BETWEEN_WORDS_SECONDS = 15, 0.1, 0.005
WORDS = ("It", "is", "kept", "beside", "the", "blue", "door", "since", "Tuesday", ".")
WARMING, SEED = 10, 9
PATH = "/v1/chat/completions"


class Model(BaseHTTPRequestHandler):
    """A model that always says the same."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(THINKING_SECONDS)
        self.send_response(200)
        if body.get("stream"):
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for word in WORDS:
                self.chunk(b"data: " + json.dumps({"choices": [{"delta": {"content": f"{word} "}}]}).encode())
                time.sleep(BETWEEN_WORDS_SECONDS)
            self.chunk(b"data: [DONE]")
            self.wfile.write(b"0\r\n\r\n")
        else:
            message = {"role": "assistant", "content": " ".join(WORDS)}
            answer = json.dumps({"choices": [{"message": message}]}).encode()
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    def chunk(self, event: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\n\n\r\n" % (len(event) + 2, event))

    def log_message(self, *_: Any) -> None: ...


def serve_model(port: int) -> None:
    ThreadingHTTPServer(("127.0.0.1", port), Model).serve_forever()


@contextmanager
def model() -> Iterator[str]:
    """Run the model in a process of its own; yield its URL."""
    port = free_port()
    process = multiprocessing.get_context("spawn").Process(target=serve_model, args=[port], daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.join()


@dataclass
class Times:
    """Milliseconds to the first byte and to the end of each answer; of processor time of the web processes for one."""

    first: list[float] = field(default_factory=list)
    end: list[float] = field(default_factory=list)
    processor: float = 0.0


Pair = tuple[Times, Times]
KINDS: dict[str, tuple[bool, dict[str, str]]] = {
    "streamed, each a new conversation": (True, {}),
    "streamed, one conversation": (True, {"X-Memsite-Session": "streamed"}),
    "whole, each a new conversation": (False, {}),
    "whole, one conversation": (False, {"X-Memsite-Session": "whole"}),
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--questions", type=int, default=60, help="of each kind")
    options.add_argument("--memories", type=int, default=1_000, help="in the app")
    given = options.parse_args()
    facts = circumstances(given.note)
    with (
        model() as url,
        tempfile.TemporaryDirectory(prefix="memsite-proxy-") as folder,
        Site(Path(folder), MEMSITE_EMBEDDER="minilm", MEMSITE_PROXY_OPENAI_URL=f"{url}/v1") as site,
    ):
        (key,) = site.new_app("asked")
        remember(site, key, given.memories)
        results = measure(site, key, url, given.questions)
    body = render(results, given.questions, given.memories, facts)
    write_section("The proxy", body, PERFORMANCE)
    print(body)


def remember(site: Site, key: str, count: int) -> None:
    memories = [{"content": text} for text in texts_of(count, 12, SEED + 1)]
    headers = {"Authorization": f"Bearer {key}"}
    for start in range(0, count, 100):
        body = {"memories": memories[start : start + 100]}
        answer_of(httpx.post(f"{site.url}/api/v1/memories/batch", json=body, headers=headers, timeout=PATIENCE_SECONDS))


def measure(site: Site, key: str, url: str, count: int) -> dict[str, Pair]:
    """Return the times of each kind of request: asked directly, and through the proxy."""
    addresses = (f"{url}{PATH}", f"{site.url}/proxy/openai{PATH}")
    fresh = np.array_split(questions_of(len(KINDS) * (count + WARMING)), len(KINDS))
    with httpx.Client(headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_SECONDS) as client:
        return {
            name: take_turns(client, site, addresses, questions.tolist(), {"stream": stream}, session)
            for (name, (stream, session)), questions in zip(KINDS.items(), fresh, strict=True)
        }


def take_turns(
    client: httpx.Client,
    site: Site,
    addresses: Sequence[str],
    questions: Sequence[str],
    fields: dict[str, Any],
    headers: dict[str, str],
) -> Pair:
    direct, proxied, began = Times(), Times(), 0.0
    for number, question in enumerate(questions):
        if number == WARMING:
            direct, proxied, began = Times(), Times(), processor_seconds(site)
        body = {"model": "scripted", "messages": [{"role": "user", "content": question}], **fields}
        for address, noted in zip(addresses, (direct, proxied), strict=True):
            ask(client, address, body, headers, noted)
    proxied.processor = 1000 * (processor_seconds(site) - began) / len(proxied.end)
    return direct, proxied


def ask(client: httpx.Client, address: str, body: dict[str, Any], headers: dict[str, str], noted: Times) -> None:
    began, first = time.perf_counter(), 0.0
    with client.stream("POST", address, json=body, headers=headers) as response:
        for _ in response.iter_raw():
            first = first or time.perf_counter()
        assert response.status_code == 200, response.status_code
    noted.first.append(1000 * (first - began))
    noted.end.append(1000 * (time.perf_counter() - began))


def processor_seconds(site: Site) -> float:
    """Return what the web processes have used so far."""
    ticks = 0
    for pid in site.parts()["web"]:
        ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def render(results: dict[str, Pair], questions: int, memories: int, facts: str) -> str:
    about = (
        f"A scripted model thinks for {1000 * THINKING_SECONDS:.0f} ms. {questions} questions of each kind go to it "
        f"directly and through the proxy, in turns, from one client; the app has {memories:,} memories, "
        "the embedder is all-MiniLM-L6-v2, and a worker learns beside two web processes. Milliseconds, p50 / p95; "
        f"added is the difference of the medians, of which the goal is {GOAL_MS}. Processor is what the web processes "
        "use for one answer, storing it and judging memories by it included."
    )
    rows = list[list[object]]()
    for name, (direct, proxied) in results.items():
        for what, plain, other in (("first byte", direct.first, proxied.first), ("end", direct.end, proxied.end)):
            added = f"**{np.median(other) - np.median(plain):.1f}**"
            rows.append([f"{name}: {what}", spread(plain), spread(other), added, f"{proxied.processor:.0f}"])
    head = ["", "directly", "through the proxy", "added", "processor"]
    return "\n\n".join([f"Measured {facts}", about, table(head, rows)])


def spread(values: Sequence[float]) -> str:
    return f"{np.median(values):.1f} / {np.percentile(values, 95):.1f}"


if __name__ == "__main__":
    main()
