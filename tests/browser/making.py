"""Run as a program: sets up the site that the tests of pages look at, as an operator would, and fills it.

Prints the addresses of the pages with hostile strings, as JSON.
"""

from __future__ import annotations

import json
from contextlib import redirect_stdout
from io import StringIO

import django

django.setup()

from django.core.management import call_command  # noqa: E402  # Django first

from tests.browser.furnished import APPS, furnish, new_app  # noqa: E402
from tests.hostile import addresses, fill  # noqa: E402


def main() -> list[str]:
    with redirect_stdout(StringIO()):
        call_command("setup")
        call_command("demo")
    for name in APPS:
        furnish(name)
    hostile = new_app("hostile")
    fill(hostile)
    return addresses(hostile)


if __name__ == "__main__":
    print(json.dumps(main()))  # noqa: T201  # it is a program
