"""The passage of a long text that says most about a question."""

from __future__ import annotations

import pytest

from memories.language.passages import best_passage
from memories.language.scripts import parts_in

TEXT = """Hi! I have been thinking about the trip. It was long ago that we talked.

Here is my code:
```python
def deploy(host):
    return run(host, "restart")
```
| host | memory | port |
|---|---|---|
| web-1 | 4 GB | 8080 |
| web-2 | 8 GB | 8443 |

2026-01-01 10:00 INFO started
2026-01-01 10:01 ERROR disk full on db-3
2026-01-01 10:02 INFO stopped

The error handler always returns a status code 404 for a missing user. Also my sister Anna will marry in Graz in May. \
She wants a cake.
"""


@pytest.mark.parametrize(
    ("words", "most", "passage"),
    [
        (["status", "missing"], 75, "… The error handler always returns a status code 404 for a missing user. …"),
        (["anna", "married"], 75, "… Also my sister Anna will marry in Graz in May. She wants a cake."),
        (["web-2"], 30, "| host | memory | port |\n| web-2 | 8 GB | 8443 | …"),
        (["disk"], 50, "… 2026-01-01 10:01 ERROR disk full on db-3 …"),
        (["restart"], 60, '… def deploy(host):\n    return run(host, "restart")\n``` …'),
        (["penguin"], 45, "Hi! I have been thinking about the trip. It …"),
        (["cake", "graz"], 25, "… Also my sister Anna will …"),
    ],
)
def test_the_passage_holds_most_of_the_words_and_what_explains_them(words: list[str], most: int, passage: str) -> None:
    words = parts_in(" ".join(words))
    assert best_passage(TEXT, words, most).of(TEXT) == passage


def test_the_rarer_word_of_a_text_decides() -> None:
    text = "The port was changed. The port was closed. The port of the mail relay is 2525. The port was painted."
    assert "2525" in best_passage(text, ["port", "relay"], 45).of(text)


def test_a_text_without_spaces_is_cut_at_any_letter() -> None:
    text = "我住在柏林" * 30
    assert best_passage(text, ["柏林"], 20).end == 20
