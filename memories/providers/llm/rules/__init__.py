"""The rules: the questions of `memories.providers.llm.provider` answered without a model."""
