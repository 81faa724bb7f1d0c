"""A table is tried whole, each row that misses is named, and rows see nothing of each other."""

from __future__ import annotations

import pytest

from memsite.tenancy.models import App
from tests.conftest import make_app
from tests.tables import each_row


def test_each_row_that_misses_is_named_and_the_others_are_tried() -> None:
    seen = []

    @each_row("number, half", [(2, 1), (4, 3), (6, 3), (8, 5)])
    def halves(number: int, half: int) -> None:
        seen.append(number)
        assert number == 2 * half

    with pytest.raises(AssertionError) as error:
        halves()
    assert seen == [2, 4, 6, 8]
    assert str(error.value).startswith("2 of 4 rows miss:\n{'number': 4, 'half': 3}\n    AssertionError")
    assert "{'number': 8, 'half': 5}" in str(error.value)


@each_row("app_id", ["initech", "initech"], rolled_back=True)
def test_a_row_sees_nothing_of_another(db: None, app_id: str) -> None:
    make_app(app_id)
    assert App.objects.count() == 1


@pytest.mark.django_db
def test_what_rows_wrote_is_gone() -> None:
    each_row("app_id", ["initech"], rolled_back=True)(lambda app_id: make_app(app_id))()
    assert not App.objects.exists()


def test_a_table_names_what_its_test_takes() -> None:
    with pytest.raises(AssertionError, match="takes no"):
        each_row("other", [1])(lambda number: None)
    with pytest.raises(AssertionError, match="without rows"):
        each_row("number", [])
