"""What docs/promises.md says, tried on real servers in processes of their own: `make promises`."""
