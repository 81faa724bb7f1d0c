"""The site as it is, on a scratch database and with the embedder whose numbers can be checked by hand."""

import os
import tempfile
from dataclasses import replace

# A server with an empty database of the name `postgres` in which others may be made: `make test-postgres` starts one.
database_url = os.environ.get("TEST_DATABASE_URL", "")
# With the second wall, which only PostgreSQL has.
# Two processes of tests share the cores already: threads of each would wait for one another.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
has_row_security = bool(database_url and os.environ.get("TEST_ROW_SECURITY"))
for name in [name for name in os.environ if name.startswith("MEMSITE_")]:
    del os.environ[name]
os.environ["MEMSITE_SECRET_KEY"] = "only for tests"
os.environ["MEMSITE_EMBEDDER"] = "hash"
# The network judges by meaning, of which a hash knows nothing.
os.environ["MEMSITE_RELATIONS"] = "rules"
os.environ["MEMSITE_DATA_DIR"] = tempfile.mkdtemp(prefix="memsite-tests-")
os.environ["MEMSITE_LOG_LEVEL"] = "ERROR"
# No thread writes to a test's database after it.
os.environ["MEMSITE_COUNT_MILLISECONDS"] = "0"

from memsite.config.settings import *

# Not by the environment: programs that tests start have a database of their own.
if has_row_security:
    MEMSITE = replace(MEMSITE, database_url=database_url, row_security=True)
DATABASES = {"default": database(replace(MEMSITE, database_url=database_url))}
if not database_url:
    # Said, as it is said of Django's own SQLite alone that its tests are in memory.
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Page tests need no collected files.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
STATIC_ROOT.mkdir()
# Looking through the packages' files anew for each test client takes longer than most tests.
WHITENOISE_USE_FINDERS = False
