"""Faults of whole hosts, under load, on the stand of `make hosts`: `make hosts-promises`."""
