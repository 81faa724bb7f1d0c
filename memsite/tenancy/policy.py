"""AppPolicy: every number that may differ between apps, typed, validated and with a default; and its presets."""

import re
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.core.exceptions import ValidationError
from django.core.validators import (
    EMPTY_VALUES,
    MaxLengthValidator,
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
)
from django.db import models
from django.db.models import Q
from timezone_field import TimeZoneField

from memories.language.secrets import redact
from memsite.tenancy.origin import FROM_OUTSIDE, OF_AGENTS, Origin, check_origins, default_review_origins

OPERATIONAL_CATEGORIES = ("timing", "dependency", "behavior", "remediation", "maintenance")
PERSONAL_CATEGORIES = ("work", "preferences", "health", "hobbies", "relationships")
MOST_CHARACTERS = 100_000
"""Of a memory, whatever the policy."""
MOST_GUIDANCE = 2_000
"""Characters of what an app tells the model that reads its conversations."""
TTL_DAYS = {"work": 90, "preferences": 180, "health": 365, "hobbies": 60, "relationships": 180}

ZONES = frozenset(available_timezones())

CATEGORY_PATTERN = r"[a-z0-9][a-z0-9_-]{0,63}"
is_category = RegexValidator(rf"^{CATEGORY_PATTERN}\Z", "Lower-case letters, digits, - and _, 64 at most.")


class Preset(models.TextChoices):
    STANDARD = "standard"
    OPS = "ops"
    ASSISTANT = "assistant"
    KNOWLEDGE = "knowledge"
    COMPACT = "compact"
    STRICT = "strict"


PRESET_IS_FOR = {
    Preset.STANDARD: "most agents: markers and facts, all blocks",
    Preset.OPS: "operations agents that leave markers; most confident first",
    Preset.ASSISTANT: "personal assistants: facts from talk, importance and recency count",
    Preset.KNOWLEDGE: "knowledge bases: facts with written summaries, meaning and graph side by side",
    Preset.COMPACT: "small apps: ten memories of 200 characters, one digest per conversation",
    Preset.STRICT: "agents that read what strangers write: nothing of it is shown before a person has seen it",
}


class Ranking(models.TextChoices):
    """Which of the rankers orders what is recalled (docs/ranking.md has the formulas)."""

    STANDARD = "standard", "relevance, importance, age, priority, sentiment and domain"
    CONFIDENCE = "confidence", "most confident first"
    PRODUCT = "product", "similarity × importance × stepped recency"
    DUAL = "dual", "half meaning, half graph, × exponential age"
    RECENT = "recent", "latest updated first"


class Block(models.TextChoices):
    """Which block an agent of the app is greeted with, unless it asks for another."""

    OPS = "ops", "by subject, most confident first"
    APP = "app", "numbered and dated"
    TURN = "turn", "one line each, with age and category"


class AgentsEdit(models.TextChoices):
    """What agents may change and delete of what is known; what they add is no change."""

    ALL = "all", "whatever they see"
    OWN = "own", "what they wrote themselves"
    NONE = "none", "nothing: they only add"


def default_marker_categories() -> list[str]:
    return list(OPERATIONAL_CATEGORIES)


def default_ttl_days() -> dict[str, int]:
    return dict(TTL_DAYS)


def check_categories(value: Any) -> None:
    if not isinstance(value, list) or len(value) > 100 or len(value) != len({str(name) for name in value}):
        raise ValidationError("A list of at most 100 different categories.")
    for name in value:
        check_category(name)


def check_category(name: Any) -> None:
    if not isinstance(name, str):
        raise ValidationError("A category is a string.")
    if not re.fullmatch(CATEGORY_PATTERN, name):
        # Under the validator's own code a JSON field would tell of invalid JSON instead.
        raise ValidationError(f"{name[:64]}: {is_category.message}")


def check_ttl_days(value: Any) -> None:
    if not isinstance(value, dict) or len(value) > 100:
        raise ValidationError("An object of at most 100 categories and their days.")
    for name, days in value.items():
        check_category(name)
        if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= 36500:
            raise ValidationError(f"{name}: a whole number of days from 1 to 36500.")


def share(default: float, help_text: str, **options: Any) -> "models.FloatField[float, float]":
    """Return a number from 0 to 1."""
    return models.FloatField(default=default, validators=between(0, 1), help_text=help_text, **options)


