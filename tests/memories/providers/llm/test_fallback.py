"""When the model is away the rules answer, or the work waits; and it is told which."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from structlog.testing import capture_logs

from memories.language.messages import USER, Message
from memories.language.relate import Relation, Verdict
from memories.providers.llm.fallback import Careful, Fallback
from memories.providers.llm.provider import (
    NOT_ANSWERED,
    RULES,
    Choice,
    Chunk,
    Comparison,
    Fact,
    LLMDenied,
    LLMError,
    LLMMisconfigured,
    LLMUnavailable,
    LLMUnusable,
    Noted,
    Provider,
    Setting,
    Worth,
    Written,
)
from memories.providers.llm.rules import RulesProvider
from tests.tables import each_row

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
SECRET = "my password is hunter2"  # stands for what users say
SAID = (Message(USER, SECRET),)
CHUNK = Chunk(SAID, NOW)
NOTES = [Noted(1, SECRET), Noted(2, SECRET)]


class FakeProvider:
    """Answers everything in its name, or raises; keeps what it was asked."""

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name = name
        self.error = error
        self.asked: list[tuple[Any, ...]] = []

    def answer(self, *requested: Any) -> None:
        self.asked.append(requested)
        if self.error:
            raise self.error

    def gate(self, *requested: Any) -> Worth:
        self.answer("gate", *requested)
        return Worth(True, 0.5, "", self.name)

    def extract(self, *requested: Any) -> list[Fact]:
        self.answer("extract", *requested)
        return [Fact("x", 0, made_by=self.name)]

    def relate(self, *requested: Any) -> list[Verdict]:
        self.answer("relate", *requested)
        return [Verdict(Relation.SAME, self.name, 1.0)]

    def relate_many(self, *requested: Any) -> list[list[Verdict]]:
        self.answer("relate", *requested)
        return [[Verdict(Relation.SAME, self.name, 1.0)]]

    def summarise(self, *requested: Any) -> Written:
        self.answer("summarise", *requested)
        return Written("x", self.name)

    def digest(self, *requested: Any) -> Written:
        self.answer("digest", *requested)
        return Written("x", self.name)

    def insight(self, *requested: Any) -> Written:
        self.answer("insight", *requested)
        return Written("x", self.name)

    def make_room(self, *requested: Any) -> Choice:
        self.answer("make_room", *requested)
        return Choice(1, "", made_by=self.name)

    def rewrite(self, *requested: Any) -> Written:
        self.answer("rewrite", *requested)
        return Written("x", self.name)


QUESTIONS: dict[str, tuple[Any, ...]] = {
    "gate": (CHUNK,),
    "extract": (CHUNK, Setting()),
    "relate": (SECRET, [SECRET], "db", [0.9]),
    "summarise": ("work", NOTES, SECRET, 500),
    "digest": (SAID, NOW, 200),
    "insight": (NOTES, 200),
    "make_room": (NOTES, NOW, 200, ("new",), 5.0),
    "rewrite": (SAID, NOW),
}
STOPGAPS = sorted(QUESTIONS.keys() - {"extract", "digest", "make_room"})
ERRORS = [
    LLMUnavailable("host is away"), LLMDenied("budget: all is spent"), LLMMisconfigured("host says 401"),
    LLMUnusable("host answered nonsense"),
]  # fmt: skip


def careful(error: Exception | None = None) -> tuple[Careful, Any, Any]:
    model, rules = FakeProvider("llm:large-1", error), FakeProvider(RULES)
    return Careful(model, rules), model, rules


def ask(provider: Provider, operation: str) -> Any:
    return getattr(provider, operation)(*QUESTIONS[operation])


def maker(answer: Any) -> str:
    """Verdicts have no maker: the fakes put it into the reason."""
    item = answer[0] if isinstance(answer, list) else answer
    return str(item.reason if isinstance(item, Verdict) else item.made_by)


@each_row("operation", sorted(QUESTIONS))
def test_the_model_answers_while_it_can(operation: str) -> None:
    provider, model, rules = careful()
    assert maker(ask(provider, operation)) == "llm:large-1"
    assert model.asked == [(operation, *QUESTIONS[operation])]
    assert [requested for requested, *_ in rules.asked if requested != "gate"] == []
    assert provider.fallbacks == []
    assert provider.name == "llm:large-1"


@each_row("error", ERRORS)
@each_row("operation", STOPGAPS)
def test_the_rules_answer_the_same_question_when_it_cannot(operation: str, error: LLMError) -> None:
    provider, _, rules = careful(error)
    assert maker(ask(provider, operation)) == RULES
    assert rules.asked[-1] == (operation, *QUESTIONS[operation])
    assert provider.fallbacks == [Fallback(operation, str(error))]


@each_row("text, keep", [
    ("thanks, that works!", False), ("danke, das klappt", False), ("What is the port?", False),
    ("My name is Bo and I live in Graz.", True),
])  # fmt: skip
def test_what_is_clear_to_the_rules_no_model_is_asked_about(text: str, keep: bool) -> None:
    model = FakeProvider("llm:large-1")
    worth = Careful(model, RulesProvider()).gate(Chunk((Message(USER, text),), NOW))  # type: ignore[arg-type]
    assert (worth.keep, worth.made_by, model.asked) == (keep, RULES, [])


@each_row("text", ["I moved to Lisbon in spring, I love it.", "用户住在上海", "We are three"])
def test_what_is_not_clear_to_them_the_model_decides(text: str) -> None:
    model = FakeProvider("llm:large-1")
    worth = Careful(model, RulesProvider()).gate(Chunk((Message(USER, text),), NOW))  # type: ignore[arg-type]
    assert worth.made_by == "llm:large-1"


@each_row("error", ERRORS)
def test_who_asks_for_capacity_hears_of_it(error: LLMError) -> None:
    provider, _, rules = careful(error)
    with pytest.raises(type(error), match=str(error)):
        ask(provider, "make_room")
    assert rules.asked == provider.fallbacks == []


@each_row("operation", ["digest", "extract"])
@each_row("error", ERRORS[:3])
def test_facts_and_digests_wait_for_a_model_that_may_come_back(error: LLMError, operation: str) -> None:
    provider, _, rules = careful(error)
    with pytest.raises(type(error), match=str(error)):
        ask(provider, operation)
    assert rules.asked == provider.fallbacks == []


@each_row("operation", ["digest", "extract"])
def test_facts_and_digests_are_the_rules_when_the_model_answers_nonsense(operation: str) -> None:
    provider, _, _ = careful(LLMUnusable("host answered nonsense"))
    assert maker(ask(provider, operation)) == RULES
    assert provider.fallbacks == [(operation, "host answered nonsense")]


def test_how_long_to_wait_is_passed_on() -> None:
    provider, _, _ = careful(LLMUnavailable("host is away", wait_seconds=12.5))
    with pytest.raises(LLMUnavailable) as caught:
        ask(provider, "extract")
    assert caught.value.wait_seconds == 12.5


@each_row("operation", sorted(QUESTIONS))
def test_a_mistake_of_ours_is_not_covered_up(operation: str) -> None:
    provider, _, rules = careful(TypeError("a mistake"))
    with pytest.raises(TypeError, match="a mistake"):
        ask(provider, operation)
    assert [requested for requested, *_ in rules.asked if requested != "gate"] == []


def test_what_the_rules_cannot_answer_either_is_told() -> None:
    provider = Careful(
        FakeProvider("llm:large-1", LLMUnavailable("away")), FakeProvider(RULES, LLMUnusable("nothing was said"))
    )
    with pytest.raises(LLMUnusable, match="nothing"):
        ask(provider, "insight")


def test_the_log_tells_once_which_and_why_but_no_text() -> None:
    provider, _, _ = careful(LLMUnavailable("host is away"))
    with capture_logs() as logs:
        for operation in ("relate", "relate", "summarise"):
            ask(provider, operation)
    assert [(line["event"], line["log_level"], line["operation"], line["reason"]) for line in logs] == [
        ("rules_answered", "warning", "relate", "host is away"),
        ("rules_answered", "warning", "summarise", "host is away"),
    ]
    assert len(provider.fallbacks) == 3
    assert "hunter2" not in repr(logs)


def test_it_is_a_provider_like_any_other() -> None:
    inner, _, _ = careful(LLMUnavailable("host is away"))
    outer: Provider = Careful(inner, FakeProvider(RULES))
    assert maker(ask(outer, "gate")) == RULES


class Believer(FakeProvider):
    """A model for which any two statements stand in one relation."""

    def __init__(self, relation: Relation) -> None:
        super().__init__("llm:large-1")
        self.relation = relation

    def relate(self, new: str, existing: Any, *_: Any) -> list[Verdict]:
        return [Verdict(self.relation, "so it says", 1.0) for _ in existing]


@each_row("stored, new, relation", [
    ("The backup takes 11 minutes", "The backup takes 12 minutes", Relation.SAME),
    ("The shelf has 1 lamp", "The shelf has 2 lamps", Relation.SAME),
    ("Host web-1 has 4 GB of memory", "Host web-10 has 4 GB of memory", Relation.SAME),
    ("Host web-1 has 4 GB of memory", "Host web-10 has 8 GB of memory", Relation.CONTRADICTS),
    ("The backup on 1 November took 11 minutes", "The backup on 10 November took 9", Relation.SUPERSEDES),
    ("Anna lives in Porto", "Paul lives in Porto", Relation.SAME),
    ("User's manager is Karin", "User's manager is Paul", Relation.SAME),
    ("Restart the database when DNS fails", "Never restart the database when DNS fails", Relation.SAME),
    ("The backup does not run at night", "The backup runs at night", Relation.SAME),
])  # fmt: skip
def test_a_model_is_not_believed_against_what_is_exact(stored: str, new: str, relation: Relation) -> None:
    other = "Something else entirely"
    rules = RulesProvider(judge="learned")
    (verdict, _) = Careful(Believer(relation), rules).relate(new, [stored, other], "", [0.9, 0.1])
    assert verdict == rules.relate(new, [stored], "", [0.9])[0]
    assert verdict.relation != Relation.SAME


@each_row("stored, new", [
    ("The backup takes 90 seconds", "The backup takes 90s"),
    ("User lives in Graz", "User's home is in Graz"),
])  # fmt: skip
def test_else_it_is_believed(stored: str, new: str) -> None:
    (verdict,) = Careful(Believer(Relation.SAME), RulesProvider()).relate(new, [stored], "", [0.9])
    assert verdict.reason == "so it says"


def test_the_rules_judge_what_a_model_left_out() -> None:
    model: Any = FakeProvider("llm:large-1")
    model.relate = lambda *_: [Verdict(Relation.DIFFERENT, "so it says", 1.0), NOT_ANSWERED]
    stored, rules = ["Something else", "User lives in Graz"], RulesProvider()
    verdicts = Careful(model, rules).relate("User lives in Graz.", stored, "", [0.1, 0.9])
    assert [verdict.relation for verdict in verdicts] == [Relation.DIFFERENT, Relation.SAME]


@each_row("error", ERRORS)
def test_the_rules_compare_each_of_several_where_a_model_cannot(error: LLMError) -> None:
    provider = Careful(FakeProvider("llm:large-1", error), RulesProvider())  # type: ignore[arg-type]
    lives = Comparison("User lives in Graz.", ["User lives in Graz"], "", [0.9])
    other = Comparison("User likes tea", ["The backup runs at night"], "", [0.1])
    answer = [[verdict.relation for verdict in some] for some in provider.relate_many([lives, other])]
    assert answer == [[Relation.SAME], [Relation.DIFFERENT]]
