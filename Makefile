# Two commands to know: `make run` to see it work, `make test` for everything CI checks. The rest: `make help`.

# Compiled dependencies outlive the checkout, so a fresh clone on the same machine starts warm.
export CARGO_TARGET_DIR ?= $(HOME)/.cache/mangrove-target
export CARGO_TERM_COLOR ?= auto

TOOLS    := $(HOME)/.cache/mangrove-tools
DENY     := $(TOOLS)/bin/cargo-deny
DENY_VER := 0.20.2
CARGO_DEB := $(TOOLS)/bin/cargo-deb
CARGO_DEB_VER := 3.8.0
MDBOOK   := $(TOOLS)/bin/mdbook
MDBOOK_VER := 0.5.4
REFERENCE := $(HOME)/.cache/mangrove-reference
RELEASE  := $(CARGO_TARGET_DIR)/release
DEBUG    := $(CARGO_TARGET_DIR)/debug
PYTHON   := .venv/bin/python
PYTHON4  := .venv4/bin/python
WHEELS   := target/wheels
EMBEDDED := target/python/bin/python

# Settings for single targets, e.g. `make run PERSONS=10000 PORT=9000`, `make bench SCALE=sf1`.
PERSONS ?= 1000
SEED    ?= 7
PORT    ?= 8182
SEEDS   ?= 10000
FUZZ    ?= 600
CASES   ?= 5000
TRIALS  ?= 10
SHARED  ?= ../shared
SCALE   ?= sf0.1
DATA    ?= data/graph/$(SCALE)
FILES   ?= data/ldbc/$(SCALE)

BENCHES := import algorithms merges memory cache pools commits recovery hub secondary schema limit point cancel fairness tenants scopes ic instructions
BENCH   := $(RELEASE)/bench

.DEFAULT_GOAL := help
.PHONY: help build build-bench build-trials run test lint fmt audit unit drivers driver-versions browser kill-test histories short-histories measure holes simulate answers bench misses fuzz files conformance differential planted options hostile short-hostile soak tinkerpop parquet readme readme-all deb try-deb release docs studio studio-test studio-lint pictures tools clean wheel python-test python-lint python-tinkerpop bench-python $(BENCHES:%=bench-%)

help: ## Print this list
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14
	@echo 'Settings: PERSONS SEED PORT (run), ROUNDS (kill-test, histories), SEEDS (simulate), FUZZ (seconds), CASES and TRIALS (differential), MINUTES (soak), SCALE or DATA and FILES (bench), GRAPHS (files), ONLY (answers, driver-versions), TARGETS (release)'

build: studio ## Build the release binary, with the studio in it where Node is
	cargo build --release --locked -p mangrove

# Made anew only where something of it has changed: it takes half a minute, and cargo would compile the server again.
STUDIO := studio/dist/index.html
STUDIO_SOURCES := $(shell find studio/src studio/build studio/index.html studio/vite.config.ts studio/package-lock.json -type f 2>/dev/null) crates/mangrove/src/console/steps.rs

studio: ## The page that the server serves at /, into studio/dist, where Node is; cargo puts it into the binary
	@if command -v npm > /dev/null; then $(MAKE) --no-print-directory $(STUDIO); \
	  else echo 'studio: SKIPPED, since there is no npm here; the binary is built without it, and says so at /'; fi

$(STUDIO): studio/node_modules $(STUDIO_SOURCES)
	cd studio && npm run --silent build

studio/node_modules: studio/package-lock.json
	cd studio && npm ci --silent --no-audit --no-fund
	@touch $@

studio-lint: studio/node_modules ## Formatting, lints and types of the studio, and its tests without a browser
	cd studio && npm run --silent lint && npm run --silent unit

studio-test: studio-lint studio ## The studio in headless Chromium, against what `make run` serves and a server with users and TLS; pictures in target/studio
	cargo build --locked -p mangrove
	@if chromium=$$(tests/browser/chromium); then cd studio && MANGROVE=$(DEBUG)/mangrove CHROMIUM="$$chromium" npm run --silent browser; \
	  else echo 'studio-test: SKIPPED, since there is no Chromium here and it could not be installed'; fi

# Of a studio that looks otherwise now; with 128 colours they are a third as large, where Pillow is.
PICTURES := network-light network-dark plan-light plan-dark
pictures: ## The README's pictures anew, of those that studio-test has taken
	cp $(PICTURES:%=target/studio/%.png) docs/pictures/
	@python3 -c "import sys; from PIL import Image; [Image.open(file).convert('RGB').quantize(128, dither=Image.Dither.NONE).save(file, optimize=True) for file in sys.argv[1:]]" $(PICTURES:%=docs/pictures/%.png) 2> /dev/null || echo 'pictures: left as large as they are, for there is no Pillow here'

