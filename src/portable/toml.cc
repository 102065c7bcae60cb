// toml++ as a part of the program, compiled from its headers: Debian has no static library of it.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
