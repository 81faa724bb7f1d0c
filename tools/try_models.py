"""What real small models make of all of the server's questions, beside the rules: `make try-models`.

    .venv/bin/python -m tools.try_models --data ../shared/data/judgement [--model other.gguf] [--threads 1] [--lean]

Plays the conversations of `conversations.json`, with the models of `.venv/models` and with each `--model`, one after
the other. A question is asked once for each piece of a conversation that it is about, and prints a line:

- cpu: seconds of the processor that the model's server took, or the rules
- parsed: answers that fit, and how many were asked for
- kept: facts, verdicts or texts that hold up; ungrounded: those that say what nobody said
- labelled: facts of the conversation that one kept fact has

What is not a fact is asked about the facts of the rules, so that all models are asked the same. Each question has
`--seconds`, also those for which a server waits less. A server of the model runs meanwhile, on loopback, and ends with
the process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from memories.capture.chunks import make_chunks
from memories.language.messages import Message
from memories.language.similarity import used_share
from memories.providers.llm.client import Circuit, LLMSettings, ModelChat, build_chat
from memories.providers.llm.prompting import LLMProvider
from memories.providers.llm.prompting.extraction import doubt_about
from memories.providers.llm.provider import (
    NOT_ANSWERED,
    Ask,
    Chunk,
    Comparison,
    Expected,
    Fact,
    Grant,
    LLMError,
    Meter,
    Noted,
    Provider,
    Setting,
    Usage,
)
from memories.providers.llm.rules import RulesProvider
from tools import ENDED

ROOT = Path(__file__).resolve().parent.parent
STAND = ROOT / ".venv" / "models"
SERVER = Path(__file__).with_name("try_models_server.mjs")
CONTEXT_TOKENS = 8_192
SAID_AT = datetime(2026, 11, 16, 10, tzinfo=UTC)
BETWEEN_SESSIONS = timedelta(days=3)
MOST_NEW, MOST_NEAR, MOST_CHARACTERS = 4, 3, 500
"""Of the statements that are compared: new ones, and known ones for each."""
NEVER_LEFT_ALONE = 1_000_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one answer comes to."""

    accepted: int
    ungrounded: int = 0
    facts: tuple[str, ...] = ()


@dataclass(slots=True)
class Talk:
    """A conversation: its sessions, and the facts that the rules find in each."""

    sessions: list[list[Message]]
    labels: list[re.Pattern[str]]
    facts: list[list[Noted]] = field(default_factory=list)

    @classmethod
    def of(cls, given: Mapping[str, Any], rules: Provider) -> Talk:
        times = [SAID_AT + number * BETWEEN_SESSIONS for number in range(len(given["sessions"]))]
        sessions = [
            [Message(message["role"], message["content"], moment) for message in session]
            for moment, session in zip(times, given["sessions"], strict=True)
        ]
        talk = cls(sessions, [re.compile(fact["regex"], re.IGNORECASE) for fact in given["facts"]])
        for session in sessions:
            facts = [fact for chunk in chunks_of(session) for fact in rules.extract(chunk, Setting())]
            talk.facts.append([noted(number, fact) for number, fact in enumerate(facts, 1)])
        return talk

    def labelled(self, facts: Sequence[str]) -> int:
        return sum(any(label.search(fact) for fact in facts) for label in self.labels)


def noted(number: int, fact: Fact) -> Noted:
    return Noted(number, fact.content, fact.category, fact.subject, fact.kind, fact.importance, said_at=SAID_AT)


def chunks_of(session: Sequence[Message]) -> list[Chunk]:
    return [window.chunk for window in make_chunks(session, session[-1].at or SAID_AT)]


def outcome_of_text(text: str, sources: Sequence[str]) -> Outcome:
    """Return a written text's worth: it is kept if it says nothing but what its sources say."""
    is_ungrounded = bool(doubt_about(text, "\n".join(sources), SAID_AT))
    return Outcome(int(bool(text) and not is_ungrounded), int(is_ungrounded))


Question = Callable[[Provider], Outcome]


