"""What the cosines of a model mean, found out by asking it: some models call all that is unrelated 0.1, others 0.8."""

import numpy as np

from .base import Thresholds, Vectors

# Each a statement, the same in other words, and a question that it answers. Services take thirty texts at once.
PROBES = (
    ("The staging server runs out of disk space every Sunday night.",
     "Every Sunday night the disk of the staging server is full.", "When does the staging disk fill up?"),
    ("Maria is allergic to peanuts and always carries an adrenaline pen.",
     "Because of her peanut allergy Maria never leaves without her adrenaline pen.", "What is Maria allergic to?"),
    ("We moved the weekly planning meeting from Monday to Wednesday morning.",
     "The weekly planning is on Wednesday mornings now instead of Mondays.", "When is the planning meeting?"),
    ("My brother plays the cello in a small orchestra in Leipzig.",
     "In Leipzig my brother is the cellist of a little orchestra.", "Which instrument does my brother play?"),
    ("The invoices have to be approved by two people before they are paid.",
     "No invoice is paid before two people have approved it.", "How many people approve an invoice?"),
    ("I stopped drinking coffee in spring and only have green tea now.",
     "Since spring I have been drinking green tea and no coffee any more.", "What do I drink?"),
    ("The mobile app crashes when a photo larger than ten megabytes is uploaded.",
     "Uploading a picture of more than 10 MB makes the mobile app crash.", "Why does the mobile app crash?"),
    ("Our cat was found under a bridge when she was three weeks old.",
     "She was a kitten of three weeks when we found our cat under a bridge.", "Where was the cat found?"),
    ("The flight to Lisbon leaves from terminal two at a quarter to seven.",
     "From terminal 2, at 6:45, our plane to Lisbon takes off.", "Which terminal does the Lisbon flight leave from?"),
    ("Tomatoes grow best on the south side of the greenhouse.",
     "In the greenhouse the south side is the best place for tomatoes.", "Where should the tomatoes be planted?"),
)  # fmt: skip
STATEMENTS = [text for said, again, _ in PROBES for text in (said, again)]
QUESTIONS = [question for *_, question in PROBES]
MINILM_APART, MINILM_SAME, MINILM_AWAY, MINILM_NEAR = 0.040, 0.855, 0.031, 0.670
"""What `pair_means` are of all-MiniLM-L6-v2: of statements, and of questions with statements."""
LEAST_APART = 0.05
"""A model that tells the probes apart by less has no bands."""


def measured(statements: Vectors, questions: Vectors, reference: Thresholds) -> Thresholds | None:
    """The thresholds of the model that made these vectors of STATEMENTS and QUESTIONS; None if it tells nothing apart.

    They stand where those of the reference, all-MiniLM-L6-v2, stand between what is unrelated and what belongs
    together: t' = u' + (t - u) · (s' - u') / (s - u), u being the mean cosine of unrelated probes, s of what says the
    same, or answers the question.
    """
    said, again = statements[0::2], statements[1::2]
    apart, same = pair_means(said, again)
    away, near = pair_means(questions, said)
    if same - apart < LEAST_APART or near - away < LEAST_APART:
        return None
    by_statement = (same - apart) / (MINILM_SAME - MINILM_APART)
    by_question = (near - away) / (MINILM_NEAR - MINILM_AWAY)
    mean, spread = reference.usual
    return Thresholds(
        same=apart + (reference.same - MINILM_APART) * by_statement,
        related=apart + (reference.related - MINILM_APART) * by_statement,
        relevant=away + (reference.relevant - MINILM_AWAY) * by_question,
        usual=(away + (mean - MINILM_AWAY) * by_question, spread * by_question),
    )


def pair_means(ones: Vectors, others: Vectors) -> tuple[float, float]:
    """The mean cosine of those that do not belong together, and of those that do."""
    cosines = ones @ others.T
    together = float(np.trace(cosines))
    size = len(ones)
    return (float(cosines.sum()) - together) / (size * (size - 1)), together / size
