# crossbind_library(FOLDER [NUMBERS] [SEPARATE] SOURCES ... [TESTS ...] [DEPENDS ...] [FIXTURES ...] [TEST_DEPENDS ...])
#   One static target a folder, crossbind_FOLDER, and FOLDER_test from the *_test.cc beside the code.
#   DEPENDS names what the folder may include, besides itself and base; TEST_DEPENDS what its tests may beyond that.
#   Configuring fails where a file includes something else; linking enforces that dependencies point one way.
#   NUMBERS: the optimiser could change what the folder computes, so that its tests are labelled numbers, not
#   unit, and run even with CROSSBIND_FEW_UNIT_TESTS. SEPARATE: its sources repeat names, and are never compiled as one.
#   FIXTURES are what its tests share with those of other folders: the library crossbind_FOLDER_fixtures,
#   which those name in TEST_DEPENDS.
# crossbind_test(NAME SOURCES ... [DEPENDS ...] [LABEL unit|numbers] [COST SECONDS])
#   A test program that is registered with ctest. The target unit_tests builds those of folders, which are labelled.
#   COST is about what its longest test takes: ctest starts with what costs most, and no core waits at the end.
#
# CROSSBIND_UNITY compiles the sources of a folder as one, and its tests as another: what all of them instantiate is
# compiled once. So a name in an anonymous namespace stands once among them, and what two need, they share.

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

function(crossbind_compile_as_one target)
  if(CROSSBIND_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# Fails when one of the files includes a folder of which no target is among `depends`.
function(crossbind_check_includes depends)
  get_filename_component(own ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(allowed ${own} base ${depends})
  list(TRANSFORM allowed REPLACE "^crossbind_|_fixtures$" "")
  list(TRANSFORM allowed REPLACE "^(rules|conduct)$" "tasks")  # src/tasks is three libraries
  foreach(file IN LISTS ARGN)
    file(STRINGS ${file} lines REGEX "^#include \"[a-z_]+/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([a-z_]+)/.*" "\\1" folder "${line}")
      if(NOT folder IN_LIST allowed)
        message(FATAL_ERROR "src/${own}: ${file} includes ${folder}, which the folder's CMakeLists.txt does not name: "
          "add crossbind_${folder} to the DEPENDS, or to the TEST_DEPENDS, or do without")
      endif()
    endforeach()
  endforeach()
endfunction()

# Sources and the headers of the same name are one target's, and held to what it names. The other headers may be for
# tests, and a folder's targets may share them: they are held to what all of the folder names.
function(crossbind_check_target_includes)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;DEPENDS;TEST_DEPENDS" ${ARGN})
  foreach(source IN LISTS ARG_SOURCES)
    string(REGEX REPLACE "\\.cc$" ".h" header ${source})
    foreach(file ${source} ${header})
      if(NOT IS_ABSOLUTE ${file} AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})  # not what is generated
        crossbind_check_includes("${ARG_DEPENDS}" ${file})
      endif()
    endforeach()
  endforeach()
  set(depends ${ARG_DEPENDS} ${ARG_TEST_DEPENDS} crossbind_testing)
  crossbind_check_includes("${depends}" ${ARG_TESTS})
  set_property(DIRECTORY APPEND PROPERTY CROSSBIND_DEPENDS ${depends})
  cmake_language(DEFER CALL crossbind_check_headers)
endfunction()

function(crossbind_check_headers)
  get_property(depends DIRECTORY PROPERTY CROSSBIND_DEPENDS)
  file(GLOB_RECURSE headers *.h)
  crossbind_check_includes("${depends}" ${headers})
endfunction()

function(crossbind_library folder)
  cmake_parse_arguments(ARG "NUMBERS;SEPARATE" "" "SOURCES;TESTS;DEPENDS;FIXTURES;TEST_DEPENDS" ${ARGN})
  set(target crossbind_${folder})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC crossbind_third_party ${ARG_DEPENDS} PRIVATE crossbind_warnings)
  crossbind_precompiled_headers(${target} REUSE_FROM crossbind_headers)
  if(NOT ARG_SEPARATE)
    crossbind_compile_as_one(${target})
  endif()
  if(NOT CROSSBIND_ONLY_WORKERS)  # which leaves targets out
    crossbind_check_target_includes(SOURCES ${ARG_SOURCES} TESTS ${ARG_TESTS} ${ARG_FIXTURES}
      DEPENDS ${ARG_DEPENDS} TEST_DEPENDS ${ARG_TEST_DEPENDS})
  endif()
  if(NOT CROSSBIND_TESTS)
    return()
  endif()
  if(ARG_FIXTURES)
    set(fixtures ${target}_fixtures)
    add_library(${fixtures} STATIC ${ARG_FIXTURES})
    target_link_libraries(${fixtures} PUBLIC ${target} ${ARG_TEST_DEPENDS} crossbind_testing PRIVATE crossbind_warnings)
    crossbind_precompiled_headers(${fixtures} REUSE_FROM crossbind_testing)
  endif()
  if(ARG_TESTS)
    set(label unit)
    if(ARG_NUMBERS)
      set(label numbers)
    endif()
    crossbind_test(${folder}_test SOURCES ${ARG_TESTS} DEPENDS ${target} ${fixtures} ${ARG_TEST_DEPENDS} LABEL ${label})
  endif()
endfunction()

function(crossbind_test name)
  cmake_parse_arguments(ARG "" "LABEL;COST" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_COST)
    set(ARG_COST 0)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} crossbind_testing GTest::gmock GTest::gtest_main
    rapidcheck rapidcheck_gtest crossbind_warnings)
  crossbind_precompiled_headers(${name} REUSE_FROM crossbind_testing)
  crossbind_compile_as_one(${name})
  if(ARG_LABEL STREQUAL "unit" AND CROSSBIND_FEW_UNIT_TESTS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${name}: " DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${ARG_LABEL}" COST ${ARG_COST} TIMEOUT 900 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  endif()
  if(ARG_LABEL)
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
