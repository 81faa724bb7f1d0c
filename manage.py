#!/usr/bin/env python
"""Memsite's command line: `manage.py help` lists what it can do."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A setting that cannot be: it is named, and where in the code that was noticed helps nobody.
        sys.exit(str(error))
    except KeyboardInterrupt:
        # Who pressed Ctrl-C knows it. This is the exit code that shells know.
        sys.exit(130)
    except Exception as error:
        from memsite.db.transactions import is_out_of_reach
        from memsite.ops.storage_errors import why_unwritable

        if not (is_out_of_reach(error) or why_unwritable(error)):
            raise
        # Django's own commands; ours say as much.
        from memories.management import plain_message

        sys.exit(plain_message(error))
