# Thin wrapper: everything real is in CMake and ci/.
BUILD := build
DB    := results/redknot.sqlite
JOBS  := $(shell nproc)

.PHONY: all install test reproduce-fig8 clean
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

clean:
	rm -rf $(BUILD)
