# build_info.cmake - which commit is being built; run before every build.
#
# cmake -DSOURCE=.. -DOUTPUT=build_info.h -DCOMPILER=.. -DTYPE=.. -P build_info.cmake
# An uncommitted change, or a source file that git does not know, marks the build
# modified. The header is touched only when it changes.
find_program(GIT git)
execute_process(COMMAND ${GIT} rev-parse HEAD WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND ${GIT} status --porcelain -- engine baselines harness data cmake
                        CMakeLists.txt
                WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE CHANGES ERROR_QUIET)
if(CHANGES)
  set(DIRTY 1)
else()
  set(DIRTY 0)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" CONTENT
"#define RK_BUILD_COMMIT \"${COMMIT}\"
#define RK_BUILD_DIRTY ${DIRTY}
#define RK_BUILD_COMPILER \"${COMPILER}\"
#define RK_BUILD_TYPE \"${TYPE}\"
#define RK_SOURCE_DIR \"${SOURCE}\"
")
