"""Every endpoint under /compat: addresses as the other systems' clients have them, slashes and all."""

from django.urls import path, re_path

from memories.compat.mem0 import views as mem0
from memories.compat.memory_tool import MemoryTool
from memories.mcp.views import ReferenceMemory

urlpatterns = [
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
