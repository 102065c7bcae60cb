# crossbind_header_package(PACKAGE TARGET HEADER)
#   A package that is only headers: by its CMake files or, where those are not installed, as a bare HEADER in the
#   compiler's folders or in one that CMAKE_INCLUDE_PATH names.
function(crossbind_header_package package target header)
  find_package(${package} QUIET)
  if(TARGET ${target})
    return()
  endif()
  find_path(${package}_HEADERS ${header})
  if(NOT ${package}_HEADERS)
    message(FATAL_ERROR "${package} is missing: install it (scripts/packages build), or name the folder that has "
      "${header} in the variable CMAKE_INCLUDE_PATH")
  endif()
  add_library(${target} INTERFACE IMPORTED)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${${package}_HEADERS})
endfunction()
