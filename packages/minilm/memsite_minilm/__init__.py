"""Weights and tokenizer of all-MiniLM-L6-v2. Located by Memsite, never imported."""
