"""`memsite sync`: keep a folder of Markdown notes with front matter, as Obsidian has them, equal with an app.

A note is a memory: its front matter holds the `id` and the fields below, its body the content. What was equal last is
noted in the folder (`.memsite.json`), so that it is known which side has changed since. What changed on both sides is
shown and left alone; what is gone on one side is taken from the other only when somebody says so.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import click

from memsite_client.cli.base import WENT_WRONG, EndUser, Failure, connect, message_of, without_nones
from memsite_client.cli.output import one_line, plain
from memsite_client.errors import ProblemError
from memsite_client.sync import Memsite

STATE = ".memsite.json"
FIELDS = ("category", "subject", "kind", "importance", "tags", "valid_from", "valid_until")
FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<lines>.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
KEY = re.compile(r"(?P<key>[A-Za-z_][\w-]*):(?:\s+(?P<value>.*?))?\s*\Z")
ITEM = re.compile(r"\s*-\s+(?P<value>.*?)\s*\Z")
FORBIDDEN = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f\x7f]+')
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?\Z", re.IGNORECASE)
TITLE_CHARACTERS, SHORT_ID = 60, 8
Side = Literal["notes", "server"]


@dataclass
class Note:
    """A note: its file, the id if it has one, the fields of a memory, the rest of its front matter, its body."""

    path: Path
    id: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    body: str = ""

    @property
    def digest(self) -> str:
        return digest_of(self.values, self.body)

    def text(self) -> str:
        lines = [f"id: {self.id}", *(f"{name}: {yaml_of(self.values[name])}" for name in FIELDS if name in self.values)]
        return "\n".join(["---", *lines, *self.others, "---", "", self.body, ""])


def digest_of(values: Mapping[str, Any], body: str) -> str:
    return sha256(json.dumps([dict(sorted(values.items())), body], ensure_ascii=False).encode()).hexdigest()[:32]


def yaml_of(value: Any) -> str:
    """Return a value of the front matter; a text is quoted where YAML would read it otherwise."""
    if isinstance(value, list):
        return f"[{', '.join(map(yaml_of, value))}]"
    text = str(value)
    is_plain = re.fullmatch(r"[^\W\d_][\w ./-]*", text) and text.lower() not in ("yes", "no", "true", "false", "null")
    return text if is_plain or isinstance(value, int) else json.dumps(text, ensure_ascii=False)


def read_value(text: str) -> str:
    if text[:1] == text[-1:] == '"' and len(text) > 1:
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text[1:-1].replace("''", "'") if text[:1] == text[-1:] == "'" and len(text) > 1 else text


def read_list(text: str) -> list[str]:
    inner = text[1:-1] if text.startswith("[") and text.endswith("]") else text
    pieces = re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^,]+', inner)
    return [value for piece in pieces if (value := read_value(piece.strip()).lstrip("#"))]


def parse(path: Path, text: str) -> Note:
    """Return the note of a file. Front matter that is not ours is kept as it is."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    match, note = FRONT_MATTER.match(text), Note(path)
    note.body = text[match.end() if match else 0 :].strip()
    for key, value, items, lines in entries(match["lines"].splitlines() if match else []):
        if key == "id":
            note.id = read_value(value)
        elif key == "tags":
            note.values[key] = [item.lstrip("#") for item in items] or read_list(value)
        elif key not in FIELDS or items:
            note.others += lines
        elif read_value(value):
            note.values[key] = int(value) if key == "importance" and value.isdecimal() else read_value(value)
    note.values = {name: value for name, value in note.values.items() if value != []}
    return note


def entries(lines: list[str]) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """Yield each key of front matter with its value, the items of a list below it, and its lines."""
    position = 0
    while position < len(lines):
        end = position + 1
        while end < len(lines) and (not KEY.match(lines[end]) or lines[end][:1].isspace()):
            end += 1
        own, head = lines[position:end], KEY.match(lines[position])
        items = [read_value(item["value"]) for line in own[1:] if (item := ITEM.match(line))]
        yield (head["key"], head["value"] or "", items, own) if head else ("", "", [], own)
        position = end


def values_of(memory: Mapping[str, Any]) -> dict[str, Any]:
    return {name: memory[name] for name in FIELDS if memory[name] not in (None, "", [])}


def note_of(memory: Mapping[str, Any], path: Path, others: list[str] | None = None) -> Note:
    return Note(path, memory["id"], values_of(memory), others or [], memory["content"].strip())


def file_name(text: str, fallback: str) -> str:
    """Return a name that every file system takes, of the beginning of a text."""
    words = FORBIDDEN.sub(" ", text).split()
    name = ""
    for word in words:
        if len(name) + len(word) >= TITLE_CHARACTERS and name:
            break
        name = f"{name} {word}".strip()
    name = name[:TITLE_CHARACTERS].strip(" .")
    return f"_{name}" if RESERVED.match(name) else name or fallback