def number(default: float, low: float, high: float, help_text: str) -> "models.FloatField[float, float]":
    return models.FloatField(default=default, validators=between(low, high), help_text=help_text)


def count(default: int, low: int, high: int, help_text: str, **options: Any) -> "models.PositiveIntegerField[int, int]":
    return models.PositiveIntegerField(default=default, validators=between(low, high), help_text=help_text, **options)


def between(low: float, high: float) -> list[Any]:
    return [MinValueValidator(low), MaxValueValidator(high)]


def limits_of(field: "models.Field[Any, Any]") -> dict[str, Any]:
    """Return what its validators allow, for a form's field: so the page says it, too, before anything is sent."""
    if isinstance(field, TimeZoneField):
        return {"coerce": zone_named}
    limits: dict[str, Any] = {}
    for validator in field.validators:
        if isinstance(validator, MinValueValidator | MaxValueValidator):
            limits[validator.code] = validator.limit_value
    return limits


def zone_named(name: Any) -> ZoneInfo:
    """Return a zone of a known name only: ZoneInfo opens the file of any other, which fails in more ways."""
    if str(name) not in ZONES:
        raise ValidationError("An IANA name such as Europe/Berlin.")
    return ZoneInfo(str(name))


def within_limits(field: Any, **options: Any) -> Any:
    """Return the form's field of a policy's."""
    return field.formfield(**options, **limits_of(field))