run: build ## Generate a small social network, import it, serve it, and say how to connect
	@tests/run-demo $(RELEASE)/mangrove $(PERSONS) $(SEED) $(PORT)

# Built once and run once: what the next build would reuse, and where each line lies, is 10 GB that nobody reads.
test: export CARGO_INCREMENTAL ?= 0
test: export CARGO_PROFILE_DEV_DEBUG ?= none
test: studio lint unit short-histories drivers readme browser studio-test short-hostile ## Everything CI runs

lint: $(DENY) ## Formatting, clippy with warnings denied, licences and sources of dependencies
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	$(DENY) --log-level error check bans licenses sources

fmt: ## Format the code
	cargo fmt --all

audit: $(DENY) ## Known vulnerabilities in dependencies (fetches the advisory database)
	$(DENY) check advisories

# The same inputs every time, so that a red run means the change under test; `make fuzz` looks for new ones.
unit: ## All Rust tests, with a short kill test and a little fuzzing
	MANGROVE_FUZZ_SEED=$(SEED) PROPTEST_RNG_SEED=$(SEED) cargo test --locked --workspace

drivers: $(PYTHON) $(PYTHON4) tests/drivers/node_modules ## TinkerPop's Python (3.8 and 4.0) and JavaScript drivers against a running server
	cargo build --locked -p mangrove
	$(PYTHON) tests/drivers/run.py $(DEBUG)/mangrove $(PYTHON4)

# Takes minutes and needs four registries, so it is no part of `make test`. ONLY=python, or ONLY=3.7: whose name or version has it.
driver-versions: ## TinkerPop's drivers in Python, JavaScript, Java and Go, old versions too, and its console; leaves target/bench/drivers.json
	cargo build --locked -p mangrove
	python3 -B tests/drivers/versions.py $(DEBUG)/mangrove target/drivers target/bench/drivers.json $(ONLY)

readme: $(PYTHON) tests/drivers/node_modules ## The README's examples as they are printed, on what `make run` serves; those in Java and Go: readme-all
	cargo build --locked -p mangrove --bin mangrove --example friends
	$(PYTHON) -B tests/readme/run.py $(DEBUG) tests/drivers/node_modules

# The drivers for Java and Go come from Maven Central and the Go module proxy, so it is no part of `make test`.
readme-all: $(PYTHON) tests/drivers/node_modules ## The same with those in Java and Go, for which it needs JDK, Maven and Go
	cargo build --locked -p mangrove --bin mangrove --example friends
	$(PYTHON) -B tests/readme/run.py $(DEBUG) tests/drivers/node_modules target/readme

# In a workspace of its own, since nothing else is to need Python. One wheel serves Python 3.10 and all later ones.
wheel: $(EMBEDDED) ## The engine for Python as a wheel, in target/wheels; needs PyPI for maturin
	target/python/bin/maturin build --release --locked --manifest-path python/Cargo.toml --out $(WHEELS)
	target/python/bin/abi3audit --strict $(WHEELS)/mangrove_db-*.whl

