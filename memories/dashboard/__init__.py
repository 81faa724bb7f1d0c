"""The operator's desk: pages of one app, for people with a browser. Interfaces translate; MemoryAgent does the work."""
