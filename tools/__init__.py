"""What developers and CI run beside the project itself."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence

ENDED = 128 + signal.SIGTERM


def call(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """Return the command's exit code. Whoever ends this process ends the command, and what surrounds the call."""
    early: list[int] = []
    # Who is ended while the command is begun would leave it behind: that waits until there is something to end.
    signal.signal(signal.SIGTERM, lambda number, _: early.append(number))
    with subprocess.Popen(command, env=environment) as process:  # noqa: S603
        try:
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))
            if early:
                sys.exit(ENDED)
            return process.wait()
        finally:
            process.terminate()
