# Plain make, 3.81 and newer. Everything is installed into .venv; nothing else is touched,
# save that `make test` as root on Debian or Ubuntu installs the MariaDB server's program.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: help venv demo test check docs bench soak mariadb clean

help:
	@echo "make demo    the main job on a throw-away database, from damage to repair"
	@echo "make test    every test, on memory, SQLite and a private MariaDB"
	@echo "make check   lint, format, types, layers, generated pages"
	@echo "make docs    write the pages that are made from the program"
	@echo "make bench   speed and memory beside the raw driver"
	@echo "make soak    the long tests"
	@echo "make venv    only install into $(VENV)"
	@echo "make clean   remove $(VENV), caches and builds"

# Two stamps: the demo needs what a user needs, and no more.
$(VENV)/.run: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(VENV)/.run $@

venv: $(VENV)/.dev

mariadb:
	@sh tools/get-mariadb.sh

demo: $(VENV)/.run
	@$(BIN)/stovepipe demo
	@echo "the command is $(BIN)/stovepipe: export PATH=\"\$$PWD/$(BIN):\$$PATH\""

test: $(VENV)/.dev mariadb
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/rules_page.py --check
	$(BIN)/python tools/cli_page.py --check
	$(BIN)/python tools/demo_screen.py --check

docs: $(VENV)/.dev
	$(BIN)/python tools/rules_page.py
	$(BIN)/python tools/cli_page.py
	$(BIN)/python tools/demo_screen.py

# Without the C driver its rows are shown as skipped.
bench: $(VENV)/.dev mariadb
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,fast]' \
		|| echo "mysqlclient could not be installed: it needs a C compiler, pkg-config and libmariadb-dev"
	$(BIN)/python -m tests.bench

soak: $(VENV)/.dev mariadb
	$(BIN)/python -m pytest -m soak

clean:
	rm -rf $(VENV) build dist .coverage htmlcov .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
