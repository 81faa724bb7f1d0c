"""Some hundred requests of all kinds, the same ones each time. Many more: `make fuzz`."""

from __future__ import annotations

import json
import re

import pytest

from bench.promises.fuzz import PROGRAM, How, fuzz_in_turns
from bench.promises.site import Site
from tests.scale import scaled

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("site")]

EXAMPLES = scaled(30, least=3)


@pytest.mark.skipif(not PROGRAM.exists(), reason="`make .venv/trust.stamp` installs what it takes")
def test_no_request_breaks_an_operation_and_answers_are_as_described(site: Site) -> None:
    """Without a key, with an agent's, with an operator's."""
    results = fuzz_in_turns(site, How(EXAMPLES, seconds=0, phases="fuzzing"))
    assert results.code == 0, results.text[-9000:]
    tested, cases = re.search(r"Tested: (\d+)", results.text), re.search(r"(\d+) generated", results.text)
    by = re.search(r"Asked by: (.+)", results.text)
    assert tested, results.text
    assert cases, results.text
    assert by, results.text
    assert int(tested[1]) > 100
    assert int(cases[1]) > 2 * int(tested[1])
    assert {caller: number >= int(tested[1]) * 2 // 3 for caller, number in json.loads(by[1]).items()} == {
        "nobody": True, "agent": True, "operator": True,
    }  # fmt: skip
