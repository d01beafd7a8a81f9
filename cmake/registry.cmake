# registry.cmake - file names become tables.
#
# rk_registry(OUT var TYPE rk_method_ops PREFIX rk_method LIST rk_methods HEADER method.h
#             DIRS engine/methods baselines)
# Every DIR/NAME.c must define `const TYPE PREFIX_NAME`; the generated table lists them
# sorted by name. A file whose symbol does not match its name fails at link time.
# OUT receives the sources and the generated file. Directories may be absolute.
function(rk_registry)
  cmake_parse_arguments(R "" "OUT;TYPE;PREFIX;LIST;HEADER" "DIRS" ${ARGN})
  set(sources)
  foreach(dir IN LISTS R_DIRS)
    get_filename_component(dir "${dir}" ABSOLUTE BASE_DIR "${CMAKE_SOURCE_DIR}")
    file(GLOB found CONFIGURE_DEPENDS "${dir}/*.c")
    list(APPEND sources ${found})
  endforeach()
  set(names)
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    list(APPEND names "${name}")
  endforeach()
  list(SORT names)
  set(text "/* generated from file names by cmake/registry.cmake */\n#include \"${R_HEADER}\"\n")
  foreach(name IN LISTS names)
    string(APPEND text "extern const ${R_TYPE} ${R_PREFIX}_${name};\n")
  endforeach()
  string(APPEND text "const ${R_TYPE} *const ${R_LIST}[] = {\n")
  foreach(name IN LISTS names)
    string(APPEND text "    &${R_PREFIX}_${name},\n")
  endforeach()
  list(LENGTH names count)
  string(APPEND text "    0};\nconst int32_t ${R_LIST}_count = ${count};\n")
  file(GENERATE OUTPUT "${CMAKE_BINARY_DIR}/${R_LIST}.c" CONTENT "${text}")
  set(${R_OUT} ${sources} "${CMAKE_BINARY_DIR}/${R_LIST}.c" PARENT_SCOPE)
endfunction()
