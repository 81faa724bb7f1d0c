"""Django's SQLite, with a few things mended: the engine of the settings."""
