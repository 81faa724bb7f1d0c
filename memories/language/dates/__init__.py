"""Dates and times: those a text speaks of (`windows`), those ahead (`future`), and how they are written down."""
