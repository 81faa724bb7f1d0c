"""A memory: a stored fact, its recorded changes, its archived text, and the tombstone that is left of it."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterable
from datetime import datetime
from typing import Self

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import connection, models
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from memories.providers.llm.provider import Noted
from memsite.db.expressions import Literal, literals
from memsite.tenancy.access import Users, of_users, one_user
from memsite.tenancy.models import Agent
from memsite.tenancy.origin import Origin
from memsite.tenancy.policy import AppPolicy, is_category
from memsite.tenancy.scoping import (
    Identified,
    IndexedByApp,
    Purged,
    PurgedQuerySet,
    Scoped,
    ScopedQuerySet,
    where_given,
)
from sessions.models import TIERS, AgentSession, Resource

GENERAL = "general"
MAX_PRIORITY = 2.0
MAX_TAGS, TAG_LENGTH = 50, 100
SUBJECT_LENGTH = 200
TRUSTED_ORIGINS = (Origin.OPERATOR, Origin.USER)
PLAIN = b"\0"
"""What begins with it is not compressed: a short text would only grow."""
NOTED = (
    "content",
    "category",
    "subject",
    "kind",
    "importance",
    "confidence",
    "created_at",
    "confirmed_at",
    "access_count",
    "pinned",
)
"""What is read of a memory for it."""


class Kind(models.TextChoices):
    DECISION = "decision"
    INSIGHT = "insight"
    FACT = "fact"
    PREFERENCE = "preference"
    PROJECT = "project"
    CONVERSATION = "conversation"
    GENERAL = "general"
    LESSON = "lesson"


class Strength(models.TextChoices):
    """How plainly it was said."""

    EXPLICIT = "explicit"
    IMPLIED = "implied"
    INFERRED = "inferred"


class Sentiment(models.TextChoices):
    FRUSTRATED = "frustrated"
    EXCITED = "excited"
    UNCERTAIN = "uncertain"
    NEUTRAL = "neutral"


class Status(models.TextChoices):
    ACTIVE = "active"
    INACTIVE = "inactive", "inactive: confidence too low"
    SUPERSEDED = "superseded", "superseded by another"
    ARCHIVED = "archived"
    COLD = "cold", "cold: nobody has asked for it in a long time"
    WITHDRAWN = "withdrawn", "withdrawn: its source was taken back"
    DOCUMENT = "document", "document: quoted from a file"


LIVE = (Status.ACTIVE, Status.INACTIVE)
"""What counts against an app's limit."""


class Visibility(models.TextChoices):
    AGENT = "agent", "only the agent that wrote it"
    APP = "app", "every agent of the app"
    SHARED = "shared", "apps that share, too"


class Source(models.TextChoices):
    """Which way it came in."""

    MARKER = "marker"
    API = "api"
    OPERATOR = "operator"
    FACT = "fact", "found in what was said"
    DIGEST = "digest", "written from a whole session"
    INSIGHT = "insight", "written from archived memories"
    DOCUMENT = "document", "quoted from a file"


class Trust(models.TextChoices):
    """What speaks for a memory's words besides themselves."""

    TRUSTED = "trusted", "trusted: a user or an operator said it"
    REVIEWED = "reviewed", "reviewed: a person has looked at it"
    UNREVIEWED = "unreviewed", "unreviewed: nobody has looked at it"


def subject_of(name: str | None) -> str | None:
    """Return a subject as stored.

    "general" is what memories without one are about. An accent is part of its letter (NFC), however it was typed.
    """
    bare = unicodedata.normalize("NFC", (name or "").strip())
    return None if bare.casefold() in ("", GENERAL) else bare[:SUBJECT_LENGTH]


