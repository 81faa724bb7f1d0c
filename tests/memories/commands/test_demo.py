"""`manage.py demo`: what it tells, that it can be told again, and that its questions find their answers."""

import re
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models import Value
from django.db.models.functions import Concat

from memories.management.commands import demo
from memories.management.commands.demo import PLAYS, Command
from memories.management.server_address import store_address
from memories.models import Memory
from memsite.tenancy.models import App, AppStatus
from sessions.models import AgentSession, SessionStatus, Turn
from tests.conftest import make_app, make_caller
from tests.shared_data import module_fixture

ANSWERS = {
    "name resolution is flaky while the VPN reconnects": "DNS checks fail now and then",
    "may I reboot at half past two at night?": "Runs every night at 02:30",
    "disk is nearly full of backups": "The backup disk has to be pruned",
    "is jogging fine after the operation?": "The knee has healed and there i",
    "dinner without meat": "Prefers vegetarian food",
    "how long should my replies be?": "Wants short answers",
}


def play(*options: str) -> str:
    out = StringIO()
    call_command("demo", *options, stdout=out)
    return out.getvalue()


def build_story() -> str:
    """Play the demo once, beside an app of somebody else's."""
    make_caller(make_app("acme"), "alice").remember("Ours, and nobody else's")
    return play()


story = module_fixture(build_story)


@pytest.fixture
def answers(story: str, db: None) -> str:
    return story


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave all but the last scene and one question out of each play."""
    plays = tuple(replace(play, scenes=play.scenes[-1:], questions=play.questions[:1]) for play in PLAYS)
    monkeypatch.setattr(demo, "PLAYS", plays)


def memories(app_id: str) -> list[str]:
    rows = Memory.objects.for_app(App.objects.get(app_id=app_id))
    return sorted(rows.values_list("content", flat=True))


@pytest.mark.django_db
def test_the_server_is_where_the_setup_was_told(tmp_path, settings):
    settings.MEMSITE = replace(settings.MEMSITE, data_dir=tmp_path)
    command = Command(out := StringIO())
    command.show_request(PLAYS[0])
    store_address("http://127.0.0.1:9000")
    command.show_request(PLAYS[0])
    assert re.findall(r"curl (\S+)/api", out.getvalue()) == ["http://127.0.0.1:8000", "http://127.0.0.1:9000"]


def test_it_tells_the_story_step_by_step(answers):
    steps = [
        "Nothing is known yet",
        "Streaming 40,556 bytes in 10 chunks",
        "created        [dependency:caddy] Must be started after WireGuard",
        "rejected       [misc]",
        "60 lines read: 10 created",
        "Turns checkpointed: 1",
        "Session ended",
        "greeted with 10 memories",
        "  | ### caddy",
        "contradicted   [dependency:caddy] Must be started after WireGuard",
        "confidence 0.70 → 0.50",
        "reinforced     [",
        "confidence 0.70 → 0.80",
        "Lines that could not be read: 1",
        "The next session is greeted with what is known now",
        "Asked in other words",
        "may I reboot at half past two at night?",
        "Personal assistant",
        "created        [preferences] Wants short answers",
        "rejected       [weather]",
        "dinner without meat",
        "create_key --app demo-ops --agent demo",
        "curl http://127.0.0.1:8000/api/v1/memories/search",
    ]
    index = -1
    for step in steps:
        index = answers.find(step, index + 1)
        assert index >= 0, f"{step!r} is not told, or too early"


def test_every_turn_is_checkpointed_and_every_session_ended(answers):
    assert Turn.objects.count() == 5
    assert not AgentSession.objects.exclude(status=SessionStatus.ENDED).exists()


def test_next_block_holds_the_newer_statement_before_the_contradicted_one(answers):
    block = answers.split("The next session is greeted")[1].split("Asked in other words")[0]
    assert 0 < block.index("independently of WireGuard") < block.index("Must be started after WireGuard")


def test_second_run_begins_afresh_in_new_sessions(answers):
    first, sessions = memories("demo-ops"), AgentSession.objects.count()
    again = play()
    assert f"Forgot {len(first)} memories of earlier runs" in again
    assert memories("demo-ops") == first
    assert AgentSession.objects.count() == 2 * sessions


def test_keep_goes_on_with_what_is_known(answers, short):
    again = play("--keep")
    assert "Forgot" not in again
    assert "Nothing is known yet" not in again


def test_apps_of_others_are_left_alone(answers):
    assert memories("acme") == ["Ours, and nobody else's"]


def test_uninstalled_demo_app_is_installed_again(answers, short):
    App.objects.update(status=AppStatus.UNINSTALLED)
    play()
    assert App.objects.get(app_id="demo-ops").status == AppStatus.ACTIVE


def test_no_colours_outside_a_terminal(answers):
    assert "\x1b" not in answers


@pytest.mark.django_db
def test_questions_in_other_words_find_their_memory(settings):
    """In apps of its own: an app keeps its embedder until all its memories are embedded anew."""
    App.objects.update(app_id=Concat(Value("earlier-"), "app_id"))
    settings.MEMSITE = replace(settings.MEMSITE, embedder="minilm")
    assert first_answers(play()) == ANSWERS


def first_answers(answers: str) -> dict[str, str]:
    """Question → the beginning of its best hit, as long as the answer that is expected."""
    results = re.findall(r"^  \? (.+)\n +\d\.\d\d  \[[^]]+\] (.+)$", answers, re.MULTILINE)
    return {question: text[: len(ANSWERS[question])] for question, text in results}
