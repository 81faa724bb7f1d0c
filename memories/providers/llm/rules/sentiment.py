"""The mood in which something was said."""

from __future__ import annotations

import re

_FRUSTRATED = re.compile(
    r"\b(?:ugh|argh|annoy\w*|frustrat\w*|sick of|fed up|again\?+|stop|damn|wtf|ffs|ridiculous|terrible|awful|"
    r"keeps? (?:breaking|failing|crashing)|for the (?:third|last|hundredth) time|told you|broken again|useless|"
    r"nervt|marre|harto|nightmare|unbelievable|why is)\b|!{3,}|\?!|[😡🤬😤😠]"
)
_EXCITED = re.compile(
    r"\b(?:excited|can't wait|cannot wait|yay+|woo+hoo|thrilled|awesome|amazing|finally|hurray|wow|so happy|"
    r"stoked|freue mich|génial|emocionad[oa])\b|!{2}|[🎉🥳😍🚀🤩🎊]"
)
_UNCERTAIN = re.compile(
    r"\b(?:maybe|perhaps|not sure|unsure|i think|i guess|probably|might|idk|i don't know|possibly|wondering|"
    r"confused|vielleicht|peut-être|quizás|i suppose)\b"
)


def read_sentiment(quote: str) -> str:
    # Small letters once: to look for either takes a pattern twice as long.
    told = quote.lower()
    for mood, pattern in (("frustrated", _FRUSTRATED), ("uncertain", _UNCERTAIN), ("excited", _EXCITED)):
        if pattern.search(told):
            return mood
    return "neutral"
