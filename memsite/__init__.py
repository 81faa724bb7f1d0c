from memsite.config.celery import app as celery_app
from memsite_client import __version__

__all__ = ["__version__", "celery_app"]
