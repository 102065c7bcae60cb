// Gives the precompiled headers a target to live in; see cmake/Targets.cmake.
