"""Some thousand requests of all kinds, the same ones each time. Many more: `make fuzz`."""

from __future__ import annotations

import re

import pytest

from bench.promises.fuzz import PROGRAM, How, fuzz
from bench.promises.site import Site

pytestmark = pytest.mark.long

SECONDS = 40


@pytest.mark.skipif(not PROGRAM.exists(), reason="`make .venv/trust.stamp` installs what it takes")
def test_no_request_breaks_an_operation_and_answers_are_as_described(site: Site) -> None:
    """Without a key, with an agent's, with an operator's."""
    found = fuzz(site, How(examples=1, seconds=SECONDS, phases="coverage,fuzzing"))
    assert {one.caller: one.text[-3000:] for one in found if one.code} == {}
    for one in found:
        asked = re.search(r"Tested: (\d+)", one.text)
        cases = re.search(r"(\d+) generated", one.text)
        assert asked, one.text
        assert cases, one.text
        assert int(asked[1]) > 10, one.caller
        assert int(cases[1]) > 100, one.caller