class MemoryQuerySet(PurgedQuerySet["Memory"]):
    def active(self) -> Self:
        return self.filter(status=Status.ACTIVE)

    def warm(self) -> Self:
        """Return what is not in the cold archive."""
        return self.exclude(status=Status.COLD)

    def without_documents(self) -> Self:
        """Return what is known, without the passages of files."""
        return self.exclude(source=Source.DOCUMENT)

    def without_vector(self, model: str) -> Self:
        """Return what this model has not embedded."""
        vectors = self.model._meta.get_field("vectors").related_model._base_manager
        return self.exclude(Exists(vectors.filter(app=OuterRef("app"), memory=OuterRef("pk"), model=model)))

    def lessons(self) -> Self:
        """Return what users corrected and agents learnt. Uses the index `memory_lesson`."""
        return self.filter(kind=Literal(Kind.LESSON))

    def live(self) -> Self:
        """Return what counts against the app's limit."""
        return self.filter(status__in=LIVE)

    def locked_pks(self) -> set[int]:
        """Return the pks of those that are there until the transaction ends: who deletes one waits for it."""
        pks = self.order_by("pk").values_list("pk", flat=True)
        if connection.vendor == "sqlite":
            # Nobody else writes while this transaction may.
            return set(pks)
        sql, parameters = pks.query.sql_with_params()
        with connection.cursor() as cursor:
            # As its foreign keys ask, but at once: who changes one is not in the way.
            cursor.execute(f"{sql} FOR KEY SHARE", parameters)
            return {pk for (pk,) in cursor.fetchall()}

    def least_worthy(self) -> Self:
        """Return what may go when the app is full, the least worthy first.

        Uses the index `memory_least`, unless a filter is added for which there is another index.
        """
        return self.filter(status__in=literals(*LIVE), pinned=False).order_by(
            "importance", "confidence", "confirmed_at", "pk"
        )

    def heard(self, doubted: Iterable[str]) -> Self:
        """Select without what one of these has said and nobody has reviewed."""
        return self.exclude(origin__in=doubted, reviewed_at=None)

    def with_words(self, text: str) -> Self:
        """Return those that have this text in their content or the name of their service, whatever its case."""
        return self.filter(Q(content__icontains=text) | Q(subject__icontains=text))

    def of_trust(self, level: str) -> Self:
        """Return those that `trust_level` says this of."""
        if level == Trust.REVIEWED:
            return self.exclude(reviewed_at=None)
        rows = self.filter(reviewed_at=None)
        is_trusted = Q(origin__in=TRUSTED_ORIGINS)
        return rows.filter(is_trusted if level == Trust.TRUSTED else ~is_trusted)

    def visible_to(self, agent: Agent | None) -> Self:
        """Return what this agent may see of its app: nothing that was taken back; operators (no agent) see all."""
        return self if agent is None else self.open_to(agent).exclude(status=Status.WITHDRAWN)

    def open_to(self, agent: Agent) -> Self:
        """Return what nobody keeps from this agent of its app, whether or not it was taken back."""
        return self.filter(~Q(visibility=Visibility.AGENT) | Q(agent=agent))

    def once_shared(self) -> Self:
        """Return what is one agent's alone by now, and was everybody's before."""
        others = [Visibility.APP.value, Visibility.SHARED.value]
        return self.filter(visibility=Visibility.AGENT, revisions__before__visibility__in=others).distinct()

    def of_user(self, user_id: str | None) -> Self:
        """Return an end user's memories and those of no one in particular; no user given: no filter."""
        return self.of_users(one_user(user_id) or None)

    def of_users(self, users: Users) -> Self:
        """Return these end users' memories and those of no one in particular; None: no filter."""
        return self.filter(of_users(users))

    def valid(self, now: datetime) -> Self:
        """Return what has begun and has not run out."""
        begun = Q(valid_from=None) | Q(valid_from__lte=now)
        return self.filter(begun & (Q(valid_until=None) | Q(valid_until__gt=now)))

    def held_between(self, start: datetime | None, end: datetime | None) -> Self:
        """Return what held at some time in a range, open where None: active, or replaced since."""
        rows = self.filter(Q(status=Status.ACTIVE) | Q(status=Status.SUPERSEDED, valid_until__isnull=False))
        # What was replaced before it began held at no time.
        rows = rows.filter(Q(valid_from=None) | Q(valid_until=None) | Q(valid_from__lt=F("valid_until")))
        if end:
            rows = rows.filter(Q(valid_from=None) | Q(valid_from__lt=end))
        return rows.filter(Q(valid_until=None) | Q(valid_until__gt=start)) if start else rows


