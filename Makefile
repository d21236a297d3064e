# What a clone can do. Every target makes the environment it needs, in .venv, when that is missing or when
# pyproject.toml has changed since. PYTHON says which Python makes it (3.11 or newer).

PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
PIP := $(RUN) -m pip --disable-pip-version-check --quiet

.PHONY: check test lint mutate evidence bench clean
# Two installations must not write to one environment at the same time.
.NOTPARALLEL:
.DELETE_ON_ERROR:

## Judge the captures that ship with the project.
check: $(VENV)/made-run
	@$(RUN) -m validator check

## Run the tests.
test: $(VENV)/made-test
	@$(RUN) -m pytest

## Read the code for mistakes: style and types.
lint: $(VENV)/made-lint
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy --no-error-summary

## Break the records in every way the claims know, and see that each is noticed.
mutate: $(VENV)/made-run
	@$(RUN) -m validator mutate captures tests/constructed

## Observe every version again, and write the descriptor's evidence, its provenance and its page from that.
evidence: DESCRIPTOR := com.nousresearch.hermes
evidence: $(VENV)/made-run
	@$(RUN) -m validator observe captures --by-version reports/observations
	@$(RUN) -m validator evidence add $(DESCRIPTOR) reports/observations/*.json --replace
	@$(RUN) -m validator evidence provenance $(DESCRIPTOR) --write
	@$(RUN) -m validator evidence page $(DESCRIPTOR) --write
	@$(RUN) -m validator lint $(DESCRIPTOR)

## Write the matrix of versions against claims anew, under reports/.
matrix: $(VENV)/made-run
	@$(RUN) -m validator matrix --write reports

## Measure what a check costs, on grown stores.
## BENCH holds its options, such as BENCH="--messages 1000000 --output reports/benchmark".
bench: $(VENV)/made-bench
	@$(RUN) -m tests.bench $(BENCH)

## Remove everything that these targets made.
clean:
	@rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find validator tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, and $(PYTHON) is " + sys.version.split()[0] + ": make PYTHON=python3.11 …")'
	@$(PYTHON) -m venv $(VENV)

$(VENV)/made-run: pyproject.toml | $(RUN)
	@$(PIP) install --editable .
	@touch $@

$(VENV)/made-%: pyproject.toml | $(RUN)
	@$(PIP) install --editable '.[$*]'
	@touch $@
