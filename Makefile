# Every target works on a fresh machine that has Python 3.11 or newer: the environment is made from pyproject.toml.
PYTHON := $(shell for p in python3 python3.11 python3.12 python3.13 python3.14; do \
  $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
JOBS ?= 2
MODES := immediate fused

# XLA programs that tests and conformance compile are kept from run to run.
export JAX_COMPILATION_CACHE_DIR ?= $(CURDIR)/.cache/xla
export JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS ?= 0
export JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES ?= -1

.PHONY: demo examples examples-compare build matrix test test-distributed tiers lint pytest conformance bench docs stubs format clean

demo: .venv/ready
	$(BIN)/python -m tfgrad_jax examples/digits.py

# Every example, as long as it takes; the pictures are those of docs/gallery.md.
PICTURED := $(basename $(notdir $(shell grep -l '"--output"' examples/*.py)))
examples: .venv/ready
	@mkdir -p docs/pictures; for example in $(PICTURED); do echo "== $$example"; \
	  $(BIN)/python -m tfgrad_jax examples/$$example.py --output docs/pictures/$$example.png || exit 1; done

# Each example beside TensorFlow, for a few steps: where the two first differ.
COMPARED := $(filter-out optax_training,$(PICTURED))
examples-compare: .venv/ready .venv-bench/ready
	@for example in $(COMPARED); do echo "== $$example"; quick=$$(grep -q '"--quick"' examples/$$example.py && echo --quick || echo --epochs=1); \
	  $(BIN)/python -m tfgrad_jax compare examples/$$example.py $$quick --output $$(mktemp -d)/picture.png \
	  --tensorflow .venv-bench/bin/python || failed=1; done; test -z "$$failed"

# All of it runs, whatever fails on the way; then `make` fails. What takes one processor alone runs side by side.
test: .venv/ready
	@$(MAKE) --no-print-directory --keep-going --jobs=$(JOBS) lint $(MODES:%=conformance-%); beside=$$?; \
	  $(MAKE) --no-print-directory pytest && exit $$beside

# Other versions of Python and JAX: .ci/matrix says which.
matrix:
	JOBS=$(JOBS) .ci/matrix

lint: .venv/ready
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

pytest: .venv/ready
	@failed=; for mode in $(MODES); do echo "== pytest, $$mode mode"; \
	  TFGRAD_JAX_MODE=$$mode $(BIN)/python -m pytest -n $(JOBS) --dist worksteal || failed="$$failed $$mode"; done; \
	  test -z "$$failed" || { echo "pytest failed in these modes:$$failed"; exit 1; }

conformance:
	@$(MAKE) --no-print-directory --keep-going $(MODES:%=conformance-%)

# What it says comes at once, so that other targets may run beside it.
conformance-%: .venv/ready
	@said=$$(TFGRAD_JAX_MODE=$* $(BIN)/python -m conformance); status=$$?; \
	  printf '%s\n' "== conformance, $* mode" "$$said"; exit $$status

# The suite and conformance where all is compiled when it is first met, and where nothing is that can be interpreted: hours.
tiers: .venv/ready
	@failed=; for tiers in compiled interpreted; do echo "== $$tiers"; \
	  TFGRAD_JAX_TIERS=$$tiers $(MAKE) --no-print-directory --keep-going pytest conformance || failed="$$failed $$tiers"; done; \
	  test -z "$$failed" || { echo "failed in these tiers:$$failed"; exit 1; }

# Workers that are killed at random: longer than a test may take.
test-distributed: .venv/ready
	$(BIN)/python tests/distributed/killed_workers.py

# TensorFlow gets an environment of its own. PyTorch takes part if BENCH_TORCH_PYTHON names an interpreter that has it.
bench: .venv/ready .venv-bench/ready
	env -u JAX_COMPILATION_CACHE_DIR BENCH_TENSORFLOW_PYTHON=.venv-bench/bin/python $(BIN)/python -m benchmarks --picture docs/pictures/benchmarks.svg

# The site, in site/: pages are gathered and made in build/docs/ first.
docs: .venv-docs/ready
	.venv-docs/bin/python docs/build.py
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet

# The files of a release, in dist/, and whether the wheel works in an environment that has nothing else.
build:
	rm -rf dist .venv-dist && $(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check build
	.venv-dist/bin/python -m build --quiet
	$(PYTHON) -m venv --clear .venv-dist
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd .venv-dist && bin/python -c "import tfgrad_jax as tf; print(tf.add(1, 2))"

# What editors read of the public names; a test says when it is old.
stubs: .venv/ready
	$(BIN)/python docs/stubs.py

format: .venv/ready
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf .venv .venv-bench .venv-dist .venv-docs .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist site

.venv/ready: EXTRAS := test,demo
.venv-bench/ready: EXTRAS := conformance,demo
.venv-docs/ready: EXTRAS := docs
.venv/ready .venv-bench/ready .venv-docs/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or newer with venv found (tried python3, python3.11 to python3.14)"; exit 1; }
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]'
	@touch $@