def questions(talk: Talk) -> dict[str, list[Question]]:
    """Return each of the server's questions with those that a conversation gives rise to."""
    chunks = [chunk for session in talk.sessions for chunk in chunks_of(session)]
    first, last = talk.facts[0], talk.facts[-1]
    contents = [fact.content for fact in first]
    now = talk.sessions[-1][-1].at or SAID_AT

    def gate(llm: Provider, chunk: Chunk) -> Outcome:
        return Outcome(int(llm.gate(chunk).keep))

    def extract(llm: Provider, chunk: Chunk) -> Outcome:
        facts = llm.extract(chunk, Setting())
        accepted = tuple(fact.content for fact in facts if not fact.doubt)
        return Outcome(len(accepted), len(facts) - len(accepted), accepted)

    def relate(llm: Provider) -> Outcome:
        answers = [verdict for verdicts in llm.relate_many(compared(last, contents)) for verdict in verdicts]
        return Outcome(sum(verdict != NOT_ANSWERED for verdict in answers))

    def condense(llm: Provider, messages: Sequence[Message]) -> Outcome:
        return outcome_of_text(
            llm.digest(messages, now, MOST_CHARACTERS).text, [message.content for message in messages]
        )

    def evict(llm: Provider) -> Outcome:
        return Outcome(int(bool(llm.make_room(first, now, MOST_CHARACTERS, [last[0].content]).number)))

    def rewrite(llm: Provider, messages: Sequence[Message]) -> Outcome:
        return outcome_of_text(llm.rewrite(messages, now).text, [message.content for message in messages])

    return {
        "gate": [partial(gate, chunk=chunk) for chunk in chunks],
        "extract": [partial(extract, chunk=chunk) for chunk in chunks],
        "relate": [relate],
        "summarise": [lambda llm: outcome_of_text(llm.summarise("general", first, "", MOST_CHARACTERS).text, contents)],
        "digest": [partial(condense, messages=session) for session in talk.sessions],
        "insight": [lambda llm: outcome_of_text(llm.insight(first[:5], MOST_CHARACTERS).text, contents)],
        "make_room": [evict],
        "rewrite": [partial(rewrite, messages=session[:5]) for session in talk.sessions],
    }


def unlikeness(new: str, known: str) -> float:
    return -used_share(known, new)


def compared(new: Sequence[Noted], known: Sequence[str]) -> list[Comparison]:
    """Return questions about the first new statements, each with the known ones that share most words with it."""
    comparisons = []
    for fact in new[:MOST_NEW]:
        near = sorted(known, key=partial(unlikeness, fact.content))[:MOST_NEAR]
        comparisons.append(Comparison(fact.content, near, fact.subject, [None] * len(near)))
    return comparisons


@dataclass(slots=True)
class Row:
    """A line of the table: one question, put to one model about all of its pieces."""

    question: str
    model: str
    pieces: int = 0
    parsed: int = 0
    accepted: int = 0
    ungrounded: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    usages: list[Usage] = field(default_factory=list)
    labelled: int | None = None
    labels: int = 0
    problems: list[str] = field(default_factory=list)

    def cells(self) -> tuple[str, ...]:
        read, written = (
            sum(getattr(usage, name) for usage in self.usages) for name in ("input_tokens", "output_tokens")
        )
        labelled = "" if self.labelled is None else f"{self.labelled}/{self.labels}"
        parsed = f"{self.parsed}/{self.pieces}"
        return (
            *(self.question, self.model, f"{read:,}", f"{written:,}", f"{self.seconds:.1f}", f"{self.cpu_seconds:.1f}"),
            *(parsed, str(self.accepted), str(self.ungrounded), labelled),
        )


HEADS = ("question", "model", "tokens", "answer", "seconds", "cpu", "parsed", "kept", "ungrounded", "labelled")
LINE = "{:<10} {:<28} {:>8} {:>8} {:>8} {:>8} {:>7} {:>6} {:>11} {:>9}".format


@dataclass(slots=True)
class Model:
    """Who answers, and what it took since it was asked last."""

    name: str
    provider: Provider
    usages: list[Usage] = field(default_factory=list)
    cpu_seconds: Callable[[], float] = process_time


def try_all(talks: Sequence[Talk], model: Model, only: Sequence[str] = ()) -> Iterator[Row]:
    """Yield a line for each question, or for some `only`, when it is answered for all conversations."""
    by_talk = [questions(talk) for talk in talks]
    for name in only or by_talk[0]:
        row = Row(name, model.name)
        model.usages.clear()
        begun = model.cpu_seconds()
        for talk, pieces in zip(talks, by_talk, strict=True):
            try_one(row, talk, pieces[name], model.provider)
        row.cpu_seconds, row.usages = model.cpu_seconds() - begun, list(model.usages)
        yield row


