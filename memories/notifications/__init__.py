"""Telling others: what changes in an app, as messages to webhooks and as a feed."""
