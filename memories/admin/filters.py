"""Filters of the memory list."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from memories.models import Memory, Trust
from memsite.tenancy.access import apps_of

CATEGORIES_OFFERED = 100
BANDS = {
    "low": ("below 0.3", Q(confidence__lt=0.3)),
    "middle": ("0.3 to 0.7", Q(confidence__gte=0.3, confidence__lte=0.7)),
    "high": ("above 0.7", Q(confidence__gt=0.7)),
}


class CategoryFilter(admin.SimpleListFilter):
    """Offers the first categories only: agents may name as many as they like."""

    title = "category"
    parameter_name = "category"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = Memory.objects.filter(app__in=apps_of(request.user))
        names = rows.order_by("category").values_list("category", flat=True).distinct()
        return [(name, name) for name in names[:CATEGORIES_OFFERED]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(category=self.value()) if self.value() else queryset


class ConfidenceBand(admin.SimpleListFilter):
    title = "confidence"
    parameter_name = "confidence"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, _) in BANDS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        band = BANDS.get(self.value() or "")
        return queryset.filter(band[1]) if band else queryset


class TrustFilter(admin.SimpleListFilter):
    title = "trust"
    parameter_name = "trust"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(level, level) for level in Trust.values]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = self.value()
        return queryset.filter(pk__in=Memory.objects.of_trust(wanted)) if wanted in Trust.values else queryset
