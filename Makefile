# One virtual environment, made on first use. `make demo` and `make test` are all that a newcomer needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: install demo test test-live check format lint types coverage bench pictures clean

install: $(INSTALLED)

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet -c constraints.txt "pip>=25.1"
	$(BIN)/python -m pip install --quiet -c constraints.txt --group dev -e ".[studio,postgres,evals]"
	touch $@

demo: install  ## Start the embedded model on real vLLM and explain and simplify the examples.
	$(BIN)/draftroom models up --profile embedded
	$(BIN)/draftroom explain examples/mosses.md --preset embedded
	$(BIN)/draftroom simplify examples/inhalers.md --preset embedded

test: install  ## All tests that need no model server; loopback only.
	$(BIN)/python -m pytest -n auto --dist loadfile

test-live: install  ## Tests against real vLLM serving the embedded model (installed on first use).
	$(BIN)/python -m pytest -m live

check: install format-check lint types coverage  ## What CI checks.

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

format-check:
	$(BIN)/ruff format --check .

lint:
	$(BIN)/ruff check .

types:
	$(BIN)/mypy

coverage:
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n auto --dist loadfile
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=90 --skip-covered

bench: install  ## What the graph adds to each agent call, and the size of checkpoints.
	$(BIN)/python -m benchmarks.graph_overhead

pictures: install  ## Draw the graphs of langgraph.json into README.md.
	$(BIN)/python -m docs.draw_graphs

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .coverage*
