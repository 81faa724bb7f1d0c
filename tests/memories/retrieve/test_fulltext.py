"""The full-text arm: whose words count, and which are left out because too many memories hold them."""

from __future__ import annotations

from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any, cast
from unicodedata import normalize

import numpy as np
import pytest
from django.db import DatabaseError, connection

from memories.index import scratch_index
from memories.language.scripts import parts_in
from memories.models import Memory
from memories.models.fulltext import BLOCK, TABLE
from memories.retrieve.pipeline import indexes
from memories.retrieve.retrievers import fulltext
from memories.retrieve.retrievers.fulltext import WordMatches, look_up, match_words
from memories.retrieve.scoped_view import Scope, ScopedView, scoped_view
from tests.conftest import Caller
from tests.index_of_words import check_index_of_words, words_found
from tests.memories.retrieve.asking import change, contents, embedder_of, forget, search, store
from tests.tables import each_row

NOW = 2e9
of_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL finds them in the rows themselves")


def reading_of(caller: Caller) -> ScopedView:
    embedder = embedder_of(caller)
    return scoped_view(indexes.of(caller.app, embedder.name, embedder.dim).view(), Scope(None, None, NOW))


def hold(caller: Caller, *words: str) -> dict[str, int]:
    """How many memories hold each word that is not left out."""
    result: WordMatches = look_up(caller.app, reading_of(caller), words)
    return {name: len(places) for name, places in zip(result.names, result.places, strict=True)}


def held_afresh(caller: Caller, *words: str) -> dict[str, int]:
    """The same, by an index that knows nothing yet."""
    before = dict(indexes.by_key)
    indexes.by_key.clear()
    result = hold(caller, *words)
    indexes.by_key.update(before)
    return result


@pytest.fixture
def two_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "COMMON_COUNT", 2)


def test_words_are_found_in_content_subject_and_tags_whatever_their_ending(alice: Caller) -> None:
    store(alice, "whales sing", subject="sea", tags=["night"])
    assert hold(alice, "whale", "singing", "sea", "nights", "day") == {
        "whale": 1,
        "singing": 1,
        "sea": 1,
        "nights": 1,
        "day": 0,
    }


def test_no_words_hold_nothing(alice: Caller) -> None:
    store(alice, "whales sing")
    assert hold(alice) == {}


@pytest.mark.usefixtures("two_are_many")
def test_a_word_that_too_many_memories_hold_is_left_out(alice: Caller) -> None:
    for name in ("blue", "grey", "white"):
        store(alice, f"a {name} whale")
    assert hold(alice, "whale", "grey") == {"grey": 1}
    match = search(alice, "grey whale", mode="fulltext")
    assert contents(match) == ["a grey whale"]


@pytest.mark.usefixtures("two_are_many")
def test_unless_nothing_else_is_left(alice: Caller) -> None:
    for name in ("blue", "grey", "white"):
        store(alice, f"a {name} whale sings")
    assert hold(alice, "whale") == {"whale": 3}
    assert hold(alice, "whale", "sings", "octopus") == {"whale": 3, "sings": 3, "octopus": 0}


@pytest.mark.usefixtures("two_are_many")
def test_a_word_of_two_memories_is_not_common(alice: Caller) -> None:
    store(alice, "a blue whale")
    store(alice, "a grey whale")
    assert hold(alice, "whale", "grey") == {"whale": 2, "grey": 1}


def test_what_is_common_grows_with_the_app(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fulltext, "COMMON_COUNT", 0)
    monkeypatch.setattr(fulltext, "COMMON_SHARE", 0.5)
    for content in ("a blue whale", "a grey whale", "a white heron", "a black heron"):
        store(alice, content)
    assert hold(alice, "whale", "grey") == {"whale": 2, "grey": 1}
    store(alice, "a pink whale")
    assert hold(alice, "whale", "grey") == {"grey": 1}


