# Writes a header with the revision of the source, and leaves it alone when that has not changed.
# Usage: cmake -DSOURCE=... -DHEADER=... -P Revision.cmake
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=40 --match=
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(revision "unknown")
endif()
set(text "#pragma once\n\nnamespace crossbind::run {\n\ninline constexpr const char* kRevision = \"${revision}\";\n\n}  // namespace crossbind::run\n")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${HEADER} "${text}")
endif()