@dataclass
class Folder:
    """A folder of notes, and what was equal in it last: of each id the file and the digest."""

    root: Path
    server: str
    user_id: str | None
    known: dict[str, dict[str, str]] = field(default_factory=dict)

    def load(self) -> None:
        """Read the state. Failure for a folder that is kept equal with something else."""
        try:
            state = json.loads((self.root / STATE).read_text("utf-8"))
            self.known, stored = dict(state["notes"]), (state["server"], state["user"])
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError) as error:
            raise Failure(
                f"{self.root / STATE} cannot be read. Move it away: then equal notes are found anew."
            ) from error
        if stored != (self.server, self.user_id):
            whom = f" and the end user {stored[1]}" if stored[1] else ""
            raise Failure(f"{self.root} is kept equal with {stored[0]}{whom}. Take another folder.")

    def save(self) -> None:
        state = {"server": self.server, "user": self.user_id, "notes": self.known}
        write(self.root / STATE, json.dumps(state, indent=1, ensure_ascii=False))

    def notes(self) -> list[Note]:
        """Return the notes in the folder; files that are no text are left out, with a word."""
        notes = []
        for path in sorted(self.root.rglob("*.md")):
            inside = path.relative_to(self.root)
            if any(part.startswith(".") for part in inside.parts) or path.is_symlink() or not path.is_file():
                continue
            try:
                notes.append(parse(path, path.read_text("utf-8")))
            except UnicodeDecodeError:
                click.echo(f"{inside}: left out, it is no text in UTF-8", err=True)
        return notes

    def new_path(self, memory: Mapping[str, Any]) -> Path:
        subject = memory["subject"] or ""
        folder = self.root / file_name(subject, "other") if subject else self.root
        name = file_name(memory["content"], memory["id"][:SHORT_ID])
        path = folder / f"{name}.md"
        return folder / f"{name} {memory['id'][:SHORT_ID]}.md" if path.exists() else path

    def agree(self, note: Note) -> None:
        """Note what is equal now."""
        self.known[note.id] = {"file": str(note.path.relative_to(self.root)), "digest": note.digest}


