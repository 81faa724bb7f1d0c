"""Files as memories, one each: the agent's own, found by search, and out of upkeep's way."""

from __future__ import annotations

from typing import Any

from memories.agent import MemoryAgent, Withheld
from memories.compat.kept import external_id, keep_new, kept
from memories.compat.memory_tool.paths import ROOT, Refused, folders_above, is_below
from memories.models import GENERAL, Kind, Memory, Visibility
from memories.store import Candidate
from memories.text.clean import without_secrets

KIND = "file"
MOST_CHARACTERS = 200_000
MOST_IN_SUBJECT = 200


class Files:
    """Of one agent, and of one of its end users or of nobody in particular."""

    def __init__(self, agent: MemoryAgent, user_id: str | None) -> None:
        self.agent, self.user_id = agent, user_id
        rows = kept(agent, KIND, user_id).filter(agent=agent.agent, user_id=user_id)
        self.rows: dict[str, Memory] = {row.metadata["file"]["path"]: row for row in rows}

    def is_folder(self, path: str) -> bool:
        return path == ROOT or any(is_below(other, path) for other in self.rows)

    def sizes(self) -> dict[str, int]:
        return {path: len(text_of(row).encode()) for path, row in self.rows.items()}

    def text(self, path: str) -> str:
        return text_of(self.file(path))

    def file(self, path: str) -> Memory:
        if path not in self.rows:
            what = "is not a file." if self.is_folder(path) else "does not exist. Please provide a valid path."
            raise Refused(f"The path {path} {what}")
        return self.rows[path]

    def create(self, path: str, text: str) -> None:
        if path in self.rows or self.is_folder(path):
            raise Refused(f"File {path} already exists")
        self.check_folders(path)
        fields = self.fields(path, text)
        candidate = Candidate(
            **fields, kind=Kind.GENERAL, category=GENERAL, pinned=True, visibility=Visibility.AGENT,
            agent=self.agent.agent, user_id=self.user_id,
        )  # fmt: skip
        held = keep_new(self.agent, KIND, [candidate])
        if held:
            raise Refused(
                f"The file {path} was not created, a person has to decide about it: {', '.join(held.values())}"
            )

    def change(self, path: str, text: str) -> None:
        row = self.file(path)
        self.edit(row, self.fields(path, text), "edited as a file")

    def edit(self, row: Memory, fields: dict[str, Any], reason: str) -> None:
        try:
            self.agent.edit(row, fields, version=row.version, reason=reason)
        except Withheld as held:
            raise Refused(f"Nothing was changed, a person has to decide about it: {held}") from held

    def delete(self, path: str) -> None:
        if path == ROOT:
            raise Refused(f"Cannot delete the {ROOT} directory itself")
        self.agent.forget(list(self.with_below(path).values()))

    def rename(self, old: str, new: str) -> None:
        if new in self.rows or self.is_folder(new):
            raise Refused(f"The destination {new} already exists")
        if old == ROOT or is_below(new, old):
            raise Refused(f"The path {old} cannot be moved into itself")
        self.check_folders(new)
        for path, row in self.with_below(old).items():
            moved = self.fields(new + path[len(old) :], text_of(row))
            self.edit(row, moved, "renamed as a file")

    def with_below(self, path: str) -> dict[str, Memory]:
        """The file, or all in the folder."""
        found = {other: row for other, row in self.rows.items() if other == path or is_below(other, path)}
        if not found:
            raise Refused(f"The path {path} does not exist")
        return found

    def check_folders(self, path: str) -> None:
        for folder in folders_above(path):
            if folder in self.rows:
                raise Refused(f"The path {folder} is not a directory")

    def fields(self, path: str, text: str) -> dict[str, Any]:
        """What search reads is its beginning, as long as a memory may be; the whole text lies beside it."""
        if len(text) > MOST_CHARACTERS:
            raise Refused(f"The file {path} would have more than {MOST_CHARACTERS:,} characters")
        public = without_secrets(text)
        most = self.agent.app.policy.max_characters
        return {
            "content": public.strip()[:most].strip() or path[:most],
            # A drawer of its own: no other memory is ever taken for the same.
            "subject": path[-MOST_IN_SUBJECT:],
            "metadata": {"file": {"path": path, "text": bracketed(public)}},
            "external_id": external_id(KIND, str(self.agent.agent), self.user_id or "", path),
        }


def bracketed(text: str) -> str:
    """What is stored loses the white space at its ends; between these it is kept."""
    return f"[{text}]"


def text_of(row: Memory) -> str:
    text: str = row.metadata["file"]["text"]
    return text[1:-1]
