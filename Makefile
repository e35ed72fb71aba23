# Every target makes the environment it needs in .venv, from nothing but Python 3.11 (or later) with venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

# Tests start hundreds of processes: compiled once, they start sooner, whatever this shell says of other programs.
unexport PYTHONDONTWRITEBYTECODE
# A file's tests stay in one process, so that what they share (a browser, a studio, learned models) is made once.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile

.PHONY: demo test test-all test-lowest check dist docs bench bench-quality bench-structured bench-real bench-ask bench-growth soak reproduction clean
.DELETE_ON_ERROR:

demo: $(VENV)/runs
	$(BIN)/hassle demo

test: $(VENV)/develops
	$(PYTEST)

test-all: $(VENV)/develops
	$(PYTEST) -m "slow or not slow"

check: $(VENV)/develops
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# A wheel and an sdist, each installed into an environment of its own and tried there.
dist: $(VENV)/develops
	rm -rf dist build/try
	$(BIN)/python -m build --outdir dist
	for made in dist/*.whl dist/*.tar.gz; do \
	  rm -rf build/try && $(PYTHON) -m venv build/try && \
	  build/try/bin/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt $$made && \
	  (cd build/try && bin/python ../../scripts/smoke.py) || exit 1; \
	done

# The site in build/site: every example is run, and what it prints compared. `make docs ACCEPT=--accept` takes over what
# has changed.
docs: $(VENV)/develops
	$(PIP) -e '.[docs]'
	$(BIN)/python scripts/make_docs.py $(ACCEPT)

# The lowest versions of what pyproject.toml asks for, in an environment of their own.
test-lowest: $(BIN)/python
	rm -rf build/lowest && $(PYTHON) -m venv build/lowest
	$(PYTHON) scripts/lowest.py > build/lowest/constraints.txt
	build/lowest/bin/python -m pip --disable-pip-version-check install --quiet --constraint build/lowest/constraints.txt \
	  -e . pytest hypothesis pytest-xdist
	build/lowest/bin/python -m pytest -n 2 tests/test_model.py tests/test_solve.py tests/test_learn_cli.py tests/test_cli.py \
	  tests/test_estimator.py tests/test_evaluation_measures.py

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

bench-growth: $(VENV)/develops
	$(BIN)/python benchmarks/growth.py

soak: $(VENV)/develops
	$(BIN)/python benchmarks/soak.py

bench-ask: $(VENV)/develops
	$(BIN)/python benchmarks/ask.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

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
