from typing import Any

from django.contrib import admin
from django.urls import URLPattern, include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memories.api.collector import metrics
from memories.api.health import healthz, readyz
from memories.api.schema import InFormatAsked
from memories.api.views.webhooks import ChatMessage
from memories.compat import mem0
from memories.compat.memory_tool import MemoryTool
from memories.compat.proxy import AnthropicFormat, Chat, Models, OpenAIFormat
from memories.mcp.views import ChatGPT, Memsite, ReferenceMemory
from memsite.oauth import views as oauth


def slash_or_not(route: str, view: Any, **options: Any) -> list[URLPattern]:
    """Return an address that answers the same with a slash at its end as without: a client sends a POST once."""
    twin = route.removesuffix("/") if route.endswith("/") else f"{route}/"
    return [path(route, view.as_view(**options)), path(twin, view.as_view(**{**options, "schema": None}))]


# Addresses as the other systems' clients have them.
compat = [
    *slash_or_not("memory-tool", MemoryTool),
    *slash_or_not("mcp-memory", ReferenceMemory),
    # mem0, self-hosted
    *slash_or_not("mem0/memories", mem0.Memories),
    *slash_or_not("mem0/memories/<str:memory_id>", mem0.OneMemory),
    *slash_or_not("mem0/memories/<str:memory_id>/history", mem0.History),
    *slash_or_not("mem0/search", mem0.Searching),
    *slash_or_not("mem0/entities", mem0.Entities),
    # mem0, hosted: its clients of all generations
    *slash_or_not("mem0/v1/ping/", mem0.Ping),
    *slash_or_not("mem0/v1/memories/", mem0.Memories, hosted=True),
    *slash_or_not("mem0/v3/memories/add/", mem0.Adding, hosted=True),
    re_path(r"^mem0/v[23]/memories/?$", mem0.HostedList.as_view()),
    re_path(r"^mem0/v[123]/memories/search/?$", mem0.Searching.as_view(top_k=mem0.HOSTED_TOP_K)),
    *slash_or_not("mem0/v1/memories/<str:memory_id>/", mem0.OneMemory, hosted=True),
    *slash_or_not("mem0/v1/memories/<str:memory_id>/history/", mem0.History),
    *slash_or_not("mem0/v1/entities/", mem0.Entities, hosted=True),
]

# Clients add their own part to the base URL that they are given, some with the version and some without.
proxy = [
    re_path(r"^openai/(?:v1/)*chat/completions/?$", Chat.as_view(form=OpenAIFormat(), path="chat/completions")),
    re_path(r"^openai/(?:v1/)*models/?$", Models.as_view(form=OpenAIFormat())),
    re_path(r"^anthropic/(?:v1/)*messages/?$", Chat.as_view(form=AnthropicFormat(), path="messages")),
    re_path(r"^anthropic/(?:v1/)*models/?$", Models.as_view(form=AnthropicFormat())),
]

urlpatterns = [
    # What is asked most comes first: an address is compared with one after the other.
    path("api/v1/", include("memories.api.urls")),
    path("", include("memories.dashboard.urls")),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    # One place to sign in, with one throttle.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/password_change/", RedirectView.as_view(pattern_name="password")),
    path("admin/", admin.site.urls),
    path("hooks/<uuid:uid>", ChatMessage.as_view()),
    *slash_or_not("mcp", Memsite),
    *slash_or_not("mcp/chatgpt", ChatGPT),
    path("compat/", include(compat)),
    path("proxy/", include(proxy)),
    path("api/schema", SpectacularAPIView.as_view(content_negotiation_class=InFormatAsked), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    # OAuth, where clients look for it.
    path(".well-known/oauth-authorization-server", oauth.about_server),
    # Behind a proxy at a path, that follows (RFC 8414, RFC 9728).
    re_path(r"^\.well-known/oauth-authorization-server(?P<path>/.+)$", oauth.about_server),
    path(".well-known/oauth-protected-resource", oauth.about_resource),
    re_path(r"^\.well-known/oauth-protected-resource(?P<path>/.+)$", oauth.about_resource),
    path("oauth/register", oauth.register),
    path("oauth/authorize", oauth.authorize),
    path("oauth/token", oauth.token),
    path("oauth/revoke", oauth.revoke),
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
]

handler400 = "memsite.http.problems.bad_request"
handler403 = "memsite.http.problems.permission_denied"
handler404 = "memsite.http.problems.not_found"
handler500 = "memsite.http.problems.server_error"
