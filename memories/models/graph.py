"""The graph: named entities, which memories mention them, and links between memories."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Length, Replace
from django.utils import timezone

from memories.models.memory import Memory
from memsite.tenancy.scoping import Identified, Scoped, ScopedQuerySet

BLANKS = Length("key") - Length(Replace("key", Value(" "), Value("")))
"""Between the words of a key."""


class Entity(Scoped, Identified):
    """`key` is what all spellings of the name share (`memories.language.entities.entity_key`)."""

    key = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Entity"].as_manager()

    class Meta:
        ordering = ["-uid"]
        verbose_name_plural = "entities"
        # How many words the longest subject of an app has: asked for by `memories.store.transaction`.
        indexes = [models.Index(F("app"), BLANKS, condition=Q(kind="subject"), name="entity_subject_blanks")]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="entity_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["app", "key"], name="entity_is_unique"),
        ]

    def __str__(self) -> str:
        return self.name


class FoundBy(models.TextChoices):
    RULES = "rules"
    MODEL = "model"


class Mention(Scoped):
    """A memory names an entity. `source` says who found it there: the rules, or else the model that worded it."""

    entity = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="mentions", db_index=False)
    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="mentions")
    source = models.CharField(max_length=8, choices=FoundBy, default=FoundBy.RULES)

    objects = ScopedQuerySet["Mention"].as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entity", "memory"], name="mention_is_unique")]

    def __str__(self) -> str:
        return f"entity {self.entity_id} in memory {self.memory_id}"


class LinkKind(models.TextChoices):
    RELATED = "related"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ELABORATES = "elaborates"
    DERIVED = "derived", "derived from"


SAYABLE = tuple(kind for kind in LinkKind if kind != LinkKind.DERIVED)
"""What anybody may say of two memories; what was derived from what, the server knows."""


class Link(Scoped, Identified):
    """`from_memory` KIND `to_memory`. The database keeps both ends in the link's app."""

    from_memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="links_out", db_index=False)
    to_memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="links_in")
    kind = models.CharField(max_length=12, choices=LinkKind)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Link"].as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="link_uid_is_unique_in_app"),
            models.UniqueConstraint(fields=["from_memory", "to_memory", "kind"], name="link_is_unique"),
            models.CheckConstraint(condition=~Q(from_memory=F("to_memory")), name="link_joins_two_memories"),
        ]
        indexes = [
            # Whether an app has any.
            models.Index(fields=["app"], condition=Q(kind="contradicts"), name="link_contradicts")
        ]

    def __str__(self) -> str:
        return f"{self.from_memory_id} {self.kind} {self.to_memory_id}"
