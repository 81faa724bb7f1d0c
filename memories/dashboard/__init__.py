"""The operator's dashboard: pages of one app, for people with a browser. Views translate; MemoryAgent does the work."""
