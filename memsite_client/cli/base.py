"""What all commands share: the client, exit codes, the option for an end user, one clear line when something fails."""

from __future__ import annotations

import codecs
import io
import json
import sys
import unicodedata
from collections.abc import Iterable
from typing import IO, Any
from uuid import UUID

import click

from memsite_client.errors import (
    KeyRefused,
    MemsiteError,
    NotConfigured,
    ProblemError,
    ServerAway,
    ServerFailed,
    TooManyRequests,
)
from memsite_client.sync import Memsite

WENT_WRONG, REFUSED, KEY, AWAY, INTERRUPTED = 1, 3, 4, 5, 130
CODES: tuple[tuple[type[MemsiteError], int], ...] = (
    (NotConfigured, KEY),
    (KeyRefused, KEY),
    (ServerAway, AWAY),
    (ServerFailed, AWAY),
    (ProblemError, REFUSED),
)
FROM_STDIN = "-"
SIMPLER = str.maketrans({"…": "...", "→": "->", "×": "x", "–": "-", "—": "--", "‘": "'", "’": "'", "“": '"', "”": '"'})

MOST_CHARACTERS = 200
as_json = click.option("--json", "json_", is_flag=True, help="Print the server's answer as JSON.")


class Failure(click.ClickException):
    """Ends the command with this line on stderr and this exit code."""

    def __init__(self, message: str, exit_code: int = WENT_WRONG) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"memsite: {self.format_message()}", file=file, err=True)


class Commands(click.Group):
    """A group whose commands fail with one line, whatever it was that they met."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MemsiteError as error:
            raise Failure(message_of(error), code_of(error)) from error
        except KeyboardInterrupt as error:
            raise Failure("interrupted", INTERRUPTED) from error
        except UnicodeDecodeError as error:
            raise Failure("what came in is no text in UTF-8") from error
        except OSError as error:
            # Nobody reads on, as with `| head`: click ends without a word.
            if isinstance(error, BrokenPipeError):
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise Failure(f"{where}{error.strerror or error}") from error


def code_of(error: MemsiteError) -> int:
    return next((code for kind, code in CODES if isinstance(error, kind)), WENT_WRONG)


def message_of(error: MemsiteError) -> str:
    """Return one line; the server's own words where it has said some."""
    text = " ".join(str(error).split())
    if isinstance(error, TooManyRequests):
        return f"{text} Try again in {error.retry_after:.0f} seconds."
    if isinstance(error, ServerAway):
        return f"{text} Is it running? `memsite status` looks."
    return text


def wanted_url() -> str | None:
    """Return the server that the running command names; None for the usual one."""
    url: str | None = click.get_current_context().find_root().obj
    return url


def connect() -> Memsite:
    """Return the client for the running command."""
    return Memsite(wanted_url())


def print_what_can_be(streams: Iterable[Any]) -> None:
    """Let consoles of any encoding print what they can: simpler signs, or `?`, in place of an error."""
    codecs.register_error("memsite", simpler)
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="memsite")


def simpler(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(SIMPLER)
    letters = (sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return "".join(letters).encode("ascii", "replace").decode(), error.end


def to_json(answer: Any, indent: int | None = 2) -> str:
    """Return JSON; in ASCII where the console is not of Unicode."""
    is_unicode = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    return json.dumps(answer, indent=indent, ensure_ascii=not is_unicode)


def print_json(answer: Any) -> None:
    click.echo(to_json(answer))


def text_of(argument: str) -> str:
    """Return the argument, or all of stdin for `-`."""
    return sys.stdin.buffer.read().decode() if argument == FROM_STDIN else argument


def without_nones(**options: Any) -> Any:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}


class JSONObject(click.ParamType[dict[str, Any]]):
    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, dict):
            return value
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = None
        if not isinstance(parsed, dict):
            self.fail(f'{value!r} is no JSON object, such as {{"source": "wiki"}}.', param, ctx)
        return parsed


class Id(click.ParamType[str]):
    """Of a memory, unless `found` tells where others are found."""

    name = "id"

    def __init__(self, hint: str = "`memsite list` shows some.") -> None:
        self.hint = hint

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(UUID(value))
        except ValueError:
            self.fail(f"{value!r} is no id. {self.hint}", param, ctx)


SESSION_ID = Id("That of a session is the `id` which opening it has answered, not its `external_id`.")


class EndUser(click.ParamType[str]):
    """As the server takes it. Refused before anything is done: what `memsite run` hears could never be delivered."""

    name = "user"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not 0 < len(value.strip()) <= MOST_CHARACTERS:
            self.fail(f"{value!r} is no end user: 1 to {MOST_CHARACTERS} characters. Is a variable empty?", param, ctx)
        return value
