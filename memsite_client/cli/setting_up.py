"""Commands that set up the others: login, logout, status, version, completion."""

from __future__ import annotations

import json
import sys

import click
from click.shell_completion import get_completion_class

from memsite_client import __version__
from memsite_client.cli.base import AWAY, KEY, WENT_WRONG, Failure, as_json, code_of, message_of, print_json
from memsite_client.errors import MemsiteError
from memsite_client.files import write_whole
from memsite_client.place import Place, checked_key, config_file, place_of, root_of
from memsite_client.sync import Memsite

SHELLS = ("bash", "zsh", "fish")
FINE = "the server knows the key"


def wanted_url() -> str | None:
    url: str | None = click.get_current_context().find_root().obj
    return url


@click.command()
@click.option("--url", "address", metavar="URL", help="The server's address.")
@click.option("--unchecked", is_flag=True, help="Keep them even if the server is away.")
def login(address: str | None, unchecked: bool) -> None:
    """Keep the server's address and a key, for this user of this machine. The key is asked for, or read from stdin."""
    url = root_of(address or wanted_url() or place_of().url)
    key = click.prompt("Key", hide_input=True, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    place = Place(url, checked_key(key))
    if not place.key:
        raise Failure("no key was given", KEY)
    told, code = look(place)
    if code == KEY or (code and not unchecked):
        raise Failure(f"{told} Nothing was kept.", code)
    try:
        write_whole(config_file(), json.dumps({"url": place.url, "api_key": place.key}, indent=2) + "\n")
    except OSError as error:
        raise Failure(f"{config_file()} cannot be written: {error.strerror}.", WENT_WRONG) from error
    click.echo(f"Kept in {config_file()}, readable for you only: {place.url}.")


@click.command()
def logout() -> None:
    """Forget the address and the key that `memsite login` kept."""
    try:
        config_file().unlink()
    except FileNotFoundError:
        click.echo("Nothing was kept.")
    except OSError as error:
        raise Failure(f"{config_file()} cannot be removed: {error.strerror}.", WENT_WRONG) from error
    else:
        click.echo(f"Removed {config_file()}.")


@click.command()
@as_json
def status(json_: bool) -> None:
    """Tell which server is asked with which key, and whether it answers."""
    place = place_of(wanted_url())
    told, code = look(place)
    shown_key = f"{place.key[:12]}…" if place.key else "none"
    if json_:
        print_json({"url": place.url, "key": shown_key, "ok": not code, "detail": told})
    else:
        click.echo(
            f"server  {place.url}\nkey     {shown_key}\nanswer  {click.style(told, fg='red' if code else 'green')}"
        )
    sys.exit(code)


def look(place: Place) -> tuple[str, int]:
    """What comes of asking it, and the exit code for that."""
    try:
        with Memsite(place.url, place.key, timeout=5, retries=0) as memsite:
            memsite.request("GET", "sessions", query={"limit": 1})
    except MemsiteError as error:
        code = code_of(error)
        return (str(error) if code == AWAY else message_of(error)), code
    return FINE, 0


@click.command()
@as_json
def version(json_: bool) -> None:
    """Print the version of this client and of the server."""
    place = place_of(wanted_url())
    try:
        with Memsite(place.url, place.key, timeout=5, retries=0) as memsite:
            server, problem = memsite.request("GET", "version")["version"], ""
    except MemsiteError as error:
        server, problem = None, message_of(error)
    if json_:
        print_json({"client": __version__, "server": server, "url": place.url})
    else:
        click.echo(f"client  {__version__}\nserver  {server or problem}")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what makes your shell complete `memsite`: put it where docs/cli.md says."""
    kind = get_completion_class(shell)
    root = click.get_current_context().find_root().command
    assert kind is not None
    click.echo(kind(root, {}, "memsite", "_MEMSITE_COMPLETE").source())