# Unoptimised but for its dependencies, so that it is built in minutes.
python-test: $(EMBEDDED) ## Tests of the Python package, with gremlinpython, pyarrow, pandas, Polars and networkx, and the examples of docs/python.md
	rm -rf target/python-debug
	target/python/bin/maturin build --profile dev --locked --manifest-path python/Cargo.toml --out target/python-debug
	target/python/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps target/python-debug/*.whl
	$(EMBEDDED) -m pytest -q python/tests

python-tinkerpop: ## gremlinpython's own feature runner over databases in its process: make python-tinkerpop SOURCES=DIR, a tree of apache/tinkerpop 3.8.1; after make python-test
	target/python/bin/pip install --quiet --disable-pip-version-check radish-bdd==0.18.2 PyHamcrest PyYAML lxml
	python/tinkerpop/run $(CURDIR)/$(EMBEDDED) $(SOURCES) $(SHARED)/conformance $(SHARED)/tinkerpop/data target/tinkerpop-python

python-lint: $(DENY) ## Formatting, clippy and licences of the Python package's own workspace
	cargo fmt --manifest-path python/Cargo.toml --check
	cargo clippy --locked --manifest-path python/Cargo.toml --all-targets -- -D warnings
	cd python && $(DENY) --log-level error check bans licenses sources

bench-python: wheel data/ldbc/sf1 ## Results as columns beside their iteration in Rust, frames beside an import, a point query; leaves target/bench/python.json
	target/python/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $(WHEELS)/mangrove_db-*.whl
	$(EMBEDDED) python/bench/run.py data/ldbc/sf1

deb: build $(CARGO_DEB) ## A Debian package with a systemd service, for this machine's architecture, in dist
	PATH="$(TOOLS)/bin:$$PATH" packaging/deb/build $(RELEASE)/mangrove dist/

try-deb: $(CARGO_DEB) ## The package in a clean Debian with systemd: installed, started, killed, upgraded, undone, removed; needs root, namespaces and debootstrap
	cargo build --locked -p mangrove
	PATH="$(TOOLS)/bin:$$PATH" packaging/deb/try $(DEBUG)/mangrove

release: $(CARGO_DEB) studio ## Static binaries and Debian packages for x86-64 and aarch64, with checksums, in dist; needs rustup and PyPI
	PATH="$(TOOLS)/bin:$$PATH" packaging/release dist $(TARGETS)

docs: $(MDBOOK) ## The documentation as a site, in target/book
	$(MDBOOK) build docs

# A gigabyte from PyPI, so it is no part of `make test`.
tools: ## The tools of docs/tools.md that can be tried without a hand: graph-notebook and LangChain
	cargo build --locked -p mangrove
	python3 -B tests/tools/run.py $(DEBUG)/mangrove target/tools

browser: ## Pages from elsewhere in headless Chromium, against a running server; as root it installs Chromium where apt can
	cargo build --locked -p mangrove
	@if chromium=$$(tests/browser/chromium); then python3 -B tests/browser/run.py $(DEBUG)/mangrove "$$chromium"; \
	  else echo 'browser: SKIPPED, since there is no Chromium here and it could not be installed'; fi

# Two dozen crates more, and a library in C, so it is a feature that is off, and no part of `make test`.
parquet: ## The program with Parquet (--features parquet), and the tests of what reads and writes it
	cargo build --locked -p mangrove --features parquet
	MANGROVE_FUZZ_SEED=$(SEED) cargo test --locked -p formats --features parquet --lib --test import_parquet --test export_csv
	cargo test --locked -p mangrove --features parquet --test parquet --test round_trips --test formats_told --test exports --test imports_refused --test carried
	cargo clippy --locked -p formats -p mangrove --features mangrove/parquet --all-targets -- -D warnings

kill-test: ## kill -9 at random moments under concurrent writers, ROUNDS times; leaves target/bench/kill.json
	MANGROVE_KILL_ROUNDS=$(or $(ROUNDS),100) cargo test --release --locked -p mangrove --test crash -- --nocapture

histories: build build-trials ## Concurrent clients over the wire, ROUNDS=1000 times: some serial order explains what they saw; leaves target/bench/histories.json
	$(RELEASE)/trials histories --rounds $(or $(ROUNDS),1000) --program $(RELEASE)/mangrove

# The same inputs every time, as far as the clock lets them be.
short-histories: ## A short form of it, twenty seconds, a part of `make test`
	cargo build --locked -p mangrove -p trials
	$(DEBUG)/trials histories --rounds 11 --transactions 1000 --seed $(SEED) --program $(DEBUG)/mangrove --out target/bench/short

measure: ## Tests that say how long something takes, for a machine with nothing else to do: a large change beside small ones, new names
	cargo test --release --locked -p mangrove --test large_beside_small -- --ignored --nocapture
	cargo test --release --locked -p graph --test new_names -- --ignored --nocapture

holes: ## Takes three mends out again, one by one: whether the histories find each hole within 20 rounds; leaves target/bench/holes.json
	trials/holes/find

simulate: ## The storage simulator: SEEDS histories of 1,300 operations on failing disks; leaves target/bench/simulator.json
	MANGROVE_SIM_SEEDS=$(SEEDS) cargo test --release --locked -p graph --test simulator -- --nocapture

fuzz: ## Every fuzzer for FUZZ seconds each
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p gremlin --test fuzz -- --nocapture
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p wire --test damage -- --nocapture
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p formats --test import_fuzz -- --nocapture
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p formats --test graph_files -- --nocapture no_bytes
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p formats --features parquet --test import_parquet -- --nocapture damaged
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p mangrove --test flipped_bytes -- --nocapture
	MANGROVE_FUZZ_SECONDS=$(FUZZ) cargo test --release --locked -p server --test fuzz -- --nocapture

# The samples that are in the repository and beside it are part of `make test`.
files: ## Sample graphs imported, exported in every format and imported again; GRAPHS=DIR: each file or folder there, too
	MANGROVE_FILES=$(if $(GRAPHS),$(abspath $(GRAPHS))) cargo test --release --locked -p mangrove --test round_trips -- --nocapture

# A short form, without bytecode, is in `make test` (trials/tests/conformance.rs). RENEW=--renew writes its lists anew.
conformance: ## TinkerPop's own scenarios, embedded and over WebSocket; leaves target/bench/conformance.json
	cargo run --locked -p trials -- conformance --tinkerpop $(SHARED)/tinkerpop $(RENEW)

# TRIALS seeds of CASES cases each; the same seed is the same cases. SEED is the first.
RUNNERS ?= py py-graphson js go
tinkerpop: build ## TinkerPop's own runners as they are: make tinkerpop SOURCES=DIR, a repository of apache/tinkerpop with the tag 3.8.1; leaves target/bench/tinkerpop.json
	@test -n "$(SOURCES)" || { echo 'make tinkerpop SOURCES=DIR, where DIR is a repository of apache/tinkerpop with the tag 3.8.1'; exit 2; }
	@mkdir -p target/bench
	MANGROVE_IO_DIRECTORY=$(abspath $(SHARED)/tinkerpop) $(SHARED)/conformance/run.sh \
	    $(RELEASE)/mangrove $(SOURCES) $(SHARED)/tinkerpop/data target/tinkerpop $(RUNNERS) | tee target/bench/tinkerpop.log
	awk '/^[a-z-]+: executed/ { printf "%s{\"runner\": \"%s\", \"executed\": %d, \"passed\": %d, \"failed\": %d}", \
	    n++ ? ",\n " : "[", substr($$1, 1, length($$1) - 1), $$3, $$5, $$7 } END { print n ? "]" : "[]" }' \
	    target/bench/tinkerpop.log > target/bench/tinkerpop.json

differential: build-trials $(REFERENCE) ## Random traversals, reads and writes, against TinkerGraph; leaves target/bench/differential.json
	$(RELEASE)/trials differential --jars $(REFERENCE) --classes $(REFERENCE)-classes \
	  --seed $(SEED) --seeds $(TRIALS) --cases $(CASES)

planted: $(REFERENCE) ## Whether the random traversals find twelve faults that are planted in the engine; leaves target/bench/planted.json
	trials/planted/find $(REFERENCE)

# A short form is in `make test` (trials/tests/options.rs).
options: build-trials ## Random traversals under all options of the planner and the engine: 20,000 of them, without Java
	$(RELEASE)/trials options --seed $(SEED)

hostile: build build-trials ## Traversals that explode, 10,000 of them, against a server with small bounds; leaves target/bench/hostile.json
	$(RELEASE)/trials hostile --program $(RELEASE)/mangrove

# As in `unit`, the same queries every time. The machine does other things, and the server is not optimised: it must not be
# stuck nor take more memory than it may; how late it is, `hostile` says.
short-hostile:
	cargo build --locked -p mangrove -p trials
	$(DEBUG)/trials hostile --short --seed $(SEED) --program $(DEBUG)/mangrove --out target/bench/short

soak: build build-trials ## Everything at once for MINUTES=30: memory, disk and latency stay flat, nothing is lost; leaves target/bench/soak.json
	$(RELEASE)/trials soak --minutes $(or $(MINUTES),30) --seed $(SEED) --program $(RELEASE)/mangrove

answers: build data/graph/sf0.1 data/ldbc/answers $(PYTHON) ## LDBC's and Banyan's queries over WebSocket against the expected answers
	tests/with-server $(RELEASE)/mangrove data/graph/sf0.1 \
	  $(PYTHON) tests/answers/answers.py --answers data/ldbc/answers/sf0.1 $(if $(ONLY),--only $(ONLY))

bench: $(BENCHES:%=bench-%) ## Every benchmark, on an imported graph (SCALE=sf1, or DATA=DIR FILES=DIR; LARGER=data/generated/312000 for a second import); figures in target/bench

bench-%: ## One of them: import, memory, cache, pools, commits, recovery, hub, secondary, schema, limit, algorithms, merges, point, cancel, fairness, tenants, scopes, ic, instructions
bench-import: build build-bench $(FILES) $(LARGER)
	$(BENCH) import $(FILES) $(LARGER) --rounds 3 --program $(RELEASE)/mangrove
bench-limit bench-algorithms bench-point bench-cancel bench-commits bench-pools bench-recovery: bench-%: build-bench $(DATA)
	$(BENCH) $* $(DATA)
bench-fairness: build build-bench $(DATA)
	$(BENCH) fairness $(DATA) --program $(RELEASE)/mangrove
bench-tenants: build build-bench $(DATA)
	$(BENCH) tenants $(DATA) --program $(RELEASE)/mangrove
bench-hub bench-merges bench-secondary bench-schema: bench-%: build-bench
	$(BENCH) $*
bench-scopes bench-memory bench-cache bench-bounds bench-instructions: bench-%: build-bench $(DATA) $(FILES)
	$(BENCH) $* $(DATA) $(FILES)
bench-ic: build-bench $(DATA) $(FILES)
	$(BENCH) ic $(DATA) $(FILES) --limit $(SHARED)/limit

misses: $(DATA) ## Instructions and cache misses per edge, counted by valgrind (SCALE=sf1)
	cargo run --release --locked -p graph --example misses -- $(DATA)

build-bench:
	cargo build --release --locked -p bench
build-trials:
	cargo build --release --locked -p trials

# Unpacked and imported data, kept in the checkout (and out of git). Only what is complete gets its name.
data/ldbc/sf0.1: ARCHIVE = sf0.1.tar.zst
data/ldbc/sf1:   ARCHIVE = sf1-bulk.tar.zst
data/ldbc/sf0.1 data/ldbc/sf1:
	rm -rf $@.part && mkdir -p $@.part
	zstd -dc --long=27 $(SHARED)/ldbc/$(ARCHIVE) | tar x -C $@.part --strip-components=1
	mv $@.part $@

data/ldbc/answers:
	rm -rf $@.part && mkdir -p $@.part
	zstd -dc --long=27 $(SHARED)/ldbc/answers/sf0.1-answers.tar.zst | tar x -C $@.part
	mv $@.part $@

# A generated network of so many people: 557 edges for each of them, so that 312,000 have ten times those of SF1.
data/generated/%: | build
	rm -rf $@.part && mkdir -p $(@D)
	$(RELEASE)/mangrove generate social --persons $* $@.part
	mv $@.part $@

data/graph/%: data/ldbc/% | build
	rm -rf $@.part && mkdir -p $(@D)
	$(RELEASE)/mangrove --data $@.part import $<
	mv $@.part $@

$(PYTHON): tests/drivers/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r tests/drivers/requirements.txt
	@touch $@

# The driver of TinkerPop 4 has the same name as that of 3.
$(PYTHON4): tests/drivers/requirements4.txt
	python3 -m venv .venv4
	.venv4/bin/pip install --quiet --disable-pip-version-check -r tests/drivers/requirements4.txt
	@touch $@

$(EMBEDDED): python/requirements.txt
	python3 -m venv target/python
	target/python/bin/pip install --quiet --disable-pip-version-check -r python/requirements.txt
	@touch $@

tests/drivers/node_modules: tests/drivers/package-lock.json
	cd tests/drivers && npm ci --silent --no-audit --no-fund
	@touch $@

# Gremlin Server and TinkerGraph, from Maven.
$(REFERENCE): trials/java/pom.xml
	rm -rf $@.part
	mvn --quiet --batch-mode -f $< dependency:copy-dependencies -DoutputDirectory=$@.part
	rm -rf $@ && mv $@.part $@

# A few minutes once per machine; kept outside the checkout.
$(DENY):
	CARGO_TARGET_DIR=$(TOOLS)/target cargo install --locked --quiet --root $(TOOLS) cargo-deny@$(DENY_VER)
	rm -rf $(TOOLS)/target
$(CARGO_DEB):
	CARGO_TARGET_DIR=$(TOOLS)/target cargo install --locked --quiet --root $(TOOLS) cargo-deb@$(CARGO_DEB_VER)
	rm -rf $(TOOLS)/target
$(MDBOOK):
	CARGO_TARGET_DIR=$(TOOLS)/target cargo install --locked --quiet --root $(TOOLS) mdbook@$(MDBOOK_VER)
	rm -rf $(TOOLS)/target

clean: ## Remove what was built or downloaded into the checkout
	rm -rf target .venv .venv4 tests/drivers/node_modules studio/node_modules data dist
	find studio/dist -mindepth 1 ! -name .gitignore -delete
