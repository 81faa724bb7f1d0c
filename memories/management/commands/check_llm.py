"""`manage.py check_llm`: whether the language model answers what Memsite asks, and what that takes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memories.ledger import lean_models
from memories.providers.llm.client import make_chat
from memories.providers.llm.provider import LLMMisconfigured
from memories.services.model_check import PARSED, check_model
from memsite.config.conf import get_conf
from memsite.tenancy.models import App, AppStatus


class Command(BaseCommand):
    help = "Ask the configured language model every question once and print tokens, seconds, format and outcome."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> str:
        try:
            chat = make_chat(get_conf().llm_settings)
        except LLMMisconfigured as error:
            raise CommandError(f"MEMSITE_LLM cannot work: {error}.") from error
        if chat is None:
            return "MEMSITE_LLM is `rules`: no language model is asked."
        line = "{:<11} {:<36} {:>8} {:>8} {:>8}  {:<24} {}".format
        self.stdout.write(line("question", "model", "tokens", "answer", "seconds", "format", "outcome"))
        failed = 0
        for row in check_model(chat):
            failed += row.outcome != PARSED
            tokens = f"{row.input_tokens:,}", f"{row.output_tokens:,}"
            self.stdout.write(line(row.operation, row.model, *tokens, f"{row.seconds:.1f}", row.format, row.outcome))
        for app in App.objects.filter(status=AppStatus.ACTIVE).order_by("app_id"):
            if since := lean_models(app, timezone.now()).get(chat.model(large=True)):
                self.stdout.write(f"{app.app_id} asks the lean question for facts since {since:%Y-%m-%d %H:%M} UTC.")
        if failed:
            raise CommandError(f"{failed} of the questions were not answered as asked; rules would answer these.")
        return "All questions were answered as asked."
