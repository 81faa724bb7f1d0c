"""What a text says, read by rules: plain Python that knows no database, no network and no model."""
