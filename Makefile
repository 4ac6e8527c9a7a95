# make demo | make test | make fuzz N=2000 | make lint | make bench | make clean
# Needs Python >= 3.9 with venv, make, and a C++17 compiler. Everything else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n 2
N ?= 200
FUZZ_ARGS ?= --jobs 2
DECLARED := setup.cfg setup.py pyproject.toml

.PHONY: demo test fuzz lint bench clean

demo: $(VENV)/.installed
	$(BIN)/python examples/run_all.py

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz --count $(N) $(FUZZ_ARGS)

lint: $(VENV)/.installed-test
	$(BIN)/python -m ruff check .
	$(BIN)/python -m mypy

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/transpile_time.py
	$(BIN)/python benchmarks/cpu_vs_numpy.py
	$(BIN)/python benchmarks/plan.py --quick

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 9))' || \
	  { echo "$(PYTHON) is missing or older than 3.9: install Python 3.9 or newer, or say make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments: install python3-venv (Debian, Ubuntu: apt-get install python3-venv)"; exit 1; }
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created $(DECLARED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.created $(DECLARED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $(VENV)/.installed $@