class Memory(Purged, Identified):
    """A stored fact.

    `confidence` is what it is now. It follows from `confidence_base`, its value without decay, and `anchored_at`,
    the time decay counts from (`memories.maintain.aging`). `change_number` is the app's count at the last write,
    `version` the row's own (the ETag). In the cold archive `content` is empty: `text` is what it says anywhere.
    """

    content = models.TextField()
    kind = models.CharField(max_length=20, choices=Kind, default=Kind.FACT)
    category = models.CharField(max_length=64, default=GENERAL, validators=[is_category])
    subject = models.CharField(
        max_length=SUBJECT_LENGTH, null=True, blank=True, help_text="What it is about; empty: general."
    )
    tags = models.JSONField(default=list, blank=True)
    importance = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1), MaxValueValidator(5)], help_text="1 trivial to 5 critical."
    )
    confidence = models.FloatField(default=0.7, validators=[MinValueValidator(0), MaxValueValidator(1)])
    confidence_base = models.FloatField(editable=False)
    anchored_at = models.DateTimeField(editable=False)
    decay_noted_at = models.DateTimeField(null=True, editable=False, help_text="When a revision last told of decay.")
    strength = models.CharField(max_length=10, choices=Strength, null=True, blank=True)
    sentiment = models.CharField(max_length=12, choices=Sentiment, default=Sentiment.NEUTRAL)
    priority = models.FloatField(
        default=1.0, validators=[MinValueValidator(0), MaxValueValidator(MAX_PRIORITY)], help_text="Learnt from use."
    )
    status = models.CharField(max_length=12, choices=Status, default=Status.ACTIVE)
    pinned = models.BooleanField(default=False, help_text="Exempt from decay, limits and archive.")
    tier = models.PositiveSmallIntegerField(default=1)
    user_id = models.CharField(max_length=200, null=True, blank=True)
    visibility = models.CharField(max_length=8, choices=Visibility, default=Visibility.APP)
    source = models.CharField(max_length=12, choices=Source, default=Source.API)
    origin = models.CharField(
        max_length=10,
        choices=Origin,
        default=Origin.ASSISTANT,
        db_default=Origin.ASSISTANT,
        editable=False,
        help_text="Who said it.",
    )
    reviewed_by = models.CharField(
        max_length=200, blank=True, default="", db_default="", editable=False, help_text="Who looked at what it says."
    )
    reviewed_at = models.DateTimeField(null=True, blank=True, editable=False)
    made_by = models.CharField(
        max_length=120, null=True, blank=True, editable=False, help_text="The rules or the model that worded it."
    )
    entities = models.JSONField(
        null=True, blank=True, editable=False, help_text="Names that the model gave besides those that rules find."
    )
    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.PROTECT, related_name="+", db_index=False)
    session = models.ForeignKey(
        AgentSession, null=True, blank=True, on_delete=models.PROTECT, related_name="memories", db_index=False
    )
    turn_number = models.PositiveIntegerField(null=True, blank=True)
    resource = models.ForeignKey(
        Resource, null=True, blank=True, on_delete=models.PROTECT, related_name="memories", db_index=False
    )
    external_id = models.CharField(max_length=200, null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)
    confirmed_at = models.DateTimeField(default=timezone.now, editable=False)
    accessed_at = models.DateTimeField(null=True, blank=True, editable=False)
    access_count = models.PositiveIntegerField(default=0, editable=False)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_until = models.DateTimeField(null=True, blank=True)
    look = models.PositiveSmallIntegerField(null=True, editable=False, help_text="How the text looks (text/looks.py).")
    version = models.PositiveIntegerField(default=1, editable=False)
    change_number = models.PositiveBigIntegerField(default=0, editable=False)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "memories"
        indexes = [
            # For lists, the latest first.
            models.Index(fields=["app", "subject", "uid"], name="memory_subject"),
            models.Index(fields=["app", "category", "uid"], name="memory_category"),
            models.Index(fields=["app", "status", "uid"], name="memory_status"),
            models.Index(fields=["app", "user_id", "uid"], condition=Q(user_id__isnull=False), name="memory_user"),
            models.Index(fields=["app", "status", "uid"], condition=Q(kind="lesson"), name="memory_lesson"),
            models.Index(fields=["app", "change_number"], name="memory_changes"),
            models.Index(fields=["app", "external_id"], condition=Q(external_id__isnull=False), name="memory_external"),
            where_given("memory_agent", "agent"),
            where_given("memory_session", "session"),
            where_given("memory_resource", "resource"),
            models.Index(fields=["app", "status", "anchored_at"], name="memory_stale"),
            models.Index(fields=["app"], condition=Q(visibility="shared"), name="memory_shared"),
            models.Index(fields=["app", "valid_from"], condition=Q(valid_from__isnull=False), name="memory_begins"),
            models.Index(fields=["app", "valid_until"], condition=Q(valid_until__isnull=False), name="memory_runs_out"),
            models.Index(fields=["app"], condition=Q(purged_at__isnull=False), name="memory_purged"),
            models.Index(
                fields=["app", "importance", "confidence", "confirmed_at"],
                condition=Q(pinned=False, status__in=("active", "inactive")),
                name="memory_least",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["app", "uid"], name="memory_uid_is_unique_in_app"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="memory_confidence_is_a_share"
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=1, importance__lte=5), name="memory_importance_is_1_to_5"
            ),
            models.CheckConstraint(
                condition=Q(priority__gte=0, priority__lte=MAX_PRIORITY), name="memory_priority_is_0_to_2"
            ),
            models.CheckConstraint(condition=Q(tier__in=TIERS), name="memory_tier_is_1_2_or_3"),
            models.CheckConstraint(
                condition=(Q(status="cold") & Q(content="")) | (~Q(status="cold") & ~Q(content="")),
                name="memory_has_content_unless_cold",
            ),
            models.CheckConstraint(condition=~Q(category=""), name="memory_has_a_category"),
            models.CheckConstraint(condition=Q(subject=None) | ~Q(subject=""), name="memory_subject_is_null_or_said"),
            models.CheckConstraint(
                condition=Q(valid_from=None) | Q(valid_until=None) | Q(valid_from__lte=models.F("valid_until")),
                name="memory_is_valid_forwards",
            ),
        ]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 80 else self.text[:79] + "…"

    @property
    def subject_or_general(self) -> str:
        return self.subject or GENERAL

    @property
    def text(self) -> str:
        """Return what it says. A query for one in the cold archive, unless `cold_text` was selected with it."""
        return self.content or self.cold_text.text

    @property
    def trust_level(self) -> Trust:
        if self.reviewed_at:
            return Trust.REVIEWED
        return Trust.TRUSTED if self.origin in TRUSTED_ORIGINS else Trust.UNREVIEWED

    def needs_review(self, policy: AppPolicy) -> bool:
        """Return whether somebody said it whom the policy does not take at their word, and nobody has looked at it."""
        return self.reviewed_at is None and self.origin in policy.review_origins

    @property
    def is_superseded(self) -> bool:
        """Return whether another memory stands for it, or did before it came into the cold archive."""
        return Status.SUPERSEDED in (self.status, self.cold_text.was if self.status == Status.COLD else "")