@pytest.mark.usefixtures("two_are_many")
@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_what_other_apps_hold_makes_no_word_common(alice: Caller, charlie: Caller, first: str) -> None:
    def ours() -> None:
        store(alice, "a grey whale")

    def theirs() -> None:
        for name in ("blue", "grey", "white", "black"):
            store(charlie, f"a {name} whale")

    for write in (theirs, ours) if first == "theirs" else (ours, theirs):
        write()
    assert hold(alice, "whale", "grey") == {"whale": 1, "grey": 1}
    assert hold(charlie, "whale", "grey") == {"grey": 1}


@pytest.mark.usefixtures("two_are_many")
def test_common_in_two_apps_is_common_in_each(alice: Caller, charlie: Caller) -> None:
    for caller in (alice, charlie, alice, charlie, alice, charlie):
        store(caller, "one more whale, grey")
    store(alice, "a heron")
    assert hold(alice, "whale", "heron") == {"heron": 1}


@pytest.mark.usefixtures("two_are_many")
def test_memories_that_are_not_shown_make_no_difference_to_what_is_found(alice: Caller) -> None:
    for number in range(4):
        change(alice, store(alice, f"old whale {number}"), status="archived")
    store(alice, "a young whale")
    store(alice, "a heron")
    assert contents(search(alice, "young whale", mode="fulltext")) == ["a young whale"]


@each_row("word", ["app{pk}", "APP{pk}", "äpp{pk}"], rolled_back=True)
def test_the_number_of_the_app_is_no_word_of_its_memories(alice: Caller, word: str) -> None:
    store(alice, "whales sing")
    requested = word.format(pk=alice.app.pk)
    assert hold(alice, requested.casefold()) == {requested.casefold(): 0}
    store(alice, f"{requested} is a name")
    assert hold(alice, requested.casefold()) == {requested.casefold(): 1}


def test_a_usual_search_asks_once(alice: Caller, charlie: Caller, django_assert_num_queries: Any) -> None:
    store(alice, "whales sing")
    store(charlie, "whales sing")
    scoped = reading_of(alice)
    with django_assert_num_queries(1):
        look_up(alice.app, scoped, ["whales", "sing"])


