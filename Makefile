# Thin wrapper: everything real is in CMake and ci/.
BUILD := build
DB    := results/redknot.sqlite
MODEL :=
DATA  :=
SECONDS := 20
MAKEFLAGS += --no-print-directory
JOBS  := $(shell nproc)

.PHONY: all install test reproduce-fig8 smoke lint sanitize valgrind fuzz clean help
all: $(BUILD)/CMakeCache.txt
	@cmake --build $(BUILD) -j$(JOBS) --target redknot

$(BUILD)/CMakeCache.txt: | install
	@cmake -S . -B $(BUILD)

install:
	@ci/install.sh

test: install
	@cmake -S . -B $(BUILD) >/dev/null
	@cmake --build $(BUILD) -j$(JOBS)
	@ctest --test-dir $(BUILD) --output-on-failure -j$(JOBS)

reproduce-fig8: all
	@ci/reproduce_fig8.sh "$(DB)" "$(MODEL)" "$(DATA)"

smoke: all
	@ci/smoke.sh

lint:
	@ci/install.sh --dev
	@ci/check_layout.sh
	@ci/lint.sh

sanitize:
	@ci/install.sh
	@ci/sanitize.sh

valgrind:
	@ci/install.sh --dev
	@ci/valgrind.sh

fuzz:
	@ci/install.sh --dev
	@ci/fuzz.sh $(SECONDS)

clean:
	rm -rf $(BUILD) build-san build-fuzz

help:
	@echo "make                 build/redknot (installs missing Debian packages first)"
	@echo "make test            every test"
	@echo "make reproduce-fig8  figure 8 on the embedded model; resumes where it was stopped"
	@echo "     MODEL=NAME DATA=DIR   on a real model and the data sets under DIR;"
	@echo "                           NAME: a known name (data/fetch.sh), a .gguf or a directory"
	@echo "     DB=FILE               the database (default: $(DB))"
	@echo "make smoke           the program end to end, about a minute"
	@echo "make lint            layout, format, cppcheck"
	@echo "make sanitize        every test under ASan and UBSan"
	@echo "make valgrind        short tests under memcheck"
	@echo "make fuzz            every fuzz target, SECONDS=$(SECONDS) each"
	@echo "make clean           removes the build directories, not results/"
