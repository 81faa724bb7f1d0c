"""Whether one memory says nothing that another does not say, and who has decided that it does."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memories.models import Action, Memory, Status
from memories.providers.llm.provider import RULES, Provider
from memories.text.relate import Relation, relate
from memories.text.relate.tokens import canonical_text
from memsite.tenancy.models import App


def say_the_same(
    provider: Provider, memory: Memory, known: Sequence[tuple[Memory, float | None]]
) -> list[bool]:  # fmt: skip
    """For each of the known ones (with the cosine, if there is one): whether it says all that the memory says."""
    own = canonical_text(memory.content)
    # Whatever a model makes of it, the same words are the same statement.
    same = [canonical_text(other.content) == own for other, _ in known]
    asked = [at for at, is_same in enumerate(same) if not is_same]
    if asked:
        contents, cosines = [known[at][0].content for at in asked], [known[at][1] for at in asked]
        verdicts = provider.relate(memory.content, contents, memory.subject or "", cosines)
        for at, verdict in zip(asked, verdicts, strict=True):
            same[at] = verdict.relation == Relation.SAME
    return same


def why_the_same(provider: Provider, stays: Memory, goes: Memory) -> str:
    """The rules' reason, if they see it too."""
    verdict = relate(stays.content, goes.content, None, goes.subject or "")
    if verdict.relation == Relation.SAME:
        return verdict.reason
    return "says the same" if provider.name == RULES else f"says the same, as {provider.name} judged"


def taken_back(app: App, pks: Collection[int]) -> set[int]:
    """Of live ones, those that were merged into another once: somebody has restored them, or undone it. One query."""
    merged = {"revisions__action": Action.MERGED, "revisions__after__status": Status.SUPERSEDED}
    return set(Memory.objects.for_app(app).live().filter(pk__in=pks, **merged).values_list("pk", flat=True))