def try_one(row: Row, talk: Talk, pieces: Sequence[Question], provider: Provider) -> None:
    facts: list[str] = []
    for question in pieces:
        begun = monotonic()
        row.pieces += 1
        try:
            outcome = question(provider)
        except LLMError as error:
            row.problems.append(str(error))
        else:
            row.parsed, row.accepted = row.parsed + 1, row.accepted + outcome.accepted
            row.ungrounded += outcome.ungrounded
            facts += outcome.facts
        row.seconds += monotonic() - begun
    if row.question == "extract":
        row.labelled = (row.labelled or 0) + talk.labelled(facts)
        row.labels += len(talk.labels)


@dataclass(slots=True)
class Unhurried:
    """A `Chat` that gives each question the same time."""

    chat: ModelChat
    seconds: float
    name: str = "openai"

    def ask(self, ask: Ask, meter: Meter) -> dict[str, Any]:
        return self.chat.ask(replace(ask, total_seconds=self.seconds), meter)

    def made_by(self, large: bool) -> str:
        return self.chat.made_by(large)

    def state(self) -> str:
        return self.chat.state()

    def close(self) -> None:
        self.chat.close()


@contextmanager
def asking(stand: Path, gguf: Path, threads: int = 1, seconds: float = 60.0, *, lean: bool = False) -> Iterator[Model]:
    """Around questions to a model: its server runs meanwhile."""
    with serving(stand, gguf, threads) as (url, process), asking_at(url, gguf.stem, seconds, lean=lean) as model:
        yield replace(model, cpu_seconds=partial(cpu_seconds, process))


@contextmanager
def asking_at(url: str, name: str, seconds: float = 60.0, *, lean: bool = False) -> Iterator[Model]:
    """Around questions to a model of a server that runs already."""
    usages: list[Usage] = []

    def grant(expected: Expected) -> Grant:
        return Grant(expected.output_tokens, lambda usage: usages.append(usage) if usage else None)

    settings = LLMSettings("openai", url, large_model=name, concurrency=1, seconds=seconds)
    chat = Unhurried(build_chat(settings, circuit=Circuit("loopback", NEVER_LEFT_ALONE)), seconds)
    try:
        yield Model(name[:28], LLMProvider(chat, grant, lean=lambda: lean), usages)
    finally:
        chat.close()


@contextmanager
def serving(stand: Path, gguf: Path, threads: int) -> Iterator[tuple[str, int]]:
    """Yield the address of a server of the model, and its process. Raise SystemExit if it does not start."""
    given = (SERVER, stand.resolve(), gguf.resolve(), threads, CONTEXT_TOKENS)
    command = ["nice", "-n", "19", "node", *map(str, given)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            if server.stdout is None or not (port := server.stdout.readline().strip()):
                sys.exit(f"There is no server of {gguf.name}.")
            yield f"http://127.0.0.1:{port}", server.pid
        finally:
            server.terminate()


def cpu_seconds(process: int) -> float:
    """Return the seconds of processor time that a process of Linux has taken, whatever else runs."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def installed(stand: Path) -> list[Path]:
    """Return the models that the stand has, the smallest first; none where it is not installed."""
    if not (stand / "node_modules" / "node-llama-cpp").exists():
        return []
    return sorted(stand.glob("*/*.gguf"), key=lambda path: path.stat().st_size)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "judgement")
    options.add_argument("--stand", type=Path, default=STAND)
    options.add_argument("--model", type=Path, action="append", default=[], help="another GGUF file")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--seconds", type=float, default=60.0, help="for each question")
    options.add_argument("--lean", action="store_true", help="ask for facts of four fields")
    options.add_argument("--only", type=lambda names: names.split(","), default=(), help="such as gate,extract")
    given = options.parse_args()
    models = installed(given.stand)
    if not models:
        sys.exit("The models are not installed: `make try-models` does that.")
    # Whoever ends this process ends the server, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
    rules = RulesProvider(judge="learned")
    conversations = json.loads((given.data / "conversations.json").read_text())
    talks = [Talk.of(conversation, rules) for conversation in conversations.values()]
    print(LINE(*HEADS))
    for row in try_all(talks, Model("rules", rules), given.only):
        print(LINE(*row.cells()), flush=True)
    for gguf in [*models, *given.model]:
        with asking(given.stand, gguf, given.threads, given.seconds, lean=given.lean) as model:
            for row in try_all(talks, model, given.only):
                print(LINE(*row.cells()), flush=True)
                for problem in dict.fromkeys(row.problems):
                    print(f"  {problem}", flush=True)


if __name__ == "__main__":
    main()
