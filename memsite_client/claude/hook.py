"""`memsite hook EVENT`: what Claude Code runs at each event. It must never disturb a session.

JSON in on stdin, JSON out on stdout where there is something to say; silence and exit code 0 in all other cases, in
time: a server that is away, slow or confused is as good as none. Only the standard library is loaded, and as little
of it as will do, because somebody waits.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from memsite_client.claude.patience import note_answer, note_silence, seconds_for
from memsite_client.claude.progress import Progress, load_progress, save_progress
from memsite_client.claude.transcript import UNSENDABLE, id_in, own_words, text_in
from memsite_client.place import Place, find_place

# Until this line, and from the decision to end until the process is gone.
AROUND_SECONDS = 0.3
QUERY_CHARACTERS = 2_000
# What the server will never take; everything else may work next time.
HOPELESS = (400, 413, 422)
# While the server is waited for.
ASKING = threading.Event()


def main(event_name: str, *, verbose: bool = False) -> int:
    """The exit code, always 0. `verbose` tells on stderr what went wrong, which Claude Code shows nobody."""
    seconds = seconds_for(event_name)
    threading.Thread(target=end_after, args=(seconds, verbose), daemon=True).start()
    try:
        if answer := answer_to(read_event(event_name)):
            sys.stdout.write(json.dumps(answer))
            sys.stdout.flush()
    except Exception as error:
        if verbose:
            sys.stderr.write(f"memsite: {type(error).__name__}: {error}\n")
    return 0


def end_after(seconds: float, verbose: bool) -> None:
    """Whatever it is that still waits then, also outside of Python."""
    time.sleep(seconds - AROUND_SECONDS)
    if ASKING.is_set():
        note_silence(seconds)
        if verbose:
            os.write(2, f"memsite: no answer within {seconds:g} seconds\n".encode())
    os._exit(0)


def read_event(name: str) -> dict[str, Any]:
    event = json.loads(sys.stdin.buffer.read())
    if not isinstance(event, dict) or not isinstance(event.get("session_id"), str):
        raise ValueError("stdin is no event of Claude Code")
    # All that the server reads of it are texts: what tools took and gave stays here.
    texts = {field: UNSENDABLE.sub("\ufffd", value) for field, value in event.items() if isinstance(value, str)}
    return {"hook_event_name": name, **texts}


def answer_to(event: dict[str, Any]) -> dict[str, Any]:
    """What to print; empty for nothing."""
    place = find_place()
    if wrapped := os.environ.get("MEMSITE_SESSION_ID"):
        return answer_within(wrapped, event, place)
    progress = load_progress(event["session_id"])
    event["messages"] = news(event, progress)
    try:
        answer = post(place, "hooks/claude-code", event)
    except HTTPError as error:
        if error.code in HOPELESS:
            save_progress(event["session_id"], progress)
        raise
    save_progress(event["session_id"], progress)
    return answer if answer.get("hookSpecificOutput") else {}


def news(event: dict[str, Any], progress: Progress) -> list[dict[str, Any]]:
    """What was said since the last hook."""
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
    return messages


def answer_within(session_id: str, event: dict[str, Any], place: Place) -> dict[str, Any]:
    """Inside of `memsite run`, which opens, hears and ends the session itself: only a prompt is answered."""
    prompt = event.get("prompt")
    if event["hook_event_name"] != "UserPromptSubmit" or not isinstance(prompt, str) or not prompt.strip():
        return {}
    asked = {"session_id": session_id, "query": prompt[-QUERY_CHARACTERS:], "format": "turn"}
    text = post(place, "context", asked)["text"]
    output = {"hookEventName": event["hook_event_name"], "additionalContext": text}
    return {"hookSpecificOutput": output} if text else {}


def post(place: Place, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """However long it takes: `end_after` ends the wait, and notes whose fault it was."""
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
    note_answer()
    if not isinstance(answer, dict):
        raise ValueError("the answer is none of a Memsite server")
    return answer
