"""One typed object from the environment; what cannot be read is named."""

import errno
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.utils import ConnectionHandler

from memsite.config import checks
from memsite.config.conf import HOME, ROOT, Conf, read_conf, unknown_variables, usual_data_dir, variable
from memsite.config.settings import database
from tests.memsite.managing import instead_of_the_database, manage


def test_nothing_given_gives_the_defaults() -> None:
    assert read_conf({}) == Conf()


def test_each_value_has_its_type() -> None:
    conf = read_conf(
        {
            "MEMSITE_DEBUG": "true",
            "MEMSITE_ALLOWED_HOSTS": "a.example, b.example",
            "MEMSITE_MEMORY_BUDGET": "4000",
            "MEMSITE_DATA_DIR": "/srv/memsite",
        }
    )
    assert conf.debug is True
    assert conf.allowed_hosts == ("a.example", "b.example")
    assert conf.memory_budget == 4000
    assert conf.data_dir == Path("/srv/memsite")


@pytest.mark.parametrize(
    ("is_checkout", "platform", "given", "folder"),
    [
        (True, "linux", {"XDG_DATA_HOME": "/srv/share"}, ROOT / "data"),
        (False, "linux", {"XDG_DATA_HOME": "/srv/share"}, Path("/srv/share/memsite")),
        (False, "linux", {"XDG_DATA_HOME": "share"}, HOME / ".local" / "share" / "memsite"),
        (False, "darwin", {}, HOME / "Library" / "Application Support" / "memsite"),
    ],
)
def test_data_of_an_installed_package_is_where_its_user_keeps_data(
    is_checkout: bool, platform: str, given: dict[str, str], folder: Path
) -> None:
    assert usual_data_dir(given, is_checkout, platform) == folder


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMORY_BUDGET", "many"),
        ("MEMORY_BUDGET", "-1"),
        ("EMBEDDER", "magic"),
        ("TIME_ZONE", "Mars/Base"),
        ("LOG_FORMAT", "xml"),
        ("LOG_LEVEL", "verbose"),
        ("ROW_SECURITY", "maybe"),
        ("ALLOWED_HOSTS", "localhost,https://memory.example.org"),
        ("CORS_ORIGINS", "*"),
        ("CORS_ORIGINS", "https://*.example.org"),
        ("CORS_ORIGINS", "https://app.example.org/"),
        ("CORS_ORIGINS", "null"),
        ("BROKER_URL", "localhost:6379"),
        ("BROKER_URL", "http://localhost/0"),
        ("BROKER_URL", "redis:/localhost"),
        ("MAX_BODY_BYTES", "0"),
        ("IDEMPOTENCY_HOURS", "0"),
        ("OAUTH_IDLE_DAYS", "0"),
        ("TRUSTED_PROXIES", "the proxy"),
        ("ROOT_PATH", "memory/"),
        ("OAUTH_IDLE_DAYS", "36601"),
        ("IDEMPOTENCY_HOURS", "999999999"),
        ("CRASHED_AFTER_MINUTES", "9999999999"),
        ("COUNT_MILLISECONDS", "10000000000000"),
        ("BACKUP_DIR", "~nobody-of-this-name/backups"),
        ("DATABASE_URL", "mysql://localhost/x"),
        ("REPLICA_URL", "postgresql://replica/memsite"),
        ("REPLICA_MILLISECONDS", "0"),
        ("PROVIDER_NETWORKS", "everywhere"),
        ("LLM_PRICES", "small=cheap/dear"),
        ("LLM_PRICES", "small=1"),
        ("LLM_PRICES", "small=inf/1"),
        ("LLM_PRICES", "small=1/nan"),
        ("LLM_PRICES", "small=0.25/1.25, large=-3/15"),
        ("LLM_PRICES", "=0.25/1.25"),
        ("METRICS_TOKEN", "short"),
        ("METRICS_TOKEN", "a long one with white space"),
    ],
)
def test_a_wrong_value_is_named(name: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"MEMSITE_{name}"):
        read_conf({f"MEMSITE_{name}": value})


def test_prices_are_dollars_for_input_and_output() -> None:
    conf = read_conf({"MEMSITE_LLM_PRICES": "small=0.25/1.25, llama3:8b = 0/0,"})
    assert conf.llm_settings.prices == {"small": (0.25, 1.25), "llama3:8b": (0.0, 0.0)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("True", True),
        ("1", True),
        ("YES", True),
        ("on ", True),
        ("false", False),
        ("0", False),
        ("No", False),
        ("off", False),
        ("", False),
    ],
)
def test_true_and_false_have_several_names(text: str, value: bool) -> None:
    assert read_conf({"MEMSITE_OAUTH": text}).oauth is value


@pytest.mark.parametrize("text", ["", " "])
def test_a_folder_that_is_left_empty_is_the_usual_one(text: str) -> None:
    conf = read_conf({"MEMSITE_DATA_DIR": text, "MEMSITE_BACKUP_DIR": text})
    assert (conf.data_dir, conf.backups) == (ROOT / "data", ROOT / "data" / "backups")


