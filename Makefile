# SPDX-License-Identifier: MIT
# The front door: each target installs what it needs and hands over to Meson.

BUILD = build
PREFIX = /usr/local
DESTDIR =

# What "make compare" compares with, and options of hotpath compare.
BASE = main
OPTIONS =

# How long "make attack" goes on, and what it repeats.
SECONDS = 600
SEED =

LOG = $(BUILD)/meson-logs/testlog.json

.PHONY: all demo check check-all attack bench compare lint format install distcheck clean setup setup-all
.NOTPARALLEL:

all: setup
	@ninja -C $(BUILD)

setup:
	@tools/setup.sh build
	@test -f $(BUILD)/build.ninja || meson setup $(BUILD) --prefix="$(PREFIX)"

setup-all:
	@tools/setup.sh

demo: all
	@$(BUILD)/src/cli/hotpath run --alloc --report timing,alloc,cpu,bottlenecks \
		$(BUILD)/examples/overview

check: SUITES = --no-suite slow
check-all: SUITES =
check check-all: setup-all setup
	@rm -f $(LOG)
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --no-rebuild --print-errorlogs $(SUITES) || tools/again.py $(BUILD)
	@python3 tools/summary.py $(LOG)

attack: setup-all setup
	@ninja -C $(BUILD)
	@HOTPATH="$(abspath $(BUILD))/src/cli/hotpath" BUILD="$(abspath $(BUILD))" \
		tests/attack/attack.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

bench: all
	@meson test -C $(BUILD) --no-rebuild --benchmark --verbose --num-processes 1

compare:
	@tools/setup.sh build
	@tools/ci/self.sh "$(BASE)" . $(OPTIONS)

lint: setup-all setup
	@tools/lint.sh $(BUILD)

format: setup-all
	@tools/lint.sh --format

# The prefix is part of what is built, so another one means to configure again.
install: setup
	@tools/configured.py $(BUILD) prefix "$(PREFIX)" || \
		meson configure $(BUILD) -Dprefix="$(PREFIX)"
	@ninja -C $(BUILD)
	@meson install -C $(BUILD) --no-rebuild --quiet \
		$(if $(DESTDIR),--destdir "$(abspath $(DESTDIR))")
	@test -n "$(DESTDIR)" || test "$$(id -u)" != 0 || ldconfig

distcheck: setup-all
	@tools/distcheck.sh

clean:
	@rm -rf $(BUILD) build-*
