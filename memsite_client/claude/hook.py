"""`memsite hook EVENT`: what agents' programs run at each event. It must never disturb a session."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from memsite_client.claude import SUFFIX, UNSENDABLE, Message, Piece, id_in, line_ids, own_words, read_piece, text_in
from memsite_client.configuration import Server, find_server, state_folder, write_whole
from memsite_client.hosts import HOSTS, read_event, show_answer, split_event
from memsite_client.project import project_of

# Claude Code gives SessionEnd 1.5 seconds, and others as long as the settings say. The user waits for a prompt's.
SECONDS = {"SessionEnd": 1.5, "UserPromptSubmit": 4.0, "SessionStart": 6.0}
OTHER_SECONDS = 10.0
# Where packets are lost each hook waits to its end, twice a turn.
WARY_SECONDS, WARY_FOR_SECONDS = 1.5, 60.0
MOST_AHEAD, MOST_NAMED = 50, 2_000
# Until this line, and from the decision to end until the process is gone.
AROUND_SECONDS = 0.3
QUERY_CHARACTERS = 2_000
# What the server will never take; everything else may work next time.
HOPELESS = (400, 413, 422)
# While the server is waited for.
ASKING = threading.Event()


def seconds_for(event_name: str) -> float:
    """Return how long a hook may take: less where the server was silent lately, as far as can be known."""
    seconds = SECONDS.get(event_name, OTHER_SECONDS)
    with suppress(OSError):
        if 0 <= time.time() - silence_file().stat().st_mtime < WARY_FOR_SECONDS:
            return min(seconds, WARY_SECONDS)
    return seconds


def silence_file() -> Path:
    return state_folder() / "claude" / "silent"


class Progress:
    """`sent_bytes` of the transcript; `ahead` are the texts that were sent before they stood in it, by their hash.

    `names` are the hash and the id of each that was ever sent so: the transcript gives it another id.

    A plain class: `dataclasses` takes longer to load than all of this.
    """

    def __init__(
        self, sent_bytes: int = 0, ahead: list[str] | None = None, names: list[tuple[str, str]] | None = None
    ) -> None:
        self.sent_bytes, self.ahead, self.names = sent_bytes, ahead or [], names or []

    def next_piece(self, transcript: Path, others: Iterable[Path] | None = None) -> Piece:
        """Return what is in the transcript and was not sent, also not with the `others`, as a rule those beside it.

        Raise OSError if it cannot be read.
        """
        piece = read_piece(transcript, self.sent_bytes)
        self.sent_bytes = piece.end
        if others is None:
            others = (path for path in transcript.parent.glob(f"*{SUFFIX}") if path != transcript)
        copied = sent_with(others, piece.messages)
        messages = []
        for message in piece.messages:
            name = fingerprint(message)
            if message["external_id"] in copied:
                continue
            if name in self.ahead:
                self.ahead.remove(name)
            else:
                messages.append(message)
        return piece._replace(messages=messages)

    def say_ahead(self, messages: list[Message], role: str, text: str, prompt_id: str | None) -> None:
        """Add what the event itself tells, unless the transcript has told it; it will.

        By the prompt that it belongs to the server knows it again where two hooks tell of the same event.
        """
        message = {"role": role, "content": text, "external_id": prompt_id or os.urandom(8).hex()}
        name = fingerprint(message)
        if text and name not in map(fingerprint, messages):
            messages.append(message)
            self.ahead = [*self.ahead, name][-MOST_AHEAD:]
            pair = (name, message["external_id"])
            self.names = [*(other for other in self.names if other != pair), pair][-MOST_NAMED:]


def sent_with(others: Iterable[Path], messages: list[Message]) -> set[str]:
    """Return the ids of what was sent with other transcripts; none if the first of the messages was not.

    A session that was forked off (`--fork-session`) begins with the lines of the other one, and nothing marks them.
    """
    first, sent = messages[0] if messages else {}, set[str]()
    said_at = datetime.fromisoformat(first["at"]).timestamp() if first.get("at") else 0.0
    for path in others if first.get("external_id") else ():
        with suppress(OSError):
            # What has not changed since it was said cannot have it.
            if path.stat().st_mtime >= said_at:
                ids = line_ids(path, load_progress(path.stem).sent_bytes)
                sent |= ids if first["external_id"] in ids else set()
    return sent


def fingerprint(message: Message) -> str:
    return hashlib.sha256(f"{message['role']} {message['content']}".encode()).hexdigest()[:24]


def progress_file(session_id: str) -> Path:
    """Return a file named by hash: a session's id is somebody else's text."""
    return state_folder() / "claude" / f"{hashlib.sha256(session_id.encode()).hexdigest()[:32]}.json"


def load_progress(session_id: str) -> Progress:
    try:
        progress = json.loads(progress_file(session_id).read_bytes())
        names = [(str(name), str(own)) for name, own in progress.get("names", ())]
        return Progress(max(0, int(progress["sent_bytes"])), [str(name) for name in progress["ahead"]], names)
    except (OSError, ValueError, KeyError, TypeError):
        return Progress()


def save_progress(session_id: str, progress: Progress) -> None:
    """Save it, if possible: else it is sent again."""
    try:
        write_whole(progress_file(session_id), json.dumps(vars(progress)))
    except OSError:
        return


def main(event_name: str, *, verbose: bool = False, shared: bool = False) -> int:
    """Return the exit code, always 0. `verbose` tells on stderr what went wrong, which no host shows anybody.

    `event_name` is `Stop`, or of another host `codex:Stop`. What is said is the project's, unless it is `shared`.
    """
    host, _ = split_event(event_name)
    ours = HOSTS[host].events.get(split_event(event_name)[1], "")
    seconds = seconds_for(ours)
    threading.Thread(target=end_after, args=(seconds, verbose), daemon=True).start()
    try:
        payload = json.loads(sys.stdin.buffer.read())
        event = read_event(event_name, payload, str(Path.cwd())) if isinstance(payload, dict) else {}
        if not isinstance(event.get("session_id"), str):
            raise ValueError(f"stdin is no event of {HOSTS[host].title}")
        # All that the server reads of it are texts: what tools took and gave stays here.
        texts = {field: UNSENDABLE.sub("\ufffd", value) for field, value in event.items() if isinstance(value, str)}
        if not shared:
            texts["user_id"] = project_of(texts.get("cwd", ""))
        answer = answer_to(texts, host, event.get("messages"))
        text = answer.get("hookSpecificOutput", {}).get("additionalContext", "")
    except Exception as error:
        text = ""
        if verbose:
            sys.stderr.write(f"memsite: {type(error).__name__}: {error}\n")
    if output := show_answer(event_name, text):
        sys.stdout.write(json.dumps(output))
        sys.stdout.flush()
    return 0


def end_after(seconds: float, verbose: bool) -> None:
    """End whatever still waits then, also outside of Python."""
    time.sleep(seconds - AROUND_SECONDS)
    if ASKING.is_set():
        # So few seconds say nothing of the server, or its silence was known.
        if seconds > WARY_SECONDS:
            with suppress(OSError):
                silence_file().parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                silence_file().touch()
        if verbose:
            os.write(2, f"memsite: no answer within {seconds:g} seconds\n".encode())
    os._exit(0)


def answer_to(event: dict[str, Any], host: str, messages: Any = None) -> dict[str, Any]:
    """Return the server's answer; {} for nothing. Only Claude Code's transcript is read: others tell what was said."""
    place = find_server()
    if wrapped := os.environ.get("MEMSITE_SESSION_ID"):
        # Inside of `memsite run`, which opens, hears and ends the session itself: only a prompt is answered.
        prompt = event.get("prompt")
        if event["hook_event_name"] != "UserPromptSubmit" or not isinstance(prompt, str) or not prompt.strip():
            return {}
        body = {"session_id": wrapped, "query": prompt[-QUERY_CHARACTERS:], "format": "turn"}
        text = post(place, "context", body)["text"]
        output = {"hookEventName": event["hook_event_name"], "additionalContext": text}
        return {"hookSpecificOutput": output} if text else {}
    if host != "claude-code":
        return post(place, "hooks/claude-code", event if messages is None else {**event, "messages": messages})
    progress = load_progress(event["session_id"])
    transcript = event.get("transcript_path")
    try:
        messages = progress.next_piece(Path(transcript)).messages if isinstance(transcript, str) else []
    except OSError:
        messages = []
    prompt_id = id_in(event, "prompt_id")
    if event["hook_event_name"] == "UserPromptSubmit":
        progress.say_ahead(messages, "user", own_words(text_in(event, "prompt") or ""), prompt_id)
    elif event["hook_event_name"] == "Stop":
        progress.say_ahead(messages, "assistant", text_in(event, "last_assistant_message") or "", prompt_id)
    event["messages"] = messages
    try:
        answer = post(place, "hooks/claude-code", event)
    except HTTPError as error:
        if error.code in HOPELESS:
            save_progress(event["session_id"], progress)
        raise
    save_progress(event["session_id"], progress)
    return answer if answer.get("hookSpecificOutput") else {}


def post(place: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send, however long it takes: `end_after` ends the wait, and notes whose fault it was."""
    headers = {"Authorization": f"Bearer {place.key}", "Content-Type": "application/json"}
    # The scheme is checked: place.root_of takes http and https only.
    data = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    request = Request(f"{place.api}/{path}", data, headers, method="POST")  # noqa: S310
    ASKING.set()
    try:
        with urlopen(request) as response:  # noqa: S310
            answer = json.load(response)
    finally:
        ASKING.clear()
    with suppress(OSError):
        silence_file().unlink(missing_ok=True)
    if not isinstance(answer, dict):
        raise ValueError("the answer is none of a Memsite server")
    return answer
