"""A conversation that nobody had: ten turns in two sessions, with questions whose evidence is known."""

from datetime import UTC, datetime

from bench.conversations import Asked, Conversation, Item

TURNS = [
    ("s1", "Nora", "The greenhouse heater broke on Sunday."),
    ("s1", "Emil", "Did the tomatoes survive the frost?"),
    ("s1", "Nora", "Most of them did, I carried the pots into the kitchen."),
    ("s1", "Emil", "My brother repairs heaters, call him."),
    ("s1", "Nora", "What is his number?"),
    ("s2", "Emil", "I bought a violin from an old teacher."),
    ("s2", "Nora", "Is it loud enough for the orchestra?"),
    ("s2", "Emil", "Rehearsals begin in October, we shall hear."),
    ("s2", "Nora", "I will bring my sister to the concert."),
    ("s2", "Emil", "She can have the seat beside my mother."),
]
QUESTIONS = [
    Asked("What broke in the greenhouse?", frozenset({"turn-0"}), "single_hop"),
    Asked("From whom did Emil buy the violin?", frozenset({"turn-5"}), "single_hop"),
    Asked("Who comes to the concert and where do they sit?", frozenset({"turn-8", "turn-9"}), "multi_hop"),
]


def conversation(name: str = "invented-1", data_set: str = "locomo") -> Conversation:
    items = [
        Item(f"turn-{number}", text, speaker, datetime(2024, 5, 1 + number, tzinfo=UTC), session, number)
        for number, (session, speaker, text) in enumerate(TURNS)
    ]
    return Conversation(name, data_set, name, items, QUESTIONS)


def as_json(name: str = "invented-1") -> dict:
    """As the files hold it, with a question that does not count."""
    whole = conversation(name)
    items = [
        {
            "id": item.id, "text": item.text, "speaker": item.speaker, "session": item.session,
            "timestamp": item.said_at.replace(tzinfo=None).isoformat(), "seq": item.turn_number,
        }
        for item in whole.items
    ]  # fmt: skip
    queries = [
        {
            "id": str(number),
            "text": question.text,
            "gold": sorted(question.gold),
            "category": question.category,
            "scored": True,
        }
        for number, question in enumerate(whole.questions)
    ]
    trick = {"id": "x", "text": "Which piano?", "gold": ["turn-5"], "category": "adversarial", "scored": False}
    return {"app_id": name, "items": items, "queries": [*queries, trick]}
