"""Dates in other languages are read as English ones are, and the statement stays in the words it was said in."""

from __future__ import annotations

from datetime import UTC, datetime

from time_machine import travel

from memories.models import FutureTrigger, Memory
from tests.conftest import Caller
from tests.tables import each_row
from tests.talking import hear

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@each_row("said, day", [
    ("Ich habe am 6. Juni einen Termin beim Zahnarzt.", "2026-06-06"),
    ("J'ai un rendez-vous chez le dentiste le 3 avril.", "2026-04-03"),
    ("Tengo cita con el dentista el 5 de mayo.", "2026-05-05"),
    ("Ho un appuntamento dal dentista il 2 giugno.", "2026-06-02"),
    ("Tenho consulta no dentista em 4 de abril.", "2026-04-04"),
    ("Tenho consulta no dentista no dia 4 de maio.", "2026-05-04"),
], rolled_back=True)  # fmt: skip
@travel(NOW, tick=False)
def test_what_is_on_a_day_waits_for_it_and_is_kept_whole(alice: Caller, said: str, day: str) -> None:
    hear(alice, said)
    assert [str(one.trigger_date) for one in FutureTrigger.objects.for_app(alice.app)] == [day]
    assert [one.content.removesuffix(".") for one in Memory.objects.for_app(alice.app)] == [said.removesuffix(".")]


@each_row("said, end", [
    ("Ich bin bis 6. Juni im Urlaub.", "2026-06-07"),
    ("Ich bin bis zum 6. Juni 2026 in Rom.", "2026-06-07"),
    ("Je suis en vacances jusqu'au 3 avril.", "2026-04-04"),
    ("Estoy de vacaciones hasta el 5 de mayo.", "2026-05-06"),
    ("Sono in vacanza fino al 2 giugno.", "2026-06-03"),
    ("Estou de férias até 4 de abril.", "2026-04-05"),
    ("I am on leave until 5 May.", "2026-05-06"),
    ("Mein Vertrag läuft bis Ende Juni.", None),
], rolled_back=True)  # fmt: skip
@travel(NOW, tick=False)
def test_what_is_until_a_day_is_over_then(alice: Caller, said: str, end: str | None) -> None:
    hear(alice, said)
    (memory,) = Memory.objects.for_app(alice.app)
    assert (memory.valid_until and f"{memory.valid_until:%Y-%m-%d}") == end
    assert said.startswith("I ") or memory.content.removesuffix(".") == said.removesuffix(".")
