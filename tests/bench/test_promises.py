"""What of the promises is tried, by name."""

from __future__ import annotations

import argparse

import pytest

from bench.promises.__main__ import names


def test_some_are_tried_by_their_names() -> None:
    assert names("kills,copies") == ["kills", "copies"]


@pytest.mark.parametrize("text", ["keys", "kills,nothing", ""])
def test_a_name_of_none_is_told_before_a_site_is_started(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="some of traces, "):
        names(text)