# --- what is kept of one question for the next


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the database from here on: of all memories, or of the new ones."""
    seen: list[str] = []
    for name in ("holders", "new_holders"):
        ask = getattr(fulltext, name)

        def told(words: Any, *rest: Any, ask: Any = ask, name: str = name) -> Any:
            result = ask(words, *rest)
            seen.extend(f"{name} {word}" for word in words if result is not None)
            return result

        monkeypatch.setattr(fulltext, name, told)
    return seen


def test_what_was_asked_is_not_asked_again(alice: Caller, django_assert_num_queries: Any) -> None:
    store(alice, "whales sing")
    assert hold(alice, "whales", "sing") == {"whales": 1, "sing": 1}
    scoped = reading_of(alice)
    with django_assert_num_queries(0):
        look_up(alice.app, scoped, ["sing", "whales"])


def test_after_a_write_only_what_is_new_is_asked_about(
    alice: Caller, questions: list[str], django_assert_num_queries: Any
) -> None:
    store(alice, "whales sing")
    hold(alice, "whale", "sing")
    store(alice, "a blue whale")
    scoped = reading_of(alice)
    questions.clear()
    with django_assert_num_queries(1):
        result = look_up(alice.app, scoped, ["whale", "sing"])
    assert questions == ["new_holders whale", "new_holders sing"]
    assert [len(places) for places in result.places] == [2, 1]
    # A word that nobody asked for yet, beside one that somebody did.
    questions.clear()
    assert hold(alice, "sing", "blue") == {"sing": 1, "blue": 1}
    assert questions == ["holders blue"]


def test_words_that_were_asked_for_at_different_times_are_found_alike(alice: Caller, questions: list[str]) -> None:
    for number, word in enumerate(("whale", "sing", "sea"), 1):
        store(alice, "whales sing in the sea")
        assert hold(alice, word) == {word: number}
    assert hold(alice, "whale", "sing", "sea") == {"whale": 3, "sing": 3, "sea": 3}


def test_a_changed_memory_holds_the_words_that_it_has_now(alice: Caller) -> None:
    memory = store(alice, "whales sing")
    assert hold(alice, "whale", "heron") == {"whale": 1, "heron": 0}
    change(alice, memory, content="herons fish")
    assert hold(alice, "whale", "heron") == {"whale": 0, "heron": 1}
    change(alice, memory, importance=5)
    assert hold(alice, "whale", "heron") == {"whale": 0, "heron": 1}


def test_what_is_forgotten_holds_nothing(alice: Caller, questions: list[str]) -> None:
    memory, *_ = [store(alice, f"whale {number}") for number in range(5)]
    assert hold(alice, "whale") == {"whale": 5}
    questions.clear()
    forget(alice, memory)
    assert hold(alice, "whale") == {"whale": 4}
    assert not questions


@pytest.mark.parametrize(("name", "value"), [("MOST_NEW", 1), ("MOST_BETWEEN", 0)])
def test_of_many_new_memories_it_is_asked_anew(
    alice: Caller, questions: list[str], monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    monkeypatch.setattr(fulltext, name, value)
    monkeypatch.setattr(scratch_index, "FEW_TEXTS", 0)
    store(alice, "whales sing")
    hold(alice, "whale")
    for number in range(2):
        store(alice, f"whale {number}")
    questions.clear()
    assert hold(alice, "whale") == {"whale": 3}
    is_range = name == "MOST_BETWEEN"
    assert questions == ["new_holders whale" if is_range and connection.vendor != "sqlite" else "holders whale"]


TEXTS = (
    "Whales sing",
    "the whaler's song",
    "Ünïcode whales",
    "whales app1 app 12",
    "鯨は海で歌う",
    "고래가 노래한다",
    "วาฬร้องเพลง",
    'a "quoted" whale',
    "WHALE-WATCHING",
    "no fish",
    "x" * 300,
    "whale\tand\nheron",
    "naïve café",
    "ＷＨＡＬＥ",
)
ASKED = (
    "whale",
    "sing",
    "song",
    "unicode",
    "app1",
    "12",
    "鯨は",
    "고래",
    "วาฬ",
    "quot",
    "watch",
    "heron",
    "cafe",
    "tagged",
)


def found_after(caller: Caller) -> dict[str, set[str]]:
    """By word, the texts that hold it, of memories that came after it was asked for."""
    store(caller, "nothing of these")
    hold(caller, *ASKED)
    for text in TEXTS:
        store(caller, text, tags=["tagged whales"] if "fish" in text else [])
    store(caller, "a memory with a subject", subject="Heron Song")
    scoped = reading_of(caller)
    answer = dict(Memory.objects.for_app(caller.app).values_list("pk", "content"))
    result = look_up(caller.app, scoped, ASKED)
    return {
        name: {answer[pk] for pk in scoped.values_at("pk", places).tolist()}
        for name, places in zip(result.names, result.places, strict=True)
    }


def test_an_index_aside_finds_what_the_one_of_all_finds(
    alice: Caller, charlie: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    aside_of: list[int] = []
    holders = scratch_index.holders
    monkeypatch.setattr(scratch_index, "holders", lambda words, pks: aside_of.append(len(pks)) or holders(words, pks))
    result = found_after(alice)
    assert aside_of == ([len(TEXTS) + 1] if connection.vendor == "sqlite" else [])
    assert result["whale"] >= {"Whales sing", "whales app1 app 12", "no fish"}
    assert result["song"] == {"the whaler's song", "a memory with a subject"}
    assert result["app1"] == {"whales app1 app 12"}
    assert (result["鯨は"], result["วาฬ"], result["cafe"]) == ({"鯨は海で歌う"}, {"วาฬร้องเพลง"}, {"naïve café"})
    monkeypatch.setattr(scratch_index, "FEW_TEXTS", 0)
    assert found_after(charlie) == result
    assert len(aside_of) <= 1


@of_sqlite
@pytest.mark.parametrize(("few", "characters", "is_aside"), [(3, 27, True), (2, 27, False), (3, 26, False)])
def test_only_a_few_short_texts_are_read(
    alice: Caller, monkeypatch: pytest.MonkeyPatch, few: int, characters: int, is_aside: bool
) -> None:
    scoped_view: list[list[int]] = []
    holders = scratch_index.holders
    monkeypatch.setattr(scratch_index, "holders", lambda words, pks: scoped_view.append(pks) or holders(words, pks))
    monkeypatch.setattr(scratch_index, "FEW_TEXTS", few)
    monkeypatch.setattr(scratch_index, "FEW_CHARACTERS", characters)
    hold(alice, "whale")
    new = [store(alice, f"a whale {number}") for number in range(3)]
    assert hold(alice, "whale") == {"whale": 3}
    assert scoped_view == ([[memory.pk for memory in new]] if is_aside else [])


@of_sqlite
def test_what_cannot_be_asked_fails_as_it_does_elsewhere(alice: Caller) -> None:
    memory = store(alice, "a whale")
    with pytest.raises(DatabaseError):
        scratch_index.holders(['"whale"', '"'], [memory.pk])
    assert scratch_index.holders(['"whale"', '"heron"'], [memory.pk]) == [[memory.pk], []]


def test_numbers_that_lie_far_apart_are_no_reason_to_ask_anew(
    alice: Caller, questions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "MOST_BETWEEN", 0)
    old, _ = store(alice, "a whale"), store(alice, "a heron")
    hold(alice, "whale")
    change(alice, old, importance=5)
    store(alice, "one more whale")
    questions.clear()
    assert hold(alice, "whale") == {"whale": 2}
    assert questions == ["new_holders whale"]


def test_what_others_write_in_between_is_not_counted(alice: Caller, charlie: Caller) -> None:
    store(alice, "whales sing")
    assert hold(alice, "whale") == {"whale": 1}
    for caller in (alice, charlie, alice):
        store(caller, "one more whale")
    assert hold(alice, "whale") == {"whale": 3}
    assert hold(charlie, "whale") == {"whale": 1}


@pytest.mark.usefixtures("two_are_many")
def test_a_word_becomes_common_and_ceases_to_be(alice: Caller) -> None:
    store(alice, "a heron")
    whales = [store(alice, f"a {name} whale") for name in ("blue", "grey")]
    assert hold(alice, "whale", "heron") == {"whale": 2, "heron": 1}
    whales.append(store(alice, "a white whale"))
    assert hold(alice, "whale", "heron") == {"heron": 1}
    whales.append(store(alice, "a black whale"))
    assert hold(alice, "whale", "heron") == {"heron": 1}
    for number, left in enumerate((3, 2, 1)):
        forget(alice, whales[number])
        assert hold(alice, "whale", "heron") == ({"heron": 1} if left > 2 else {"whale": left, "heron": 1})


@pytest.mark.usefixtures("two_are_many")
def test_a_common_word_is_known_to_be_common(alice: Caller, questions: list[str]) -> None:
    for number in range(9):
        store(alice, f"whale {number}")
    store(alice, "a heron")
    assert hold(alice, "whale", "heron") == {"heron": 1}
    questions.clear()
    assert hold(alice, "whale", "heron") == {"heron": 1}
    assert not questions
    # All of them are read only where there is nothing else.
    assert hold(alice, "whale") == {"whale": 9}
    assert questions == ["holders whale"]
    assert hold(alice, "whale", "heron") == {"heron": 1}


def test_a_view_that_began_before_a_write_finds_what_is_in_it(alice: Caller) -> None:
    store(alice, "whales sing")
    before = reading_of(alice)
    store(alice, "whales dive")
    assert hold(alice, "whale") == {"whale": 2}
    assert [places.tolist() for places in look_up(alice.app, before, ["whale"]).places] == [[0]]


def test_rows_that_move_up_are_asked_about_anew(alice: Caller) -> None:
    memories = [store(alice, f"whale {number}") for number in range(6)]
    store(alice, "a heron")
    assert hold(alice, "whale", "heron") == {"whale": 6, "heron": 1}
    for memory in memories[:3]:
        forget(alice, memory)
    scoped = reading_of(alice)
    assert len(scoped.view.columns.pk) == 4, "nothing was compacted"
    assert hold(alice, "whale", "heron") == {"whale": 3, "heron": 1}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.usefixtures("two_are_many")
def test_whatever_is_written_it_is_found_as_if_nothing_was_asked_before(alice: Caller, seed: int) -> None:
    random = Random(seed)
    words = ["whale", "heron", "sea", "night", "sings"]
    memories = list[Memory]()
    for _ in range(30):
        text = " ".join(random.sample(words, 2))
        act = random.choice(["store", "store", "change", "forget"]) if memories else "store"
        if act == "store":
            memories.append(store(alice, text))
        elif act == "change":
            change(alice, random.choice(memories), content=text)
        else:
            forget(alice, memories.pop(random.randrange(len(memories))))
        some = random.sample(words, 3)
        assert hold(alice, *some) == held_afresh(alice, *some)


@pytest.mark.postgres("SQLite puts words into its index at once")
@pytest.mark.django_db
def test_no_search_reads_words_that_wait_to_be_indexed() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE relname = %s", [TABLE])
        assert cursor.fetchall() == [(["fastupdate=off"],)]


# --- letters beyond ASCII, and scripts without spaces

BEYOND = {
    "我住在柏林，在一家小公司做软件工程师。": ["柏林", "软件", "工程师", "师"],
    "私は東京に住んでいます。コーヒーが好き": ["東京", "コーヒー", "住"],
    "나는 서울에 살고 있습니다.": ["서울", "살고"],
    "ฉันอาศัยอยู่ในกรุงเทพฯ": ["กรุง", "เทพ"],
    "我们用PostgreSQL存储订单数据": ["postgresql", "订单"],
    "Я живу в Москве": ["москве"],
    "मैं दिल्ली में रहता हूँ": ["दिल्ली"],
    "Er wohnt in der Hauptstraße": ["hauptstraße"],
    "İstanbul'da yaşıyorum": ["i\u0307stanbul", "istanbul"],
    "Mieszkam w Krakowie koło Łodzi": ["krakowie"],
    "Ζω στην Αθήνα": ["αθήνα"],
}


@each_row("content", BEYOND, rolled_back=True)
def test_words_beyond_ascii_are_found(alice: Caller, content: str) -> None:
    store(alice, content)
    assert hold(alice, *BEYOND[content], "北京") == {**dict.fromkeys(BEYOND[content], 1), "北京": 0}


TYPED_APART = {
    "Das Café Zürich öffnet": "café",
    "서울 배포는 화요일에 한다": "배포",
    "ガスの点検は金曜日": "ガス",
    "パソコンはベッドの下": "ベッド",
    "Приезжай в Йошкар-Олу": "йошкар",
    "هو مؤمن": "مؤمن",
    "Tiếng Việt": "việt",
    "राज़ ज़मीन": "ज़मीन",
    "Ζω στην Αθήνα": "αθήνα",
}


@each_row("stored_in, asked_in, content", list(product(["NFC", "NFD"], ["NFC", "NFD"], TYPED_APART)), rolled_back=True)
def test_letters_typed_apart_from_their_marks_are_found_by_those_in_one_piece_and_these_by_them(
    alice: Caller, stored_in: Any, asked_in: Any, content: str
) -> None:
    store(alice, "北京 plain")
    text = normalize(stored_in, content)
    store(alice, text)
    question = normalize(asked_in, TYPED_APART[content])
    assert contents(search(alice, question, mode="fulltext")) == [text], "and it stays as it was stored"
    words = parts_in(question)
    assert held_afresh(alice, *words) == hold(alice, *words) == dict.fromkeys(words, 1)
    check_index_of_words()


def test_they_are_found_in_subject_and_tags(alice: Caller) -> None:
    store(alice, "sings", subject="王小明", tags=["küche", "标签", "plain"])
    assert hold(alice, "小明", "küche", "标签", "plain", "明王") == {
        "小明": 1,
        "küche": 1,
        "标签": 1,
        "plain": 1,
        "明王": 0,
    }
    check_index_of_words()


def test_a_long_text_is_found_by_all_of_its_words(alice: Caller) -> None:
    """SQLite reads so many characters at a time."""
    store(alice, "学" * (BLOCK - 1) + "柏林" + "学" * (BLOCK - 3) + "東京x" + "京都")
    assert hold(alice, "柏林", "東京", "京都", "林京") == {"柏林": 1, "東京": 1, "京都": 1, "林京": 0}
    check_index_of_words()


def test_what_is_changed_and_forgotten_leaves_none_of_them(alice: Caller) -> None:
    memory, other = store(alice, "我住在柏林", tags=["küche"]), store(alice, "我住在上海")
    change(alice, memory, content="我住在東京", tags=["bad"])
    forget(alice, other)
    assert held_afresh(alice, "柏林", "東京", "küche", "上海") == {"柏林": 0, "東京": 1, "küche": 0, "上海": 0}
    assert (words_found('"柏 林"' if connection.vendor == "sqlite" else "柏林"), words_found("küche")) == (0, 0)
    check_index_of_words()


def test_a_question_is_asked_in_pairs_that_reach_over_no_border(alice: Caller) -> None:
    store(alice, "我妹妹下个月要结婚")
    store(alice, "他的名字很长")
    assert hold(alice, "妹妹", "妹叫", "名字") == {"妹妹": 1, "名字": 1}
    assert hold(alice, "量子", "子力", "力学") == {"量子": 0, "力学": 0}


def test_of_two_texts_without_spaces_the_long_one_says_less_of_a_word(alice: Caller) -> None:
    long, short = "我住在柏林，" + "在一家小公司做软件工程师，每天坐地铁上班，" * 3, "我喜欢柏林"
    for content in (long, short):
        store(alice, content)
    scoped = reading_of(alice)
    result = look_up(alice.app, scoped, ["柏林"])
    bm25 = dict(zip(scoped.values_at("pk", result.holding).tolist(), result.bm25[result.holding].tolist(), strict=True))
    by_length = [bm25[memory.pk] for memory in Memory.objects.order_by("pk")]
    assert by_length[0] < by_length[1]


SIZE = 400


def matched(*places: list[int]) -> WordMatches:
    """Among memories that are all as long as the mean."""
    nothing = np.zeros(SIZE, np.float32)
    stub = SimpleNamespace(size=SIZE, nothing=nothing, length_discount=lambda places: np.ones(len(places), np.float32))
    names = [f"word{number}" for number in range(len(places))]
    return match_words(cast(ScopedView, cast(Any, stub)), names, [np.array(where, np.intp) for where in places])


@pytest.mark.parametrize("held_by", [[[7, 3], [3, 250]], [list(range(0, SIZE, 2)), [1, 2], []], [[], []]])
def test_those_that_hold_any_word_are_known_once(held_by: list[list[int]]) -> None:
    words = matched(*held_by)
    assert sorted(words.holding.tolist()) == sorted({place for where in held_by for place in where})
    assert np.flatnonzero(words.bm25).tolist() == sorted(words.holding.tolist())


def test_what_is_held_is_told_in_bits_and_weighs_what_its_words_weigh() -> None:
    places = [[number] for number in range(32)]
    places[31] = [0, 31]
    words = matched(*places)
    assert words.bits[0] == 1 | 1 << 31
    assert words.weight_of(words.bits[:32]).tolist() == pytest.approx(
        [words.weight[0] + words.weight[31], *words.weight[1:]], rel=1e-6
    )
