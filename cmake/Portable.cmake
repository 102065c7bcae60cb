# CROSSBIND_PORTABLE: programs that need glibc and nothing else (make dist). Libraries are found as
# archives; fmt and toml++, of which Debian has none, are compiled from their headers in src/portable.

set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)
add_link_options(-static-libstdc++ -static-libgcc)

# An archive does not say what it needs itself.
function(crossbind_complete_libarchive)
  foreach(name IN ITEMS nettle lzma zstd lz4 bz2 z)
    find_library(CROSSBIND_${name} ${name} REQUIRED)
    target_link_libraries(LibArchive::LibArchive INTERFACE ${CROSSBIND_${name}})
  endforeach()
endfunction()