@pytest.mark.parametrize(
    "url",
    [
        "redis://q/0",
        "redis+socket:///run/redis.sock",
        "rediss://q",
        "amqps://q",
        "embedded:///srv/q",
    ],
)
def test_a_broker_is_any_that_the_queue_can_be_in(url: str) -> None:
    assert read_conf({"MEMSITE_BROKER_URL": url}).broker_url == url


def test_the_level_of_the_log_may_be_in_small_letters() -> None:
    assert read_conf({"MEMSITE_LOG_LEVEL": "debug"}).log_level == "debug"


# `manage.py` in a process of its own for each address: they begin with what this one has loaded.
AT_EACH_ADDRESS = """
import os, runpy, sys
import django.core.management, memsite.config.conf
manage, *urls = sys.argv[1:]
for url in urls:
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    os.environ["MEMSITE_DATABASE_URL"], sys.argv = url, [manage, "migrate"]
    runpy.run_path(manage, run_name="__main__")
    break
"""


def test_a_command_says_in_one_line_which_setting_is_wrong() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    urls = ["mysql://me@localhost/x", "postgresql://me:secret/@localhost/x"]
    command = [sys.executable, "-c", AT_EACH_ADDRESS, str(ROOT / "manage.py"), *urls]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)  # noqa: S603
    assert done.stdout.split() == ["1", "1"]
    lines = done.stderr.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("MEMSITE_DATABASE_URL ")
        assert "secret" not in line


def test_a_command_of_django_says_in_one_line_that_nothing_can_be_written(
    tmp_path: Path, django_db_blocker: Any
) -> None:
    path = tmp_path / "small.sqlite3"
    path.touch()
    config = database(read_conf({"MEMSITE_DATABASE_URL": f"sqlite:///{path}?init_command=PRAGMA query_only=ON"}))
    small = ConnectionHandler({"default": config})["default"]
    with django_db_blocker.unblock(), instead_of_the_database(small):
        output = manage("migrate", "--skip-checks", "--verbosity=0")
    small.close()
    assert isinstance(output, str)
    (line,) = output.splitlines()
    assert "readonly database" in line


def test_the_older_name_of_the_budget_is_read_unless_ours_is_given() -> None:
    assert read_conf({"CLAUDEOPS_MEMORY_BUDGET": "4000"}).memory_budget == 4000
    both = {"CLAUDEOPS_MEMORY_BUDGET": "4000", "MEMSITE_MEMORY_BUDGET": "3000"}
    assert read_conf(both).memory_budget == 3000


def test_a_typing_error_in_a_name_is_noticed() -> None:
    assert unknown_variables({"MEMSITE_DEBUGG": "1", "MEMSITE_DEBUG": "1", "OTHER": "1"}) == ["MEMSITE_DEBUGG"]


def test_secrets_are_not_shown_by_the_embedder_settings() -> None:
    assert "hush" not in repr(Conf(embedder_api_key="hush").embedder_settings)


def test_the_secret_key_comes_from_its_file(tmp_path: Path) -> None:
    conf = Conf(data_dir=tmp_path)
    assert conf.effective_secret_key() == ""
    conf.secret_file.write_text("made by setup\n")
    assert conf.effective_secret_key() == "made by setup"
    assert Conf(data_dir=tmp_path, secret_key="given").effective_secret_key() == "given"


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text()
    assert [field.name for field in fields(Conf) if f"`{variable(field.name)}`" not in page] == []


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite://:memory:", "sqlite:///:memory:"])
def test_a_database_that_nothing_is_kept_in_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="MEMSITE_DATABASE_URL names no file"):
        database(read_conf({"MEMSITE_DATABASE_URL": url}))


def test_an_option_of_sqlite_s_address_that_there_is_not_is_named(tmp_path: Path) -> None:
    config = database(read_conf({"MEMSITE_DATABASE_URL": f"sqlite:///{tmp_path}/memsite.sqlite3?x=1"}))
    with pytest.raises(ImproperlyConfigured, match=r"option in the address of the SQLite database cannot be: .*'x'"):
        ConnectionHandler({"default": config})["default"].connect()


def test_a_secret_key_of_another_user_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = Conf(data_dir=tmp_path)
    conf.secret_file.write_text("another's")

    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(errno.EACCES, "Permission denied", str(conf.secret_file))

    for question in ("is_file", "read_text"):
        with monkeypatch.context() as others:
            others.setattr(Path, question, refuse)
            with pytest.raises(
                ImproperlyConfigured, match=r"secret\.key cannot be read: Permission denied\. Run this as"
            ):
                conf.effective_secret_key()


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ({}, []),
        ({"LLM": "ollama"}, ["The language model cannot be asked: the models of ollama have to be named."]),
        ({"LLM": "ollama", "LLM_LARGE_MODEL": "qwen3"}, []),
        ({"LLM": "openai", "LLM_URL": "http://10.0.0.1/v1"}, ["openai have to be named"]),
    ],
)
def test_a_model_that_cannot_be_asked_is_warned_about(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], texts: list[str]
) -> None:
    conf = read_conf({f"MEMSITE_{name}": value for name, value in given.items()})
    monkeypatch.setattr(checks, "get_conf", lambda: conf)
    warnings = [str(item.msg) for item in checks.check_model()]
    assert len(warnings) == len(texts)
    assert all(part in warning for part, warning in zip(texts, warnings, strict=True))
