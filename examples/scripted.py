"""Stand-ins for models, so that the examples need none: they answer with what their prompt says is known."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

BLOCK = re.compile(r"<memory-context[^>]*>\n(.*?)\n</memory-context", re.DOTALL)


def reply(prompt: str) -> str:
    """Return the lines of the memories in a prompt."""
    lines = [line for block in BLOCK.findall(prompt) for line in block.splitlines() if line.startswith(("- ", "~ "))]
    return "\n".join(["I remember:", *lines]) if lines else "I know nothing of that yet."


class Anthropic(BaseHTTPRequestHandler):
    """Answers `/v1/messages` in a stream, as Claude Code asks for it."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = [text for message in asked.get("messages", []) for text in texts_in(message["content"])]
        text = {"type": "text_delta", "text": reply("\n".join(texts))}
        message = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.get("model", ""),
            "content": [],
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        stop = {"stop_reason": "end_turn", "stop_sequence": None}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.end_headers()
        if not asked.get("stream"):
            whole = {**message, **stop, "content": [{"type": "text", "text": text["text"]}], "usage": usage}
            self.wfile.write(json.dumps(whole).encode())
            return
        self.event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage})
        self.event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        self.event("content_block_delta", index=0, delta=text)
        self.event("content_block_stop", index=0)
        self.event("message_delta", delta=stop, usage=usage)
        self.event("message_stop")

    def event(self, kind: str, **fields: Any) -> None:
        self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        pass


def texts_in(content: Any) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content if part["type"] == "text"]


@contextmanager
def scripted_anthropic() -> Iterator[dict[str, str]]:
    """Yield the environment in which Claude Code asks a stand-in on this machine, and nobody else."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Anthropic)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{server.server_port}",
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
    finally:
        server.shutdown()
