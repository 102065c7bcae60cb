# cmake -DOUTPUT=FILE.cc -DHEADER=FOLDER/assets.h -DNAMESPACE=NAME "-DFILES=NAME=FILE;..." ["-DNOTICES=FILE;..."]
#   -P Embed.cmake
#   Writes the source of built_in_assets(), as HEADER declares it: each file is a string literal in the member NAME, in
#   the order of the members. A file that is called NOTICES is the licences in NOTICES, one after the other.
cmake_minimum_required(VERSION 3.25)
foreach(notice IN LISTS NOTICES)
  cmake_path(GET notice PARENT_PATH folder)
  cmake_path(GET folder FILENAME package)
  file(READ ${notice} text)
  string(APPEND licences "${package}\n\n${text}\n")
endforeach()

function(literal text into)
  string(FIND "${text}" ")CB\"" inside)
  string(FIND "${text}" "</script" closing)
  # What is not a page itself may become a part of one.
  if(NOT inside EQUAL -1 OR NOT (closing EQUAL -1 OR CMAKE_MATCH_2 MATCHES "[.]html$"))
    message(FATAL_ERROR "${name} cannot be embedded: it has the mark of its own end")
  endif()
  set(${into} "R\"CB(${text})CB\"" PARENT_SCOPE)
endfunction()

set(source "// Made by cmake/Embed.cmake.\n#include \"${HEADER}\"\n\nnamespace crossbind::${NAMESPACE} {\n\n")
string(APPEND source "// NOLINTNEXTLINE(readability-function-size): thousands of lines, all of them text\n")
string(APPEND source "Assets built_in_assets() {\n  return {\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([a-z_]+)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  if(CMAKE_MATCH_2 STREQUAL "NOTICES")
    set(text "${licences}")
  else()
    file(READ ${CMAKE_MATCH_2} text)
  endif()
  literal("${text}" quoted)
  string(APPEND source "      .${name} = ${quoted},\n")
endforeach()
string(APPEND source "  };\n}\n\n}  // namespace crossbind::${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${source}")
