"""A few days of the year that `make bench-year` lives through."""

import pytest

from bench import year
from memories.models import Memory, Status
from memsite.jobs.models import JobRun
from memsite.tenancy.models import App

pytestmark = pytest.mark.long

DAYS = 40


@pytest.fixture
def lived(db: None) -> year.Year:
    return year.live_through(30, DAYS)


def test_upkeep_does_what_it_has_to(lived):
    assert {check.what: check.wrong for check in lived.checks if check.wrong} == {}
    assert all(check.looked_at for check in lived.checks[:4])
    body = year.render(lived, "today.")
    assert "with 30 memories on its first day" in body
    assert f"| decay | {DAYS} |" in body
    assert "| pinned memories, to be as they were | " in body


def test_what_is_amiss_is_found(lived):
    app = App.objects.get()
    memory = year.of_itself(app, *year.PLAIN).filter(status=Status.ACTIVE).first()
    Memory.objects.filter(pk=memory.pk).update(confidence=memory.confidence + 1e-6)
    assert year.of_decay(app, DAYS).wrong == 1
    texts = dict.fromkeys(Memory.objects.filter(pinned=True).values_list("pk", flat=True), "something else")
    assert year.of_pinned(app, texts).wrong == len(texts) > 0
    JobRun.objects.filter(job="nightly").first().delete()
    assert year.of_runs(DAYS).wrong == 1