class AppPolicy(models.Model):
    """The numbers of one app."""

    app = models.OneToOneField("tenancy.App", on_delete=models.CASCADE, related_name="policy", primary_key=True)

    # What is captured.
    capture_markers = models.BooleanField(default=True, help_text="[MEMORY:…] lines of the agent become memories.")
    capture_facts = models.BooleanField(default=True, help_text="Facts are extracted from what was said.")
    capture_summaries = models.BooleanField(default=False, help_text="Categories keep a written summary.")
    capture_digest = models.BooleanField(default=False, help_text="One digest memory per conversation.")
    marker_categories = models.JSONField(
        default=default_marker_categories,
        validators=[check_categories],
        help_text="Categories markers may name.",
    )

    redact_raw = models.BooleanField(
        default=True,
        help_text="Secrets in what was said, texts and turns, are marked as such before they are stored.",
    )

    guidance = models.TextField(
        blank=True,
        default="",
        db_default="",
        max_length=MOST_GUIDANCE,
        validators=[MaxLengthValidator(MOST_GUIDANCE)],
        help_text="What matters here and what is never to be kept, for the model that finds facts.",
    )

    useful_above = share(0.7, "A fact that is less useful than this is chatter and not kept.")
    verifiable_above = share(0.5, "A fact that is less verifiable than this is an opinion and not kept.")

    # How much is kept.
    memory_limit = count(100_000, 1, 10_000_000, "Memories the app may hold.")
    max_characters = count(2_000, 20, MOST_CHARACTERS, "Characters a memory may have.")
    document_limit = count(1_000, 0, 1_000_000, "Documents the app may hold, besides its memories.", db_default=1_000)
    writes_per_minute = count(10_000, 1, 1_000_000, "Memories one agent may write in a minute.")
    ttl_days = models.JSONField(
        default=default_ttl_days,
        validators=[check_ttl_days],
        help_text="Days without access until archive, by category.",
    )
    cold_after_days = count(182, 1, 36_500, "Days without any access until cold archive.")

    # What is believed.
    start_confidence = share(0.7, "Confidence of a new memory.")
    reinforce_step = share(0.1, "Gained when another source says the same.")
    same_session_step = share(0.05, "Gained when the same session says the same.")
    contradict_step = share(0.2, "Lost when something says the contrary.")
    inactive_below = share(0.3, "Below this a memory is inactive and never injected.")
    stale_after_days = number(30, 0, 36_500, "Days without confirmation until decay sets in. 0: at once.")
    decay_per_week = share(0.1, "Lost per week after that, continuously. 0: nothing decays.")
    decay_exempt_from = models.FloatField(
        null=True,
        blank=True,
        default=None,
        validators=between(0, 1),
        help_text="At or above this nothing decays. Empty: whatever its confidence, it does.",
    )
    dedup_similarity = share(0.85, "Cosine from which two statements may be the same (a rule still decides).")

    # Who is taken at their word.
    review_origins = models.JSONField(
        default=default_review_origins,
        blank=True,
        validators=[check_origins],
        help_text="Whose memories are tagged unreviewed until a person has looked at them.",
    )
    approval_origins = models.JSONField(
        default=list,
        blank=True,
        validators=[check_origins],
        help_text="Whose memories wait until a person has approved them.",
    )
    inject_unreviewed = models.BooleanField(default=True, help_text="What is tagged unreviewed may stand in a prompt.")
    agents_edit = models.CharField(
        max_length=4,
        choices=AgentsEdit,
        default=AgentsEdit.ALL,
        db_default=AgentsEdit.ALL,
        help_text="What agents may change and delete: all that they see, their own, or none.",
    )

    # What is recalled.
    ranking = models.CharField(max_length=20, choices=Ranking, default=Ranking.STANDARD, help_text="The ranker.")
    semantic_weight = share(0.5, "Weight of meaning in the dual ranking; the graph has the rest.")
    decay_per_day = share(0.01, "λ of the ranking's exp(−λ·days).")
    sentiment_weight = share(0.1, "Share of the score gained by memories said in the tone of the question.")
    min_score = share(
        0, "Hits with a lower score are left out of search and context, unless a request names another.", db_default=0
    )
    tiered = models.BooleanField(default=False, help_text="Summaries of categories answer first, where they can.")
    off_domain_penalty = share(0.3, "Share of the score lost by memories of another domain.")
    share_memories = models.BooleanField(
        default=False, help_text="Shared memories may be read by other apps that share too."
    )
    users_apart = models.BooleanField(
        default=False, help_text="An agent that names no end user is shown nothing that belongs to one."
    )

    # What is injected.
    block = models.CharField(max_length=10, choices=Block, default=Block.OPS, help_text="The session-start block.")
    session_budget_tokens = count(2_000, 50, 200_000, "Tokens of the session-start block, fence and header included.")
    turn_budget_tokens = count(500, 50, 200_000, "Tokens of the turn block.")
    app_limit = count(10, 1, 1_000, "Memories in the app block.")
    turn_limit = count(10, 1, 100, "Memories in the turn block.")
    economy_limit = count(5, 1, 100, "The same when economising.")
    document_share = share(
        0.5, "Share of a block's tokens that quotes from documents may take. 0: none are shown.", db_default=0.5
    )

    # What is learnt from use, and what it may cost.
    echo_step = share(0.1, "Priority gained by an injected memory that was used.")
    fizzle_step = share(0.05, "Priority lost by one that was ignored.")
    daily_cost = models.FloatField(
        null=True,
        blank=True,
        default=None,
        validators=between(0, 1_000_000),
        help_text="Dollars a day for models; beyond it, learning waits for the next day. "
        "0: none is asked, rules learn. Empty: no limit.",
    )
    daily_tokens = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        default=None,
        validators=between(0, 10**12),
        help_text="Tokens a day for models; beyond it, learning waits for the next day. "
        "0: none is asked, rules learn. Empty: no limit.",
    )
    energy_floor = share(0.2, "Below this energy, memory work is deferred. 0: never.")
    time_zone = TimeZoneField(default="UTC", help_text="Of jobs, triggers and dates in texts.")

    class Meta:
        verbose_name_plural = "app policies"
        constraints = [
            models.CheckConstraint(
                condition=Q(inactive_below__gte=0, inactive_below__lte=1),
                name="policy_inactive_below_is_a_share",
            ),
            models.CheckConstraint(condition=Q(memory_limit__gte=1), name="policy_memory_limit_is_positive"),
            models.CheckConstraint(condition=Q(economy_limit__lte=models.F("turn_limit")), name="policy_economy_saves"),
        ]

    def __str__(self) -> str:
        return "policy"

    @property
    def screened_origins(self) -> tuple[Origin, ...]:
        """Whose memories wait for a person if they bring an address, a command or an order to the reader: what comes
        from outside; where all of that has to be approved, what agents say themselves, who may repeat it.
        """
        return OF_AGENTS if set(FROM_OUTSIDE) <= set(self.approval_origins) else FROM_OUTSIDE

    def clean(self) -> None:
        self.guidance = redact(self.guidance.replace("\0", "")).text.strip()[:MOST_GUIDANCE]
        # An empty value may stand there, so Django itself passes over null, "" and {}; anything else it has checked.
        for name in ("review_origins", "approval_origins"):
            if getattr(self, name) not in EMPTY_VALUES:
                continue
            try:
                check_origins(getattr(self, name))
            except ValidationError as error:
                raise ValidationError({name: error.messages}) from error
        if self.economy_limit > self.turn_limit:
            raise ValidationError({"economy_limit": "Economising cannot inject more than turn_limit."})


