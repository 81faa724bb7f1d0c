import os

from django.core.wsgi import get_wsgi_application

from memsite.timed_bodies import time_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.settings")
application = time_bodies(get_wsgi_application())