class Action(models.TextChoices):
    CREATED = "created"
    REINFORCED = "reinforced"
    CONTRADICTED = "contradicted"
    DECAYED = "decayed"
    EDITED = "edited"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    FROZEN = "frozen", "frozen: moved to the cold archive"
    RESTORED = "restored"
    UNDONE = "undone"
    USED = "used", "used: the agent made use of it"
    IGNORED = "ignored", "ignored: shown and not used"
    PROMOTED = "promoted", "promoted: new that day"
    GATHERED = "gathered", "gathered into an insight"
    WITHDRAWN = "withdrawn", "withdrawn: its source was taken back"
    REVIEWED = "reviewed", "reviewed: a person has looked at it"


class Revision(IndexedByApp):
    """`before` and `after` hold the fields that changed, and only those; `before` is empty for a creation."""

    memory = models.ForeignKey(Memory, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    action = models.CharField(max_length=16, choices=Action)
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=200)
    reason = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ScopedQuerySet["Revision"].as_manager()

    class Meta:
        ordering = ["memory", "number"]
        constraints = [
            models.UniqueConstraint(fields=["memory", "number"], name="revision_number_is_unique_per_memory")
        ]
        indexes = [models.Index(fields=["app", "-id"], name="revision_app_latest")]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"


class Forgotten(Scoped):
    """Tells every process that holds the app's memories in its own memory to drop this one."""

    memory_id = models.BigIntegerField()
    memory_uid = models.UUIDField(null=True)
    agent = models.ForeignKey(
        Agent,
        null=True,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        help_text="Who alone could see it; empty: everyone.",
    )
    change_number = models.PositiveBigIntegerField()
    created_at = models.DateTimeField(default=timezone.now, null=True)

    objects = ScopedQuerySet["Forgotten"].as_manager()

    class Meta:
        verbose_name_plural = "forgotten"
        indexes = [
            models.Index(fields=["app", "change_number"], name="forgotten_changes"),
            where_given("forgotten_agent", "agent"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id}"


class ColdText(Scoped):
    """The content of a memory whose status is cold; `was` is the status before."""

    memory = models.OneToOneField(Memory, on_delete=models.CASCADE, related_name="cold_text")
    data = models.BinaryField()
    was = models.CharField(max_length=12, choices=Status)

    objects = ScopedQuerySet["ColdText"].as_manager()

    def __str__(self) -> str:
        return f"memory {self.memory_id}"

    @property
    def text(self) -> str:
        return unpack(bytes(self.data))


def pack(text: str) -> bytes:
    plain = text.encode()
    packed = zlib.compress(plain, level=9)
    return packed if len(packed) <= len(plain) else PLAIN + plain


def unpack(data: bytes) -> str:
    return (data[1:] if data.startswith(PLAIN) else zlib.decompress(data)).decode()


def as_noted(memory: Memory) -> Noted:
    """Return a memory with its pk as `number`."""
    return Noted(
        number=memory.pk,
        content=memory.content,
        category=memory.category,
        subject=memory.subject or "",
        kind=memory.kind,
        importance=memory.importance,
        confidence=memory.confidence,
        said_at=memory.created_at,
        confirmed_at=memory.confirmed_at,
        access_count=memory.access_count,
        pinned=memory.pinned,
    )
