#!/usr/bin/env python
"""Memsite's command line: `manage.py help` lists what it can do."""

import sys

from memsite.__main__ import manage

if __name__ == "__main__":
    manage(sys.argv)
