"""Our server and our search beside those of other memory systems, which live in an environment of their own."""
