# Every target makes the environment it needs in .venv, from nothing but Python 3.11 (or later) with venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: demo test test-all check bench bench-quality bench-structured bench-real reproduction clean
.DELETE_ON_ERROR:

demo: $(VENV)/runs
	$(BIN)/hassle demo

test: $(VENV)/develops
	$(BIN)/python -m pytest -n 2

test-all: $(VENV)/develops
	$(BIN)/python -m pytest -n 2 -m "slow or not slow"

check: $(VENV)/develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/develops
	$(BIN)/python benchmarks/foundation.py
	$(BIN)/python benchmarks/solvers.py
	$(BIN)/python benchmarks/sls.py
	$(BIN)/python benchmarks/evaluation.py
	$(BIN)/python benchmarks/milp.py
	$(BIN)/python benchmarks/time_limits.py

reproduction: $(VENV)/develops
	$(BIN)/python scripts/make_reproduction.py

bench-quality: $(VENV)/develops
	$(BIN)/python benchmarks/quality.py

bench-structured: $(VENV)/develops
	$(BIN)/python benchmarks/structured.py

bench-real: $(VENV)/develops
	$(BIN)/python benchmarks/real.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hassle needs Python 3.11 or later; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." \
	         "Name another one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/runs: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing hassle into $(VENV) (once; a minute or two)" >&2
	$(PIP) -e .
	$(BIN)/hassle warm-up
	@touch $@

$(VENV)/develops: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing hassle and its development tools into $(VENV) (once; a minute or two)" >&2
	$(PIP) -e '.[dev]'
	@touch $(VENV)/runs $@
