# crossbind_library(FOLDER SOURCES ... [TESTS ...] [DEPENDS ...])
#   One static target a folder, crossbind_FOLDER, and FOLDER_test from the *_test.cc beside the code.
#   DEPENDS names what the folder may include; linking enforces that dependencies point one way.
# crossbind_test(NAME SOURCES ... [DEPENDS ...] [LABEL unit])
#   A test program that is registered with ctest. The target unit_tests builds those labelled unit.

define_property(GLOBAL PROPERTY CROSSBIND_TEST_SOURCES)
add_custom_target(unit_tests)

# Every target shares one of two sets of precompiled headers: that of crossbind_headers, or, for
# tests, that of crossbind_testing, which has the test framework too. CLI11 and nlohmann-json stay
# out: they define objects and inline code that every user pays for (3.3 s and 0.5 s a file, measured),
# precompiled or not.
set(CROSSBIND_HEADERS
  <fmt/format.h> <tl/expected.hpp> <toml++/toml.h>
  <algorithm> <array> <cstdint> <filesystem> <memory> <optional> <span> <string> <string_view>
  <variant> <vector>)

function(crossbind_precompiled_headers target)
  if(CROSSBIND_TIDY)
    return()
  endif()
  target_precompile_headers(${target} ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # what ccache needs
  endif()
endfunction()

function(crossbind_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;DEPENDS" ${ARGN})
  set(target crossbind_${folder})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC crossbind_third_party ${ARG_DEPENDS} PRIVATE crossbind_warnings)
  crossbind_precompiled_headers(${target} REUSE_FROM crossbind_headers)
  if(ARG_TESTS AND CROSSBIND_TESTS)
    crossbind_test(${folder}_test SOURCES ${ARG_TESTS} DEPENDS ${target} LABEL unit)
  endif()
endfunction()

function(crossbind_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} crossbind_testing GTest::gmock GTest::gtest_main
    rapidcheck rapidcheck_gtest crossbind_warnings)
  crossbind_precompiled_headers(${name} REUSE_FROM crossbind_testing)
  gtest_discover_tests(${name} TEST_PREFIX "${name}: " DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT 900 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  if(ARG_LABEL STREQUAL "unit")
    add_dependencies(unit_tests ${name})
  endif()
  list(TRANSFORM ARG_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_property(GLOBAL APPEND PROPERTY CROSSBIND_TEST_SOURCES ${ARG_SOURCES})
endfunction()

# A *_test.cc that no target builds would pass by never running.
function(crossbind_check_every_test_is_registered)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*_test.cc ${CMAKE_SOURCE_DIR}/tests/*_test.cc)
  get_property(registered GLOBAL PROPERTY CROSSBIND_TEST_SOURCES)
  foreach(source IN LISTS found)
    if(NOT source IN_LIST registered)
      message(FATAL_ERROR "${source} is not registered: add it to the TESTS of its folder's CMakeLists.txt")
    endif()
  endforeach()
endfunction()
