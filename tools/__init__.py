"""What developers and CI run beside the project itself."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence


def call(command: Sequence[str], environment: Mapping[str, str] | None = None) -> int:
    """The command's exit code. Whoever ends this process ends the command, and what stands around the call goes too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with subprocess.Popen(command, env=environment) as process:  # noqa: S603
        try:
            return process.wait()
        finally:
            process.terminate()
