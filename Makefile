# The front door: `make demo` and `make test` each work alone on a fresh clone with python3 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test lint bench install clean
.DELETE_ON_ERROR:

demo: .venv/core
	$(BIN)/fedpact demo

# Tests run in a process per processor, so that each has one thread: more would wait for each other. What the
# browser shows in them is kept in build/screenshots.
test: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/bench
	$(BIN)/python -m pytest benchmarks -o python_files="bench_*.py" -p no:cacheprovider -s --no-header

install: .venv/core

.venv/python:
	$(PYTHON) -m venv .venv
	touch $@

.venv/core: .venv/python pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

.venv/dev: .venv/core
	$(PIP) -e '.[dev]'
	touch $@

.venv/bench: .venv/core
	$(PIP) -e '.[dev,bench]'
	touch $@

clean:
	rm -rf .venv
