"""What comes in a row, cut into what is handled at once."""

import pytest

from memsite.db.transactions import portions


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([], []),
        (["1"], [["1"]]),
        (["1", "2", "3", "4"], [["1", "2", "3"], ["4"]]),
        (["12345", "12345", "1"], [["12345", "12345"], ["1"]]),
        (["1", "much too long", "1", "2"], [["1"], ["much too long"], ["1", "2"]]),
        (["much too long", "", "1"], [["much too long"], ["", "1"]]),
    ],
)
def test_no_portion_is_too_many_or_too_large_unless_one_alone_is(items: list[str], expected: list[list[str]]) -> None:
    assert list(portions(iter(items), 3, 10, len)) == expected
