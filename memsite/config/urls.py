from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from memories.api.collector import metrics
from memories.api.health import healthz, readyz
from memories.api.schema import InFormatAsked
from memories.api.views.webhooks import ChatMessage
from memories.mcp.views import Memsite

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
    path("compat/", include("memories.compat.urls")),
    path("api/schema", SpectacularAPIView.as_view(content_negotiation_class=InFormatAsked), name="schema"),
    path("api/docs", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="docs"),
    path("", include("memsite.oauth.urls")),
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
]

handler400 = "memsite.http.problems.bad_request"
handler403 = "memsite.http.problems.permission_denied"
handler404 = "memsite.http.problems.not_found"
handler500 = "memsite.http.problems.server_error"
