// A figure that a benchmark measured, for the table of benchmarks/README.md. benchmarks/run names
// the file that figures go to; without it they are only printed.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace crossbind {

// `key` is that of benchmarks/table; `measured` is shown as it is.
inline void note_figure(const std::string& key, const std::string& measured, bool is_met) {
  const char* const path = std::getenv("CROSSBIND_BENCH_FIGURES");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file != nullptr) {
    std::fprintf(file, "%s\t%s\t%s\n", key.c_str(), measured.c_str(), is_met ? "met" : "missed");
    std::fclose(file);
  }
}

}  // namespace crossbind
