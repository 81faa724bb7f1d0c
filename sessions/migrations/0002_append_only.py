"""What was said is never changed, and goes only with a purge; nothing joins two apps."""

from django.db import migrations

from memsite.tenancy.append_only import AppendOnly, SameApp


class Migration(migrations.Migration):
    dependencies = [("agent_sessions", "0001_sessions_turns_resources_events"), ("tenancy", "0001_apps_agents_keys")]

    operations = [
        AppendOnly("agent_sessions_turn"),
        AppendOnly("agent_sessions_resource"),
        AppendOnly("agent_sessions_event"),
        SameApp("agent_sessions_agentsession", "agent_id", "tenancy_agent"),
        SameApp("agent_sessions_turn", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_resource", "session_id", "agent_sessions_agentsession"),
        SameApp("agent_sessions_event", "session_id", "agent_sessions_agentsession"),
    ]
