# One command sets up and runs the main job: make openings. One sets up and passes the tests: make test.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: setup openings check test test-long bench clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

openings: setup
	$(BIN)/bgsim rollout --config configs/openings.toml --resume

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q -m "not long and not slow" --hypothesis-profile quick

test: setup
	$(BIN)/pytest -q

test-long: setup
	$(BIN)/pytest -q -m long --durations=15

bench: setup
	$(BIN)/pytest -q benchmarks --benchmark-only --override-ini testpaths=benchmarks

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .benchmarks