def write(path: Path, text: str) -> None:
    """Replace a file whole: a process that is killed leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, "utf-8")
    beside.replace(path)


@dataclass(frozen=True)
class Step:
    """What is to be done about a note and a memory; `kind` is a key of SAID."""

    kind: str
    note: Note | None = None
    memory: Mapping[str, Any] | None = None


SAID = {
    "write": "changed here by the server",
    "new note": "new here",
    "change": "changed on the server",
    "new memory": "new on the server",
    "remove": "gone on the server",
    "archive": "gone here",
    "conflict": "changed on both sides",
    "twice": "has the id of another note",
}
ASKED = {
    "remove": "Remove the notes that the server has no more?",
    "archive": "Archive the memories of which the notes are gone?",
}
MOST_NAMED = 5


def plan(
    folder: Folder, notes: list[Note], memories: Mapping[str, Mapping[str, Any]], prefer: Side | None
) -> list[Step]:
    """Return what makes notes and memories equal."""
    by_id: dict[str, Note] = {}
    steps = [Step("new memory", note) for note in notes if note.body and not note.id]
    steps += [Step("twice", note) for note in notes if note.id and by_id.setdefault(note.id, note) is not note]
    for id_ in dict.fromkeys([*folder.known, *by_id, *memories]):
        here, there = by_id.get(id_), memories.get(id_)
        if here and there:
            kind = kind_of(folder, here, there, prefer)
        elif here or there:
            kinds = ("archive", "new note") if there else ("remove", "new memory")
            kind = kinds[id_ not in folder.known]
        else:
            kind = ""
            del folder.known[id_]
        steps += [Step(kind, here, there)] if kind else []
    return steps


def kind_of(folder: Folder, note: Note, memory: Mapping[str, Any], prefer: Side | None) -> str:
    """Return which side of a note and its memory follows the other; nothing where they are equal."""
    was = folder.known.get(note.id, {}).get("digest", "")
    now = digest_of(values_of(memory), memory["content"].strip())
    if note.digest == now:
        folder.agree(note)
        return ""
    if note.digest == was or (now != was and prefer == "server"):
        return "write"
    return "change" if now == was or prefer == "notes" else "conflict"


def carry_out(step: Step, folder: Folder, memsite: Memsite) -> str:
    """Do one step; return what hindered it, or nothing."""
    note, memory = step.note, step.memory
    if step.kind in ("write", "new note"):
        assert memory is not None
        made = note_of(memory, note.path if note else folder.new_path(memory), note.others if note else None)
        write(made.path, made.text())
        folder.agree(made)
    elif step.kind == "archive":
        assert memory is not None
        memsite.change_memory(memory["id"], version=memory["version"], status="archived")
        del folder.known[memory["id"]]
    elif step.kind == "remove":
        assert note is not None
        note.path.unlink()
        del folder.known[note.id]
    else:
        assert note is not None
        answer: Mapping[str, Any]
        if memory:
            changes: Any = {
                name: note.values.get(name, [] if name == "tags" else None) for name in changed(note, memory)
            }
            if note.body != memory["content"].strip():
                changes["content"] = note.body
            answer = memsite.change_memory(memory["id"], version=memory["version"], **changes)
        else:
            given: Any = without_nones(**note.values, user_id=folder.user_id)
            answer = memsite.create_memory(note.body, dedupe=False, **given)
        if "id" not in answer:
            return "waits for a person's review"
        stored = replace(note, id=answer["id"], values=values_of(answer), body=answer["content"].strip())
        if stored.text() != note.text():
            write(stored.path, stored.text())
        folder.agree(stored)
    return ""


def changed(note: Note, memory: Mapping[str, Any]) -> list[str]:
    now = values_of(memory)
    return [name for name in FIELDS if note.values.get(name) != now.get(name)]


def difference(note: Note, memory: Mapping[str, Any]) -> str:
    """Return the lines in which a note and its memory differ."""
    theirs, ours = note_of(memory, note.path, note.others).text().splitlines(), note.text().splitlines()
    return "\n".join(difflib.unified_diff(theirs, ours, "on the server", "in the note", lineterm="", n=0))


def once(folder: Folder, prefer: Side | None, *, yes: bool, dry_run: bool, asks: bool) -> bool:
    """Make the folder and the server equal; return whether all is."""
    with connect() as memsite:
        rows = memsite.list_memories(status="active", **without_nones(user_id=folder.user_id))
        memories = {row["id"]: row for row in rows if row["user_id"] == folder.user_id}
        steps = plan(folder, folder.notes(), memories, prefer)
        left = [step for step in steps if step.kind in ("conflict", "twice")]
        if not (yes or dry_run):
            left += refused(steps, folder, asks=asks)
        for step in left:
            click.echo(f"{name_of(step, folder)}: {SAID[step.kind]}, left as it is", err=True)
            if step.kind == "conflict" and step.note and step.memory:
                click.echo(plain(difference(step.note, step.memory)), err=True)
        for step in [step for step in steps if step not in left]:
            click.echo(f"{name_of(step, folder)}: {SAID[step.kind]}")
            if dry_run:
                continue
            try:
                trouble = carry_out(step, folder, memsite)
            except ProblemError as error:
                trouble = message_of(error)
            if trouble:
                left.append(step)
                click.echo(f"{name_of(step, folder)}: {one_line(trouble)}", err=True)
            folder.save()
    if not dry_run:
        folder.save()
    return not left


def refused(steps: list[Step], folder: Folder, *, asks: bool) -> list[Step]:
    """Ask about what would be removed or archived; return what somebody refuses. Where nobody is there, all of it."""
    left = []
    for kind, question in ASKED.items():
        some = [step for step in steps if step.kind == kind]
        names = ", ".join(name_of(step, folder) for step in some[:MOST_NAMED])
        if some and not (asks and click.confirm(f"{question} {len(some)}: {names}", err=True)):
            left += some
    return left


def name_of(step: Step, folder: Folder) -> str:
    if step.note:
        return one_line(str(step.note.path.relative_to(folder.root)))
    assert step.memory is not None
    return one_line(step.memory["content"])[:TITLE_CHARACTERS]


@click.command("sync")
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
@click.option("--user", "user_id", type=EndUser(), help="The end user whose memories these are.")
@click.option("--prefer", type=click.Choice(["notes", "server"]), help="Which side wins where both have changed.")
@click.option("--yes", is_flag=True, help="Do not ask before anything is removed or archived.")
@click.option("--dry-run", is_flag=True, help="Only print what would be done.")
@click.option("--every", type=click.IntRange(1), metavar="SECONDS", help="Go on, so often, until it is interrupted.")
def sync(
    directory: Path, user_id: str | None, prefer: Side | None, yes: bool, dry_run: bool, every: int | None
) -> None:
    """Keep a folder of Markdown notes, as Obsidian has them, equal with the app's memories.

    New and changed notes become memories, and memories notes. What is gone on one side is asked about; what changed on
    both is shown and left alone, unless --prefer says which holds.
    """
    with connect() as memsite:
        server = str(memsite.http.base_url).rstrip("/")
    directory.mkdir(parents=True, exist_ok=True)
    folder = Folder(directory, server, user_id)
    folder.load()
    while True:
        is_equal = once(folder, prefer, yes=yes, dry_run=dry_run, asks=sys.stdin.isatty() and not every)
        if every is None:
            break
        time.sleep(every)
    if not is_equal:
        raise Failure("Some notes still differ: see above.", WENT_WRONG)
