# Every target sets up .venv by itself; nothing but Python >= 3.11 with venv, and make, is needed.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run demo test test-all bench lint clean

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "lrgpnode needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	@echo 'Setting up $(VENV): about a minute, longer on a Raspberry Pi.'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	@touch $@

# In a terminal the interface, with the node that runs or one of its own; else a node alone.
run: $(STAMP)
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BIN)/lrgpnode; else exec $(BIN)/lrgpnode run; fi

demo: $(STAMP)
	$(BIN)/lrgpnode demo

test: $(STAMP)
	$(BIN)/python -m pytest -m "not slow" -n 2 --dist worksteal

test-all: $(STAMP)
	LRGPNODE_HYPOTHESIS=thorough $(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(STAMP)
	$(BIN)/python -m tests.bench

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
