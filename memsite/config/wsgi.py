import os

from django.core.wsgi import get_wsgi_application

from memsite.http.bodies import time_bodies

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsite.config.settings")
application = time_bodies(get_wsgi_application())
