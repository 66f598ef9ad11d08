# Koujing: two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help docs site run shared test lint eval oracle bench scale faults fuzz clean setup lock wheel
help: ## Show the commands
	@awk -F':.*## ' '/^[a-z]+:.*## /{printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Build the private environment from the lock file
$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Koujing needs Python 3.11 or later; try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "building $(VENV) (once)"; $(PYTHON) -m venv $(VENV); } || \
	  { echo "python cannot make an environment; on Debian: apt install python3-venv" >&2; exit 1; }
	@echo "installing from requirements.lock (once)"
	@# Python compiles what is imported; compiling everything else would take a third of the time.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $(STAMP)

run: $(STAMP) ## Refresh the demo vendors' site for two days and print the rankings
	@$(BIN)/koujing demo

test: $(STAMP) ## Run the tests on all cores
	@$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not long"

# What a team shares goes through two extensions of DuckDB, of which wheels exist for one version of it only.
shared: $(STAMP) ## Run the tests of a shared ledger, with the DuckDB that can (needs PostgreSQL's programs)
	@test -x .venv-shared/bin/python || $(PYTHON) -m venv .venv-shared
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$(.venv-shared/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/rest.pth"
	@.venv-shared/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["shared"])')
	@.venv-shared/bin/python -m pytest tests/warehouse/test_shared.py

lint: $(STAMP) ## Layers, style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy

eval: $(STAMP) ## Score the extractor on labelled pages against its floors
	@$(BIN)/python -m tests.quality.evaluate

oracle: $(STAMP) ## Hold 100,000 random cards against a second reckoning in fractions (about 2 minutes on two cores)
	@$(BIN)/python -m tests.quality.oracle

bench: $(STAMP) ## Measure speed as ratios in one run
	@test -x .venv-bench/bin/python || { $(PYTHON) -m venv .venv-bench && .venv-bench/bin/python -m pip install --quiet \
	  --disable-pip-version-check quantulum3; } || echo "quantulum3 could not be installed; measuring without it" >&2
	@$(BIN)/python -m tests.bench.run

scale: $(STAMP) ## Measure the ledger with a million versions in 10,000 pages (slow)
	@$(BIN)/python -m tests.bench.ledger 10000

faults: $(STAMP) ## Every long test, and a refresh that is killed 200 times at random points (slow)
	@$(BIN)/python -m pytest -m long
	@$(BIN)/python -m tests.faults.kill_refresh 200

fuzz: $(STAMP) ## Fuzz extraction for FUZZ_SECONDS (60), guided by coverage
	@test -x .venv-fuzz/bin/python || { $(PYTHON) -m venv .venv-fuzz && .venv-fuzz/bin/python -m pip install --quiet \
	  --disable-pip-version-check atheris; }
	@$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
	  > "$$(.venv-fuzz/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/project.pth"
	@.venv-fuzz/bin/python -m tests.fuzz.run

docs: $(STAMP) ## Write anew what the documentation holds of the program; look at the diff
	@$(BIN)/python -m warehouse.reference
	@$(BIN)/python -m tests.docs.write

# MkDocs keeps to an environment of its own: nothing of it is needed to run or to test.
site: $(STAMP) ## Build the documentation as a site into build/site
	@test -x .venv-docs/bin/mkdocs || { $(PYTHON) -m venv .venv-docs && .venv-docs/bin/python -m pip install --quiet \
	  --disable-pip-version-check $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])'); }
	@NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --quiet --strict
	@$(BIN)/python -m tests.docs.site build/site

lock: $(STAMP) ## Renew requirements.lock from the ranges in pyproject.toml (needs uv)
	@uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --upgrade --no-emit-index-url \
	  --no-emit-find-links --no-header --no-annotate --quiet -o requirements.lock

wheel: $(STAMP) ## Build the wheel into dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist .

clean: ## Remove the environment, caches and built files (a ledger is never touched)
	rm -rf $(VENV) .venv-shared .venv-bench .venv-fuzz .venv-docs .fuzz dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
