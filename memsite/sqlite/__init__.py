"""Django's SQLite, with one thing mended: the engine of the settings."""
