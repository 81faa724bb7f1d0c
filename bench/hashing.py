"""Hashing vectors, of as many dimensions as MiniLM's, for a server that is to be measured without a model.

The server asks a service for them, as it asks Ollama, and keeps the vectors of the questions that were asked last.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from memories.providers.embeddings import HashEmbedder

DIM, MODEL = 384, "hashing"


def named(name: str) -> HashEmbedder:
    """Makes in this process what the embedder of that name, which asks the service, gets from there."""
    embedder = HashEmbedder(DIM)
    embedder.name = name
    return embedder


@contextmanager
def hashing_service() -> Iterator[dict[str, str]]:
    """The settings that lead to it (`embedder`, `embedder_url`, `embedder_model`)."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        try:
            yield {"embedder": "ollama", "embedder_url": address, "embedder_model": MODEL}
        finally:
            server.shutdown()


class Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    embedder = HashEmbedder(DIM)

    def do_POST(self) -> None:
        """Ollama's `/api/embed`."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = self.embedder.embed_documents(asked["input"])
        body = json.dumps({"embeddings": vectors.tolist()}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Not a word."""
