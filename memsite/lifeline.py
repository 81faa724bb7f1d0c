"""Processes that end with the process that started them, however that one ended.

Linux only: elsewhere `die_with_parent` does nothing, and children of a parent killed with -9 must be
stopped by hand.
"""

import ctypes
import os
import signal
import sys
from importlib import import_module
from multiprocessing import parent_process
from threading import Thread
from typing import Any

PR_SET_PDEATHSIG = 1  # linux/prctl.h


def die_with_parent(parent_pid: int | None = None) -> None:
    """Have the kernel kill this process when its parent dies. Survives exec, is not inherited by children.

    SIGKILL, because it only ever comes when the parent ended without stopping its children in order.
    `parent_pid` is who the parent should be: if it already is another one, ours died before we could ask.
    """
    if not sys.platform.startswith("linux"):
        return
    expected = os.getppid() if parent_pid is None else parent_pid
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != expected:
        os.kill(os.getpid(), signal.SIGKILL)


def die_with_starter() -> None:
    """`die_with_parent` in a process of `multiprocessing`, also where the one that started it is gone by now."""
    starter = parent_process()
    die_with_parent(starter.pid if starter else None)


def web_application() -> Any:
    """Granian's factory: runs in each of its workers, which otherwise outlive a killed granian."""
    die_with_starter()
    from memsite.conf import get_conf
    from memsite.metrics import count_together
    from memsite.processors import keep_to_one
    from memsite.wsgi import application

    keep_to_one(get_conf().web_processes, get_conf().data_dir)
    count_together("web")
    Thread(target=load_sdk, name="load-sdk", daemon=True).start()
    return application


def load_sdk() -> None:
    """What MCP needs takes a second or more to load: nobody's first request should wait for that."""
    for name in ("mcp.server.streamable_http_manager", "mcp.server.mcpserver.utilities.func_metadata"):
        import_module(name)
