# SPDX-License-Identifier: Apache-2.0
# The short way in: each target installs what is missing, configures, builds and runs.
# CMakePresets.json has the configurations.

PRESET ?= release
JOBS ?= $(shell nproc)
# MINIMAL=1: without LibTorch, and without what the monitor and the app need
MINIMAL ?=
# LONG=1: also the tests that take minutes
LONG ?=
# More for cmake, as -DBUILD_SHARED_LIBS=OFF
CMAKE_OPTIONS ?=

BUILD := build/$(PRESET)
# Where several Pythons are on PATH, the one that Debian's packages belong to.
PYTHON := $(wildcard /usr/bin/python3)
CONFIGURE_OPTIONS := $(if $(MINIMAL),-DMPM_WITH_TORCH=OFF) \
  $(if $(PYTHON),-DPython3_EXECUTABLE=$(PYTHON) -DPython_EXECUTABLE=$(PYTHON)) $(CMAKE_OPTIONS)

# ThreadSanitizer cannot look into system libraries. An older clang's needs addresses that are not
# randomised too widely.
ifeq ($(PRESET),tsan)
TARGETS := --target thread_tests
export TSAN_OPTIONS ?= ignore_noninstrumented_modules=1
FIXED_ADDRESSES := setarch $(shell uname -m) -R
RUN := $(shell $(FIXED_ADDRESSES) true 2>/dev/null && echo $(FIXED_ADDRESSES))
test: tsan-probe
endif

.PHONY: help deps configure build test demo bench wheel release tsan-probe check-format format clean

help:
	@echo "make demo    build, and segment a drawn street over a day: build/demo"
	@echo "make test    build, and run the tests"
	@echo "make bench   build, and time the kernels against their peers"
	@echo "make wheel   build the Python package: build/wheels"
	@echo "make release source, packages, wheel and checksums of what is committed: build/release-VERSION"
	@echo "make build   build everything"
	@echo "make format  lay out the sources with clang-format"
	@echo "make clean   remove build/"
	@echo
	@echo "PRESET=dev|release|ci|asan|tsan (CMakePresets.json)  JOBS=n  MINIMAL=1 (no LibTorch, monitor, app)  LONG=1 (slow tests too)"

deps:
	@scripts/install-deps $(if $(MINIMAL),--minimal,$(DEPS))

# Ninja configures again by itself when a CMakeLists.txt changes. Here: the first time, when
# the options changed, and when a package may have come or gone.
configure: deps
	@stamp=$(BUILD)/.configured; log=$(BUILD)/configure.log; mkdir -p $(BUILD); \
	if [ "$$(cat $$stamp 2>/dev/null)" != "$(CONFIGURE_OPTIONS)" ]; then rm -f $(BUILD)/CMakeCache.txt; \
	elif [ ! CMakePresets.json -nt $$stamp ] && [ ! /var/lib/dpkg/status -nt $$stamp ]; then exit 0; fi; \
	echo "Configuring $(BUILD)"; rm -f $$stamp; \
	cmake --preset $(PRESET) --no-warn-unused-cli $(CONFIGURE_OPTIONS) >$$log 2>&1 || { cat $$log; exit 1; }; \
	echo "$(CONFIGURE_OPTIONS)" >$$stamp

build: configure
	@cmake --build $(BUILD) -j $(JOBS) $(TARGETS)

test: build
	@$(RUN) ctest --preset $(PRESET) --progress --no-label-summary --no-tests=error $(if $(LONG),,-LE long) -j $$((2 * $(JOBS))) --output-junit tests.xml

tsan-probe: deps
	@mkdir -p $(BUILD)
	@clang++ -std=c++17 -O1 -g -fsanitize=thread .ci/tsan_probe.cpp -o $(BUILD)/probe
	@$(RUN) $(BUILD)/probe || { echo "ThreadSanitizer does not see what an atomic orders"; exit 1; }
	@! $(RUN) $(BUILD)/probe race 2>/dev/null || { echo "ThreadSanitizer misses a race"; exit 1; }

demo: DEPS := --minimal
demo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target mpm_demo
	@$(BUILD)/cli/mpm-demo --out build/demo

bench: configure
	@cmake --build $(BUILD) -j $(JOBS) --target merge_bench vit_bench segment_bench $(if $(MINIMAL),,monitor_bench)
	@$(BUILD)/benchmarks/mpm-merge-bench
	@$(BUILD)/benchmarks/mpm-vit-bench
	@$(BUILD)/benchmarks/mpm-segment-bench
	@$(if $(MINIMAL),,$(BUILD)/benchmarks/mpm-monitor-bench)

wheel: deps
	@scripts/wheel

release: deps
	@scripts/release

check-format:
	@scripts/check-format

format:
	@scripts/check-format --write

clean:
	rm -rf build
