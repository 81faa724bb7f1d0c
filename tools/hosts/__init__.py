"""Several hosts on one machine: `make hosts`, and what `make hosts-promises` tries on them."""
