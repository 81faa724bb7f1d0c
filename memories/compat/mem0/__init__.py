"""mem0's REST, of its self-hosted server and of its hosted one, on our store.

`user_id` is the end user; `agent_id`, `app_id` and `run_id` lie in the metadata, where filters find them.
"""
