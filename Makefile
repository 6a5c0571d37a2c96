# The front door: `make demo` and `make test` each work alone on a fresh clone with python3 and make.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test coverage lint docs reference notebooks bench fuzz soak answers release install clean
.DELETE_ON_ERROR:

demo: .venv/core
	$(BIN)/fedpact demo

# Tests run in a process per processor, so that each has one thread: more would wait for each other. What the
# browser shows in them is kept in build/screenshots.
test: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

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

# The page on the command line, from the commands.
reference: .venv/core
	$(BIN)/python scripts/write_command_line.py docs/reference/command-line.md

bench: .venv/bench
	$(BIN)/python -m pytest benchmarks -o python_files="bench_*.py" -p no:cacheprovider -s --no-header --timeout 0
	$(BIN)/python scripts/write_benchmarks.py

# A wheel and a source archive in dist/, installed in empty environments and used there: docs/results/release.md.
release:
	$(PYTHON) scripts/check_release.py

# Every reader of what somebody else wrote, for so many seconds each; figures in docs/results/fuzz.md.
FUZZ_SECONDS ?= 60
fuzz: .venv/fuzz
	$(BIN)/python -m fuzz --seconds $(FUZZ_SECONDS) --write

# So many whole runs in processes that are killed; figures in docs/results/soak.md.
SOAK_RUNS ?= 1000
soak: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m soak --runs $(SOAK_RUNS) --write

# The answers of an earlier commit against those of the files here, number by number.
BEFORE ?= HEAD
answers: .venv/dev
	$(BIN)/python scripts/compare_answers.py $(BEFORE)

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
