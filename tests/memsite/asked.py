"""What a site answers, to be asked before and after it has moved."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

QUESTIONS = ("whales", "who takes 5s and why", "what was said of the restart")


def answers_to(client: APIClient) -> list[Any]:
    """Ids and scores of what is found, by question and mode."""
    answers = []
    for mode in ("auto", "vector", "fulltext", "dual"):
        for text in QUESTIONS:
            question = {"query": text, "mode": mode, "touch": False}
            answer = client.post("/api/v1/memories/search", question, format="json").json()
            answers.append([[hit["id"], hit["score"]] for hit in answer["results"]])
    return answers
