"""The end user that an option names."""

from __future__ import annotations

import click

MOST_CHARACTERS = 200


class EndUser(click.ParamType[str]):
    """As the server takes it. Refused before anything is done: what `memsite run` hears could never be delivered."""

    name = "user"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not 0 < len(value.strip()) <= MOST_CHARACTERS:
            self.fail(f"{value!r} is no end user: 1 to {MOST_CHARACTERS} characters. Is a variable empty?", param, ctx)
        return value
