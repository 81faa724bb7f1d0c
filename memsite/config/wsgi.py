import os

from django.core.wsgi import get_wsgi_application

from memsite.http.bodies import time_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")
application = time_bodies(get_wsgi_application())

from memories.store.vacuum import sweep_index_files  # noqa: E402  # asks a site that is set up

sweep_index_files()