POLICY_FIELDS = tuple(field.name for field in AppPolicy._meta.concrete_fields if field.name != "app")

TRUST_FIELDS = (
    "review_origins",
    "approval_origins",
    "inject_unreviewed",
    "agents_edit",
    "share_memories",
    "users_apart",
    "redact_raw",
    "guidance",
)
"""Those that say who is believed and who sees what: no file says that by itself."""

POLICY_GROUPS = (
    (
        "What is captured",
        (
            "capture_markers",
            "capture_facts",
            "capture_summaries",
            "capture_digest",
            "marker_categories",
            "redact_raw",
            "guidance",
            "useful_above",
            "verifiable_above",
        ),
    ),
    (
        "How much is kept",
        ("memory_limit", "max_characters", "document_limit", "writes_per_minute", "ttl_days", "cold_after_days"),
    ),
    (
        "What is believed",
        (
            "start_confidence",
            "reinforce_step",
            "same_session_step",
            "contradict_step",
            "inactive_below",
            "stale_after_days",
            "decay_per_week",
            "decay_exempt_from",
            "dedup_similarity",
        ),
    ),
    ("Who is taken at their word", ("review_origins", "approval_origins", "inject_unreviewed", "agents_edit")),
    (
        "What is recalled",
        (
            "ranking",
            "min_score",
            "tiered",
            "semantic_weight",
            "decay_per_day",
            "sentiment_weight",
            "off_domain_penalty",
            "share_memories",
            "users_apart",
        ),
    ),
    (
        "What is injected",
        (
            "block",
            "session_budget_tokens",
            "turn_budget_tokens",
            "app_limit",
            "turn_limit",
            "economy_limit",
            "document_share",
        ),
    ),
    (
        "What is learnt from use, and what it may cost",
        ("echo_step", "fizzle_step", "daily_cost", "daily_tokens", "energy_floor"),
    ),
    ("Time", ("time_zone",)),
)
"""The fields by what they are about."""

_EVERY_CATEGORY = [*OPERATIONAL_CATEGORIES, *PERSONAL_CATEGORIES]
SAID_PLAINLY = 0.9
"""How sure a fact is that was said in so many words: people say once what they are allergic to (ADR 28)."""
PRESETS: dict[str, dict[str, Any]] = {
    Preset.STANDARD: {},
    Preset.OPS: {"capture_facts": False, "ranking": Ranking.CONFIDENCE},
    Preset.ASSISTANT: {
        "capture_markers": False,
        "marker_categories": _EVERY_CATEGORY,
        "decay_exempt_from": SAID_PLAINLY,
        "ranking": Ranking.PRODUCT,
        "block": Block.TURN,
    },
    Preset.KNOWLEDGE: {
        "capture_markers": False,
        "capture_summaries": True,
        "tiered": True,
        "marker_categories": _EVERY_CATEGORY,
        "decay_exempt_from": SAID_PLAINLY,
        "ranking": Ranking.DUAL,
        "block": Block.TURN,
    },
    Preset.COMPACT: {
        "capture_markers": False,
        "capture_facts": False,
        "capture_digest": True,
        "marker_categories": _EVERY_CATEGORY,
        "memory_limit": 10,
        "max_characters": 200,
        "ranking": Ranking.RECENT,
        "block": Block.APP,
    },
    Preset.STRICT: {"approval_origins": [Origin.TOOL.value, Origin.WEB.value]},
}


def preset_values(preset: str) -> dict[str, Any]:
    """Return every policy field as the preset has it: its own settings over the defaults."""
    blank = AppPolicy()
    return {name: getattr(blank, name) for name in POLICY_FIELDS} | PRESETS[preset]
