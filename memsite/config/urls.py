from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memories.api.collector import metrics
from memories.api.health import healthz, readyz
from memories.api.schema import InFormatAsked
from memories.api.views.webhooks import ChatMessage
from memories.compat import mem0
from memories.compat.memory_tool import MemoryTool
from memories.mcp.views import Memsite, ReferenceMemory
from memsite.oauth import views as oauth

# Addresses as the other systems' clients have them, slashes and all.
compat = [
    path("memory-tool", MemoryTool.as_view()),
    path("mcp-memory", ReferenceMemory.as_view()),
    # mem0, self-hosted
    path("mem0/memories", mem0.Memories.as_view()),
    path("mem0/memories/<str:memory_id>", mem0.OneMemory.as_view()),
    path("mem0/memories/<str:memory_id>/history", mem0.History.as_view()),
    path("mem0/search", mem0.Searching.as_view()),
    path("mem0/entities", mem0.Entities.as_view()),
    # mem0, hosted: its clients of all generations
    path("mem0/v1/ping/", mem0.Ping.as_view()),
    path("mem0/v1/memories/", mem0.Memories.as_view(hosted=True)),
    path("mem0/v3/memories/add/", mem0.Adding.as_view(hosted=True)),
    re_path(r"^mem0/v[23]/memories/$", mem0.HostedList.as_view()),
    re_path(r"^mem0/v[123]/memories/search/$", mem0.Searching.as_view(top_k=mem0.HOSTED_TOP_K)),
    path("mem0/v1/memories/<str:memory_id>/", mem0.OneMemory.as_view(hosted=True)),
    path("mem0/v1/memories/<str:memory_id>/history/", mem0.History.as_view()),
    path("mem0/v1/entities/", mem0.Entities.as_view(hosted=True)),
]

urlpatterns = [
    # What is asked most comes first: an address is compared with one after the other.
    path("api/v1/", include("memories.api.urls")),
    path("", include("memories.dashboard.urls")),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    # One place to sign in, with one throttle.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("hooks/<uuid:uid>", ChatMessage.as_view()),
    path("mcp", Memsite.as_view()),
    path("compat/", include(compat)),
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
