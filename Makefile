# The front door: `make demo` and `make test` each work alone on a fresh clone with python3 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow coverage lint docs reference notebooks bench fuzz faults soak reproduce answers walk lines release install clean
.DELETE_ON_ERROR:

demo: .venv/core
	$(BIN)/fedpact demo

# Tests run in a process per processor, so that each has one thread: more would wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder
SLOW := slow or flower or torch or ray or browser or postgresql or docs

test: .venv/test
	$(PYTEST) -m "not ($(SLOW))"

# The rest: what takes long, and what needs Flower, PyTorch, Ray, Chromium or PostgreSQL. What the browser shows is kept
# in build/screenshots.
test-slow: .venv/dev
	FEDPACT_ALL_EXTRAS=1 $(PYTEST) -m "$(SLOW)"

# Which branches of the five layers that hold the mathematics their tests take; kept in docs/results/test-coverage.md.
coverage: .venv/dev
	$(BIN)/python scripts/measure_coverage.py

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Runs the notebooks of docs/notebooks and keeps what they print.
notebooks: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python scripts/run_notebooks.py

# The site, in build/site: index.html opens without a server. Material says at every build when it ends; not here.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	$(BIN)/python scripts/check_site.py build/site

# The pages on the command line and on JSON, from the program.
reference: .venv/dev
	$(BIN)/python scripts/write_command_line.py docs/reference/command-line.md
	$(BIN)/python scripts/write_json_reference.py docs/reference/json.md

bench: .venv/bench
	$(BIN)/python -m pytest benchmarks -o python_files="bench_*.py" -p no:cacheprovider -s --no-header --timeout 0
	$(BIN)/python scripts/write_benchmarks.py

# A wheel and a source archive in dist/, installed in empty environments and used there: docs/results/release.md.
release:
	$(PYTHON) scripts/check_release.py

# Every reader of what somebody else wrote, for so many seconds each; figures in docs/results/fuzz.md.
FUZZ_SECONDS ?= 60
fuzz: .venv/fuzz
	PYTHONPATH=tests:scripts $(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --write

# Programs of tests/simulation; SEED=3 takes one seed alone. What held is remembered in build/.
SIMULATION = OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH=tests:scripts $(BIN)/python -m simulation

# So many simulated worlds in which everything goes wrong; figures in docs/results/faults.md.
WORLDS ?= 20000
faults: .venv/dev
	$(SIMULATION) $(if $(SEED),--seed $(SEED),--count $(WORLDS) --write)

# So many whole runs in processes that are killed; figures in docs/results/soak.md.
SOAK_RUNS ?= 1000
soak: .venv/dev
	$(SIMULATION).soak $(if $(SEED),--seed $(SEED),--count $(SOAK_RUNS) --write)

# An experiment, with its page in docs/results: make reproduce NAME=planner-table ARGS="--data DIR". Without a NAME
# all are listed; a quick run is written nowhere.
reproduce: .venv/reproduction
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m reproduction $(NAME) $(ARGS) \
		$(if $(NAME),$(if $(findstring --quick,$(ARGS)),,--out docs/results))

# The answers of an earlier commit against those of the files here, number by number.
BEFORE ?= HEAD
answers: .venv/dev
	$(BIN)/python scripts/compare_answers.py $(BEFORE)

# The walk of one federation through the files: files touched, switches between them, modules imported.
walk: .venv/core
	$(BIN)/python scripts/trace_walk.py

# How much there is to read: lines of code without docstrings, comments and imports, folder by folder.
lines:
	$(PYTHON) scripts/count_lines.py

install: .venv/core

.venv/python:
	$(PYTHON) -m venv .venv
	touch $@

.venv/core: .venv/python pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

.venv/test: .venv/core
	$(PIP) -e '.[test]'
	touch $@

.venv/dev: .venv/core
	$(PIP) -e '.[dev]'
	touch $@

.venv/reproduction: .venv/core
	$(PIP) -e '.[reproduction]'
	touch $@

.venv/docs: .venv/core
	$(PIP) -e '.[docs]'
	touch $@

.venv/bench: .venv/core
	$(PIP) -e '.[dev,bench]'
	touch $@

.venv/fuzz: .venv/core
	$(PIP) -e '.[fuzz]'
	touch $@

clean:
	rm -rf .venv build dist
