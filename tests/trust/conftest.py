"""An operator at the desk."""

from tests.dashboard.conftest import olga

__all__ = ["olga"]
